"""The words a memory is sorted by: types, kinds, and the parts of a user's profile."""

from typing import Literal, get_args

Type = Literal["user", "feedback", "project", "reference"]
Kind = Literal["error", "best-practice", "data-quirk", "decision", "command"]
Section = Literal["about-me", "current-projects", "technical-environment", "preferences"]

TYPES: tuple[str, ...] = get_args(Type)
KINDS: tuple[str, ...] = get_args(Kind)
SECTIONS: tuple[str, ...] = get_args(Section)
GLOBAL = "global"

_TYPE_OF_KIND: dict[str, str] = {
    "error": "feedback",
    "best-practice": "feedback",
    "data-quirk": "project",
    "decision": "project",
    "command": "reference",
}

# Folders of a store that hold no memories of their own: archived ones, days and diaries are reached
# on request only.
ASIDE = ("/archive/", "/daily/", "/diary/")


def type_of_kind(kind: str) -> str:
    """The type a kind belongs to: errors and best practices are feedback, and so on."""
    return _TYPE_OF_KIND.get(kind, "")
