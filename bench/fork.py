"""How much of the prompt an extraction fork shares with its conversation, with the real client.

A stand-in for the Messages API on loopback answers the client and keeps each request in memory. A
conversation is held, once with `-p` and once interactively under tmux; then an extraction run is
forked from it. Further conversations try what the client offers inside a session: skills, hooks
that ask a model, and forked agents. Compared are tools, system and messages, in the order in which
a prompt cache reads them: the leading bytes that are the same are what the fork need not pay in
full. Last, what Claude Code and Codex send beside the piece when they are asked afresh. Only
lengths and hashes are printed; no request is ever written to disk.

    python bench/fork.py [--json]        needs Claude Code (REVERIE_TEST_CLAUDE) and tmux
"""

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
from examples import codex_offline
from examples.claude_offline import Api, Client, find_client

from reverie.engines.claude_code import ClaudeCode
from reverie.engines.codex import Codex
from reverie.engines.protocol import Engine, Limits, Prompt

ANSWER = "I will keep that in mind and use tabs."
PROMPT = "Use tabs in this project, not spaces."
EXTRACT = "Which lasting preferences did the user state in this conversation?"
# The flags an extraction run needs; each is tried alone to see what it costs.
PLAIN = ("--fork-session", "--no-session-persistence")
# A resumed session takes the model from its log, where the variant (`[1m]`) is not written.
SAME = ("--model", "default")
GUARD = '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}'
VARIANTS: dict[str, tuple[str, ...]] = {
    "as it comes": PLAIN,
    "same model": (*PLAIN, *SAME),
    "and turns": (*PLAIN, *SAME, "--max-turns", "6"),
    "and guard": (*PLAIN, *SAME, "--settings", GUARD),
    "and dontAsk": (*PLAIN, *SAME, "--permission-mode", "dontAsk"),
    "and schema": (*PLAIN, *SAME, "--json-schema", '{"type":"object","properties":{}}'),
    "safe mode": (*PLAIN, *SAME, "--safe-mode"),
    "no tools": (*PLAIN, *SAME, "--tools", ""),
}
# What the client has inside a session: (skill's frontmatter, kind of hook, typed, environment).
FORKS = {"CLAUDE_CODE_FORK_SUBAGENT": "1"}
INSIDE: dict[str, tuple[str | None, str | None, str, dict[str, str]]] = {
    "skill": ("", None, "/extract", {}),
    "forked skill": ("context: fork\n", None, "/extract", {}),
    "agent hook": (None, "agent", "", {}),
    "prompt hook": (None, "prompt", "", {}),
    "/fork": (None, None, f"/fork {EXTRACT}", FORKS),
    # The first line of the system prompt says that an agent asks; it can be left out.
    "/fork, no header": (
        None, None, f"/fork {EXTRACT}", FORKS | {"CLAUDE_CODE_ATTRIBUTION_HEADER": "0"},
    ),
}  # fmt: skip
IN_TERMINAL = ("--fork-session", *SAME, "--settings", GUARD)


class Fork(Client):
    """A client that can also be forked."""

    def fork_in_terminal(self, session: str) -> None:
        """A fork that believes it has a user; nested, so that it is not saved."""
        known = len(self.api.bodies)
        arguments = ("--resume", session, *IN_TERMINAL, EXTRACT)
        self.open("fork", *arguments, CLAUDE_CODE_CHILD_SESSION="1")
        self.wait(lambda: bool(self.api.with_text(EXTRACT, known)), "fork")

    def furnish(self, skill: str | None, hook: str | None) -> None:
        """Give the home a skill `extract`, or a Stop hook that asks a model."""
        if skill is not None:
            folder = self.home / ".claude" / "skills" / "extract"
            folder.mkdir(parents=True)
            text = f"---\nname: extract\ndescription: Extract\n{skill}---\n\n{EXTRACT}\n"
            (folder / "SKILL.md").write_text(text, encoding="utf-8")
        if hook is not None:
            (self.home / ".claude").mkdir()
            asked = {"type": hook, "prompt": f"{EXTRACT} $ARGUMENTS", "timeout": 30}
            settings = {"hooks": {"Stop": [{"hooks": [asked]}]}}
            file = self.home / ".claude" / "settings.json"
            file.write_text(json.dumps(settings), encoding="utf-8")

    def talk(self, prompt: str) -> str:
        """An interactive session that stays open; its session id."""
        self.open("parent")
        self.ready("parent")
        self.say("parent", prompt)
        self.wait(
            lambda: any(ANSWER in f.read_text(encoding="utf-8") for f in self.logs()), "parent"
        )
        (log,) = (f for f in self.logs() if ANSWER in f.read_text(encoding="utf-8"))
        return log.stem


def stripped(value: Any) -> Any:
    """The value without cache marks: they say where to cache, not what."""
    if isinstance(value, dict):
        return {key: stripped(part) for key, part in value.items() if key != "cache_control"}
    return [stripped(part) for part in value] if isinstance(value, list) else value


