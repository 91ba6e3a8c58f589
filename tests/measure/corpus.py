"""A small labelled corpus, made up: enough for training and measuring to run."""

import json
from pathlib import Path

from tests.sessions.logs import claude, prompt, reply

WRONG = (
    "no, that is wrong, it should be the other port",
    "why did you remove the handler? put it back",
    "the test still fails, are you sure?",
    "don't use a global here, we pass the client instead because it is easier to test",
)
RIGHT = (
    "run the tests",
    "commit and push",
    "what does the parser return?",
    "please add an example to the readme",
    "yes, go ahead",
)
LASTING = WRONG[3]


def made_up_corpus(folder: Path, sessions: int = 12) -> Path:
    """`folder` with logs of three projects and their labels."""
    labels: list[dict[str, str | int]] = []
    for number in range(sessions):
        name = f"team+p{number % 3}/claude-code/{number:08d}-0000-4000-8000-000000000000.jsonl"
        lines = [prompt(f"Work on part {number}."), reply("I changed the port and committed it.")]
        spoken = [(0, lines[0], "none", "none")]
        for wrong, words in ((True, WRONG[number % 4]), (False, RIGHT[number % 5])):
            label = "explicit" if wrong else "none"
            durable = "project" if words == LASTING else "none"
            spoken.append((len(lines), prompt(words), label, durable))
            lines += [prompt(words), reply("You're right." if wrong else "Done.")]
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        records = claude(*({**line, "sessionId": f"s-{number}"} for line in lines))
        file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        labels += [
            {
                "transcript": name,
                "line": line,
                "turn": "prompt",
                "correction": correction,
                "durable": durable,
            }
            for line, _, correction, durable in spoken
        ]
    text = "".join(json.dumps(label) + "\n" for label in labels)
    (folder / "labels.jsonl").write_text(text, encoding="utf-8")
    return folder
