"""Lessons: what `learn` writes down and asks about, against what a careful reader wrote down.

Each project is learned in a home of its own, and nobody answers the review queue. Without
`shipped` the detector is one that never saw the project's labels. What two texts say is compared
in three ways, none of which is the truth: the same turn (too kind: a turn may say several things),
the same sentence of it, and the same words (too strict: a reader says it better).
"""

import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from reverie.documents.document import load
from reverie.errors import InvalidInput
from reverie.language.cues import human_cues
from reverie.learn.detect.judge import Head, Judge, shipped
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.quotes import quotes
from reverie.learn.memories.writing import Writer
from reverie.learn.run import Learner
from reverie.learn.work.asking import MOST_JUDGED, Given, judge_prompt, read_verdicts
from reverie.measure.fidelity.judged import Thinker, asked_of
from reverie.measure.references import (
    Place,
    Reference,
    read_references,
    same_fact,
    same_sentence,
)
from reverie.measure.result import (
    SEED,
    Cell,
    Measurement,
    Record,
    Row,
    Table,
    bootstrap,
    labelled,
    read_records,
)
from reverie.privacy import redactor_for
from reverie.sessions.index import Index
from reverie.sessions.logs.discover import logs_under
from reverie.settings import Settings
from reverie.store.library import ARCHIVE
from reverie.store.store import Store

VERDICTS = ("keep", "reword", "drop")
QUESTION = "What is to be remembered of what the person said?"
_OTHERS = ("/daily/", "/diary/", ARCHIVE)

