"""What a person had forgotten: the same words come back neither from where they were said nor from
a copy of them, whatever is learned or indexed anew.

Kept in the truth database as hashes and places, so no lost index brings the words back and no
tombstone gives them away. Words said again after they were forgotten are new.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from reverie.clock import parse_iso
from reverie.db.database import Database, Transaction
from reverie.errors import InvalidInput

Kind = Literal["words", "place", "memory", "review"]

# A text of fewer words is forgotten only where it is all that was said: "yes" is said every day.
TELLING = 4
# A polynomial over the words of a text, so that every stretch of another text is compared in one
# step: hash(i, j) = prefix(j) - prefix(i) * BASE^(j-i).
_PRIME = (1 << 61) - 1
_BASE = 0x1F3D5B79AC0E1257


class Said(NamedTuple):
    """Something that could be told: an entry, a candidate, a sentence."""

    id: str
    project: str  # slug of where it would be told; "" for everywhere
    texts: Sequence[str]  # its words, in every form it has them
    place: str = ""  # `agent:session#line` of the turn it shows; "" when it is no turn
    at: str = ""  # when it was said, ISO
    whole: str = ""  # what it is a part of: counts only if all of that was forgotten


class Deed(NamedTuple):
    """One `forget`: what it took, where that holds, and until when the words were old."""

    id: str
    project: str
    until: str
    texts: Sequence[str] = ()
    places: Sequence[str] = ()
    memories: Sequence[str] = ()  # ids
    reviews: Sequence[str] = ()  # ids


class Forgotten:
    """All that was forgotten, read once."""

    def __init__(self, database: Database) -> None:
        self._places: set[str] = set()
        self._words: dict[str, list[tuple[str, str, str]]] = {}
        for deed, kind, value, project, until in database.query(
            "SELECT deed, kind, value, project, until FROM forgotten"
            " WHERE kind IN ('words', 'place') ORDER BY deed"
        ):
            if kind == "place":
                self._places.add(value)
            else:
                self._words.setdefault(value, []).append((project, until, deed))
        self._lengths = sorted({int(value.partition(" ")[0]) for value in self._words})

    def __bool__(self) -> bool:
        """Whether anything was forgotten at all."""
        return bool(self._places or self._words)

    def holds(self, said: Said) -> bool:
        """Whether a person had this forgotten: the turn itself, or its words before they did."""
        return said.place in self._places or bool(self.deeds(said))

    def deeds(self, said: Said) -> set[str]:
        """The deeds that took these words."""
        if not self._words:
            return set()
        values = {value for text in said.texts for value in self._stretches(text)}
        return {
            deed
            for value in values | {words_value(said.whole)}
            for project, until, deed in self._words.get(value, ())
            if project in ("", said.project) and not _is_later(said.at, until)
        }

    def _stretches(self, text: str) -> Iterable[str]:
        words = _words(text)
        prefix = [0]
        for word in words:
            prefix.append((prefix[-1] * _BASE + _number(word)) % _PRIME)
        for length in self._lengths:
            if length < TELLING and length != len(words):
                continue
            shift = pow(_BASE, length, _PRIME)
            for start in range(len(words) - length + 1):
                end = prefix[start + length]
                yield _value(length, (end - prefix[start] * shift) % _PRIME)


def forgotten(database: Database, said: Iterable[Said]) -> set[str]:
    """The ids of those that a person had forgotten; for whoever is about to tell something."""
    known = Forgotten(database)
    return {item.id for item in said if known.holds(item)}


def deeds_so_far(database: Database) -> str:
    """Moves with whatever is forgotten or brought back."""
    rows = database.query("SELECT DISTINCT deed FROM forgotten ORDER BY deed")
    return " ".join(deed for (deed,) in rows)


def bury(tx: Transaction, deed: Deed) -> None:
    """Keep a deed; the caller owns the transaction."""
    values: list[tuple[Kind, str]] = [
        *(("words", words_value(text)) for text in deed.texts if _words(text)),
        *(("place", place) for place in deed.places),
        *(("memory", memory) for memory in deed.memories),
        *(("review", review) for review in deed.reviews),
    ]
    for kind, value in dict.fromkeys(values):
        tx.execute(
            "INSERT INTO forgotten (deed, kind, value, project, until) VALUES (?, ?, ?, ?, ?)",
            (deed.id, kind, value, deed.project, deed.until),
        )


def deeds_of(database: Database, kind: Kind, value: str) -> set[str]:
    """The deeds that took a memory, a review or a turn."""
    rows = database.query("SELECT deed FROM forgotten WHERE kind = ? AND value = ?", (kind, value))
    return {str(deed) for (deed,) in rows}


def lift(tx: Transaction, deeds: Iterable[str]) -> dict[Kind, list[str]]:
    """Take deeds back; what they had taken, by kind. The caller owns the transaction."""
    by_kind: dict[Kind, list[str]] = {"words": [], "place": [], "memory": [], "review": []}
    for deed in sorted(deeds):
        for kind, value in tx.execute(
            "DELETE FROM forgotten WHERE deed = ? RETURNING kind, value", (deed,)
        ):
            by_kind[kind].append(value)
    return {kind: sorted(set(values)) for kind, values in by_kind.items()}


def join_projects(tx: Transaction, gone: str, kept: str) -> None:
    """What was forgotten in one project is forgotten in the other."""
    tx.execute("UPDATE forgotten SET project = ? WHERE project = ?", (kept, gone))


def words_value(text: str) -> str:
    """The words of a text without case, marks and spaces: how many, and a hash of them."""
    words = _words(text)
    number = 0
    for word in words:
        number = (number * _BASE + _number(word)) % _PRIME
    return _value(len(words), number)


def same_words(text: str, other: str) -> bool:
    """Whether two texts have the same words in the same order."""
    return _words(text) == _words(other)


def _value(length: int, number: int) -> str:
    return f"{length} {number:016x}"


def _words(text: str) -> list[str]:
    return _word().findall(unicodedata.normalize("NFKC", text).casefold())


# Made when something was forgotten: each recall loads this, and hardly any needs it.
@cache
def _word() -> re.Pattern[str]:
    # Scripts without spaces: every character counts as a word.
    return re.compile(r"[\u2e80-\uffdc]|[^\W\u2e80-\uffdc]+")


@lru_cache(maxsize=8192)
def _number(word: str) -> int:
    from hashlib import blake2b

    digest = blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % _PRIME


def _is_later(at: str, until: str) -> bool:
    try:
        return parse_iso(at) > parse_iso(until)
    except InvalidInput:
        return False


class Row(NamedTuple):
    """One line of a deed, as it travels to another home."""

    deed: str
    kind: Kind
    value: str
    until: str


def rows_of(tx: Transaction, project: str) -> list[Row]:
    """What was forgotten in one project, or everywhere (""), deed by deed."""
    rows = tx.execute(
        "SELECT deed, kind, value, until FROM forgotten WHERE project = ?"
        " ORDER BY deed, kind, value",
        (project,),
    )
    return [Row(*row) for row in rows]


def bury_rows(tx: Transaction, rows: Iterable[Row], project: str) -> None:
    """Keep a deed of another home of this person; what is known of it stays."""
    tx.execute_many(
        "INSERT INTO forgotten (deed, kind, value, project, until) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (deed, kind, value) DO NOTHING",
        [(row.deed, row.kind, row.value, project, row.until) for row in rows],
    )


def first_until(tx: Transaction, deeds: Iterable[str]) -> str:
    """When the first of these deeds was done."""
    named = sorted(deeds)
    marks = ", ".join("?" * len(named))
    ((until,),) = tx.execute(f"SELECT min(until) FROM forgotten WHERE deed IN ({marks})", named)
    return str(until)
