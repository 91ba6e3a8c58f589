"""Sessions that a server holds: what clients send as events, or bring as a whole transcript.

They are part of the truth, redacted before they are stored; the index is made from them like from
any log. A session is one row, its events are numbered from 0 and never renumbered.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from reverie.db.database import Database, Row, Transaction
from reverie.errors import InvalidInput, NotFound
from reverie.hosting.guests import Guest, Window, keys_in, keyset, next_page
from reverie.store.model import Page

MAX_EVENTS = 100_000  # of one session
TABLES_WITH_TEXT = ("hosted_sessions", "hosted_events")
_COLUMNS = (
    "id, owner, source, title, agent, environment_id, metadata, resources, events, created_at,"
    " updated_at, archived_at"
)


class HostedSession(NamedTuple):
    """One session without its events."""

    id: str
    owner: str
    source: str  # of an imported one `agent:id`, as its log names it
    title: str | None
    agent: Mapping[str, Any]
    environment_id: str
    metadata: Mapping[str, str]
    resources: Sequence[Mapping[str, Any]]
    events: int
    created_at: str
    updated_at: str
    archived_at: str | None


class Event(NamedTuple):
    """One event of a session, as the wire has it."""

    seq: int
    type: str
    at: str
    body: Mapping[str, Any]


class Wanted(NamedTuple):
    """Which sessions are asked for."""

    store: str | None = None
    agent: str | None = None
    archived: bool = False


def add(tx: Transaction, session: HostedSession, stores: Iterable[str] = ()) -> None:
    """Enter a new session; `stores` are those it has attached."""
    tx.execute(
        f"INSERT INTO hosted_sessions ({_COLUMNS}) VALUES ({', '.join('?' * 12)})",
        (
            *(session.id, session.owner, session.source, session.title, _json(session.agent)),
            *(session.environment_id, _json(session.metadata), _json(session.resources)),
            *(session.events, session.created_at, session.updated_at, session.archived_at),
        ),
    )
    for store in dict.fromkeys(stores):
        tx.execute("INSERT INTO hosted_stores (session, store) VALUES (?, ?)", (session.id, store))


def find(database: Database, identity: str, guest: Guest | None = None) -> HostedSession:
    """The session of that id, if the guest may see it; without a guest any.

    Raises:
        NotFound: there is none.
    """
    where, values = guest.where() if guest else ("1 = 1", ())
    rows = database.query(
        f"SELECT {_COLUMNS} FROM hosted_sessions WHERE id = ? AND {where}", (identity, *values)
    )
    if not rows:
        raise NotFound(f"there is no session {identity!r}")
    return _session(rows[0])


def find_source(database: Database, owner: str, source: str) -> HostedSession | None:
    """What an owner imported of a source before."""
    rows = database.query(
        f"SELECT {_COLUMNS} FROM hosted_sessions WHERE owner = ? AND source = ?"
        " ORDER BY created_at, id LIMIT 1",
        (owner, source),
    )
    return _session(rows[0]) if rows else None


def missing(database: Database, ids: Sequence[str], guest: Guest | None = None) -> list[str]:
    """Those of the sessions that are not there, or not for the guest to see."""
    where, values = guest.where() if guest else ("1 = 1", ())
    rows = database.query(
        f"SELECT id FROM hosted_sessions WHERE {keys_in(database, 'id')} AND {where}",
        (json.dumps(list(ids)), *values),
    )
    known = {row[0] for row in rows}
    return [identity for identity in ids if identity not in known]


def ids(database: Database, guest: Guest) -> list[str]:
    """Every session that a guest sees."""
    where, values = guest.where()
    rows = database.query(f"SELECT id FROM hosted_sessions WHERE {where}", values)
    return [row[0] for row in rows]


def count(database: Database) -> int:
    """How many sessions there are, whoever sees them."""
    return int(database.query("SELECT count(*) FROM hosted_sessions")[0][0])


def page(database: Database, guest: Guest, wanted: Wanted, window: Window) -> Page[HostedSession]:
    """Some of the sessions a guest sees, by when they were made."""
    seen, values = guest.where()
    question = f"sessions {guest.owner} {wanted}"
    part = keyset(window, "created_at", "id", question)
    clauses, bound = [seen, part.sql], [*values, *part.values]
    if not wanted.archived:
        clauses.append("archived_at IS NULL")
    if wanted.store is not None:
        clauses.append("id IN (SELECT session FROM hosted_stores WHERE store = ?)")
        bound.append(wanted.store)
    rows = database.query(
        f"SELECT {_COLUMNS} FROM hosted_sessions WHERE {' AND '.join(clauses)} {part.order}", bound
    )
    hosted = [_session(row) for row in rows]
    if wanted.agent is not None:
        hosted = [session for session in hosted if session.agent.get("id") == wanted.agent]
    if len(rows) <= window.limit:
        return Page(tuple(hosted))
    last = rows[window.limit - 1]
    kept = tuple(session for session in hosted if session.id != rows[window.limit][0])
    return Page(kept, next_page(window, question, last[9], last[0]))


def change(
    tx: Transaction, session: HostedSession, now: str, *, archived: bool = False
) -> HostedSession:
    """Store a session's title, metadata, and that it is archived."""
    made = session._replace(
        updated_at=now, archived_at=(session.archived_at or now) if archived else None
    )
    tx.execute(
        "UPDATE hosted_sessions SET title = ?, metadata = ?, updated_at = ?, archived_at = ?"
        " WHERE id = ?",
        (made.title, _json(made.metadata), now, made.archived_at, made.id),
    )
    return made


