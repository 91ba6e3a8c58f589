"""From a session that was read and judged to the rows of the index: corrections and statements."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from reverie.data import patterns
from reverie.documents.dates import absolute_dates
from reverie.language.exchanges import disowns
from reverie.language.hearsay import LONGEST, sentences_of
from reverie.language.keys import keys_of
from reverie.language.wording import is_ordinary
from reverie.language.words import content
from reverie.learn.detect.judge import Judgement
from reverie.learn.detect.misstep import EVERYBODYS, Misstep
from reverie.learn.detect.speaker import trust_of
from reverie.learn.diary.tasks import Task, moment_of
from reverie.learn.statements import confirmations
from reverie.learn.statements.confirmations import Confirmed, confirmed
from reverie.learn.statements.rule import is_clear
from reverie.learn.statements.statement import CONFIRMED, Statement
from reverie.learn.statements.utterance import hear
from reverie.learn.traffic.homes import tilde
from reverie.sessions.corrections import CorrectionRow
from reverie.sessions.index import SessionRead
from reverie.sessions.model import SPOKEN, Turn, evidence_id
from reverie.sessions.statements import StatementRow

MAX_TEXT = 4_000  # of one human turn; more is pasted matter
CONTEXT_TURNS = 3
CONTEXT_CHARS = 600  # of each of them
LONG_TURN = 1_200  # characters of prose; longer ones are briefs and pastes, and state no rule
FEWEST_WORDS, MOST_WORDS = 3, 45  # of a statement that could come back


def observe(
    read: SessionRead,
    judgements: Sequence[Judgement],
    split: Sequence[Task],
    taken: frozenset[int] = frozenset(),
) -> tuple[list[CorrectionRow], list[StatementRow]]:
    """What one session holds that is split into tasks; of the lines that are `taken` the agent took
    care itself."""
    near = densities([j.correction.label != "none" for j in judgements])
    late = positions(topics(split, judgements))
    corrections: list[CorrectionRow] = []
    statements: list[StatementRow] = []
    places: Counter[int] = Counter()  # a damaged log can hold several turns on one line
    for number, (judgement, density, position) in enumerate(
        zip(judgements, near, late, strict=True)
    ):
        turn = read.turns[judgement.turn_index]
        if judgement.turn_index in read.copied:
            continue
        said = [] if turn.undone else _statements(read, judgement, number == 0)
        said = [statement._replace(place=statement.place + places[turn.line]) for statement in said]
        places[turn.line] += len(judgement.statements) + 1
        if turn.line in taken:
            said = [statement._replace(lasts=False, sure=False) for statement in said]
        statements += said
        if judgement.teaches or any(statement.lasts for statement in said):
            corrections.append(_row(read, judgement, said, density, position))
    return _told_apart(corrections), statements


def _statements(read: SessionRead, judgement: Judgement, opening: bool) -> list[StatementRow]:
    """What a turn states, in order, and the way it approves of."""
    turn = read.turns[judgement.turn_index]
    long = len(hear(turn.text).prose) > LONG_TURN
    rows: list[StatementRow] = []
    for statement in judgement.statements:
        if statement.lasts or _could_return(statement):
            row = _statement(read, judgement, statement)
            task = opening and statement.place == 0
            rows.append(_damped(row, task=task, long=long))
    approved = _approved(read, judgement)
    if approved is None:
        return rows
    # What is approved of is the lesson, and not the praise.
    praise = [row._replace(lasts=False, sure=False) for row in rows]
    return [*praise, _confirming(read, judgement, approved)]


def _could_return(statement: Statement) -> bool:
    """Whether a sentence is worth a look when it is said again on another day."""
    asks = statement.act == "question" and not _RE.rebuke.match(statement.quote)
    if asks or statement.act == "answer" or not statement.rule:
        return False
    tokens = statement.words
    if _RE.urged.search(statement.quote):  # "No mocks." says all there is to say
        return bool(content(tokens)) and not statement.machine
    if statement.machine or len(tokens) > MOST_WORDS:
        return False
    if len(tokens) < FEWEST_WORDS:  # "Use that again. oops.In()": what was meant
        keys = keys_of(statement.quote)
        return bool(keys.names or keys.values) or not all(map(is_ordinary, keys.words))
    return len(content(tokens)) > 1


def _statement(read: SessionRead, judgement: Judgement, statement: Statement) -> StatementRow:
    turn = read.turns[judgement.turn_index]
    premise = judgement.correction.premise
    quote = " ".join(statement.quote.split())
    row = said_row(read, judgement.turn_index, statement.place, statement.rule, quote)
    return row._replace(
        why=fit_to_keep(statement.why, turn.at),
        premise=premise.text if premise else "",
        act=statement.act,
        worth=round(statement.merit, 4),
        lasting=statement.lasting,
        lasts=statement.lasts,
        sure=statement.sure,
        standing=statement.standing,
        shared=statement.shared,
        passing=statement.passing,
        kind=statement.kind,
        type=statement.type,
    )


def said_row(read: SessionRead, at: int, place: int, rule: str, quote: str) -> StatementRow:
    """What the turn at `at` says, as a way of working worth keeping; the caller adds what it
    knows."""
    turn = read.turns[at]
    return StatementRow(
        session=read.key,
        line=turn.line,
        place=place,
        agent=read.head.agent,
        project=read.project.slug,
        at=turn.at,
        rule=fit_to_keep(rule, turn.at),
        quote=quote,
        why="",
        premise="",
        act="rule",
        worth=1.0,
        lasting=0.0,
        lasts=True,
        sure=False,
        standing=False,
        shared=False,
        passing=False,
        kind="best-practice",
        type="feedback",
        trust=trust_of(read.turns, at, quote),
    )


TASK, FROM_LONG = 0.4, 0.25  # how much less the task of a session lasts, and a sentence of a brief


def _damped(row: StatementRow, *, task: bool, long: bool) -> StatementRow:
    lasting = row.lasting - TASK * task - FROM_LONG * long
    # In a brief, what sounds like a rule is part of the task.
    return row._replace(lasting=round(max(0.0, lasting), 3), standing=row.standing and not long)


def _approved(read: SessionRead, judgement: Judgement) -> Confirmed | None:
    """The way a turn approves of, unless it corrects, states a rule, or is no speech."""
    turn = read.turns[judgement.turn_index]
    if turn.kind not in SPOKEN or turn.typed == "injected":
        return None
    best = judgement.best
    if judgement.correction.label != "none" or (best is not None and best.standing):
        return None
    way = confirmed(read.turns, judgement.turn_index)
    clear = best is not None and is_clear(best.rule)
    return way if way is None or way.by_person or not clear else None


def _confirming(read: SessionRead, judgement: Judgement, approved: Confirmed) -> StatementRow:
    """Feedback that waits for a person; what an agent worded is the agent's word."""
    turn = read.turns[judgement.turn_index]
    place, quote = len(judgement.statements), turn.text[:MAX_TEXT]
    row = said_row(read, judgement.turn_index, place, approved.lesson, quote)
    return row._replace(
        premise=approved.premise,
        act=CONFIRMED,
        worth=max(round(judgement.worth, 4), confirmations.SCORE),
        passing=True,  # of a way of working, not a wish that comes back
        trust=row.trust if approved.by_person else "agent",
    )


