"""Obstacles: what several sessions ran into, and the way past it.

repairs   the same call that fails, and what works in its place, what has to come before it, or
          where it has to run
refusals  commands that the person does not let run
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from reverie.data import patterns
from reverie.dream.model import Observation, Rule
from reverie.dream.traffic.failures import Failed, alike, places_of
from reverie.dream.traffic.mends import Mended, general, mended
from reverie.dream.traffic.tally import (
    LEAST_CHANCE,
    commonest,
    grouped,
    observations,
    sessions_of,
)
from reverie.learn.traffic.commands import VARYING, command_of, discards, forms_of, shortened
from reverie.learn.traffic.obstacles import DISCARDING
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, shared, traces

BESIDES = 0.5  # share of a failure's places that another one has told already
MAX_MESSAGE = 90
MAX_CALL = 90
LEAST_SHARE = 0.5  # of the sessions that got past a failure must have done so in the same way
LEAST_WAYS = 2  # sessions that did
REFUSED = 0.15  # share of the calls of one sort that must have been refused
MOST_FORMS = 4
AGAIN = ", unless something that runs uses it, and run it again"
OUTSIDE = "run it outside the sandbox"

# What is wrong with the call itself, whatever the day: it is better left out.
_LASTING = frozenset({"missing-command", "usage", "tool"})
_OF_THE_CALL = frozenset({*_LASTING, "code"})
_RE = patterns("traffic.txt", "obstacles")


def repairs(chosen: Chosen) -> Iterator[Observation]:
    """What all calls have that got past a failure, then other ways past one."""
    forms = _forms_that_worked(chosen)
    claimed: set[str] = set()
    for pair in mended(chosen):
        claimed.update(places_of(pair.rows))
        yield from _mended(pair)
    ways = ((failed, _way_past(failed, forms)) for failed in alike(chosen))
    known = [(failed, way) for failed, way in ways if way is not None]
    # The line that most sessions share speaks for a failure; where two do, what says more.
    known.sort(key=lambda pair: (-len(pair[0].rows), pair[0].rank, pair[0].said))
    spoken: set[tuple[str, str]] = set()
    for failed, way in known:
        places = places_of(failed.rows)
        helped = (failed.aim, way.advice)
        if helped not in spoken and sum(map(claimed.__contains__, places)) < BESIDES * len(places):
            more: dict[str, Any] = {"key": f"{failed.said}\0{failed.aim}", "chance": way.chance}
            yield from _fixes(
                way.call, way.fails, way.advice, failed.rows, "{call} → {message}", more
            )
        spoken.add(helped)
        claimed.update(places)


class _WayPast(NamedTuple):
    """A call, how it fails, and what to do."""

    call: str
    fails: str
    advice: str
    chance: float


def _fixes(
    call: str,
    fails: str,
    advice: str,
    rows: Sequence[TraceRow],
    quote: str,
    more: dict[str, Any],
) -> Iterator[Observation]:
    text, rule = f"`{call}` {fails}: {advice}", order_of(call, fails, advice)
    more |= {"call": call, "order": rule.order, "why": rule.reason}
    yield from observations("fix", text, rows, quote, **more)


def _mended(pair: Mended) -> Iterator[Observation]:
    message = _usual_message(pair.rows)
    step, _, then = pair.worked.rpartition(" && ")
    # A shell of its own does not know what another one was told.
    first = then == pair.failed and not _RE.prepares.match(step)
    advice = _advice(step if first else pair.worked, instead=not first)
    if not advice:
        return
    more: dict[str, Any] = {"chance": pair.chance}
    # Where the same program is called otherwise, it is not the call that has to be kept out.
    if pair.failed.split()[0] not in pair.worked.split():
        more |= {"failed": pair.failed, "message": message, "fix": pair.worked}
    yield from _fixes(
        pair.failed,
        f"fails with “{message}”",
        advice,
        pair.rows,
        "{failed} → {message}; {worked} worked",
        more,
    )


def _usual_message(rows: Sequence[TraceRow]) -> str:
    """The message that was met most; where all differ, what they share."""
    messages = [row.trace.data["message"].replace("`", "'") for row in rows]
    short = [shortened(message, MAX_MESSAGE) for message in messages]
    most = commonest(short)
    if 2 * short.count(most) > len(rows):
        return most
    return shortened(general(messages), MAX_MESSAGE)


def _forms_that_worked(chosen: Chosen) -> Counter[str]:
    return Counter(form for row in traces(chosen, "runs") for form, _ in row.trace.data)


def _way_past(failed: Failed, worked: Counter[str]) -> _WayPast | None:
    """The way past a failure; None where sessions show none."""
    rows, where, chance = failed.rows, "", failed.chance
    call = _call(rows)
    trouble = rows[0].trace.data["trouble"]
    ways = {row.trace.data["way"] for row in rows}
    if "escalated" in ways and "rerun" not in ways and trouble not in _OF_THE_CALL:
        where, advice = " in the agent's sandbox", OUTSIDE
    elif "git" in failed.aim.split()[:2] and trouble != "usage":
        return None  # the state of a repository is another one tomorrow
    elif way := way_out(rows, worked):
        commands = [command for _, command in way]
        advice = _advice(general(commands), instead=way[0][0].trace.data["way"] == "instead")
        # What fails may well come back; that this came next each time is what must not be chance.
        chance = drawn(commands, len(rows), worked)
        if not advice:
            return None
    elif (
        trouble in _LASTING
        and ways.isdisjoint({"rerun", "step"})
        and not any(worked[row.trace.data["form"]] for row in rows)
    ):
        advice = f"leave out `{call}`, which never worked here"
    else:
        return None
    message = _usual_message(rows)
    fails = f"fails{where} with “{message}”"
    if _RE.runs_nothing.search(message):
        fails = "runs no test, and yet exits with 0"
    return _WayPast(call, fails, advice, chance)


def order_of(call: str, fails: str, advice: str) -> Rule:
    """What to do about a call that fails, in one order, and why."""
    if advice.endswith(AGAIN):  # only what is in the way: it may be somebody's
        place = advice.removeprefix("delete ").removesuffix(AGAIN)
        cause = f"the cause is what is left over in {place}, not your change"
        return Rule(f"Where `{call}` {fails}, {cause}: {advice}")
    what = advice.replace("it ", f"`{call}` ", 1) if advice == OUTSIDE else advice
    what = what[0].upper() + what[1:]
    if what.endswith(" first"):
        return Rule(f"{what.removesuffix(' first')} before `{call}`", f"it {fails} otherwise")
    if what.endswith(" instead"):
        return Rule(f"{what.removesuffix(' instead')}, not `{call}`", f"it {fails}")
    return Rule(what, f"it {fails}")


def _advice(command: str, *, instead: bool) -> str:
    """What to do; "" where that would take more away than what is named."""
    if removed := _RE.removes.match(command):
        return "" if instead else f"delete `{removed[1]}`{AGAIN}"
    if _RE.takes_away.search(command):
        return ""
    return f"use `{command}` instead" if instead else f"run `{command}` first"


def _call(rows: Sequence[TraceRow]) -> str:
    """The call in its usual form, through a runner where most made it so."""
    calls = [row.trace.data["call"] for row in rows]
    most = commonest(calls)
    if 2 * calls.count(most) > len(rows) and len(most) <= MAX_CALL:
        return most
    forms = [row.trace.data["form"] for row in rows]
    usual = commonest(forms)
    if 2 * forms.count(usual) <= len(rows) and VARYING not in general(calls).split()[:1]:
        return shortened(general(calls), MAX_CALL)
    # Where the calls agree in more than their form keeps, that is told.
    named = max(usual, general(calls), key=lambda call: len(call.replace(VARYING, "")))
    return shortened(named if len(named) <= MAX_CALL else usual, MAX_CALL)


def way_out(rows: Sequence[TraceRow], worked: Counter[str]) -> list[tuple[TraceRow, str]]:
    """Those that went on with the command that most did; none when they went different ways."""
    past = [row for row in rows if row.trace.data["way"] in {"step", "instead", "rerun"}]
    ways = grouped((_way(row, then), (row, then)) for row in past for then in _then(row))

    def order(way: str) -> tuple[int, float, str]:
        commands = [then for _, then in ways[way]]
        return -_sessions(ways[way]), drawn(commands, len(rows), worked), way

    if not ways:
        return []
    most = ways[min(ways, key=order)]
    return most if _sessions(most) >= max(LEAST_WAYS, LEAST_SHARE * len(past)) else []


def _sessions(way: Sequence[tuple[TraceRow, str]]) -> int:
    return sessions_of(row for row, _ in way)


def _then(row: TraceRow) -> list[str]:
    """What a session did before the same call worked, or in its place."""
    data = row.trace.data
    return [data["then"], *data.get("before", ())] if data["then"] else []


def _way(row: TraceRow, then: str) -> str:
    return row.trace.data["way"] + " && ".join(forms_of(command_of(then)))


def drawn(commands: Sequence[str], times: int, worked: Counter[str]) -> float:
    """How often these would come next after `times` failures, drawn as they are used elsewhere."""
    forms = Counter(form for command in commands for form in forms_of(command_of(command))[-1:])
    rate = sum(count * (max(0, worked[form] - count) + 0.5) for form, count in forms.items())
    return max(LEAST_CHANCE, times * rate / (worked.total() + 1.0) / len(commands))


def refusals(chosen: Chosen) -> Iterator[Observation]:
    """Commands that several sessions were not allowed, far more often than others.

    What was refused in other calls of the same program was refused for other reasons.
    """
    worked = _forms_that_worked(chosen)
    refused = {rows[0].trace.key: rows for rows in shared(chosen, "refusal")}
    times = {key: sum(row.trace.times for row in rows) for key, rows in refused.items()}
    for key, rows in refused.items():
        throws = key == DISCARDING
        forms = Counter(row.trace.data.get("form", key) for row in rows)
        same = (form for form in worked if form in forms or (throws and discards(form.split())))
        ran = sum(worked[form] for form in same)
        calls = ran + times[key]
        if times[key] < REFUSED * calls:
            continue
        if throws:
            named = ", ".join(f"`{form}`" for form in _of_each_sort(forms)[:MOST_FORMS])
            text = "Calls that throw away or set aside what is in the working tree"
            text += f" ({named}) are refused by the person: look with `git show` and"
            text += " `git diff`, and ask before they are run"
            order = "To look at other code, read the files or use `git show` and `git diff`; ask"
            order += " before anything that throws away or sets aside what is in the working tree"
            order += f" ({named})"
            why = f"the person refused {times[key]} such calls"
        else:
            often = f"{times[key]} of {calls} calls" if ran else "every call"
            text = f"`{key}` is refused by the person ({often}): ask before it is run"
            order, why = f"Ask before `{key}` is run", f"the person refused {often}"
        others = sum(times.values()) - times[key]
        chance = max(LEAST_CHANCE, others / (worked.total() + others + 1.0) * calls)
        more = {"chance": chance, "order": order, "why": why}
        yield from observations("refusal", text, rows, _refused, **more)


def _of_each_sort(forms: Counter[str]) -> list[str]:
    """Forms of calls, the plainest of each subcommand first."""
    ordered = sorted(forms, key=lambda form: (-forms[form], VARYING in form.split()[2:3], form))
    first = {" ".join(form.split()[:2]): form for form in reversed(ordered)}
    return [*sorted(first.values()), *(form for form in ordered if form not in first.values())]


def _refused(row: TraceRow) -> str:
    said = row.trace.data["said"]
    return f"{row.trace.data['call']} was refused" + (f": {said[0]}" if said else "")
