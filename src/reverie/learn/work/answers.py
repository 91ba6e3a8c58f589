"""Answers: what a model hands in for a piece of sessions, read and checked for its form.

Each lesson is looked at by itself: a good one is taken although its neighbour is sent back. All
reasons are told at once, so that one correction is enough.
"""

import json
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar, cast

import msgspec

from reverie.documents.exclusions import why_not
from reverie.documents.vocabulary import KINDS, TYPES, Kind, Type
from reverie.errors import InvalidInput, Refused, TooLarge
from reverie.inert import readable
from reverie.learn.diary.handed_in import VERDICTS, OwnApproach
from reverie.privacy import has_mark

MAX_ANSWER = 64_000  # characters
MOST_LESSONS = 10
MAX_LESSON = 300
MAX_TITLE = 80
MAX_NOTE = 400  # characters of why, when and the lines of a diary
MOST_EVIDENCE = 20
SCOPES = ("project", "global")
BEARINGS = ("confirmed", "refined", "contradicted", "narrowed", "ended")

Note = Annotated[str, msgspec.Meta(max_length=MAX_NOTE)]
Ids = tuple[str, ...]
Struct = TypeVar("Struct", bound=msgspec.Struct)


class Lesson(msgspec.Struct, frozen=True):
    """One lesson of an answer."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_LESSON)]
    kind: Kind
    evidence: Ids
    name: Annotated[str, msgspec.Meta(max_length=MAX_TITLE)] = ""
    title: Annotated[str, msgspec.Meta(max_length=MAX_TITLE)] = ""
    why: Note | None = None
    when: Note | None = None
    type: Type | None = None
    scope: str = "project"
    standing: bool = False


class OnStatement(msgspec.Struct, frozen=True):
    """What became of a sentence that the rules took for a lesson."""

    id: str
    lesson: int | None = None  # its number in the answer, from 1
    why: Note = ""


class OnMemory(msgspec.Struct, frozen=True):
    """What a session says of something that is remembered."""

    name: str
    verdict: str
    lesson: int | None = None
    text: Annotated[str, msgspec.Meta(max_length=MAX_LESSON)] | None = (
        None  # what of it still holds
    )
    evidence: Ids = ()


class DiaryPart(msgspec.Struct, frozen=True, rename={"start": "from"}):
    """One task of a session."""

    start: str
    task: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NOTE)]
    approaches: tuple[OwnApproach, ...] = ()
    worked: tuple[Note, ...] = ()
    mistakes: tuple[Note, ...] = ()


class SessionAnswer(NamedTuple):
    """An answer as far as it has the form that was asked for."""

    lessons: dict[int, Lesson]  # by number, from 1
    statements: list[OnStatement]
    memories: list[OnMemory]
    diary: list[DiaryPart]
    reasons: list[str]  # what is wrong with the rest


def form(properties: dict[str, Any]) -> dict[str, Any]:
    """A form with every field in it, as the strictest of servers want it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def several(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


def rows(properties: dict[str, Any]) -> dict[str, Any]:
    """Several objects of a form."""
    return several(form(properties))


def one_of(values: Iterable[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


TEXT: dict[str, Any] = {"type": "string"}
PERHAPS: dict[str, Any] = {"type": ["string", "null"]}
_NUMBER: dict[str, Any] = {"type": ["integer", "null"]}

_LESSON = {
    "name": TEXT,
    "title": TEXT,
    "text": TEXT,
    "why": PERHAPS,
    "when": TEXT,
    "type": one_of(TYPES),
    "kind": one_of(KINDS),
    "scope": one_of(SCOPES),
    "standing": {"type": "boolean"},
    "evidence": several(TEXT),
}
_ON_MEMORY = {
    "name": TEXT,
    "verdict": one_of(BEARINGS),
    "lesson": _NUMBER,
    "text": PERHAPS,
    "evidence": several(TEXT),
}
_DIARY = {
    "from": TEXT,
    "task": TEXT,
    "approaches": rows({"what": TEXT, "outcome": one_of(VERDICTS), "why": TEXT}),
    "worked": several(TEXT),
    "mistakes": several(TEXT),
}
SCHEMA = form(
    {
        "lessons": rows(_LESSON),
        "statements": rows({"id": TEXT, "lesson": _NUMBER, "why": TEXT}),
        "memories": rows(_ON_MEMORY),
        "diary": rows(_DIARY),
    }
)


def session_answer(
    text: str, allowed: Collection[str], redact: Callable[[str], str]
) -> SessionAnswer:
    """An answer about sessions, as far as it is of the right form and worth keeping.

    Raises:
        InvalidInput: it is not the JSON that was asked for.
        Refused: there are too many lessons.
    """
    reasons: list[str] = []
    lessons: dict[int, Lesson] = {}
    for number, item in enumerate(read_answer(text, "lessons", MOST_LESSONS), 1):
        lesson, malformed = converted(item, Lesson)
        wrong = [malformed]
        if lesson is not None:
            # One of a piece before, beside others that carry the lesson, is worth no second call.
            known = tuple(name for name in lesson.evidence if name in allowed)
            lesson = msgspec.structs.replace(lesson, evidence=known or lesson.evidence)
            whole = f"{lesson.text}\n{lesson.title}\n{lesson.why or ''}\n{lesson.when or ''}"
            wrong = evidence_reasons(list(lesson.evidence), allowed) or unkeepable(whole, redact)
            if not wrong:
                lessons[number] = lesson
        reasons += [f"lesson {number}: {reason}" for reason in wrong]
    statements, unread = converted_all(listed(text, "statements"), OnStatement, "statements")
    memories, unknown = converted_all(listed(text, "memories"), OnMemory, "memories")
    diary, untold = converted_all(listed(text, "diary"), DiaryPart, "diary")
    reasons += [*unread, *unknown, *untold]
    return SessionAnswer(lessons, statements, memories, diary, reasons)


def converted_all(
    items: Iterable[Any], shape: type[Struct], label: str
) -> tuple[list[Struct], list[str]]:
    """Objects of an answer in their form, and what is wrong with the others."""
    values: list[Struct] = []
    reasons: list[str] = []
    for number, item in enumerate(items, 1):
        value, why = converted(item, shape)
        values += [value] if value is not None else []
        reasons += [f"{label} {number}: {why}"] if value is None else []
    return values, reasons


def converted(item: Any, shape: type[Struct]) -> tuple[Struct | None, str]:
    """One object of an answer in its form, or why it has not got that."""
    try:
        return msgspec.convert(item, shape), ""
    except msgspec.ValidationError as error:
        return None, str(error)


def read_answer(text: str, name: str, most: int) -> list[dict[str, Any]]:
    """The objects under `name` of a JSON answer; fields nobody asked for are passed over.

    Raises:
        InvalidInput: it is not the JSON that was asked for.
        Refused: there are too many.
    """
    if len(text) > MAX_ANSWER:
        raise TooLarge(f"an answer has at most {MAX_ANSWER:,} characters, not {len(text):,}")
    try:
        # What was shown had to be made inert, and models copy it.
        answer: Any = json.loads(readable(text))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"the answer is not JSON: {error}", hint="hand in the JSON alone, without other words"
        ) from None
    items: Any = cast("dict[str, Any]", answer).get(name) if isinstance(answer, dict) else None
    if not isinstance(items, list):
        raise InvalidInput(f'the answer must be an object with a list "{name}"')
    objects = cast("list[Any]", items)
    if not all(isinstance(item, dict) for item in objects):
        raise InvalidInput(f'"{name}" must hold objects')
    if len(objects) > most:
        raise Refused(
            f"{len(objects)} {name} of one piece are too many; at most {most}",
            hint="keep what a later session would need most",
        )
    return cast("list[dict[str, Any]]", objects)


def decoded(text: str, shape: type[Struct]) -> Struct:
    """An answer that is one object.

    Raises:
        InvalidInput: it has not the form that was asked for.
    """
    try:
        return msgspec.json.decode(text, type=shape)
    except msgspec.DecodeError as error:
        raise InvalidInput(f"the answer is not of the form: {error}") from None


def listed(text: str, name: str) -> list[Any]:
    """What stands under a name of an answer; one that is missing has nothing."""
    given: Any = json.loads(text).get(name)
    return cast("list[Any]", given) if isinstance(given, list) else []


def without(items: Sequence[Any], numbers: Collection[int]) -> list[Any]:
    """The items whose numbers, from 1, are not among these."""
    return [item for number, item in enumerate(items, 1) if number not in numbers]


def left_of(text: str, taken: Collection[int]) -> dict[str, list[Any]]:
    """What of an answer about sessions is to be handed in anew: the lessons that were not taken,

    by their new numbers, and what it said of statements and memories with them.
    """
    lessons = cast("list[Any]", json.loads(readable(text))["lessons"])
    numbers = [number for number in range(1, len(lessons) + 1) if number not in taken]
    anew = {number: place for place, number in enumerate(numbers, 1)}
    left: dict[str, list[Any]] = {"lessons": without(lessons, taken)}
    for name in ("statements", "memories"):
        left[name] = [
            {**item, "lesson": anew[item["lesson"]]}
            for item in cast("list[dict[str, Any]]", listed(text, name))
            if item.get("lesson") in anew
        ]
    return left


def again(left: int) -> str:
    """What to do with a piece of which something was not taken, and that may be tried again."""
    if not left:
        return "this piece is closed; go on to the next one"
    return "hand in only what was not taken, corrected, or an empty list"


def refuse(reasons: Sequence[str]) -> None:
    """Send an answer back if there is a reason to.

    Raises:
        Refused: there is.
    """
    if reasons:
        raise Refused("\n".join(["the answer is not taken:", *reasons]))


def evidence_reasons(given: Any, allowed: Collection[str]) -> list[str]:
    """What is wrong with a list of evidence ids."""
    ids = cast("list[Any]", given) if isinstance(given, list) else []
    if not ids:
        return ["names no evidence"]
    if len(ids) > MOST_EVIDENCE:
        return [f"names more than {MOST_EVIDENCE} pieces of evidence"]
    return [
        f"{str(name)[:120]!r} is not evidence of this piece"
        for name in ids
        if not isinstance(name, str) or name not in allowed
    ]


def unfit(text: str, redact: Callable[[str], str]) -> list[str]:
    """Why a text may not become a memory, or is not worth it."""
    excluded = why_not(text)
    why = [f"{excluded.reason}. {excluded.instead}"] if excluded is not None else []
    return unkeepable(text, redact) or why


def unkeepable(text: str, redact: Callable[[str], str]) -> list[str]:
    """Why a text may not become a memory, whatever it is worth."""
    # Seen here and not when it is stored: then other lessons of the answer would be kept already.
    if any(unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t" for char in text):
        return ["holds characters that are no text"]
    if redact(text) != text or has_mark(text):
        return ["holds a secret or a private part"]
    return []
