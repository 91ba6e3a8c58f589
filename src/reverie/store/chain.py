"""The chain of a store: each version commits to the one before it, so nothing is lost unseen.

    body       = sha256(salt, path, content_sha256, size)         what redaction may take away
    commitment = sha256(previous commitment, kept fields, body)   what stays for ever

The store's row holds the last sequence number and commitment. Redaction deletes salt, path,
content, hash and size: the body hash alone, without its random salt, tells nobody what was there,
and the chain still adds up. Pruning old versions leaves a checkpoint, the only excuse for a gap.
"""

import json
import os
from collections.abc import Iterator
from typing import NamedTuple

from reverie.db.database import Row, Transaction
from reverie.store.context import Context
from reverie.store.model import Problem, Version
from reverie.store.rows import VERSION_COLUMNS, VERSION_WIDTH, version_of
from reverie.store.seals import unproven

GENESIS = "0" * 64

INSERT = (
    f"INSERT INTO versions ({VERSION_COLUMNS}, salt, body, previous, commitment)"
    f" VALUES ({', '.join('?' * (VERSION_WIDTH + 4))})"
)
_BATCH = 500
# A head repeats these of its version; updated_at is the time of the version.
_HEAD_FIELDS = ("content_sha256", "path", "size_bytes", "trust", "valid_from", "valid_to")


class Link(NamedTuple):
    """The part of a version row that chains it."""

    salt: str | None
    body: str
    previous: str
    commitment: str


def content_hash(content: str) -> str:
    return _sha256(content.encode())


def new_salt() -> str:
    return os.urandom(16).hex()


def link(version: Version, previous: str, salt: str) -> Link:
    """Chain a version that is about to be written."""
    body = body_hash(salt, version)
    return Link(salt, body, previous, commitment(previous, version, body))


def values(version: Version, chained: Link) -> tuple[str | int | None, ...]:
    """The bound values of `INSERT`."""
    return (
        *version[:10],
        *version.actor,
        *version[11:17],
        *(version.redacted_by or (None, None)),
        *chained,
    )


def body_hash(salt: str, version: Version) -> str:
    return _digest(salt, version.path, version.content_sha256, version.size_bytes)


def commitment(previous: str, version: Version, body: str) -> str:
    return _digest(
        previous,
        version.id,
        version.store_id,
        version.memory_id,
        version.sequence,
        version.number,
        version.operation,
        version.actor.kind,
        version.actor.id,
        version.reason,
        version.trust,
        version.valid_from,
        version.valid_to,
        version.created_at,
        body,
    )


def _digest(*fields: str | int | None) -> str:
    return _sha256(json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode())


def _sha256(data: bytes) -> str:
    from hashlib import sha256  # loads OpenSSL, which reading a memory does not need

    return sha256(data).hexdigest()


def verify(context: Context, store_id: str | None = None) -> list[Problem]:
    """Recompute every hash, link and head; one problem for each thing that does not add up."""
    problems: list[Problem] = []
    with context.database.snapshot() as tx:
        where, values = (" WHERE id = ?", (store_id,)) if store_id else ("", ())
        stores = tx.execute(
            f"SELECT id, sequence, commitment, memories FROM stores{where} ORDER BY id", values
        )
        for row in stores:
            problems += _verify_chain(tx, row)
            problems += _verify_heads(tx, row)
            problems += unproven(tx, context.sealer, row[0])
    return problems


