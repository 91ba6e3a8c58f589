"""The one way a version is written: lock the store, check, append to the chain, move the head."""

import re
from collections.abc import Callable
from typing import NamedTuple

from reverie.db.database import Result, Transaction
from reverie.db.points import reached
from reverie.errors import (
    Full,
    InvalidInput,
    InvalidPath,
    NotFound,
    PathTaken,
    PreconditionFailed,
    Refused,
    StoreDamaged,
    TooLarge,
)
from reverie.store import access, chain, paths, search
from reverie.store.context import Context, Execute
from reverie.store.model import ACTOR_KINDS, Author, Memory, Operation, Version
from reverie.store.rows import MEMORY_COLUMNS, MEMORY_FROM, memory_of, sealed
from reverie.store.seals import END
from reverie.trust import TRUSTS, Trust, lowest

MAX_REASON_CHARS = 8_192
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Expected(NamedTuple):
    """What the writer had seen; `None` expects nothing."""

    sha256: str | None = None
    version: int | None = None

    def check(self) -> None:
        """Raises InvalidInput for what can be the hash of nothing."""
        if self.sha256 is not None and not _SHA256.fullmatch(self.sha256):
            raise InvalidInput(
                "a precondition is the SHA-256 of a content: 64 lowercase hex digits"
            )

    def fits(self, memory: Memory) -> bool:
        return self.sha256 in {None, memory.content_sha256} and self.version in {
            None,
            memory.version,
        }


class State(NamedTuple):
    """A store under its lock, with the end of its chain."""

    store_id: str
    name: str
    sequence: int
    commitment: str
    memories: int


def check_content(context: Context, content: str) -> None:
    """Raises InvalidInput or TooLarge for content that neither database should see."""
    if "\0" in content:
        raise InvalidInput("content holds a NUL character, which text cannot")
    size = len(_encoded(content))
    if size > context.limits.max_content_bytes:
        raise TooLarge(
            f"the content has {size} bytes; the limit is {context.limits.max_content_bytes}",
            hint="split it: one fact per memory",
        )


def without_secrets(context: Context, by: Author) -> Author:
    """The author with a reason and a name that may be kept."""
    actor = by.actor._replace(id=context.redact(by.actor.id))
    return by._replace(actor=actor, reason=context.redact(by.reason))


def check_path(context: Context, path: str) -> None:
    """Raises InvalidPath; a path cannot be redacted, somebody looks for the memory there."""
    paths.checked(path, context.limits)
    # With an ending, a name looks like a file rather than a value.
    names = [segment.partition(".")[0] for segment in path.split("/")]
    if ":" in path:  # an address, whose strokes became what a path may have
        names.append(path.replace("_", "/"))
    if any(context.redact(text) != text for text in (path, *names)):
        raise InvalidPath("the path holds a secret")


def check_author(by: Author) -> None:
    if by.actor.kind not in ACTOR_KINDS:
        raise InvalidInput(f"{by.actor.kind!r} is not one of {', '.join(ACTOR_KINDS)}")
    if by.trust not in TRUSTS:
        raise InvalidInput(f"{by.trust!r} is not one of {', '.join(TRUSTS)}")
    if len(by.reason) > MAX_REASON_CHARS:
        raise TooLarge(f"a reason has at most {MAX_REASON_CHARS} characters")
    for text in (by.actor.id, by.reason, by.valid_from or "", by.valid_to or ""):
        if "\0" in text:
            raise InvalidInput("author, reason and dates cannot hold a NUL character")
        _encoded(text)


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidInput("text holds a lone surrogate, which no encoding can store") from None


def run(context: Context, work: Callable[[Transaction], Result]) -> Result:
    result = context.database.run(work)
    reached("after_commit")
    return result


def lock(context: Context, tx: Transaction, store: str, *, archived: bool = False) -> State:
    view = access.writable(context, tx, store, archived=archived)
    info = view.info
    reached("before_write")
    return State(info.id, info.name, info.versions, view.commitment, info.memories)


def head_of(context: Context, execute: Execute, store_id: str, memory: str) -> Memory | None:
    """The memory of that id or path, with the trust that its seal bears out."""
    column = "m.path" if memory.startswith("/") else "m.id"
    if "\0" in memory:
        return None
    rows = execute(
        f"SELECT {MEMORY_COLUMNS} FROM {MEMORY_FROM} WHERE m.store_id = ? AND {column} = ?",
        (store_id, memory),
    )
    return memory_of(rows[0], context.sealer) if rows else None


def required_head(context: Context, tx: Transaction, state: State, memory: str) -> Memory:
    head = head_of(context, tx.execute, state.store_id, memory)
    if head is None:
        raise missing(memory, state.name)
    return head


def check_changeable(context: Context, state: State, head: Memory) -> None:
    """Hold a change against what no attachment grants.

    Raises:
        NotFound: the memory does not exist for whoever asks.
        Refused: only a person may change it.
    """
    if access.hides(context, state.name, head.path):
        raise missing(head.path, state.name)
    access.refuse_protected(context, head)


