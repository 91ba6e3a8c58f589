"""Dreams as jobs: asked for by a guest, run by a worker, and told of until they are archived.

    pending ─▶ running ─▶ completed | failed
       └──────────┴─────▶ canceled

Who runs a job holds its lease. Every write of a run looks in its own transaction that the job is
still running and the lease still its own, so that nothing is written for a job that was canceled or
taken over. The final state, what the dream wrote and the end of the lease are one transaction.
"""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Literal, NamedTuple, cast

from reverie.clock import Clock
from reverie.db import leases
from reverie.db.database import Database, Row, Transaction
from reverie.errors import Conflict, InvalidInput, LeaseHeld, NotFound
from reverie.hosting.guests import Guest, Window, keys_in, keyset, next_page
from reverie.store.model import Page

Status = Literal["pending", "running", "completed", "failed", "canceled"]
# Why a dream failed, in the words of the wire.
Failure = Literal[
    "timeout",
    "internal_error",
    "memory_store_org_limit_exceeded",
    "input_memory_store_too_large",
    "input_memory_store_unavailable",
    "input_session_unavailable",
]
STATUSES: tuple[Status, ...] = ("pending", "running", "completed", "failed", "canceled")
OPEN: tuple[Status, ...] = ("pending", "running")

LASTS = timedelta(seconds=30)  # a lease; renewed while its job runs
_LOOKED_AT = 100  # open jobs, when one is chosen
_COLUMNS = (
    "id, owner, status, store, sessions, in_place, model, instructions, session, output, error,"
    " message, usage, created_at, ended_at, archived_at"
)


