"""Clauses: what a text says, part by part, and what of it is denied."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.language.wording import LIGHT, is_ordinary
from reverie.language.words import content, stem, words

_RE = patterns("work.txt", "grounding")
_WORDS = word_sets("work.txt", "grounding")

REPEATED = 0.75  # share of a lesson's words that stand in a sentence it repeats


class Clause(NamedTuple):
    """A clause by its words in order, without what is only polite."""

    words: tuple[str, ...]

    @property
    def stems(self) -> frozenset[str]:
        """What it speaks of, without the words that only deny, limit or stress it."""
        marks = _WORDS.deny | _WORDS.always | _WORDS.limits
        return content([word for word in self.words if word not in marks])

    def denials(self, shared: frozenset[str]) -> list[str]:
        """What denies something of what both speak of, each by its sort."""
        return [
            "not" if word in _WORDS.denied_by_not else word
            for place, word in enumerate(self.words)
            if word in _WORDS.deny
            and any(stem(other) in shared for other in self.words[self._reach(place) :])
        ]

    def denies(self, shared: frozenset[str]) -> bool:
        """Whether what both speak of is denied: an odd number of times."""
        return len(self.denials(shared)) % 2 == 1

    @property
    def is_denied(self) -> bool:
        """Whether anything is denied: "keys never end up in a log" speaks of the keys, too."""
        return not _WORDS.deny.isdisjoint(self.words) or self._takes_away

    def _reach(self, place: int) -> int:
        """From where on the denial at a place speaks of what stands there: "it is not used"."""
        before, after = self.words[place - 1 : place], self.words[place + 1 : place + 2]
        passive = any(word in _WORDS.being for word in before)
        return 0 if passive and any(word.endswith("ed") for word in after) else place

    def is_against(self, other: "Clause", shared: frozenset[str]) -> bool:
        """Whether only one of two denies what both speak of; what is taken away is denied too."""
        mine, theirs = self.denies(shared), other.denies(shared)
        return mine != theirs and (mine != self._takes_away) != (theirs != other._takes_away)

    @property
    def _takes_away(self) -> bool:
        return bool(_RE.removal.search(" ".join(self.words)))

    def likeness(self, other: "Clause") -> float:
        """Share of the smaller clause that both speak of; one word says too little, but a name."""
        least = min(len(self.stems), len(other.stems))
        common = self.stems & other.stems
        if len(common) == 1 and any(is_ordinary(root) or root in LIGHT for root in common):
            return 0.0
        return len(common) / least if common else 0.0

    def is_in(self, other: "Clause") -> bool:
        """Whether another one has all its words, the verb too, but those that only mark it."""
        return bool(self.stems and self._verbs) and (
            self.stems | self._verbs <= other.stems | other._verbs
        )

    @property
    def _verbs(self) -> frozenset[str]:
        """The verbs that say little by themselves, "used" like "use"."""
        return frozenset(map(_base, self.words)) & _WORDS.neutral

    def is_denied_in(self, others: "Iterable[Clause]") -> bool:
        """Whether what this one denies is denied by another of these too, in fewer words."""
        return any(
            other.stems <= self.stems and self.denies(other.stems) and other.denies(other.stems)
            for other in others
        )


@lru_cache(maxsize=512)
def whole(text: str) -> Clause:
    """A text as one clause."""
    return Clause(tuple(words(plain(text))))


def repeats(lesson: str, said: str, least: int = 1) -> bool:
    """Whether a lesson says a sentence again nearly word by word, and `least` words of it."""
    mine = whole(lesson).stems
    return len(mine & whole(said).stems) >= max(least, REPEATED * len(mine))


@lru_cache(maxsize=512)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text; what only goes on behind a comma is denied with what it goes on."""
    spelled = _RE.kept_out.sub(lambda out: f"never put {_RE.joined.sub(' ', out[1])} ", plain(text))
    spelled = _RE.contrast.sub(", not ", spelled)
    spelled = _RE.denied.sub(lambda part: part[0].replace(" or ", " "), spelled)
    clause_list: list[Clause] = []
    for sentence in _RE.stop.split(spelled):
        denied = False
        for part in _RE.link.split(sentence):
            cut = tuple(words(part))
            if cut and denied and cut[0] in _WORDS.going_on:
                cut = ("not", *cut)
            if cut:
                clause_list.append(Clause(cut))
                denied = not _WORDS.deny.isdisjoint(cut)
    return tuple(clause_list)


def plain(text: str) -> str:
    """A text with one word for each denial, and none that denies nothing."""
    return _RE.no_more.sub("not", _RE.doubled.sub(" ", text.replace("’", "'")))


def _base(word: str) -> str:
    return word[:-1] if word[-1:] in ("d", "s") and word[:-1] in _WORDS.neutral else word
