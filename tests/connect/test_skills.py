"""The plugin's skills in the real client: their commands run without a question."""

import json
import os
import pwd
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from examples.claude_offline import Api, Client, find_client
from tests.connect.logs import LOGS, write_log
from tests.connect.test_plugin import PLUGIN, SKILLS
from tests.engines.lessons import answer_to

from reverie import OWNER, Memory

CORRECTED = "Berth one of the quay is at its north end, that's how the `harbour` map has it."
LESSON = "Berth one of the quay is at its north end, that’s how the `harbour` map has it."


def allowed(skill: str) -> list[str]:
    """The commands that a skill runs without asking, as patterns."""
    text = (PLUGIN / "skills" / skill / "SKILL.md").read_text(encoding="utf-8")
    found = re.search(r"^allowed-tools: (.*)$", text, re.MULTILINE)
    assert found is not None
    return [re.escape(one).replace(r":\*", ".*") for one in re.findall(r"Bash\((.*?)\)", found[1])]


# What an agent runs for a person only if they agree to it there and then.
ASKED_FOR = ("reverie review --accept ID", "reverie review --accept ID --reject ID")
NOT_FOR_AGENTS = ("reverie review", "reverie log NAME", "reverie restore NAME VERSION")


@pytest.mark.parametrize("skill", SKILLS)
def test_whatever_a_skill_has_an_agent_run_is_allowed(skill: str) -> None:
    text = (PLUGIN / "skills" / skill / "SKILL.md").read_text(encoding="utf-8")
    patterns = allowed(skill)
    for line in re.findall(r"`(reverie [^`]+)`", text):
        left_to_people = line in (*ASKED_FOR, *NOT_FOR_AGENTS) or "undo" in line
        fits = any(re.fullmatch(pattern, line) for pattern in patterns)
        assert fits is not left_to_people, line


@pytest.mark.parametrize("skill", SKILLS)
def test_no_skill_allows_what_costs_money_or_decides_for_a_person(skill: str) -> None:
    for line in (
        "reverie learn --engine claude-code --yes",
        "reverie dream --engine claude-code",
        "reverie engines use claude-code",
        "reverie review --accept x",
        "reverie proposals accept x",
        "reverie forget x",
        "reverie connect claude-code --yes",
    ):
        assert not any(re.fullmatch(pattern, line) for pattern in allowed(skill)), line


class Worker:
    """A model that works off what waits, as the skill says."""

    def __init__(self) -> None:
        self.results: list[str] = []

    def __call__(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        results = [
            block
            for message in body["messages"]
            for block in (message["content"] if isinstance(message["content"], list) else [])
            if block["type"] == "tool_result"
        ]
        if not results:
            return [self.run("reverie work next --json", 0)]
        said = json.dumps(results[-1]["content"])
        self.results.append(said)
        if "material" not in said:
            return [{"type": "text", "text": "All done."}]
        given = results[-1]["content"]
        text = given if isinstance(given, str) else given[0]["text"]
        piece = json.loads(text[text.index("{") : text.rindex("}") + 1])
        answer = json.dumps(answer_to(piece["material"], "north end", LESSON), ensure_ascii=False)
        assert "'" not in answer
        submit = f"reverie work submit {piece['id']} - <<< '{answer}'"
        return [self.run(submit, len(results))]

    def run(self, command: str, number: int) -> dict[str, Any]:
        given = {"command": command, "description": "work"}
        return {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": given}


class WorkApi(Api):
    """The model of a session in which `/reverie:synthesize` is typed."""

    def __init__(self) -> None:
        super().__init__()
        self.worker = Worker()

    def blocks(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        return self.worker(body)


@pytest.mark.needs("claude")
@pytest.mark.proves("B14")
def test_synthesize_works_off_what_waits_without_a_question(
    isolated_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as real:
        real.setenv("HOME", pwd.getpwuid(os.getuid()).pw_dir)
        program = find_client()
    assert program is not None
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    api = WorkApi()
    client = Client(program, tmp_path, api, path)
    turns = [("user", "Number the berths."), ("assistant", "Done."), ("user", CORRECTED)]
    log = write_log(isolated_home / LOGS, "s1", client.project, *turns)
    with Memory.open(folder=client.project, asker=OWNER) as memory:
        memory.learn(log)
        result = client.ask("/reverie:synthesize", "--plugin-dir", str(PLUGIN))
        assert result["permission_denials"] == []
        assert result["result"] == "All done.", api.worker.results
        (item,) = memory.memories()
        assert "north end" in item.document.body
