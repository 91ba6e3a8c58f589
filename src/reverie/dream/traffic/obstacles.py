"""Obstacles: what several sessions ran into, and the way past it.

repairs   the same call that fails, and what works in its place; of calls that fail alike and
          have no fix that looks like them, either the same other command worked right
          afterwards each time, or nothing did, and the call is better left out
detours   the same long way round to the same call
misedits  edits that keep failing because the file is not what the agent takes it for
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.dream.model import Cost, Observation
from reverie.dream.traffic.tally import LEAST_CHANCE, observed, sessions_of, several, told
from reverie.learn.traffic.commands import VARYING, command_of, forms_of, shortened
from reverie.learn.traffic.failures import SURROUNDINGS
from reverie.sessions.derived import Chosen
from reverie.sessions.fixes import FixRow, fixes
from reverie.sessions.traces import TraceRow, counted, shared, traces

MAX_MESSAGE = 90
MOST_FAIL = 0.15  # no more calls than this fail by accident
LEAST_SHARE = 0.5  # of the sessions that met a failure must have gone on with the same command
RARER = 0.5  # a way out that is so much rarer than the usual one of the same failure says nothing
MISSES = 0.1  # share of editing sessions in which an edit misses by accident
NAMED = 0.25  # share of the failed edits that a file must have to be named

# Troubles of one day: the next session is not warned by them.
_PASSING = frozenset({"network", "busy", "git"})


def repairs(chosen: Chosen) -> Iterator[Observation]:
    """Fixes that several sessions found, then failures for which no session knew one."""
    worked = _worked(chosen)
    met = counted(chosen, "failure")
    shared_fixes = [rows for _, rows, _ in several((row.form, row) for row in fixes(chosen))]
    known = {row.signature for rows in shared_fixes for row in rows}
    for rows in _usual(shared_fixes):
        yield from _fixed(rows, worked, met)
    for rows in shared(chosen, "failure"):
        if rows[0].trace.key not in known:
            yield from failures(rows, met.total(), worked)


def _usual(found: Sequence[list[FixRow]]) -> Iterator[list[FixRow]]:
    """Of different ways out of one failure the usual one."""
    most: Counter[str] = Counter()
    for rows in found:
        for signature in {row.signature for row in rows}:
            most[signature] = max(most[signature], len(rows))
    for rows in found:
        if len(rows) > RARER * max(most[row.signature] for row in rows):
            yield rows


def general(calls: Sequence[str]) -> str:
    """One call for several: the words they share, `…` where they differ."""
    cut = [call.split() for call in dict.fromkeys(calls)]
    if len({len(words) for words in cut}) == 1:
        return " ".join(map(_shared, zip(*cut, strict=True)))
    first = min(cut, key=lambda words: (len(words), words))
    same = 0
    while same < len(first) and all(words[same] == first[same] for words in cut):
        same += 1
    return " ".join([*first[:same], VARYING])


def _shared(words: Sequence[str]) -> str:
    if len(set(words)) == 1:
        return words[0]
    names = {word.partition("=")[0] for word in words if "=" in word}
    return f"{names.pop()}={VARYING}" if len(names) == 1 else VARYING


def _fixed(
    rows: Sequence[FixRow], worked: Counter[str], met: Counter[str]
) -> Iterator[Observation]:
    failed, fix = general([row.failed for row in rows]), general([row.fix for row in rows])
    messages = Counter(_quoted(row.message) for row in rows)
    message = max(sorted(messages), key=lambda message: messages[message])
    text = f"`{failed}` fails with “{message}”: use `{fix}` instead"
    times = max(sum(met[signature] for signature in {row.signature for row in rows}), len(rows))
    chance = drawn([row.fix for row in rows], times, worked)
    for row in rows:
        yield observed(
            "fix",
            text,
            row.session,
            row.project,
            at=row.at,
            evidence=row.id,
            key=row.form,
            quote=f"{row.failed} → {row.message}; {row.fix} worked",
            cost=Cost(row.tries, round(row.seconds / 60, 2), row.tokens),
            chance=chance,
        )


def _quoted(message: str) -> str:
    return shortened(message, MAX_MESSAGE).replace("`", "'")


def _worked(chosen: Chosen) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in traces(chosen, "runs"):
        counts.update(form for form, _ in row.trace.data)
    return counts


def failures(rows: Sequence[TraceRow], failed: int, worked: Counter[str]) -> Iterator[Observation]:
    """What several sessions failed with in one way, with the way out where there is one.

    `failed` failures of any sort were met, and `worked` counts the forms that worked.
    """
    fail = failed / (failed + worked.total() + 1.0)
    for form, members, _ in several((row.trace.data["form"], row) for row in rows):
        went = way_out(members)
        if went:
            commands = [command_of(row.trace.data["then"]).shown() for row in went]
            yield from _told(form, went, general(commands), drawn(commands, len(members), worked))
        elif not worked[form] and _lasting(members[0]):
            chance = max(LEAST_CHANCE, sessions_of(members) * min(fail, MOST_FAIL))
            yield from _told(form, members, "", chance)


def way_out(members: Sequence[TraceRow]) -> list[TraceRow]:
    """Those that went on with the command that most did; none when they went different ways."""
    ways: dict[str, list[TraceRow]] = {}
    for row in members:
        if then := row.trace.data["then"]:
            ways.setdefault(" && ".join(forms_of(command_of(then))), []).append(row)
    if not ways:
        return []
    way = min(ways, key=lambda way: (-sessions_of(ways[way]), way))
    several = sessions_of(ways[way]) >= max(2, LEAST_SHARE * len(members))
    return ways[way] if several else []


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
    text = f"`{failed}` fails with “{_quoted(rows[0].trace.data['message'])}”"
    text += f": `{then}` helped each time" if then else " in every session: leave it out"
    key = "\0".join(("failed", form, rows[0].trace.key))
    yield from told("fix", text, rows, _call, key=key, chance=chance)


def _call(row: TraceRow) -> str:
    return f"{row.trace.data['call']} → {row.trace.data['message']}"


def detours(chosen: Chosen) -> Iterator[Observation]:
    """What several sessions came to only after other calls had failed."""
    for _, rows, chance in several((row.trace.key, row) for row in traces(chosen, "detour")):
        worked, tries = rows[0].trace.data["worked"], rows[0].trace.data["tries"]
        vain = ", ".join(f"`{one}`" for one in tries if one != worked) or f"`{tries[0]}`"
        text = f"Start with `{worked}`: sessions came to it only after {vain} had failed"
        yield from told("detour", text, rows, _way_round, chance=chance)


def _way_round(row: TraceRow) -> str:
    return f"{row.trace.failed} calls failed before {row.trace.data['shown']} worked"


def misedits(chosen: Chosen) -> Iterator[Observation]:
    """Ways in which edits of many sessions failed."""
    working = sum(1 for _ in traces(chosen, "edited"))
    chance = max(LEAST_CHANCE, MISSES * working)
    for rows in shared(chosen, "misedit"):
        if len(rows) > chance:
            yield from _missed(rows, chance)


def _missed(rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    data = rows[0].trace.data
    calls = sum(row.trace.failed for row in rows)
    message = _quoted(data["message"]).rstrip(".")
    text = f"`{data['tool']}` fails again and again with “{message}” ({calls} calls)"
    files = Counter(file for row in rows for file in row.trace.data["files"])
    often = min(files, key=lambda file: (-files[file], file), default="")
    if often and files[often] >= NAMED * calls:
        text += f", most often in `{often}`"
    text += ": look at the exact text, its tabs and line ends, right before an edit"
    yield from told("misedit", text, rows, _failed, chance=chance)


def _failed(row: TraceRow) -> str:
    return f"{row.trace.failed} failed: {row.trace.data['message']}"
