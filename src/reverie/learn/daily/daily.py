"""A daily: what one day came to, over all projects, out of its diaries.

Final solutions, not the path to them: what was wanted and how it ended, what stands now, what was
decided, what was learned. Failed tries and detours stay in the diaries. A task that went on past
midnight is told on both days; what came of it belongs to the day on which it ended.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from reverie.data import patterns
from reverie.documents.document import Document
from reverie.language.lexicon import lexicon
from reverie.learn.diary.condense import ENOUGH, sentences
from reverie.learn.diary.diary import Diary, Line

# Outcomes that say a task came to something, and those after which nothing stands.
ENDED = frozenset({"merged", "pull request", "committed", "accepted", "working", "answered"})
LOST = frozenset({"failing", "interrupted", "refused"})
MAX_TOPICS = 6
ANSWER = " → decided: "
RUN_ON = 260  # characters
DECIDED = 6  # weight of a decision; of a result at most 4
CROWDED = 4  # new files of one folder that are told as the folder

_RE = patterns("diaries.txt", "daily")


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
    made: tuple[tuple[str, str], ...] = ()  # (project, new file worth telling, or its folder)


def last_day(diary: Diary) -> str:
    return max(diary.day, diary.ended[:10])


def daily(day: str, diaries: Sequence[Diary], learned: Iterable[Learned]) -> Daily:
    """The daily of `day`; `diaries` are of the tasks that were worked on then, in order."""
    stretches = _stretches(diaries)
    done = [diary for diary in diaries if last_day(diary) == day]
    busiest = Counter(stretch.project for stretch in stretches)
    projects = sorted(busiest, key=lambda name: (-busiest[name], name))
    return Daily(
        day=day,
        projects=tuple(name for name in projects if name),
        stretches=tuple(stretches),
        topics=tuple(topics(done)),
        points=tuple(_points(done)),
        learned=tuple(learned),
        commits=tuple(final_commits(done)),
        links=tuple(dict.fromkeys(link.text for diary in done for link in diary.links)),
        made=tuple(new_files(done)),
    )


def _stretches(diaries: Sequence[Diary]) -> list[Stretch]:
    by_session: dict[str, list[Diary]] = {}
    for diary in diaries:
        by_session.setdefault(diary.session, []).append(diary)
    stretches = [_stretch(session, tasks) for session, tasks in by_session.items()]
    stretches.sort(key=lambda stretch: (stretch.started, stretch.session))
    # The same wish in session after session is told once.
    runs = groupby(stretches, lambda stretch: (stretch.project, stretch.tasks))
    return [
        replace(run[-1], started=run[0].started, times=len(run))
        for run in (list(same) for _, same in runs)
    ]


def _stretch(session: str, tasks: Sequence[Diary]) -> Stretch:
    wishes = {wish[0]: wish for task in tasks if (wish := wish_of(task))[0]}
    commits = [commit.text.partition(" ")[2] for task in tasks for commit in task.commits]
    ended = [task.outcome for task in tasks if task.outcome in ENDED]
    return Stretch(
        project=tasks[0].project,
        session=session,
        started=tasks[0].started,
        ended=max(task.ended for task in tasks),
        tasks=tuple(wishes.values()),
        outcome=ended[-1] if ended else tasks[-1].outcome,
        result=commits[-1] if commits else "",
    )


def wish_of(diary: Diary) -> tuple[str, str]:
    """What a task was about: in one line, and the words that follow it."""
    title = diary.title.strip().rstrip(":")
    begun = title.rstrip("…")
    for line in diary.task:
        _, match, rest = line.text.partition(begun)
        if match:
            # What goes on after a title that is a part of its sentence belongs to it.
            goes_on = title[-1:] not in ".!?" and rest[:1] in {" ", ","}
            return (begun + rest, "") if goes_on else (title, rest.lstrip(" .:"))
    return title, ""


def _points(diaries: Sequence[Diary]) -> list[Point]:
    """Decisions, then results; the most telling first, at most two of a task."""
    points: dict[str, Point] = {}
    for diary in diaries:
        decided = [Point(diary.project, text, DECIDED) for text in _decisions(diary.task)[:3]]
        results = [
            Point(diary.project, text, weight)
            for line in (() if diary.outcome in LOST else diary.worked)
            if line.by == "agent"
            for sentence in sentences(_RE.speaker.sub("", line.text))
            if (text := _RE.lead.sub("", sentence)) and (weight := _weight(text, line)) > 0
        ]
        results.sort(key=_by_weight)
        for point in (*decided, *results[:2]):
            points.setdefault(point.text.lower(), point)
    return sorted(points.values(), key=_by_weight)


def _by_weight(point: Point) -> int:
    return -point.weight


def _decisions(task: Sequence[Line]) -> list[str]:
    """What a person chose when asked: question and answer."""
    asked = [line.text for line in task if line.text.startswith("asked:")]
    answered = [pair for text in asked for pair in _RE.asked.findall(text)]
    settled = [(ask.strip(), _RE.recommended.sub("", answer).strip()) for ask, answer in answered]
    return [
        f"{question}{ANSWER}{answer}"
        for question, answer in settled
        # An answer that asks back decided nothing.
        if len(answer) > 2 and "?" not in answer and not _RE.procedure.search(question)
    ]


def _weight(text: str, line: Line) -> int:
    """How well a sentence says what stands at the end; 0 for what is not worth a line."""
    if text.count(" ") < ENOUGH or text.endswith(("…", "...")) or not _RE.result.search(text):
        return 0
    if _RE.unsettled.search(text) or _RE.bookkeeping.search(text):
        return 0
    # Why something was so is worth more than that it was done; what is still so, less.
    was = 2 if _RE.cause.search(text) else 0
    # A list that was run together is hard to read.
    return 2 + was - (line.text.startswith("why:") and not was) - (len(text) > RUN_ON)


def final_commits(diaries: Sequence[Diary]) -> list[tuple[str, str]]:
    """The last commit of each subject: an amended or repeated one replaces the one before."""
    final: dict[tuple[str, str], str] = {}
    for diary in diaries:
        for commit in diary.commits:
            identity, _, subject = commit.text.partition(" ")
            undone = re.match(r'Revert "(.+)"$', subject)
            final.pop((diary.project, undone[1] if undone else subject), None)
            if not undone:
                final[diary.project, subject] = f"{identity[:7]} {subject}"
    return [(project, text) for (project, _), text in final.items()]


def topics(diaries: Sequence[Diary]) -> list[str]:
    """Words and pairs of words that several tasks share in titles and commits."""
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
    shared: list[str] = []
    for name in ranked:
        if seen[name] > 1 and not any(name in other or other in name for other in shared):
            shared.append(name)
    return shared[:MAX_TOPICS]


def new_files(diaries: Sequence[Diary]) -> list[tuple[str, str]]:
    """New files worth telling, many of one folder as the folder; tests after the rest."""
    named: Counter[tuple[str, str]] = Counter()
    for diary in diaries:
        for file in diary.created:
            if not _RE.generated.search(file.text):
                named[diary.project, file.text] += len(file.lines)
    crowded = Counter((project, name.rpartition("/")[0]) for project, name in named)
    ranks: dict[tuple[str, str], tuple[bool, int, str]] = {}
    for (project, name), times in named.items():
        folder = name.rpartition("/")[0]
        count = crowded[project, folder]
        shown = f"{folder}/ ({count} files)" if folder and count >= CROWDED else name
        ranks.setdefault((project, shown), (bool(_RE.testing.search(name)), -times, name))
    return sorted(ranks, key=lambda key: (*ranks[key], key))