class Usage(NamedTuple):
    """Tokens that a dream took."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0


class Job(NamedTuple):
    """One dream that was asked for, and what became of it."""

    id: str
    owner: str
    status: Status
    store: str
    sessions: tuple[str, ...]
    in_place: bool
    model: str
    instructions: str | None
    session: str | None  # that tells of the run
    output: str | None  # the store with the result
    error: Failure | None
    message: str | None
    usage: Usage
    created_at: str
    ended_at: str | None
    archived_at: str | None

    @property
    def is_over(self) -> bool:
        return self.status not in OPEN


class Stopped(LeaseHeld):
    """The job was canceled, or another worker has it: nothing more is written for it."""


def add(tx: Transaction, job: Job) -> None:
    """Enter a new job.

    Raises:
        Conflict: another one that is not over writes into the same store.
    """
    tx.lock("dream_jobs")
    if job.in_place:
        rows = tx.execute(
            "SELECT id FROM dream_jobs WHERE store = ? AND in_place = 1"
            " AND status IN ('pending', 'running') ORDER BY created_at LIMIT 1",
            (job.store,),
        )
        if rows:
            raise Conflict(f"the dream {rows[0][0]} writes into this store", hint="wait for it")
    tx.execute(
        f"INSERT INTO dream_jobs ({_COLUMNS}) VALUES ({', '.join('?' * 16)})",
        (
            *(job.id, job.owner, job.status, job.store, json.dumps(job.sessions), job.in_place),
            *(job.model, job.instructions, job.session, job.output, job.error, job.message),
            *(json.dumps(job.usage), job.created_at, job.ended_at, job.archived_at),
        ),
    )


def find(database: Database, identity: str, guest: Guest | None = None) -> Job:
    """The job of that id, if the guest may see it; without a guest any.

    Raises:
        NotFound: there is none.
    """
    where, values = guest.where() if guest else ("1 = 1", ())
    rows = database.query(
        f"SELECT {_COLUMNS} FROM dream_jobs WHERE id = ? AND {where}", (identity, *values)
    )
    if not rows:
        raise NotFound(f"there is no dream {identity!r}")
    return _job(rows[0])


def of_session(database: Database, session: str) -> Job:
    """The job that tells of itself in a session.

    Raises:
        NotFound: there is none.
    """
    rows = database.query(f"SELECT {_COLUMNS} FROM dream_jobs WHERE session = ?", (session,))
    if not rows:
        raise NotFound(f"no dream tells of itself in {session!r}")
    return _job(rows[0])


def counts(database: Database) -> dict[str, int]:
    """How many jobs there are, by status."""
    rows = database.query("SELECT status, count(*) FROM dream_jobs GROUP BY status")
    return dict.fromkeys(STATUSES, 0) | {status: int(many) for status, many in rows}


def page(
    database: Database,
    guest: Guest,
    window: Window,
    *,
    statuses: Sequence[str] = (),
    archived: bool = False,
) -> Page[Job]:
    """Some of the jobs a guest sees, newest first.

    Raises:
        InvalidInput: there is no such status.
    """
    if unknown := [status for status in statuses if status not in STATUSES]:
        raise InvalidInput(f"{unknown[0]!r} is no status of a dream")
    seen, values = guest.where()
    question = f"dreams {guest.owner} {sorted(statuses)} {archived}"
    part = keyset(window, "created_at", "id", question)
    clauses, bound = [seen, part.sql], [*values, *part.values]
    if not archived:
        clauses.append("archived_at IS NULL")
    if statuses:
        clauses.append(keys_in(database, "status"))
        bound.append(json.dumps(list(statuses)))
    rows = database.query(
        f"SELECT {_COLUMNS} FROM dream_jobs WHERE {' AND '.join(clauses)} {part.order}", bound
    )
    listed = tuple(_job(row) for row in rows[: window.limit])
    if len(rows) <= window.limit:
        return Page(listed)
    return Page(listed, next_page(window, question, listed[-1].created_at, listed[-1].id))


def cancel(database: Database, identity: str, now: str) -> Job:
    """End a job at once, unless it is over; one that was canceled stays as it is.

    Raises:
        InvalidInput: it is completed or failed.
    """
    with database.atomic() as tx:
        tx.execute(
            "UPDATE dream_jobs SET status = 'canceled', ended_at = ? WHERE id = ?"
            " AND status IN ('pending', 'running')",
            (now, identity),
        )
        job = find(database, identity)
        if job.status != "canceled":
            raise InvalidInput(f"the dream is {job.status}: it cannot be canceled any more")
    return job


def archive(database: Database, identity: str, now: str) -> Job:
    """Put a job away that is over; one that was archived stays as it is.

    Raises:
        InvalidInput: it is not over.
    """
    with database.atomic() as tx:
        tx.execute(
            "UPDATE dream_jobs SET archived_at = ? WHERE id = ? AND archived_at IS NULL"
            " AND status IN ('completed', 'failed', 'canceled')",
            (now, identity),
        )
        job = find(database, identity)
        if not job.is_over:
            raise InvalidInput(f"the dream is {job.status}: cancel it, or wait for its end")
    return job


def claim(database: Database, clock: Clock) -> tuple[Job, leases.Lease] | None:
    """The oldest job that nobody runs, with its lease; None when there is none."""
    waiting = database.query(
        f"SELECT {_COLUMNS} FROM dream_jobs WHERE status IN ('pending', 'running')"
        f" ORDER BY created_at, id LIMIT {_LOOKED_AT}"
    )
    for row in waiting:
        job = _job(row)
        try:
            lease = leases.take(
                database, clock, f"job {job.id}", doing=f"the dream {job.id}", lasts=LASTS
            )
        except LeaseHeld:
            continue
        # It may have ended between looking and taking.
        if not find(database, job.id).is_over:
            return job, lease
        leases.give_back(database, lease)
    return None


def fence(tx: Transaction, job: Job, lease: leases.Lease) -> Job:
    """The job as it is now, if it may still be written for; its row is locked until the end.

    Raises:
        Stopped: it is over, or another worker has it.
    """
    rows = tx.execute(f"SELECT {_COLUMNS} FROM dream_jobs WHERE id = ?{tx.for_update}", (job.id,))
    if not rows or _job(rows[0]).is_over:
        raise Stopped(f"the dream {job.id} is over")
    try:
        leases.fence(tx, lease)
    except LeaseHeld as error:
        raise Stopped(error.message) from error
    return _job(rows[0])


def begin(tx: Transaction, job: Job, session: str) -> Job:
    """A worker runs it; what it tells is in a session."""
    tx.execute(
        "UPDATE dream_jobs SET status = 'running', session = ? WHERE id = ?", (session, job.id)
    )
    return job._replace(status="running", session=session)


def writes_into(tx: Transaction, job: Job, output: str) -> Job:
    """Note the store that will have the result."""
    tx.execute("UPDATE dream_jobs SET output = ? WHERE id = ?", (output, job.id))
    return job._replace(output=output)


def spent(tx: Transaction, job: Job, usage: Usage) -> None:
    """Note what the dream took so far."""
    tx.execute("UPDATE dream_jobs SET usage = ? WHERE id = ?", (json.dumps(usage), job.id))


def end(
    tx: Transaction,
    job: Job,
    lease: leases.Lease,
    now: str,
    error: Failure | None = None,
    message: str | None = None,
) -> None:
    """The job is completed, or failed with an error; its lease is nobody's any more."""
    tx.execute(
        "UPDATE dream_jobs SET status = ?, error = ?, message = ?, ended_at = ? WHERE id = ?",
        ("failed" if error else "completed", error, message, now, job.id),
    )
    leases.end(tx, lease)


def is_running(database: Database, identity: str) -> bool:
    """Whether a job that was begun is to go on."""
    rows = database.query("SELECT status FROM dream_jobs WHERE id = ?", (identity,))
    return bool(rows) and rows[0][0] in OPEN


def _job(row: Row) -> Job:
    identity, owner, status, store, sessions, in_place, *middle, usage, created, ended, away = row
    return Job(
        identity,
        owner,
        cast("Status", status),
        store,
        tuple(json.loads(sessions)),
        bool(in_place),
        *middle,
        usage=Usage(*json.loads(usage)),
        created_at=created,
        ended_at=ended,
        archived_at=away,
    )
