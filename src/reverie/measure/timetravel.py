"""Time travel: is what a person taught earlier handed over when it matters later?

For each case a scratch home has learned only what was logged before a prompt, the clock stands at
the prompt, and two things are asked for: what a session that begins is told, and what the prompt
brings up. Cases are pairs somebody made (a lesson, a later prompt that needs it, and prompts that
need nothing), or come from the logs alone: a correction that had to be said again was needed at the
prompt before it. Prompts of sessions without any correction are taken to need nothing, which makes
the noise an upper bound. Beside it stands what needs no memory: the last human turns that fit,
those that BM25 finds, and the lessons as somebody would have listed them by hand.
"""

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from reverie.asker import OWNER
from reverie.clock import fixed, system_clock
from reverie.errors import InvalidInput
from reverie.home import Home
from reverie.language.compare import relation
from reverie.language.words import stem
from reverie.measure.fidelity.strategies import Texts, bm25
from reverie.measure.result import (
    SEED,
    Measurement,
    Row,
    Table,
    bootstrap,
    fingerprint,
    read_records,
)
from reverie.operations import learning, projects, recalling
from reverie.operations.starts import digesting
from reverie.recall.entry import Entry
from reverie.recall.query import words_of
from reverie.recall.recall import Request
from reverie.recall.stats import repeats, said_in
from reverie.sessions.corrections import CorrectionRow, corrections
from reverie.sessions.logs.discover import logs_in
from reverie.sessions.query import SessionRow, sessions, turns

FEWEST = 20  # prompts that needed something, to say anything
_FEWEST_WORDS = 2  # of a lesson, in what is handed over; and a third of them
_LONGEST = 1_200  # characters of a turn beside which a memory is measured
_CONTROLS = 2  # times as many prompts that need nothing as there are pairs, from logs alone
_STAMP = re.compile(rb'"(?:timestamp|time|startTime|lastUpdated)"\s*:\s*"(20\d\d-\d\d-\d\dT[^"]+)"')


class Case(NamedTuple):
    """A prompt, when it was given, and what it needed; nothing for a control."""

    id: str
    group: str  # the folder of its repository
    log: str  # of the session it was given in, below that folder
    at: str
    prompt: str
    lesson: str = ""
    places: frozenset[str] = frozenset()  # session#line where it was taught
    needles: tuple[str, ...] = ()  # patterns that tell it


class Handed(NamedTuple):
    """What was handed over for a case."""

    started: bool  # what was needed is in the digest
    recalled: bool  # or in what the prompt brought up
    digest: int  # characters
    found: int  # characters of what the prompt brought up, rules and sessions apart
    latest: bool  # or in the last human turns that fit
    latest_size: int
    searched: bool  # or in those that BM25 finds for the prompt
    searched_size: int
    listed: bool  # or in a list by hand of what was taught so far
    listed_size: int


NOTHING = Handed(False, False, 0, 0, False, 0, False, 0, False, 0)


def measure_timetravel(corpus: Path, pairs: Path | None = None, *, seed: int = SEED) -> Measurement:
    """Ask for each case of `pairs`, or for those that the logs of `corpus` hold themselves.

    Args:
        corpus: Holds <repository>/…/<log>; each folder is the history of one project.

    Raises:
        InvalidInput: `pairs` is of another form, or none of them fits a log.
    """
    logs = _logs(corpus)
    cases = _read(pairs) if pairs else list(_derived(corpus, logs))
    cases = [case for case in cases if case.group in logs]
    if pairs and not any(case.lesson for case in cases):
        raise InvalidInput("no pair fits a log", hint="logs lie in one folder for each repository")
    handed: dict[Case, Handed] = {}
    for group in sorted({case.group for case in cases}):
        handed |= _travelled(corpus / group, logs[group], [c for c in cases if c.group == group])
    files = [path for paths in logs.values() for path in paths]
    data = {corpus.resolve().name: fingerprint(*files)}
    if pairs:
        data[pairs.name] = fingerprint(pairs)
    return _measurement(handed, data, seed)


