"""Dailies in the `global` store: `/daily/2026-11-15.md`, rewritten when their day has more to say.

Only what stands between our two marks is ours. Everything else in the file is the person's, and so
is any line they put between the marks: it is moved below them and kept. A day on which a session is
not over yet is composed whenever it is asked for, and published when the session is.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from reverie.db.database import Database
from reverie.documents.document import Document, load
from reverie.errors import NotFound, PreconditionFailed
from reverie.language.compare import is_same
from reverie.language.neighbours import Neighbours
from reverie.learn.daily.daily import Daily, Learned, daily, last_day
from reverie.learn.daily.text import (
    GENEROUS,
    Grade,
    clip,
    fitted,
    grade,
    headline,
    markdown,
    size_of,
)
from reverie.learn.diary.diaries import as_told
from reverie.learn.diary.diary import Diary, diary_from
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.learnings import Learnings
from reverie.learn.memories.queue import Queue, Review
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import diaries
from reverie.sessions.forgotten import Forgotten, Said
from reverie.store.causes import Cause
from reverie.store.model import Actor, Author, Memory, Version
from reverie.store.store import Store

STORE = "global"
FOLDER = "/daily/"
BEGIN = "<!-- reverie: written by `reverie learn`; what stands outside these marks is yours -->"
END = "<!-- /reverie -->"
NOTES = "## Notes"
HANDED_IN = "handed in"  # who wrote a daily that was not derived
WAITING_SCORE = 0.6  # what waits for a person is told from this score on,
MOST_WAITING = 2  # and only so much of it
PAST_MIDNIGHT = timedelta(days=2)  # how far back a task may have begun that is worked on today
TRIES = 5
_CALL = re.compile(r"\w+: (?:[{\[#/]|.*[{}])|\w+ \S+\.\w+: ")  # a call that was answered, not words


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one daily."""

    day: str
    action: Literal["written", "unchanged"]
    size: int  # bytes of our part with the frontmatter
    widest: int  # before it was cut

    @property
    def grade(self) -> Grade:
        """What the size was before it was cut."""
        return grade(self.widest)

    @property
    def warning(self) -> str:
        """A sentence when the rules for sizes had something to say; else empty."""
        size, widest = f"{self.size / 1024:.1f} KB", f"{self.widest / 1024:.1f} KB"
        if grade(self.size) in ("large", "too large"):
            return f"daily {self.day} is {size}, over its limit"
        cut = {"large": "compacted to", "too large": "redone, now"}.get(self.grade)
        return f"daily {self.day} would have been {widest}: {cut} {size}" if cut else ""


class DailyPage(NamedTuple):
    """A daily with what stands in it."""

    day: str
    content: str  # the file
    memory: Memory | None  # None when it is not published yet

    @property
    def path(self) -> str:
        return path_of(self.day)

    @property
    def size(self) -> int:
        return size_of(self.content)

    @property
    def text(self) -> str:
        """For a person: without frontmatter and marks."""
        return _joined(*split(load(self.content, path=self.path).body)) + "\n"

    @property
    def notes(self) -> str:
        before, _, after = split(load(self.content, path=self.path).body)
        return _joined(before, after)


def path_of(day: str) -> str:
    return f"{FOLDER}{day}.md"


def days_of(database: Database, session: str) -> set[str]:
    """The days on which the tasks of a session were begun and ended."""
    tasks = [diary_from(row.data) for row in diaries(Chosen(database, (session,)))]
    return {day for diary in tasks for day in (diary.day, last_day(diary)) if day}


def worked_on(database: Database, day: str, project: str | None = None) -> list[Diary]:
    """The diaries of a day, also of what was begun before midnight."""
    try:
        since = (date.fromisoformat(day) - PAST_MIDNIGHT).isoformat()
    except (ValueError, OverflowError):
        since = day
    rows = diaries(Chosen(database), since=since, until=day, project=project)
    worked = [diary_from(row.data) for row in rows]
    return [diary for diary in worked if diary.day == day or last_day(diary) >= day]


