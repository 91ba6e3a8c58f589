"""A diary as Markdown: every bullet ends with the lines of the log it rests on; its checks."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal

from reverie.learn.diary.diary import Approach, Diary, ErrorNote, Line
from reverie.learn.diary.tasks import Task
from reverie.sessions.model import Turn

MAX_APPROACHES = 14
MAX_SHOWN_LINES = 6
MAX_FILES = 8
# The parts that an agent may hand in, too, by their names in the data.
TITLES = {
    "worked": "What worked",
    "mistakes": "Mistakes",
    "errors": "Errors",
    "edge_cases": "Edge cases",
    "patterns": "Patterns that might hold",
}
_PLAIN = str.maketrans({"\r": " ", "\n": " ", "\x1b": "", "\u2028": " ", "\u2029": " "})


def fitted(diary: Diary, limit: int) -> str:
    """The diary in at most so many bytes: of each part the first points stand, as many as fit."""
    for most in (None, 100, 50, 25, 12, 6, 3, 1):
        text = markdown(diary, most)
        if size_of(text) <= limit:
            return text
    return text.encode("utf-8", "replace")[: max(0, limit)].decode("utf-8", "ignore")


def size_of(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def markdown(diary: Diary, most: int | None = None) -> str:
    """The diary; parts with nothing to say are left out.

    With `most`, no part has more points; the last says how many more there are.
    """
    bullets: dict[str, list[str]] = {
        "Task": [_bullet(line) for line in diary.task],
        "Approaches": _approaches(diary.approaches),
        TITLES["worked"]: [_bullet(line) for line in diary.worked],
        TITLES["mistakes"]: [_bullet(line) for line in diary.mistakes],
        TITLES["errors"]: [_error(error) for error in diary.errors],
        TITLES["edge_cases"]: [_bullet(line) for line in diary.edge_cases],
        TITLES["patterns"]: [_bullet(line) for line in diary.patterns],
        "Left behind": list(_left_behind(diary)),
    }
    parts = [f"# {_inline(diary.title)}", _head(diary)]
    for title, points in bullets.items():
        if points:
            more = len(points) - most if most is not None else 0
            shown = [*points[:most], f"… and {more} more"] if more > 0 else points
            parts.append(f"## {title}\n\n" + "\n".join(shown))
    return "\n\n".join(parts) + "\n"


def _head(diary: Diary) -> str:
    which = f", task {diary.number} of {diary.tasks}" if diary.tasks > 1 else ""
    when = ""
    if diary.started:
        same = diary.ended[:10] == diary.started[:10]
        until = diary.ended[11:16] if same else _minute(diary.ended)
        when = f"{_minute(diary.started)}–{until} UTC"
    facts = [f"Session `{diary.session}`{which}", when, f"outcome: **{diary.outcome}**"]
    text = " · ".join(fact for fact in facts if fact)
    if diary.number > 1:
        text += f"\nBegins here because {'; '.join(diary.begins)}."
    return text


def _minute(at: str) -> str:
    return at[:16].replace("T", " ")


def _bullet(line: Line) -> str:
    whose = f"{line.by}: " if line.by == "agent" else ""
    return f"- {whose}{_inline(line.text)} {places(line.lines)}"


def _approaches(ways: Sequence[Approach]) -> list[str]:
    """Of many approaches the first and last ones and those that did not work are shown."""
    quiet = [place for place, way in enumerate(ways) if way.verdict in {"worked", "unchecked"}]
    hidden = set(quiet[2:-4]) if len(ways) > MAX_APPROACHES else set[int]()
    shown: list[str] = []
    for is_hidden, run in groupby(range(len(ways)), hidden.__contains__):
        group = list(run)
        if is_hidden:
            span = (ways[group[0]].lines[0], ways[group[-1]].lines[-1])
            shown.append(f"{group[0] + 1}. … {len(group)} more, none failed {places(span)}")
        else:
            shown += [_approach(place + 1, ways[place]) for place in group]
    return shown


def _approach(number: int, way: Approach) -> str:
    aim = f"“{_inline(way.aim.text)}” → " if way.aim else ""
    why = f" ({_inline(way.why)})" if way.why else ""
    steps = [f"\n   - {_inline(step.text)} {places(step.lines)}" for step in way.steps]
    return f"{number}. {aim}**{way.verdict}**{why} {places(way.lines)}" + "".join(steps)


def _error(error: ErrorNote) -> str:
    times = f" ×{error.count}" if error.count > 1 else ""
    text = f"- `{_code(error.tried)}`: {_inline(error.message)}{times} {places(error.lines)}"
    if error.overcome:
        text += f"\n  - overcome by {_inline(error.overcome)} {places(error.lines[-1:])}"
    return text


def _left_behind(diary: Diary) -> Iterator[str]:
    for file in diary.created[:MAX_FILES]:
        yield f"- created `{_code(file.text)}` {places(file.lines)}"
    if more := diary.created[MAX_FILES:]:
        yield f"- created {len(more)} more files {places([file.lines[-1] for file in more])}"
    for commit in diary.commits:
        yield f"- commit {_inline(commit.text)} {places(commit.lines)}"
    for link in diary.links:
        yield f"- {_inline(link.text)} {places(link.lines)}"
    for lines, what in (
        (diary.refused, "calls refused"),
        (diary.cancelled, "calls cancelled beside a failing one"),
        (diary.empty, "searches that found nothing"),
    ):
        if lines:
            yield f"- {what}: {len(lines)} {places(lines)}"


def places(lines: Sequence[int]) -> str:
    """`(#3, #17)`: lines of the log; of many, the first ones and how many more."""
    shown = ", ".join(f"#{line}" for line in lines[:MAX_SHOWN_LINES])
    more = f", +{len(lines) - MAX_SHOWN_LINES}" if len(lines) > MAX_SHOWN_LINES else ""
    return f"({shown}{more})"


def _inline(text: str) -> str:
    """One line that cannot begin a heading, a frame or a comment of its own."""
    return " ".join(text.translate(_PLAIN).replace("<!--", "<! --").split())


def _code(text: str) -> str:
    return _inline(text).replace("`", "'")


Invariant = Literal["turns", "failures", "places"]


def broken(turns: Sequence[Turn], task: Task, diary: Diary) -> list[Invariant]:
    """What every diary must hold and this one does not, by the log and not by its maker.

    Every human turn and every failed call is accounted for, and every line rests on turns of its
    own task.
    """
    task_turns = turns[task.start : task.end]
    spoken = {turn.line for turn in task_turns if turn.role == "human"}
    failed = {
        t.line for t in task_turns if t.kind == "tool_result" and t.tool and t.tool.ok is False
    }
    # A premise may have been said in the task before.
    premise_lines = (line for mistake in diary.mistakes for line in mistake.lines)
    known = {turn.line for turn in task_turns}.union(premise_lines)
    held: dict[Invariant, bool] = {
        "turns": spoken <= diary.spoken,
        "failures": failed <= diary.failed,
        "places": all(cited and known.issuperset(cited) for cited in diary.cited()),
    }
    return [name for name, holds in held.items() if not holds]