def _measurement(handed: Mapping[Case, Handed], data: dict[str, str], seed: int) -> Measurement:
    needy = [(case, outcome) for case, outcome in handed.items() if case.lesson]
    quiet = [(case, outcome) for case, outcome in handed.items() if not case.lesson]

    def mean(rows: Sequence[tuple[Case, Handed]], values: Iterable[float]) -> Any:
        groups = [(case.group, case.log) for case, _ in rows]
        return bootstrap(list(values), groups, seed=seed) if rows else None

    def line(name: str, hits: Iterable[bool], characters: Iterable[int]) -> Row:
        return Row(name, (mean(needy, map(float, hits)), mean(needy, map(float, characters))))

    outcomes = [outcome for _, outcome in needy]
    by_need = Table(
        f"{len(needy)} prompts that needed a lesson",
        ("handed over", "characters"),
        (
            line(
                "digest at the start", (t.started for t in outcomes), (t.digest for t in outcomes)
            ),
            line(
                "recall of the prompt", (t.recalled for t in outcomes), (t.found for t in outcomes)
            ),
            line(
                "either",
                (t.started or t.recalled for t in outcomes),
                (t.digest + t.found for t in outcomes),
            ),
            line("the last turns", (t.latest for t in outcomes), (t.latest_size for t in outcomes)),
            line(
                "turns by BM25", (t.searched for t in outcomes), (t.searched_size for t in outcomes)
            ),
            line("a list by hand", (t.listed for t in outcomes), (t.listed_size for t in outcomes)),
        ),
        "" if len(needy) >= FEWEST else f"not enough to say: {len(needy)} of at least {FEWEST}",
    )

    def noise(name: str, characters: Sequence[int]) -> Row:
        silent = (float(not size) for size in characters)
        return Row(name, (mean(quiet, map(float, characters)), mean(quiet, silent)))

    by_noise = Table(
        f"{len(quiet)} prompts that needed nothing",
        ("characters", "silent"),
        (
            noise("recall of the prompt", [t.found for _, t in quiet]),
            noise("the last turns", [t.latest_size for _, t in quiet]),
            noise("turns by BM25", [t.searched_size for _, t in quiet]),
        ),
    )
    records = tuple(
        {"id": case.id, "group": case.group, "at": case.at, "needs": bool(case.lesson)}
        | outcome._asdict()
        for case, outcome in handed.items()
    )
    return Measurement("timetravel", (by_need, by_noise), seed, data, records=records)


# --- cases --------------------------------------------------------------------------------------


def _logs(corpus: Path) -> dict[str, list[Path]]:
    logs: dict[str, list[Path]] = {}
    for path in sorted({log.path for log in logs_in(corpus).logs}):
        parts = path.relative_to(corpus.resolve()).parts
        if len(parts) > 1:
            logs.setdefault(parts[0], []).append(path)
    return logs


