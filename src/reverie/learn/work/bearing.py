"""Bearing: whether words speak of what a memory says, or say that it is over; and what a person
agreed to, or built on, without saying it themselves."""

from collections.abc import Iterable, Iterator, Sequence

from reverie.data import patterns
from reverie.documents.bodies import parts as body_parts
from reverie.language.words import content, words
from reverie.learn.statements.utterance import hear
from reverie.learn.work.pieces import BRIEF, Line, Part, is_bare, option_of
from reverie.store.library import Item

_RE = patterns("work.txt", "bearing")

ANSWERED = 0.5  # share of a lesson that a question and its answer must speak of
BEARS = 2  # telling words that a lesson must share with a memory it changes


def subject_of(item: Item) -> str:
    """What a memory is about, in its own words: what it says, why, when, and its name."""
    body = body_parts(item.document.body)
    reason = _RE.source.split(body.why, maxsplit=1)[0]
    said = body.rule or item.document.description
    return f"{said}\n{reason}\n{body.how}\n{item.name.replace('-', ' ')}"


def remembered(item: Item) -> str:
    return f"{item.document.description}\n{body_parts(item.document.body).rule}"


def bears(spoken: str, item: Item) -> bool:
    """Whether words speak of what a memory says."""
    telling = content(words(subject_of(item)))
    return len(telling & content(words(spoken))) >= min(BEARS, len(telling))


def speaks_of(spoken: str, item: Item) -> bool:
    """Whether words speak of the very thing that a memory tells: half of it, and two words."""
    telling = content(words(item.document.description))
    return len(telling & content(words(spoken))) >= min(len(telling), max(BEARS, len(telling) / 2))


def ends(turn: str, item: Item) -> bool:
    """Whether a person says in their own words that what a memory tells is over."""
    return any(
        not sentence.question
        and bool(_RE.over.search(sentence.text))
        and speaks_of(sentence.text, item)
        for sentence in hear(turn).sentences
    )


def agreed_to(sources: Iterable[tuple[Part, Line]]) -> Iterator[str]:
    """What the agent had asked, and a person answered with a plain yes or no, or an option."""
    for part, line in sources:
        asked = part.before(line.id)
        plain = _RE.assent.search(line.text) or _RE.refusal.search(line.text)
        answered = len(line.text) <= BRIEF and "?" in asked and plain
        if asked and line.who == "person" and (answered or option_of(line.text)):
            yield asked


def goes_on_after(lesson: str, sources: Sequence[tuple[Part, Line]]) -> bool:
    """Whether a person went on, once the agent had answered their question, as if it were settled.

    They go on with what a lesson says of it, or have it committed; a no, or a question, does not.
    """
    telling = content(words(lesson))
    typed = [(part, line) for part, line in sources if line.who == "person"]
    for part, line in typed:
        answer = part.after(line.id)
        subject = telling & content(words(f"{line.text} {answer}"))
        asks = any(sentence.question for sentence in hear(line.said).sentences)
        if not answer or not asks or len(subject) < ANSWERED * len(telling):
            continue
        later = [near for where, near in typed if where is part and near.number > line.number]
        if any(is_bare(near.text) or _takes_up(near.said, subject) for near in later):
            return True
    return False


def _takes_up(turn: str, subject: frozenset[str]) -> bool:
    """Whether a turn speaks of a subject, and neither asks about it nor says no."""
    return any(
        not sentence.question
        and bool(content(sentence.words) & subject)
        and not _RE.refusal.search(sentence.text)
        for sentence in hear(turn).sentences
    )
