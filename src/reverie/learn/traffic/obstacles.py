"""Obstacles: what stood in the way of a session, as traces for a dream.

Calls that failed alike, calls that the person refused, detours before a call that
worked: whoever knows them beforehand passes.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from reverie.data import patterns, word_sets
from reverie.learn.diary.tasks import elapsed, spent
from reverie.learn.traffic.attempts import Attempt, is_bookkeeping, relative
from reverie.learn.traffic.commands import base, discards, form_of, reads_files, shortened
from reverie.learn.traffic.outputs import Problem, aim_of, failing, problems, readable
from reverie.learn.traffic.ways import WAYS, Way, way_out
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace, What

MOST_LINES = 6  # of one failure in one session that are told
MOST_NOISE = 40
MAX_SAID = 160
DISCARDING = "discards"  # the key of refusals of calls that throw changes away

# Detours.
LEAST = 3  # failed calls
REACH = 12  # calls between two failures of one detour
MAX_TRIES = 4  # that are told

_RE = patterns("traffic.txt", "obstacles")
_WORDS = word_sets("traffic.txt", "traces")
_NO_CALLS = frozenset({"edit", "ask", "delegate"})
_CHECKS = frozenset({"check", "ship"})


def failures(turns: Sequence[Turn], tried: Sequence[Attempt], root: str) -> Iterator[Trace]:
    """Failures by what they were after and by each line that may tell why."""
    groups: dict[str, list[tuple[Attempt, Problem, Way]]] = {}
    ranks: dict[str, int] = {}
    for place, one in enumerate(tried):
        if not _teaches(one):
            continue
        way = way_out(turns, tried, place)
        aim, found = told(one, root)
        for rank, problem in enumerate(found):
            for signature in dict.fromkeys((problem.signature, problem.general)):
                ranks.setdefault(f"{signature}\n{aim}", rank)
                groups.setdefault(f"{signature}\n{aim}", []).append((one, problem, way))
    for key, members in groups.items():
        first, problem, way = min(members, key=lambda member: WAYS.index(member[2].kind))
        data = {
            "call": first.shown,
            "form": first.form,
            "aim": key.rpartition("\n")[2],
            "message": problem.message,
            "rank": ranks[key],
            "trouble": first.failure.trouble if first.failure else "unknown",
            "way": way.kind,
            "then": way.command.replace(f"{relative(root, '')}/", "") if root else way.command,
            "lines": [one.line for one, _, _ in members][:MOST_LINES],
        }
        end = tried[way.end].result_index if way.end >= 0 else first.result_index
        seconds = elapsed(turns[first.index].at, turns[max(end, first.index)].at)
        attempts = [one for one, _, _ in members]
        yield _together("failure", key, turns, attempts, data)._replace(seconds=seconds)


def _teaches(one: Attempt) -> bool:
    """Not what was looked for at the wrong place: that is how things are found.

    Nor what a shell of this machine takes for its own: that says nothing of the project.
    """
    if one.failure is None or one.verb == "edit" or is_bookkeeping(one):
        return False
    if one.command is None:
        return one.tool.lower() in _WORDS.callable
    return not (all(map(reads_files, one.command.parts)) or _RE.shell.search(one.output))


def told(one: Attempt, root: str) -> tuple[str, list[Problem]]:
    """What a call was after, or the step in which it failed, and the lines that may tell why."""
    text = readable(one.output, root)
    if one.command is None:
        message = one.failure.message if one.failure else ""
        return one.shown, [Problem(message, message, message)]
    step = failing(text)
    call = " && ".join(" ".join(part) for part in one.command.acts)
    aim = aim_of(step.command if step else call)
    found = problems(text[step.end :] if step else text, "")
    if one.failure is not None and not found:
        found = [Problem(one.failure.message, one.failure.signature, one.failure.signature)]
    return aim, found


def noise(turns: Sequence[Turn], tried: Sequence[Attempt], root: str) -> Iterator[Trace]:
    """Lines that look like trouble in the output of checks that passed."""
    keys: dict[str, None] = {}
    for one in tried:
        if one.result == "worked" and one.verb in _CHECKS and one.command is not None:
            aim, found = told(one, root)
            keys |= dict.fromkeys(f"{s}\n{aim}" for p in found for s in (p.signature, p.general))
    if keys:
        first = tried[0]
        data = list(keys)[:MOST_NOISE]
        yield Trace(first.line, turns[first.index].at, "noise", "", len(data), data=data)


def refusals(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """Commands that the person did not let run: the same call, or all that discards changes.

    A question at the prompt, and the same call let through afterwards, is no refusal.
    """
    groups: dict[str, dict[int, Attempt]] = {}
    forms: dict[str, str] = {}
    for place, one in enumerate(tried):
        if one.result == "refused" and one.command is not None:
            if _only_asked(one) and any(_let_through(one, later) for later in tried[place:]):
                continue
            for part in one.command.acts:
                key = DISCARDING if discards(part) else shortened(" ".join(part), MAX_SAID)
                forms.setdefault(key, form_of(part))
                groups.setdefault(key, {})[one.line] = one
    for key, found in groups.items():
        members = list(found.values())
        said = [m[1] for one in members if (m := _RE.said.search(one.output))]
        data = {
            "call": members[0].shown,
            "form": forms[key],
            "said": [shortened(text, MAX_SAID) for text in said][:MOST_LINES],
            "lines": [one.line for one in members][:MOST_LINES],
        }
        yield _together("refusal", key, turns, members, data)


def _only_asked(refused: Attempt) -> bool:
    said = _RE.said.search(refused.output)
    return said is not None and _RE.asks.search(said[1]) is not None


def _let_through(refused: Attempt, later: Attempt) -> bool:
    return later.result == "worked" and later.form == refused.form


def _together(
    what: What, key: str, turns: Sequence[Turn], members: Sequence[Attempt], data: dict[str, Any]
) -> Trace:
    """Calls that failed alike as one trace, at the place of the first."""
    first, times = members[0], len(members)
    at, tokens = turns[first.index].at, _tokens(turns, members)
    return Trace(first.line, at, what, key, times, times, tokens=tokens, data=data)


def _tokens(turns: Sequence[Turn], tried: Sequence[Attempt]) -> int:
    """What the messages with these calls cost; calls of one message are counted once."""
    total, told = 0, -1
    for one in tried:
        if one.index > told:
            told = max(one.index, one.result_index)
            total += spent(turns, one.index, told)
    return total


def detours(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """Several failed calls on the way to one that worked, all after the same thing.

    A bug that was hunted by editing and testing is no detour: it was the work.
    """
    open_failures: list[Attempt] = []
    for one in tried:
        if open_failures and one.index - open_failures[-1].index > 4 * REACH:
            open_failures = []
        if one.verb == "edit" and one.result == "worked":
            open_failures = []  # something was changed: what follows is another try at the code
        elif one.failure and one.failure.trouble != "code" and one.verb not in _NO_CALLS:
            open_failures.append(one)
        elif one.result == "worked" and open_failures:
            after = [failed for failed in open_failures if _same_aim(failed, one)]
            if len(after) >= LEAST:
                yield _detour(turns, after, one)
            if after:
                open_failures = [failed for failed in open_failures if failed not in after]


def _same_aim(failed: Attempt, worked: Attempt) -> bool:
    """Whether two calls are after the same thing: a program, or a name that both use."""
    if worked.command is not None and worked.verb == "look" and failed.verb != "look":
        return False
    before, after = _names(failed), _names(worked)
    common = before & after
    return len(common) >= max(1, min(len(before), len(after)) / 2)


def _names(one: Attempt) -> set[str]:
    if one.command is None:
        words = one.shown.split()
        return {base(words[-1])} if len(words) > 1 else set()
    return {
        base(word) for word in one.command.words() if not word.startswith("-") and len(word) > 1
    }


def _detour(turns: Sequence[Turn], failures: Sequence[Attempt], worked: Attempt) -> Trace:
    first = failures[0]
    tries = list(dict.fromkeys(one.form for one in failures))[:MAX_TRIES]
    data = {"worked": worked.form, "tries": tries, "shown": worked.shown}
    seconds = elapsed(turns[first.index].at, turns[worked.result_index].at)
    tokens = spent(turns, first.index, worked.result_index)
    key = f"{worked.form} ← {tries[0]}"
    at, failed = turns[first.index].at, len(failures)
    return Trace(first.result_line, at, "detour", key, 1, failed, seconds, tokens, data)
