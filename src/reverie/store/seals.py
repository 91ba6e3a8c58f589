"""Seals: what this home wrote can be told from what somebody wrote into its database or export.

The chain of a store shows that nothing in it was changed since, but whoever rewrites all of it can
make it add up again. So the end of each chain and each attachment carry a seal: an HMAC with a key
that lies in the home and never in a database. A seal names its key, because homes may share a
database. The key of a version-1 home is made when it is upgraded, and seals what is there then.
"""

import json
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from reverie.store.model import Problem

if TYPE_CHECKING:
    from reverie.db.database import Transaction

Verdict = Literal["valid", "foreign", "missing", "wrong"]

_STORE, _ATTACHMENT, _EXPORT = "store", "attachment", "export"


class Sealer:
    """Seals with one key, which is read when it is first needed: who only reads does without."""

    def __init__(self, read_key: Callable[[], bytes]) -> None:
        self._read_key = read_key

    @cached_property
    def _key(self) -> bytes:
        return self._read_key()

    @cached_property
    def key_id(self) -> str:
        from hashlib import sha256

        return sha256(b"reverie seal " + self._key).hexdigest()[:16]

    def store(self, store_id: str, sequence: int, commitment: str) -> str:
        """The seal of a chain that ends there."""
        return self._seal(_STORE, store_id, sequence, commitment)

    def attachment(
        self, store_id: str, kind: str, principal: str, access: str, instructions: str = ""
    ) -> str:
        """Without instructions as it was before there were any."""
        told = (instructions,) if instructions else ()
        return self._seal(_ATTACHMENT, store_id, kind, principal, access, *told)

    def export(self, digest: str) -> str:
        """The seal of an export whose files have that digest."""
        return self._seal(_EXPORT, digest)

    def judge(self, given: str | None, expected: str) -> Verdict:
        """What a seal that was found says, against the one that should be there."""
        import hmac

        if not given:
            return "missing"
        if not given.startswith(f"{self.key_id}:"):
            return "foreign"
        return "valid" if hmac.compare_digest(given, expected) else "wrong"

    def _seal(self, *fields: str | int) -> str:
        import hmac

        text = json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode()
        return f"{self.key_id}:{hmac.digest(self._key, text, 'sha256').hex()}"


def seal_unsealed(tx: "Transaction", sealer: Sealer | None, store_id: str | None = None) -> None:
    """Seal what has no seal yet: when a database gets its seals, or one store has arrived."""
    if sealer is None:
        return
    only, values = (" AND {} = ?", (store_id,)) if store_id else ("", ())
    for unsealed, sequence, commitment in tx.execute(
        f"SELECT id, sequence, commitment FROM stores WHERE seal IS NULL{only.format('id')}"
        " ORDER BY id",
        values,
    ):
        tx.execute(
            "UPDATE stores SET seal = ? WHERE id = ?",
            (sealer.store(unsealed, sequence, commitment), unsealed),
        )
    # Seals are older than instructions: a database on its way here has none yet.
    told = "instructions" if "instructions" in tx.columns("attachments") else "''"
    for row in tx.execute(
        f"SELECT store_id, kind, principal, access, {told} FROM attachments"
        f" WHERE seal IS NULL{only.format('store_id')} ORDER BY store_id, kind, principal",
        values,
    ):
        tx.execute(
            "UPDATE attachments SET seal = ? WHERE store_id = ? AND kind = ? AND principal = ?",
            (sealer.attachment(*row), *row[:3]),
        )


def unproven(
    tx: "Transaction",
    sealer: Sealer | None,
    store_id: str,
    bad: frozenset[Verdict] = frozenset({"missing", "wrong"}),
) -> list[Problem]:
    """What of a store does not carry the seal it should; nothing without a key to judge by.

    A seal of another key says nothing here: that home can check it.
    """
    if sealer is None:
        return []
    problems: list[Problem] = []
    for sequence, commitment, seal in tx.execute(
        "SELECT sequence, commitment, seal FROM stores WHERE id = ?", (store_id,)
    ):
        if sealer.judge(seal, sealer.store(store_id, sequence, commitment)) in bad:
            problems.append(Problem(store_id, store_id, "its end was not written by Reverie"))
    for kind, principal, access, told, seal in tx.execute(
        "SELECT kind, principal, access, instructions, seal FROM attachments WHERE store_id = ?"
        " ORDER BY kind, principal",
        (store_id,),
    ):
        expected = sealer.attachment(store_id, kind, principal, access, told)
        if sealer.judge(seal, expected) in bad:
            words = f"its attachment to the {kind} {principal} was not made by Reverie"
            problems.append(Problem(store_id, store_id, words))
    return problems
