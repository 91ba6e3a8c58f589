"""Sessions written as short scripts, so that a test reads like what happened.

    human: what a person typed          steer: typed while the agent worked
    refuse: words of a refusal          stop   (an interrupt)
    agent: what the agent said          plan: a plan that was handed over
    run: a command                      edit: a file
    ok: output                          fail: output (`fail 127: …` with an exit code)
    compact                             wait: 3h
    link: a pull request                read: a file

A result belongs to the call before it. `|` in an output is a new line.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from reverie.clock import iso
from reverie.learn.detect.judge import Judge, Judgement
from reverie.sessions.model import Kind, Role, Tool, Turn
from reverie.settings import Learn

FIXTURES = Path(__file__).parent / "fixtures"
START = datetime(2026, 9, 1, 10, 0, tzinfo=UTC)
_SPOKEN: dict[str, tuple[Role, Kind]] = {
    "human": ("human", "prompt"),
    "steer": ("human", "steer"),
    "refuse": ("human", "reject_feedback"),
    "stop": ("human", "interrupt"),
    "agent": ("agent", "text"),
    "plan": ("harness", "plan"),
    "compact": ("harness", "boundary"),
    "link": ("harness", "outcome"),
}
_WAIT = re.compile(r"(\d+)([mh])")


@dataclass(frozen=True)
class Case:
    name: str
    script: list[str]
    expected: list[str]


def cases(file: str) -> list[Case]:
    """The cases of a fixture file: `== name`, the script, `-> expected`."""
    found: list[Case] = []
    for block in (FIXTURES / file).read_text(encoding="utf-8").split("\n== ")[1:]:
        name, *rest = block.strip().split("\n")
        script = [line for line in rest if line.strip() and not line.startswith("-> ")]
        expected = [line.removeprefix("-> ") for line in rest if line.startswith("-> ")]
        found.append(Case(name, script, expected))
    return found


def played(script: str | list[str]) -> list[Turn]:
    """The turns of a script; each takes a minute and a line."""
    turns: list[Turn] = []
    moment = START
    tool = Tool("", "")
    lines = script.strip().splitlines() if isinstance(script, str) else script
    for number, line in enumerate(lines):
        verb, _, rest = line.strip().partition(":")
        word, _, code = verb.partition(" ")
        text = rest.strip().replace("|", "\n")
        moment += timedelta(minutes=1)
        if word == "wait":
            match = _WAIT.match(text)
            assert match
            moment += timedelta(**_span(match))
            continue
        role, kind = _SPOKEN.get(word, ("agent", "tool_call"))
        found: Tool | None = None
        if word == "run":
            found = tool = Tool("Bash", f"t{number}", {"command": text})
        elif word == "edit":
            found = tool = Tool("Edit", f"t{number}", {"file_path": f"/w/app/{text}"})
        elif word == "read":
            found = tool = Tool("Read", f"t{number}", {"file_path": f"/w/app/{text}"})
        elif word in {"ok", "fail"}:
            role, kind = "tool", "tool_result"
            exit_code = int(code) if code else None
            found = Tool(tool.name, tool.call_id, {}, word == "ok", exit_code)
        else:
            assert word in _SPOKEN, line
        said = "" if kind == "tool_call" else text
        turns.append(Turn(number, number, role, kind, iso(moment), said, cwd="/w/app", tool=found))
    return turns


def _span(match: "re.Match[str]") -> dict[str, float]:
    return {"minutes" if match[2] == "m" else "hours": float(match[1])}


def judged(turns: list[Turn]) -> list[Judgement]:
    """What the shipped detector says."""
    return Judge.load(Learn()).session(turns)