def shared(parent: dict[str, Any], fork: dict[str, Any]) -> dict[str, Any]:
    """Per part and in all: bytes of the parent, and how many of them lead the fork unchanged."""
    figures: dict[str, Any] = {}
    leading = total = 0
    unbroken = True
    for part in ("tools", "system", "messages"):
        ours, theirs = (
            json.dumps(stripped(body.get(part, [])), ensure_ascii=False)[1:-1].encode()
            for body in (parent, fork)
        )
        same = next(
            (at for at, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
            min(len(ours), len(theirs)),
        )
        figures[part] = {
            "bytes": len(ours),
            "same": same,
            "parent_sha256": hashlib.sha256(ours).hexdigest()[:12],
            "fork_sha256": hashlib.sha256(theirs[: len(ours)]).hexdigest()[:12],
        }
        total += len(ours)
        leading += same if unbroken else 0
        unbroken = unbroken and same == len(ours)
    return {**figures, "leading": leading, "total": total, "share": round(leading / total, 4)}


def measure(
    client: Fork, session: str, parent: dict[str, Any], *, interactive: bool
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, flags in VARIANTS.items():
        before = len(client.api.bodies)
        client.ask(EXTRACT, "--resume", session, *flags)
        found[name] = shared(parent, client.api.with_text(EXTRACT, before)[0])
    if interactive:
        before = len(client.api.bodies)
        client.fork_in_terminal(session)
        found["in terminal"] = shared(parent, client.api.with_text(EXTRACT, before)[0])
    return found


def inside(program: str, folder: Path, name: str) -> dict[str, Any]:
    """One way to ask from within an interactive session."""
    skill, hook, typed, env = INSIDE[name]
    client = Fork(program, folder, Api((EXTRACT[:30], ['{"ok": true}']), (".", [ANSWER])))
    client.env |= env
    client.furnish(skill, hook)
    try:
        client.talk(PROMPT)
        if typed:
            client.say("parent", typed)
        client.wait(lambda: bool(asked(client)), "parent")
        parent = [body for body in client.api.with_text(PROMPT) if not is_asked(body)][-1]
        return shared(parent, asked(client)[0])
    finally:
        client.hang_up()


def asked(client: Fork) -> list[dict[str, Any]]:
    return [body for body in client.api.bodies if is_asked(body)]


def is_asked(body: dict[str, Any]) -> bool:
    return EXTRACT in json.dumps([body.get("messages"), body.get("system")])


def afresh(program: str, folder: Path) -> dict[str, Any]:
    """What is sent when a client is asked afresh, and how much of it is not the piece."""
    prompt = Prompt("w", "session", "1", "i" * 4_000, "m" * 8_000, {"type": "object"})
    found: dict[str, Any] = {}

    def ask(engine: Engine, bodies: list[dict[str, Any]]) -> None:
        engine.answer(prompt, Limits(1.0, 6_000, 60))
        parts = ("tools", "system", "messages", "instructions", "input", "text")
        sent = sum(len(json.dumps([body.get(part, []) for part in parts])) for body in bodies)
        found[engine.name] = {"requests": len(bodies), "beside": sent - len(prompt.text)}

    scratch = folder / "scratch"
    scratch.mkdir(parents=True)
    claude = Client(program, folder / "claude", Api((".", [("StructuredOutput", {})])))
    ask(ClaudeCode(program, scratch, claude.env), claude.api.bodies)
    if other := codex_offline.find_codex():
        codex = codex_offline.Client(other, folder / "codex", codex_offline.Api(lambda body: "{}"))
        ask(Codex(other, scratch, codex.env), codex.api.bodies)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="Print the figures as JSON.")
    given = parser.parse_args()
    program = find_client()
    if program is None or not shutil.which("tmux"):
        print("skipped: needs Claude Code and tmux", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        figures: dict[str, Any] = {}
        for name in ("print", "interactive"):
            client = Fork(program, Path(folder) / name, Api((".", [ANSWER])))
            try:
                printing = name == "print"
                session = client.ask(PROMPT)["session_id"] if printing else client.talk(PROMPT)
                parent = client.api.with_text(PROMPT)[-1]
                figures[name] = measure(client, session, parent, interactive=not printing)
            finally:
                client.hang_up()
        figures["inside"] = {
            name: inside(program, Path(folder) / f"inside {number}", name)
            for number, name in enumerate(INSIDE)
        }
        figures["client"] = client.version()
        figures["afresh"] = afresh(program, Path(folder) / "afresh")
    print(json.dumps(figures, indent=1) if given.json else table(figures))
    return 0


def table(figures: dict[str, Any]) -> str:
    fresh = figures.pop("afresh")
    lines = [
        figures.pop("client"),
        "parent       fork              tools  system  messages  leading",
    ]
    for parent, variants in figures.items():
        for variant, found in variants.items():
            parts = [
                f"{found[part]['same']}/{found[part]['bytes']}"
                for part in ("tools", "system", "messages")
            ]
            lines.append(f"{parent:<12} {variant:<16} {' '.join(parts)} = {found['share']:.1%}")
    for engine, found in fresh.items():
        lines.append(f"afresh       {engine:<16} {found['beside']} characters beside the piece")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
