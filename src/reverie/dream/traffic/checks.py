"""Checks: what the tests, linters and hooks of many sessions show about how they are run.

skipped  commits are stopped by a check that is not run before them
twice    a check is run although the next one runs it itself
broken   a test fails in session after session without anybody having broken it
unheard  an option that is to choose among the tests is not heard: all of them are run
"""

from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.data import patterns
from reverie.dream.model import Observation
from reverie.dream.proposals.rules import REMINDER, imperative
from reverie.dream.traffic.failures import runners
from reverie.dream.traffic.obstacles import order_of
from reverie.dream.traffic.tally import (
    LEAST_CHANCE,
    LEAST_SESSIONS,
    Usual,
    of_projects,
    sessions_of,
    told,
)
from reverie.learn.traffic.commands import shortened
from reverie.learn.traffic.failures import signature_of
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, counted, shared, traces

UNRUN = 0.7  # share of the stopped commits before which the check had not been run
WITHIN = 0.34  # share of the sessions in which a check was run twice, from which it is told
UNTOUCHED = 0.5  # share of the sessions in which a failing test was not mended by an edit
ACCIDENT = 0.5  # sessions in which a hook stops what had passed, where none shows it
OTHERS = 20  # tests and checks at least that are never seen to fail
MOST_NAMED = 2
MAX_NAME = 50
MAX_SAID = 60
ALL = 0.9  # share of the tests that are all of them, but for a few that came since
MAX_FAULT = 110  # where what it said is what to do
_RE = patterns("traffic.txt", "sequences")


def skipped(chosen: Chosen) -> Iterator[Observation]:
    """Checks of a commit hook that sessions do not run before they commit."""
    calls = runners(chosen).call_of
    for rows in of_projects(shared(chosen, "hooked")):
        # Where others tell more, a stop of which no word was shown may have been about anything.
        rows = [row for row in rows if row.trace.data["message"]] or rows
        unrun = [row for row in rows if not row.trace.data["run"]]
        if len(unrun) < UNRUN * len(rows):
            continue
        step = Counter(row.trace.data["step"] for row in unrun).most_common(1)[0][0]
        call = calls.get((rows[0].project, rows[0].trace.key), step)
        text = f"`git commit` is stopped by the hook's `{step}`"
        if _RE.mends.search(step):
            # What mends by itself stopped at what it cannot mend: to run it sooner does not help.
            heard = _heard(unrun)
            duty = _duty(shortened(heard[0].trace.data["message"], MAX_FAULT)) if heard else ""
            if not duty:
                continue
            unrun = heard
            text += f", which cannot mend it: {duty}"
            order = f"{duty[0].upper()}{duty[1:]} (the hook `{step}` cannot mend it)"
        else:
            heard = _heard(unrun)
            most = 2 * len(heard) > len(unrun)
            said = f" (“{shortened(heard[0].trace.data['message'], MAX_SAID)}”)" if most else ""
            text += f"{said}, which was not run before: run `{call}` before `git commit`"
            order = f"Run `{call}` before `git commit` (its hook stops at `{step}`)"
        # What stops a commit although it was run just before stops it by accident.
        chance = ACCIDENT + sessions_of(row for row in rows if row.trace.data["run"])
        key = "\0".join((rows[0].project, "skipped", rows[0].trace.key))
        more = {"call": "git commit", "order": order}
        yield from told("check", text, unrun, _stopped, key=key, chance=chance, **more)


def _duty(message: str) -> str:
    """What a linter wants ("X12 Lines should be short [Context: …]") as an order; "" if unsaid."""
    bare = _RE.around_duty.sub("", message).strip(" .:")
    order = imperative(f"{bare[:1].lower()}{bare[1:]}") if bare else REMINDER
    return "" if order.startswith(REMINDER) else f"{order[0].lower()}{order[1:]}"


def _heard(rows: Sequence[TraceRow]) -> list[TraceRow]:
    """Those that heard the same of the check, where half of them did."""
    said: dict[str, list[TraceRow]] = {}
    for row in rows:
        if row.trace.data["message"]:
            said.setdefault(signature_of("", row.trace.data["message"])[:MAX_SAID], []).append(row)
    usual: list[TraceRow] = max(said.values(), key=len) if said else []
    return usual if len(usual) > 1 and 2 * len(usual) >= len(rows) else []


def _stopped(row: TraceRow) -> str:
    return f"git commit stopped by {row.trace.data['step']}: {row.trace.data['message']}"


def twice(chosen: Chosen) -> Iterator[Observation]:
    """Checks that are run right before another one that runs them itself."""
    usual = Usual(counted(chosen, "twice").values(), unseen=OTHERS)
    for rows in of_projects(shared(chosen, "twice")):
        sessions = sessions_of(rows)
        within: dict[str, set[str]] = {}
        for row in rows:
            for form in row.trace.data["within"]:
                within.setdefault(form, set()).add(row.session)
        often = [form for form, where in within.items() if len(where) >= WITHIN * sessions]
        if often:
            call = Counter(row.trace.data["call"] for row in rows).most_common(1)[0][0]
            named = " and ".join(f"`{form}`" for form in sorted(often))
            text = f"`{call}` runs {named} itself: run `{call}` alone"
            key = "\0".join((rows[0].project, "twice", rows[0].trace.key))
            more = {"call": call, "order": f"Run `{call}` alone (it runs {named} itself)"}
            chance = usual.without(sessions)
            yield from told("check", text, rows, _before, key=key, chance=chance, **more)


