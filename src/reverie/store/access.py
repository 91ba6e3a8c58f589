"""Who may see and change which store, decided here and nowhere else.

A store is attached to a project, an agent or a key. For a principal a store it is not attached to
does not exist; one attached as `read_only` can be read, and every change of it is refused. When
several principals ask together (an agent in a project), the strictest attachment decides. Without
a principal it is the owner at the keyboard, who may do everything.

No attachment lets a principal change what a person said or pinned, and none shows it the pages of
`global` that are written over all projects (days, diaries).
"""

import json
from collections.abc import Sequence
from typing import NamedTuple, cast

from reverie.db.database import Database, Row, Transaction
from reverie.documents.vocabulary import GLOBAL
from reverie.errors import (
    Ambiguous,
    Archived,
    InvalidInput,
    NotFound,
    ReadOnly,
    Refused,
    TooLarge,
    Unavailable,
)
from reverie.sealing import Sealer
from reverie.store.context import Context, Deed, Execute
from reverie.store.model import (
    ACCESSES,
    PRINCIPAL_KINDS,
    Access,
    Attachment,
    Memory,
    Principal,
    PrincipalKind,
    StoreInfo,
    StoreName,
)
from reverie.store.seals import ATTACHMENT, BY_KEY, DESCRIPTION

COLUMNS = (
    "id, name, description, metadata, created_at, updated_at, archived_at, memories, sequence,"
    " commitment, description_seal"
)

MAX_INSTRUCTIONS = 4_096  # characters

# Folders of `global` that hold the words of every project; each name has seven characters.
_OVER_ALL_PROJECTS = ("/daily/", "/diary/")


class Found(NamedTuple):
    """A store with the end of its chain and what the asker may do."""

    info: StoreInfo
    commitment: str
    access: Access


def readable(context: Context, execute: Execute, ref: str) -> Found:
    """The store of that id or name, if the asker may see it.

    Raises:
        NotFound: there is none, or none the asker may see.
        Ambiguous: several have that name.
    """
    return _find(context, execute, ref, "")


def writable(context: Context, tx: Transaction, ref: str, *, archived: bool = False) -> Found:
    """The store, locked against other writers until the transaction ends.

    Raises:
        ReadOnly: attached as `read_only`.
        Archived: archived, and the change is not one of those that stay allowed (`archived`).
    """
    view = _find(context, tx.execute, ref, tx.for_update)
    if view.access != "read_write":
        raise ReadOnly(f"the store {view.info.name} is attached read-only")
    if view.info.archived_at is not None and not archived:
        raise Archived(f"the store {view.info.name} is archived and takes no changes")
    return view


def visible(context: Context, execute: Execute, *, archived: bool) -> list[Found]:
    """Every store the asker may see, newest first."""
    where = "" if archived else " WHERE archived_at IS NULL"
    sql = f"SELECT {COLUMNS} FROM stores{where} ORDER BY created_at DESC, id DESC"
    return _allowed(context, execute, execute(sql, ()))


def visible_page(
    context: Context,
    execute: Execute,
    *,
    archived: bool,
    since: str | None,
    until: str | None,
    after: tuple[str, str] | None,
    limit: int,
) -> list[Found]:
    """Some of the stores the asker may see, newest first, made between two moments.

    `after` is when the last one before these was made, and its id.
    """
    where = ["1 = 1"] if archived else ["archived_at IS NULL"]
    values: list[object] = []
    if context.principals and not context.everywhere:
        either = " OR ".join("(kind = ? AND principal = ?)" for _ in context.principals)
        where.append(f"id IN (SELECT store_id FROM attachments WHERE {either})")
        values += [value for who in context.principals for value in who]
    for clause, value in (("created_at >= ?", since), ("created_at <= ?", until)):
        if value is not None:
            where.append(clause)
            values.append(value)
    if after is not None:
        where.append("(created_at < ? OR (created_at = ? AND id < ?))")
        values += [after[0], *after]
    rows = execute(
        f"SELECT {COLUMNS} FROM stores WHERE {' AND '.join(where)}"
        " ORDER BY created_at DESC, id DESC LIMIT ?",
        (*values, limit),
    )
    return _allowed(context, execute, rows)


