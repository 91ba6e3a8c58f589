"""Reading: transcripts that guests bring become sessions, and sessions go into the index."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any

from reverie.clock import parse_iso
from reverie.db.database import Transaction
from reverie.errors import Archived, Busy, InvalidInput, NotFound, ReverieError, TooLarge
from reverie.home import Home
from reverie.hosting import events, sessions
from reverie.hosting.guests import Guest
from reverie.hosting.home import ServerHome
from reverie.hosting.sessions import HostedSession
from reverie.operations import learning
from reverie.privacy import Ignored, redact_value
from reverie.sessions import logfiles
from reverie.sessions.derived import forget_session
from reverie.sessions.intake import Reading, take_in
from reverie.sessions.logs.discover import LogFile
from reverie.sessions.logs.saved import Saved
from reverie.sessions.logs.transcript import Resume, Transcript
from reverie.sessions.model import session_key
from reverie.sessions.readers.agents import reader_for
from reverie.sessions.readers.managed import AGENT
from reverie.sessions.rows import SessionWriter

MAX_STORES = 8  # attached to one session
MAX_INSTRUCTIONS = 4_096
MAX_TITLE = 500
_BUFFER = 1 << 20
_DATABASE = b"SQLite format 3\0"


def created(
    home: Home,
    guest: Guest,
    *,
    agent: Mapping[str, Any],
    environment_id: str,
    title: str | None = None,
    metadata: Mapping[str, str] | None = None,
    attached: Sequence[Mapping[str, Any]] = (),
    initial: Sequence[object] = (),
) -> HostedSession:
    """A new session that holds what clients send to it.

    Raises:
        NotFound: a store is not there for the guest.
        Archived: one is archived.
        InvalidInput: too many stores or events, or one that may not begin a session.
    """
    if len(initial) > events.MAX_INITIAL:
        raise InvalidInput(f"a session begins with at most {events.MAX_INITIAL} events")
    first = [events.checked(event, events.INITIAL) for event in initial]
    resources = _resources(guest, attached)
    session = _new(home, guest.owner, agent=agent, title=title)._replace(
        environment_id=environment_id,
        metadata=checked_metadata(home, metadata or {}),
        resources=resources,
    )
    with home.database.atomic() as tx:
        sessions.add(tx, session, [resource["memory_store_id"] for resource in resources])
        _append(home, tx, session.id, first)
    return sessions.find(home.database, session.id)


def checked_metadata(home: Home, metadata: Mapping[str, str]) -> dict[str, str]:
    """Metadata of a session, by the rules of a store's.

    Raises:
        InvalidInput: too many pairs, or too long ones.
    """
    from reverie.store.catalog import check_metadata

    check_metadata(home.context, metadata)
    return dict(redact_value(dict(metadata), home.redact))


def changed(
    home: Home, session: HostedSession, title: str | None, metadata: Mapping[str, str]
) -> HostedSession:
    """A session with another title or metadata.

    Raises:
        InvalidInput: it is archived, or the metadata has too many or too long pairs.
    """
    if session.archived_at is not None:
        raise InvalidInput("the session is archived")
    new = session._replace(
        title=home.redact(title[:MAX_TITLE]) if title else None,
        metadata=checked_metadata(home, metadata),
    )
    if new == session:
        return session
    return home.database.run(lambda tx: sessions.change(tx, new, home.now))


def archived(home: Home, session: HostedSession) -> HostedSession:
    """A session that takes no more events; one that is archived stays as it is."""
    if session.archived_at is not None:
        return session
    return home.database.run(lambda tx: sessions.change(tx, session, home.now, archived=True))


def _resources(guest: Guest, attached: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    if len(attached) > MAX_STORES:
        raise InvalidInput(f"a session has at most {MAX_STORES} memory stores")
    resources: list[dict[str, Any]] = []
    taken: set[str] = set()
    for resource in attached:
        if (resource.get("instructions") or "") and len(
            resource["instructions"]
        ) > MAX_INSTRUCTIONS:
            raise TooLarge(f"instructions have at most {MAX_INSTRUCTIONS} characters")
        info = guest.store.find_store(resource["memory_store_id"])
        if info.id != resource["memory_store_id"]:
            raise NotFound("there is no such memory store")
        if info.archived_at is not None:
            raise Archived(f"the store {info.name} is archived: no session can have it any more")
        if any(info.id == other["memory_store_id"] for other in resources):
            raise InvalidInput("a store is attached to a session once")
        folder = _folder(info.name, info.id, taken)
        resources.append(
            {
                "type": "memory_store",
                "memory_store_id": info.id,
                "access": resource.get("access") or "read_write",
                "instructions": resource.get("instructions"),
                "name": info.name,
                "description": info.description,
                "mount_path": f"/mnt/memory/{folder}",
            }
        )
    return resources


def _folder(name: str, identity: str, taken: set[str]) -> str:
    """The folder of a store in a session: its name in ASCII letters, digits and hyphens."""
    kept = (sign if sign.isascii() and sign.isalnum() else " " for sign in name.lower())
    slug = "-".join("".join(kept).split()) or identity
    number = 1
    while (free := slug if number == 1 else f"{slug}-{number}") in taken:
        number += 1
    taken.add(free)
    return free


def send(home: Home, guest: Guest, identity: str, sent: Sequence[object]) -> list[dict[str, Any]]:
    """Add events to a session; returns them as they are kept.

    Raises:
        NotFound: the session is not there for the guest.
        InvalidInput: an event may not be sent, or the session is archived or imported.
    """
    session = sessions.find(home.database, identity, guest)
    if session.archived_at is not None:
        raise InvalidInput("the session is archived")
    checked = [events.checked(event) for event in sent]
    if not checked:
        raise InvalidInput("no event was sent")
    with home.database.atomic() as tx:
        return _append(home, tx, identity, checked)


def tell(home: Home, tx: Transaction, identity: str, text: str) -> None:
    """Let the session of a dream say something."""
    message = {"type": "agent.message", "content": [{"type": "text", "text": text}]}
    _append(home, tx, identity, [message])


def _append(
    home: Home, tx: Transaction, identity: str, bodies: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    now = home.now
    made: list[dict[str, Any]] = []
    for body in bodies:
        clean = redact_value(dict(body), home.redact)
        made.append({**clean, "id": home.context.id("sevt"), "processed_at": now})
    sessions.append(tx, identity, made, now)
    return made


def imported(
    home: Home, guest: Guest, file: IO[bytes], name: str, stores: Sequence[str] = ()
) -> list[HostedSession]:
    """The sessions of a transcript in any known format, redacted and cut like a log's.

    What this owner imported of a session before is replaced by what the transcript says now.

    Raises:
        InvalidInput: no reader knows the format, or nothing was said in it.
    """
    import tempfile

    _resources(guest, [{"memory_store_id": store_id} for store_id in stores])
    with tempfile.TemporaryDirectory(prefix="reverie-import-") as folder:
        path = Path(folder) / _safe(name)
        with open(path, "xb") as target:
            while part := file.read(_BUFFER):
                target.write(part)
        with open(path, "rb") as start:
            if start.read(len(_DATABASE)) == _DATABASE:
                raise InvalidInput("a database is not taken: send what the agent exports")
        read = [_taken_in(home, transcript) for transcript in _transcripts(path)]
    spoken = [reading for reading in read if reading.turns]
    if not spoken:
        raise InvalidInput("nothing was said in this transcript")
    with home.database.atomic() as tx:
        return [_entered(home, guest, tx, reading, stores) for reading in spoken]


def _safe(name: str) -> str:
    kept = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    return kept.lstrip(".")[-120:] or "transcript.jsonl"


def _transcripts(path: Path) -> Iterator[Transcript]:
    reader = reader_for(path)
    if reader is None:
        raise InvalidInput("this is no transcript of an agent that is known here")
    for part in reader.parts(path) or [None]:
        yield reader.open(path, None, part.name if part else "")


def _taken_in(home: Home, transcript: Transcript) -> Reading:
    policy = Ignored.load(home.settings.privacy)
    return take_in(transcript, home.redact, policy, vouched=False)


def _entered(
    home: Home, guest: Guest, tx: Transaction, read: Reading, stores: Sequence[str]
) -> HostedSession:
    head = read.head
    # A log may not name its session; what was said first does.
    name = head.session_id or blake2b(repr(read.turns[0]).encode("utf-8", "replace")).hexdigest()
    source = home.redact(session_key(head.agent, name[:200]))
    session = sessions.find_source(home.database, guest.owner, source)
    if session is None:
        kept = {"remote": head.remote, "branch": head.branch, "subagent": head.subagent}
        agent = {"id": head.agent, "name": head.agent, events.KEPT: kept}
        session = _new(home, guest.owner, agent=agent, title=head.title or None)._replace(
            source=source,
            environment_id="imported",
            resources=_resources(guest, [{"memory_store_id": store_id} for store_id in stores]),
        )
        sessions.add(tx, session, stores)
    sessions.clear(tx, session.id)
    names = iter(partial(home.context.id, "sevt"), "")
    bodies = list(events.events_of(read.turns, names, home.now))
    sessions.append(tx, session.id, bodies, home.now)
    return sessions.find(home.database, session.id)


def _new(home: Home, owner: str, *, agent: Mapping[str, Any], title: str | None) -> HostedSession:
    now = home.now
    return HostedSession(
        id=home.context.id("sesn"),
        owner=owner,
        source="",
        title=home.redact(title[:MAX_TITLE]) if title else None,
        agent=redact_value(dict(agent), home.redact),
        environment_id="",
        metadata={},
        resources=[],
        events=0,
        created_at=now,
        updated_at=now,
        archived_at=None,
    )


def begun_by(home: Home, tx: Transaction, owner: str, title: str) -> HostedSession:
    """A session in which a dream tells what it does."""
    agent = {"id": "dream", "name": "dream"}
    session = _new(home, owner, agent=agent, title=title)._replace(environment_id="dream")
    sessions.add(tx, session)
    return session


def deleted(home: Home, guest: Guest, identity: str) -> None:
    """Remove a session with its events, all that the index made of it, and what is left of both
    in the bytes of the databases.

    A reader that still holds old pages delays only the latter, until the next scrub.

    Raises:
        NotFound: it is not there for the guest.
    """
    sessions.find(home.database, identity, guest)
    with home.database.atomic() as tx:
        sessions.delete(tx, identity)
    with ServerHome(home.config, folder=home.folder, clock=home.clock) as server:
        forget_in_index(server, [identity])
        with suppress(Busy):
            server.index.scrub()
    with suppress(Busy):
        home.database.scrub(sessions.TABLES_WITH_TEXT)


def forget_in_index(home: ServerHome, ids: Sequence[str]) -> None:
    """Take sessions out of the index that are there no more."""
    for identity in ids:
        key = session_key(AGENT, identity)
        with home.index.atomic() as database:
            forget_session(database, key)
            SessionWriter(database).remove(key)
            for file in logfiles.files_of(database, key):
                logfiles.forget(database, str(file))


def read_into_index(home: ServerHome, ids: Sequence[str], keep: Callable[[], None]) -> list[str]:
    """Bring the index up to date with these sessions, and no others; their keys.

    `keep` is called with each of them, and may raise.

    Raises:
        NotFound: one of them is gone.
        ReverieError: one cannot be read.
    """
    hosted = [sessions.find(home.database, identity) for identity in ids]
    by_id = {session.id: session for session in hosted}
    policy = Ignored.load(home.settings.privacy)

    def read(log: LogFile, _: Resume | None) -> Reading:
        keep()
        session = by_id[log.part]
        transcript = events.HostedTranscript(session, sessions.walk(home.database, session.id))
        reading = take_in(transcript, home.redact, policy, vouched=False)
        return replace(reading, rows=[_apart(row, session.owner) for row in reading.rows])

    # Nothing of it is the person's: no folder they mounted was written by it, nothing unlearned.
    ours = learning.learner(home, keep)
    learner = replace(ours, source=read, credit=None, buried=frozenset(), saved=Saved())
    report = learner.read([_log(session) for session in hosted])
    if report.aside:
        raise ReverieError(f"{report.aside[0].session} cannot be read: {report.aside[0].reason}")
    return [session_key(AGENT, identity) for identity in ids]


def _apart(row: Any, owner: str) -> Any:
    """What one owner's sessions share counts once; another's do not even count towards that."""
    if row.event is None:
        return row
    digest = blake2b(f"{owner}\0{row.event}".encode(), digest_size=8).digest()
    return row._replace(event=int.from_bytes(digest, "big", signed=True))


def _log(session: HostedSession) -> LogFile:
    stamp = int(parse_iso(session.updated_at).timestamp() * 1000)
    return LogFile(
        path=Path(session.id),
        agent=AGENT,
        size=session.events,
        inode=0,
        mtime_ns=stamp,
        relative=session.id,
        part=session.id,
        vouched=False,
        owner=session.owner or "guest",
    )