def _before(row: TraceRow) -> str:
    return f"{', '.join(row.trace.data['within'])} before {row.trace.data['call']}"


class Suites:
    """How many tests there were when, by project and what their call is after."""

    def __init__(self, chosen: Chosen) -> None:
        self._whole: dict[tuple[str, str], list[tuple[str, int]]] = {}
        for row in traces(chosen, "tests"):
            if not row.trace.data["chooser"]:
                of = self._whole.setdefault((row.project, row.trace.data["aim"]), [])
                of += [(at, ran) for _, at, ran in row.trace.data["calls"]]

    def share(self, row: TraceRow) -> list[tuple[int, float]]:
        """The line of each call, and what share of the tests of that time it ran."""
        whole = sorted(self._whole.get((row.project, row.trace.data["aim"]), []))
        found: list[tuple[int, float]] = []
        for line, at, ran in row.trace.data["calls"]:
            place = bisect(whole, (at, 0))
            near = whole[max(0, place - 1) : place + 1]
            found += [(line, ran / min(count for _, count in near))] if near else []
        return found


def unheard(chosen: Chosen) -> Iterator[Observation]:
    """Calls of one form that run all tests although they were to choose some."""
    suites = Suites(chosen)
    chosen_from: dict[tuple[str, str, str], dict[str, list[tuple[TraceRow, list[float]]]]] = {}
    for row in traces(chosen, "tests"):
        data = row.trace.data
        if data["chooser"] and (shares := suites.share(row)):
            forms = chosen_from.setdefault((row.project, data["aim"], data["chooser"]), {})
            forms.setdefault(row.trace.key, []).append((row, [share for _, share in shares]))
    for (project, _, chooser), forms in sorted(chosen_from.items()):
        heard = {form: [min(shares) < ALL for _, shares in seen] for form, seen in forms.items()}
        for form, seen in forms.items():
            rows = [row for row, _ in seen]
            if any(heard[form]) or sessions_of(rows) < LEAST_SESSIONS:
                continue
            others = [other for other in forms if all(heard[other])]
            better = max(others, key=lambda other: len(forms[other]), default="")
            advice = f"use `{better}` instead" if better else f"leave out `{chooser}`"
            fails = f"runs all the tests, whatever `{chooser}` is given"
            key = "\0".join((project, "unheard", form))
            more = {"call": form, "order": order_of(form, fails, advice), "lasting": 1.0}
            text = f"`{form}` {fails}: {advice}"
            yield from told("fix", text, rows, _all_of, key=key, chance=LEAST_CHANCE, **more)


def _all_of(row: TraceRow) -> str:
    ran = " and ".join(dict.fromkeys(str(ran) for _, _, ran in row.trace.data["calls"]))
    return f"{row.trace.key} ran {ran} tests, as many as there are"


def broken(chosen: Chosen) -> Iterator[Observation]:
    """Tests that fail in several sessions and pass, or are left, without an edit."""
    counts = counted(chosen, "broken")
    usual = Usual(counts.values(), unseen=OTHERS)
    by_message: dict[tuple[str, str], list[TraceRow]] = {}
    for rows in of_projects(shared(chosen, "broken")):
        untouched = [row for row in rows if row.trace.data["way"] != "edited"]
        if len(untouched) > UNTOUCHED * len(rows):
            said = Counter(signature_of("", row.trace.data["message"])[:MAX_SAID] for row in rows)
            suite = rows[0].trace.key.partition(" › ")[0]
            alike = (rows[0].project, said.most_common(1)[0][0] or suite)
            by_message.setdefault(alike, []).extend(rows)
    for rows in by_message.values():
        # Tests that fail with the same words fail for the same reason.
        names = Counter(row.trace.key for row in rows)
        most = max(counts[name] for name in names)
        first = {row.evidence: row for row in reversed(rows)}
        text = _unstable(list(first.values()), names)
        key = "\0".join((rows[0].project, "broken", text))
        chance = usual.without(most)
        calls = Counter(row.trace.data["call"] for row in rows)
        more = {"type": "project", "call": calls.most_common(1)[0][0]}
        yield from told("check", text, rows, _failed, key=key, chance=chance, **more)


def _unstable(rows: Sequence[TraceRow], names: Counter[str]) -> str:
    said = Counter(row.trace.data["message"] for row in rows).most_common(1)[0][0]
    often = sorted(names, key=lambda name: (-names[name], name))[:MOST_NAMED]
    tests = " and ".join(f"“{shortened(name, MAX_NAME)}”" for name in often)
    many = len(often) > 1
    text = f"The test{'s' * many} {tests} fail{'' if many else 's'} again and again"
    text += f" (“{shortened(said, MAX_SAID)}”)" if said else ""
    it = "them" if many else "it"
    if any(row.trace.data["way"] == "rerun" for row in rows):
        return f"{text} and pass{'' if many else 'es'} on a second run: make {it} stable"
    if any(row.trace.data["way"] == "edited" for row in rows):
        return f"{text}: mend {it} for good, or report {it}"
    return f"{text} and {'are' if many else 'is'} left so: mend {it} or report {it}"


def _failed(row: TraceRow) -> str:
    went = {"rerun": "passed when run again", "edited": "mended by an edit"}
    way = went.get(row.trace.data["way"], "left failing")
    return f"{row.trace.data['call']} → {row.trace.data['message']}; {way}"