def insert(
    context: Context,
    tx: Transaction,
    state: State,
    path: str,
    content: str,
    by: Author,
    memory_id: str = "",
) -> Memory:
    content = context.redact(content)
    if by.valid_to is None:
        by = by._replace(valid_to=_over_at(content, path) or None)
    limit = context.limits.max_memories
    if limit and state.memories >= limit:
        raise Full(f"the store {state.name} is full: {limit} memories", hint="delete some")
    _check_room(context, tx, state, len(content.encode()))
    _check_free(context, tx, state, path, "")
    number = 1
    if memory_id:
        last = tx.execute("SELECT max(number) FROM versions WHERE memory_id = ?", (memory_id,))
        number = int(last[0][0]) + 1
    memory_id = memory_id or context.id("mem")
    version = new_version(context, state, memory_id, number, "created", path, by, content)
    append(context, tx, state, version, 1)
    memory = _memory(version, content, version.created_at)
    tx.execute(
        "INSERT INTO memories (id, store_id, path, content_sha256, size_bytes, version_id, version,"
        " created_at, updated_at, trust, valid_from, valid_to, seal)"
        f" VALUES ({', '.join('?' * 13)})",
        # As they come; only the version holds the content.
        (*memory[:3], *memory[4:], _seal(context, memory)),
    )
    search.learn(tx, memory)
    reached("after_write")
    return memory


def modify(
    context: Context,
    tx: Transaction,
    state: State,
    head: Memory,
    content: str | None,
    path: str | None,
    expected: Expected,
    by: Author,
) -> Memory:
    content = head.content if content is None else context.redact(content)
    path = head.path if path is None else path
    valid_from = head.valid_from if by.valid_from is None else by.valid_from or None
    valid_to = _valid_to(head, content, path) if by.valid_to is None else by.valid_to or None
    wanted = (content, path, valid_from, valid_to)
    if wanted == (head.content, head.path, head.valid_from, head.valid_to):
        return head
    check_changeable(context, state, head)
    if not expected.fits(head):
        raise changed(head)
    if path != head.path:
        _check_free(context, tx, state, path, head.id)
    _check_room(context, tx, state, len(content.encode()) - head.size_bytes)
    dated = Author(by.actor, by.reason, _trust(head, by), valid_from, valid_to)
    number = head.version + 1
    version = new_version(context, state, head.id, number, "modified", path, dated, content)
    search.forget(tx, head.id)
    append(context, tx, state, version, 0)
    memory = _memory(version, content, head.created_at)
    _move_head(context, tx, head, memory, expected)
    search.learn(tx, memory)
    reached("after_write")
    return memory


def _check_room(context: Context, tx: Transaction, state: State, more: int) -> None:
    """Raises Full when a store cannot grow by so many bytes, or its history by a version."""
    limits = context.limits
    if limits.max_versions and state.sequence >= limits.max_versions:
        raise Full(f"the history of the store {state.name} is full: {limits.max_versions} versions")
    if limits.max_bytes and more > 0:
        rows = tx.execute(
            "SELECT coalesce(sum(size_bytes), 0) FROM memories WHERE store_id = ?",
            (state.store_id,),
        )
        if int(rows[0][0]) + more > limits.max_bytes:
            raise Full(f"the store {state.name} is full: {limits.max_bytes} bytes")


def _over_at(content: str, path: str) -> str:
    if "expires" not in content:
        return ""
    from reverie.documents.document import over_at

    return over_at(content, path=path)


def _valid_to(head: Memory, content: str, path: str) -> str | None:
    """What a text says of its own end decides; one that no longer says so has none."""
    if content == head.content:
        return head.valid_to
    over = _over_at(content, path)
    return over or (None if _over_at(head.content, head.path) else head.valid_to)


def credit(
    context: Context,
    tx: Transaction,
    state: State,
    head: Memory,
    by: Author,
    *,
    searched: bool = True,
) -> Memory:
    """A further version of the same words by another author, with their trust.

    What the text says of its own trust follows, so that both say the same. A database that is only
    passed through is not `searched`.
    """
    from reverie.documents.document import with_trust

    content = with_trust(head.content, by.trust, path=head.path)
    dated = by._replace(valid_from=head.valid_from, valid_to=head.valid_to)
    number = head.version + 1
    version = new_version(context, state, head.id, number, "modified", head.path, dated, content)
    if searched:
        search.forget(tx, head.id)
    append(context, tx, state, version, 0)
    memory = _memory(version, content, head.created_at)
    _move_head(context, tx, head, memory, Expected())
    if searched:
        search.learn(tx, memory)
    return memory


def lower(context: Context, tx: Transaction, state: State, head: Memory, by: Author) -> Memory:
    """A version that says the same with less trust; `head` itself when it has no more than that."""
    trust = lowest(head.trust, by.trust)
    if trust == head.trust:
        return head
    return credit(context, tx, state, head, by._replace(trust=trust), searched=False)


