"""Unlearn one session: remove what came from it, redact what was written, and never read it again.

The log itself is the agent's and is not touched. The order makes a killed run safe to repeat: the
tombstone first, so that nothing comes back while the rest is removed.
"""

from dataclasses import dataclass, replace

from reverie.learn.standing import SCHEMA as RULES_SCHEMA
from reverie.learn.standing import replace_rules
from reverie.learn.tombstones import Tombstones
from reverie.sessions.corrections import CORRECTIONS_SCHEMA, replace_session
from reverie.sessions.diaries import DIARIES_SCHEMA, replace_diaries
from reverie.sessions.fixes import FIXES_SCHEMA, replace_fixes
from reverie.sessions.index import Index
from reverie.sessions.remarks import REMARKS_SCHEMA, replace_remarks
from reverie.sessions.traces import TRACES_SCHEMA, replace_traces
from reverie.store.documents import Document, load
from reverie.store.store import Store
from reverie.store.values import Actor, Author, Memory


@dataclass(frozen=True, slots=True)
class Unlearned:
    """What was removed."""

    session: str
    deleted: tuple[str, ...]  # memories that rested on this session alone
    weakened: tuple[str, ...]  # memories that lost one of their sources
    redacted: int  # versions
    reviews: int
    turns: int


def derived(store: Store, session: str) -> list[tuple[str, Memory, Document]]:
    """Every memory that cites `session`: store name, memory, document."""
    found: list[tuple[str, Memory, Document]] = []
    for info in store.stores(archived=True):
        for memory in store.walk(info.id):
            document = load(memory.content, path=memory.path)
            if any(cites(item, session) for item in document.evidence):
                found.append((info.name, memory, document))
    return found


def live_versions(store: Store, name: str, memory: str) -> list[str]:
    """Ids of all versions of a memory that still hold text."""
    found: list[str] = []
    page: str | None = None
    while True:
        answer = store.versions(name, memory, page=page)
        found += [v.id for v in answer.items if v.redacted_at is None and v.content is not None]
        page = answer.next_page
        if page is None:
            return found


def cites(evidence: str, session: str) -> bool:
    return evidence.rpartition("#")[0] == session


def unlearn(
    store: Store, index: Index, tombstones: Tombstones, session: str, reason: str
) -> Unlearned:
    """Remove everything derived from `session`; the kept copy is the caller's to delete."""
    tombstones.bury(session, reason)
    by = Author(actor=Actor("user"), reason=f"unlearned {session}: {reason}")
    deleted: list[str] = []
    weakened: list[str] = []
    redacted = 0
    for name, memory, document in derived(store, session):
        rest = tuple(item for item in document.evidence if not cites(item, session))
        versions = live_versions(store, name, memory.id)
        if rest:
            sessions = {item.rpartition("#")[0] for item in rest}
            weaker = replace(
                document, evidence=rest, support=len(sessions), body=without(document, session)
            )
            store.update(name, memory.id, content=weaker.text(), by=by)
            weakened.append(f"{name}{memory.path}")
        else:
            store.delete(name, memory.id, by=by)
            deleted.append(f"{name}{memory.path}")
        for version in versions:
            store.redact(version, by)
            redacted += 1
    reviews = _forget_rows(store, session)
    # Deleting moves cells about in a page, and the place they left still holds their words.
    store.database.scrub()
    tables = CORRECTIONS_SCHEMA + DIARIES_SCHEMA + FIXES_SCHEMA + REMARKS_SCHEMA
    index.ensure(tables + TRACES_SCHEMA + RULES_SCHEMA)
    with index.atomic() as connection:
        replace_session(connection, session, [])
        replace_diaries(connection, session, [])
        replace_fixes(connection, session, [])
        replace_remarks(connection, session, [])
        replace_traces(connection, session, "", [])
        replace_rules(connection, session, [])
    turns = index.remove_session(session)
    index.scrub()
    return Unlearned(session, tuple(deleted), tuple(weakened), redacted, reviews, turns)


def without(document: Document, session: str) -> str:
    """The body without the paragraphs that quote `session`."""
    paragraphs = document.body.split("\n\n")
    kept: list[str] = []
    dropping = False
    for paragraph in paragraphs:
        if session in paragraph:
            dropping = True
            continue
        if dropping and paragraph.startswith(">"):
            continue
        dropping = False
        kept.append(paragraph)
    return "\n\n".join(kept)


def _forget_rows(store: Store, session: str) -> int:
    with store.database.atomic() as tx:
        reviews = tx.execute("DELETE FROM reviews WHERE session = ? RETURNING id", (session,))
        tx.execute("DELETE FROM labels WHERE session = ?", (session,))
        tx.execute("DELETE FROM evidence WHERE session = ?", (session,))
        # A change that quotes the session goes with it, whatever was decided about it.
        quoted = session.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        tx.execute(
            "DELETE FROM proposal_changes WHERE change LIKE ? ESCAPE '\\'", (f'%"{quoted}"%',)
        )
    return len(reviews)
