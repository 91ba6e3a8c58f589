"""What careful readers wrote down from the turns of a corpus, and when two texts say the same."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.errors import InvalidInput
from reverie.language.compare import AGAINST, apart, relation
from reverie.language.meaning import exact, negated
from reverie.language.words import content, words
from reverie.measure.result import read_records

SHARED = 3  # telling words that two texts have in common,
SHARE = 0.6  # and which part of the shorter one's they must be

Place = tuple[str, int]  # transcript, line


@dataclass(frozen=True, slots=True)
class Reference:
    """One memory as a person would have written it."""

    place: Place
    text: str
    kind: str
    sentences: tuple[str, ...]  # it was made from; none where nobody read sentence by sentence

    @property
    def project(self) -> str:
        """The first folder of the transcript: one per repository."""
        return self.place[0].split("/", 1)[0]


def read_references(file: Path) -> list[Reference]:
    """The references of a `memories.jsonl`, with the sentences of a `sentences.jsonl` beside it.

    Raises:
        InvalidInput: a line is not of that form, or there is none.
    """
    spoken: dict[tuple[Place, int], str] = {}
    beside = file.with_name("sentences.jsonl")
    for record in read_records(beside) if beside.is_file() else ():
        spoken[_place(record), record["sentence"]] = record["text"]
    references: list[Reference] = []
    for number, record in enumerate(read_records(file), start=1):
        try:
            place = _place(record)
            sentences = (spoken.get((place, sentence), "") for sentence in record["from"])
            references.append(
                Reference(place, record["text"], record["kind"], tuple(filter(None, sentences)))
            )
        except (KeyError, TypeError) as error:
            raise InvalidInput(f"{file}:{number} is not a memory: {error!r}") from None
    if not references:
        raise InvalidInput(f"{file} holds no memory")
    return references


def _place(record: dict[str, Any]) -> Place:
    return record["transcript"], record["line"]


def same_fact(text: str, other: str) -> bool:
    """Whether two texts say the same, as far as words can tell: what differs never counts."""
    related = relation(text, other)
    if related == "same":
        return True
    if related in AGAINST or negated(text) != negated(other) or apart(exact(text), exact(other)):
        return False
    mine, others = content(words(text)), content(words(other))
    shared = len(mine & others)
    return shared >= SHARED and shared >= SHARE * min(len(mine), len(others))


def same_sentence(text: str, other: str) -> bool:
    """Whether two texts share more than half the words of the shorter one."""
    mine, others = Counter(words(text)), Counter(words(other))
    return (mine & others).total() * 2 > min(mine.total(), others.total())
