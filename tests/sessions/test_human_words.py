"""Which words a person typed, for every agent whose records are objects: cases from fixtures."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.sessions.logs import Case, cases, heard, time_of

from reverie.sessions.readers.agents import by_agent

Lines = list[dict[str, Any]]


def _events(lines: Lines) -> Lines:
    return [
        {"id": f"e-{n}", "timestamp": time_of(n), "parentId": f"e-{n - 1}", **line}
        for n, line in enumerate(lines)
    ]


def _messages(lines: Lines) -> Lines:
    return [{"id": f"e-{n}", "timestamp": time_of(n), **line} for n, line in enumerate(lines)]


def _processed(lines: Lines) -> Lines:
    return [{"id": f"e-{n}", "processed_at": time_of(n), **line} for n, line in enumerate(lines)]


def _as_lines(lines: Lines) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def _export(lines: Lines) -> str:
    return json.dumps({"info": {"id": "ses_1", "directory": "/w"}, "messages": lines})


# agent → (name of the file, fixture, its text)
FORMS = {
    "copilot-cli": ("events.jsonl", "copilot_human.txt", lambda c: _as_lines(_events(c))),
    "pi": ("a.jsonl", "pi_human.txt", lambda c: _as_lines(_events(c))),
    "gemini-cli": ("session-a.jsonl", "gemini_human.txt", lambda c: _as_lines(_messages(c))),
    "opencode": ("ses_1.json", "opencode_human.txt", _export),
    "managed-agent": ("a.jsonl", "managed_human.txt", lambda c: _as_lines(_processed(c))),
    "chat": ("a.jsonl", "chat_human.txt", _as_lines),
    "cursor": ("a.jsonl", "cursor_human.txt", _as_lines),
}
ALL = [
    pytest.param(agent, case, id=f"{agent}: {case.name}")
    for agent, (_, fixture, _) in FORMS.items()
    for case in cases(fixture)
]


@pytest.mark.proves("F10")
@pytest.mark.parametrize(("agent", "case"), ALL)
def test_exactly_the_words_a_person_typed_are_human(agent: str, case: Case, tmp_path: Path) -> None:
    name, _, form = FORMS[agent]
    path = tmp_path / name
    path.write_text(form(case.lines), encoding="utf-8")
    assert heard(by_agent(agent).open(path).read()) == case.expected


MESSAGES = [c for c in cases("gemini_human.txt") if all("type" in line for line in c.lines)]


@pytest.mark.parametrize("case", MESSAGES, ids=lambda case: case.name)
def test_the_older_document_of_gemini_says_the_same(case: Case, tmp_path: Path) -> None:
    document = {"sessionId": "s", "projectHash": "h", "messages": _messages(case.lines)}
    path = tmp_path / "session-a.json"
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    assert heard(by_agent("gemini-cli").open(path).read()) == case.expected


@pytest.mark.parametrize("agent", ["managed-agent", "chat"])
@pytest.mark.parametrize("wrap", ["list", "object"])
def test_a_list_in_one_document_says_the_same_as_lines(
    agent: str, wrap: str, tmp_path: Path
) -> None:
    member = "data" if agent == "managed-agent" else "messages"
    (case,) = [c for c in cases(FORMS[agent][1]) if c.name.startswith(("messages", "lines"))]
    lines = _processed(case.lines) if agent == "managed-agent" else case.lines
    path = tmp_path / "a.json"
    document = lines if wrap == "list" else {member: lines, "has_more": False}
    path.write_text(json.dumps(document), encoding="utf-8")
    assert heard(by_agent(agent).open(path).read()) == case.expected
