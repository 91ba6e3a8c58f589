"""Diaries of a session: made when it is read, written into the project's store afterwards.

They are published when the session is over, so that each is one version. One that grew afterwards
is written up again: what is equal stays as it is, what changed becomes a new version. What an agent
handed in, or a person edited, is never written over.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from reverie.db.database import Database
from reverie.documents.document import Document, parse, stem
from reverie.documents.vocabulary import GLOBAL
from reverie.errors import NotFound
from reverie.learn.detect.judge import Judgement
from reverie.learn.diary.account import account
from reverie.learn.diary.condense import titled
from reverie.learn.diary.diary import Diary, Line, diary_from, retold
from reverie.learn.diary.handed_in import OwnDiary
from reverie.learn.diary.tasks import Task, elapsed
from reverie.learn.diary.text import broken, fitted, markdown, size_of
from reverie.learn.traffic.attempts import Made
from reverie.learn.traffic.fixes import Fix
from reverie.learn.traffic.homes import tilde
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import DiaryRow, diaries
from reverie.sessions.fixes import FixRow
from reverie.sessions.forgotten import Forgotten, Said
from reverie.sessions.index import SessionRead
from reverie.sessions.model import evidence_id
from reverie.store.causes import Cause
from reverie.store.model import Actor, Author, Memory
from reverie.store.store import Store
from reverie.trust import Trust, lowest

HANDED_IN = "handed in by "
MAX_EVIDENCE = 20
SHORT = 8
GONE = "(forgotten)"
_UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def written_up(
    read: SessionRead,
    judgements: Sequence[Judgement],
    split: Sequence[Task],
    made: Made | None = None,
) -> tuple[list[DiaryRow], list[FixRow]]:
    """The diaries of the tasks of a session, and the fixes it shows."""
    whose = (read.key, read.project.slug, split[-1].number if split else 0)
    rows: list[DiaryRow] = []
    mended: dict[str, FixRow] = {}
    for task in split:
        human = [i for i in range(task.start, task.end) if read.turns[i].role == "human"]
        # A continued session repeats the one before: its first tasks have their diaries there.
        if human and read.copied.issuperset(human):
            continue
        diary, fixes = account(read.turns, task, judgements, *whose, made)
        rows.append(_row(read, task, diary))
        mended.update((row.id, row) for row in _fix_rows(read, fixes))
    return rows, list(mended.values())


def _row(read: SessionRead, task: Task, diary: Diary) -> DiaryRow:
    task_turns = read.turns[task.start : task.end]
    return DiaryRow(
        session=read.key,
        number=diary.number,
        project=diary.project,
        path=path_of(diary),
        day=diary.day,
        started=diary.started,
        title=diary.title,
        outcome=diary.outcome,
        human_turns=sum(turn.role == "human" for turn in task_turns),
        failures=sum(error.count for error in diary.errors),
        broken=" ".join(broken(read.turns, task, diary)),
        data=diary.dumps(),
    )


def path_of(diary: Diary) -> str:
    """`/diary/2026-11-15-1f2e3d4c-1.md`."""
    day = diary.day if re.fullmatch(r"\d{4}-\d\d-\d\d", diary.day) else "undated"
    return f"/diary/{day}-{short_id(diary.session)}-{diary.number}.md"


def short_id(session: str) -> str:
    """Eight characters that tell a session apart; time-ordered ids differ at their end only."""
    identity = session.partition(":")[2] or session
    if _UUID.fullmatch(identity):
        return identity[-SHORT:] if _UUID7.match(identity) else identity[:SHORT]
    return hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:SHORT]


def _fix_rows(read: SessionRead, mended: Sequence[Fix]) -> list[FixRow]:
    times = {turn.line: turn.at for turn in read.turns}
    return [
        FixRow(
            id=evidence_id(read.head.agent, read.head.session_id, fix.line),
            session=read.key,
            project=read.project.slug,
            line=fix.line,
            fixed_line=fix.fixed_line,
            at=times.get(fix.line, ""),
            kind=fix.kind,
            failed=fix.failed,
            fix=fix.fix,
            signature=fix.failure.signature,
            message=fix.failure.message,
            trouble=fix.failure.trouble,
            tries=fix.tries,
            seconds=elapsed(times.get(fix.line, ""), times.get(fix.fixed_line, "")),
            tokens=sum(t.tokens for t in read.turns if fix.line <= t.line <= fix.fixed_line),
            form=fix.form,
            lesson=fix.lesson,
        )
        for fix in mended
    ]


class Diarist:
    """Writes diaries into stores; knows for one run which are there."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._forgotten = Forgotten(store.database)
        self._paths: dict[str, dict[str, list[str]]] = {}  # store → short id → paths

    def publish(self, database: Database, session: str) -> None:
        """Write the diaries of a session into its project's store; repeating changes nothing."""
        rows = diaries(Chosen(database, (session,)))
        if not rows:
            return
        name = store_of(rows[0].project)
        if name not in self._paths:
            self._store.ensure_store(name)
            self._paths[name] = _by_session(entry.path for entry in self._store.manifest(name))
        for row in rows:
            self._write(row, _memory_of(self._store, row))
        self._remove_stale(name, session, {row.path for row in rows})

    def renew(self, rows: Iterable[DiaryRow]) -> None:
        """Write those of `rows` anew that are published already."""
        for row in rows:
            if memory := _memory_of(self._store, row):
                self._write(row, memory)

    def _write(self, row: DiaryRow, memory: Memory | None) -> None:
        """Unless an agent's or a person's own words stand there."""
        diary = as_told(diary_from(row.data), self._forgotten)
        name, by = store_of(row.project), _author(diary)
        if memory is None:
            self._store.create(name, row.path, self._text(diary, row.path), by)
        elif is_derived(self._store, memory):
            text, seen = self._text(diary, row.path), memory.content_sha256
            if memory.content != text:
                self._store.update(name, memory.id, content=text, if_sha256=seen, by=by)

    def _text(self, diary: Diary, path: str) -> str:
        """The memory, within what a memory may hold."""
        document = _document(diary, path)
        text = document.text()
        over = size_of(text) - self._store.context.limits.max_content_bytes
        if over > 0:
            body = fitted(diary, size_of(document.body) - over)
            text = replace(document, body=body).text()
        return text

    def _remove_stale(self, name: str, session: str, current: set[str]) -> None:
        """Diaries of an earlier split of the session that no longer exist."""
        reason = f"{session} is split into other tasks now"
        by = Author(Actor("agent", session), reason, trust="agent")
        for path in self._paths[name].get(short_id(session), ()):
            if path not in current:
                memory = self._store.get(name, path)
                if self._store.version(memory.version_id).cause == Cause("diary", session):
                    seen = memory.content_sha256
                    self._store.delete(name, memory.id, if_sha256=seen, by=by)


