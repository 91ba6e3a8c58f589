"""What every part of the store works with: the database, the clock, the limits, who is asking."""

import os
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from reverie.clock import Clock, iso
from reverie.db.database import Database, Row, Transaction
from reverie.db.migrations import migrate
from reverie.sealing import Sealer
from reverie.settings import Store as Limits
from reverie.store.model import Principal
from reverie.store.rows import pair_memories
from reverie.store.seals import seal_each_row, seal_first

Redact = Callable[[str], str]
Execute = Callable[[str, Sequence[object]], list[Row]]
NewId = Callable[[str, Clock], str]
# What only the owner does, unless a principal was given it.
Deed = Literal["redact", "archive", "delete"]

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghijkmnpqrstvwxyz"


def random_id(prefix: str, clock: Clock) -> str:
    """`mem_01…`: ten characters of time, fourteen of chance; unique, and roughly in order."""
    left = int(clock().timestamp() * 1000)
    stamp = ""
    for _ in range(10):
        left, digit = divmod(left, 32)
        stamp = _ALPHABET[digit] + stamp
    chance = int.from_bytes(os.urandom(16), "big")
    tail = ""
    for _ in range(14):
        chance, digit = divmod(chance, len(_ALPHABET))
        tail += _ALPHABET[digit]
    return f"{prefix}_{stamp}{tail}"


def unchanged(text: str) -> str:
    """For a store that belongs to no home, as in a copy that is being checked."""
    return text


class Context(NamedTuple):
    """Without principals it is the owner who asks, and everything is allowed.

    `redact` takes secrets out of what is about to be written, as a whole: an edit may add the half
    that makes a secret of what was there.
    """

    database: Database
    clock: Clock
    limits: Limits
    new_id: NewId = random_id
    principals: tuple[Principal, ...] = ()
    # Seals what is written; without one (a store used by itself) nothing is sealed.
    sealer: Sealer | None = None
    redact: Redact = unchanged
    # Of principals: what they may do besides, and whether they see stores they are not attached to.
    may: frozenset[Deed] = frozenset()
    everywhere: bool = False

    def migrate(self, *, backup: bool = True) -> list[str]:
        """Bring the database to the newest schema; the names of what was done for that.

        Raises:
            Unavailable: the database was written by a newer program, and is left alone.
        """

        def seal(tx: Transaction) -> None:
            seal_first(tx, self.sealer)

        def seal_rows(tx: Transaction) -> None:
            seal_each_row(tx, self.sealer)

        fill = {"seals": seal, "pairs": pair_memories, "row_seals": seal_rows}
        done = migrate(self.database, self.clock, backup=backup, also=fill)
        return [migration.name for migration in done]

    @property
    def acts_for_nobody(self) -> bool:
        """Whether a principal asks that no person holds in their hand."""
        return bool(self.principals) and "redact" not in self.may

    def id(self, prefix: str) -> str:
        return self.new_id(prefix, self.clock)

    def now(self) -> str:
        return iso(self.clock())

    def acting_as(self, principals: tuple[Principal, ...]) -> "Context":
        return self._replace(principals=principals)
