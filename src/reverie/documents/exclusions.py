"""What is not worth remembering: what the code or git already say, and details of one task.

Each rule is a shape of sentence with what would make the same shape worth keeping after all: a
reason, a preference, a standing rule, or something about the environment, a tool or the data that
no checkout can show. In doubt a memory is kept; a person can always archive it.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from reverie.data import FOLDER

_INSTRUCTIONS = "instructions"


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why a text is refused, and one sentence on what would be worth saving instead."""

    rule: str
    reason: str
    instead: str

    @property
    def instructed(self) -> bool:
        """Whether a file of instructions says it, so that every session knows it."""
        return self.rule == _INSTRUCTIONS


class _Rule(NamedTuple):
    exclusion: Exclusion
    shape: "re.Pattern[str]"
    unless: "re.Pattern[str]"


_READ = 2_000  # characters; what a memory is about stands at its start


def why_not(text: str, *, instructions: str = "") -> Exclusion | None:
    """The reason not to keep `text`, or `None` when it is worth keeping.

    `instructions` is what CLAUDE.md or AGENTS.md say: their own words are in every session
    already.
    """
    if instructions and _is_repeated(text, instructions):
        return Exclusion(
            _INSTRUCTIONS,
            "CLAUDE.md already says this, so every session starts with it",
            "Save what CLAUDE.md leaves out: why the rule exists, or a case in which it fails.",
        )
    text = text[:_READ]
    for rule in _rules():
        if rule.shape.search(text) and not rule.unless.search(text):
            return rule.exclusion
    return None


def _is_repeated(text: str, instructions: str) -> bool:
    wanted = _words(text)
    if len(wanted) < 4:
        return False
    return any(
        len(wanted & words) >= 0.85 * len(wanted)
        for line in instructions.splitlines()
        if (words := _words(line))
    )


def _words(text: str) -> set[str]:
    return set(re.findall(r"[\w./-]{2,}", text.lower()))


@cache
def _rules() -> tuple[_Rule, ...]:
    import tomllib

    data = tomllib.loads((FOLDER / "exclusions.toml").read_text(encoding="utf-8"))
    parts: dict[str, str] = data["parts"]

    def compiled(patterns: list[str]) -> "re.Pattern[str]":
        text = "|".join(patterns)
        for name, part in parts.items():
            text = text.replace(f"<{name}>", part)
        return re.compile(text, re.I | re.M)

    return tuple(
        _Rule(
            Exclusion(rule["name"], rule["reason"], rule["instead"]),
            compiled(rule["shape"]),
            compiled(rule["unless"]),
        )
        for rule in data["rules"]
    )
