"""Labelled human turns with their features: what the detector is trained and measured on."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from reverie.errors import InvalidInput, NotFound
from reverie.language.words import Said, said
from reverie.learn.detect.context import scenes
from reverie.learn.detect.cues import human_cues
from reverie.learn.detect.features import features
from reverie.learn.detect.judge import is_speech, may_stand_unreviewed
from reverie.learn.statements.lesson import lesson_of
from reverie.sessions.discover import logs_in
from reverie.sessions.model import Turn
from reverie.sessions.readers.agents import by_agent


@dataclass(frozen=True, slots=True)
class Label:
    """What a reader said of one human turn."""

    transcript: str
    line: int
    turn: str
    correction: str
    durable: str
    span: str
    type: str
    kind: str

    @property
    def project(self) -> str:
        """The first folder of the transcript: one per repository."""
        return self.transcript.split("/", 1)[0]


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled turn as the detector sees it; `row` is empty when rules alone decide."""

    label: Label
    text: str
    row: dict[str, float]
    writable: bool  # of the sort that may be written without review


def read_labels(file: Path) -> list[Label]:
    """The labels of a `labels.jsonl`, sorted by place.

    Raises:
        NotFound: there is no such file.
        InvalidInput: a line is not a label.
    """
    if not file.is_file():
        raise NotFound(f"there is no label file {file}")
    found: list[Label] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            data = cast("dict[str, Any]", json.loads(line))
            found.append(
                Label(
                    transcript=data["transcript"],
                    line=data["line"],
                    turn=data["turn"],
                    correction=data["correction"],
                    durable=data["durable"],
                    span=data.get("span") or "",
                    type=data.get("type") or "",
                    kind=data.get("kind") or "",
                )
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(f"{file}:{number} is not a label: {error}") from None
    return sorted(found, key=lambda label: (label.transcript, label.line, label.turn))


def examples(corpus: Path, labels: list[Label]) -> list[Example]:
    """The labelled turns that the readers find under `corpus`, in the order of their places."""
    wanted: dict[str, dict[tuple[int, str], Label]] = {}
    for label in labels:
        wanted.setdefault(label.transcript, {})[label.line, label.turn] = label
    found: list[Example] = []
    for log in sorted(logs_in(corpus).logs, key=lambda log: log.relative):
        if log.relative in wanted:
            turns = list(by_agent(log.agent).open(log.path, part=log.part))
            found.extend(_labelled(turns, wanted[log.relative]))
    return found


def _labelled(turns: list[Turn], wanted: dict[tuple[int, str], Label]) -> Iterator[Example]:
    cues = human_cues()
    earlier: list[Said] = []
    for scene in scenes(turns):
        own = said(scene.turn.text)
        label = wanted.get((scene.turn.line, scene.turn.kind))
        if label is not None:
            row: dict[str, float] = {}
            writable = False
            if is_speech(scene, own):
                row = features(scene, own, earlier, cues)[0]
                writable = may_stand_unreviewed(row, lesson_of(own, own.prose.strip(), cues))
            yield Example(label, scene.turn.text, row, writable)
        earlier.append(own)