def _memory_of(store: Store, row: DiaryRow) -> Memory | None:
    with suppress(NotFound):
        return store.get(store_of(row.project), row.path)


def as_told(diary: Diary, known: Forgotten) -> Diary:
    """The diary without what a person had forgotten: neither its words nor what rests on it."""
    if not known:
        return diary

    def gone(text: str, lines: Sequence[int] = ()) -> bool:
        places = [f"{diary.session}#{line}" for line in lines] or [""]
        where = (Said("", diary.project, (text,), place, diary.started) for place in places)
        return any(known.holds(said) for said in where)

    def left(lines: tuple[Line, ...]) -> tuple[Line, ...]:
        return tuple(line for line in lines if not gone(line.text, line.lines))

    taken = [line for line in diary.task if gone(line.text, line.lines)]
    named = any(diary.title.rstrip("…") in line.text for line in taken)
    shown = replace(
        diary,
        title=GONE if named else diary.title,
        # Each turn of the person stays accounted for.
        task=tuple(replace(line, text=GONE) if line in taken else line for line in diary.task),
        worked=left(diary.worked),
        mistakes=left(diary.mistakes),
        edge_cases=left(diary.edge_cases),
        patterns=left(diary.patterns),
    )
    return retold(shown, lambda text: GONE if gone(text) else text)


def is_derived(store: Store, memory: Memory) -> bool:
    """Whether `learn` wrote it last: not an agent that handed its own in, nor a person."""
    return store.version(memory.version_id).cause.kind == "diary"


def store_of(project: str) -> str:
    return project or GLOBAL


def _by_session(paths: Iterable[str]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for path in paths:
        if path.startswith("/diary/") and path.count("-") > 1:
            named.setdefault(path.rsplit("-", 2)[1], []).append(path)
    return named


def _author(diary: Diary, trust: Trust | None = None, reason: str = "") -> Author:
    return Author(
        actor=Actor("agent", diary.session),
        reason=reason or Cause("diary", diary.session).reason,
        trust=trust or _trust(diary),
        valid_from=diary.started or None,
    )


def _document(diary: Diary, path: str) -> Document:
    lines = sorted(diary.spoken) or sorted(diary.failed)
    cited = lines or [line for way in diary.approaches[:1] for line in way.lines[:1]]
    return Document(
        name=stem(path),
        description=diary.title,
        type="project",
        scope=store_of(diary.project),
        created=diary.day,
        trust=_trust(diary),
        support=1,
        evidence=tuple(f"{diary.session}#{line}" for line in cited[:MAX_EVIDENCE]),
        body=markdown(diary),
    )


def _trust(diary: Diary) -> Trust:
    """As far as its least trusted words: it quotes the agent, and tools where something failed."""
    return "tool" if diary.errors else "agent"


@dataclass(frozen=True, slots=True)
class DiaryPage:
    """A diary as it is to be read."""

    row: DiaryRow
    text: str
    derived: bool  # not handed in by an agent or edited by a person


def preferred(store: Store, row: DiaryRow, known: Forgotten) -> DiaryPage:
    """A diary: what an agent handed in or a person edited stands before what was derived.

    Of a session that is not over, what is known by now; it is not in the store yet.
    """
    memory = _memory_of(store, row)
    if memory is not None and not is_derived(store, memory):
        return DiaryPage(row, parse(memory.content, path=row.path).body, derived=False)
    shown = as_told(diary_from(row.data), known)
    return DiaryPage(replace(row, title=shown.title), markdown(shown), derived=True)


def hand_in(store: Store, row: DiaryRow, agents_diary: OwnDiary) -> Memory:
    """Keep an agent's own diary of a task in place of the derived one."""
    name, diary = store_of(row.project), diary_from(row.data)
    store.ensure_store(name)
    memory = _memory_of(store, row)
    # Only a person can raise trust: where a derived diary quoted a tool, it stays that low.
    trust = lowest("agent", memory.trust) if memory else "agent"
    document = replace(
        _document(diary, row.path),
        description=agents_diary.title or titled(agents_diary.task, 100),
        trust=trust,
        body=tilde(agents_diary.markdown(row.session, row.number)),
    )
    by = _author(diary, trust, f"{HANDED_IN}{row.session}")
    return store.put(name, row.path, document.validate().text(), by)
