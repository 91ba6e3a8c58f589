"""Habits: what a model is shown of calls that worked, and of what people were told.

The rules find calls that follow each other to the letter, and answers that name one value each
time. Who reads needs less: which calls the same sessions ran, whatever stood between them, and what
was answered to a short question.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from reverie.data import word_sets
from reverie.dream.model import Observation
from reverie.dream.traffic.mends import general
from reverie.dream.traffic.tally import observed
from reverie.learn.traffic.commands import act_of, command_of, form_of
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, traces

FEWEST_CALLS = 2
TOGETHER = 0.66  # of the sessions of a call run the other one, too
MOST = 12  # habits that are told
LONGEST_CALL = 90  # characters

_EVERYDAY = word_sets("traffic.txt", "sequences").everyday

# Of each session that ran a call of one form: where it did so first.
Runs = Mapping[str, tuple[TraceRow, int]]


def told(chosen: Chosen) -> dict[str, Observation]:
    """Where a person asked for a fact → what the agent answered."""
    return {
        row.evidence: observed("question", answer, row, quote=f"{row.trace.key} — {answer}")
        for row in traces(chosen, "inquiry")
        if (answer := row.trace.data["answer"])
    }


def habits(chosen: Chosen, least: int) -> Iterator[tuple[tuple[str, ...], list[Observation]]]:
    """Calls that at least so many sessions ran together, and where each of these began."""
    runs: defaultdict[str, dict[str, tuple[TraceRow, int]]] = defaultdict(dict)
    for row in traces(chosen, "runs"):
        for form, line in row.trace.data:
            runs[form].setdefault(row.session, (row, line))
    often = [form for form, seen in runs.items() if len(seen) >= least and _is_own(form)]
    often.sort(key=lambda form: (-len(runs[form]), form))
    families: list[list[str]] = []
    for form in often:
        near = (family for family in families if _together(runs[family[0]], runs[form]))
        if (joined := next(near, None)) is not None:
            joined.append(form)
        else:
            families.append([form])
    families = [family for family in families if len(family) >= FEWEST_CALLS][:MOST]
    in_full = _in_full({form: runs[form] for family in families for form in family}, chosen)
    for family in families:
        sessions = [s for s in runs[family[0]] if sum(s in runs[form] for form in family) > 1]
        if len(sessions) < least:
            continue
        ordered = sorted(family, key=lambda form: _place(form, family, runs, sessions))
        calls = tuple(in_full[form] for form in ordered)
        shown = ", ".join(f"`{call}`" for call in calls)
        text = f"{shown} are run by the same sessions, mostly in this order"
        first = {s: min(runs[form][s][1] for form in family if s in runs[form]) for s in sessions}
        yield (
            calls,
            [
                observed(
                    "sequence", text, runs[family[0]][session][0], evidence=f"{session}#{line}"
                )
                for session, line in first.items()
            ],
        )


def _is_own(form: str) -> bool:
    """Whether a call does something that not any repository has done."""
    words = form.split()
    return act_of(words) in {"run", "ship"} and _EVERYDAY.isdisjoint(words[:2])


def _together(runs: Runs, other: Runs) -> bool:
    return len(runs.keys() & other.keys()) >= TOGETHER * max(len(runs), len(other))


def _place(
    form: str, family: Sequence[str], runs: Mapping[str, Runs], sessions: Sequence[str]
) -> float:
    """After how many of the other calls it comes, on average."""
    held = [session for session in sessions if session in runs[form]]
    before = sum(
        runs[other][session][1] < runs[form][session][1]
        for session in held
        for other in family
        if session in runs[other]
    )
    return before / max(1, len(held))


def _in_full(runs: Mapping[str, Runs], chosen: Chosen) -> dict[str, str]:
    """Form → the call as it was typed, with what differed left open."""
    places: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for form, seen in runs.items():
        for session, (_, line) in seen.items():
            places[session, line].append(form)
    typed: defaultdict[str, list[str]] = defaultdict(list)
    sessions = tuple(dict.fromkeys(session for session, _ in places))
    for row in traces(Chosen(chosen.database, sessions), "ran") if sessions else ():
        for line, _, text in row.trace.data:
            for form in places.get((row.session, line), ()):
                parts = (" ".join(part) for part in command_of(text).acts if form_of(part) == form)
                typed[form] += [*parts][:1]
    whole = {form: general(typed[form]) if typed[form] else form for form in runs}
    return {
        form: call if len(call) <= LONGEST_CALL and "\n" not in call else form
        for form, call in whole.items()
    }
