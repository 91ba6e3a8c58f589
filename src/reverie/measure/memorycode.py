"""MemoryCode: rules that a mentor states and updates; which of them does memory hold at the end?

Each dialogue is fed to `learn` as chats of one project, in order; nobody answers the review queue.
The data is read from a folder and never shipped.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from reverie.clock import fixed, iso
from reverie.documents.document import load
from reverie.errors import InvalidInput
from reverie.language.wording import EMPTY, STYLES, objects, tokens
from reverie.learn.detect.judge import Judge
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.writing import Writer
from reverie.learn.run import Learner
from reverie.measure.result import (
    SEED,
    Measurement,
    Row,
    Table,
    bootstrap,
    fingerprint,
)
from reverie.sessions.index import Index
from reverie.sessions.logs.discover import logs_under
from reverie.settings import Settings
from reverie.store.library import ARCHIVE
from reverie.store.store import Store

FEW = 8  # dialogues for which starting processes costs more than it saves
SHARE = 0.6  # of a rule's words that a memory must hold to be that rule
_BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)
_QUOTED = re.compile(r"'([^']+)'")


@dataclass(frozen=True, slots=True)
class Stated:
    """A rule as the data lists it: which one, in which version, from which session on."""

    rule: int
    text: str
    session: int


@dataclass(frozen=True, slots=True)
class Held:
    """A memory at the end, and the session it was learned in."""

    text: str
    session: int


@dataclass(frozen=True, slots=True)
class DialogueResult:
    """What memory holds after one dialogue."""

    dialogue: str
    memories: tuple[Held, ...]
    retired: tuple[Held, ...]
    rules: tuple[str, ...]  # in force
    superseded: tuple[str, ...]

    def holds(self, rule: str) -> bool:
        """Whether an active memory is that rule."""
        return any(is_rule(rule, memory.text) for memory in self.memories)


def measure_memorycode(folder: Path, *, seed: int = SEED) -> Measurement:
    """Learn every dialogue of a folder in a scratch home.

    Raises:
        InvalidInput: there is no dialogue in the folder, or one is not of that form.
    """
    files = sorted(folder.glob("dialogue_*.json"), key=_number)
    if not files:
        raise InvalidInput(f"no dialogue_*.json in {folder}")
    with _workers(len(files)) as workers:
        results = tuple(workers.map(_result, files))
    held = [(r.dialogue, float(r.holds(rule))) for r in results for rule in r.rules]
    right = [
        (r.dialogue, float(any(is_rule(rule, memory.text) for rule in r.rules)))
        for r in results
        for memory in r.memories
    ]
    stale = [(r.dialogue, float(r.holds(rule))) for r in results for rule in r.superseded]
    rows = (
        _row("rules in force that a memory holds", held, seed),
        _row("active memories that are rules in force", right, seed),
        _row("superseded rules still active", stale, seed),
    )
    return Measurement(
        "memorycode",
        (Table("Rules that a mentor stated and updated", ("share", "of"), rows),),
        seed=seed,
        data={folder.resolve().name: fingerprint(*files)},
        notes=(
            f"{len(files)} dialogues, intervals over dialogues",
            f"a memory is a rule if it has its names and styles and {SHARE:.0%} of its words",
        ),
        records=tuple(map(asdict, results)),
    )


def _row(name: str, values: Sequence[tuple[str, float]], seed: int) -> Row:
    """The share of what is so; nothing where there was nothing to ask about."""
    if not values:
        return Row(name, (None, 0))
    dialogues, shares = zip(*values, strict=True)
    return Row(name, (bootstrap(shares, dialogues, seed=seed), len(values)))


def _workers(tasks: int) -> Executor:
    """Dialogues are independent of each other: one process per processor, or none for a few."""
    count = min(os.cpu_count() or 1, tasks)
    if count < 2 or tasks < FEW:
        return ThreadPoolExecutor(1)
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


@cache
def _judge() -> Judge:
    return Judge.load(Settings().learn)


def _result(path: Path) -> DialogueResult:
    data = _read(path)
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        _write_chats(data, home / "chats")
        active, retired = _learned(home, _judge())
    now, gone = _rules(data)
    return DialogueResult(
        dialogue=path.stem,
        memories=tuple(active),
        retired=tuple(retired),
        rules=tuple(rule.text for rule in now),
        superseded=tuple(rule.text for rule in gone),
    )


def is_rule(rule: str, memory: str) -> bool:
    """Whether a memory is that rule: its names and styles, its kind of thing, most of its words."""
    if any(not _names(quoted, memory) for quoted in _QUOTED.findall(rule)):
        return False
    wanted, remembered = tokens(rule), tokens(memory)
    if objects(wanted) and objects(remembered) and not objects(wanted) & objects(remembered):
        return False
    telling = {t.root for t in wanted if t.sort != "mark" and t.text.lower() not in EMPTY}
    held = {t.root for t in remembered}
    return telling & STYLES <= held and len(telling & held) >= SHARE * len(telling)


def _names(quoted: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(quoted)}(?!\w)", text) is not None


def _learned(home: Path, judge: Judge) -> tuple[list[Held], list[Held]]:
    clock = fixed(iso(_BEGIN))
    with (
        Index.open(home / "index.db") as index,
        Store.open(f"sqlite:///{home / 'memory.db'}", clock=clock) as store,
    ):
        writer = Writer(store, Queue(store.database, clock))
        # Nothing in the data is secret, and redacting it would only cost time.
        Learner(index, writer, judge, lambda text: text).learn(logs_under(home / "chats"))
        active: list[Held] = []
        retired: list[Held] = []
        for info in store.stores():
            for memory in store.walk(info.id):
                if memory.path.startswith(("/daily/", "/diary/")):
                    continue
                document = load(memory.content, path=memory.path)
                held = Held(document.description, _session_of(document.evidence[-1:]))
                (retired if memory.path.startswith(ARCHIVE) else active).append(held)
    return active, retired


def _session_of(evidence: Iterable[str]) -> int:
    numbers = (re.search(r"session-(\d+)", item) for item in evidence)
    return next((int(match[1]) for match in numbers if match), -1)


def _write_chats(data: Mapping[str, Any], folder: Path) -> None:
    folder.mkdir()
    (folder / "project").mkdir()
    for number, session in enumerate(data["sessions"]):
        at = _BEGIN + timedelta(days=number)
        lines = [
            json.dumps({
                "role": "user" if mentor else "assistant", "content": text,
                "timestamp": iso(at + timedelta(minutes=place)), "cwd": str(folder / "project"),
            })
            for place, (mentor, text) in enumerate(spoken(data["context"], session["text"]))
        ]  # fmt: skip
        (folder / f"session-{number:03}.jsonl").write_text(
            "\n".join(lines) + "\n", encoding="utf-8"
        )


def spoken(context: Mapping[str, str], text: str) -> Iterator[tuple[bool, str]]:
    """The turns of a session as (is the mentor's, words)."""
    names = "|".join(re.escape(context[role]) for role in ("mentor", "mentee"))
    speaker = re.compile(rf"^[*\"“\s]*({names})\b[^:\n]{{0,30}}:[*\s]*", re.MULTILINE)
    matches = list(speaker.finditer(text))
    if not matches:
        yield True, text
    for place, match in enumerate(matches):
        end = matches[place + 1].start() if place + 1 < len(matches) else len(text)
        words = text[match.end() : end].strip(' \n"“”*')
        if words:
            yield match[1] == context["mentor"], words


def _rules(data: Mapping[str, Any]) -> tuple[list[Stated], list[Stated]]:
    """(rules in force at the end, versions that a later one replaced)."""
    latest: dict[int, Stated] = {}
    gone: list[Stated] = []
    for number, session in enumerate(data["sessions"]):
        topics = [
            topic
            for kind, topic in zip(session["type"], session["topic"], strict=True)
            if kind.startswith("instruction")
        ]
        # A session without rules has -1 in the place of [rule, version] pairs.
        pairs: list[list[int]] = [item for item in data["instructions"][number] if item != -1]
        for pair, topic in zip(pairs, topics, strict=False):
            rule, stated = pair[0], Stated(pair[0], topic, number)
            old = latest.get(rule)
            if old is not None and old.text != topic:
                gone.append(old)
            latest[rule] = stated
    now = list(latest.values())
    # A version that was replaced and came back is in force.
    current = {(rule.rule, rule.text) for rule in now}
    return now, [rule for rule in gone if (rule.rule, rule.text) not in current]


def _read(path: Path) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidInput(f"{path} is not JSON: {error}") from None
    for key in ("context", "sessions", "instructions"):
        if key not in data:
            raise InvalidInput(f"{path} is not a dialogue: it has no {key!r}")
    return data


def _number(path: Path) -> tuple[int, str]:
    digits = re.search(r"\d+", path.stem)
    return int(digits[0]) if digits else 0, path.name
