"""Cues: looks the phrase families up in a list of words, with what the user added or forbade."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from reverie.data import sections
from reverie.language.words import words


class Cues:
    """One table of families, ready to be looked up phrase by phrase in one pass."""

    def __init__(
        self,
        families: Mapping[str, tuple[str, ...]],
        added: Iterable[str] = (),
        forbidden: Iterable[str] = (),
    ) -> None:
        self.names: tuple[str, ...] = tuple(families)
        self.added: frozenset[str] = frozenset(filter(None, map(_normal, added)))
        never = frozenset(map(_normal, forbidden))
        self._families: dict[str, tuple[int, ...]] = {}
        for number, phrases in enumerate(families.values()):
            for phrase in phrases:
                if phrase not in never:
                    self._families[phrase] = (*self._families.get(phrase, ()), number)
        known = (*self._families, *self.added)
        self._longest = max((phrase.count(" ") + 1 for phrase in known), default=1)
        # Most words begin no phrase: one look-up of the first word spares the longer ones.
        self._starts = frozenset(phrase.split(" ", 1)[0] for phrase in known)

    def hits(self, found: Sequence[str]) -> tuple[list[int], list[int], bool]:
        """(hits per family, place of the first or -1, whether a phrase of the user's hit)."""
        counts = [0] * len(self.names)
        first = [-1] * len(self.names)
        own = False
        total = len(found)
        for start, word in enumerate(found):
            if word not in self._starts:
                continue
            phrase = ""
            for end in range(start, min(start + self._longest, total)):
                phrase = f"{phrase} {found[end]}" if phrase else word
                for number in self._families.get(phrase, ()):
                    counts[number] += 1
                    if first[number] < 0:
                        first[number] = start
                own = own or phrase in self.added
        return counts, first, own

    def counted(self, found: Sequence[str]) -> dict[str, int]:
        """Hits per family by name."""
        return dict(zip(self.names, self.hits(found)[0], strict=True))


def families(speaker: str) -> dict[str, tuple[str, ...]]:
    """The reviewed phrases of `human`, `agent` or `statement`, by the name of their family."""
    return {
        name.partition(" ")[2]: tuple(text.replace(",\n", ", ").split(", "))
        for name, text in sections("phrases.txt").items()
        if name.startswith(f"{speaker} ")
    }


def human_cues(added: Iterable[str] = (), forbidden: Iterable[str] = ()) -> Cues:
    """The families of what people say, changed by `learn.cues` and `learn.not_cues`."""
    return Cues(families("human"), added, forbidden)


@cache
def agent_cues() -> Cues:
    """The families of what agents say."""
    return Cues(families("agent"))


@cache
def statement_cues() -> Cues:
    """The families that tell a lasting sentence from a passing one."""
    return Cues(families("statement"))


def _normal(phrase: str) -> str:
    return " ".join(words(phrase))
