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
    messages = [
        line | {"info": {"id": f"m-{n}", **line["info"]}}
        if isinstance(line["info"], dict)
        else line
        for n, line in enumerate(lines)
    ]
    return json.dumps({"info": {"id": "ses_1", "directory": "/w"}, "messages": messages})


def _timed(lines: Lines) -> Lines:
    """Messages of a chat with their times, also those of a whole chat on one line."""
    found: Lines = []
    for number, line in enumerate(lines):
        lists = {
            name: _timed(value)
            for name, value in line.items()
            if "sages" in name or "ations" in name
        }
        found.append({"timestamp": time_of(number), **line, **lists})
    return found


# agent → (name of the file, fixture, its text)
FORMS = {
    "copilot-cli": ("events.jsonl", "copilot_human.txt", lambda c: _as_lines(_events(c))),
    "pi": ("a.jsonl", "pi_human.txt", lambda c: _as_lines(_events(c))),
    "gemini-cli": ("session-a.jsonl", "gemini_human.txt", lambda c: _as_lines(_messages(c))),
    "opencode": ("ses_1.json", "opencode_human.txt", _export),
    "managed-agent": ("a.jsonl", "managed_human.txt", lambda c: _as_lines(_processed(c))),
    "chat": ("a.jsonl", "chat_human.txt", lambda c: _as_lines(_timed(c))),
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
    lines = _processed(case.lines) if agent == "managed-agent" else _timed(case.lines)
    path = tmp_path / "a.json"
    document = lines if wrap == "list" else {member: lines, "has_more": False}
    path.write_text(json.dumps(document), encoding="utf-8")
    assert heard(by_agent(agent).open(path).read()) == case.expected


# A person's message as each client writes it, without its time and id.
UNMARKED: dict[str, dict[str, Any]] = {
    "claude-code": {"type": "user", "message": {"role": "user", "content": "use tabs"}},
    "codex": {"type": "event_msg", "payload": {"type": "user_message", "message": "use tabs"}},
    "copilot-cli": {"type": "user.message", "data": {"content": "use tabs"}},
    "pi": {"type": "message", "message": {"role": "user", "content": "use tabs"}},
    "gemini-cli": {"type": "user", "content": "use tabs"},
    "opencode": {"info": {"role": "user"}, "parts": [{"type": "text", "text": "use tabs"}]},
    "chat": {"role": "user", "content": "use tabs"},
}


@pytest.mark.proves("F13")
@pytest.mark.hostile("M1")
@pytest.mark.parametrize("agent", UNMARKED)
def test_a_role_without_any_mark_of_its_client_is_not_sure(agent: str, tmp_path: Path) -> None:
    path = tmp_path / ("ses_1.json" if agent == "opencode" else "a.jsonl")
    line = UNMARKED[agent]
    document = {"info": {"id": "ses_1", "directory": "/w"}, "messages": [line]}
    path.write_text(json.dumps(document if agent == "opencode" else line) + "\n", "utf-8")
    assert heard(by_agent(agent).open(path).read()) in (["prompt?: use tabs"], [])


@pytest.mark.proves("F13")
@pytest.mark.hostile("M1")
@pytest.mark.parametrize("lacking", ["uuid", "sessionId", "timestamp", "version"])
def test_a_line_of_claude_code_has_all_that_each_of_them_has(lacking: str, tmp_path: Path) -> None:
    marks = {"uuid": "u", "sessionId": "a", "timestamp": time_of(1), "version": "2.0.1"}
    path = tmp_path / "a.jsonl"
    for left, said in (
        (marks, "prompt: use tabs"),
        (marks.keys() - {lacking}, "prompt?: use tabs"),
    ):
        kept = {name: marks[name] for name in left}
        path.write_text(json.dumps(UNMARKED["claude-code"] | kept) + "\n", "utf-8")
        assert heard(by_agent("claude-code").open(path).read()) == [said]
