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

Tier = Literal["critical", "high", "medium", "low"]

WEIGHT: dict[str, float] = {"critical": 1.0, "high": 0.7, "medium": 0.4, "low": 0.1}

_CRITICAL = re.compile(
    r"\b(?:security|secure|vulnerab\w*|credential\w*|secrets?|passwords?|api[ -]?keys?|tokens?"
    r"|production|prod|customer data|user data|personal data|gdpr|data loss|lose data|losing data"
    r"|drop(?:ped|ping)? (?:the )?(?:table|database|db)|delet\w+ (?:the )?(?:data|database|db"
    r"|branch|bucket)|force[- ]push\w*|rm -rf|payments?|billing|licen[cs]e|legal|leak\w*"
    r"|exfiltrat\w*|never commit|irreversible|backups?)\b",
    re.IGNORECASE,
)
_EXACT = re.compile(
    r"`[^`\n]+`"  # quoted code
    r"|(?<!\w)--?[a-zA-Z][\w-]+"  # a flag
    r"|(?<![\w/])(?:\.{0,2}/)?[\w.-]+/[\w./-]+"  # a path
    r"|\b\w+\.(?:py|ts|tsx|js|jsx|go|rs|java|rb|c|h|cpp|md|json|ya?ml|toml|sh|sql|css|html)\b"
    r"|\bv?\d+\.\d+(?:\.\d+)*\b"  # a version
    r"|\b(?:port|line|version|timeout|limit)\s+\d+\b|\b\d{4,5}\b"
    r"|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+\b|\b[A-Z][a-z]+[A-Z]\w+\b|\b[A-Z][A-Z0-9]+_[A-Z0-9_]+\b"
    r"|https?://"
)
_WAY = re.compile(
    r"\b(?:tests?|testing|mock\w*|lint\w*|format\w*|style|naming|names?|rename|comment\w*|docs?"
    r"|documentation|refactor\w*|structure|architecture|convention\w*|commit\w*|branch\w*|pull"
    r" request|pr|review|types?|typing|dependenc\w+|package\w*|pattern\w*|approach|workflow"
    r"|always|never|should(?:n't)?|don't|do not|instead|prefer\w*)\b",
    re.IGNORECASE,
)


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
