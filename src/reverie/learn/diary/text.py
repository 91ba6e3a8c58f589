"""A diary as Markdown: every bullet ends with the lines of the log it rests on; its checks."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, cast

from reverie.learn.diary.diary import Approach, Diary, ErrorNote, Line
from reverie.learn.diary.tasks import Task
from reverie.sessions.model import Turn

MAX_APPROACHES = 14
MAX_SHOWN_LINES = 6
MAX_FILES = 20
_PLAIN = str.maketrans({"\r": " ", "\n": " ", "\x1b": "", "\u2028": " ", "\u2029": " "})


def fitted(diary: Diary, limit: int) -> str:
    """The diary in at most so many bytes: of each part the first points stand, as many as fit."""
    for most in (None, 100, 50, 25, 12, 6, 3, 1):
        text = markdown(diary, most)
        if len(text.encode("utf-8", "replace")) <= limit:
            return text
    return text.encode("utf-8", "replace")[: max(0, limit)].decode("utf-8", "ignore")


def markdown(diary: Diary, most: int | None = None) -> str:
    """The diary; parts with nothing to say are left out, the first two always stand.

    With `most`, no part has more points; the last says how many more there are.
    """

    def section(title: str, bullets: Sequence[str]) -> str:
        return _section(title, _first(bullets, most))

    parts = [
        f"# {_inline(diary.title)}",
        _head(diary),
        section("Task", [_bullet(line) for line in diary.task]),
        section("Approaches", _approaches(diary.approaches)),
        section("What worked", [_bullet(line) for line in diary.worked]),
        section("Mistakes", [_bullet(line) for line in diary.mistakes]),
        section("Errors", [_error(error) for error in diary.errors]),
        section("Edge cases", [_bullet(line) for line in diary.edge_cases]),
        section("Patterns that might hold", [_bullet(line) for line in diary.patterns]),
        section("Left behind", list(_left_behind(diary))),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


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


def _section(title: str, bullets: Sequence[str]) -> str:
    return f"## {title}\n\n" + "\n".join(bullets) if bullets else ""


def _first(bullets: Sequence[str], most: int | None) -> Sequence[str]:
    if most is None or len(bullets) <= most:
        return bullets
    return [*bullets[:most], f"… and {len(bullets) - most} more"]


def _bullet(line: Line) -> str:
    whose = f"{line.by}: " if line.by == "agent" else ""
    return f"- {whose}{_inline(line.text)} {places(line.lines)}"


def _approaches(ways: Sequence[Approach]) -> list[str]:
    shown: list[str] = []
    hidden = _hidden(ways)
    for number, way in enumerate(ways, 1):
        if number - 1 in hidden:
            if number - 2 not in hidden:
                run = next(i for i in range(number, len(ways) + 1) if i not in hidden)
                last = ways[run - 1]
                span = (way.lines[0], last.lines[-1])
                shown.append(f"{number}. … {run - number + 1} more, none failed {places(span)}")
            continue
        shown.append(_approach(number, way))
    return shown


def _hidden(ways: Sequence[Approach]) -> set[int]:
    """Of many approaches the first and last ones and those that did not work are shown."""
    if len(ways) <= MAX_APPROACHES:
        return set()
    quiet = [i for i, way in enumerate(ways) if way.verdict in {"worked", "unchecked"}]
    return set(quiet[2:-4])


def _approach(number: int, way: Approach) -> str:
    aim = f"“{_inline(way.aim.text)}” → " if way.aim else ""
    why = f" ({_inline(way.why)})" if way.why else ""
    lines = [f"{number}. {aim}**{way.verdict}**{why} {places(way.lines)}"]
    lines += [f"   - {_inline(step.text)} {places(step.lines)}" for step in way.steps]
    return "\n".join(lines)


def _error(error: ErrorNote) -> str:
    times = f" ×{error.count}" if error.count > 1 else ""
    text = f"- `{_code(error.tried)}`: {_inline(error.message)}{times} {places(error.lines)}"
    if error.overcome:
        text += f"\n  - overcome by {_inline(error.overcome)} {places(error.lines[-1:])}"
    return text


def _left_behind(diary: Diary) -> Iterable[str]:
    made = {file.text for file in diary.created}
    for file in diary.files[:MAX_FILES]:
        verb = "created" if file.text in made else "edited"
        yield f"- {verb} `{_code(file.text)}` {places(file.lines)}"
    if more := diary.files[MAX_FILES:]:
        last = tuple(file.lines[-1] for file in more)
        yield f"- edited {len(more)} more files {places(last)}"
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
            yield f"- {what}: {len(lines)} {places(lines, limit=len(lines))}"


def places(lines: Sequence[int], limit: int = MAX_SHOWN_LINES) -> str:
    """`(#3, #17)`: lines of the log; of many, the first ones and how many more."""
    shown = ", ".join(f"#{line}" for line in lines[:limit])
    more = f", +{len(lines) - limit}" if len(lines) > limit else ""
    return f"({shown}{more})"


def _inline(text: str) -> str:
    """One line that cannot begin a heading, a frame or a comment of its own."""
    return " ".join(text.translate(_PLAIN).replace("<!--", "<! --").split())


def _code(text: str) -> str:
    return _inline(text).replace("`", "'")


Invariant = Literal["turns", "failures", "places"]

# What every diary must hold, checked against the log and not against its maker: every human turn
# and every failed call is accounted for, and every line rests on turns of its own task.
_BULLET = re.compile(r"^\s*(?:-|\d+\.) ")
_PLACED = re.compile(r"\(#-?\d+(?:, (?:#-?\d+|\+\d+))*\)$")


def broken(turns: Sequence[Turn], task: Task, diary: Diary) -> list[Invariant]:
    """The invariants this diary breaks."""
    own = turns[task.start : task.end]
    spoken = {turn.line for turn in own if turn.role == "human"}
    failed = {t.line for t in own if t.kind == "tool_result" and t.tool and t.tool.ok is False}
    text = markdown(diary)
    found: list[Invariant] = []
    if not spoken <= diary.spoken:
        found.append("turns")
    if not failed <= diary.failed:
        found.append("failures")
    if not _placed(diary, text, {turn.line for turn in own}):
        found.append("places")
    return found


def _placed(diary: Diary, text: str, lines: set[int]) -> bool:
    bullets = [line for line in text.splitlines() if _BULLET.match(line)]
    if not all(_PLACED.search(line) for line in bullets):
        return False
    # A premise may have been said in the task before.
    earlier = {line for mistake in diary.mistakes for line in mistake.lines}
    return all(cited and set(cited) <= lines | earlier for cited in _cited(diary.as_data()))


def _cited(data: Any) -> Iterator[list[int]]:
    if isinstance(data, dict):
        table = cast("dict[str, Any]", data)
        if "lines" in table:
            yield list(table["lines"])
        for value in table.values():
            yield from _cited(value)
    elif isinstance(data, list | tuple):
        for value in cast("Sequence[Any]", data):
            yield from _cited(value)


def dumped(diary: Diary) -> str:
    """A diary as the index keeps it."""
    return json.dumps(diary.as_data(), ensure_ascii=False, separators=(",", ":"))
