"""Seals of rows: what this home wrote can be told from what somebody wrote into its database.

The chain of a store shows that nothing in it was changed since, but whoever rewrites all of it can
make it add up again. So the end of each chain is sealed with a key that lies in the home
(`reverie.sealing`). Checking a whole chain takes long, so each row that is told to sessions carries
a seal, too, which is checked whenever it is told: memories, what is said about stores, attachments,
what waits for review, and the words of evidence. What was there before its seals is sealed when the
database is brought to this schema.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from reverie.store.model import Problem

if TYPE_CHECKING:
    from reverie.db.database import Row, Transaction
    from reverie.sealing import Field, Sealer, Verdict

# At the end of the seal of what a key of a server wrote: it is nobody's word.
BY_KEY = "+key"
_EVERY = frozenset[str]({"valid", "foreign", "missing", "wrong"})


class Kind(NamedTuple):
    """A kind of rows with a seal: where they lie, what names one, and what its seal commits to."""

    name: str
    table: str
    key: tuple[str, ...]
    fields: tuple[str, ...]
    seal: str = "seal"
    more: str = ""  # that the fields lie in

    def judged(
        self, tx: "Transaction", sealer: "Sealer", where: str, values: Sequence[object]
    ) -> "Iterator[tuple[Row, Verdict]]":
        """The rows (key and fields), each with what its seal says; none in an earlier schema."""
        for row, verdict, _ in self._judged(tx, sealer, where, values):
            yield row, verdict

    def seal_of(self, sealer: "Sealer", *row: "Field", by_key: bool = False) -> str:
        """The seal of a row (key and fields), which says so if a server's key wrote it."""
        if by_key:
            return sealer.seal(self.name + BY_KEY, *row) + BY_KEY
        return sealer.seal(self.name, *row)

    def judge(self, sealer: "Sealer", seal: str | None, *row: "Field") -> "Verdict":
        """What the seal of a row says of it, whoever wrote it."""
        if seal and seal.endswith(BY_KEY):
            return sealer.judge(seal.removesuffix(BY_KEY), self.name + BY_KEY, *row)
        return sealer.judge(seal, self.name, *row)

    def _judged(
        self, tx: "Transaction", sealer: "Sealer", where: str, values: Sequence[object]
    ) -> "Iterator[tuple[Row, Verdict, bool]]":
        if not self._is_in(tx):
            return
        columns = ", ".join((*self._keys(), *self.fields, f"t.{self.seal}"))
        order = ", ".join(self._keys())
        for *row, seal in tx.execute(
            f"SELECT {columns} FROM {self.table} t{self.more} WHERE {where} ORDER BY {order}",
            values,
        ):
            yield (
                tuple(row),
                self.judge(sealer, seal, *row),
                bool(seal) and seal.endswith(BY_KEY),
            )

    def seal_rows(
        self,
        tx: "Transaction",
        sealer: "Sealer | None",
        where: str = "1 = 1",
        values: Sequence[object] = (),
        over: frozenset[str] = _EVERY,
    ) -> None:
        """Seal the rows whose seal says one of `over`."""
        if sealer is None:
            return
        named = " AND ".join(f"{name} = ?" for name in self.key)
        for row, verdict, by_key in list(self._judged(tx, sealer, where, values)):
            if verdict in over:
                tx.execute(
                    f"UPDATE {self.table} SET {self.seal} = ? WHERE {named}",
                    (self.seal_of(sealer, *row, by_key=by_key), *row[: len(self.key)]),
                )

    def _is_in(self, tx: "Transaction") -> bool:
        columns = {name[2:] for name in self.fields if name.startswith("t.")}
        return columns | {self.seal} <= set(tx.columns(self.table))

    def _keys(self) -> Iterator[str]:
        return (f"t.{name}" for name in self.key)


