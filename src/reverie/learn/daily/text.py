"""A daily as Markdown, cut to size: at most 4 KB, whatever the day held.

A day is written in the widest of a few shapes that fits. More than 4 KB in the widest one is a
warning and is compacted, more than 8 KB an error and is redone from the most important lines.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from reverie.documents.long_term import entry
from reverie.learn.daily.daily import ANSWER, Daily, Learned, Stretch
from reverie.learn.diary.text import size_of
from reverie.plural import several

SMALL, LARGE, TOO_LARGE = 1024, 4096, 8192
Grade = Literal["short", "good", "large", "too large"]
MAX_TAGS = 12
MAX_TASKS = 4  # of one session
NARROW = 100  # bytes of a session's words; below, results are told by the commits alone


class Shape(NamedTuple):
    """How much of each part a daily holds; texts in bytes."""

    sessions: int
    words: int
    topics: int
    points: int
    point_words: int
    lessons: int
    lesson_words: int
    commits: int
    made: int  # new files


GENEROUS = Shape(60, 600, 9, 24, 600, 24, 600, 40, 12)
WIDE = Shape(60, 420, 9, 24, 400, 24, 420, 40, 10)
SHAPES: tuple[Shape, ...] = (
    WIDE,
    Shape(30, 260, 9, 10, 260, 10, 300, 12, 6),
    Shape(24, 170, 9, 8, 200, 8, 240, 8, 4),
    Shape(24, 110, 8, 6, 170, 5, 200, 5, 3),
    Shape(20, 90, 6, 5, 150, 4, 170, 3, 2),
    Shape(14, 80, 5, 4, 130, 3, 150, 0, 0),
    Shape(8, 80, 4, 3, 120, 2, 140, 0, 0),
)


class Fitted(NamedTuple):
    """The text, and how large the file would have been."""

    text: str
    widest: int


def grade(size: int) -> Grade:
    """What a size in bytes means for a daily."""
    if size > TOO_LARGE:
        return "too large"
    if size > LARGE:
        return "large"
    return "good" if size >= SMALL else "short"


def fitted(render: Callable[[Shape], str], frame: int = 0) -> Fitted:
    """The widest shape that keeps the file, whose other bytes are `frame`, at 4 KB or below.

    A day that is far too large is not squeezed step by step but redone from its most
    important lines.
    """
    text = render(WIDE)
    if size_of(text) + frame < SMALL:
        # A short day has room for more of its words.
        text = render(GENEROUS)
    widest = size_of(text) + frame
    for shape in SHAPES[3:] if widest > TOO_LARGE else SHAPES[1:]:
        if size_of(text) + frame <= LARGE:
            break
        text = render(shape)
    return Fitted(_whole_lines(text, LARGE - frame), widest)


def _whole_lines(text: str, room: int) -> str:
    """As many lines as fit: the last resort for a day of which even the narrowest is too much."""
    if size_of(text) <= room:
        return text
    kept: list[str] = []
    for line in text.splitlines(keepends=True):
        room -= size_of(line)
        if room < 0:
            break
        kept.append(line)
    return "".join(kept).rstrip() + "\n"


def markdown(daily: Daily, shape: Shape) -> str:
    """The part of the file that is ours."""
    lessons = daily.learned[: shape.lessons]
    learnings = [_learning(learned, shape.lesson_words) for learned in lessons]
    parts = [
        f"# {daily.day}",
        _tags(daily),
        _section("Sessions", _sessions(daily, shape)),
        _section("Topics", [", ".join(daily.topics[: shape.topics])] if daily.topics else []),
        _section("Key points", _points(daily, shape)),
        _section("Learnings", learnings),
        _section("Commits", _commits(daily, shape)),
        _section("New files", _new_files(daily, shape)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def headline(daily: Daily) -> str:
    """One sentence for the index of a page: how many sessions, where."""
    many = several(sum(stretch.times for stretch in daily.stretches), "session")
    where = ", ".join(daily.projects[:3]) + (" and others" if len(daily.projects) > 3 else "")
    return f"{many} in {where}" if where else many


def _tags(daily: Daily) -> str:
    shown = " ".join(f"#{name}" for name in daily.projects[:MAX_TAGS])
    more = len(daily.projects) - MAX_TAGS
    return f"Projects: {shown}{f' and {more} more' if more > 0 else ''}" if shown else ""


def _section(title: str, lines: list[str]) -> str:
    return f"## {title}\n\n" + "\n".join(lines) if lines else ""


def _sessions(daily: Daily, shape: Shape) -> list[str]:
    """Those that came to something first when not all fit; always in the order of the day."""
    ranked = sorted(
        range(len(daily.stretches)), key=lambda at: (-_substance(daily.stretches[at]), at)
    )
    kept = sorted(ranked[: shape.sessions])
    named = len(daily.projects) > 1
    lines = [_session(daily.stretches[at], daily.day, shape, named=named) for at in kept]
    if rest := len(daily.stretches) - len(kept):
        lines.append(f"- … and {several(rest, 'shorter session')}")
    return lines


def _substance(stretch: Stretch) -> int:
    return len(stretch.tasks) + 2 * (stretch.outcome in {"merged", "pull request", "committed"})


def _session(stretch: Stretch, day: str, shape: Shape, *, named: bool) -> str:
    begun = stretch.started[11:16] if stretch.started[:10] == day else ""
    ended = stretch.ended[11:16] if stretch.ended[:10] == day else ""
    clock = f"{begun}–{ended}" if begun or ended else ""
    name = f"**{stretch.project or 'no project'}**" if named else ""
    head = " ".join(part for part in (name, clock) if part)
    few = stretch.tasks[:MAX_TASKS]
    each = max(40, shape.words // max(1, len(few)))
    wanted = "; then ".join(_wish(*wish, each) for wish in few)
    if more := len(stretch.tasks) - len(few):
        wanted += f"; and {more} more"
    if stretch.times > 1:
        wanted += f" (in {stretch.times} sessions)"
    result = f" “{clip(stretch.result, 90)}”" if _is_news(stretch, wanted, shape) else ""
    return (
        f"- {head + ': ' if head else ''}{wanted or 'without a prompt'} → {stretch.outcome}{result}"
    )


def _wish(title: str, rest: str, limit: int) -> str:
    short = clip(title, limit)
    if not rest or size_of(short) > limit // 2:
        return short
    joint = " " if short.endswith((".", "!", "?")) else ": "
    return f"{short}{joint}{clip(rest, limit - size_of(short))}"


def _is_news(stretch: Stretch, wanted: str, shape: Shape) -> bool:
    """Does the commit at the end say more than the wish at the beginning?"""
    if not stretch.result or shape.words < NARROW:
        return False
    words = {word for word in stretch.result.lower().split() if len(word) > 3}
    known = {word.strip(".,:;…") for word in wanted.lower().split()}
    return len(words & known) * 2 < len(words)


def _points(daily: Daily, shape: Shape) -> list[str]:
    many = len(daily.projects) > 1
    lines = [
        f"- {f'{point.project}: ' if many and point.project else ''}"
        f"{_point(point.text, shape.point_words)}"
        for point in daily.points[: shape.points]
    ]
    lines += [f"- {clip(link, 160)}" for link in daily.links[: max(2, shape.points // 2)]]
    return lines


def _point(text: str, limit: int) -> str:
    """A decision keeps its answer; the question may be cut."""
    question, arrow, answer = text.partition(ANSWER)
    if not arrow:
        return clip(text, limit)
    settled = arrow + clip(answer, limit // 2)
    return clip(question, max(60, limit - size_of(settled))) + settled


def _learning(learned: Learned, limit: int) -> str:
    """`- **Title** [scope/kind] (day): description`, and below it the lesson."""
    document = learned.document
    head, _, lesson = entry(document, document.scope).partition("\n")
    label, close, description = head.partition("): ")
    lesson = lesson.strip().removeprefix("- Lesson: ")
    if not lesson:
        # Said once it is the lesson; the line above then tells how it came up.
        description, lesson = learned.occasion, description
    waiting = " (to be reviewed)" if learned.waiting else ""
    first = f"{inline(label)}{close}{clip(description, max(110, limit // 2))}{waiting}"
    return f"{first}\n  - Lesson: {clip(lesson, limit)}"


def _commits(daily: Daily, shape: Shape) -> list[str]:
    results = [stretch.result for stretch in daily.stretches]
    known = {title for stretch in daily.stretches for title, _ in stretch.tasks}.union(results)
    fresh = [commit for commit in daily.commits if commit[1].partition(" ")[2] not in known]
    kept = fresh[-shape.commits :] if shape.commits else []
    lines = [f"- {clip(text, 110)}{_whose(project, daily)}" for project, text in kept]
    return [*lines, *_rest(len(fresh), len(lines), "before these")]


def _new_files(daily: Daily, shape: Shape) -> list[str]:
    shown = daily.made[: shape.made]
    lines = [f"- `{clip(name, 120)}`{_whose(project, daily)}" for project, name in shown]
    return [*lines, *_rest(len(daily.made), len(lines), "more")]


def _whose(project: str, daily: Daily) -> str:
    """In which project something was done, on days with several."""
    return f" ({project})" if project and len(daily.projects) > 1 else ""


def _rest(count: int, shown: int, which: str) -> list[str]:
    return [f"- … and {count - shown} {which}"] if 0 < shown < count else []


def inline(text: str) -> str:
    """One line that cannot begin a heading, end our part, or speak to a terminal."""
    spaced = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(spaced.replace("<!--", "<! --").replace("-->", "-- >").split())


def clip(text: str, limit: int) -> str:
    """At most about `limit` bytes, whole sentences if two thirds remain, else whole words."""
    line = inline(text)
    if size_of(line) <= limit:
        return line
    cut = line.encode("utf-8", "replace")[: limit - 3].decode("utf-8", "ignore")
    for mark in (". ", "! ", "? "):
        at = cut.rfind(mark)
        if at > 0.6 * len(cut):
            return cut[: at + 1]
    word = cut.rsplit(" ", 1)[0]
    return (word if len(word) > len(cut) // 2 else cut).rstrip(" ,;:–—") + "…"
