"""The ledger: every hand-over with its size and entries, in the truth database and `audit.jsonl`.

It is what later answers whether memory helped: a correction that comes again after it had been
recalled is the one number nobody can argue with. What was refused is in it, too, with the reason.
"""

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from json.encoder import encode_basestring_ascii
from pathlib import Path
from typing import NamedTuple

from reverie.asker import Asker
from reverie.clock import Clock, iso
from reverie.db.database import Database, Transaction, literally
from reverie.recall.recall import Recall, Request, tokens_of

DIGEST = "digest"  # tool, strategy and part of what a session is told at its start
RECALL = "recall"
MAX_QUERY = 500  # characters of a question, or of a reason, that are kept
_PLAIN = re.compile(
    r"(?:[a-z]{0,20}[ ./-])*[0-9.]{0,12}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z_]{0,20}"
)
_COLUMNS = (
    "id, at, surface, project, session, query, strategy, budget, characters, tokens, tool, agent,"
    " client, refused"
)


class LedgerEntry(NamedTuple):
    """One thing that was handed over."""

    part: str
    entry: str
    evidence: tuple[str, ...]
    characters: int


class HandOver(NamedTuple):
    """One call: what was asked for, and what was handed over, or why nothing was."""

    tool: str
    project: str
    query: str = ""
    strategy: str = ""  # how entries were ranked, if they were
    budget: int = 0
    text: str = ""  # as whoever asked gets it
    entries: tuple[LedgerEntry, ...] = ()
    refused: str = ""

    @classmethod
    def of(cls, request: Request, result: Recall) -> "HandOver":
        """A recall and its answer."""
        return cls(
            RECALL,
            request.project,
            request.query,
            request.strategy,
            result.budget,
            result.text,
            tuple(
                LedgerEntry(item.part, item.entry.id, item.entry.evidence, len(item.text))
                for item in result.items
            ),
        )


class LedgerRow(NamedTuple):
    """One call as it was entered."""

    id: str
    at: str
    surface: str
    project: str
    session: str
    query: str
    strategy: str
    budget: int
    characters: int
    tokens: int
    tool: str = RECALL
    agent: str = ""  # as it was connected
    client: str = ""  # as it names itself, with its version
    refused: str = ""  # why nothing was handed over
    entries: tuple[LedgerEntry, ...] = ()

    @property
    def who(self) -> str:
        """Whoever asked, as far as that is known."""
        named = self.client if self.agent in self.client else f"{self.agent} {self.client}".strip()
        return named or self.surface


class Told(NamedTuple):
    """What one session was told at its start, unasked."""

    note: str  # the hook's name for it; entered once
    seconds: float  # since 1970
    session: str
    project: str
    characters: int
    entries: tuple[LedgerEntry, ...]
    agent: str = ""


class Ledger:
    """Writes and reads calls; `redact` takes secrets out of what was asked before it is kept."""

    def __init__(
        self, database: Database, audit: Path, clock: Clock, redact: Callable[[str], str]
    ) -> None:
        self._database = database
        self._audit = audit
        self._clock = clock
        self._redact = redact

    def record(self, hand_over: HandOver, asker: Asker) -> LedgerRow:
        """Keep one call, also one that found nothing or was refused."""
        row = LedgerRow(
            # Two calls of one millisecond are two calls.
            id="recall_" + os.urandom(12).hex(),
            at=iso(self._clock()),
            surface=asker.surface,
            project=hand_over.project,
            session=self._named(asker.session),
            query=self._kept(hand_over.query),
            strategy=hand_over.strategy,
            budget=hand_over.budget,
            characters=len(hand_over.text),
            tokens=tokens_of(hand_over.text),
            tool=self._named(hand_over.tool),
            agent=asker.agent or "",
            client=self._named(asker.client),
            refused=self._named(hand_over.refused),
            entries=hand_over.entries,
        )
        # Whoever asked waits for an answer, not for the disk to have noted that it was given.
        self._database.run(lambda tx: _insert(tx.execute, row), promised=False)
        self._append(row)
        return row

    def _kept(self, text: str) -> str:
        """What an asker said, fit to be kept: short, and without secrets."""
        # PostgreSQL stores no NUL, and no database half of a surrogate pair.
        whole = text[: 4 * MAX_QUERY].replace("\0", " ").encode("utf-8", "replace").decode()
        return self._redact(whole)[:MAX_QUERY]

    def _named(self, text: str) -> str:
        """The name of a tool, a session or a client: it comes with every call, and the rules
        about secrets weigh 4 MB."""
        return text if _PLAIN.fullmatch(text) else self._kept(text)

    def tokens_of_session(self, session: str) -> int:
        """About how many tokens were handed to a session so far; 0 for one that nobody named."""
        if not session:
            return 0
        ((tokens,),) = self._database.query(
            "SELECT coalesce(sum(tokens), 0) FROM recalls WHERE session = ?",
            (self._named(session),),
        )
        return int(tokens)

    def enter(self, telling: Told) -> None:
        """Keep what a session was told; a second time it changes nothing."""
        row = LedgerRow(
            id=f"told_{telling.note}",
            at=iso(datetime.fromtimestamp(telling.seconds, UTC)),
            surface="hook",
            project=telling.project,
            session=self._named(telling.session),
            query="",
            strategy=DIGEST,
            budget=telling.characters,
            characters=telling.characters,
            tokens=math.ceil(telling.characters / 4),
            tool=DIGEST,
            agent=telling.agent,
            entries=telling.entries,
        )

        def entered(tx: Transaction) -> bool:
            if tx.execute("SELECT 1 FROM recalls WHERE id = ?", (row.id,)):
                return False
            _insert(tx.execute, row)
            return True

        if self._database.run(entered, promised=False):
            self._append(row)

    def told(self) -> list[LedgerRow]:
        """What sessions were told at their start, in order of time."""
        return [row for row in self.rows() if row.strategy == DIGEST]

    def length(self) -> int:
        """How many calls were entered."""
        return int(self._database.query("SELECT count(*) FROM recalls")[0][0])

    def rows(
        self, *, project: str | None = None, since: str = "", session: str | None = None
    ) -> list[LedgerRow]:
        """Every call in order of time; of one project, or of one session."""
        where, values = "at >= ?", [since]
        named = None if session is None else self._named(session)
        for column, wanted in (("project", project), ("session", named)):
            if wanted is not None:
                where += f" AND {column} = ?"
                values.append(wanted)
        kept = self._database.query(
            f"SELECT {_COLUMNS} FROM recalls WHERE {where} ORDER BY at, seq",
            values,
        )
        entries: dict[str, list[LedgerEntry]] = {}
        for recall_id, part, name, evidence, characters in self._database.query(
            "SELECT e.recall_id, e.part, e.entry, e.evidence, e.characters FROM recall_entries e"
            f" JOIN recalls r ON r.id = e.recall_id WHERE {where.replace('at', 'r.at', 1)}"
            " ORDER BY e.recall_id, e.place",
            values,
        ):
            handed = LedgerEntry(part, name, tuple(json.loads(evidence)), characters)
            entries.setdefault(recall_id, []).append(handed)
        return [LedgerRow(*row, entries=tuple(entries.get(row[0], ()))) for row in kept]

    def latest(self, most: int) -> list[LedgerRow]:
        """The last calls, the newest first."""
        times = self._database.query("SELECT at FROM recalls ORDER BY at DESC LIMIT ?", (most,))
        return self.rows(since=times[-1][0])[-most:][::-1] if times else []

    def _append(self, row: LedgerRow) -> None:
        """One line of JSON; a single write of an append-only file is not torn by others."""
        values = row._asdict()
        values |= {"event": "hand-over", "entries": [handed.entry for handed in row.entries]}
        line = json.dumps(values, ensure_ascii=True, sort_keys=True) + "\n"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        descriptor = os.open(self._audit, flags, 0o600)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)


