"""A daily: what one day came to, over all projects, out of its diaries.

Final solutions, not the path to them: what was wanted and how it ended, what stands now, what was
decided, what was learned. Failed tries and detours stay in the diaries.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from reverie.data import patterns
from reverie.documents.document import Document
from reverie.language.lexicon import lexicon
from reverie.learn.diary.condense import sentences
from reverie.learn.diary.diary import Diary, Line

# Outcomes that say a task came to something, and those after which nothing stands.
ENDED = frozenset({"merged", "pull request", "committed", "accepted", "working", "answered"})
LOST = frozenset({"failing", "interrupted", "refused"})
MAX_TOPICS = 6
ANSWER = " → decided: "
RUN_ON = 260  # characters
LONG_ENOUGH = 4  # spaces; a shorter sentence says "done", not what

_RE = patterns("diaries.txt", "daily")


# Files of a day: what was edited, what is new and worth telling, and in which folders.
MAX_AREAS = 3
CROWDED = 4  # new files of one folder that are told as the folder


def edited_files(diaries: Sequence[Diary]) -> list[str]:
    """What was edited inside the projects, besides what was made there."""
    seen = Counter(file.text for diary in diaries for file in diary.files)
    made = {file.text for diary in diaries for file in diary.created}
    inside = [name for name in seen if name not in made and _is_inside(name)]
    return sorted(inside, key=lambda name: (-seen[name], name))


def _is_inside(name: str) -> bool:
    return not name.startswith(("/", "~", "..")) and ":" not in name[:3]


def new_files(diaries: Sequence[Diary]) -> list[tuple[str, str]]:
    """New files worth telling, many of one folder as the folder; tests after the rest."""
    found: dict[tuple[str, str], int] = {}
    for diary in diaries:
        for file in diary.created:
            if _is_inside(file.text) and not _RE.generated.search(file.text):
                key = (diary.project, file.text)
                found[key] = found.get(key, 0) + len(file.lines)
    crowded = Counter((project, name.rpartition("/")[0]) for project, name in found)
    told: dict[tuple[str, str], tuple[bool, int, str]] = {}
    for (project, name), times in found.items():
        folder = name.rpartition("/")[0]
        count = crowded[project, folder]
        shown = f"{folder}/ ({count} files)" if folder and count >= CROWDED else name
        told.setdefault((project, shown), (bool(_RE.testing.search(name)), -times, name))
    return sorted(told, key=lambda key: (*told[key], key))


def areas(diaries: Sequence[Diary]) -> list[str]:
    """The folders most edited, by the number of tasks and then of files."""
    tasks: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for diary in diaries:
        touched = [file.text for file in diary.files if _is_inside(file.text)]
        folders = [name.rpartition("/")[0] + "/" for name in touched if "/" in name]
        tasks.update(set(folders))
        files.update(folders)
    ranked = sorted(tasks, key=lambda name: (-tasks[name], -files[name], name))
    return [f"`{name}`" for name in ranked[:MAX_AREAS]]


@dataclass(frozen=True, slots=True)
class Stretch:
    """One session on one day."""

    project: str
    session: str
    started: str
    ended: str
    tasks: tuple[tuple[str, str], ...]  # what was wanted: in one line, and the words after it
    outcome: str
    result: str  # the subject of the last commit
    times: int = 1  # how many sessions in a row wanted just this


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that stands at the end of the day."""

    project: str
    text: str
    weight: int


@dataclass(frozen=True, slots=True)
class Learned:
    """One lesson of the day."""

    document: Document
    occasion: str  # how it came up
    waiting: bool  # for a person to decide


@dataclass(frozen=True, slots=True)
class Daily:
    """The day, before it is cut to size."""

    day: str
    projects: tuple[str, ...]
    stretches: tuple[Stretch, ...]
    topics: tuple[str, ...]
    points: tuple[Point, ...]
    learned: tuple[Learned, ...]
    commits: tuple[tuple[str, str], ...]  # (project, `id subject`)
    links: tuple[str, ...]
    files: tuple[str, ...]  # edited, those of the most tasks first
    made: tuple[tuple[str, str], ...] = ()  # (project, new file worth telling, or its folder)


def daily(day: str, diaries: Sequence[Diary], learned: Iterable[Learned]) -> Daily:
    """The daily of `day`; `diaries` are that day's, in order."""
    stretches = _stretches(diaries)
    busiest = Counter(stretch.project for stretch in stretches)
    projects = sorted(busiest, key=lambda name: (-busiest[name], name))
    return Daily(
        day=day,
        projects=tuple(name for name in projects if name),
        stretches=tuple(stretches),
        topics=tuple(topics(diaries)),
        points=tuple(_points(diaries)),
        learned=tuple(learned),
        commits=tuple(final_commits(diaries)),
        links=tuple(dict.fromkeys(link.text for diary in diaries for link in diary.links)),
        files=tuple(edited_files(diaries)),
        made=tuple(new_files(diaries)),
    )


