"""From a session that was read and judged to the rows of the corrections table."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from reverie.data import patterns
from reverie.documents.dates import absolute_dates
from reverie.learn.detect.judge import Judgement
from reverie.learn.detect.misstep import EVERYBODYS, Misstep
from reverie.learn.diary.tasks import Task, moment_of
from reverie.learn.statements import confirmations
from reverie.learn.statements.confirmations import Confirmed, confirmed
from reverie.learn.statements.lesson import stands_alone
from reverie.learn.traffic.homes import tilde
from reverie.sessions.corrections import CorrectionRow
from reverie.sessions.index import SessionRead
from reverie.sessions.model import SPOKEN, Turn, evidence_id

MAX_TEXT = 4_000  # of one human turn; more is pasted matter
CONTEXT_TURNS = 3
CONTEXT_CHARS = 600  # of each of them


def observe(
    read: SessionRead, judgements: Sequence[Judgement], split: Sequence[Task]
) -> list[CorrectionRow]:
    """The corrections and lasting statements of one session that is split into tasks."""
    near = densities([j.correction.label != "none" for j in judgements])
    late = positions(topics(split, judgements))
    rows: list[CorrectionRow] = []
    for judgement, density, position in zip(judgements, near, late, strict=True):
        if judgement.turn_index in read.copied:
            continue
        approved = _approved(read, judgement)
        if judgement.worth_keeping or approved is not None:
            row = _row(read, judgement, density, position)
            rows.append(row if approved is None else _confirming(row, approved))
    return _told_apart(rows)


def _approved(read: SessionRead, judgement: Judgement) -> Confirmed | None:
    """The way a turn approves of, unless it corrects, states a rule, or is no speech."""
    turn = read.turns[judgement.turn_index]
    if turn.kind not in SPOKEN or turn.typed == "injected":
        return None
    if judgement.correction.label != "none" or judgement.standing:
        return None
    found = confirmed(read.turns, judgement.turn_index)
    lasting = judgement.durable.label != "none" and stands_alone(judgement.durable.lesson)
    return found if found is None or found.own or not lasting else None


def _confirming(row: CorrectionRow, approved: Confirmed) -> CorrectionRow:
    """The row as feedback that waits for a person; what an agent worded is the agent's word."""
    return row._replace(
        durable="project",
        durable_score=max(row.durable_score, confirmations.SCORE),
        type=confirmations.TYPE,
        kind=confirmations.KIND,
        lesson=fit_to_keep(approved.lesson, row.at),
        premise=row.premise or approved.premise,
        sure=False,
        trust=row.trust if approved.own else "agent",
    )


def _told_apart(rows: Iterable[CorrectionRow]) -> list[CorrectionRow]:
    """A damaged log can hold several turns on one line: `#42`, `#42.2`, `#42.3`."""
    seen: Counter[str] = Counter()
    found: list[CorrectionRow] = []
    for row in rows:
        seen[row.id] += 1
        found.append(row._replace(id=f"{row.id}.{seen[row.id]}") if seen[row.id] > 1 else row)
    return found


def _row(read: SessionRead, judgement: Judgement, density: float, position: float) -> CorrectionRow:
    turn = read.turns[judgement.turn_index]
    correction, durable = judgement.correction, judgement.durable
    text = turn.text[:MAX_TEXT]
    # What came through an SDK front end may have been a script: it is never believed unasked.
    trust = "user" if turn.typed == "typed" else "agent"
    row = CorrectionRow(
        id=evidence_id(read.head.agent, read.head.session_id, turn.line),
        session=read.key,
        agent=read.head.agent,
        line=turn.line,
        at=turn.at,
        project=read.project.slug,
        text=text,
        span=correction.span,
        premise=correction.premise.text if correction.premise else "",
        premise_line=correction.premise.line if correction.premise else None,
        context=said_before(read.turns, judgement.turn_index),
        label=correction.label,
        score=round(correction.score, 4),
        durable=durable.label,
        durable_score=round(durable.score, 4),
        type=durable.type,
        kind=durable.kind,
        lesson=fit_to_keep(durable.lesson, turn.at),
        gist=fit_to_keep(judgement.gist, turn.at),
        standing=judgement.standing,
        sure=durable.write and trust == "user",
        trust=trust,
        tier=tier_of(correction.span, text),
        position=round(position, 4),
        density=round(density, 4),
    )
    return with_signals(row)


