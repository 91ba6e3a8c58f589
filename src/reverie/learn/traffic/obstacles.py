"""Obstacles: what stood in the way of a session, as traces for a dream.

Calls that failed alike, edits that did not fit, detours before a call that worked: whoever knows
them beforehand passes.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from reverie.data import word_sets
from reverie.learn.diary.tasks import elapsed, spent
from reverie.learn.traffic.attempts import Attempt, is_bookkeeping, shell_text
from reverie.learn.traffic.commands import base
from reverie.learn.traffic.failures import SURROUNDINGS
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace, What

SOON = 3  # calls after a failure in which its way out is looked for
MAX_COMMAND = 140
MOST_FILES = 80

# Detours.
LEAST = 3  # failed calls
REACH = 12  # calls between two failures of one detour
MAX_TRIES = 4  # that are told

_WORDS = word_sets("traffic.txt", "traces")
_NO_CALLS = frozenset({"edit", "ask", "delegate"})


def failures(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """Failures of one signature together; those of the repository's own code teach nothing."""
    groups: dict[str, list[tuple[Attempt, str]]] = {}
    for place, one in enumerate(tried):
        failure = one.failure
        if failure is None or one.verb == "edit" or is_bookkeeping(one):
            continue
        if one.verb == "look" and one.command is not None:
            continue  # looked for at the wrong place: that is how things are found
        then = _then(turns, tried, place)
        if failure.trouble in SURROUNDINGS or then or one.tool.lower() in _WORDS.callable:
            # What was looked for in vain is told by the call, not by the message.
            where = f" ({one.shown})" if one.command is None else ""
            groups.setdefault(failure.signature + where, []).append((one, then))
    for signature, members in groups.items():
        first, then = members[0]
        assert first.failure is not None
        data = {
            "call": first.shown,
            "form": first.form,
            "message": first.failure.message,
            "trouble": first.failure.trouble,
            "then": then,
        }
        yield _together("failure", signature, turns, [one for one, _ in members], data)


def _together(
    what: What, key: str, turns: Sequence[Turn], members: Sequence[Attempt], data: dict[str, Any]
) -> Trace:
    """Calls that failed alike as one trace, at the place of the first."""
    first, times = members[0], len(members)
    at, tokens = turns[first.result_index].at, _tokens(turns, members)
    return Trace(first.result_line, at, what, key, times, times, tokens=tokens, data=data)


def _tokens(turns: Sequence[Turn], tried: Sequence[Attempt]) -> int:
    """What the messages with these calls cost; calls of one message are counted once."""
    total, told = 0, -1
    for one in tried:
        if one.index > told:
            told = max(one.index, one.result_index)
            total += spent(turns, one.index, told)
    return total


def _then(turns: Sequence[Turn], tried: Sequence[Attempt], place: int) -> str:
    """The command that worked right after a failure, as it was typed; "" when there is none."""
    failed = tried[place]
    if failed.command is None or failed.verb == "look":
        return ""
    soon = tried[place + 1 : place + 1 + SOON]
    for number, one in enumerate(soon):
        if one.verb == "edit":
            return ""  # the code was changed
        if one.command is None or one.verb == "look" or one.result != "worked":
            continue
        tool = turns[one.index].tool
        text = shell_text(one.tool, tool.input) if tool else ""
        assert failed.failure is not None
        # After a check that failed on the code, a way out is a wrapped form of it, or what made the
        # same check work without an edit.
        wraps = set(failed.command.words()) < set(one.command.words())
        fits = failed.failure.trouble != "code" or wraps or _works_now(failed, soon[number + 1 :])
        return text if fits and "\n" not in text and len(text) <= MAX_COMMAND else ""
    return ""


def _works_now(failed: Attempt, later: Sequence[Attempt]) -> bool:
    for one in later:
        if one.verb == "edit":
            return False
        if one.command and failed.command and one.command.acts == failed.command.acts:
            return one.result == "worked"
    return False


def misedits(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """Edits that did not fit the file any more, those of one signature together."""
    groups: dict[str, list[Attempt]] = {}
    for one in tried:
        if one.verb == "edit" and one.failure is not None and one.command is None:
            groups.setdefault(one.failure.signature, []).append(one)
    for signature, members in groups.items():
        assert members[0].failure is not None
        files = [file for one in members for file in one.files][:MOST_FILES]
        data = {"tool": members[0].tool, "message": members[0].failure.message, "files": files}
        yield _together("misedit", signature, turns, members, data)


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