def owner_only(context: Context, what: str, deed: Deed | None = None) -> None:
    """Refuse what no attachment grants.

    Raises:
        Refused: a principal is asking that was not given this deed.
    """
    if context.principals and deed not in context.may:
        raise Refused(f"only the owner may {what}")


def hides(context: Context, store: str, path: str) -> bool:
    """Whether a path of the store of that name does not exist for whoever asks."""
    return bool(context.principals) and store == GLOBAL and path.startswith(_OVER_ALL_PROJECTS)


def unhidden(context: Context, store: str, column: str) -> str:
    """A condition, to be put behind others, that leaves out what `hides` says; "" for the owner."""
    if not context.principals or store != GLOBAL:
        return ""
    names = ", ".join(f"'{name}'" for name in _OVER_ALL_PROJECTS)
    return f" AND substr(coalesce({column}, ''), 1, 7) NOT IN ({names})"


def note_name(context: Context, tx: Transaction, store_id: str, *, by_key: bool = False) -> None:
    """Keep in mind whether a store has its name from a key, or from the owner."""
    tx.execute("DELETE FROM guest_names WHERE store_id = ?", (store_id,))
    if by_key or any(principal.kind == "key" for principal in context.principals):
        tx.execute("INSERT INTO guest_names (store_id) VALUES (?)", (store_id,))


def named_by_guests(execute: Execute) -> set[str]:
    """The stores that a key named: a project of the owner's is never looked for among them."""
    return {row[0] for row in execute("SELECT store_id FROM guest_names", ())}


def refuse_read_only(context: Context, ref: str) -> None:
    """Refuse a store that the asker may only read.

    Raises:
        NotFound: there is none, or none the asker may see.
        ReadOnly: attached as `read_only`.
    """
    view = readable(context, context.database.query, ref)
    if view.access != "read_write":
        raise ReadOnly(f"the store {view.info.name} is attached read-only")


def refuse_protected(context: Context, memory: Memory) -> None:
    """Refuse a principal any change of what a person said or pinned.

    Raises:
        Refused: a principal is asking, and it is.
    """
    if context.principals and protected(memory):
        raise protection(memory)


def protected(memory: Memory) -> bool:
    """Whether only a person may change a memory: it is a person's word, or pinned."""
    if memory.trust == "user":
        return True
    from reverie.documents.document import load

    return load(memory.content, path=memory.path).pinned


def protection(memory: Memory) -> Refused:
    """Why a protected memory stays as it is, and what can be done instead."""
    name = memory.path.rsplit("/", 1)[-1].removesuffix(".md")
    return Refused(
        f"{memory.path} is a person's word or pinned: only a person changes or removes it",
        hint="`remember` says something new, which a person can review;"
        f" a person can `reverie forget {name}` or `reverie edit {name}` in a terminal",
    )


def attach(
    context: Context,
    store: str,
    principal: Principal,
    access: Access,
    instructions: str | None = None,
) -> Attachment:
    """Attach a store, or change how it is attached; without `instructions` those there stay.

    Raises:
        InvalidInput, TooLarge: no such access or principal, or instructions that are too long.
    """
    owner_only(context, "attach stores")
    check_principal(principal)
    if instructions is not None and len(instructions) > MAX_INSTRUCTIONS:
        raise TooLarge(f"instructions have at most {MAX_INSTRUCTIONS} characters")
    if access not in ACCESSES:
        raise InvalidInput(f"{access!r} is not an access: {' or '.join(ACCESSES)}")

    def work(tx: Transaction) -> Attachment:
        view = writable(context, tx, store)
        return grant(context, tx, view.info.id, principal, access, instructions)

    return context.database.run(work)


