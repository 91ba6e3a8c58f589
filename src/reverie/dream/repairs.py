"""Repairs: the same call that fails in several sessions, and what works in its place.

Two fixes are the same when the same words were taken out and put in; what else stood in the call
belongs to one task. A call that fails everywhere and never worked is worth knowing without a fix.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.dream.tally import LEAST_CHANCE, Tally
from reverie.dream.values import Cost, Observation
from reverie.learn.commands import command_of, shortened
from reverie.learn.fixes import VARYING, varied
from reverie.learn.forms import forms_of
from reverie.sessions.fixes import FixRow, fixes
from reverie.sessions.traces import TraceRow, traces

MAX_MESSAGE = 90
RARER = 0.5  # a way out that is so much rarer than the usual one of the same failure says nothing

Change = tuple[str, str, str, str]


def repairs(connection: sqlite3.Connection) -> Iterator[Observation]:
    """Fixes that several sessions found, then failures that none of them got over."""
    worked = _worked(connection)
    failed = list(traces(connection, "failure"))
    met: Counter[str] = Counter()
    for signature in {(row.session, row.trace.key.split(" (")[0]) for row in failed}:
        met[signature[1]] += 1
    tally: Tally[Change, FixRow] = Tally(lambda row: row.session)
    tally.fill((change_of(row), row) for row in fixes(connection))
    several = [(change, rows) for change, rows, _ in tally.several()]
    known = {row.signature for _, rows in several for row in rows}
    for change, rows in _usual(several):
        yield from _fixed(change, rows, worked, met)
    yield from _unfixed([row for row in failed if row.trace.key not in known], worked)


def _usual(
    several: Sequence[tuple[Change, list[FixRow]]],
) -> Iterator[tuple[Change, list[FixRow]]]:
    """Of different ways out of one failure the usual one."""
    most: Counter[str] = Counter()
    for _, rows in several:
        for signature in {row.signature for row in rows}:
            most[signature] = max(most[signature], len(rows))
    for change, rows in several:
        if len(rows) > RARER * max(most[row.signature] for row in rows):
            yield change, rows


def change_of(row: FixRow) -> Change:
    """What is the same about two fixes: the trouble, the program, what was taken out and put in.

    The message is not: a formatter complains in another line each day.
    """
    changed = row.form.rpartition(" | ")[2]
    tried = row.failed if row.kind == "prepared" else row.failed.split()[0]
    return row.kind, row.trouble, tried, changed


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
    chance = _by_chance(rows, worked, met)
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
            cost=Cost(row.tries, round(row.seconds / 60, 2)),
            chance=chance,
            detail={"failed": failed, "fix": fix, "message": message, "way": change[0]},
        )


def _by_chance(rows: Sequence[FixRow], worked: Counter[str], met: Counter[str]) -> float:
    """Sessions in which the fix would come next if commands were drawn as they are elsewhere."""
    failures = max(sum(met[signature] for signature in {row.signature for row in rows}), len(rows))
    own = Counter(form for row in rows for form in forms_of(command_of(row.fix))[-1:])
    total = worked.total() + 1.0
    rate = sum(count * (max(0, worked[form] - count) + 0.5) for form, count in own.items())
    return max(LEAST_CHANCE, failures * rate / total / len(rows))


def _unfixed(rows: Sequence[TraceRow], worked: Counter[str]) -> Iterator[Observation]:
    """Calls that failed in the same way in several sessions and worked in none."""
    tally: Tally[tuple[str, str], TraceRow] = Tally(lambda row: row.session)
    tally.fill(((row.trace.data["form"], row.trace.key), row) for row in rows)
    for (form, signature), members, chance in tally.several():
        if worked[form] or _passing(members[0]):
            continue
        message = shortened(members[0].trace.data["message"], MAX_MESSAGE).replace("`", "'")
        text = f"`{form}` fails here with “{message}”: it has not worked in any session"
        for row in members:
            yield Observation(
                source="fix",
                text=text,
                session=row.session,
                project=row.project,
                at=row.trace.at,
                evidence=row.evidence,
                key=f"failed\0{form}\0{signature}",
                quote=f"{row.trace.data['call']} → {row.trace.data['message']}",
                trust="tool",
                kind="error",
                type="feedback",
                cost=Cost(failed_calls=row.trace.failed),
                chance=chance,
                detail={"failed": form, "fix": "", "message": message, "way": "failed"},
            )


def _passing(row: TraceRow) -> bool:
    """Looking into the wrong place, or at something of one day: no lasting trouble of a project."""
    trouble, command = row.trace.data["trouble"], row.trace.data["form"]
    return trouble in {"network", "busy", "git"} or "/tmp/" in command  # noqa: S108  (matched, not used)


def _worked(connection: sqlite3.Connection) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in traces(connection, "runs"):
        counts.update(form for form, _ in row.trace.data)
    return counts


def _commonest(values: Sequence[str]) -> str:
    counts = Counter(values)
    return max(sorted(counts), key=lambda value: counts[value])