class Chronicler:
    """Writes dailies; knows for one run what long-term memory holds."""

    def __init__(self, store: Store, queue: Queue) -> None:
        self._store = store
        self._queue = queue
        self._known: dict[str, Learnings] = {}  # by store

    def write(self, database: Database, days: Iterable[str]) -> list[Written]:
        """Write the dailies of `days` that have diaries; what is equal stays as it is."""
        composed = [self.compose(database, day) for day in sorted(set(days)) if day]
        return [self._publish(whole) for whole in composed if whole is not None]

    def decided_since(self, moment: str) -> set[str]:
        """The days with a daily whose lessons a person has decided about after that moment."""
        days = {candidate.at[:10] for candidate in self._queue.decided_since(moment)}
        return {day for day in days if day and self._current(day) is not None}

    def renew(self, database: Database, days: Iterable[str]) -> None:
        """Write those of the days anew that have a daily."""
        self.write(database, (day for day in days if self._current(day) is not None))

    def page(self, database: Database, day: str) -> DailyPage | None:
        """The daily of a day as it is by now, whether it is published or not."""
        memory = self._current(day)
        if whole := self.compose(database, day):
            return DailyPage(day, self._fitted(whole, memory)[0], memory)
        return DailyPage(day, memory.content, memory) if memory is not None else None

    def material(self, database: Database, day: str) -> str:
        """All that is told of a day, for somebody who writes about it; "" when nothing is."""
        whole = self.compose(database, day)
        return markdown(whole, GENEROUS) if whole else ""

    def hand_in(self, day: str, title: str, text: str) -> None:
        """Keep somebody's account of a day in place of the derived one."""
        memory = self._current(day)
        before, after = self._notes(memory)
        document = _document(day, title, text, before, after, memory)
        by = Author(Actor("agent", HANDED_IN), Cause("daily", day).reason, "agent")
        self._store.ensure_store(STORE)
        self._store.put(STORE, path_of(day), document.validate().text(), by)

    def _is_handed_in(self, memory: Memory) -> bool:
        ours = self._last_ours(memory)
        return ours is not None and ours.actor.id == HANDED_IN

    def rewrite(self, database: Database, days: Iterable[str], reason: str) -> None:
        """Write dailies anew without a session that was unlearned; older versions are redacted.

        A day that has nothing left loses its daily, unless a person's notes are in it.
        """
        by = Author(Actor("user"), reason, "agent")
        for day in sorted(set(days)):
            memory = self._current(day)
            if memory is None:
                continue
            before, after = self._notes(memory)
            if whole := self.compose(database, day):
                self._publish(whole)
            elif (before + after).strip():
                self._store.update(STORE, memory.id, content=before + after.lstrip("\n"), by=by)
            else:
                self._store.delete(STORE, memory.id, by=by)
            self._store.redact_history(STORE, memory.id, by)

    def compose(self, database: Database, day: str, project: str | None = None) -> Daily | None:
        """The daily of `day`, or what it holds of one project; `None` when nothing happened."""
        known = Forgotten(self._store.database)
        worked = [as_told(diary, known) for diary in worked_on(database, day, project)]
        if not worked:
            return None
        sessions = sorted({diary.session for diary in worked})
        whole = daily(day, worked, self._learned(day, sessions, known))
        news = [p for p in whole.points if not self._is_known(p.text, p.project, day)]
        return replace(whole, points=tuple(news))

    def _learned(self, day: str, sessions: list[str], known: Forgotten) -> list[Learned]:
        """The lessons of that day's sessions, each once, without what was known before."""
        kept: list[Learned] = []
        lessons = Neighbours()
        waiting = 0
        for review in self._queue.of_sessions(sessions):
            candidate = review.candidate
            document = self._document(review, day) if candidate.at[:10] == day else None
            if document is None or known.holds(
                Said(review.id, candidate.project, (candidate.lesson,), at=candidate.at)
            ):
                continue
            pending = review.status == "pending"
            if pending and (review.score < WAITING_SCORE or waiting == MOST_WAITING):
                continue
            text = document.description
            if any(is_same(text, str(other)) for other in lessons.near(text)):
                continue
            if pending and self._is_known(text, candidate.project, day):
                continue
            lessons.add(text, text)
            kept.append(Learned(document, occasion(candidate), pending))
            waiting += pending
        return kept

    def _document(self, review: Review, day: str) -> Document | None:
        """The memory a lesson became, or would become; `None` if it was known before that day."""
        if review.status == "pending":
            return review.candidate.document()
        memory = self._memory(review.memory_id or "", review.candidate.store)
        if memory is None:
            return None  # forgotten since: no longer a lesson
        document = load(memory.content, path=memory.path)
        known_before = bool(document.created) and document.created[:10] < day
        return None if known_before or document.problem else document

    def _is_known(self, text: str, project: str, day: str) -> bool:
        """Does long-term memory, shared or of the project, say it from before that day?"""
        for store in sorted({STORE, project or STORE}):
            if store not in self._known:
                self._known[store] = Learnings(self._store, store)
            for path in self._known[store].saying(text):
                memory = self._memory(path, store)
                if memory and (load(memory.content).created or memory.created_at)[:10] < day:
                    return True
        return False

    def _fitted(self, whole: Daily, memory: Memory | None) -> tuple[str, Written]:
        """The file, with what the person wrote into the one that is there."""
        before, after = self._notes(memory)
        day, title = whole.day, headline(whole)
        frame = size_of(_document(day, title, "", "", "", memory).text())
        fit = fitted(lambda shape: markdown(whole, shape), frame)
        text = _document(day, title, fit.text, before, after, memory).text()
        notes = size_of(before) + size_of(after)
        return text, Written(day, "written", size_of(text) - notes, fit.widest)

    def _publish(self, whole: Daily) -> Written:
        by = Author(Actor("agent", "reverie"), Cause("daily", whole.day).reason, "agent")
        self._store.ensure_store(STORE)
        for _ in range(TRIES):
            memory = self._current(whole.day)
            text, done = self._fitted(whole, memory)
            if memory is None:
                self._store.create(STORE, path_of(whole.day), text, by)
                return done
            if memory.content == text or self._is_handed_in(memory):
                return replace(done, action="unchanged")
            seen = memory.content_sha256
            try:
                self._store.update(STORE, memory.id, content=text, if_sha256=seen, by=by)
            except PreconditionFailed:
                continue  # a note was added meanwhile: read it first
            return done
        raise PreconditionFailed(f"the daily of {whole.day} was edited again and again meanwhile")

    def _current(self, day: str) -> Memory | None:
        return self._memory(path_of(day))

    def _memory(self, reference: str, store: str = STORE) -> Memory | None:
        with suppress(NotFound):
            return self._store.get(store, reference)

    def _notes(self, memory: Memory | None) -> tuple[str, str]:
        """What the person wrote before and after our part, and what they put into it."""
        if memory is None:
            return "", ""
        before, now, after = split(load(memory.content, path=memory.path).body)
        ours = self._last_ours(memory)
        written = split(load(ours.content or "").body)[1] if ours else ""
        if theirs := added(written, now):
            head = "" if NOTES in after else f"\n{NOTES}\n\n"
            after = f"{after.rstrip()}\n{head}" if after.strip() else head
            after += "\n".join(theirs) + "\n"
        return before, after

    def _last_ours(self, memory: Memory) -> Version | None:
        """The last version that is not a person's."""
        versions = self._store.versions(STORE, memory.id, limit=50).items
        return next((version for version in versions if version.cause.kind == "daily"), None)


