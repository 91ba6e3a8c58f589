"""Approaches: attempts that belong together, and how each ended.

An approach is a change and what judged it. A new call begins when the human speaks, and when the
agent changes something again after a check has failed.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from reverie.learn.diary.condense import telling_sentence
from reverie.learn.diary.diary import Approach, Line, Verdict
from reverie.learn.diary.tasks import Task
from reverie.learn.traffic.attempts import Attempt, is_bookkeeping
from reverie.learn.traffic.commands import shortened
from reverie.sessions.model import Turn

MAX_STEPS = 8
LOOK_BACK = 30  # turns; earlier words are about something else
MAX_FILES = 3
_CHANGES = frozenset({"edit", "undo"})
_JUDGES = frozenset({"check", "ship", "run"})
_AROUND = frozenset({"look", "other", "ask"})


def approaches(turns: Sequence[Turn], tried: Sequence[Attempt], task: Task) -> list[Approach]:
    speeches = [place for place in range(task.start, task.end) if turns[place].role == "human"]
    ways: list[Approach] = []
    for group in _groups(tried, speeches):
        if all(call.verb in _AROUND and call.result != "failed" for call in group):
            continue  # only looked around: missed by nobody
        following = next((place for place in speeches if place > group[-1].index), task.end)
        way = _approach(turns, group, task.start, following)
        if way.steps or way.verdict != "unchecked":
            ways.append(way)
    return ways


def _groups(tried: Sequence[Attempt], speeches: Sequence[int]) -> list[list[Attempt]]:
    groups: list[list[Attempt]] = []
    failed, heard = False, -1
    for call in tried:
        spoken = bisect_left(speeches, call.index)
        if spoken != heard or (failed and call.verb in _CHANGES):
            groups.append([])
            failed, heard = False, spoken
        groups[-1].append(call)
        if call.verb in _JUDGES and call.result in {"failed", "worked"}:
            failed = call.result == "failed"
    return groups


def _approach(
    turns: Sequence[Turn], group: Sequence[Attempt], start: int, following: int
) -> Approach:
    verdict, decisive = _verdict(turns, group, following)
    failure = decisive.failure if decisive else None
    why, checked = "", False
    if decisive is not None:
        checked = decisive.verb == "check" and failure is None
        passed = " passed" if checked else " went through"
        ended = f": {failure.message}" if failure else passed
        why = f"`{shortened(decisive.shown, 80)}`{ended}"
    return Approach(
        aim=_aim(turns, group, start),
        steps=tuple(_steps(group)),
        verdict=verdict,
        why=why,
        signature=failure.signature if failure else "",
        lines=_ends(group),
        checked=checked,
        failing=decisive.name if decisive and failure else "",
    )


def _verdict(
    turns: Sequence[Turn], group: Sequence[Attempt], following: int
) -> tuple[Verdict, Attempt | None]:
    last = group[-1]
    edits = [call.index for call in group if call.verb == "edit"]
    if last.result == "refused":
        return "refused", None
    if _cut_off(turns, max(last.index, last.result_index), following):
        return "interrupted", None
    # Next to edits only a check or a commit judges; by itself any command does.
    judges = {"check", "ship"} if edits else _JUDGES
    judged = [call for call in group if call.verb in judges and call.result in {"worked", "failed"}]
    if not judged:
        return ("failed", last) if last.result == "failed" else ("unchecked", None)
    decisive = judged[-1]
    if decisive.result == "failed":
        changed_since = bool(edits) and edits[-1] > decisive.index
        return ("unchecked", None) if changed_since else ("failed", decisive)
    checks = [call for call in judged if call.verb == "check" and call.result == "worked"]
    return "worked", checks[-1] if checks else decisive


def _cut_off(turns: Sequence[Turn], last: int, following: int) -> bool:
    """An interrupt before the agent had said how it went."""
    if following >= len(turns) or turns[following].kind != "interrupt":
        return False
    return not any(turns[place].kind == "text" for place in range(last, following))


def _aim(turns: Sequence[Turn], group: Sequence[Attempt], start: int) -> Line | None:
    """The agent's last words before the first change."""
    acting = next((call for call in group if call.verb in _CHANGES | _JUDGES), group[0])
    for turn in reversed(turns[max(start, acting.index - LOOK_BACK) : acting.index]):
        if turn.role == "human":
            return None
        if turn.kind == "text" and turn.role == "agent":
            sentence = telling_sentence(turn.text, 200)
            return Line(sentence, (turn.line,), "agent") if sentence else None
    return None


def _steps(group: Sequence[Attempt]) -> list[Line]:
    """What was done, in order; looking around and edits in a row are one step each."""
    runs = groupby((call for call in group if not is_bookkeeping(call)), _kind)
    steps = [step for _, run in runs if (step := _step(list(run))) is not None]
    if len(steps) > MAX_STEPS:
        hidden = steps[MAX_STEPS - 2 : -1]
        lines = (hidden[0].lines[0], hidden[-1].lines[-1])
        steps = [*steps[: MAX_STEPS - 2], Line(f"{len(hidden)} more steps", lines), steps[-1]]
    return steps


def _kind(call: Attempt) -> tuple[str, str]:
    if call.verb in _AROUND:
        return "around", ""
    if call.verb == "edit":
        return "edit", call.result if call.result in {"failed", "refused"} else ""
    return ("delegate", "") if call.verb == "delegate" else (call.shown, call.result)


def _step(run: Sequence[Attempt]) -> Line | None:
    """One step; nothing for reading and the like, which is not worth a line of its own."""
    first = run[0]
    failure, whose = first.failure, "tool" if first.failure else ""
    if first.verb in _AROUND:
        lost = [call for call in run if call.result == "failed"]
        failures = "; ".join(
            f"`{shortened(call.shown, 70)}`: {call.failure.message}"
            for call in lost[:3]
            if call.failure
        )
        lines = tuple(call.result_line for call in lost)
        return Line(f"in vain: {failures}", lines, "tool") if lost else None
    if first.verb == "edit":
        counted = Counter(file for call in run for file in call.files)
        files = ", ".join(f"`{file}`" for file in list(counted)[:MAX_FILES])
        if failure:
            text = f"edit of {files or 'a file'} failed: {failure.message}"
        elif not counted:
            return None
        else:
            more = f" and {len(counted) - MAX_FILES} more" if len(counted) > MAX_FILES else ""
            refused = first.result == "refused"
            text = f"edit of {files}{more} refused" if refused else f"edited {files}{more}"
    elif first.verb == "delegate":
        text = "handed over: " + "; ".join(shortened(call.shown, 80) for call in run[:4])
        whose = ""
    else:
        times = f" ({len(run)} times)" if len(run) > 1 else ""
        ended = "no result in the log" if first.result == "unknown" else first.result
        text = f"`{first.shown}`{times}: {f'failed: {failure.message}' if failure else ended}"
    return Line(text, _ends(run), whose)


def _ends(run: Sequence[Attempt]) -> tuple[int, ...]:
    first = run[0].line
    last = max(max(call.line, call.result_line) for call in run)
    return (first,) if first == last else (first, last)
