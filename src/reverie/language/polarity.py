"""Polarity: what a lesson asks for and what it rules out, clause by clause.

"Don't mock the database" and "use the real database" say the same: a negation before a word that
has an opposite is read as the opposite. Any other negation turns its whole clause.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reverie.language.lexicon import lexicon
from reverie.language.wording import EMPTY, NEGATIONS, Token, root_of

_EN = lexicon()
# What begins a clause that only says why, or says it again.
_REASONS = _EN.words("clauses.reasons")
_UNLESS = _EN.words("clauses.unless")
_BEFORE = _EN.words("clauses.before")
_CHOOSING = _EN.words("clauses.choosing")
_BREAKS = frozenset({";", ".", ",", "—", "–", ":", "!", "(", ")", "\n"})
_LINKS = _EN.words("clauses.links")
_WHO = frozenset({"you", "we", "i", "they"})


def _opposites() -> dict[str, tuple[str, int]]:
    poles: dict[str, tuple[str, int]] = {}
    for line in _EN.lines("lessons.opposites"):
        term, opposite = line.split()
        head = poles.get(root_of(opposite), (root_of(opposite), 1))[0]
        poles[root_of(opposite)] = (head, 1)
        poles[root_of(term)] = (head, -1)
    return poles


OPPOSITES = _opposites()
_MENDED = _EN.words("states.fixed")
_UNSETTLED = _EN.words("states.unsettled")
_BROKEN, _FIXED, _MENDING = (
    frozenset(form for word in _EN.words(f"states.{state}") for form in (word, root_of(word)))
    for state in ("broken", "fixed", "mending")
)


@dataclass(frozen=True, slots=True)
class Clause:
    """Part of a lesson that is asked for (+1) or ruled out (-1)."""

    tokens: tuple[Token, ...]
    sign: int
    opposites: tuple[tuple[str, int], ...]  # words with an opposite: (meaning, sign)
    contrast: bool  # only names what is replaced
    later: tuple[Token, ...] = ()  # of two things in order the second, however that is said


def clauses(wording: Sequence[Token]) -> list[Clause]:
    """The clauses of a lesson without those that only give a reason."""
    parts = [_clause(part, contrast) for part, contrast in _split(wording)]
    return [part for part in parts if part.tokens or part.opposites]


def state(wording: Sequence[Token]) -> int:
    """-1 when the lesson says that something is broken, +1 when it says that it is mended."""
    words = [token.text.lower() for token in wording]
    # As it stands: "fix the test" has the root of "fixed", and mends nothing.
    mended = any(word in _MENDED for word in words) and _UNSETTLED.isdisjoint(words)
    broken = any(word in _BROKEN or root_of(word) in _BROKEN for word in words)
    works = not _EN.words("states.working").isdisjoint(words)
    denied = any(word in NEGATIONS for word in words)
    if mended and not denied:
        return 1
    if broken:
        return -1 if _EN.words("states.over").isdisjoint(words) else 1
    if works:
        return -1 if denied else 1
    return 0


def is_state_word(root: str) -> bool:
    return root in _BROKEN or root in _FIXED or root in _MENDING


def _split(wording: Sequence[Token]) -> Iterator[tuple[list[Token], bool]]:
    """Cut at marks, links and contrasts; a flag tells parts that name what is replaced."""
    part: list[Token] = []
    contrast = reason = False
    for place, token in enumerate(wording):
        word = token.text.lower()
        following = wording[place + 1].text.lower() if place + 1 < len(wording) else ""
        if token.sort == "mark" or word in _LINKS:
            if word in _BREAKS or word in _LINKS:
                if part and not reason:
                    yield part, contrast
                # "a, b and c": a link or comma alone ends neither a contrast nor a reason.
                ended = word not in _LINKS
                part, contrast, reason = [], contrast and not ended, reason and not ended
            continue
        if part and word in _WHO and following in NEGATIONS:
            yield part, contrast  # "… lines you didn't change"
            part = [token]
        elif part and _gives_reason(word, following):
            yield part, contrast
            part, reason = [], True
        elif _begins_contrast(word, following, part):
            if part and not reason:
                yield part, contrast
            part, contrast = [], True
        else:
            part.append(token)
    if part and not reason:
        yield part, contrast


def _begins_contrast(word: str, following: str, part: Sequence[Token]) -> bool:
    """`instead of`, `rather than`, and the `over` of "prefer one over the other"."""
    if word == "over":
        return any(token.text.lower() in _CHOOSING for token in part)
    return (word == "instead" and following == "of") or (word == "rather" and following == "than")


def _gives_reason(word: str, following: str) -> bool:
    if word in {"as", "so"}:
        return following in _EN.words("clauses.reasons_about")
    return word in _REASONS


def _keeps_out(part: Sequence[Token]) -> bool:
    """ "Keep tests off the network" forbids."""
    words = [token.text.lower() for token in part]
    return "keep" in words[:2] and not _EN.words("clauses.out").isdisjoint(words[2:])


def _clause(part: Sequence[Token], contrast: bool) -> Clause:
    sign = -1 if contrast else 1
    denied = _keeps_out(part)
    kept: list[Token] = []
    poles: list[tuple[str, int]] = []
    put_off: int | None = None  # how many come before a `before`, if they are to wait
    first: int | None = None  # or if they are to come first
    for token in part:
        word = token.text.lower()
        if token.sort == "word" and word in NEGATIONS:
            denied = not denied
            continue
        if denied and word in _UNLESS:  # "don't merge before the tests ran" asks for the tests
            denied, put_off = False, len(kept)
        elif word in _BEFORE:
            first = len(kept)
        pole = OPPOSITES.get(token.root) if token.sort == "word" else None
        if pole is not None:
            poles.append((pole[0], -pole[1] if denied else pole[1]))
            denied = False
        elif token.sort != "word" or not (word in EMPTY or token.root in EMPTY):
            kept.append(token)
    later = kept[:put_off] if put_off is not None else kept[first:] if first is not None else []
    return Clause(tuple(kept), -sign if denied else sign, tuple(poles), contrast, tuple(later))
