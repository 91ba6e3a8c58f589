"""Repairs: the same call that fails in several sessions, and what works in its place.

Two fixes are the same when the same words were taken out and put in; what else stood in the call
belongs to one task.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.db.database import Database
from reverie.dream.model import Cost, Observation
from reverie.dream.traffic.failures import drawn, failures
from reverie.dream.traffic.tally import Tally
from reverie.learn.traffic.commands import VARYING, shortened
from reverie.learn.traffic.fixes import varied
from reverie.sessions.fixes import FixRow, fixes
from reverie.sessions.traces import TraceRow, counted, shared, traces

MAX_MESSAGE = 90
RARER = 0.5  # a way out that is so much rarer than the usual one of the same failure says nothing

Change = tuple[str, str, str]


# Detours: the same long way round to the same call, in several sessions.
def detours(database: Database) -> Iterator[Observation]:
    """What several sessions came to only after other calls had failed."""
    tally: Tally[str, TraceRow] = Tally(lambda row: row.session)
    tally.fill((row.trace.key, row) for row in traces(database, "detour"))
    for key, rows, chance in tally.several():
        worked, tries = rows[0].trace.data["worked"], rows[0].trace.data["tries"]
        vain = ", ".join(f"`{one}`" for one in tries if one != worked) or f"`{tries[0]}`"
        text = f"Start with `{worked}`: sessions came to it only after {vain} had failed"
        for row in rows:
            yield Observation(
                source="detour",
                text=text,
                session=row.session,
                project=row.project,
                at=row.trace.at,
                evidence=row.evidence,
                key=key,
                quote=f"{row.trace.failed} calls failed before {row.trace.data['shown']} worked",
                trust="tool",
                kind="command",
                type="reference",
                cost=Cost(row.trace.failed, round(row.trace.seconds / 60, 2), row.trace.tokens),
                chance=chance,
                detail={"worked": worked, "tries": tries},
            )


def repairs(database: Database) -> Iterator[Observation]:
    """Fixes that several sessions found, then failures for which no session knew one."""
    worked = _worked(database)
    met = counted(database, "failure")
    tally: Tally[Change, FixRow] = Tally(lambda row: row.session)
    tally.fill((change_of(row), row) for row in fixes(database))
    several = [(change, rows) for change, rows, _ in tally.several()]
    known = {row.signature for _, rows in several for row in rows}
    for change, rows in _usual(several):
        yield from _fixed(change, rows, worked, met)
    for rows in shared(database, "failure"):
        if rows[0].trace.key not in known:
            yield from failures(rows, met.total(), worked)


def _usual(several: Sequence[tuple[Change, list[FixRow]]]) -> Iterator[tuple[Change, list[FixRow]]]:
    """Of different ways out of one failure the usual one."""
    most: Counter[str] = Counter()
    for _, rows in several:
        for signature in {row.signature for row in rows}:
            most[signature] = max(most[signature], len(rows))
    for change, rows in several:
        if len(rows) > RARER * max(most[row.signature] for row in rows):
            yield change, rows


def change_of(row: FixRow) -> Change:
    """What is the same about two fixes: the program, what was taken out and what was put in.

    The message is not: a formatter complains in another line each day.
    """
    call, _, changed = row.form.rpartition(" | ")
    tried = call if row.kind == "prepared" else row.failed.split()[0]
    return row.kind, tried, changed


def general(forms: Sequence[str]) -> str:
    """One call for several: the words they share, `…` where they differ."""
    cut = [form.split() for form in dict.fromkeys(forms)]
    if len({len(words) for words in cut}) == 1:
        return " ".join(varied(cut))
    first = min(cut, key=lambda words: (len(words), words))
    same = 0
    while same < len(first) and all(words[same] == first[same] for words in cut):
        same += 1
    return " ".join([*first[:same], VARYING])


def _fixed(
    change: Change, rows: Sequence[FixRow], worked: Counter[str], met: Counter[str]
) -> Iterator[Observation]:
    failed, fix = general([row.failed for row in rows]), general([row.fix for row in rows])
    message = _commonest([shortened(row.message, MAX_MESSAGE).replace("`", "'") for row in rows])
    if change[0] == "prepared":
        text = f"`{failed}` fails with “{message}”: run `{fix}` first"
    else:
        text = f"`{failed}` fails with “{message}”: use `{fix}` instead"
    times = max(sum(met[signature] for signature in {row.signature for row in rows}), len(rows))
    chance = drawn([row.fix for row in rows], times, worked)
    for row in rows:
        yield Observation(
            source="fix",
            text=text,
            session=row.session,
            project=row.project,
            at=row.at,
            evidence=row.id,
            key="\0".join(change),
            quote=f"{row.failed} → {row.message}; {row.fix} worked",
            trust="tool",
            kind="error",
            type="feedback",
            slots=tuple(word for word in row.fix.split() if word not in fix.split()),
            cost=Cost(row.tries, round(row.seconds / 60, 2), row.tokens),
            chance=chance,
            detail={"failed": failed, "fix": fix, "message": message, "way": change[0]},
        )


def _worked(database: Database) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in traces(database, "runs"):
        counts.update(form for form, _ in row.trace.data)
    return counts


def _commonest(values: Sequence[str]) -> str:
    counts = Counter(values)
    return max(sorted(counts), key=lambda value: counts[value])
