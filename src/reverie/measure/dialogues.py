"""Dialogues over many sessions with questions about them, read from published formats.

LoCoMo: conversations with questions and the turns that answer them; categories 1 to 4, the fifth
has no answer by design. LongMemEval: questions, each with a history of its own and the turns and
sessions that answer it; those ending in `_abs` have no answer by design. Both are read strictly: a
file that is nearly of the format would give figures that mean nothing.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from reverie.errors import InvalidInput

LOCOMO = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
LONGMEMEVAL = (
    "single-session-user",
    "single-session-assistant",
    "single-session-preference",
    "multi-session",
    "temporal-reasoning",
    "knowledge-update",
)
_EVIDENCE = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_(\d+)")
_DATE = re.compile(r"\d{4}/\d{2}/\d{2} \([A-Z][a-z]{2}\) \d{2}:\d{2}")
_UNANSWERABLE = "_abs"


@dataclass(frozen=True, slots=True)
class Unit:
    """One turn, by a name that no other turn of the file has."""

    name: str
    session: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question, and where its answer stands."""

    name: str
    text: str
    category: str
    turns: frozenset[str]
    sessions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """All turns that somebody had when asked, and what was asked."""

    name: str
    units: tuple[Unit, ...]
    questions: tuple[Question, ...]


def read_dialogues(file: Path) -> list[Dialogue]:
    """The dialogues of a file in one of the formats, those without a question left out.

    Raises:
        InvalidInput: the file is not JSON or of neither format, or no question has an answer.
    """
    try:
        value: Any = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidInput(f"{file} is not JSON: {error}") from None
    samples = cast("list[Any]", value if isinstance(value, list) else [])
    if not samples or not all(isinstance(sample, dict) for sample in samples):
        raise InvalidInput(f"{file} is not a list of dialogues")
    read = _longmemeval if "question_id" in samples[0] else _locomo
    dialogues: list[Dialogue] = []
    for number, sample in enumerate(samples):
        try:
            dialogues.append(read(sample))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            name = "LongMemEval" if read is _longmemeval else "LoCoMo"
            raise InvalidInput(f"{file}: entry {number} is not of {name}: {error!r}") from None
    if not any(dialogue.questions for dialogue in dialogues):
        raise InvalidInput(f"{file} holds no question with evidence")
    return [dialogue for dialogue in dialogues if dialogue.questions]


def pooled(dialogues: Sequence[Dialogue]) -> Dialogue:
    """All turns together; a session that several histories share stands there once."""
    units = {unit.name: unit for dialogue in dialogues for unit in dialogue.units}
    questions = tuple(question for dialogue in dialogues for question in dialogue.questions)
    return Dialogue("all", tuple(units.values()), questions)


def _locomo(sample: Mapping[str, Any]) -> Dialogue:
    name = str(sample["sample_id"])
    conversation: Mapping[str, Any] = sample["conversation"]
    numbers = sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)))
    units = tuple(
        Unit(f"{name}/{turn['dia_id']}", f"{name}/{number}", _said(turn))
        for number in numbers
        for turn in conversation[f"session_{number}"]
    )
    session_of = {unit.name: unit.session for unit in units}
    questions: list[Question] = []
    for place, entry in enumerate(sample["qa"]):
        evidence = _EVIDENCE.findall(" ".join(entry["evidence"]))
        turns = frozenset(f"{name}/{turn}" for turn in evidence).intersection(session_of)
        if (category := LOCOMO.get(entry["category"])) and turns:
            sessions = frozenset(session_of[turn] for turn in turns)
            asked = str(entry["question"])
            questions.append(Question(f"{name}/{place}", asked, category, turns, sessions))
    return Dialogue(name, units, tuple(questions))


def _said(turn: Mapping[str, Any]) -> str:
    caption = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{caption}"


def _longmemeval(entry: Mapping[str, Any]) -> Dialogue:
    name, category = entry["question_id"], entry["question_type"]
    parts = ("session_ids", "dates", "sessions")
    ids, dates, histories = (cast("list[Any]", entry[f"haystack_{part}"]) for part in parts)
    if category not in LONGMEMEVAL:
        raise ValueError(f"unknown question_type {category!r}")
    for date in (entry["question_date"], *dates):
        if not _DATE.fullmatch(date):
            raise ValueError(f"{date!r} is not a date like '2023/05/20 (Sat) 02:21'")
    if not isinstance(entry["answer"], str | int | float) or not isinstance(entry["question"], str):
        raise TypeError("question or answer is not text")
    units: list[Unit] = []
    answers: set[str] = set()
    for session, _, turns in zip(ids, dates, histories, strict=True):
        for place, turn in enumerate(turns):
            unit = Unit(f"{session}/{place}", session, f"{_role(turn)}: {turn['content']}")
            units.append(unit)
            if turn.get("has_answer", False):
                answers.add(unit.name)
    sessions = frozenset(cast("list[str]", entry["answer_session_ids"]))
    if not sessions.issubset(ids):
        raise ValueError("an answer_session_id is not in its history")
    asked = Question(name, entry["question"], category, frozenset(answers), sessions)
    answerable = not name.endswith(_UNANSWERABLE) and bool(sessions)
    return Dialogue(name, tuple(units), (asked,) if answerable else ())


def _role(turn: Mapping[str, Any]) -> str:
    role = turn["role"]
    if role not in {"user", "assistant"} or not isinstance(turn["content"], str):
        raise ValueError(f"a turn of role {role!r} or without text")
    if not isinstance(turn.get("has_answer", False), bool):
        raise TypeError("has_answer is neither true nor false")
    return role
