"""Answers: what an agent hands in for a piece of a session, and why it may be sent back.

Every lesson is checked on its own and all reasons are told at once, so that one correction is
enough. Nothing of an answer is kept while a single reason stands.
"""

import json
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, cast

from reverie.documents.exclusions import why_not
from reverie.documents.vocabulary import KINDS, TYPES, type_of_kind
from reverie.errors import InvalidInput, Refused, TooLarge
from reverie.privacy import has_mark

MAX_ANSWER = 64_000  # characters
MOST_LESSONS = 10
MAX_LESSON = 300
MOST_EVIDENCE = 20
SCOPES = ("project", "global")


def answer_schema(
    name: str, most: int, required: list[str], fields: dict[str, Any]
) -> dict[str, Any]:
    """The form of an answer: at most so many objects of these fields, with evidence each."""
    evidence = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    item = {
        "type": "object",
        "required": [*required, "evidence"],
        "properties": fields | {"evidence": evidence},
    }
    items = {"type": "array", "maxItems": most, "items": item}
    return {"type": "object", "required": [name], "properties": {name: items}}


SCHEMA = answer_schema(
    "lessons",
    MOST_LESSONS,
    ["lesson", "kind"],
    {
        "lesson": {"type": "string", "maxLength": MAX_LESSON},
        "kind": {"enum": list(KINDS)},
        "type": {"enum": list(TYPES)},
        "scope": {"enum": list(SCOPES)},
    },
)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson of an answer, of the right form and worth keeping."""

    text: str
    kind: str
    type: str
    scope: str
    evidence: tuple[str, ...]


def read_answer(text: str, name: str, most: int) -> list[dict[str, Any]]:
    """The objects under `name` of a JSON answer; fields nobody asked for are passed over.

    Raises:
        InvalidInput: it is not the JSON that was asked for.
        Refused: there are too many.
    """
    if len(text) > MAX_ANSWER:
        raise TooLarge(f"an answer has at most {MAX_ANSWER:,} characters, not {len(text):,}")
    try:
        answer: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"the answer is not JSON: {error}", hint="hand in the JSON alone, without other words"
        ) from None
    items: Any = cast("dict[str, Any]", answer).get(name) if isinstance(answer, dict) else None
    if not isinstance(items, list):
        raise InvalidInput(f'the answer must be an object with a list "{name}"')
    found = cast("list[Any]", items)
    if not all(isinstance(item, dict) for item in found):
        raise InvalidInput(f'"{name}" must hold objects')
    if len(found) > most:
        raise Refused(
            f"{len(found)} {name} of one piece are too many; at most {most}",
            hint="keep what a later session would need most",
        )
    return cast("list[dict[str, Any]]", found)


def lessons_of(text: str, allowed: Collection[str], redact: Callable[[str], str]) -> list[Lesson]:
    """The lessons of an answer, checked.

    Raises:
        InvalidInput: the answer has not the form that was asked for.
        Refused: a lesson may not be kept; the message has every reason.
    """
    items = read_answer(text, "lessons", MOST_LESSONS)
    reasons: list[str] = []
    for number, item in enumerate(items, 1):
        found = [*_malformed(item), *evidence_reasons(item.get("evidence"), allowed)]
        found += [] if found else unfit(item["lesson"], redact)
        reasons += [f"lesson {number}: {why}" for why in found]
    if reasons:
        raise Refused("\n".join(["the answer is not taken:", *reasons]))
    return [_lesson(item) for item in items]


def evidence_reasons(given: Any, allowed: Collection[str]) -> list[str]:
    """What is wrong with a list of evidence ids."""
    ids = cast("list[Any]", given) if isinstance(given, list) else []
    if not ids:
        return ["names no evidence"]
    if len(ids) > MOST_EVIDENCE:
        return [f"names more than {MOST_EVIDENCE} pieces of evidence"]
    return [
        f"{str(one)[:120]!r} is not evidence of this piece"
        for one in ids
        if not isinstance(one, str) or one not in allowed
    ]


def unfit(text: str, redact: Callable[[str], str]) -> list[str]:
    """Why a text may not become a memory."""
    reasons: list[str] = []
    # Seen here and not when it is stored: then other lessons of the answer would be kept already.
    if any(unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t" for char in text):
        return ["holds characters that are no text"]
    if redact(text) != text or has_mark(text):
        reasons.append("holds a secret or a private part")
    excluded = why_not(text)
    if excluded is not None:
        reasons.append(f"{excluded.reason}. {excluded.instead}")
    return reasons


def _malformed(item: dict[str, Any]) -> list[str]:
    reasons: list[str] = []
    text = item.get("lesson")
    if not isinstance(text, str) or not text.strip():
        reasons.append('"lesson" must be text')
    elif len(text) > MAX_LESSON:
        reasons.append(f'"lesson" has {len(text)} characters; at most {MAX_LESSON}')
    if item.get("kind") not in KINDS:
        reasons.append(f'"kind" must be one of {", ".join(KINDS)}')
    for name, choices in (("type", TYPES), ("scope", SCOPES)):
        if name in item and item[name] not in choices:
            reasons.append(f'"{name}" must be one of {", ".join(choices)}')
    return reasons


def _lesson(item: dict[str, Any]) -> Lesson:
    return Lesson(
        text=" ".join(item["lesson"].split()),
        kind=item["kind"],
        type=item.get("type") or type_of_kind(item["kind"]) or "project",
        scope=item.get("scope", "project"),
        evidence=tuple(dict.fromkeys(item["evidence"])),
    )
