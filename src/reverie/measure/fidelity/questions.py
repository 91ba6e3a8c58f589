"""Questions that one correction in a long history answers, and how a context is judged by words.

Words are runs of letters and digits in lower case; two are the same if their first five letters
are, a plural `s` aside. So crude a rule can be written again in a few lines by whoever doubts it.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from reverie.errors import InvalidInput
from reverie.recall.query import words_of

Kind = Literal["open", "yes/no", "half-given"]

WINDOW = 60  # words within which an answer has to stand together
SHARE = 0.7  # of its telling words: 0.95 of the labelled turns hold theirs, 0.04 of others
GIVEN = 0.5  # of the answer's words in the question, from which on it is half given

_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s)[^.!?\n]*)*")
_INSTEAD = re.compile(
    r"(?:(?:^|[,;(])\s*(?:not|never|no longer)|\b(?:instead of|rather than))\b([^,;.)]*)",
    re.IGNORECASE,
)
_YES_NO = frozenset({"yes", "no"})
_NO_ANSWER = _YES_NO | {"not", "never", "instead", "rather"}


@dataclass(frozen=True, slots=True)
class Question:
    """One question, with what its answer is known by; none of it is shown to a strategy."""

    id: str
    transcript: str
    text: str
    answer: str
    kind: Kind
    evidence: str  # words of the correction that must stand together
    telling: tuple[str, ...]  # words of the answer that the question does not give
    superseded: tuple[str, ...]  # words of what it took the place of

    @property
    def project(self) -> str:
        """The folder of the corpus it lies in."""
        return self.transcript.partition("/")[0] if "/" in self.transcript else ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a context holds of the answer to a question."""

    evidence: bool
    answer: bool
    misleads: bool  # it tells what was superseded, and not what took its place


def read_questions(labels: Path) -> list[Question]:
    """The labelled corrections that have a question, in the order of the file.

    Raises:
        InvalidInput: it is not a file of labels, or has no question.
    """
    questions: list[Question] = []
    try:
        for number, line in enumerate(labels.read_text(encoding="utf-8").splitlines()):
            record: dict[str, Any] = json.loads(line)
            if record.get("question"):
                questions.append(_question(str(record.get("id") or f"q{number}"), record))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{labels} is not a file of labels: {error!r}") from None
    if not questions:
        raise InvalidInput(f"{labels} has no question")
    return questions


def _question(name: str, record: dict[str, Any]) -> Question:
    asked: str = record["question"]
    answer: str = record.get("answer") or record.get("span") or record["text"]
    gone = _unique(word for part in _INSTEAD.findall(answer) for word in words_of(part))
    whole = [word for word in words_of(answer) if word not in _NO_ANSWER]
    rest = _without(whole, gone)
    if not rest:
        # A ban: what it rules out is the answer itself.
        rest, gone = whole, []
    new = _without(rest, words_of(asked))
    kind: Kind = "open"
    if words(answer)[:1] and words(answer)[0] in _YES_NO:
        kind = "yes/no"
    elif len(new) <= (1 - GIVEN) * len(rest):
        kind = "half-given"
    return Question(
        id=name,
        transcript=record["transcript"],
        text=asked,
        answer=answer,
        kind=kind,
        evidence=" ".join(words(record.get("span") or _carrying(record["text"], whole))),
        telling=tuple(new or rest),
        superseded=tuple(_without(gone, rest)),
    )


def _carrying(text: str, answer: list[str]) -> str:
    """The sentence of a turn that holds most of the answer's words."""
    wanted = set(map(key, answer))
    sentences = _SENTENCE.findall(text) or [text]
    return max(sentences, key=lambda part: len(wanted & set(map(key, words(part)))))


def _without(some: list[str], others: list[str]) -> list[str]:
    known = set(map(key, others))
    return [word for word in _unique(some) if key(word) not in known]


def _unique(some: Iterable[str]) -> list[str]:
    return list({key(word): word for word in some}.values())


def words(text: str) -> list[str]:
    """All words of a text; marks of layout and quotation are none."""
    return _WORD.findall(text.replace("&lt;", "<").lower())


def key(word: str) -> str:
    """By what a word is compared."""
    return word.rstrip("s")[:5] or word


def together(wanted: tuple[str, ...], keys: list[str]) -> bool:
    """Do most of these words stand within a window of a text?"""
    names = set(map(key, wanted))
    if not names:
        return False
    places = [(at, name) for at, name in enumerate(keys) if name in names]
    first = 0
    for last, (at, _) in enumerate(places):
        while places[first][0] <= at - WINDOW:
            first += 1
        if len({name for _, name in places[first : last + 1]}) >= SHARE * len(names):
            return True
    return False


class Judge:
    """Judges one context, which many questions may be asked of."""

    def __init__(self, context: str) -> None:
        context_words = words(context)
        self._flat = f" {' '.join(context_words)} "
        self._keys = list(map(key, context_words))

    def of(self, question: Question) -> Verdict:
        """By words alone; the same context is judged the same by anybody."""
        answer = together(question.telling, self._keys)
        return Verdict(
            evidence=f" {question.evidence} " in self._flat,
            answer=answer,
            misleads=not answer and together(question.superseded, self._keys),
        )