def grant(
    context: Context,
    tx: Transaction,
    store_id: str,
    principal: Principal,
    access: Access,
    instructions: str | None = None,
) -> Attachment:
    now = context.now()
    if instructions is None:
        rows = tx.execute(
            "SELECT store_id, kind, principal, access, instructions, seal FROM attachments"
            " WHERE store_id = ? AND kind = ? AND principal = ?",
            (store_id, *principal),
        )
        # What somebody wrote into the row is not sealed along with the rest.
        words = "".join(str(row[4]) for row in rows if _is_granted(context.sealer, row[5], row[:5]))
    else:
        words = context.redact(instructions.strip())
    sealer = context.sealer
    tx.execute(
        "INSERT INTO attachments (store_id, kind, principal, access, created_at, instructions,"
        " seal) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (store_id, kind, principal)"
        " DO UPDATE SET access = excluded.access, instructions = excluded.instructions,"
        " seal = excluded.seal",
        (
            *(store_id, *principal, access, now, words),
            sealer.seal(ATTACHMENT.name, store_id, *principal, access, words) if sealer else None,
        ),
    )
    return Attachment(store_id, principal, access, now, words)


def detach(context: Context, store: str, principal: Principal) -> None:
    """Take a store away from a principal.

    Raises:
        NotFound: it was not attached.
    """
    owner_only(context, "detach stores")

    def work(tx: Transaction) -> None:
        view = readable(context, tx.execute, store)
        gone = tx.execute(
            "DELETE FROM attachments WHERE store_id = ? AND kind = ? AND principal = ? RETURNING 1",
            (view.info.id, principal.kind, principal.id),
        )
        if not gone:
            raise NotFound(
                f"{view.info.name} is not attached to the {principal.kind} {principal.id}"
            )

    context.database.run(work)


def detach_all(tx: Transaction, store_id: str) -> None:
    """Take a store away from everybody but the owner."""
    tx.execute("DELETE FROM attachments WHERE store_id = ?", (store_id,))


def attachments(
    context: Context, store: str | None = None, principal: Principal | None = None
) -> list[Attachment]:
    """Attachments of a store, of a principal, of both, or all the asker may see."""
    query = context.database.query
    seen = {view.info.id for view in visible(context, query, archived=True)}
    if store is not None:
        seen &= {readable(context, query, store).info.id}
    rows = query(
        "SELECT store_id, kind, principal, access, created_at, instructions, seal FROM attachments"
        " ORDER BY store_id, kind, principal",
        (),
    )
    granted = [
        Attachment(row[0], Principal(row[1], row[2]), *row[3:6])
        for row in rows
        if _is_granted(context.sealer, row[6], (*row[:4], row[5]))
    ]
    asked = [a for a in granted if a.store_id in seen and principal in {None, a.principal}]
    if context.principals:
        asked = [a for a in asked if a.principal in context.principals]
    return asked


def of_project(database: Database, project: str, shared: str) -> list[StoreName]:
    """The live stores of a project: its own, the shared one, and what is attached; by name."""
    attached = set(_granted(database.sealer, database.query, (Principal("project", project),)))
    guests = named_by_guests(database.query)
    rows = database.query("SELECT name, id FROM stores WHERE archived_at IS NULL ORDER BY name, id")
    return [
        StoreName(*row)
        for row in rows
        if row[1] in attached or (row[0] in (project, shared) and row[1] not in guests)
    ]


def introduce(context: Context, project: str, names: tuple[str, ...]) -> list[StoreName]:
    """Attach the stores of these names to a project, each once; a later detach is respected.

    Where nothing can be written, those that could not be attached are returned: they may be read.
    """
    query = context.database.query
    rows = query("SELECT store_id FROM introductions WHERE project = ?", (project,))
    known = {store_id for (store_id,) in rows} | named_by_guests(query)
    unknown = [
        StoreName(view.info.name, view.info.id)
        for view in visible(context, query, archived=False)
        if view.info.name in names and view.info.id not in known
    ]
    try:
        for store in unknown:
            _introduce(context, Principal("project", project), store.id)
    except (ReadOnly, Unavailable):
        return unknown
    return []