def _seal(context: Context, memory: Memory) -> str | None:
    return context.sealer.seal(*sealed(memory)) if context.sealer else None


def _move_head(
    context: Context, tx: Transaction, head: Memory, memory: Memory, expected: Expected
) -> None:
    """Compare and set in one statement: what the writer had seen, or at least what we have."""
    moved = tx.execute(
        "UPDATE memories SET path = ?, version_id = ?, version = ?, content_sha256 = ?,"
        " size_bytes = ?, trust = ?, valid_from = ?, valid_to = ?, updated_at = ?, seal = ?"
        " WHERE id = ? AND content_sha256 = ? AND version = ? RETURNING 1",
        (
            memory.path,
            memory.version_id,
            memory.version,
            memory.content_sha256,
            memory.size_bytes,
            memory.trust,
            memory.valid_from,
            memory.valid_to,
            memory.updated_at,
            _seal(context, memory),
            head.id,
            head.content_sha256 if expected.sha256 is None else expected.sha256,
            head.version if expected.version is None else expected.version,
        ),
    )
    if not moved:
        raise changed(head)


def _trust(head: Memory, by: Author) -> Trust:
    """Only a person raises trust; everybody else can only lower it."""
    return by.trust if by.actor.kind == "user" else lowest(head.trust, by.trust)


def new_version(
    context: Context,
    state: State,
    memory_id: str,
    number: int,
    operation: Operation,
    path: str,
    by: Author,
    content: str | None = None,
) -> Version:
    by = without_secrets(context, by)
    return Version(
        id=context.id("memver"),
        store_id=state.store_id,
        memory_id=memory_id,
        sequence=state.sequence + 1,
        number=number,
        operation=operation,
        path=path,
        content=content,
        content_sha256=None if content is None else chain.content_hash(content),
        size_bytes=None if content is None else len(content.encode()),
        actor=by.actor,
        reason=by.reason,
        trust=by.trust,
        valid_from=by.valid_from or None,
        valid_to=by.valid_to or None,
        created_at=context.now(),
        redacted_at=None,
        redacted_by=None,
    )


def append(context: Context, tx: Transaction, state: State, version: Version, more: int) -> None:
    """Write the version row and move the end of the chain, in the statement that checks it."""
    sealer = context.sealer
    chained = chain.link(version, state.commitment, chain.new_salt())
    end = (state.store_id, version.sequence, chained.commitment)
    tx.execute(chain.INSERT, chain.values(version, chained))
    moved = tx.execute(
        "UPDATE stores SET sequence = ?, commitment = ?, memories = memories + ?, seal = ?"
        " WHERE id = ? AND sequence = ? AND commitment = ? RETURNING 1",
        (
            version.sequence,
            chained.commitment,
            more,
            sealer.seal(END.name, *end) if sealer else None,
            state.store_id,
            state.sequence,
            state.commitment,
        ),
    )
    if not moved:
        raise StoreDamaged(f"the chain of the store {state.name} moved while it was locked")


def _memory(version: Version, content: str, created_at: str) -> Memory:
    return Memory(
        id=version.memory_id,
        store_id=version.store_id,
        path=version.path or "",
        content=content,
        content_sha256=version.content_sha256 or "",
        size_bytes=version.size_bytes or 0,
        version_id=version.id,
        version=version.number,
        created_at=created_at,
        updated_at=version.created_at,
        trust=version.trust,
        valid_from=version.valid_from,
        valid_to=version.valid_to,
    )


def _check_free(context: Context, tx: Transaction, state: State, path: str, own_id: str) -> None:
    """Raises PathTaken when another memory is at, above or below `path`."""
    if access.hides(context, state.name, f"{path}/"):
        raise Refused(f"{path} is not for agents to write")
    store_id = state.store_id
    at_or_above = [*paths.ancestors(path), path]
    marks = ", ".join("?" for _ in at_or_above)
    first, end = paths.below(path + "/")
    rows = tx.execute(
        f"SELECT id, path FROM memories WHERE store_id = ? AND path IN ({marks}) AND id <> ?"
        " UNION ALL SELECT id, path FROM memories"
        " WHERE store_id = ? AND path >= ? AND path < ? AND id <> ? ORDER BY 2 LIMIT 1",
        (store_id, *at_or_above, own_id, store_id, first, end, own_id),
    )
    if rows:
        taken_id, taken = rows[0]
        where = "is taken" if taken == path else f"overlaps {taken}"
        raise PathTaken(
            f"the path {path} {where}",
            hint="a memory cannot lie at, above or below another one",
            conflicting_memory_id=taken_id,
            conflicting_path=taken,
        )


def missing(memory: str, store: str) -> NotFound:
    return NotFound(f"there is no memory {memory!r} in the store {store}")


def changed(head: Memory) -> PreconditionFailed:
    return PreconditionFailed(
        f"{head.path} was changed by someone else since it was read",
        hint="read it again and repeat the change",
    )