def _told_apart(rows: Iterable[CorrectionRow]) -> list[CorrectionRow]:
    """A damaged log can hold several turns on one line: `#42`, `#42.2`, `#42.3`."""
    seen: Counter[str] = Counter()
    distinct: list[CorrectionRow] = []
    for row in rows:
        seen[row.id] += 1
        distinct.append(row._replace(id=f"{row.id}.{seen[row.id]}") if seen[row.id] > 1 else row)
    return distinct


def _row(
    read: SessionRead,
    judgement: Judgement,
    said: Sequence[StatementRow],
    density: float,
    position: float,
) -> CorrectionRow:
    turn = read.turns[judgement.turn_index]
    correction = judgement.correction
    text = turn.text[:MAX_TEXT]
    lasting = [statement for statement in said if statement.lasts]
    best = max(lasting, key=lambda statement: (statement.sure, statement.worth), default=None)
    durable = "none" if best is None else "global" if best.shared else "project"
    row = CorrectionRow(
        id=evidence_id(read.head.agent, read.head.session_id, turn.line),
        session=read.key,
        agent=read.head.agent,
        line=turn.line,
        at=turn.at,
        project=read.project.slug,
        text=text,
        span=correction.span,
        premise=correction.premise.text if correction.premise else best.premise if best else "",
        premise_line=correction.premise.line if correction.premise else None,
        context=said_before(read.turns, judgement.turn_index),
        label=correction.label,
        score=round(correction.score, 4),
        durable=durable,
        durable_score=round(max(judgement.worth, best.worth if best else 0.0), 4),
        type=best.type if best else "",
        kind=best.kind if best else "",
        lesson=best.rule if best else "",
        gist=fit_to_keep(_tellable(read.turns, judgement), turn.at),
        standing=bool(best and best.standing),
        sure=bool(best and best.sure),
        trust=best.trust
        if best
        else trust_of(read.turns, judgement.turn_index, correction.span or text),
        tier=tier_of(correction.span, text),
        position=round(position, 4),
        density=round(density, 4),
    )
    return with_signals(row)


def _tellable(turns: Sequence[Turn], judgement: Judgement) -> str:
    """What a session may be told of a turn unasked: nothing of which a sentence is in doubt."""
    at, gist = judgement.turn_index, judgement.gist
    if disowns(turns[at].text):
        return ""
    bare = gist.strip("…")
    shown = (
        sentence.text
        for sentence in sentences_of(turns[at].text[:LONGEST])
        if sentence.text in gist or bare in " ".join(sentence.text.split())
    )
    return gist if all(trust_of(turns, at, text) == "user" for text in shown) else ""


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
    shares: list[float] = []
    for i in range(len(flags)):
        near = [
            flags[j]
            for j in range(max(0, i - DENSITY_REACH), min(len(flags), i + DENSITY_REACH + 1))
            if j != i
        ]
        shares.append(sum(near) / len(near) if near else 0.0)
    return shares


def positions(topics: Sequence[int]) -> list[float]:
    """For each human turn: how late it stands in its topic, 0 first … 1 last."""
    size: dict[int, int] = defaultdict(int)
    for topic in topics:
        size[topic] += 1
    seen: dict[int, int] = defaultdict(int)
    fractions: list[float] = []
    for topic in topics:
        fractions.append(seen[topic] / (size[topic] - 1) if size[topic] > 1 else 1.0)
        seen[topic] += 1
    return fractions


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
