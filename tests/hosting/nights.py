"""Sessions of a watch on which one alert follows another after half an hour, day by day."""

import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from reverie.clock import iso
from reverie.home import Home
from reverie.hosting import reading
from reverie.hosting.guests import Guest
from reverie.hosting.sessions import HostedSession

FIRST = datetime(2026, 9, 1, 9, 0, tzinfo=UTC)
LAG = timedelta(minutes=31)
DAYS = 6

PORT = "The staging database listens on port 5433"
DUPLICATES = {
    "/staging-port.md": f"---\ndescription: {PORT}\ntype: project\n---\n{PORT}\n",
    "/port-of-staging.md": f"---\ndescription: {PORT}.\ntype: project\n---\n{PORT}, not 5432.\n",
    "/tabs.md": "---\ndescription: Indent with tabs\ntype: feedback\n---\nIndent with tabs.\n",
}


def transcript(day: int) -> list[dict[str, Any]]:
    """The log of one watch, as Claude Code writes it."""
    start = FIRST + timedelta(days=day, minutes=(0, 190, 45, 400, 95, 270)[day % 6])
    said = [
        (start, f"{iso(start)} WARN CPU spike on db-2"),
        (start + LAG, f"{iso(start + LAG)} ALERT QueueBacklog on queue-1"),
    ]
    records: list[dict[str, Any]] = []
    for at, text in said:
        shared = {
            "sessionId": f"watch-{day}",
            "cwd": "/w/ops",
            "version": "2.1.240",
            "isSidechain": False,
        }
        number = len(records)
        records.append(
            shared
            | {
                "type": "user",
                "uuid": f"{day}-{number}",
                "timestamp": iso(at),
                "message": {"role": "user", "content": text},
            }
        )
        answer = [{"type": "text", "text": "I look at the workers."}]
        records.append(
            shared
            | {
                "type": "assistant",
                "uuid": f"{day}-{number + 1}",
                "timestamp": iso(at + timedelta(seconds=20)),
                "message": {"role": "assistant", "content": answer},
            }
        )
    return records


def lines(records: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def brought(home: Home, guest: Guest, days: int = DAYS) -> list[HostedSession]:
    """The watches, imported."""
    return [
        session
        for day in range(days)
        for session in reading.imported(
            home, guest, io.BytesIO(lines(transcript(day))), f"watch-{day}.jsonl"
        )
    ]
