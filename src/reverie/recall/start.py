"""What a session may be told when it starts, prepared beforehand so that the hook only reads.

`$REVERIE_HOME/start.json`: `rules` by project root (`""` for everywhere else) and `due`, a sentence
for the person. Rules are written as facts about the user; text that gives orders would be taken for
an injection, and rightly so.
"""

import json
from pathlib import Path
from typing import Any, cast

from reverie.files import replace_file
from reverie.inert import inert

RULES_CHARS = 2_000  # as in `connect.hook`, which may not load this
HEAD = "What this user has said before and still holds (from Reverie's memory):"


def write_rules(home: Path, root: str, rules: list[str], limit: int) -> None:
    """Keep the standing rules of one project root; whole lines only, at most `limit` characters."""
    text = HEAD
    for rule in rules:
        line = "\n- " + inert(" ".join(rule.split()))
        if len(text) + len(line) > limit:
            break
        text += line
    start = read_start(home)
    start.setdefault("rules", {})[root] = text if rules else ""
    replace_file(home / "start.json", json.dumps(start, sort_keys=True))


def write_due(home: Path, sentence: str) -> None:
    """Keep (or, with "", drop) the reminder that a dream is due."""
    start = read_start(home)
    start["due"] = sentence
    replace_file(home / "start.json", json.dumps(start, sort_keys=True))


def read_start(home: Path) -> dict[str, Any]:
    """What is prepared; nothing when the file is not there or not ours."""
    try:
        found = json.loads((home / "start.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
