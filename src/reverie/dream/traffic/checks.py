"""Checks: what the tests, linters and hooks of many sessions show about how they are run.

skipped  commits are stopped by a check that is not run before them
twice    a check is run although the next one runs it itself
broken   a test fails in session after session without anybody having broken it
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.dream.model import Observation
from reverie.dream.traffic.failures import runners
from reverie.dream.traffic.tally import Usual, sessions_of, several, told
from reverie.learn.traffic.commands import shortened
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, counted, shared, traces

UNRUN = 0.7  # share of the stopped commits before which the check had not been run
WITHIN = 0.34  # share of the sessions in which a check was run twice, from which it is told
UNTOUCHED = 0.5  # share of the sessions in which a failing test was not mended by an edit
MOST_TESTS = 2  # that are named
MAX_MESSAGE = 90


def skipped(chosen: Chosen) -> Iterator[Observation]:
    """Checks of a commit hook that sessions do not run before they commit."""
    calls = runners(chosen).call_of
    usual = Usual(counted(chosen, "hooked").values())
    for rows in shared(chosen, "hooked"):
        unrun = [row for row in rows if not row.trace.data["run"]]
        if len(unrun) < UNRUN * len(rows):
            continue
        step = Counter(row.trace.data["step"] for row in unrun).most_common(1)[0][0]
        call = calls.get(rows[0].trace.key, step)
        text = f"`git commit` is stopped by the hook's `{step}`{_said(unrun)}, which was not run"
        text += f" before: run `{call}` before `git commit`"
        chance = usual.without(sessions_of(rows))
        yield from told("check", text, unrun, _stopped, chance=chance)


def _said(rows: Sequence[TraceRow]) -> str:
    """What the check said, where most sessions heard the same."""
    said = Counter(row.trace.data["message"] for row in rows if row.trace.data["message"])
    message, times = said.most_common(1)[0] if said else ("", 0)
    return f" (“{shortened(message, MAX_MESSAGE)}”)" if 2 * times > len(rows) else ""


def _stopped(row: TraceRow) -> str:
    return f"git commit stopped by {row.trace.data['step']}: {row.trace.data['message']}"


def twice(chosen: Chosen) -> Iterator[Observation]:
    """Checks that are run right before another one that runs them itself."""
    for call, rows, chance in several((row.trace.key, row) for row in traces(chosen, "twice")):
        sessions = sessions_of(rows)
        within: dict[str, set[str]] = {}
        for row in rows:
            for form in row.trace.data["within"]:
                within.setdefault(form, set()).add(row.session)
        often = [form for form, where in within.items() if len(where) >= WITHIN * sessions]
        if often:
            named = " and ".join(f"`{form}`" for form in sorted(often))
            it = "it" if len(often) == 1 else "them"
            text = f"`{call}` runs {named} itself: run `{call}` alone instead of {it} before it"
            yield from told("check", text, rows, _before, chance=chance)


def _before(row: TraceRow) -> str:
    return f"{', '.join(row.trace.data['within'])} before {row.trace.data['call']}"


def broken(chosen: Chosen) -> Iterator[Observation]:
    """Tests that fail in several sessions and pass, or are left, without an edit."""
    usual = Usual(counted(chosen, "broken").values())
    told_at: set[str] = set()
    found = sorted(
        shared(chosen, "broken"), key=lambda rows: (-sessions_of(rows), rows[0].trace.key)
    )
    for rows in found:
        untouched = [row for row in rows if row.trace.data["way"] != "edited"]
        again = [row for row in rows if row.trace.data["way"] == "rerun"]
        fresh = [row for row in rows if row.evidence not in told_at]
        if len(untouched) <= UNTOUCHED * len(rows) or 2 * len(fresh) <= len(rows):
            continue
        told_at |= {row.evidence for row in rows}
        said = Counter(row.trace.data["message"] for row in rows).most_common(1)[0][0]
        text = f"The test “{rows[0].trace.key}” fails again and again"
        text += f" (“{shortened(said, MAX_MESSAGE)}”)" if said else ""
        if again:
            text += " and passes when it is run again: make it stable (a longer time-out, no shared"
            text += " state) instead of repeating it"
        else:
            text += " and is left so: mend it or report it before going on"
        yield from told("check", text, rows, _failed, chance=usual.without(sessions_of(rows)))


def _failed(row: TraceRow) -> str:
    went = {"rerun": "passed when run again", "edited": "mended by an edit"}
    way = went.get(row.trace.data["way"], "left failing")
    return f"{row.trace.data['call']} → {row.trace.data['message']}; {way}"
