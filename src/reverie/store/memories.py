"""Creating, changing and deleting memories: one transaction each, one version per real change.

Every change locks its store's row first, so writers of one store take turns and cannot deadlock;
the precondition is part of the statement that moves the head.
"""

from reverie.db.database import Transaction
from reverie.errors import InvalidInput, NotFound, PreconditionFailed, StoreDamaged
from reverie.store import access, chain, search
from reverie.store.context import Context
from reverie.store.model import Author, Memory
from reverie.store.writing import (
    Expected,
    append,
    changed,
    check_author,
    check_changeable,
    check_content,
    check_path,
    head_of,
    insert,
    lock,
    missing,
    modify,
    new_version,
    required_head,
    run,
)
from reverie.trust import lowest


def get(context: Context, store: str, memory: str) -> Memory:
    """The memory of that id or path.

    Raises:
        NotFound: there is none.
        StoreDamaged: its content does not match its hash.
    """
    query = context.database.query
    view = access.readable(context, query, store)
    head = head_of(context, query, view.info.id, memory)
    if head is None or access.hides(context, view.info.name, head.path):
        raise missing(memory, view.info.name)
    if chain.content_hash(head.content) != head.content_sha256:
        raise StoreDamaged(
            f"{head.path} does not match its hash",
            hint="`reverie doctor` shows the damage, `reverie log` earlier versions",
        )
    return head


def create(context: Context, store: str, path: str, content: str, by: Author) -> Memory:
    """A new memory; never overwrites.

    Raises:
        PathTaken: a memory is at this path, above it or below it.
    """
    check_path(context, path)
    check_content(context, content)
    check_author(by)

    def work(tx: Transaction) -> Memory:
        state = lock(context, tx, store)
        return insert(context, tx, state, path, content, by)

    return run(context, work)


def update(
    context: Context,
    store: str,
    memory: str,
    *,
    content: str | None = None,
    path: str | None = None,
    if_sha256: str | None = None,
    if_version: int | None = None,
    by: Author,
) -> Memory:
    """Change content, path or both, if the memory still is what the writer saw.

    What already is as requested is returned as it is, precondition or not and without a version,
    so a lost answer may simply be retried. `if_sha256` passes again when the content came back
    (ABA); `if_version` does not.

    Raises:
        PreconditionFailed: somebody else was first.
        PathTaken: the new path belongs to, or overlaps, another memory.
    """
    if content is None and path is None and by.valid_from is None and by.valid_to is None:
        raise InvalidInput("an update needs content, a path or dates")
    if path is not None:
        check_path(context, path)
    if content is not None:
        check_content(context, content)
    check_author(by)
    expected = Expected(if_sha256, if_version)
    expected.check()

    def work(tx: Transaction) -> Memory:
        state = lock(context, tx, store)
        head = required_head(context, tx, state, memory)
        return modify(context, tx, state, head, content, path, expected, by)

    return run(context, work)


def put(
    context: Context, store: str, path: str, content: str, by: Author, if_sha256: str | None = None
) -> Memory:
    """Create the memory at `path`, or make it say `content`."""
    check_path(context, path)
    check_content(context, content)
    check_author(by)

    def work(tx: Transaction) -> Memory:
        state = lock(context, tx, store)
        head = head_of(context, tx.execute, state.store_id, path)
        if head is not None:
            return modify(context, tx, state, head, content, None, Expected(if_sha256), by)
        if if_sha256 is not None:
            raise PreconditionFailed(f"there is no {path} any more")
        return insert(context, tx, state, path, content, by)

    return run(context, work)


def delete(
    context: Context,
    store: str,
    memory: str,
    *,
    if_sha256: str | None = None,
    if_version: int | None = None,
    by: Author,
) -> None:
    """Take a memory out; its versions stay. Allowed in an archived store too.

    Raises:
        NotFound: there is none.
        PreconditionFailed: it is not what the writer had seen.
    """
    check_author(by)
    Expected(if_sha256).check()

    def work(tx: Transaction) -> None:
        state = lock(context, tx, store, archived=True)
        head = required_head(context, tx, state, memory)
        check_changeable(context, state, head)
        search.forget(tx, head.id)
        gone = tx.execute(
            "DELETE FROM memories WHERE id = ? AND content_sha256 = ? AND version = ? RETURNING 1",
            (
                head.id,
                head.content_sha256 if if_sha256 is None else if_sha256,
                head.version if if_version is None else if_version,
            ),
        )
        if not gone:
            raise changed(head)
        version = new_version(context, state, head.id, head.version + 1, "deleted", head.path, by)
        append(context, tx, state, version, -1)

    run(context, work)


def restore(context: Context, store: str, memory: str, version_id: str, by: Author) -> Memory:
    """Write an old version's content as a new one; a deleted memory comes back under its id.

    The trust is no higher than the old version's: bringing words back does not vouch for them.

    Raises:
        NotFound: the version is not one of this memory.
        InvalidInput: it was redacted, or records a deletion.
    """
    check_author(by)

    def work(tx: Transaction) -> Memory:
        state = lock(context, tx, store)
        head = head_of(context, tx.execute, state.store_id, memory)
        rows = tx.execute(
            "SELECT memory_id, path, content, trust, redacted_at, valid_from, valid_to"
            " FROM versions WHERE id = ? AND store_id = ?",
            (version_id, state.store_id),
        )
        wanted = {memory, head.id} if head else {memory}
        if not rows or not ({rows[0][0], rows[0][1]} & wanted):
            raise NotFound(f"{version_id} is not a version of {memory}")
        memory_id, path, content, trust, redacted_at, valid_from, valid_to = rows[0]
        if redacted_at is not None:
            raise InvalidInput(f"{version_id} was redacted: its content is gone")
        if content is None:
            raise InvalidInput(f"{version_id} is a deletion and has no content to restore")
        again = Author(
            by.actor,
            by.reason or f"restored {version_id}",
            lowest(trust, by.trust),
            by.valid_from if by.valid_from is not None else valid_from or "",
            by.valid_to if by.valid_to is not None else valid_to or "",
        )
        head = head_of(context, tx.execute, state.store_id, memory_id)
        if head is not None:
            return modify(context, tx, state, head, content, None, Expected(), again)
        return insert(context, tx, state, path, content, again, memory_id)

    return run(context, work)
