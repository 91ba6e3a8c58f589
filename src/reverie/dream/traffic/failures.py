"""Failures: calls that fail alike in several sessions, and have no fix that looks like them.

Either the same other command worked right afterwards each time, however different it looks, or
nothing did, and the call is better left out.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.dream.model import Cost, Observation
from reverie.dream.traffic.tally import LEAST_CHANCE, Tally
from reverie.learn.traffic.commands import command_of, forms_of, shortened
from reverie.learn.traffic.failures import SURROUNDINGS
from reverie.sessions.traces import TraceRow

MAX_MESSAGE = 90
MOST_FAIL = 0.15  # no more calls than this fail by accident
LEAST_SHARE = 0.5  # of the sessions that met a failure must have gone on with the same command

# Troubles of one day: the next session is not warned by them.
_PASSING = frozenset({"network", "busy", "git"})


def failures(rows: Sequence[TraceRow], failed: int, worked: Counter[str]) -> Iterator[Observation]:
    """What several sessions failed with in one way, with the way out where there is one.

    `failed` failures of any sort were met, and `worked` counts the forms that worked.
    """
    tally: Tally[tuple[str, str], TraceRow] = Tally(lambda row: row.session)
    tally.fill(((row.trace.data["form"], row.trace.key), row) for row in rows)
    fail = failed / (failed + worked.total() + 1.0)
    for (form, _), members, _ in tally.several():
        then = way_out(members)
        if then:
            went = [row for row in members if row.trace.data["then"] == then]
            chance = drawn([then] * len(went), len(members), worked)
            yield from _told(form, went, then, chance)
        elif not worked[form] and _lasting(members[0]):
            chance = max(LEAST_CHANCE, tally.sessions(members) * min(fail, MOST_FAIL))
            yield from _told(form, members, "", chance)


def way_out(members: Sequence[TraceRow]) -> str:
    """The command that most sessions went on with; "" when they went different ways."""
    sessions: dict[str, set[str]] = {}
    for row in members:
        if row.trace.data["then"]:
            sessions.setdefault(row.trace.data["then"], set()).add(row.session)
    if not sessions:
        return ""
    then = min(sessions, key=lambda command: (-len(sessions[command]), command))
    several = len(sessions[then]) >= 2
    return then if several and len(sessions[then]) >= LEAST_SHARE * len(members) else ""


def drawn(commands: Sequence[str], times: int, worked: Counter[str]) -> float:
    """How often these would come next after `times` failures, drawn as they are used elsewhere."""
    own = Counter(form for command in commands for form in forms_of(command_of(command))[-1:])
    rate = sum(count * (max(0, worked[form] - count) + 0.5) for form, count in own.items())
    return max(LEAST_CHANCE, times * rate / (worked.total() + 1.0) / len(commands))


def _lasting(row: TraceRow) -> bool:
    trouble = row.trace.data["trouble"]
    surrounds = trouble in SURROUNDINGS or trouble == "tool"
    return surrounds and trouble not in _PASSING


def _told(form: str, rows: Sequence[TraceRow], then: str, chance: float) -> Iterator[Observation]:
    calls = {row.trace.data["call"] for row in rows}
    failed = calls.pop() if len(calls) == 1 else form
    message = shortened(rows[0].trace.data["message"], MAX_MESSAGE).replace("`", "'")
    text = f"`{failed}` fails with “{message}”"
    text += f": `{then}` helped each time" if then else " in every session: leave it out"
    for row in rows:
        trace = row.trace
        yield Observation(
            source="fix",
            text=text,
            session=row.session,
            project=row.project,
            at=trace.at,
            evidence=row.evidence,
            key="\0".join(("failed", form, trace.key, then)),
            quote=f"{trace.data['call']} → {trace.data['message']}",
            trust="tool",
            kind="error",
            type="feedback",
            cost=Cost(failed_calls=trace.failed, tokens=trace.tokens),
            chance=chance,
            detail={"failed": failed, "fix": then, "message": message, "way": "failed"},
        )
