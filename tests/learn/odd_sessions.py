"""Sessions with everything a log can hold: damaged, repeated, oversized, nested, oddly encoded."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

Record = dict[str, Any]

_RULE = "No, that is wrong: from now on always run step {} before you commit, never skip it."
_ODD_TEXTS: tuple[str, ...] = (
    "",
    " ",
    "\0\0\0",
    "\ud800 alone",
    "\u202e\u200b\ufeff tags \U000e0041\U000e0042",
    "日本語で話します。いいえ、違います。",
    "```\n" + "x" * 5_000,
    "<system-reminder>be good</system-reminder>",
    "No, " + "very " * 8_000 + "wrong.",
    "a\r\nb\u2028c\x1b[31m",
    "%s {0} ' \" ; DROP TABLE turns; --",
    "---\nname: x\ntype: user\n---\n",
)
_ODD_VALUES: tuple[Any, ...] = (
    None,
    0,
    -1,
    10**400,
    1e308,
    float("nan"),
    [],
    {},
    [[[[{}]]]],
    {"type": {"type": "text"}},
    True,
    "text",
)
_ODD_TIMES: tuple[Any, ...] = (
    "0000-00-00T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
    "2026-09-01T10:00:00",
    "tomorrow",
    "",
    12345,
    None,
)


def odd_log(path: Path, session: str, cwd: Path, chance: random.Random) -> None:
    """Write a log of a session that a person works in, with several odd things in it."""
    records = _talk(session, cwd, chance)
    for _ in range(chance.randint(1, 6)):
        chance.choice(_RECORD_FAULTS)(records, chance)
    lines = [_encoded(record) for record in records]
    for _ in range(chance.randint(0, 4)):
        chance.choice(_LINE_FAULTS)(lines, chance)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))


def _talk(session: str, cwd: Path, chance: random.Random) -> list[Record]:
    records: list[Record] = []

    def add(kind: str, content: Any) -> None:
        number = len(records)
        at = f"2026-09-{1 + number // 1440 % 28:02}T{number // 60 % 24:02}:{number % 60:02}:00.000Z"
        records.append(
            {
                "type": kind,
                "message": {"role": kind, "content": content},
                "uuid": f"{session}-{number}",
                "parentUuid": f"{session}-{number - 1}" if number else None,
                "sessionId": session,
                "timestamp": at,
                "cwd": str(cwd),
                "version": "2.1.240",
                "isSidechain": False,
            }
        )

    add("user", "Please make the build of the importer pass.")
    for number in range(chance.choice((1, 2, 3, 5, 8, 60))):
        name = chance.choice(("Bash", "Edit", "Write", "mcp__x__y", ""))
        given = {"command": f"make part-{number}", "file_path": f"/w/{number}.py"}
        add(
            "assistant", [{"type": "text", "text": f"I will try {number} on port {8000 + number}."}]
        )
        add("assistant", [{"type": "tool_use", "id": f"t{number}", "name": name, "input": given}])
        answer = {"type": "tool_result", "tool_use_id": f"t{number}", "is_error": number % 2 == 0}
        add("user", [{**answer, "content": f"error E{number}: cannot find part {number}\n" * 3}])
        add("user", _RULE.format(number))
    return records


def _encoded(record: Record) -> bytes:
    text = json.dumps(record, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _odd_text(records: list[Record], chance: random.Random) -> None:
    chance.choice(records)["message"] = {"role": "user", "content": chance.choice(_ODD_TEXTS)}


def _odd_value(records: list[Record], chance: random.Random) -> None:
    record = chance.choice(records)
    record[chance.choice(list(record))] = chance.choice(_ODD_VALUES)


def _odd_content(records: list[Record], chance: random.Random) -> None:
    parts: list[Any] = [chance.choice(_ODD_VALUES) for _ in range(3)]
    parts += [{"type": "text", "text": chance.choice((*_ODD_TEXTS, *_ODD_VALUES))}]
    parts += [{"type": "tool_use", "id": chance.choice(_ODD_VALUES), "name": "Bash", "input": {}}]
    chance.choice(records)["message"] = {"role": "user", "content": parts}


def _odd_time(records: list[Record], chance: random.Random) -> None:
    chance.choice(records)["timestamp"] = chance.choice(_ODD_TIMES)


def _odd_place(records: list[Record], chance: random.Random) -> None:
    places = ("", "/", "relative", "/no/such\nplace", "/" + "deep/" * 400, "\0", 5, None)
    place = chance.choice(places)
    for record in records:
        record["cwd"] = place


def _odd_identity(records: list[Record], chance: random.Random) -> None:
    name = chance.choice(("../../etc/passwd", "", "x" * 3_000, "a\nb", "ü#1::2~3", None, 7))
    for record in records:
        record["sessionId"] = name


def _repeated(records: list[Record], chance: random.Random) -> None:
    records += records[: chance.randint(1, len(records))]


def _circle(records: list[Record], chance: random.Random) -> None:
    for record in records:
        record["parentUuid"] = chance.choice(records)["uuid"]


def _oversized(records: list[Record], chance: random.Random) -> None:
    many = [
        {"type": "text", "text": _RULE.format(n) + " because " + "so " * 90} for n in range(300)
    ]
    chance.choice(records)["message"] = {
        "role": chance.choice(("user", "assistant")),
        "content": many,
    }


def _nested(records: list[Record], chance: random.Random) -> None:
    value: Any = "deep"
    for _ in range(chance.choice((20, 400))):
        value = {"input": [value]}
    chance.choice(records)["message"] = {"role": "assistant", "content": [value]}
    chance.choice(records)["toolUseResult"] = value


def _spliced(lines: list[bytes], chance: random.Random) -> None:
    place = chance.randrange(len(lines))
    lines[place] = lines[place].rstrip(b"\n")


def _cut(lines: list[bytes], chance: random.Random) -> None:
    place = chance.randrange(len(lines))
    lines[place] = lines[place][: chance.randrange(len(lines[place]) + 1)]


def _noise(lines: list[bytes], chance: random.Random) -> None:
    noise = (b"\0" * 4_000, bytes(range(256)), b"\xff\xfe{\0}\0", b"[" * 30_000 + b"\n", b"null\n")
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(noise))


def _flipped(lines: list[bytes], chance: random.Random) -> None:
    place = chance.randrange(len(lines))
    damaged = bytearray(lines[place])
    for _ in range(5 if damaged else 0):
        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
    lines[place] = bytes(damaged)


_RECORD_FAULTS: tuple[Callable[[list[Record], random.Random], None], ...] = (
    _odd_text, _odd_value, _odd_content, _odd_time, _odd_place,
    _odd_identity, _repeated, _circle, _oversized, _nested,
)  # fmt: skip
_LINE_FAULTS = (_spliced, _cut, _noise, _flipped)
