"""Carried: whether a lesson is what the person typed, and not what somebody made of it.

Words that were all said can be put together to what nobody said; a rule without its case, its
"some" or its "could" is another rule; and so is one with another sign, mark or capital: no list of
such changes is ever whole. So a lesson has to be one or more sentences of theirs that follow each
other, sign by sign. Only white space, the first letter, the last mark and what opens an order
("please") may differ. What stands before or behind it may bound it, too.
"""

from collections.abc import Iterator, Sequence

from reverie.data import patterns, word_sets
from reverie.language.hearsay import narrows
from reverie.language.wording import root_of
from reverie.language.words import words
from reverie.learn.statements.utterance import Sentence

_RE = patterns("work.txt", "carried")
_WORDS = word_sets("work.txt", "carried")
_RISKY = frozenset(root_of(word) for word in _WORDS.risky)
NODS = 2  # words of a line that heads nothing: "ok", "one more"
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'"})


def is_carried(lesson: str, turns: Sequence[str], stated: Sequence[Sentence]) -> bool:
    """Whether a lesson is sentences of a turn, from the first sign to the last.

    `stated` are those that do not only ask.
    """
    meant = {_form(sentence.text) for sentence in stated}
    wanted = [_form(part) for part in _parts(lesson)]
    return bool(wanted) and any(_follow(wanted, _parts(turn), meant) for turn in turns)


def is_clause(text: str, turns: Sequence[str]) -> bool:
    """Whether a text is a sentence of a turn, or the reason or the case at its end."""
    wanted = _form(text)
    said = [part for turn in turns for part in _parts(turn)]
    clauses = [found[1] or found[2] for part in said for found in _RE.clause.finditer(part)]
    return any(wanted == _form(part) for part in (*said, *clauses))


def goes_on(line: str) -> bool:
    """Whether what stands below a line may be the rest of it."""
    return not _RE.ended.search(line)


def is_listed(line: str) -> bool:
    return bool(_RE.listed.match(line.strip()))


def risks(text: str) -> frozenset[str]:
    """The words of a text that permit something, or do harm if nobody asked for it."""
    return frozenset(
        root for word in words(text.replace("-", " ")) if (root := root_of(word)) in _RISKY
    )


def _follow(wanted: Sequence[str], said: Sequence[str], meant: set[str]) -> bool:
    """Whether sentences follow each other in a turn, and nothing beside them bounds them."""
    forms = [_form(part) for part in said]
    for at in range(len(said) - len(wanted) + 1):
        before, after = said[at - 1] if at else "", (*said, "")[at + len(wanted) :][0]
        here = forms[at : at + len(wanted)]
        opened = [_form(_RE.opened.sub("", said[at])), *here[1:]]
        if wanted not in (here, opened) or not meant.issuperset(here):
            continue
        bounded = _RE.opening.search(before) or _RE.bounding.search(after) or narrows(after)
        # What stands before it may go on in it: a head over two lines, the items of a list.
        headed = len(before.split()) > NODS and goes_on(before)
        if not bounded and not headed:
            return True
    return False


def _parts(text: str) -> list[str]:
    """The sentences of a text as they stand in it, each without the mark of a list."""
    found: Iterator[str] = (part for line in text.splitlines() for part in _RE.end.split(line))
    return [bare for part in found if (bare := _RE.listed.sub("", part.strip())).strip()]


def _form(text: str) -> str:
    """A sentence with single spaces, a small first letter and no full stop."""
    line = " ".join(text.translate(_APOSTROPHES).split())
    bare = line[:-1] if line[-1:] in (".", "!") else line
    return bare[:1].lower() + bare[1:]
