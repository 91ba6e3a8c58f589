"""Utterance: a human turn, heard once and cut into sentences for all that looks at them.

What was pasted is apart: code, logs, other people's words. Only a short command that a sentence
announces ("run this from now on:") belongs to what it says, and stays with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from reverie.data import patterns
from reverie.language.lexicon import Lexicon, is_phrase, language_of, lexicon
from reverie.language.material import announces
from reverie.language.words import said, words

_RE = patterns("statements.txt", "utterance")

MOST = 14  # sentences looked at; more is a brief or a paste
ANNOUNCED = 160  # characters of a command that its sentence keeps
REMEMBERED = 512  # utterances kept cut up: a session is looked at by several parts in turn


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the person's own words."""

    text: str
    question: bool
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Utterance:
    """The human's own words, cut up once."""

    prose: str
    share: float  # of the text that is prose, not pasted machine text
    words: tuple[str, ...]
    content: frozenset[str]
    language: str
    sentences: tuple[Sentence, ...]


@lru_cache(maxsize=REMEMBERED)
def hear(text: str) -> Utterance:
    """What a person said in a turn; a secret's mark is the same in every home."""
    text = _RE.mark.sub(r"\1]", text) if "[redacted:" in text else text
    heard = said(text)
    parts = tuple(_with_command(part, text, heard.prose) for part in sentences(heard.prose))
    return Utterance(heard.prose, heard.share, heard.words, heard.content, heard.language, parts)


def sentences(prose: str) -> list[Sentence]:
    """The sentences of `prose`, in order, without list marks and quoting.

    "Every time." belongs to what it insists on.
    """
    texts: list[str] = []
    for part in (_RE.listed.sub("", part) for part in _RE.sentence_end.split(prose)):
        part = part.rstrip(" \t-*•")
        if texts and is_phrase("insists", part):
            texts[-1] = f"{texts[-1]} {part}"
        elif part:
            texts.append(part)
    return [_sentence(text) for text in texts]


def _sentence(text: str) -> Sentence:
    cut = words(text)
    # "Use tabs, ok?" asks nothing.
    asks = is_question(cut) and is_question(words(_RE.tag.sub("", text)))
    return Sentence(text, asks, cut)


def _with_command(sentence: Sentence, text: str, prose: str) -> Sentence:
    """The sentence with the command that stands behind its colon and is no prose itself."""
    if not sentence.text.endswith(":") or announces(sentence.text):
        return sentence
    _, separator, rest = text.partition(sentence.text)
    command = _RE.announced.match(rest) if separator else None
    line = next(filter(None, command.groups()), "").strip() if command else ""
    if not 3 <= len(line) <= ANNOUNCED or line in prose:
        return sentence
    return Sentence(f"{sentence.text} `{line}`", sentence.question, sentence.words)


def is_question(tokens: Sequence[str]) -> bool:
    """Ends in a question mark, begins like a question, or turns verb and subject round.

    Many people type no mark.
    """
    if "?" in tokens[-1:]:
        return True
    known = lexicon(language_of(tokens))
    verbs, subjects = known.words("questions.turned"), known.words("questions.subjects")
    denied, pointed = known.words("turns.negative_first"), known.words("questions.pointed")
    return _asks(*_head(tokens, known), known) or any(
        (verb in verbs and subject in subjects) or (verb in denied and subject in pointed)
        for verb, subject in pairwise(tokens)
    )


def is_proposal(tokens: Sequence[str]) -> bool:
    """A wish put as a question: "can we…", "should it…"."""
    known = lexicon(language_of(tokens))
    first, second = _head(tokens, known)
    return first in known.words("questions.proposed") and second in known.words("questions.asked")


def _asks(first: str, second: str, known: Lexicon) -> bool:
    """ "Do not…", "have a look", "when merging…" begin no question; "do we…", "when is…" do."""
    if first in {"do", "have", "has"}:
        return second in known.words("questions.asked")
    if first in {"when", "where", "which", "who"}:
        return second in known.words("questions.asked_when")
    return first in known.words("questions.asking")


def _head(tokens: Sequence[str], known: Lexicon) -> tuple[str, str]:
    """The first two words from the first on that is no filler."""
    fillers = known.words("questions.fillers")
    place = next((at for at, word in enumerate(tokens[:3]) if word not in fillers), len(tokens))
    first, second = (*tokens[place : place + 2], "", "")[:2]
    return first, second
