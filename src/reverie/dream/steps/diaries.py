"""Diaries as a source: what tasks taught, in the words of those who did them.

What an agent handed in counts, with the trust `agent`. A derived diary says nothing that a person's
words and the traffic, which have sources of their own, do not say already.
"""

from collections.abc import Iterator
from contextlib import suppress

from reverie.documents.document import parse
from reverie.dream.model import Observation, ObservationSource
from reverie.errors import InvalidDocument, NotFound, TooLarge
from reverie.learn.diary.diaries import is_derived, store_of
from reverie.learn.diary.diary import diary_from
from reverie.learn.diary.handed_in import OwnDiary, read_own
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import DiaryRow, diaries
from reverie.store.store import Store

# How much each part reads as if it will hold tomorrow.
PARTS = {"patterns": 1.0, "mistakes": 0.6, "edge_cases": 0.6, "errors": 0.4, "worked": 0.4}


def noted(store: Store) -> ObservationSource:
    """The source that reads the diaries which agents handed in."""

    def read(chosen: Chosen) -> Iterator[Observation]:
        for row in diaries(chosen):
            if diary := _handed_in(store, row):
                for part, text in _lines(diary):
                    yield _observation(row, part, text)

    return read


def _handed_in(store: Store, row: DiaryRow) -> OwnDiary | None:
    """What an agent handed in or a person edited, if it can still be read as a diary."""
    with suppress(NotFound, InvalidDocument, TooLarge):
        memory = store.get(store_of(row.project), row.path)
        if not is_derived(store, memory):
            return read_own(parse(memory.content, path=row.path).body)
    return None


def _lines(diary: OwnDiary) -> Iterator[tuple[str, str]]:
    for part in PARTS:
        for text in getattr(diary, part):
            yield part, text


def _observation(row: DiaryRow, part: str, text: str) -> Observation:
    first = min(diary_from(row.data).spoken, default=0)
    line = text[0].upper() + text[1:].rstrip(". ") + "."
    return Observation(
        source="diary",
        text=line,
        session=row.session,
        project=row.project,
        at=row.started,
        evidence=f"{row.session}#{first}",
        quote=text,
        trust="agent",
        kind="best-practice",
        lasting=PARTS[part],
    )
