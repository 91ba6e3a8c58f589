"""Events: what happened when, out of log lines, alerts and messages."""

from pathlib import Path

import pytest

from reverie.clock import parse_iso
from reverie.learn.traffic.events import events, type_of
from reverie.sessions.model import Kind, Role, Turn
from reverie.sessions.traces import Trace

AT = "2026-03-02T12:00:00.000Z"
ROLES: dict[str, tuple[Role, Kind]] = {
    "tool": ("tool", "tool_result"),
    "human": ("human", "prompt"),
    "agent": ("agent", "text"),
}


def told(role: str, text: str, at: str = AT) -> list[Trace]:
    who, kind = ROLES[role]
    return events([Turn(1, 0, who, kind, at, text)])


def cases() -> list[tuple[str, str, list[str]]]:
    file = Path(__file__).parent / "fixtures" / "events.txt"
    found: list[tuple[str, str, list[str]]] = []
    for line in file.read_text(encoding="utf-8").split("\n\n", 1)[1].splitlines():
        if line.startswith("-> "):
            found[-1][2].append(line.removeprefix("-> "))
        elif line.strip():
            role, _, text = line.partition(" | ")
            found.append((role, text, []))
    return found


@pytest.mark.parametrize(("role", "text", "expected"), cases(), ids=lambda value: str(value)[:40])
def test_what_a_line_tells_of(role: str, text: str, expected: list[str]) -> None:
    found = [f"{one.at[11:16]} {one.key} ({one.data[0]})" for one in told(role, text)]
    assert found == expected


def test_a_clock_time_later_than_the_turn_was_of_the_day_before() -> None:
    (event,) = told("human", "the disk alert fired at 23:40")
    assert parse_iso(event.at).isoformat() == "2026-03-01T23:40:00+00:00"


def test_an_event_is_told_once_however_often_it_is_printed() -> None:
    text = "2026-03-02T10:02:00Z CPU spike on db-1\n2026-03-02T10:02:30Z CPU spike on db-1\n"
    assert len(told("tool", text * 3)) == 1


@pytest.mark.proves("A7")
def test_an_event_is_trusted_as_far_as_who_told_it() -> None:
    line = "2026-03-02T10:02:00Z CPU spike on db-1"
    assert [told(role, line)[0].data[1] for role in ROLES] == ["tool", "user", "agent"]


def test_wordings_of_one_event_are_of_one_type() -> None:
    assert type_of("the QueueLag alert fired") == type_of("ALERT QueueLag") == "queuelag"
    assert type_of("QueueLag resolved") != type_of("QueueLag fired")
    assert type_of("alert A on web") != type_of("alert B on web")


@pytest.mark.parametrize(
    "text", ["", "[", '{"time":', "9999-99-99T99:99:99Z alert x", "24:61 alert"]
)
def test_broken_lines_are_no_events_and_no_errors(text: str) -> None:
    assert told("tool", text, at="") == []


def test_a_log_without_years_is_of_the_past() -> None:
    (event,) = told("tool", "Dec 30 10:02:11 edge watchd: broker failover started")
    assert event.at[:10] == "2025-12-30"
    assert told("tool", "Feb 30 10:02:11 edge watchd: broker failover started") == []


def test_a_state_beside_the_clock_of_its_machine_is_no_event() -> None:
    text = (
        " id | now                 | state\n----+---------------------+-------\n 7  | {} | waiting"
    )
    assert told("tool", text.format("2026-03-02 12:00:01")) == []
    assert [one.data[0] for one in told("tool", text.format("2026-03-02 11:40:01"))] == ["waiting"]
