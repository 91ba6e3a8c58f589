"""Dailies in the `global` store: `/daily/2026-11-15.md`, rewritten whenever their day grows.

Only what stands between our two marks is ours. Everything else in the file is the person's, and so
is any line they put between the marks: it is moved below them and kept.
"""

import difflib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from reverie.db.database import Database
from reverie.documents.document import Document, load
from reverie.errors import NotFound, PreconditionFailed
from reverie.language.compare import relation
from reverie.language.neighbours import Neighbours
from reverie.learn.daily.daily import Daily, Learned, Point, daily
from reverie.learn.daily.text import Grade, clip, fitted, grade, headline, markdown, size_of
from reverie.learn.diary.diary import diary_from
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue, Review
from reverie.sessions.diaries import diaries
from reverie.store.causes import Cause
from reverie.store.model import Actor, Author, Memory
from reverie.store.store import Store

STORE = "global"
FOLDER = "/daily/"
BEGIN = "<!-- reverie: written by `reverie learn`; what stands outside these marks is yours -->"
END = "<!-- /reverie -->"
NOTES = "## Notes"
WAITING_SCORE = 0.6  # what waits for a person is told from this score on,
MOST_WAITING = 2  # and only so much of it
TRIES = 5
_CALL = re.compile(r"\w+: (?:[{\[#/]|.*[{}])|\w+ \S+\.\w+: ")  # a call that was answered, not words


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one daily."""

    day: str
    action: Literal["written", "unchanged"]
    size: int  # bytes of our part with the frontmatter
    widest: int
    notes: int  # bytes of the person's

    @property
    def grade(self) -> Grade:
        """What the size was before it was cut."""
        return grade(self.widest)

    @property
    def warning(self) -> str:
        """A sentence when the rules for sizes had something to say; else empty."""
        kb = f"{self.widest / 1024:.1f} KB"
        if grade(self.size) in ("large", "too large"):
            return f"daily {self.day} is {self.size / 1024:.1f} KB, over its limit"
        if self.grade == "too large":
            return f"daily {self.day} would have been {kb}: redone, now {self.size / 1024:.1f} KB"
        if self.grade == "large":
            return f"daily {self.day} would have been {kb}: compacted to {self.size / 1024:.1f} KB"
        return ""


class DailyEntry(NamedTuple):
    """A daily in a list."""

    path: str
    size: int  # bytes

    @property
    def day(self) -> str:
        return day_of(self.path)


class DailyPage(NamedTuple):
    """A daily with what stands in it."""

    memory: Memory

    @property
    def day(self) -> str:
        return day_of(self.memory.path)

    @property
    def text(self) -> str:
        """For a person: without frontmatter and marks."""
        return _joined(*split(load(self.memory.content, path=self.memory.path).body)) + "\n"

    @property
    def notes(self) -> str:
        """What stands outside of our marks."""
        before, _, after = split(load(self.memory.content, path=self.memory.path).body)
        return _joined(before, after)


def path_of(day: str) -> str:
    return f"{FOLDER}{day}.md"


def day_of(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")


class Chronicler:
    """Writes dailies; knows for one run what long-term memory holds."""

    def __init__(self, store: Store, queue: Queue) -> None:
        self._store = store
        self._queue = queue
        self._known: dict[str, Neighbours] = {}  # store → what it says
        self._texts: dict[str, tuple[str, str]] = {}  # memory id → (what it says, since when)

    def write(self, database: Database, days: Iterable[str]) -> list[Written]:
        """Write the dailies of `days` that have diaries; what is equal stays as it is."""
        found: list[Written] = []
        for day in sorted(set(days)):
            one = self.compose(database, day) if day else None
            if one is not None:
                self._store.ensure_store(STORE)
                found.append(self._publish(one))
        return found

    def rewrite(self, database: Database, days: Iterable[str], reason: str) -> None:
        """Write dailies anew without a session that was unlearned; older versions are redacted.

        A day that has nothing left loses its daily, unless a person's notes are in it.
        """
        by = Author(Actor("user"), reason, "agent")
        for day in sorted(set(days)):
            memory = self._current(path_of(day))
            if memory is None:
                continue
            before, after = self._notes(memory)
            one = self.compose(database, day)
            if one is not None:
                self._publish(one)
            elif (before + after).strip():
                self._store.update(STORE, memory.id, content=before + after.lstrip("\n"), by=by)
            else:
                self._store.delete(STORE, memory.id, by=by)
            self._store.redact_history(STORE, memory.id, by)

    def compose(self, database: Database, day: str, project: str | None = None) -> Daily | None:
        """The daily of `day`, or what it holds of one project; `None` when nothing happened."""
        rows = diaries(database, day=day, project=project)
        if not rows:
            return None
        told = [diary_from(json.loads(row.data)) for row in rows]
        sessions = sorted({row.session for row in rows})
        whole = daily(day, told, self._learned(day, sessions))
        return replace(whole, points=tuple(p for p in whole.points if self._is_news(p, day)))

    def _learned(self, day: str, sessions: list[str]) -> list[Learned]:
        """The lessons of that day's sessions, each once, without what was known before."""
        kept: list[Learned] = []
        said = Neighbours()
        waiting = 0
        for review in self._queue.of_sessions(sessions):
            candidate = review.candidate
            document = self._document(review, day)
            if candidate.at[:10] != day or document is None:
                continue
            pending = review.status == "pending"
            if pending and (review.score < WAITING_SCORE or waiting == MOST_WAITING):
                continue
            text = document.description
            if any(relation(text, _lesson(kept[int(str(at))])) == "same" for at in said.near(text)):
                continue
            if pending and self._is_known(text, candidate.project, day):
                continue
            said.add(len(kept), text)
            kept.append(Learned(document, occasion(candidate), pending))
            waiting += pending
        return kept

    def _document(self, review: Review, day: str) -> Document | None:
        """The memory a lesson became, or would become; `None` if it was known before that day."""
        if review.status == "pending" or review.memory_id is None:
            return review.candidate.document() if review.status == "pending" else None
        try:
            memory = self._store.get(review.candidate.store, review.memory_id)
        except NotFound:
            return None  # forgotten since: no longer a lesson
        document = load(memory.content, path=memory.path)
        known_before = bool(document.created) and document.created[:10] < day
        return None if known_before or document.problem else document

    def _is_news(self, point: Point, day: str) -> bool:
        return not self._is_known(point.text, point.project, day)

    def _is_known(self, text: str, project: str, day: str) -> bool:
        """Does long-term memory, shared or of the project, say it from before that day?"""
        for store in sorted({STORE, project or STORE}):
            if store not in self._known:
                self._known[store] = self._read_known(store)
            for key in self._known[store].near(text):
                known, since = self._texts[str(key)]
                if since < day and relation(text, known) == "same":
                    return True
        return False

    def _read_known(self, store: str) -> Neighbours:
        known = Neighbours()
        if store not in {info.name for info in self._store.stores()}:
            return known
        # The list has no texts: those of dailies, diaries and the archive need not be read.
        for listed in self._store.manifest(store):
            if listed.path.count("/") > 1:
                continue
            memory = self._store.get(store, listed.id)
            document = load(memory.content, path=memory.path)
            since = document.created[:10] or memory.created_at[:10]
            self._texts[memory.id] = (document.description, since)
            known.add(memory.id, document.description)
        return known

    def _publish(self, one: Daily) -> Written:
        path = path_of(one.day)
        by = Author(Actor("agent", "reverie"), Cause("daily", one.day).reason, "agent")
        for _ in range(TRIES):
            memory = self._current(path)
            before, after = self._notes(memory)
            frame = size_of(_document(one, "", "", "", memory).text())
            fit = fitted(lambda shape: markdown(one, shape), frame)
            text = _document(one, fit.text, before, after, memory).text()
            notes = size_of(before) + size_of(after)
            done = Written(one.day, "written", size_of(text) - notes, fit.widest, notes)
            if memory is None:
                self._store.create(STORE, path, text, by)
                return done
            if memory.content == text:
                return replace(done, action="unchanged")
            seen = memory.content_sha256
            try:
                self._store.update(STORE, memory.id, content=text, if_sha256=seen, by=by)
            except PreconditionFailed:
                continue  # a note was added meanwhile: read it first
            return done
        raise PreconditionFailed(f"the daily of {one.day} was edited again and again meanwhile")

    def _current(self, path: str) -> Memory | None:
        try:
            return self._store.get(STORE, path)
        except NotFound:
            return None

    def _notes(self, memory: Memory | None) -> tuple[str, str]:
        """What the person wrote before and after our part, and what they put into it."""
        if memory is None:
            return "", ""
        before, ours, after = split(load(memory.content, path=memory.path).body)
        written = self._last_written(memory)
        own = added(written, ours) if written is not None else []
        if own:
            head = "" if NOTES in after else f"\n{NOTES}\n\n"
            after = f"{after.rstrip()}\n{head}" if after.strip() else head
            after += "\n".join(own) + "\n"
        return before, after

    def _last_written(self, memory: Memory) -> str | None:
        """Our part as we last wrote it; `None` when the head is ours and nothing was put in."""
        page = self._store.versions(STORE, memory.id, limit=50)
        for number, version in enumerate(page.items):
            if version.cause.kind == "daily" and version.content is not None:
                return None if number == 0 else split(load(version.content).body)[1]
        return ""