def _verify_chain(tx: Transaction, store: Row) -> list[Problem]:
    store_id, last, end, _ = store
    problems: list[Problem] = []
    checkpoints = dict(
        tx.execute(
            "SELECT sequence, commitment FROM checkpoints WHERE store_id = ? ORDER BY sequence",
            (store_id,),
        )
    )
    pruned_to = max(checkpoints, default=0)
    seen, previous = 0, GENESIS
    for version, proof in _chained(tx, store_id):
        if version.sequence != seen + 1:
            if version.sequence - 1 > pruned_to:
                problems.append(_missing(store_id, max(seen, pruned_to) + 1, version.sequence - 1))
            # Inside a gap only a checkpoint can vouch for the predecessor.
            previous = checkpoints.get(version.sequence - 1, proof.previous)
        problems += _verify_version(version, proof, previous)
        seen, previous = version.sequence, proof.commitment
    if seen < last <= pruned_to:
        seen, previous = last, checkpoints.get(last, end)
    if seen < last:
        problems.append(_missing(store_id, max(seen, pruned_to) + 1, last))
    elif seen > last or previous != end:
        problems.append(Problem(store_id, store_id, "the chain does not end where the store says"))
    return problems


def _missing(store_id: str, first: int, last: int) -> Problem:
    return Problem(store_id, store_id, f"versions {first} to {last} of the chain are missing")


def _verify_version(version: Version, proof: Link, previous: str) -> list[Problem]:
    wrong: list[str] = []
    if proof.previous != previous:
        wrong.append("does not follow the version before it")
    if commitment(proof.previous, version, proof.body) != proof.commitment:
        wrong.append("was changed after it was written")
    if version.redacted_at is None:
        if not proof.salt or body_hash(proof.salt, version) != proof.body:
            wrong.append("has another path, hash or size than it was written with")
        if version.operation != "deleted" and (
            version.content is None or content_hash(version.content) != version.content_sha256
        ):
            wrong.append("has content that does not match its hash")
    elif version.content is not None or proof.salt:
        wrong.append("is marked redacted and still holds content")
    return [Problem(version.store_id, version.id, message) for message in wrong]


def _verify_heads(tx: Transaction, store: Row) -> list[Problem]:
    store_id, _, _, count = store
    problems: list[Problem] = []
    heads = tx.execute(
        f"SELECT m.id, {_in_both('m', 'version')}, {_in_both('v', 'number')},"
        " v.operation, v.memory_id,"
        " (SELECT max(o.number) FROM versions o WHERE o.memory_id = m.id)"
        " FROM memories m LEFT JOIN versions v ON v.id = m.version_id"
        " WHERE m.store_id = ? ORDER BY m.id",
        (store_id,),
    )
    for row in heads:
        width = len(_HEAD_FIELDS) + 1
        head, version, (operation, memory_id, last) = (
            row[1 : width + 1],
            row[width + 1 : 2 * width + 1],
            row[2 * width + 1 :],
        )
        if head != version or operation == "deleted" or memory_id != row[0]:
            problems.append(Problem(store_id, row[0], "the head does not match its version"))
        elif head[0] != last:
            problems.append(Problem(store_id, row[0], "the head is not the last version"))
    if len(heads) != count:
        problems.append(
            Problem(store_id, store_id, f"counts {count} memories and has {len(heads)}")
        )
    orphans = tx.execute(
        "SELECT v.memory_id FROM versions v WHERE v.store_id = ? AND v.operation <> 'deleted'"
        " AND NOT EXISTS (SELECT 1 FROM versions n WHERE n.memory_id = v.memory_id"
        " AND n.number > v.number)"
        " AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = v.memory_id) ORDER BY 1",
        (store_id,),
    )
    problems += [Problem(store_id, row[0], "was never deleted, and is gone") for row in orphans]
    return problems


def _in_both(table: str, number: str) -> str:
    """What a head repeats of its version."""
    return ", ".join(f"{table}.{name}" for name in (number, *_HEAD_FIELDS))


def _chained(tx: Transaction, store_id: str) -> Iterator[tuple[Version, Link]]:
    after = 0
    while True:
        rows = tx.execute(
            f"SELECT {VERSION_COLUMNS}, salt, body, previous, commitment FROM versions"
            " WHERE store_id = ? AND sequence > ? ORDER BY sequence LIMIT ?",
            (store_id, after, _BATCH),
        )
        for row in rows:
            yield version_of(row), Link(*row[VERSION_WIDTH:])
        if len(rows) < _BATCH:
            return
        after = rows[-1][3]
