"""Sessions a person had unlearned: never read again, whatever logs or copies turn up."""

from reverie.clock import Clock, iso
from reverie.db.database import Database


class Tombstones:
    """Tombstones in the truth database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def sessions(self) -> frozenset[str]:
        return frozenset(row[0] for row in self._database.query("SELECT session FROM tombstones"))

    def find(self, reference: str) -> str | None:
        """The unlearned session of that key or id, or of an unambiguous beginning of one."""
        matches = [
            key for key in sorted(self.sessions()) if reference and f":{reference}" in f":{key}"
        ]
        exact = [key for key in matches if reference in (key, key.partition(":")[2])]
        return (exact or matches)[0] if len(exact) == 1 or len(matches) == 1 else None

    def bury(self, session: str, reason: str) -> None:
        with self._database.atomic() as tx:
            tx.execute(
                "INSERT INTO tombstones (session, reason, buried_at) VALUES (?, ?, ?)"
                " ON CONFLICT (session) DO NOTHING",
                (session, reason, iso(self._clock())),
            )
