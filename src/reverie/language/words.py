"""Words: how text is cut up for the detector, and what of it a person typed."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from reverie.data import patterns, sections
from reverie.language.lexicon import language_of, lexicon

_RE = patterns("language.txt", "words")

PROSE = 1600  # characters of prose that are looked at; the rest of a long text is detail
SHORT = 200
READ = 8000  # characters of a turn that are searched for prose

_OWN_TAGS, _MATERIAL = (
    frozenset(sections("language.txt")[part].split()) for part in ("tags of one's own", "material")
)
_VOWELS = frozenset("aeiou")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "`": " ", "“": '"', "”": '"'})


@dataclass(frozen=True, slots=True)
class Said:
    """The human's own words, cut up once for all that looks at them."""

    prose: str
    share: float  # of the text that is prose, not pasted machine text
    words: list[str]
    content: frozenset[str]
    language: str


def said(text: str) -> Said:
    """Split what a person typed from what was pasted."""
    length = len(text.strip())
    text = unquoted(text)
    lines = _unreported(_RE.fence.sub("\n", text[:READ]).split("\n"))
    kept = [line for line in lines if line.strip() and not _is_machine(line)]
    # A short turn that looks like machine text throughout is still all the person said.
    prose = "\n".join(kept) or (text.strip() if len(text) <= SHORT else "")
    share = min(1.0, len(prose) / min(length or 1, READ))
    if len(prose) > PROSE:
        prose = prose[: PROSE * 3 // 4] + "\n" + prose[-PROSE // 4 :]
    found = words(_RE.url.sub(" ", prose))
    return Said(prose, share, found, content(found), language_of(found))


def unquoted(text: str) -> str:
    """`text` without what stands between two tags: a file, a page, a selection is not said.

    Material may hold the closing tag itself, so that only the last one ends it, and material that
    nothing closes goes on to the end.
    """
    if "<" not in text:
        return text
    closings = {match[1].lower(): match for match in _RE.closing.finditer(text)}
    kept: list[str] = []
    at, line_end = 0, -1
    for opening in _RE.opening.finditer(text):
        if opening.start() < at:
            continue
        if line_end < opening.end():
            line_end = text.find("\n", opening.end()) % (len(text) + 1)
        name, given = opening[1].lower(), opening[2].strip()
        closing = closings.get(name)
        if closing is None or closing.start() < opening.end():
            end, quotes = len(text), bool(given) and name in _MATERIAL
        else:
            end = closing.end()
            quotes = bool(given) or name in _MATERIAL or (line_end < end and name not in _OWN_TAGS)
        if quotes:
            kept.append(text[at : opening.start()])
            at = end
    return "\n".join((*kept, text[at:])) if kept else text


def _unreported(lines: Sequence[str]) -> list[str]:
    """The lines without what they repeat of others: a report is not said by who reports it."""
    kept: list[str] = []
    reporting = False
    for line in lines:
        if _RE.pointing_up.match(line):
            kept.clear()
        reporting = reporting and bool(line.strip())
        if reporting:
            continue
        intro = _RE.intro.match(line)
        if intro and lexicon(language_of(words(line))).pattern("attributed").match(intro[1]):
            reporting = intro.end() == len(line)
            line = intro[0]
        kept.append(_RE.passage.sub(" ", line))
    return kept


@cache
def pattern(text: str) -> re.Pattern[str]:
    """A compiled pattern that ignores case, made when it is first used: start-up stays small."""
    return re.compile(text, re.IGNORECASE | re.MULTILINE)


def words(text: str) -> list[str]:
    """Lower-case words of `text` with straight apostrophes; `?` is a word of its own."""
    found: list[str] = _RE.word.findall(text.translate(_APOSTROPHES).lower())
    written = _contracted(language_of(found))
    return [written.get(word, word) for word in found]


@cache
def _contracted(language: str) -> dict[str, str]:
    return lexicon(language).pairs("words.contractions")


def content(found: Sequence[str]) -> frozenset[str]:
    """Words that carry a subject, cut to a crude stem."""
    stop = lexicon(language_of(found)).stop
    return frozenset([stem(word) for word in found if word not in stop and len(word) > 1])


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


def _is_machine(line: str) -> bool:
    if _RE.machine_line.match(line):
        return True
    if len(line) <= 20 or " " not in line.strip():
        return False
    letters = sum(map(str.isalpha, line)) + line.count(" ")
    return letters < 0.72 * len(line)
