"""Bearing: whether words speak of what a memory says, and whether they say that it is over."""

from reverie.data import patterns
from reverie.documents.bodies import parts as body_parts
from reverie.language.words import content, words
from reverie.learn.statements.utterance import hear
from reverie.store.library import Item

_RE = patterns("work.txt", "bearing")

BEARS = 2  # telling words that a lesson must share with a memory it changes


def subject_of(item: Item) -> str:
    """What a memory is about, in its own words: what it says, why, when, and its name."""
    body = body_parts(item.document.body)
    reason = _RE.source.split(body.why, maxsplit=1)[0]
    said = body.rule or item.document.description
    return f"{said}\n{reason}\n{body.how}\n{item.name.replace('-', ' ')}"


def told(item: Item) -> str:
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