Heads = Callable[[str], Mapping[str, Head]]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What memory holds, or would ask about."""

    id: str
    project: str
    text: str
    written: bool
    places: frozenset[Place]
    quotes: tuple[str, ...]

    @property
    def session(self) -> str:
        """The first session it rests on."""
        return min(self.places, default=(self.project, 0))[0]


def measure_lessons(
    corpus: Path,
    memories: Path,
    *,
    heads: Heads | None = None,
    verdicts: Path | None = None,
    judge: Thinker | None = None,
    seed: int = SEED,
) -> Measurement:
    """Learn every project of `corpus` that `memories` speaks of, and compare.

    Args:
        heads: The detector for each project; the shipped one if not given.
        verdicts: What a reader said of the records of an earlier run.
        judge: An engine that says which lessons say what the reader wrote down.

    Raises:
        InvalidInput: a file is not of its form, or speaks of other logs.
    """
    references = read_references(memories)
    lessons: list[Lesson] = []
    for project in sorted({reference.project for reference in references}):
        if not (corpus / project).is_dir():
            raise InvalidInput(f"{memories} speaks of {project}, which is not in {corpus}")
        known = heads(project) if heads else shipped()
        lessons += _learned(corpus.resolve(), project, Judge(known, human_cues()))
    tables = [_held(references, lessons, seed), _right(references, lessons, seed)]
    if verdicts is not None:
        tables.append(_well_said(lessons, verdicts, seed))
    if judge is not None:
        tables.append(_judged(references, lessons, judge, seed))
    return Measurement(
        "lessons",
        tuple(tables),
        seed=seed,
        data=labelled(corpus, memories, "sentences.jsonl", *(["labels.jsonl"] if heads else []))
        | ({verdicts.name: f"{len(read_records(verdicts))} verdicts"} if verdicts else {}),
        notes=(
            "the shipped model, as it is; on the corpus it was trained on that flatters it"
            if heads is None
            else "each project by a model that never saw it",
            "intervals over sessions",
        ),
        records=tuple(_record(lesson, references) for lesson in lessons),
    )


# --- tables -------------------------------------------------------------------------------------


def _held(references: Sequence[Reference], lessons: Sequence[Lesson], seed: int) -> Table:
    """Of what the reader wrote down, how much is there."""
    written = [lesson for lesson in lessons if lesson.written]
    groups: list[tuple[str, Sequence[Reference], Sequence[Lesson]]] = [
        ("written", references, written),
        ("written or asked about", references, lessons),
    ]
    for kind in sorted({reference.kind for reference in references}):
        some = [reference for reference in references if reference.kind == kind]
        groups.append((f"… {kind}", some, lessons))
    rows: list[Row] = []
    for name, wanted, there in groups:
        sessions = [reference.place[0] for reference in wanted]
        cells: list[Cell] = [
            bootstrap([float(any(ways(r, lesson) for lesson in there)) for r in wanted], sessions,
                      seed=seed)
            for ways in _WAYS.values()
        ]  # fmt: skip
        rows.append(Row(name, (*cells, len(wanted))))
    return Table("What a reader wrote down, and memory has", (*_WAYS, "of"), tuple(rows))


def _right(references: Sequence[Reference], lessons: Sequence[Lesson], seed: int) -> Table:
    """Of what is there, how much the reader wrote down, and how much is there twice."""
    rows: list[Row] = []
    repeated = {lesson.id for lesson in _repeated(lessons)}
    for name, there in (
        ("written", [lesson for lesson in lessons if lesson.written]),
        ("asked about", [lesson for lesson in lessons if not lesson.written]),
    ):
        if not there:
            rows.append(Row(name, (*[None] * (len(_WAYS) + 1), 0)))
            continue
        sessions = [lesson.session for lesson in there]
        flags = [
            [float(any(ways(r, lesson) for r in references)) for lesson in there]
            for ways in _WAYS.values()
        ]
        flags.append([float(lesson.id in repeated) for lesson in there])
        rows.append(
            Row(name, (*(bootstrap(some, sessions, seed=seed) for some in flags), len(there)))
        )
    columns = (*_WAYS, "duplicates", "of")
    return Table("What memory has, and a reader wrote down", columns, tuple(rows))


def _same_turn(reference: Reference, lesson: Lesson) -> bool:
    return reference.place in lesson.places


def _same_sentence(reference: Reference, lesson: Lesson) -> bool:
    return _same_turn(reference, lesson) and any(
        same_sentence(sentence, lesson.text) for sentence in reference.sentences
    )


def _same_words(reference: Reference, lesson: Lesson) -> bool:
    return reference.project == lesson.project and same_fact(reference.text, lesson.text)


_WAYS: dict[str, Callable[[Reference, Lesson], bool]] = {
    "same turn": _same_turn,
    "same sentence": _same_sentence,
    "same words": _same_words,
}


def _repeated(lessons: Sequence[Lesson]) -> Iterator[Lesson]:
    """Those that say what one before them says, in their project."""
    for place, lesson in enumerate(lessons):
        before = (earlier for earlier in lessons[:place] if earlier.project == lesson.project)
        if any(same_fact(earlier.text, lesson.text) for earlier in before):
            yield lesson


def _well_said(lessons: Sequence[Lesson], verdicts: Path, seed: int) -> Table:
    """What a reader would do with each as it stands."""
    judged: dict[str, str] = {}
    for number, record in enumerate(read_records(verdicts), start=1):
        if record.get("verdict") not in VERDICTS or "id" not in record:
            raise InvalidInput(
                f"{verdicts}:{number} has no verdict", hint=f"one of {', '.join(VERDICTS)}"
            )
        judged[record["id"]] = record["verdict"]
    if unknown := judged.keys() - {lesson.id for lesson in lessons}:
        raise InvalidInput(
            f"{verdicts} speaks of {len(unknown)} that were not learned now: {min(unknown)}",
            hint="--export writes what a reader is to judge",
        )
    rows: list[Row] = []
    for name, written in (("written", True), ("asked about", False)):
        some = [lesson for lesson in lessons if lesson.written is written and lesson.id in judged]
        if some:
            sessions = [lesson.session for lesson in some]
            shares = (
                bootstrap(
                    [float(judged[lesson.id] == verdict) for lesson in some], sessions, seed=seed
                )
                for verdict in VERDICTS
            )
            rows.append(Row(name, (*shares, len(some))))
    return Table("What a reader would do with it", (*VERDICTS, "of"), tuple(rows))


def _judged(
    references: Sequence[Reference], lessons: Sequence[Lesson], judge: Thinker, seed: int
) -> Table:
    """Of the lessons from a turn that the reader took something from: do they say it?

    A lesson that says one of several things is right by one of them. Lessons are asked about in an
    order of chance, and which were written is not told.
    """
    pairs = [(lesson, r) for lesson in lessons for r in references if r.place in lesson.places]
    random.Random(seed).shuffle(pairs)  # noqa: S311  (an order, not a secret)
    right: set[str] = set()
    for start in range(0, len(pairs), MOST_JUDGED):
        part = pairs[start : start + MOST_JUDGED]
        questions = [Given(QUESTION, wanted.text, lesson.text) for lesson, wanted in part]
        verdicts = asked_of(judge, judge_prompt(questions), partial(read_verdicts, count=len(part)))
        right |= {
            lesson.id for (lesson, _), is_right in zip(part, verdicts, strict=True) if is_right
        }
    asked = {lesson.id for lesson, _ in pairs}
    rows: list[Row] = []
    for name, written in (("written", True), ("asked about", False)):
        some = [lesson for lesson in lessons if lesson.written is written and lesson.id in asked]
        if some:
            flags = [float(lesson.id in right) for lesson in some]
            share = bootstrap(flags, [lesson.session for lesson in some], seed=seed)
            rows.append(Row(name, (share, len(some))))
    return Table(f"What says the same by {judge}", ("well said", "of"), tuple(rows))


def _record(lesson: Lesson, references: Iterable[Reference]) -> Record:
    """For a reader: what it says, what it rests on, and what another reader made of that turn."""
    return {
        "id": lesson.id,
        "project": lesson.project,
        "written": lesson.written,
        "text": lesson.text,
        "places": [f"{transcript}#{line}" for transcript, line in sorted(lesson.places)],
        "quotes": list(lesson.quotes),
        "references": [
            reference.text for reference in references if reference.place in lesson.places
        ],
        "verdict": None,
    }


# --- learning -----------------------------------------------------------------------------------


def _learned(corpus: Path, project: str, judge: Judge) -> Iterator[Lesson]:
    """All lessons of one project, in the order of their ids."""
    settings = Settings()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        redact = redactor_for(home, settings.privacy)
        with (
            Index.open(home / "index.db") as index,
            Store.open(f"sqlite:///{home / 'memory.db'}", redact=redact) as store,
        ):
            queue = Queue(store.database, store.context.clock)
            Learner(index, Writer(store, queue), judge, redact).learn(logs_under(corpus / project))
            transcripts = {
                row.key: Path(row.path).relative_to(corpus).as_posix()
                for row in index.sessions(subagents=True)
            }
            lessons = [*_written(store, project, transcripts), *_asked(queue, project, transcripts)]
    yield from sorted(lessons, key=lambda lesson: (not lesson.written, lesson.id))


def _written(store: Store, project: str, transcripts: Mapping[str, str]) -> Iterator[Lesson]:
    for info in store.stores():
        for memory in store.walk(info.id):
            if not memory.path.startswith(_OTHERS):
                document = load(memory.content, path=memory.path)
                quoted = quotes(store.database, document.evidence)
                yield Lesson(
                    f"{project}:{info.name}{memory.path}",
                    project,
                    document.description,
                    True,
                    _places(document.evidence, transcripts),
                    tuple(source.quote for source in quoted.values()),
                )


def _asked(queue: Queue, project: str, transcripts: Mapping[str, str]) -> Iterator[Lesson]:
    for review in queue.asked():
        candidates = review.candidates
        yield Lesson(
            f"{project}:{review.id}",
            project,
            review.candidate.lesson,
            False,
            _places([candidate.evidence for candidate in candidates], transcripts),
            tuple(candidate.quote for candidate in candidates),
        )


def _places(evidence: Iterable[str], transcripts: Mapping[str, str]) -> frozenset[Place]:
    parts = (item.rpartition("#") for item in evidence)
    return frozenset((transcripts[session], int(line)) for session, _, line in parts)
