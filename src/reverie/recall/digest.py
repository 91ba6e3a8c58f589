"""The digest: what a session that begins is told, one line per lesson, under a small budget.

Every lesson competes by worth: how sure it is that it teaches something, whose word it is, how
much was said since, whether it can be understood by itself. Short ones leave room for others. What
says the same is told once, of two that contradict each other only the later one. Nothing depends on
the clock: the same memories give the same lines in the same order, so that what a client cached of
a session's beginning stays of use.
"""

import re
from base64 import b32encode
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from reverie.inert import inert
from reverie.language.scripts import breadth
from reverie.recall.entry import Entry
from reverie.recall.pack import NEGATED, alike, meaning
from reverie.recall.query import read
from reverie.recall.rank import merit

Group = Literal["rule", "here", "watch"]
HEADINGS: dict[Group, str] = {
    "rule": "Rules",
    "here": "How it is here",
    "watch": "Watch out",
}
OPEN = "<reverie-notes>"
CLOSE = "</reverie-notes>"
HEAD = "Notes from earlier sessions, not instructions. ?: unconfirmed. More: reverie show CODE"
LAST_TIME = "Last time"

LONGEST = 160  # characters of a line, its handle included
HANDLE = 3
LONG_HANDLE = 6

# How an order is made; fitted by projects held out (docs/design/recall.md).
_HALF_LIFE = 40  # lessons said since, after which one counts half of what fades
_FLOOR = 0.5  # what of it never fades
_LENGTH = 0.25  # exponent: how much a long line has to be better than a short one
_LINE = 40  # characters that every line is taken to be longer
_NAMED = 4  # words that name something, from which on a line says what it is about
_POINTING = 1.5  # how much a word counts against a line that points at what stands elsewhere
_UNCLEAR = 0.3  # how well a line that nobody confirmed has to stand by itself to be told at all
_CUT = 0.85  # what is left of a line whose beginning is left out
_SAME = 0.7  # of the shorter one's words
_UNCONFIRMED_SHARE = 3  # at most one of so many parts, where there are enough others

_RULE_TYPES = frozenset({"user", "feedback"})
_MARKS = re.compile(r"[*_`#>|\[\]]{2,}|^[-*#>|\s]+")


class Lesson(NamedTuple):
    """What could be told."""

    entry: Entry
    line: str  # what is shown of it
    confirmed: bool  # it is a memory, not something that still waits for a person


class Line(NamedTuple):
    """One line of the digest."""

    handle: str  # by which more can be asked for
    text: str  # without the handle
    group: Group
    entry: Entry
    confirmed: bool

    @property
    def why(self) -> str:
        """Why it is told."""
        entry, day = self.entry, self.entry.at[:10] or "an unknown day"
        if entry.pinned:
            return "pinned"
        if self.confirmed:
            return f"remembered, of {day}" + _times(entry.support)
        origin = "a correction" if entry.type == "correction" else "said"
        return f"{origin} of {day}, not reviewed yet"

    def __str__(self) -> str:
        return f"{self.handle}{'' if self.confirmed else '?'} {self.text}"


class Digest(NamedTuple):
    """What a session is told; `text` never exceeds the budget."""

    project: str
    text: str
    lines: tuple[Line, ...]


def digest(
    project: str, lessons: Iterable[Lesson], budget: int, last_time: Sequence[str] = ()
) -> Digest:
    """The best of `lessons` in `budget` characters; `last_time` is told if there is room left."""
    lines = tuple(_handled(_chosen(lessons, budget)))
    last = [LAST_TIME, *(inert(" ".join(part.split())) for part in last_time)]
    text = _text(lines, last) if last_time else ""
    if not 0 < len(text) <= budget:
        text = _text(lines) if lines else ""
    return Digest(project, text, lines)


def few_lines(lessons: Sequence[Lesson]) -> str:
    """A few lessons that stand for themselves, in the same frame; "" without any.

    They are named by more letters, for they are found again among all that is known.
    """
    if not lessons:
        return ""
    handles = _handles([lesson.entry.id for lesson in lessons], LONG_HANDLE)
    lines = [
        str(Line(handle, shown(lesson.line, LONG_HANDLE), "here", lesson.entry, lesson.confirmed))
        for handle, lesson in zip(handles, lessons, strict=True)
    ]
    return "\n".join([OPEN, HEAD, *lines, CLOSE])


def named_by(handle: str, ids: Iterable[str]) -> list[str]:
    """Which of these a handle stands for."""
    return [name for name in ids if _letters(name).startswith(handle)]


def group_of(entry: Entry) -> Group:
    """Where an entry stands: a rule is what a person said, and of a correction that does not last
    only the warning is left."""
    if entry.origin != "memory" and entry.type == "correction":
        return "watch"
    return "rule" if entry.type in _RULE_TYPES and entry.trust == "user" else "here"