class HandedOver(NamedTuple):
    """One time an entry was handed over."""

    at: str
    surface: str
    query: str


def handed_over(database: Database, entry: str, limit: int = 5) -> tuple[int, list[HandedOver]]:
    """How often an entry was recalled, and the latest times."""
    ((count,),) = database.query("SELECT count(*) FROM recall_entries WHERE entry = ?", (entry,))
    rows = database.query(
        "SELECT r.at, r.surface, r.query FROM recall_entries e JOIN recalls r"
        " ON r.id = e.recall_id WHERE e.entry = ? ORDER BY r.at DESC, r.seq DESC LIMIT ?",
        (entry, limit),
    )
    return int(count), [HandedOver(*row) for row in rows]


def uses(database: Database) -> list[tuple[str, str, int, str]]:
    """(project, entry, how often it was an answer, last time it was handed over at all).

    What every session is told at its start is in use, but how often says nothing about its worth.
    """
    rows = database.query(
        "SELECT r.project, e.entry,"
        " sum(CASE WHEN e.part = 'found' AND r.query <> '' THEN 1 ELSE 0 END), max(r.at)"
        " FROM recall_entries e JOIN recalls r ON r.id = e.recall_id"
        " GROUP BY r.project, e.entry ORDER BY r.project, e.entry"
    )
    return [(str(project), str(entry), int(times), str(at)) for project, entry, times, at in rows]


def join_projects(tx: Transaction, gone: str, kept: str) -> None:
    """The recalls of one project become another's."""
    tx.execute("UPDATE recalls SET project = ? WHERE project = ?", (kept, gone))


def forget_session(tx: Transaction, session: str, memories: Iterable[str]) -> None:
    """Take out the names of memories that went with a session: they are made of its words."""
    for name in memories:
        tx.execute(
            "UPDATE recall_entries SET entry = 'unlearned' WHERE entry = ?"
            " AND evidence LIKE ? ESCAPE '\\'",
            (name, f'%"{literally(session)}#%'),
        )


def _insert(execute: Callable[[str, Sequence[object]], Iterable[object]], row: LedgerRow) -> None:
    execute(
        f"INSERT INTO recalls ({_COLUMNS}) VALUES ({', '.join('?' * (len(row) - 1))})",
        row[:-1],
    )
    if not row.entries:
        return
    marks = ", ".join(["(?, ?, ?, ?, ?, ?)"] * len(row.entries))
    execute(
        "INSERT INTO recall_entries (recall_id, place, part, entry, evidence, characters)"
        f" VALUES {marks}",
        [
            value
            for place, handed in enumerate(row.entries)
            for value in (
                *(row.id, place, handed.part, handed.entry),
                *(_listed(handed.evidence), handed.characters),
            )
        ],
    )


def _listed(names: Sequence[str]) -> str:
    """As `json.dumps` writes a list of strings; an encoder for each entry would cost more."""
    return f"[{', '.join(map(encode_basestring_ascii, names))}]"
