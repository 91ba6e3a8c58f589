"""How well the search finds what answers a question.

`locomo` reads a LoCoMo file (dialogues with questions and the turns that answer them) and measures
the same `recall.search` that serves `reverie recall`, with turns as units. Categories 1 to 4;
the fifth has no answer by design.
"""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reverie.db.database import Database
from reverie.db.full_text import Source
from reverie.db.opening import open_database
from reverie.errors import InvalidInput
from reverie.measure.result import SEED, Measurement, Row, Table, fingerprint
from reverie.recall.query import parse_query
from reverie.recall.search import search

TURNS = Source(fts="unit_fts", content="unit", key="id", sequence=("session", "place"))

_EVIDENCE = re.compile(r"D\d+:\d+")
_ANSWERABLE = frozenset({1, 2, 3, 4})


@dataclass(frozen=True, slots=True)
class Unit:
    """One turn of a dialogue."""

    name: str  # the file's own id of the turn
    session: int
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question and the turns that answer it."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """All turns of one conversation over many sessions, and its questions."""

    name: str
    units: tuple[Unit, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class RetrievalScore:
    """Means over questions of the share of evidence found."""

    questions: int
    turn_recall_5: float
    turn_recall_10: float
    recall_2000_characters: float
    session_recall_5: float


def read_dialogues(file: Path) -> list[Dialogue]:
    """The dialogues of a LoCoMo file.

    Raises:
        InvalidInput: the file is not JSON or not of that form.
    """
    try:
        samples: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        return [_dialogue(sample) for sample in samples]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{file} is not a LoCoMo file: {error!r}") from None


def _dialogue(sample: dict[str, Any]) -> Dialogue:
    conversation: dict[str, Any] = sample["conversation"]
    numbers = sorted(
        int(found.group(1))
        for key in conversation
        if (found := re.fullmatch(r"session_(\d+)", key))
    )
    units = tuple(
        Unit(turn["dia_id"], number, _said(turn))
        for number in numbers
        for turn in conversation[f"session_{number}"]
    )
    known = {unit.name for unit in units}
    questions: list[Question] = []
    for entry in sample["qa"]:
        evidence = known.intersection(_EVIDENCE.findall(" ".join(entry["evidence"])))
        if entry["category"] in _ANSWERABLE and evidence:
            questions.append(Question(entry["question"], frozenset(evidence)))
    return Dialogue(str(sample.get("sample_id", "")), units, tuple(questions))


def _said(turn: dict[str, Any]) -> str:
    caption = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{caption}"


def measure_retrieval(data: Path, *, seed: int = SEED) -> Measurement:
    """Search every question of a LoCoMo file in its own dialogue."""
    score = asdict(score_dialogues(read_dialogues(data)))
    rows = tuple(Row(name.replace("_", " "), (value,)) for name, value in score.items())
    return Measurement(
        "retrieval",
        (Table(data.stem, ("mean",), rows),),
        seed=seed,
        data={data.name: fingerprint(data)},
    )


def score_dialogues(dialogues: list[Dialogue]) -> RetrievalScore:
    """Search every question in its own dialogue."""
    sums = [0.0] * 4
    count = 0
    for dialogue in dialogues:
        database = _indexed(dialogue)
        for question in dialogue.questions:
            count += 1
            for place, value in enumerate(_scores(database, dialogue, question)):
                sums[place] += value
        database.close()
    if not count:
        raise InvalidInput("the file holds no question with evidence")
    return RetrievalScore(count, *(total / count for total in sums))


def _indexed(dialogue: Dialogue) -> Database:
    database = open_database("sqlite:///:memory:")
    with database.atomic() as tx:
        for statement in (
            "CREATE TABLE unit (id INTEGER PRIMARY KEY, session INTEGER, place INTEGER, text TEXT)",
            "CREATE INDEX unit_places ON unit (session, place)",
            "CREATE VIRTUAL TABLE unit_fts USING fts5 (text, content = 'unit',"
            " content_rowid = 'id', tokenize = 'porter unicode61')",
        ):
            tx.execute(statement)
        tx.execute_many(
            "INSERT INTO unit VALUES (?, ?, ?, ?)",
            [(place, unit.session, place, unit.text) for place, unit in enumerate(dialogue.units)],
        )
        tx.execute("INSERT INTO unit_fts (unit_fts) VALUES ('rebuild')")
    return database


def _scores(
    database: Database, dialogue: Dialogue, question: Question
) -> tuple[float, float, float, float]:
    hits = search(database, TURNS, parse_query(question.text), limit=len(dialogue.units))
    found = [dialogue.units[hit.key] for hit in hits]
    wanted = question.evidence
    sessions = list(dict.fromkeys(unit.session for unit in found))
    wanted_sessions = {unit.session for unit in dialogue.units if unit.name in wanted}
    return (
        len(wanted.intersection(unit.name for unit in found[:5])) / len(wanted),
        len(wanted.intersection(unit.name for unit in found[:10])) / len(wanted),
        len(wanted.intersection(_within(found, 2000))) / len(wanted),
        len(wanted_sessions.intersection(sessions[:5])) / len(wanted_sessions),
    )


def _within(found: list[Unit], characters: int) -> list[str]:
    taken: list[str] = []
    for unit in found:
        if len(unit.text) <= characters:
            characters -= len(unit.text)
            taken.append(unit.name)
    return taken
