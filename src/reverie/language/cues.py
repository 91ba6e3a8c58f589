"""Cues: looks the phrase families up in a list of words, with what the user added or forbade."""

from collections.abc import Iterable, Sequence
from functools import cache

from reverie.language.lexicon import language_of, lexicon
from reverie.language.words import words


class Cues:
    """The families of one speaker, to be looked up phrase by phrase in the language of a text."""

    def __init__(
        self, speaker: str, added: Iterable[str] = (), forbidden: Iterable[str] = ()
    ) -> None:
        self.names: tuple[str, ...] = tuple(lexicon().families(speaker))
        self.added: frozenset[str] = frozenset(filter(None, map(_normal, added)))
        self._speaker = speaker
        self._forbidden = frozenset(map(_normal, forbidden))
        self._phrases: dict[str, _Phrases] = {}

    def hits(self, tokens: Sequence[str]) -> tuple[list[int], list[int], bool]:
        """(hits per family, place of the first or -1, whether a phrase of the user's hit)."""
        language = language_of(tokens)
        if language not in self._phrases:
            self._phrases[language] = self._of(language)
        families, starts, longest = self._phrases[language]
        counts = [0] * len(self.names)
        first = [-1] * len(self.names)
        added = False
        total = len(tokens)
        for start, word in enumerate(tokens):
            if word not in starts:
                continue
            phrase = ""
            for end in range(start, min(start + longest, total)):
                phrase = f"{phrase} {tokens[end]}" if phrase else word
                for number in families.get(phrase, ()):
                    counts[number] += 1
                    if first[number] < 0:
                        first[number] = start
                added = added or phrase in self.added
        return counts, first, added

    def counted(self, tokens: Sequence[str]) -> dict[str, int]:
        """Hits per family by name."""
        return dict(zip(self.names, self.hits(tokens)[0], strict=True))

    def _of(self, language: str) -> "_Phrases":
        """The phrases of a language, ready to be looked up in one pass."""
        phrases = lexicon(language).families(self._speaker)
        families: dict[str, tuple[int, ...]] = {}
        for number, name in enumerate(self.names):
            for phrase in phrases.get(name, ()):
                if phrase not in self._forbidden:
                    families[phrase] = (*families.get(phrase, ()), number)
        known = (*families, *self.added)
        longest = max((phrase.count(" ") + 1 for phrase in known), default=1)
        # Most words begin no phrase: one look-up of the first word spares the longer ones.
        return families, frozenset(phrase.split(" ", 1)[0] for phrase in known), longest


# Phrase → numbers of its families, the words that phrases begin with, words of the longest.
_Phrases = tuple[dict[str, tuple[int, ...]], frozenset[str], int]


def human_cues(added: Iterable[str] = (), forbidden: Iterable[str] = ()) -> Cues:
    """The families of what people say, changed by `learn.cues` and `learn.not_cues`."""
    return Cues("human", added, forbidden)


@cache
def agent_cues() -> Cues:
    """The families of what agents say."""
    return Cues("agent")


@cache
def statement_cues() -> Cues:
    """The families that tell a lasting sentence from a passing one."""
    return Cues("statement")


def _normal(phrase: str) -> str:
    return " ".join(words(phrase))
