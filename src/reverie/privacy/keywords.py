"""Whether a text could hold a secret at all, told without loading the rules.

It may be wrong in one direction only. Every rule has keywords, or a guard, one of which must be in
the text for the rule to run; both are read from the rules' own file, so that a new rule is known
here too. What needs no rule's keyword (encoded text, seed phrases) has a pattern here.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parent.parent / "data"
FILE = DATA / "secrets.toml"

_KEYWORDS = "keywords = "
_TABLES = ("[prefixes]", "[base64]")  # of what keys begin with, a list on each line
_GUARD = re.compile(r"guard = '''(.+)'''$")
# Encoded text is told from the rest by much more; this is what any of it has.
_ENCODED = r"[A-Za-z0-9+/_-]{24}"
# Twelve words in a row that could be those of a seed.
BETWEEN_WORDS = (
    r"(?:\s{1,3}|,\s?|\\[nrt]|[\"'`],\s{0,3}[\"'`]|\s{0,2}\d{1,2}[.):]\s{1,2}|\s?\|\s?|\n- )"
)
PHRASE = rf"(?:\b|\\[nrt])[a-z]{{3,8}}(?:{BETWEEN_WORDS}[a-z]{{3,8}}){{11}}"


_START = 3  # signs of a keyword by which it is looked up


class Signs(NamedTuple):
    """What a text without secrets lacks."""

    keywords: dict[str, list[str]]  # how they begin → those that do, in lower case
    pattern: re.Pattern[str]


def may_hold_secret(text: str) -> bool:
    """False only if no rule can match `text`, nor what is encoded in it."""
    known = signs()
    lowered = text.lower()
    sizes = range(1, _START + 1)
    begins = {lowered[at : at + size] for size in sizes for at in range(len(lowered))}
    for start in begins & known.keywords.keys():
        if any(keyword in lowered for keyword in known.keywords[start]):
            return True
    return known.pattern.search(text) is not None


@cache
def signs() -> Signs:
    """The keywords and guards of all rules.

    Lists of strings are written the same in TOML and in JSON, and JSON is here already.
    """
    keywords: dict[str, list[str]] = {}
    guards = [_ENCODED, PHRASE, r"\x00|\x1b\["]
    section = ""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        section = line if line[:1] == "[" else section
        if line.startswith(_KEYWORDS) or (section in _TABLES and " = [" in line):
            for keyword in json.loads(line.partition(" = ")[2].lower()):
                keywords.setdefault(keyword[:_START], []).append(keyword)
        elif guard := _GUARD.match(line):
            guards.append(guard.group(1))
    return Signs(keywords, re.compile("|".join(guards), re.ASCII))
