"""Talk: all remarks of a night, and whether two of them say the same.

Two sentences alone give little to go by; among all that was said, a word that is hardly used in
passing tells that two remarks which use it are about one thing. The more they read like rules, the
less they have to share: there are few rules, and many requests. Another number, another name, or
another choice in the place of one keep two remarks apart as ever.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from reverie.dream.model import Observation
from reverie.dream.steps.remarks import (
    asks,
    blames,
    forbids_act,
    force,
    is_order,
    main_clause,
    turns,
)
from reverie.language.compare import apart, relation, substituted
from reverie.language.lexicon import lexicon
from reverie.language.meaning import exact, is_choice, is_common, meant, stems
from reverie.language.wording import EMPTY, LIGHT, is_ordinary, root_of
from reverie.language.words import words

LEAST = 3  # sessions of a pattern: a word that is said more seldom tells no more
EVERYWHERE = 0.34  # of the sessions use a word that the project is about …
FEW = 24  # … if there are so many of them at all
COMMON = 0.06  # share of remarks that hold a given common word, at least
SLIGHT = 0.4  # how much a word too general for that tells among few remarks
FIELD = 0.3  # how much words of one field tell, beside the same word
# Two remarks must share words that tell so much of what one word in all remarks can …
SURPRISE, BOUND = 0.9, 0.5  # … the less, the more they bind
# … and so much of what the shorter, and of what the longer of them tells.
SHARED, LOOSER, LONGER = 0.6, 0.3, 0.2
FRAME = 0.5  # of the words of the shorter, in the same order: a form of words

_PART = re.compile(r"[a-z]{3,}")
_JOINED = re.compile(r"[/._:-]")


def _fields() -> dict[str, frozenset[str]]:
    fields: defaultdict[str, set[str]] = defaultdict(set)
    for line in lexicon().lines("lessons.fields"):
        first, *others = line.split()
        for word in (first, *others):
            fields[word].add(f"~{first}")
            fields[root_of(word)].add(f"~{first}")
    return {word: frozenset(names) for word, names in fields.items()}


_FIELDS = _fields()


@lru_cache(maxsize=16384)
def bag(text: str) -> frozenset[str]:
    """The word stems of a remark, the parts of its names, and the fields they belong to."""
    word_stems = stems(text)
    word_stems |= parts_of(word_stems)
    word_stems |= meant(text).weights.keys() & LIGHT
    return word_stems.union(*(_FIELDS[stem] for stem in word_stems if stem in _FIELDS))


def parts_of(word_stems: Iterable[str]) -> frozenset[str]:
    """The words that names among some stems are made of."""
    parts = (part for stem in word_stems if _JOINED.search(stem) for part in _PART.findall(stem))
    return frozenset(root_of(part) for part in parts if part not in EMPTY)


class Remark:
    """One wording, and who said it."""

    def __init__(self, first: Observation) -> None:
        self.text = first.text
        self.bag = bag(first.text)
        self.force = force(first)
        self.turns = turns(first.text)
        self.said: list[Observation] = []
        self.fills = False  # a form of words that holds another thing each time

    @property
    def sessions(self) -> frozenset[str]:
        return frozenset(observation.session for observation in self.said)


class Talk:
    """What makes a word telling."""

    def __init__(self, remarks: Iterable[Remark]) -> None:
        passing: Counter[str] = Counter()  # how often a word is used in passing
        sessions: defaultdict[str, set[str]] = defaultdict(set)
        everybody: set[str] = set()
        self._total = 0
        for remark in remarks:
            self._total += len(remark.said)
            everybody |= remark.sessions
            for stem in remark.bag:
                passing[stem] += len(remark.said) * (1.0 - remark.force)  # type: ignore[assignment]
                sessions[stem] |= remark.sessions
        self._few = len(everybody) < FEW
        most = math.log((self._total + 1) / (LEAST + 0.5)) if self._total else 0.0
        self._weights = {
            stem: self._weight(stem, passing[stem], len(seen) / max(FEW, len(everybody)), most)
            for stem, seen in sessions.items()
        }

    def _weight(self, stem: str, passing: float, share: float, most: float) -> float:
        rate = (passing + 0.5) / (self._total + 1)
        if is_common(stem):
            rate = max(rate, COMMON)
        if share > EVERYWHERE:
            rate = max(rate, EVERYWHERE)
        weight = max(0.0, min(most, -math.log(rate)))
        if stem in LIGHT:
            return weight * SLIGHT if self._few else 0.0
        return weight * FIELD if stem.startswith("~") else weight

    def told(self, words: Iterable[str]) -> float:
        """How much a set of words tells."""
        return math.fsum(self._weights.get(word, 0.0) for word in words)

    def says(self, remark: Remark, other: Remark) -> bool:
        """Whether one remark says what the other does."""
        return self._tied(remark, other, self.told(other.bag))

    def kin(self, remark: Remark, other: Remark) -> bool:
        """Whether one of two remarks is a part of the other, at least."""
        return self._tied(remark, other, min(self.told(remark.bag), self.told(other.bag)))

    def likeness(self, remark: Remark, other: Remark) -> float:
        """How much of what two remarks tell together both of them tell."""
        return self.told(remark.bag & other.bag) / (self.told(remark.bag | other.bag) or 1.0)

    def turned(self, remark: Remark, other: Remark) -> bool:
        """Whether both say that the same holds from some day on."""
        if not ((remark.turns or other.turns) and _changes(remark) and _changes(other)):
            return False
        left, right = signed(remark.text), signed(other.text)
        shared = {stem for stem in left.keys() & right.keys() if left[stem] == right[stem] > 0}
        # There are few such remarks: a name, or two words, tell what they are about.
        return len(shared) > 1 or any(map(is_value, shared))

    def _tied(self, remark: Remark, other: Remark, whole: float) -> bool:
        shared = remark.bag & other.bag
        if not any(not stem.startswith("~") for stem in shared) and len(shared) < 2:
            return False
        weight = self.told(shared)
        more = max(self.told(remark.bag), self.told(other.bag))
        force = (remark.force + other.force) / 2
        enough = weight >= (SURPRISE - BOUND * force) * math.log(max(2, self._total))
        near = weight >= (SHARED - LOOSER * force) * whole and weight >= LONGER * more
        if enough and near and not _outdated(remark, other):
            return agree(remark.text, other.text)
        return 2 * weight >= whole and relation(remark.text, other.text) == "same"


def _changes(remark: Remark) -> bool:
    """Whether it says what holds in the place of something else."""
    return remark.turns or bool(meant(remark.text).replaced)


def _outdated(remark: Remark, other: Remark) -> bool:
    """Whether one says that something holds from now on, and the other was said before."""
    if remark.turns == other.turns:
        return False
    new, old = (remark, other) if remark.turns else (other, remark)
    return min(said.at for said in old.said) < min(said.at for said in new.said)


@lru_cache(maxsize=8192)
def signed(text: str) -> dict[str, int]:
    """What is asked for (1) and ruled out (-1)."""
    meaning = meant(text)
    signs = dict.fromkeys(meaning.replaced, -1)
    for stem in meaning.solid | meaning.names | meaning.numbers:
        signs[stem] = meaning.signs.get(stem, 1)
    return signs


def stance(text: str, stem: str) -> int:
    """Whether a word is asked for (1), ruled out (-1) or not spoken of."""
    return signed(text).get(stem, 0)


def agree(a: str, b: str) -> bool:
    """Whether no number, no name, no negation and no other choice stands between two wordings."""
    verdict = relation(a, b)
    if verdict == "same":
        return True
    first, second = meant(a), meant(b)
    pairs = ((first.numbers, second.numbers), (first.names, second.names), (exact(a), exact(b)))
    if any(apart(*pair) for pair in pairs):
        return False
    if blames(a) or blames(b):
        return True  # a complaint names what was done: it asks for the contrary
    if verdict != "different" or substituted(a, b):
        return False
    left, right = signed(a), signed(b)
    both = left.keys() & right.keys()
    if _forbids(a, right) or _forbids(b, left):
        return False
    chosen = _chooses(a, first.solid - second.solid) and _chooses(b, second.solid - first.solid)
    return not chosen or any(left[stem] > 0 and is_value(stem) for stem in both)


@lru_cache(maxsize=8192)
def fills_frame(a: str, b: str) -> bool:
    """Whether both say the same of two things: "the lobby must be warm"."""
    left, right = words(a), words(b)
    least = FRAME * min(len(left), len(right))
    if stems(a) == stems(b):
        return False
    edits = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    same = sum(end - start for kind, start, end, _, _ in edits if kind == "equal")
    swapped = any(
        _differ(left[start:end], right[first:last])
        for kind, start, end, first, last in edits
        if kind == "replace" and start >= _deed(a, left) and first >= _deed(b, right)
    )
    return swapped and same >= least


def _deed(text: str, tokens: Sequence[str]) -> int:
    """How many words of an order there are with its deed, which may have many names."""
    return len(tokens) - len(words(main_clause(text))) + 1 if is_order(text) else 0


def _differ(left: Sequence[str], right: Sequence[str]) -> bool:
    mine, theirs = stems(" ".join(left)), stems(" ".join(right))
    return bool(mine) and bool(theirs) and not mine & theirs


def _forbids(text: str, asked: dict[str, int]) -> bool:
    """Whether it rules out what is asked for: the act, or the thing where no act is named.

    What the act is done to is only what both speak of: "never edit a migration" and "add a
    migration" go together.
    """
    meaning = meant(text)
    denied = [stem for stem in meaning.order if meaning.signs[stem] < 0 and stem in meaning.solid]
    acts = denied[:1] if asks(text) and forbids_act(text) else denied
    return any(asked.get(stem, 0) > 0 for stem in (*acts, *meaning.replaced))


def is_value(stem: str) -> bool:
    """Whether a word is a name, a number or a choice rather than one of the language."""
    return stem.startswith("=") or not (stem[0] in "~^" or is_common(stem) or is_ordinary(stem))


def _chooses(text: str, distinct: frozenset[str]) -> bool:
    """Whether it chooses something that only it names."""
    asked = meant(text).signs
    return is_choice(text) and any(
        asked.get(stem, 1) > 0 and not is_common(stem) for stem in distinct
    )
