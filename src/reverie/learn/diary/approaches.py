"""Approaches: attempts that belong together, and how each ended.

An approach is a change and what judged it. A new one begins when the human speaks, and when the
agent changes something again after a check has failed.
"""

from collections import Counter
from collections.abc import Sequence

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


def approaches(turns: Sequence[Turn], tried: Sequence[Attempt], task: Task) -> list[Approach]:
    """The approaches of a task whose attempts are `tried`."""
    speeches = [place for place in range(task.start, task.end) if turns[place].role == "human"]
    found: list[Approach] = []
    for group in _groups(tried, speeches):
        looks = all(one.verb in {"look", "other", "ask"} for one in group)
        if looks and all(one.result != "failed" for one in group):
            continue  # only looked around: said in the steps of nobody, missed by nobody
        following = next((place for place in speeches if place > group[-1].index), task.end)
        way = _approach(turns, group, task.start, following)
        if way.steps or way.verdict != "unchecked":
            found.append(way)
    return found


def _groups(tried: Sequence[Attempt], speeches: Sequence[int]) -> list[list[Attempt]]:
    groups: list[list[Attempt]] = []
    failed = False
    spoken = iter(speeches)
    next_speech = next(spoken, -1)
    for one in tried:
        crossed = False
        while 0 <= next_speech < one.index:
            crossed = True
            next_speech = next(spoken, -1)
        changed = one.verb in _CHANGES and failed
        if not groups or crossed or changed:
            groups.append([])
            failed = False
        groups[-1].append(one)
        if one.verb in _JUDGES and one.result in {"failed", "worked"}:
            failed = one.result == "failed"
    return groups


def _approach(
    turns: Sequence[Turn], group: Sequence[Attempt], start: int, following: int
) -> Approach:
    verdict, decisive = _verdict(turns, group, following)
    failure = decisive.failure if decisive else None
    why, checked = "", False
    if decisive is not None:
        shown = shortened(decisive.shown, 80)
        checked = decisive.verb == "check" and failure is None
        passed = "passed" if checked else "went through"
        why = f"`{shown}`: {failure.message}" if failure else f"`{shown}` {passed}"
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
    edits = any(one.verb == "edit" for one in group)
    # Next to edits only a check or a commit judges; by itself any command does.
    judges = {"check", "ship"} if edits else _JUDGES
    judged = [one for one in group if one.verb in judges and one.result in {"worked", "failed"}]
    if last.result == "refused":
        return "refused", None
    if _cut_off(turns, max(last.index, last.result_index), following):
        return "interrupted", None
    if judged:
        decisive = judged[-1]
        changed = any(one.verb == "edit" and one.index > decisive.index for one in group)
        if decisive.result == "failed":
            return ("unchecked", None) if changed else ("failed", decisive)
        checks = [one for one in judged if one.verb == "check" and one.result == "worked"]
        return "worked", checks[-1] if checks else decisive
    lost = [one for one in group if one.result == "failed"]
    if lost and lost[-1] is last:
        return "failed", last
    return "unchecked", None


def _cut_off(turns: Sequence[Turn], last: int, following: int) -> bool:
    """An interrupt before the agent had said how it went."""
    if following >= len(turns) or turns[following].kind != "interrupt":
        return False
    return not any(turns[place].kind == "text" for place in range(last, following))


def _aim(turns: Sequence[Turn], group: Sequence[Attempt], start: int) -> Line | None:
    """The agent's last words before the first change."""
    acting = next((one for one in group if one.verb in _CHANGES | _JUDGES), group[0])
    for place in range(acting.index - 1, max(start, acting.index - LOOK_BACK) - 1, -1):
        turn = turns[place]
        if turn.role == "human":
            return None
        if turn.kind == "text" and turn.role == "agent":
            sentence = telling_sentence(turn.text, 200)
            return Line(sentence, (turn.line,), "agent") if sentence else None
    return None


def _steps(group: Sequence[Attempt]) -> list[Line]:
    """What was done, in order; looking around and edits in a row are one step each."""
    steps: list[Line] = []
    run: list[Attempt] = []
    for one in group:
        if is_bookkeeping(one):
            continue
        if run and _kind(one) != _kind(run[0]):
            steps += _step(run)
            run = []
        run.append(one)
    if run:
        steps += _step(run)
    if len(steps) > MAX_STEPS:
        hidden = steps[MAX_STEPS - 2 : -1]
        lines = (hidden[0].lines[0], hidden[-1].lines[-1])
        steps = [*steps[: MAX_STEPS - 2], Line(f"{len(hidden)} more steps", lines), steps[-1]]
    return steps


def _kind(one: Attempt) -> tuple[str, str]:
    if one.verb in {"look", "ask", "other"}:
        return "around", ""
    if one.verb == "edit":
        return "edit", one.result if one.result in {"failed", "refused"} else ""
    return ("delegate", "") if one.verb == "delegate" else (one.shown, one.result)


def _step(run: Sequence[Attempt]) -> list[Line]:
    lines = _ends(run)
    first = run[0]
    kind, _ = _kind(first)
    if kind == "around":
        lost = [one for one in run if one.result == "failed"]
        if not lost:
            return []  # reading is not worth a line of its own
        told = "; ".join(
            f"`{shortened(one.shown, 70)}`: {one.failure.message}"
            for one in lost[:3]
            if one.failure
        )
        return [Line(f"in vain: {told}", tuple(one.result_line for one in lost), "tool")]
    if kind == "edit":
        counted = Counter(file for one in run for file in one.files)
        files = ", ".join(f"`{file}`" for file in list(counted)[:MAX_FILES])
        more = f" and {len(counted) - MAX_FILES} more" if len(counted) > MAX_FILES else ""
        failed = first.failure
        if failed:
            return [Line(f"edit of {files or 'a file'} failed: {failed.message}", lines, "tool")]
        if not counted:
            return []
        if first.result == "refused":
            return [Line(f"edit of {files}{more} refused", lines)]
        return [Line(f"edited {files}{more}", lines)]
    if first.verb == "delegate":
        told = "; ".join(shortened(one.shown, 80) for one in run[:4])
        return [Line(f"handed over: {told}", lines)]
    times = f" ({len(run)} times)" if len(run) > 1 else ""
    ended = {"worked": "worked", "unknown": "no result in the log"}.get(first.result, first.result)
    if first.failure:
        ended = f"failed: {first.failure.message}"
    return [Line(f"`{first.shown}`{times}: {ended}", lines, "tool" if first.failure else "")]


def _ends(run: Sequence[Attempt]) -> tuple[int, ...]:
    first = run[0].line
    last = max(max(one.line, one.result_line) for one in run)
    return (first,) if first == last else (first, last)