def _introduce(context: Context, principal: Principal, store_id: str) -> None:
    attached = attachments(context, store_id, principal)
    with context.database.atomic() as tx:
        tx.execute(
            "INSERT INTO introductions (project, store_id) VALUES (?, ?)"
            " ON CONFLICT (project, store_id) DO NOTHING",
            (principal.id, store_id),
        )
        if not attached:
            attach(context, store_id, principal, "read_write")


def check_principal(principal: Principal) -> None:
    if principal.kind not in PRINCIPAL_KINDS:
        raise InvalidInput(f"{principal.kind!r} is not one of {', '.join(PRINCIPAL_KINDS)}")
    if not principal.id or "\0" in principal.id:
        raise InvalidInput(f"a {principal.kind} needs a name")


def parse_principal(text: str) -> Principal:
    """`project:slug`, `agent:claude-code` or `key:apikey_…`, as the command line writes them."""
    kind, _, name = text.partition(":")
    principal = Principal(cast("PrincipalKind", kind), name)
    check_principal(principal)
    return principal


def _find(context: Context, execute: Execute, ref: str, suffix: str) -> Found:
    rows: list[Row] = []
    if "\0" in ref:
        pass
    elif ref.startswith("memstore_"):
        rows = execute(f"SELECT {COLUMNS} FROM stores WHERE id = ?{suffix}", (ref,))
    else:
        rows = execute(
            f"SELECT {COLUMNS} FROM stores WHERE name = ? ORDER BY created_at, id{suffix}",
            (ref,),
        )
    views = _allowed(context, execute, rows)
    live = [view for view in views if view.info.archived_at is None] or views
    if len(live) > 1 and not context.principals:
        guests = named_by_guests(execute)
        live = [view for view in live if view.info.id not in guests] or live
    if not live:
        raise NotFound(f"there is no store {ref!r}", hint="`reverie stores list` shows them")
    if len(live) > 1:
        raise Ambiguous(
            f"{len(live)} stores are named {ref!r}",
            hint="use an id: " + ", ".join(view.info.id for view in live),
        )
    return live[0]


def _allowed(context: Context, execute: Execute, rows: list[Row]) -> list[Found]:
    if not context.principals:
        return [_found(context, row, "read_write") for row in rows]
    if not rows:
        return []
    granted = _granted(context.sealer, execute, context.principals)
    return [
        _found(
            context, row, "read_only" if "read_only" in granted.get(row[0], ()) else "read_write"
        )
        for row in rows
        if row[0] in granted or context.everywhere
    ]


def _granted(
    sealer: Sealer | None, execute: Execute, principals: tuple[Principal, ...]
) -> dict[str, set[str]]:
    """The stores that are attached to these, and how; what nobody of this home attached is not."""
    either = " OR ".join("(kind = ? AND principal = ?)" for _ in principals)
    values = [value for who in principals for value in (who.kind, who.id)]
    granted: dict[str, set[str]] = {}
    for *row, seal in execute(
        "SELECT store_id, kind, principal, access, instructions, seal FROM attachments"
        f" WHERE {either}",
        values,
    ):
        if _is_granted(sealer, seal, row):
            granted.setdefault(row[0], set()).add(row[3])
    return granted


def _is_granted(sealer: Sealer | None, seal: str | None, row: Sequence[str]) -> bool:
    return sealer is None or sealer.vouches(seal, ATTACHMENT.name, *row)


def _found(context: Context, row: Row, access: Access) -> Found:
    metadata: dict[str, str] = json.loads(row[3])
    # What is said about a store is told as the user's words.
    sealer = context.sealer
    verdict = DESCRIPTION.judge(sealer, row[10], *row[:3]) if sealer and row[2] else "valid"
    is_users = verdict == "valid" or (verdict == "foreign" and sealer is not None and sealer.shared)
    by_key = bool(row[10]) and str(row[10]).endswith(BY_KEY)
    info = StoreInfo(row[0], row[1], row[2] if is_users else "", metadata, *row[4:9], by_key=by_key)
    return Found(info, row[9], access)