def delete(tx: Transaction, identity: str) -> None:
    """Remove a session with all its events."""
    for table, column in (("hosted_events", "session"), ("hosted_stores", "session")):
        tx.execute(f"DELETE FROM {table} WHERE {column} = ?", (identity,))
    tx.execute("DELETE FROM hosted_sessions WHERE id = ?", (identity,))


def append(tx: Transaction, identity: str, bodies: Sequence[Mapping[str, Any]], now: str) -> None:
    """Add events to the end of a session.

    Raises:
        NotFound: the session is gone.
        InvalidInput: it would have too many.
    """
    rows = tx.execute(
        "UPDATE hosted_sessions SET events = events + ?, updated_at = ? WHERE id = ?"
        " RETURNING events",
        (len(bodies), now, identity),
    )
    if not rows:
        raise NotFound(f"there is no session {identity!r}")
    first = int(rows[0][0]) - len(bodies)
    if first + len(bodies) > MAX_EVENTS:
        raise InvalidInput(f"a session has at most {MAX_EVENTS} events")
    tx.execute_many(
        "INSERT INTO hosted_events (session, seq, type, at, body) VALUES (?, ?, ?, ?, ?)",
        [
            (identity, first + place, body["type"], body.get("processed_at") or now, _json(body))
            for place, body in enumerate(bodies)
        ],
    )


def clear(tx: Transaction, identity: str) -> None:
    """Take all events out, for those of a newer transcript."""
    tx.execute("DELETE FROM hosted_events WHERE session = ?", (identity,))
    tx.execute("UPDATE hosted_sessions SET events = 0 WHERE id = ?", (identity,))


def events(database: Database, identity: str, types: Sequence[str], window: Window) -> Page[Event]:
    """Some events of a session, by when they happened."""
    question = f"events {identity} {sorted(types)}"
    part = keyset(window, "at", "seq", question)
    of_type, values = "1 = 1", list[object]()
    if types:
        of_type, values = keys_in(database, "type"), [json.dumps(list(types))]
    rows = database.query(
        "SELECT seq, type, at, body FROM hosted_events WHERE session = ?"
        f" AND {of_type} AND {part.sql} {part.order}",
        (identity, *values, *part.values),
    )
    listed = tuple(_event(row) for row in rows[: window.limit])
    if len(rows) <= window.limit:
        return Page(listed)
    return Page(listed, next_page(window, question, listed[-1].at, listed[-1].seq))


def walk(database: Database, identity: str) -> Iterator[Event]:
    """Every event of a session, in order."""
    rows = database.stream(
        "SELECT seq, type, at, body FROM hosted_events WHERE session = ? ORDER BY seq", (identity,)
    )
    for row in rows:
        yield _event(row)


def _session(row: Row) -> HostedSession:
    *start, agent, environment, metadata, resources, events_, created, updated, archived = row
    return HostedSession(
        *start,
        agent=json.loads(agent),
        environment_id=environment,
        metadata=json.loads(metadata),
        resources=json.loads(resources),
        events=events_,
        created_at=created,
        updated_at=updated,
        archived_at=archived,
    )


def _event(row: Row) -> Event:
    return Event(row[0], row[1], row[2], json.loads(row[3]))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
