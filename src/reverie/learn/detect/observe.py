"""From a session that was read and judged to the rows of the corrections table."""

from collections.abc import Sequence

from reverie.documents.dates import absolute_dates
from reverie.learn.detect.judge import Judgement
from reverie.learn.detect.signals import densities, positions, tier_of, with_signals
from reverie.learn.diary.tasks import moment_of, tasks
from reverie.learn.traffic.homes import tilde
from reverie.sessions.corrections import CorrectionRow
from reverie.sessions.index import SessionRead
from reverie.sessions.model import SPOKEN, Turn, evidence_id

MAX_TEXT = 4_000  # of one human turn; more is pasted matter
CONTEXT_TURNS = 3
CONTEXT_CHARS = 600  # of each of them


def observe(read: SessionRead, judgements: Sequence[Judgement]) -> list[CorrectionRow]:
    """The corrections and lasting statements of one session."""
    near = densities([j.correction.label != "none" for j in judgements])
    late = positions(topics(read.turns, judgements))
    return [
        _row(read, judgement, density, position)
        for judgement, density, position in zip(judgements, near, late, strict=True)
        if judgement.worth_keeping and judgement.turn_index not in read.copied
    ]


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


def topics(turns: Sequence[Turn], judgements: Sequence[Judgement]) -> list[int]:
    """The number of the task each judged turn belongs to."""
    corrected = {j.turn_index for j in judgements if j.correction.label != "none"}
    split = tasks(turns, corrected)
    numbers: list[int] = []
    place = 0
    for judgement in judgements:
        while place + 1 < len(split) and judgement.turn_index >= split[place].end:
            place += 1
        numbers.append(place)
    return numbers