def _read(file: Path) -> list[Case]:
    cases: list[Case] = []
    for record in read_records(file):
        try:
            places = {place.partition("/")[2] for place in record.get("lesson_turns") or ()}
            cases.append(
                Case(
                    str(record["id"]),
                    str(record["repo"]),
                    str(record["later_session"]),
                    str(record["later_at"]),
                    str(record["later_prompt"]),
                    "" if record["kind"] == "CONTROL" else str(record["lesson"]),
                    frozenset(re.sub(r"\.\w+#", "#", place) for place in places),
                    tuple(map(str, record.get("needles") or ())),
                )
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(f"{file} is not a file of pairs: {error!r}") from None
    return cases


def _derived(corpus: Path, logs: Mapping[str, Sequence[Path]]) -> Iterator[Case]:
    """What the logs say themselves: what was said again was needed, at the prompt before."""
    for group in sorted(logs):
        with tempfile.TemporaryDirectory() as scratch, _opened(Path(scratch), "") as memory:
            learning.learn(memory, corpus / group)
            project = _joined(memory)
            rows = [
                row._replace(project=project)
                for row in corrections(memory.index_database)
                if row.label != "none"
            ]
            folder = (corpus / group).resolve()
            logged = {
                session.key: (session, str(Path(session.path).relative_to(folder)))
                for session in sessions(memory.index_database)
            }
            needy = list(_said_again(memory, rows, group, logged))
            yield from needy
            corrected = {row.session for row in rows}
            calm = [
                Case(key, group, log, session.started, session.opening)
                for key, (session, log) in sorted(
                    logged.items(), key=lambda item: item[1][0].started
                )
                if key not in corrected and session.opening and session.started
            ]
            yield from calm[-_CONTROLS * len(needy) :] if needy else ()


def _said_again(
    memory: Home,
    rows: Sequence[CorrectionRow],
    group: str,
    logged: Mapping[str, tuple[SessionRow, str]],
) -> Iterator[Case]:
    for repeat in repeats(rows, ()):
        again = repeat.again
        spoken = [
            turn
            for turn in turns(memory.index_database, again.session)
            if turn.kind == "prompt" and turn.line < again.line and turn.text
        ]
        if spoken and again.session in logged:
            prompt = spoken[-1]
            taught = frozenset({repeat.first.id.partition(":")[2]})
            log = logged[again.session][1]
            at = prompt.at or again.at
            yield Case(again.id, group, log, at, prompt.text, said_in(repeat.first), taught)


# --- the journey --------------------------------------------------------------------------------


def _travelled(folder: Path, logs: Sequence[Path], cases: Sequence[Case]) -> dict[Case, Handed]:
    """Every case of one project in order of time; a home learns on while that is possible."""
    handed: dict[Case, Handed] = {}
    waiting = sorted(cases, key=lambda case: (case.at, case.id))
    while waiting:
        with tempfile.TemporaryDirectory() as scratch:
            place = Path(scratch)
            later: list[Case] = []
            for case in waiting:
                log = place / "logs" / case.log
                if log.exists():
                    # The home knows of the case's own session, which no home may have read.
                    later.append(case)
                    continue
                _lay_out(folder.resolve(), logs, place / "logs", case)
                handed[case] = _asked(place, case, cases)
            waiting = later
    return handed


def _lay_out(folder: Path, logs: Sequence[Path], target: Path, case: Case) -> None:
    """The logs as they stood at a moment, without the one of the case itself."""
    for log in logs:
        name = log.relative_to(folder)
        if str(name) == case.log:
            continue
        text = _before(log, case.at)
        if text:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(text)


def _before(log: Path, at: str) -> bytes:
    """A log as it stood; nothing of a single document that goes on after that."""
    data, moment = _bytes(log), at.encode()
    if log.suffix != ".jsonl":
        stamps = _STAMP.findall(data)
        return data if stamps and max(stamps) < moment else b""
    kept: list[bytes] = []
    began = False
    for line in data.splitlines(keepends=True):
        stamp = _STAMP.search(line)
        if stamp and stamp[1] >= moment:
            break
        began = began or stamp is not None
        kept.append(line)
    return b"".join(kept) if began else b""


@cache
def _bytes(log: Path) -> bytes:
    return log.read_bytes()


def _asked(place: Path, case: Case, cases: Sequence[Case]) -> Handed:
    if not (place / "logs").is_dir():
        return NOTHING
    with _opened(place, case.at) as memory:
        learning.learn(memory, place / "logs")
        project = _joined(memory)
        if not project:
            return NOTHING
        with memory.at(project=project) as there:
            digest = digesting.digest(there)
            recalled = recalling.recall(there, Request(query=case.prompt))
            budget = there.settings.recall.budget_chars
        entries = _said(memory)
    latest = _fitting(reversed(entries), budget)
    searched = _fitting(Texts(entries).best(bm25, case.prompt), budget)
    known = {entry.id.partition(":")[2] for entry in entries}
    by_hand = {other.lesson for other in cases if other.lesson and other.places & known}
    hits = [item for item in recalled.items if item.part == "found"]
    return Handed(
        any(
            _tells(line.text, (line.entry.id, *line.entry.evidence), case) for line in digest.lines
        ),
        any(_tells(item.text, (item.entry.id, *item.entry.evidence), case) for item in hits),
        len(digest.text),
        sum(len(item.text) for item in hits),
        any(_tells(entry.text, (entry.id,), case) for entry in latest),
        sum(len(entry.text) for entry in latest),
        any(_tells(entry.text, (entry.id,), case) for entry in searched),
        sum(len(entry.text) for entry in searched),
        case.lesson in by_hand,
        sum(map(len, by_hand)),
    )


def _said(memory: Home) -> list[Entry]:
    """What the person said so far, in order of time."""
    spoken = [
        (turn.at, f"{session.key}#{turn.line}", turn.text)
        for session in sessions(memory.index_database)
        for turn in turns(memory.index_database, session.key)
        if turn.role == "human" and turn.text and not turn.copied
    ]
    return [Entry(place, "session", text, at=at) for at, place, text in sorted(spoken)]


def _fitting(entries: Iterable[Entry], budget: int) -> list[Entry]:
    """The first of them that there is room for; a very long one only begins."""
    taken: list[Entry] = []
    for entry in entries:
        text = entry.text[:_LONGEST]
        if len(text) < budget:
            taken.append(entry._replace(text=text))
            budget -= len(text) + 1
    return taken


def _opened(place: Path, at: str) -> Home:
    """A home of its own: neither settings nor logs of the person are seen."""
    (place / "work").mkdir(parents=True, exist_ok=True)
    return Home.open(
        home=place / "home",
        asker=OWNER,
        folder=place / "work",
        environ={"HOME": str(place)},
        clock=fixed(at) if at else system_clock,
    )


def _joined(memory: Home) -> str:
    """All folders of a repository as one project; its slug, "" for none."""
    known = sorted(
        projects.worked(memory), key=lambda worked: (-len(worked.sessions), worked.project.slug)
    )
    slugs = [worked.project.slug for worked in known]
    for slug in slugs[1:]:
        projects.merge_projects(memory, slug, slugs[0])
    return slugs[0] if slugs else ""


def _tells(text: str, evidence: Iterable[str], case: Case) -> bool:
    """Whether what was handed over is what the case needed."""
    if not case.lesson:
        return False
    flat = " ".join(text.replace("\n> ", " ").split())
    if case.needles:
        if all(re.search(needle, flat, re.IGNORECASE) for needle in case.needles):
            return True
    elif relation(flat, case.lesson) == "same":
        return True
    if not case.places & {place.partition(":")[2] for place in evidence}:
        return False
    wanted = {stem(word) for word in words_of(case.lesson)}
    shared = wanted & {stem(word) for word in words_of(flat)}
    return len(shared) >= max(_FEWEST_WORDS, len(wanted) / 3)