END = Kind("store", "stores", ("id",), ("t.sequence", "t.commitment"))
DESCRIPTION = Kind(
    "description", "stores", ("id",), ("t.name", "t.description"), "description_seal"
)
ATTACHMENT = Kind(
    "attachment", "attachments", ("store_id", "kind", "principal"), ("t.access", "t.instructions")
)
MEMORY = Kind(
    "memory",
    "memories",
    ("id",),
    ("t.store_id", "t.path", "t.trust", "t.valid_from", "t.valid_to", "v.content"),
    more=" JOIN versions v ON v.id = t.version_id",
)
REVIEW = Kind("review", "reviews", ("id",), ("t.session", "t.candidate", "t.memory_id"))
EVIDENCE = Kind(
    "evidence",
    "evidence",
    ("id",),
    ("t.session", "t.line", "t.at", "t.quote", "t.premise", "t.trust"),
)
LEARNED = (REVIEW, EVIDENCE)
# Those of a store, with the column that names it, and what is said of one that is not ours.
_OF_STORES = (
    (END, "t.id", "its end"),
    (DESCRIPTION, "t.id", "what is said about it"),
    (ATTACHMENT, "t.store_id", "its attachment to the {1} {2}"),
    (MEMORY, "t.store_id", "its memory {2}"),
)


def seal_first(tx: "Transaction", sealer: "Sealer | None") -> None:
    """When a database gets its first seals, everything in it gets one."""
    if sealer is None:
        return
    END.seal_rows(tx, sealer)
    # Seals are older than instructions: a database on its way here has none yet.
    ATTACHMENT._replace(fields=("t.access", "''")).seal_rows(tx, sealer)


def seal_each_row(tx: "Transaction", sealer: "Sealer | None") -> None:
    """When rows get seals: those of stores that are this home's, and of what was learned in it."""
    if sealer is None:
        return
    trusted = frozenset({"valid", "foreign"} if sealer.shared else {"valid"})
    for (store_id, *_), verdict in list(END.judged(tx, sealer, "1 = 1", ())):
        if verdict in trusted:
            END.seal_rows(tx, sealer, "t.id = ?", (store_id,))
            ATTACHMENT.seal_rows(tx, sealer, "t.store_id = ?", (store_id,), trusted)
            DESCRIPTION.seal_rows(tx, sealer, "t.id = ?", (store_id,))
            MEMORY.seal_rows(tx, sealer, "t.store_id = ?", (store_id,))
    for kind in LEARNED:
        kind.seal_rows(tx, sealer)


def adopt(tx: "Transaction", sealer: "Sealer | None", store_id: str) -> None:
    """Make all of a store this home's own, as it is: it has arrived, or a person said so."""
    for kind, column, _ in _OF_STORES:
        kind.seal_rows(tx, sealer, f"{column} = ?", (store_id,))


def adopt_everything(tx: "Transaction", sealer: "Sealer | None") -> None:
    """Make all of a database this home's own, as it is."""
    for kind, _, _ in _OF_STORES:
        kind.seal_rows(tx, sealer)
    for kind in LEARNED:
        kind.seal_rows(tx, sealer, over=frozenset({"foreign", "missing"}))


def unproven(
    tx: "Transaction",
    sealer: "Sealer | None",
    store_id: str,
    bad: frozenset[str] = frozenset({"missing", "wrong"}),
) -> list[Problem]:
    """What of a store does not carry the seal it should; nothing without a key to judge by.

    A seal of another key says nothing here: that home can check it.
    """
    if sealer is None:
        return []
    return [
        Problem(store_id, store_id, f"{words.format(*row)} was not written by Reverie")
        for kind, column, words in _OF_STORES
        for row, verdict in kind.judged(tx, sealer, f"{column} = ?", (store_id,))
        if verdict in bad
    ]


def strangers(tx: "Transaction", sealer: "Sealer | None") -> list[str]:
    """The ids of stores with anything that another home sealed, though none shares the database."""
    if sealer is None or sealer.shared:
        return []
    rows = tx.execute("SELECT id FROM stores ORDER BY id")
    return [
        store_id for (store_id,) in rows if unproven(tx, sealer, store_id, frozenset({"foreign"}))
    ]