def split(body: str) -> tuple[str, str, str]:
    """What stands before our part, our part, and what stands after it."""
    before, begin, rest = body.partition(BEGIN)
    ours, end, after = rest.partition(END)
    # Without both marks nothing is ours.
    return (before, ours, after) if begin and end else ("", "", body)


def _joined(*parts: str) -> str:
    return "\n".join(part.strip("\n") for part in parts if part.strip())


def added(written: str, now: str) -> list[str]:
    """The lines of `now` that were not written by us."""
    lines = now.splitlines()
    matcher = SequenceMatcher(None, written.splitlines(), lines, autojunk=False)
    changed = (lines[start:end] for tag, *_, start, end in matcher.get_opcodes() if tag != "equal")
    return [line for part in changed for line in part if line.strip()]


def _document(
    day: str, title: str, ours: str, before: str, after: str, memory: Memory | None
) -> Document:
    """The file; keys a person added to its frontmatter stay."""
    document = load(memory.content, path=memory.path) if memory else None
    if document is None or document.problem or not (document.source and document.source.front):
        document = Document(day, type="project", scope=STORE, created=day, trust="agent")
    body = f"{before}{BEGIN}\n{ours.strip()}\n{END}{after or chr(10)}"
    return replace(document, description=title, body=body)


def occasion(candidate: Candidate) -> str:
    """How a lesson came up, in a few words."""
    if candidate.trust == "tool":
        return "seen in what tools answered"
    if candidate.premise and not _CALL.match(candidate.premise):
        return f"said against “{clip(candidate.premise, 80)}”"
    return "said as a rule to last" if candidate.standing else "said in passing"