def said_before(turns: Sequence[Turn], place: int) -> str:
    """The ends of what human and agent said just before the turn at `place`.

    "No, roll it back" shares no word with the question it answers; what it was said to does.
    """
    said: list[str] = []
    for turn in reversed(turns[:place]):
        if turn.text and (turn.kind in SPOKEN or turn.kind == "text"):
            said.append(turn.text[-CONTEXT_CHARS:])
            if len(said) == CONTEXT_TURNS:
                break
    return "\n".join(reversed(said))


def fit_to_keep(lesson: str, at: str) -> str:
    """The lesson with relative dates resolved against the moment, and nobody's home named."""
    moment = moment_of(at)
    return tilde(absolute_dates(lesson, moment) if moment else lesson)


def topics(split: Sequence[Task], judgements: Sequence[Judgement]) -> list[int]:
    """The number of the task each judged turn belongs to; -1 before the first."""
    numbers: list[int] = []
    place = 0
    for judgement in judgements:
        while place + 1 < len(split) and judgement.turn_index >= split[place].end:
            place += 1
        before = bool(split) and judgement.turn_index < split[0].start
        numbers.append(-1 if before else place)
    return numbers


# Seven signals make the mixture (DESIGN §7), all between 0 and 1: misstep probability, density,
# span tier, topic position and neighbourhood similarity are computed here and stored with it;
# recency and the human label are added when it is read, as they change without a new session.
DENSITY_REACH = 3  # human turns on each side
COMMON = 50  # a word in more corrections than this says nothing about likeness


# The span tier of a correction: how much it would cost to get it wrong again.
Tier = Literal["critical", "high", "medium", "low"]

WEIGHT: dict[str, float] = {"critical": 1.0, "high": 0.7, "medium": 0.4, "low": 0.1}

_RE = patterns("detector.txt", "signals")


def tier_of(span: str, text: str) -> Tier:
    """The tier of a correction, from the words that carry it, else from the whole turn."""
    words = span or text[:1000]
    if _RE.critical.search(words):
        return "critical"
    if _RE.exact.search(words):
        return "high"
    if _RE.way.search(words):
        return "medium"
    return "low"


def densities(flags: Sequence[bool]) -> list[float]:
    """For each human turn: the share of corrections among its neighbours."""
    found: list[float] = []
    for i in range(len(flags)):
        near = [
            flags[j]
            for j in range(max(0, i - DENSITY_REACH), min(len(flags), i + DENSITY_REACH + 1))
            if j != i
        ]
        found.append(sum(near) / len(near) if near else 0.0)
    return found


def positions(topics: Sequence[int]) -> list[float]:
    """For each human turn: how late it stands in its topic, 0 first … 1 last."""
    size: dict[int, int] = defaultdict(int)
    for topic in topics:
        size[topic] += 1
    seen: dict[int, int] = defaultdict(int)
    found: list[float] = []
    for topic in topics:
        found.append(seen[topic] / (size[topic] - 1) if size[topic] > 1 else 1.0)
        seen[topic] += 1
    return found


def neighbourhoods(rows: Sequence[CorrectionRow]) -> list[float]:
    """For each correction: the likeness of the one most like it in another session.

    Near-linear: only corrections that share an uncommon word are compared.
    """
    bags = [
        frozenset(_RE.word.findall((row.lesson or row.span or row.text)[:600].lower()))
        for row in rows
    ]
    by_word: dict[str, list[int]] = defaultdict(list)
    for number, bag in enumerate(bags):
        for word in sorted(bag):
            by_word[word].append(number)
    best = [0.0] * len(rows)
    for i, bag in enumerate(bags):
        shared: dict[int, int] = defaultdict(int)
        for word in bag:
            postings = by_word[word]
            if len(postings) <= COMMON:
                for j in postings:
                    shared[j] += 1
        for j, count in shared.items():
            if count > 1 and rows[j].session != rows[i].session:
                likeness = count / math.sqrt(len(bag) * len(bags[j]))
                best[i] = max(best[i], likeness)
    return [round(value, 4) for value in best]


def with_signals(
    row: CorrectionRow, neighbourhood: float = 0.0, misstep: Misstep = EVERYBODYS
) -> CorrectionRow:
    """The row with its stored signals filled in."""
    signals = {
        "misstep": round(misstep.probability(row.score, WEIGHT[row.tier], row.density), 4),
        "density": round(row.density, 4),
        "tier": WEIGHT[row.tier],
        "position": round(row.position, 4),
        "neighbourhood": neighbourhood,
    }
    return row._replace(signals=signals)