def _stretches(diaries: Sequence[Diary]) -> list[Stretch]:
    by_session: dict[str, list[Diary]] = {}
    for diary in diaries:
        by_session.setdefault(diary.session, []).append(diary)
    found: list[Stretch] = []
    for session, tasks in by_session.items():
        wanted = {wish[0]: wish for one in tasks if (wish := wish_of(one))[0]}
        commits = [commit.text.partition(" ")[2] for one in tasks for commit in one.commits]
        ended = [one.outcome for one in tasks if one.outcome in ENDED]
        found.append(
            Stretch(
                project=tasks[0].project,
                session=session,
                started=tasks[0].started,
                ended=max(one.ended for one in tasks),
                tasks=tuple(wanted.values()),
                outcome=ended[-1] if ended else tasks[-1].outcome,
                result=commits[-1] if commits else "",
            )
        )
    return _merged(sorted(found, key=lambda one: (one.started, one.session)))


def _merged(stretches: Sequence[Stretch]) -> list[Stretch]:
    """The same wish in session after session is told once."""
    found: list[Stretch] = []
    for one in stretches:
        last = found[-1] if found else None
        if last and (last.project, last.tasks) == (one.project, one.tasks):
            found[-1] = replace(one, started=last.started, times=last.times + 1)
        else:
            found.append(one)
    return found


def wish_of(diary: Diary) -> tuple[str, str]:
    """What a task was about: in one line, and the words that follow it."""
    title = diary.title.strip().rstrip(":")
    first = next((line for line in diary.task if not line.text.startswith(("(", "asked:"))), None)
    words = first.text.removeprefix("plan: ") if first else ""
    if _RE.poor.search(title) and diary.commits:
        # A pasted log says less about the work than what was committed at its end.
        return diary.commits[-1].text.partition(" ")[2], ""
    if not words.startswith(title.rstrip("…")):
        return title, ""
    return (words, "") if title.endswith("…") else (title, words[len(title) :].lstrip(" .:"))


def _points(diaries: Sequence[Diary]) -> list[Point]:
    """Decisions, then results; the most telling first, at most two of a task."""
    found: list[Point] = []
    for diary in diaries:
        chosen = [Point(diary.project, text, 6) for text in _decisions(diary.task)]
        found += chosen[:3]
        results = [
            Point(diary.project, text, weight)
            for line in diary.worked
            if line.by == "agent"
            for sentence in sentences(_RE.speaker.sub("", line.text))
            if (text := _RE.lead.sub("", sentence)) and (weight := _weight(text, line)) > 0
        ]
        results.sort(key=lambda point: -point.weight)
        if diary.outcome not in LOST:
            found += results[:2]
    unique: dict[str, Point] = {}
    for point in found:
        unique.setdefault(point.text.lower(), point)
    return sorted(unique.values(), key=lambda point: -point.weight)


def _decisions(task: Sequence[Line]) -> list[str]:
    """What a person chose when asked: question and answer."""
    found: list[str] = []
    for line in task:
        if not line.text.startswith("asked:"):
            continue
        for question, answer in _RE.asked.findall(line.text):
            settled = _RE.recommended.sub("", answer).strip()
            # An answer that asks back decided nothing.
            if (
                "?" not in settled
                and len(settled) > 2
                and not _RE.procedure.search(question.strip())
            ):
                found.append(f"{question.strip()}{ANSWER}{settled}")
    return found


def _weight(text: str, line: Line) -> int:
    """How well a sentence says what stands at the end; 0 for what is not worth a line."""
    if text.count(" ") < LONG_ENOUGH or _RE.unsettled.search(text) or _RE.bookkeeping.search(text):
        return 0
    if text.endswith(("…", "...")):
        return 0
    if not _RE.result.search(text):
        return 0
    # Why something was so is worth more than that it was done; what is still so, less.
    was = 2 if _RE.cause.search(text) else 0
    # A list that was run together is hard to read.
    return 2 + was - (line.text.startswith("why:") and not was) - (len(text) > RUN_ON)


def final_commits(diaries: Sequence[Diary]) -> list[tuple[str, str]]:
    """The last commit of each subject: an amended or repeated one replaces the one before."""
    found: dict[tuple[str, str], str] = {}
    reverted: set[tuple[str, str]] = set()
    for diary in diaries:
        for commit in diary.commits:
            identity, _, subject = commit.text.partition(" ")
            undone = re.match(r'Revert "(.+)"$', subject)
            if undone:
                reverted.add((diary.project, undone[1]))
                continue
            key = (diary.project, subject)
            found.pop(key, None)
            reverted.discard(key)
            found[key] = f"{identity[:7]} {subject}"
    return [(key[0], text) for key, text in found.items() if key not in reverted]


def topics(diaries: Sequence[Diary]) -> list[str]:
    """Words and pairs of words that several tasks share in titles and commits; then places."""
    common = lexicon().stop | lexicon().words("passing.chores")
    seen: Counter[str] = Counter()
    for diary in {diary.title: diary for diary in diaries}.values():
        mentioned: set[str] = set()
        for text in (diary.title, *(commit.text.partition(" ")[2] for commit in diary.commits)):
            words = [word.lower().strip("-") for word in _RE.word.findall(text)]
            telling = [word if word not in common else "" for word in words]
            mentioned |= {f"{a} {b}" for a, b in pairwise(telling) if a and b}
            mentioned |= {word for word in telling if len(word) > 3}
        seen.update(mentioned)
    ranked = sorted(seen, key=lambda name: (-seen[name] * (1.6 if " " in name else 1), name))
    found: list[str] = []
    for name in ranked:
        if seen[name] > 1 and not any(name in other or other in name for other in found):
            found.append(name)
    return [*found[:MAX_TOPICS], *areas(diaries)]
