"""Voice: with whose word a lesson is written, and what may stand beside it.

The trust of a person is for what they typed and did not take back, and then all that is told with
it is theirs, too: a title, a reason or a case of somebody else would speak with their voice.
"""

from collections.abc import Iterator, Sequence

from msgspec import structs

from reverie.language.hearsay import is_disowned, is_shown_next
from reverie.language.lexicon import lexicon
from reverie.language.pasted import may_be_shown
from reverie.language.words import content, words
from reverie.learn.statements.utterance import hear
from reverie.learn.work.answers import Lesson
from reverie.learn.work.carried import goes_on, is_clause, is_listed
from reverie.learn.work.grounding import Ground, Grounding, rules_out
from reverie.learn.work.pieces import Line, Part
from reverie.learn.work.telling import is_in_order, may_be_told
from reverie.trust import Trust


def trust_in(lesson: str, sources: Sequence[tuple[Part, Line]], found: Grounding) -> Trust:
    """Whose word a lesson is: a person's, if nothing in it had to be taken from elsewhere."""
    typed = all(line.trust == "user" and _is_typed(lesson, part, line) for part, line in sources)
    return "user" if typed and found.whose == "person" else "agent"


def is_tellable(lesson: str, ground: Ground, refined: Sequence[str] = ()) -> bool:
    """Whether a lesson in other words may be told to sessions before a person looked at it.

    It may say again what stands in memories that are `refined` by it.
    """
    denied = (line for turn in ground.said for line in _under_denial(turn))
    if not rules_out(lesson) and any(is_in_order(lesson, line) for line in denied):
        return False
    heard = [sentence.text for turn in ground.said for sentence in hear(turn).sentences]
    said = [*heard, *ground.chosen, *ground.restated]
    beside = (*ground.beside, *ground.settled, *ground.built_on, *ground.known, *refined)
    return may_be_told(lesson, said, beside, ground.named)


def _under_denial(turn: str) -> Iterator[str]:
    """The lines of a turn that go on what denies them: what stands under "don't:"."""
    head = ""
    for line in filter(str.strip, turn.splitlines()):
        if rules_out(head) and goes_on(head):
            yield line
        if not is_listed(line):
            head = line


def called(lesson: Lesson, ground: Ground) -> Lesson:
    """A person's word has a title, a reason and a case only in their words, and a name of them."""
    turns = (*ground.said, *ground.restated)
    title, why, when = (
        text if text and is_clause(text, turns) else ""
        for text in (lesson.title, lesson.why, lesson.when)
    )
    named, denies = lesson.name.replace("-", " "), lexicon().pattern("denies").search
    whole = content(words(named)) <= content(words(lesson.text))
    name = lesson.name if whole and bool(denies(named)) == bool(denies(lesson.text)) else ""
    return structs.replace(lesson, title=title, why=why, when=when, name=name)


def _is_typed(lesson: str, part: Part, line: Line) -> bool:
    """Whether what a turn says of a lesson is not only shown, nor taken back by the next one."""
    spoken = [one for one in part.lines if one.who == "person"]
    at = next((place for place, one in enumerate(spoken) if one.number == line.number), None)
    if at is not None and (
        any(is_shown_next(one.said) for one in spoken[max(0, at - 1) : at])
        or any(is_disowned(one.said) for one in spoken[at + 1 : at + 2])
    ):
        return False
    telling = content(words(lesson))
    return not any(
        may_be_shown(line.said, sentence.text)
        for sentence in hear(line.said).sentences
        if telling & content(sentence.words)
    )
