"""Carried: whether a lesson is what the person typed, and not what somebody made of it.

Words that were all said can be put together to what nobody said; a rule without its case, its
"some" or its "could" is another rule; and so is one with another sign, mark or capital: no list of
such changes is ever whole. So a lesson has to be one or more sentences of theirs that follow each
other, sign by sign. Only white space, the first letter, the last mark and what opens an order
("please") may differ. What stands before or behind it may bound it, too. And all that is told with
it is theirs: a title, a reason or a case of somebody else would speak with their voice.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from msgspec import structs

from reverie.data import patterns
from reverie.language.exchanges import disowns, names_source, tells_whose
from reverie.language.frames import states_duty
from reverie.language.hearsay import narrows
from reverie.language.lexicon import lexicon
from reverie.language.pasted import may_be_shown
from reverie.language.words import content, words
from reverie.learn.detect.speaker import Around, is_doubted
from reverie.learn.statements.statement import is_framed
from reverie.learn.statements.utterance import Sentence, hear
from reverie.learn.work.answers import Lesson
from reverie.learn.work.ground import Ground, Sources
from reverie.learn.work.pieces import Line, Part
from reverie.trust import Trust

_RE = patterns("work.txt", "carried")
NODS = 2  # words of a line that heads nothing: "ok", "one more"
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'"})


def is_carried(lesson: str, turns: Sequence[str], stated: Sequence[Sentence]) -> bool:
    """Whether a lesson is sentences of a turn, from the first sign to the last.

    `stated` are those that plainly say something.
    """
    meant = {_form(sentence.text) for sentence in stated}
    wanted = [_form(part) for part in _parts(lesson)]
    return bool(wanted) and any(_follow(wanted, _parts(turn), meant) for turn in turns)


def trust_in(lesson: str, sources: Sources) -> Trust:
    """How far a lesson that is carried is trusted: as a person's word, if they typed it themselves,
    and neither what stands beside it nor the turns around it make it a text or take it back."""
    typed = all(line.trust == "user" and _is_typed(lesson, part, line) for part, line in sources)
    return "user" if typed else "agent"


def in_own_words(lesson: Lesson, ground: Ground) -> Lesson:
    """A person's word has a title, a reason and a case only in their words, and a name of them."""
    turns = (*ground.said, *ground.restated)
    title, why, when = (
        text if text and _is_clause(text, turns) else ""
        for text in (lesson.title, lesson.why, lesson.when)
    )
    named, denies = lesson.name.replace("-", " "), lexicon().pattern("denies").search
    whole = content(words(named)) <= content(words(lesson.text))
    name = lesson.name if whole and bool(denies(named)) == bool(denies(lesson.text)) else ""
    return structs.replace(lesson, title=title, why=why, when=when, name=name)


def goes_on(line: str) -> bool:
    """Whether what stands below a line may be the rest of it."""
    return not _RE.ended.search(line)


def is_listed(line: str) -> bool:
    return bool(_RE.listed.match(line.strip()))


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
    pieces: Iterator[str] = (part for line in text.splitlines() for part in _RE.end.split(line))
    return [bare for part in pieces if (bare := _RE.listed.sub("", part.strip())).strip()]


def _form(text: str) -> str:
    """A sentence with single spaces, a small first letter and no full stop."""
    line = " ".join(text.translate(_APOSTROPHES).split())
    bare = line[:-1] if line[-1:] in (".", "!") else line
    return bare[:1].lower() + bare[1:]


def _is_clause(text: str, turns: Sequence[str]) -> bool:
    """Whether a text is a sentence of a turn, or the reason or the case at its end."""
    wanted = _form(text)
    said = [part for turn in turns for part in _parts(turn)]
    clauses = [match[1] or match[2] for part in said for match in _RE.clause.finditer(part)]
    return any(wanted == _form(part) for part in (*said, *clauses))


def _is_typed(lesson: str, part: Part, line: Line) -> bool:
    """Whether what a turn says of a lesson is not only shown or framed, nor taken back."""
    if is_doubted(line.said, _around(part, line)):
        return False
    telling = content(words(lesson))
    return not any(
        may_be_shown(line.said, sentence.text)
        or (states_duty(sentence.text) and is_framed(sentence.text, line.said))
        for sentence in hear(line.said).sentences
        if telling & content(sentence.words)
    )


def _around(part: Part, line: Line) -> Around:
    """What was said before and after a line of a person."""
    place = next(
        place
        for place, near in enumerate(part.lines)
        if near.who == "person" and near.number == line.number
    )
    before, after = part.lines[:place][::-1], part.lines[place + 1 :]
    later = [near.said for near in after if near.who != "agent"]
    return Around(
        earlier=next((near.said for near in before if near.who == "person"), ""),
        asked=next(_agents(before), ""),
        replied=([*_agents(after)] or [""])[-1],
        later=next(iter(later), ""),
        disowned=any(disowns(text) or names_source(text, line.said) for text in later)
        or any(map(tells_whose, later[:1])),
    )


def _agents(lines: Iterable[Line]) -> Iterator[str]:
    """What the agent said until the person spoke."""
    quiet = takewhile(lambda near: near.who != "person", lines)
    return (near.text for near in quiet if near.who == "agent")
