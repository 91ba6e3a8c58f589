"""Words: how text is cut up for the detector, and what of it a person typed."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from reverie.data import patterns
from reverie.language.lexicon import language_of, lexicon
from reverie.language.material import unquoted, voiced

_RE = patterns("language.txt", "words")

PROSE = 1600  # characters of prose that are looked at; the rest of a long text is detail
SHORT = 200
READ = 8000  # characters of a turn that are searched for prose
REMEMBERED = 256  # turns kept cut up: a session is looked at by several parts in turn
SENTENCES = 2048  # and what they consist of

_VOWELS = frozenset("aeiou")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "`": " ", "“": '"', "”": '"'})


@dataclass(frozen=True, slots=True)
class Said:
    """The human's own words, cut up once for all that looks at them."""

    prose: str
    share: float  # of the text that is prose, not pasted machine text
    words: tuple[str, ...]
    content: frozenset[str]
    language: str


@lru_cache(maxsize=REMEMBERED)
def said(text: str) -> Said:
    """Split what a person typed from what was pasted."""
    length = len(text.strip())
    spoken = voiced(_RE.fence.sub("\n", unquoted(text)[:READ]))
    kept = [line for line in spoken.split("\n") if line.strip() and not _is_machine(line)]
    # A short command, or a few signs, is still all the person said; a line of a log is not.
    prose = "\n".join(kept) or (spoken.strip() if len(text) <= SHORT and _is_typed(spoken) else "")
    share = min(1.0, len(prose) / min(length or 1, READ))
    if len(prose) > PROSE:
        prose = prose[: PROSE * 3 // 4] + "\n" + prose[-PROSE // 4 :]
    tokens = words(_RE.url.sub(" ", prose))
    return Said(prose, share, tokens, content(tokens), language_of(tokens))


@cache
def pattern(text: str) -> re.Pattern[str]:
    """A compiled pattern that ignores case, made when it is first used: start-up stays small."""
    return re.compile(text, re.IGNORECASE | re.MULTILINE)


@lru_cache(maxsize=SENTENCES)
def words(text: str) -> tuple[str, ...]:
    """Lower-case words of `text` with straight apostrophes; `?` is a word of its own."""
    # Of the signs that are exchanged ASCII has only one.
    plain = text.replace("`", " ") if text.isascii() else text.translate(_APOSTROPHES)
    tokens = tuple[str, ...](_RE.word.findall(plain.lower()))
    written = _contracted(language_of(tokens))
    if written.keys().isdisjoint(tokens):
        return tokens
    return tuple(written.get(word, word) for word in tokens)


@cache
def _contracted(language: str) -> dict[str, str]:
    return lexicon(language).pairs("words.contractions")


def content(tokens: Sequence[str]) -> frozenset[str]:
    """Words that carry a subject, cut to a crude stem."""
    stop = lexicon(language_of(tokens)).stop
    return frozenset([stem(word) for word in tokens if word not in stop and len(word) > 1])


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without its commonest English endings: `committing` and `commits` are `commit`.

    The stem is always the beginning of the word, so that it is found in other forms as well.
    """
    if len(word) <= 3 or not word.isalpha() or word.endswith("ss"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3]
    base = word
    if word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh")):
        base = word[:-2]
    elif word.endswith("s") and not word.endswith(("us", "is")):
        base = word[:-1]
    else:
        for ending in ("ing", "ed"):
            short = word.removesuffix(ending)
            if short != word and len(short) >= 3 and any(c in _VOWELS for c in short):
                doubled = short[-1] == short[-2] and short[-1] not in "ls"
                base = short[:-1] if doubled else short
                break
    if len(base) > 4 and base[-1] == "y" and base[-2] not in _VOWELS:
        return base[:-1]
    return base.removesuffix("e") if len(base) > 3 else base


def overlap(a: Collection[str], b: Collection[str]) -> tuple[float, float]:
    """(share of `a` that is in `b`, Jaccard likeness)."""
    if not a or not b:
        return 0.0, 0.0
    common = sum(word in b for word in a)
    return common / len(a), common / (len(a) + len(b) - common)


def _is_typed(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    return all(_RE.command.match(line) or not _RE.machine_line.match(line) for line in lines)


def _is_machine(line: str) -> bool:
    if _RE.machine_line.match(line):
        return True
    if len(line) <= 20 or " " not in line.strip():
        return False
    letters = sum(map(str.isalpha, line)) + line.count(" ")
    return letters < 0.72 * len(line)
