"""The span tier of a correction: how much it would cost to get it wrong again.

| tier | the correction names | weight |
|---|---|---|
| critical | security, credentials, production, loss of data, money, law | 1.0 |
| high | something exact: a command, flag, path, port, version, name in code, URL | 0.7 |
| medium | how work is done: tests, style, naming, structure, workflow | 0.4 |
| low | anything else | 0.1 |

The first row that fits decides.
"""

import re
from typing import Literal

from reverie.data import patterns

Tier = Literal["critical", "high", "medium", "low"]

WEIGHT: dict[str, float] = {"critical": 1.0, "high": 0.7, "medium": 0.4, "low": 0.1}

_PATTERNS = patterns("detector.txt", "tiers")
_CRITICAL = re.compile(_PATTERNS["critical"], re.IGNORECASE)
_EXACT = re.compile(_PATTERNS["exact"])
_WAY = re.compile(_PATTERNS["way"], re.IGNORECASE)


def tier_of(span: str, text: str) -> Tier:
    """The tier of a correction, from the words that carry it, else from the whole turn."""
    words = span or text[:1000]
    if _CRITICAL.search(words):
        return "critical"
    if _EXACT.search(words):
        return "high"
    if _WAY.search(words):
        return "medium"
    return "low"