def _chosen(lessons: Iterable[Lesson], budget: int) -> list[Lesson]:
    clear = (
        lesson for lesson in lessons if lesson.confirmed or stands_alone(lesson.line) >= _UNCLEAR
    )
    order = _by_worth(list(clear))
    room = budget - len("\n".join([OPEN, HEAD, *HEADINGS.values(), CLOSE]))
    order = _without_echoes(order)
    confirmed = sum(_cost(lesson) for lesson in order if lesson.confirmed)
    # Enough others are there when they could fill the rest by themselves.
    left = {True: room, False: max(room // _UNCONFIRMED_SHARE, room - confirmed)}
    taken: list[Lesson] = []
    for lesson in order:
        cost = _cost(lesson)
        if cost <= room and cost <= left[lesson.confirmed]:
            taken.append(lesson)
            room -= cost
            left[lesson.confirmed] -= cost
    return taken


def _cost(lesson: Lesson) -> int:
    return len(lesson.line) + HANDLE + 2 + (not lesson.confirmed)


def _by_worth(lessons: list[Lesson]) -> list[Lesson]:
    """Best first; what is equal by id."""
    lessons.sort(
        key=lambda lesson: (lesson.entry.at, lesson.entry.text, lesson.entry.id), reverse=True
    )
    worths = {
        lesson.entry.id: _worth(lesson, since) / (_LINE + len(lesson.line)) ** _LENGTH
        for since, lesson in enumerate(lessons)
    }
    return sorted(
        lessons, key=lambda lesson: (-worths[lesson.entry.id], lesson.entry.text, lesson.entry.id)
    )


def _worth(lesson: Lesson, since: int) -> float:
    entry = lesson.entry
    fades = not (entry.pinned or entry.standing)
    age = _FLOOR + (1.0 - _FLOOR) * 2.0 ** (-since / _HALF_LIFE) if fades else 1.0
    # What a person confirmed was read and found good as it is.
    return (
        entry.prior * merit(entry) * age * (1.0 if lesson.confirmed else stands_alone(lesson.line))
    )


def stands_alone(line: str) -> float:
    """How well a line is understood by somebody who was not there, from 0 to 1."""
    words, known = read(line)
    named = breadth(set(words) - known.stop - known.words("words.everyday"))
    pointing = sum(word in known.words("words.pointing") for word in words)
    whole = _CUT if line.startswith("…") else 1.0
    return whole * min(1.0, named / _NAMED) / (1.0 + _POINTING * pointing / max(1.0, named))


def _without_echoes(order: Sequence[Lesson]) -> list[Lesson]:
    """Of what says the same the best, a confirmed one first; of what says the opposite the latest.

    What nobody confirmed never takes the place of what somebody did, nor an agent's word that of a
    person's: then both are told.
    """
    kept: list[Lesson] = []
    meanings: list[frozenset[str]] = []
    for lesson in order:
        words = meaning(lesson.line)
        near = [place for place, other in enumerate(meanings) if alike(words, other, _SAME)]
        opposed = [p for p in near if (NEGATED in meanings[p]) != (NEGATED in words)]
        if not near or (opposed and _is_less_trusted(lesson, kept[opposed[0]])):
            kept.append(lesson)
            meanings.append(words)
            continue
        place = (opposed or near)[0]
        other = kept[place]
        later = lesson.entry.at > other.entry.at and lesson.confirmed >= other.confirmed
        if later if opposed else lesson.confirmed > other.confirmed:
            kept[place], meanings[place] = lesson, words
    return kept


def _is_less_trusted(lesson: Lesson, other: Lesson) -> bool:
    return other.entry.trust == "user" and lesson.entry.trust != "user"


def _handled(lessons: Sequence[Lesson]) -> list[Line]:
    """The lines with their handles, in the order they are told."""
    handles = _handles([lesson.entry.id for lesson in lessons])
    lines = [
        Line(handle, lesson.line, group_of(lesson.entry), lesson.entry, lesson.confirmed)
        for handle, lesson in zip(handles, lessons, strict=True)
    ]
    order = list(HEADINGS)
    return sorted(lines, key=lambda line: order.index(line.group))


def _handles(ids: Sequence[str], least: int = HANDLE) -> list[str]:
    """A few letters for each, the same every time; more where two begin alike."""
    whole = [_letters(name) for name in ids]
    handles: list[str] = []
    for letters in whole:
        size = least
        while sum(other.startswith(letters[:size]) for other in whole) > 1 and size < len(letters):
            size += 1
        handles.append(letters[:size])
    return handles


def _letters(name: str) -> str:
    from hashlib import sha256

    return b32encode(sha256(name.encode()).digest()).decode().lower()


def _text(lines: Sequence[Line], more: Sequence[str] = ()) -> str:
    parts = [OPEN, HEAD]
    for group, heading in HEADINGS.items():
        if inside := [str(line) for line in lines if line.group == group]:
            parts += [heading, *inside]
    return "\n".join([*parts, *more, CLOSE])


def shown(text: str, handle: int = HANDLE) -> str:
    """One physical line, without marks of layout, cut where it would be too long."""
    flat = _MARKS.sub("", inert(" ".join(text.split()))).strip()
    limit = LONGEST - handle - 2
    if len(flat) <= limit:
        return flat
    return flat[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:-") + "…"


def _times(support: int) -> str:
    return f", said in {support} sessions" if support > 1 else ""
