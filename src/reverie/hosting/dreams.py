"""Dreams over a store and sessions of a server: asked for, and run by whoever holds the lease.

A run reads the sessions into the index, dreams (which has no effects), and writes the result: into
the store itself, or into a copy of it that grows in portions. What the dream changes and the end of
the job are one transaction. So a run that was killed anywhere is simply run again: sessions that
are read are not read twice, memories that are copied not copied twice, answers of a model are
kept, and of two runs only the one with the newer lease can write.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from reverie.db.leases import Lease
from reverie.db.points import reached
from reverie.dream.model import CHANGE, MOST, Ask, Change, Night
from reverie.dream.proposals.applying import Applying
from reverie.dream.proposals.proposals import Proposals
from reverie.errors import (
    Archived,
    Full,
    InvalidInput,
    NotFound,
    ReadOnly,
    Refused,
    ReverieError,
    TooLarge,
    Unavailable,
)
from reverie.home import Home
from reverie.hosting import jobs, reading, sessions
from reverie.hosting.guests import Guest
from reverie.hosting.home import ServerHome
from reverie.hosting.jobs import Failure, Job, Stopped, Usage
from reverie.operations import dreaming
from reverie.store.access import named_by_guests, protected
from reverie.store.model import Actor, Author, Memory, Principal, StoreInfo

if TYPE_CHECKING:
    from reverie.dream.model import Step

RULES = "rules"  # the model that costs nothing, and is always there
MAX_SESSIONS = 100
MAX_INSTRUCTIONS = 4_096
COPIED_AT_ONCE = 200  # memories in one transaction
MADE_BY = "dream"  # in the metadata of a store: the job that made it
_SUFFIX = " (dreamt)"


class Failing(ReverieError):
    """The dream cannot be dreamt, for a reason that its job tells."""

    def __init__(self, code: Failure, message: str) -> None:
        super().__init__(message)
        self.code: Failure = code


def ask(
    home: Home,
    guest: Guest,
    *,
    store: str,
    session_ids: Sequence[str],
    model: str,
    instructions: str | None = None,
    in_place: bool = False,
) -> Job:
    """Have a dream dreamt by a worker.

    Raises:
        InvalidInput: no or too many sessions, one named twice, a model that nobody mapped, or
            instructions that are too long.
        NotFound: the store or a session is not there for the guest.
        Archived, ReadOnly: the store is, or the guest may not write into it.
        Conflict: another dream writes into the same store.
    """
    if not 1 <= len(session_ids) <= MAX_SESSIONS:
        raise InvalidInput(f"a dream reads 1 to {MAX_SESSIONS} sessions, not {len(session_ids)}")
    if len(set(session_ids)) < len(session_ids):
        raise InvalidInput("a session is named twice")
    if instructions is not None and not 1 <= len(instructions) <= MAX_INSTRUCTIONS:
        raise InvalidInput(f"instructions have 1 to {MAX_INSTRUCTIONS} characters")
    engine_for(home, model)
    info = guest.store.find_store(store)
    if info.id != store:
        raise NotFound("there is no such memory store")
    if info.archived_at is not None:
        raise Archived(f"the store {info.name} is archived")
    if in_place and not _may_write(guest, store):
        raise ReadOnly(f"the store {info.name} may only be read")
    if gone := sessions.missing(home.database, session_ids, guest):
        raise NotFound(f"there is no session {gone[0]!r}")
    job = Job(
        id=home.context.id("drm"),
        owner=guest.owner,
        status="pending",
        store=store,
        sessions=tuple(sorted(session_ids)),
        in_place=in_place,
        model=model,
        instructions=None if instructions is None else home.redact(instructions),
        session=None,
        output=None,
        error=None,
        message=None,
        usage=Usage(),
        created_at=home.now,
        ended_at=None,
        archived_at=None,
    )
    home.database.run(lambda tx: jobs.add(tx, job))
    return job


def _may_write(guest: Guest, store: str) -> bool:
    from reverie.store import access

    context = guest.store.context
    return access.readable(context, context.database.query, store).access == "read_write"


def engine_for(home: Home, model: str) -> str:
    """The engine that dreams for a model.

    Raises:
        InvalidInput: the settings name none.
    """
    mapped = home.settings.server.models
    if model in mapped:
        return mapped[model]
    if model == RULES:
        return RULES
    known = ", ".join(sorted({RULES, *mapped}))
    raise InvalidInput(f"no engine dreams for the model {model!r} here; there are: {known}")


def run(home: ServerHome, identity: str, lease: Lease) -> None:
    """Run a job to its end, whoever began it.

    Raises:
        Stopped: it was canceled, or another worker has it: what is written is that one's.
        Unavailable: a database did not answer; it may be tried again.
    """
    job = _begun(home, jobs.find(home.database, identity), lease)
    try:
        _run(home, job, lease)
    except (Stopped, Unavailable):
        raise
    except ReverieError as error:
        code = error.code if isinstance(error, Failing) else "internal_error"
        fail(home, job, lease, code, error.message)


def fail(home: Home, job: Job, lease: Lease, code: Failure, message: str) -> None:
    """The job ends with an error, unless it is over already.

    Raises:
        Stopped: it is, or another worker has it.
    """
    with home.database.atomic() as tx:
        now = jobs.fence(tx, job, lease)
        if now.session is not None:
            reading.tell(home, tx, now.session, f"failed: {message}")
            _put_away(home, now.session)
        jobs.end(tx, now, lease, home.now, code, home.redact(message)[:500])


def cancel(home: Home, guest: Guest, identity: str) -> Job:
    """End a job at once; whoever runs it writes nothing more.

    Raises:
        NotFound: it is not there for the guest.
        InvalidInput: it is completed or failed.
    """
    jobs.find(home.database, identity, guest)
    with home.database.atomic():
        job = jobs.cancel(home.database, identity, home.now)
        if job.session is not None:
            _put_away(home, job.session)
    return job


def _begun(home: ServerHome, job: Job, lease: Lease) -> Job:
    with home.database.atomic() as tx:
        now = jobs.fence(tx, job, lease)
        again = now.session is not None
        session = now.session or reading.begun_by(home, tx, job.owner, f"dream {job.id}").id
        reading.tell(home, tx, session, "taken up again by another worker" if again else "begun")
        return jobs.begin(tx, now, session)


def _run(home: ServerHome, job: Job, lease: Lease) -> None:
    def told(words: str) -> None:
        reached("job_step")
        with home.database.atomic() as tx:
            now = jobs.fence(tx, job, lease)
            reading.tell(home, tx, now.session or "", words)

    def still_wanted() -> None:
        if not jobs.is_running(home.database, job.id):
            raise Stopped(f"the dream {job.id} is over")

    info = _input(home, job)
    told(f"reads {len(job.sessions)} sessions and the store {info.name}")
    try:
        keys = reading.read_into_index(home, job.sessions, still_wanted)
    except NotFound:
        _input(home, job)  # says what is gone
        raise
    settings = home.settings.dream
    wanted = Ask(
        sessions=tuple(keys),
        store=_called(home, info),
        instructions=job.instructions or "",
        min_sessions=settings.min_sessions,
        min_days=settings.min_days,
        most_false=settings.most_false,
        most=MOST,
    )
    think = _thought(home, job, wanted)
    night = dreaming.imagine(
        home, wanted, think, lambda step, now: told(f"{step}: {dict(now.notes).get(step, 'done')}")
    )
    if job.in_place:
        _write(home, job, lease, night, job.store)
        return
    output = job.output or _made(home, job, lease, info)
    _copy(home, job, lease, info, output)
    _write(home, job, lease, night, output)


def _input(home: ServerHome, job: Job) -> StoreInfo:
    """The store that is dreamt about.

    Raises:
        Failing: it, or one of the sessions, is there no more.
    """
    try:
        info = home.store.find_store(job.store)
    except NotFound:
        info = None
    if info is None or info.archived_at is not None:
        raise Failing("input_memory_store_unavailable", "the store was archived or deleted")
    if gone := sessions.missing(home.database, job.sessions):
        # One that was deleted while it was read has come back there.
        reading.forget_in_index(home, gone)
        raise Failing("input_session_unavailable", f"the session {gone[0]} was deleted")
    return info


def _called(home: Home, info: StoreInfo) -> str:
    """A store by its name, as dreams speak of it; by its id where others have the same one."""
    same = [store for store in home.store.stores() if store.name == info.name]
    guests = named_by_guests(home.database.query)
    return info.name if len(same) == 1 and info.id not in guests else info.id


def _thought(home: ServerHome, job: Job, wanted: Ask) -> "Step | None":
    """What a model makes of it; None where the rules dream alone."""
    from reverie.operations.engines import catalog as engines

    name = engine_for(home, job.model)
    if name == RULES:
        return None
    pieces: set[str] = set()
    since = home.now
    try:
        thinker = dreaming.Thinker(engines.chosen(home, name), must=True, done=pieces.add)
        return dreaming.thought(home, wanted, thinker)
    except (Refused, Unavailable) as error:
        raise Failing("internal_error", f"the model: {error.message}") from error
    finally:
        spent = [
            receipt for receipt in engines.costs(home, since).receipts if receipt.piece in pieces
        ]
        usage = Usage(
            job.usage.input_tokens + sum(receipt.input_tokens for receipt in spent),
            job.usage.output_tokens + sum(receipt.output_tokens for receipt in spent),
            job.usage.cache_creation_input_tokens
            + sum(receipt.cache_created_tokens for receipt in spent),
            job.usage.cache_read_input_tokens + sum(receipt.cache_read_tokens for receipt in spent),
        )
        # Also after a cancel: what was spent was spent.
        with home.database.atomic() as tx:
            jobs.spent(tx, job, usage)


def _made(home: ServerHome, job: Job, lease: Lease, info: StoreInfo) -> str:
    """A new store for whoever sees the one that is dreamt about."""
    most = home.settings.store.max_name_chars - len(_SUFFIX)
    room = len(info.metadata) < home.settings.store.max_metadata_pairs
    metadata = dict(info.metadata) if room else {}
    try:
        with home.database.atomic() as tx:
            now = jobs.fence(tx, job, lease)
            made = home.store.create_store(
                info.name[:most] + _SUFFIX,
                info.description,
                metadata | {MADE_BY: job.id},
                by_key=info.by_key,
            )
            for attachment in home.store.attachments():
                if attachment.store_id == info.id:
                    home.store.attach(
                        made.id, attachment.principal, attachment.access, attachment.instructions
                    )
            if job.owner:
                home.store.attach(made.id, Principal("key", job.owner), "read_write")
            jobs.writes_into(tx, now, made.id)
    except Full as error:
        raise Failing("memory_store_org_limit_exceeded", error.message) from error
    return made.id


def _copy(home: ServerHome, job: Job, lease: Lease, info: StoreInfo, output: str) -> None:
    """Copy what is not copied yet, with trust and dates."""
    there = {entry.path for entry in home.store.manifest(output)}
    left = (memory for memory in home.store.walk(info.id) if memory.path not in there)
    try:
        while portion := list(islice(left, COPIED_AT_ONCE)):
            with home.database.atomic() as tx:
                jobs.fence(tx, job, lease)
                for memory in portion:
                    by = _author(job, f"copied from {info.name} by {job.id}", memory)
                    home.store.create(output, memory.path, memory.content, by)
            reached("job_copied")
    except (Full, TooLarge) as error:
        raise Failing("input_memory_store_too_large", error.message) from error
    except NotFound as error:
        # Either of the two was deleted meanwhile.
        _input(home, job)
        raise Failing("internal_error", "the store with the result was deleted") from error


def _author(job: Job, reason: str, like: Memory) -> Author:
    return Author(
        Actor("dream", job.session or job.id), reason, like.trust, like.valid_from, like.valid_to
    )


def _write(home: ServerHome, job: Job, lease: Lease, night: Night, target: str) -> None:
    """Make the changes and end the job, or neither."""
    changes = tuple(_retargeted(night, job, target))
    proposals = Proposals(home.database, home.clock)
    actor = Actor("dream", job.session or job.id)
    with home.database.atomic() as tx:
        now = jobs.fence(tx, job, lease)
        _input(home, job)
        made = 0
        if changes:
            proposal = proposals.find(proposals.add(tx, actor.id, changes))
            applying = Applying(home.store, proposals)
            for offer in proposal.offers:
                if offer.status == "pending" and _is_made(home, offer.change, job):
                    made += applying.accept(offer, actor=actor).outcome == "done"
        if job.in_place:
            jobs.writes_into(tx, now, job.store)
        reading.tell(home, tx, now.session or "", f"completed: {made} changes made")
        _put_away(home, now.session or "")
        jobs.end(tx, now, lease, home.now)
        reached("job_ended")


def _is_made(home: ServerHome, change: Change, job: Job) -> bool:
    """Whether a change is made without a person.

    Into a store that is used already nothing comes that rests on tools or the web alone, and what
    a person said or pinned stays. A new one is itself what is offered; only what a date or the
    surroundings say to be over stays there.
    """
    if not job.in_place:
        return not change.quarantined or change.verb != "archive"
    if change.quarantined:
        return False
    try:
        return not change.before_sha256 or not protected(home.store.get(job.store, change.path))
    except NotFound:
        return True  # it is offered again, or void: whoever applies it says so


def _retargeted(night: Night, job: Job, target: str) -> Iterator[Change]:
    """The changes of a dream, in the store that gets its result."""
    if job.in_place:
        yield from night.changes
        return
    for change in night.changes:
        # Two dreams of the same are two offers.
        seed = f"{target}\0{change.id}".encode()
        winner = change.superseded_by.rpartition(":")[2]
        yield replace(
            change,
            id=CHANGE + hashlib.sha256(seed).hexdigest()[:16],
            store=target,
            superseded_by=f"{target}:{winner}" if winner else "",
        )


def _put_away(home: Home, session: str) -> None:
    """The session of a dream that is over is archived; what it told stays readable."""
    try:
        hosted = sessions.find(home.database, session)
    except NotFound:
        return
    with home.database.atomic() as tx:
        sessions.change(tx, hosted, home.now, archived=True)
