"""Which column each parameter of an SQL statement is for.

    UPDATE accounts SET api_token = $1 WHERE id = $2          →  api_token, id
    INSERT INTO users (email, password) VALUES (?, ?)         →  email, password

The values stand elsewhere, in a list or a map beside the statement.
"""

import re
from functools import lru_cache

from reverie.privacy.neighbours import SAYS_NOTHING, is_name, letters

_STATEMENT = re.compile(
    r"(?i)\s*(?:--[^\n]*\n\s*|with\b.{1,400}?\)\s*)?"
    r"(?:insert|update|replace|merge|upsert|select|delete|alter|create|set|call|exec(?:ute)?)\b",
    re.DOTALL,
)
_LONGEST = 20_000
_PARAMETER = r"(?:\?\d*|\$\d+|%s|%\(\w+\)s|(?<![\w:])[:@]\w+)"
_NAME = r"[\"'`\[]?(\w+)[\"'`\]]?"
# `token = $1`, `secret = crypt(?, …)`, `PASSWORD $1`, `IDENTIFIED BY ?`
_ASSIGNED = re.compile(
    rf"{_NAME}\s*(?:(?:[=<>!]+|(?i:like|in|is|by)\b)\s*)?(?:\w+\s*\(\s*)*({_PARAMETER})(?!\w)"
)
_INSERTED = re.compile(
    r"(?is)\b(?:insert|replace|merge|upsert)\b[^()]{1,200}\(([^()]{1,2000})\)\s*"
    r"(?:output\b[^()]{1,200}|overriding\b[^()]{1,40})?values\s*\(((?:[^()]|\([^()]*\)){1,2000})\)"
)
_LITERAL = re.compile(r"'([^'\n]{3,60})'")
_MARKS = re.compile(_PARAMETER)
_QUOTES = " \t\r\n\"'`[]"
_NAMES_ITSELF = re.compile(r"(?i)identified")


@lru_cache(maxsize=256)
def columns_of(statement: str) -> dict[str, str]:
    """The column of each parameter, by its number (`0`, `1`, …) or its own name; none is empty."""
    if len(statement) > _LONGEST or not _STATEMENT.match(statement):
        return {}
    columns = {
        match.start(2): "password" if _NAMES_ITSELF.search(match[0]) else match[1]
        for match in _ASSIGNED.finditer(statement)
    }
    for match in _INSERTED.finditer(statement):
        names = [name.strip(_QUOTES) for name in match[1].split(",")]
        at = match.start(2)
        for name, value in zip(names, match[2].split(","), strict=False):
            if mark := _MARKS.search(value):
                columns[at + mark.start()] = name
            at += len(value) + 1
    # `INSERT INTO settings (name, value) VALUES ('smtp_pass', ?)`: the row says what it holds.
    row = next((text for text in _LITERAL.findall(statement) if is_name(text)), "")
    if row:
        columns = {
            at: row if SAYS_NOTHING.fullmatch(letters(name)) else name
            for at, name in columns.items()
        }
    return {
        _called(mark[0], number): columns[mark.start()]
        for number, mark in enumerate(_MARKS.finditer(statement))
        if mark.start() in columns
    }


def _called(mark: str, number: int) -> str:
    """What a parameter is called by: `$2` and `:2` by their number, `:name` by its name."""
    name = mark[2:-2] if mark[0] == "%" else mark[1:]
    if name.isdigit():
        return str(int(name) - 1)
    return name or str(number)
