"""Checks: what the tests, linters and hooks of many sessions show about how they are run.

skipped  commits are stopped by a check that is not run before them
unheard  an option that is to choose among the tests is not heard: all of them are run
"""

from bisect import bisect
from collections.abc import Iterator, Sequence

from reverie.data import patterns
from reverie.dream.model import Observation
from reverie.dream.proposals.rules import REMINDER, imperative
from reverie.dream.traffic.failures import runners
from reverie.dream.traffic.obstacles import order_of
from reverie.dream.traffic.tally import (
    LEAST_CHANCE,
    LEAST_SESSIONS,
    commonest,
    grouped,
    observations,
    of_projects,
    sessions_of,
)
from reverie.learn.traffic.commands import shortened
from reverie.learn.traffic.failures import signature_of
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, shared, traces

UNRUN = 0.7  # share of the stopped commits before which the check had not been run
ACCIDENT = 0.5  # sessions in which a hook stops what had passed, where none shows it
MAX_SAID = 60
ALL = 0.9  # share of the tests that are all of them, but for a few that came since
MAX_FAULT = 110  # where what it said is what to do
_RE = patterns("traffic.txt", "sequences")


def skipped(chosen: Chosen) -> Iterator[Observation]:
    """Checks of a commit hook that sessions do not run before they commit."""
    calls = runners(chosen).call_of
    for rows in of_projects(shared(chosen, "hooked")):
        # Where others tell more, a stop of which no word was shown may have been about anything.
        rows = [row for row in rows if _message(row)] or rows
        unrun = [row for row in rows if not row.trace.data["run"]]
        if len(unrun) < UNRUN * len(rows):
            continue
        project, aim = rows[0].project, rows[0].trace.key
        step = commonest(row.trace.data["step"] for row in unrun)
        heard = _heard(unrun)
        text = f"`git commit` is stopped by the hook's `{step}`"
        if _RE.mends.search(step):
            # What mends by itself stopped at what it cannot mend: to run it sooner does not help.
            duty = _duty(shortened(_message(heard[0]), MAX_FAULT)) if heard else ""
            if not duty:
                continue
            unrun = heard
            text += f", which cannot fix it: {duty}"
            order = f"{duty[0].upper()}{duty[1:]}"
            why = f"`{step}`, which each commit runs, refuses the commit and cannot fix it"
        else:
            call = calls.get((project, aim), step)
            if 2 * len(heard) > len(unrun):
                text += f" (“{shortened(_message(heard[0]), MAX_SAID)}”)"
            text += f", which was not run before: run `{call}` before `git commit`"
            order = f"Run `{call}` before `git commit`"
            why = f"its hook runs `{step}`, and refuses the commit otherwise"
        # What stops a commit although it was run just before stops it by accident.
        chance = ACCIDENT + sessions_of(row for row in rows if row.trace.data["run"])
        more = {"key": "\0".join((project, "skipped", aim)), "call": "git commit", "order": order}
        more["why"] = why
        yield from observations(
            "check", text, unrun, "git commit stopped by {step}: {message}", chance=chance, **more
        )


def _message(row: TraceRow) -> str:
    return row.trace.data["message"]


def _signature(row: TraceRow) -> str:
    return signature_of("", _message(row))[:MAX_SAID]


def _duty(message: str) -> str:
    """What a linter wants ("X12 Lines should be short [Context: …]") as an order; "" if unsaid."""
    bare = _RE.around_duty.sub("", message).strip(" .:")
    order = imperative(f"{bare[:1].lower()}{bare[1:]}") if bare else REMINDER
    return "" if order.startswith(REMINDER) else f"{order[0].lower()}{order[1:]}"


def _heard(rows: Sequence[TraceRow]) -> list[TraceRow]:
    """Those that heard the same of the check, where half of them did."""
    by_message = grouped((_signature(row), row) for row in rows if _message(row))
    most = max(by_message.values(), key=len) if by_message else list[TraceRow]()
    return most if len(most) > 1 and 2 * len(most) >= len(rows) else []


def unheard(chosen: Chosen) -> Iterator[Observation]:
    """Calls of one form that run all tests although they were to choose some."""
    whole: dict[tuple[str, str], list[tuple[str, int]]] = {}  # when how many tests there were
    choosing: list[TraceRow] = []
    for row in traces(chosen, "tests"):
        if row.trace.data["chooser"]:
            choosing.append(row)
        else:
            counts = [(at, ran) for _, at, ran in row.trace.data["calls"]]
            whole.setdefault(_suite(row), []).extend(counts)
    suites = {suite: sorted(counts) for suite, counts in whole.items()}
    known = [row for row in choosing if _suite(row) in suites]
    choosers = grouped(((*_suite(row), row.trace.data["chooser"]), row) for row in known)
    for (project, _, chooser), rows in sorted(choosers.items()):
        forms = grouped((row.trace.key, row) for row in rows)
        heard = {
            form: [_chose(row, suites[_suite(row)]) for row in calls]
            for form, calls in forms.items()
        }
        for form, calls in forms.items():
            if any(heard[form]) or sessions_of(calls) < LEAST_SESSIONS:
                continue
            others = [other for other in forms if all(heard[other])]
            better = max(others, key=lambda other: len(forms[other]), default="")
            advice = f"use `{better}` instead" if better else f"leave out `{chooser}`"
            fails = f"runs all the tests, whatever `{chooser}` is given"
            rule = order_of(form, fails, advice)
            more = {"order": rule.order, "why": rule.reason}
            more |= {"lasting": 1.0, "chance": LEAST_CHANCE}
            more |= {"key": "\0".join((project, "unheard", form)), "call": form}
            yield from observations("fix", f"`{form}` {fails}: {advice}", calls, _all_of, **more)


def _suite(row: TraceRow) -> tuple[str, str]:
    return row.project, row.trace.data["aim"]


def _chose(row: TraceRow, counts: Sequence[tuple[str, int]]) -> bool:
    """Whether a call of a session ran fewer tests than there were just before or after it."""
    for _, at, ran in row.trace.data["calls"]:
        place = bisect(counts, (at, 0))
        near = counts[max(0, place - 1) : place + 1]
        if ran / min(count for _, count in near) < ALL:
            return True
    return False


def _all_of(row: TraceRow) -> str:
    ran = " and ".join(dict.fromkeys(str(ran) for _, _, ran in row.trace.data["calls"]))
    return f"{row.trace.key} ran {ran} tests, as many as there are"