def split(body: str) -> tuple[str, str, str]:
    """What stands before our part, our part, and what stands after it."""
    start = body.find(BEGIN)
    end = body.find(END, start) if start >= 0 else -1
    if start < 0 or end < 0:
        # Without both marks nothing is ours.
        return "", "", body
    return body[:start], body[start + len(BEGIN) : end], body[end + len(END) :]


def _joined(*parts: str) -> str:
    return "\n".join(part.strip("\n") for part in parts if part.strip())


def added(written: str, now: str) -> list[str]:
    """The lines of `now` that were not written by us."""
    ours, theirs = written.splitlines(), now.splitlines()
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    found: list[str] = []
    for tag, _, _, start, end in matcher.get_opcodes():
        if tag in ("insert", "replace"):
            found += [line for line in theirs[start:end] if line.strip()]
    return found


def _document(one: Daily, ours: str, before: str, after: str, memory: Memory | None) -> Document:
    """The file; keys a person added to its frontmatter stay."""
    body = f"{before}{BEGIN}\n{ours.strip()}\n{END}{after or chr(10)}"
    fresh = Document(
        name=one.day,
        description=headline(one),
        type="project",
        scope=STORE,
        created=one.day,
        trust="agent",
        body=body,
    )
    if memory is None:
        return fresh
    known = load(memory.content, path=memory.path)
    if known.problem or known.source is None or known.source.front is None:
        return fresh
    return replace(known, description=fresh.description, body=body)


def occasion(candidate: Candidate) -> str:
    """How a lesson came up, in a few words."""
    if candidate.trust == "tool":
        return "seen in what tools answered"
    if candidate.premise and not _CALL.match(candidate.premise):
        return f"said against “{clip(candidate.premise, 80)}”"
    return "said as a rule to last" if candidate.standing else "said in passing"


def _lesson(one: Learned) -> str:
    return one.document.description
