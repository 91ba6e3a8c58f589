"""Obstacles: what several sessions ran into, and the way past it.

repairs   the same call that fails, and what works in its place, what has to come before it, or
          where it has to run
refusals  commands that the person does not let run
detours   the same long way round to the same call
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from reverie.data import patterns
from reverie.dream.model import Observation
from reverie.dream.traffic.failures import Failed, alike
from reverie.dream.traffic.mends import Mended, general, mended
from reverie.dream.traffic.tally import LEAST_CHANCE, sessions_of, several, told
from reverie.learn.traffic.commands import (
    VARYING,
    command_of,
    discards,
    forms_of,
    shortened,
)
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
AGAIN = " and run it again"
OUTSIDE = "run it outside the sandbox"  # holds as long as there is one

# What is wrong with the call itself, whatever the day: it is better left out.
_LASTING = frozenset({"missing-command", "usage", "tool"})
_OF_THE_CALL = frozenset({*_LASTING, "code"})
_RE = patterns("traffic.txt", "obstacles")


def repairs(chosen: Chosen) -> Iterator[Observation]:
    """What all calls have that got past a failure, then other ways past one."""
    worked = _worked(chosen)
    found = [
        (failed, way) for failed in alike(chosen) if (way := _way_past(failed, worked)) is not None
    ]
    pairs = list(mended(chosen))
    claimed = {place for pair in pairs for place in pair.places}
    for pair in pairs:
        yield from _mended(pair)
    # The line that most sessions share speaks for a failure; where two do, what says more.
    found.sort(key=lambda pair: (-len(pair[0].rows), pair[0].rank, pair[0].said))
    spoken: set[tuple[str, str]] = set()
    for failed, way in found:
        places = failed.places
        helped = (failed.aim, way.advice)
        if helped not in spoken and sum(map(claimed.__contains__, places)) < BESIDES * len(places):
            key = f"{failed.said}\0{failed.aim}"
            rows, chance = failed.rows, way.chance
            more: dict[str, Any] = {"chance": chance, "call": _call(rows), "order": way.order}
            more |= {"lasting": 1.0} if way.advice == OUTSIDE else {}
            yield from told("fix", way.text, rows, _call_and_message, key=key, **more)
        spoken.add(helped)
        claimed.update(places)


class _WayPast(NamedTuple):
    """A failure in words, and what to do."""

    failure: str
    advice: str
    order: str
    chance: float

    @property
    def text(self) -> str:
        return f"{self.failure}: {self.advice}"


def _mended(pair: Mended) -> Iterator[Observation]:
    message = _usual_message([row.trace.data["message"] for row in pair.rows])
    step, _, then = pair.worked.rpartition(" && ")
    # A shell of its own does not know what another one was told.
    first = then == pair.failed and not _RE.prepares.match(step)
    advice = _advice(step if first else pair.worked, instead=not first)
    fails = f"fails with “{message}”"
    text = f"`{pair.failed}` {fails}: {advice}"
    # Where the same program is called otherwise, it is not the call that has to be kept out.
    gone = pair.failed.split()[0] not in pair.worked.split()
    told_of = {"failed": pair.failed, "message": message, "fix": pair.worked} if gone else {}
    told_of |= {"key": pair.rows[0].trace.key, "call": pair.failed}
    told_of |= {"order": order_of(pair.failed, fails, advice)}
    yield from told("fix", text, pair.rows, _pair, chance=pair.chance, **told_of)


def _pair(row: TraceRow) -> str:
    data = row.trace.data
    return f"{data['failed']} → {data['message']}; {data['worked']} worked"


def _quoted(message: str) -> str:
    return shortened(message, MAX_MESSAGE).replace("`", "'")


def _usual_message(messages: Sequence[str]) -> str:
    """The message that was met most; where all differ, what they share."""
    counts = Counter(map(_quoted, messages))
    most = max(sorted(counts), key=lambda message: counts[message])
    if 2 * counts[most] > len(messages):
        return most
    return shortened(general([message.replace("`", "'") for message in messages]), MAX_MESSAGE)


def _worked(chosen: Chosen) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in traces(chosen, "runs"):
        counts.update(form for form, _ in row.trace.data)
    return counts


def _way_past(failed: Failed, worked: Counter[str]) -> _WayPast | None:
    """The way past a failure; None where sessions show none."""
    rows, where, chance = failed.rows, "", failed.chance
    trouble = rows[0].trace.data["trouble"]
    ways = Counter(row.trace.data["way"] for row in rows)
    if ways["escalated"] and not ways["rerun"] and trouble not in _OF_THE_CALL:
        where, advice = " in the agent's sandbox", OUTSIDE
    elif "git" in failed.aim.split()[:2] and trouble != "usage":
        return None  # the state of a repository is another one tomorrow
    elif way := way_out(rows):
        commands = [row.trace.data["then"] for row in way]
        advice = _advice(general(commands), instead=way[0].trace.data["way"] == "instead")
        chance = max(chance, drawn(commands, len(rows), worked))
    elif trouble in _LASTING and not _ever_worked(rows, ways, worked):
        advice = f"leave out `{_call(rows)}`, which never worked here"
    else:
        return None
    message = _usual_message([row.trace.data["message"] for row in rows])
    fails = f"fails{where} with “{message}”"
    if _RE.runs_nothing.search(message):
        fails = "runs no test, although it ends well"
    order = order_of(_call(rows), fails, advice)
    return _WayPast(f"`{_call(rows)}` {fails}", advice, order, chance)


def order_of(call: str, fails: str, advice: str) -> str:
    """What to do about a call that fails, in one order, and why."""
    what = advice.replace("it ", f"`{call}` ", 1) if advice == OUTSIDE else advice
    what = what[0].upper() + what[1:]
    if what.endswith(AGAIN):  # only what is in the way: it may be somebody's
        return f"Where `{call}` {fails}, {advice}"
    if what.endswith(" first"):
        return f"{what.removesuffix(' first')} before `{call}` (it {fails} otherwise)"
    if what.endswith(" instead"):
        return f"{what.removesuffix(' instead')}, not `{call}` (it {fails})"
    return f"{what} (it {fails})"


def _advice(command: str, *, instead: bool) -> str:
    if instead:
        return f"use `{command}` instead"
    removed = _RE.removes.match(command)
    return f"delete `{removed[1]}`{AGAIN}" if removed else f"run `{command}` first"


def _call(rows: Sequence[TraceRow]) -> str:
    """The call in its usual form, through a runner where most made it so."""
    counts = Counter(row.trace.data["call"] for row in rows)
    most = min(counts, key=lambda call: (-counts[call], call))
    if 2 * counts[most] > len(rows) and len(most) <= MAX_CALL:
        return most
    forms = Counter(row.trace.data["form"] for row in rows)
    usual = min(forms, key=lambda form: (-forms[form], form))
    # Where the calls agree in more than their form keeps, that is told.
    named = max(usual, general(list(counts)), key=lambda call: len(call.replace(VARYING, "")))
    return shortened(named if len(named) <= MAX_CALL else usual, MAX_CALL)


def _ever_worked(rows: Sequence[TraceRow], ways: Counter[str], worked: Counter[str]) -> bool:
    forms = {row.trace.data["form"] for row in rows}
    return bool(ways["rerun"] + ways["step"]) or any(worked[form] for form in forms)


def _call_and_message(row: TraceRow) -> str:
    return f"{row.trace.data['call']} → {row.trace.data['message']}"


def way_out(rows: Sequence[TraceRow]) -> list[TraceRow]:
    """Those that went on with the command that most did; none when they went different ways."""
    ways: dict[str, list[TraceRow]] = {}
    past = 0
    for row in rows:
        if row.trace.data["way"] in {"step", "instead", "rerun"}:
            past += 1
        if row.trace.data["way"] in {"step", "instead"}:
            form = " && ".join(forms_of(command_of(row.trace.data["then"])))
            ways.setdefault(row.trace.data["way"] + form, []).append(row)
    if not ways:
        return []
    way = min(ways, key=lambda way: (-sessions_of(ways[way]), way))
    enough = max(LEAST_WAYS, LEAST_SHARE * past)
    return ways[way] if sessions_of(ways[way]) >= enough else []


def drawn(commands: Sequence[str], times: int, worked: Counter[str]) -> float:
    """How often these would come next after `times` failures, drawn as they are used elsewhere."""
    own = Counter(form for command in commands for form in forms_of(command_of(command))[-1:])
    rate = sum(count * (max(0, worked[form] - count) + 0.5) for form, count in own.items())
    return max(LEAST_CHANCE, times * rate / (worked.total() + 1.0) / len(commands))


def refusals(chosen: Chosen) -> Iterator[Observation]:
    """Commands that several sessions were not allowed, far more often than others.

    What was refused in other calls of the same program was refused for other reasons.
    """
    worked = _worked(chosen)
    refused = {rows[0].trace.key: rows for rows in shared(chosen, "refusal")}
    times = {key: sum(row.trace.times for row in rows) for key, rows in refused.items()}
    for key, rows in refused.items():
        others = sum(times.values()) - times[key]
        rate = others / (worked.total() + others + 1.0)
        forms = Counter(row.trace.data.get("form", key) for row in rows)
        throws = key == DISCARDING
        ran = sum(
            n for form, n in worked.items() if form in forms or (throws and discards(form.split()))
        )
        made = ran + times[key]
        if times[key] >= REFUSED * made:
            often = f"{times[key]} of {made} calls" if ran else "every call"
            text = f"`{key}` is refused by the person ({often}): ask before it is run"
            named = ", ".join(f"`{form}`" for form in _of_each_sort(forms)[:MOST_FORMS])
            if throws:
                text = "Calls that throw away or set aside what is in the working tree"
                text += f" ({named}) are refused by the person: look with `git show` and"
                text += " `git diff`, and ask before they are run"
            order = f"Ask before `{key}` is run (the person refuses it)"
            if throws:
                order = "Look with `git show` and `git diff`, and ask before anything that throws"
                order += f" away or sets aside what is in the working tree ({named}): the person"
                order += " refuses such calls"
            chance = max(LEAST_CHANCE, rate * made)
            yield from told("refusal", text, rows, _refused, chance=chance, order=order)


def _of_each_sort(forms: Counter[str]) -> list[str]:
    """Forms of calls, the plainest of each subcommand first."""
    ordered = sorted(forms, key=lambda form: (-forms[form], VARYING in form.split()[2:3], form))
    first = {" ".join(form.split()[:2]): form for form in reversed(ordered)}
    return [*sorted(first.values()), *(form for form in ordered if form not in first.values())]


def _refused(row: TraceRow) -> str:
    said = row.trace.data["said"]
    return f"{row.trace.data['call']} was refused" + (f": {said[0]}" if said else "")


def detours(chosen: Chosen) -> Iterator[Observation]:
    """What several sessions came to only after other calls had failed."""
    for _, rows, chance in several((row.trace.key, row) for row in traces(chosen, "detour")):
        worked, tries = rows[0].trace.data["worked"], rows[0].trace.data["tries"]
        vain = ", ".join(f"`{one}`" for one in tries if one != worked) or f"`{tries[0]}`"
        text = f"Start with `{worked}`: sessions came to it only after {vain} had failed"
        yield from told("detour", text, rows, _way_round, chance=chance)


def _way_round(row: TraceRow) -> str:
    return f"{row.trace.failed} calls failed before {row.trace.data['shown']} worked"
