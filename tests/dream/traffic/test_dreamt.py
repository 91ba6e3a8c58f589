"""From logs to a proposed pattern: delays in the words in which people and tools tell them."""

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reverie.cli.root import root
from reverie.clock import iso

START = datetime(2026, 3, 2, 6, tzinfo=UTC)

Told = tuple[datetime, str, Any]  # when, by whom, what
Style = Callable[[datetime, datetime, str], list[Told]]


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def printed(end: datetime, output: str) -> list[Told]:
    call = {"type": "tool_use", "id": f"t{end}", "name": "Bash", "input": {"command": "watchdog"}}
    result = {"type": "tool_result", "tool_use_id": f"t{end}", "content": output}
    return [(end, "user", "anything new?"), (end, "assistant", [call]), (end, "user", [result])]


STYLES: dict[str, Style] = {
    "log lines": lambda a, b, host: printed(
        b, f"{stamp(a)} WARN heat spike on {host} (91 C)\n{stamp(b)} ALERT FanFailure firing\n"
    ),
    "a table": lambda a, b, host: printed(
        b, f"TIME                  NAME        HOST\n{stamp(a)}  heat spike  {host}\n"
        f"{stamp(b)}  FanFailure  {host}\n",
    ),
    "objects": lambda a, b, host: printed(
        b, json.dumps([
            {"at": stamp(a), "event": "heat_spike", "host": host},
            {"at": stamp(b), "event": "FanFailure", "host": host},
        ]),
    ),
    "one sentence": lambda a, b, host: [
        (b, "user", f"there was a heat spike on {host} at {a:%H:%M}, then the FanFailure alert went"
                    f" off at {b:%H:%M}. any idea?"),
    ],
    "as it happens": lambda a, b, host: [
        (a, "user", f"heat spike on {host}"),
        (a, "assistant", [{"type": "text", "text": "Looking."}]),
        (b, "user", f"alert: FanFailure on {host}"),
    ],
}  # fmt: skip


def write(folder: Path, session: int, told: list[Told]) -> None:
    name = f"{session:08d}-0000-4000-8000-000000000000"
    lines = [
        {
            "type": role,
            "message": {"role": role, "content": content},
            "sessionId": name,
            "timestamp": iso(at),
            "cwd": "/srv/code/racks",
            "version": "2.1.240",
            "userType": "external",
            "isSidechain": False,
        }
        for at, role, content in told
    ]
    path = folder / "-srv-code-racks" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def patterns(logs: Path) -> list[dict[str, Any]]:
    done = CliRunner().invoke(root, ["dream", "--logs", str(logs), "--dry-run", "--json"])
    assert done.exit_code == 0, done.output
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return [record for record in records if not record.get("candidate")]


@pytest.mark.proves("A2", "A6", "C6")
@pytest.mark.parametrize("style", sorted(STYLES))
def test_a_delay_is_proposed_however_it_was_told(style: str, tmp_path: Path) -> None:
    draw = random.Random(style)
    for day in range(6):
        first = START + timedelta(hours=26 * day + draw.uniform(0, 7))
        second = first + timedelta(minutes=40 * draw.uniform(0.95, 1.05))
        write(tmp_path / "logs", day, STYLES[style](first, second, f"rack-{day}"))
    (found,) = [one for one in patterns(tmp_path / "logs") if "follows" in one["text"]]
    text, minutes = found["text"].lower().replace("_", " "), found["text"].split()[-2]
    assert text.index("fanfailure") < text.index("heat spike")
    assert 36 <= float(minutes) <= 44
    assert len(found["sessions"]) == 6


@pytest.mark.proves("A7", "F8")
def test_what_only_a_tool_said_keeps_the_trust_of_a_tool(tmp_path: Path) -> None:
    for day in range(6):
        at = START + timedelta(hours=25 * day)
        write(tmp_path / "logs", day, STYLES["log lines"](at, at + timedelta(minutes=30), "r"))
    assert {one["trust"] for one in patterns(tmp_path / "logs")} == {"tool"}
