"""Grounding: whether a lesson says what was said, and no more.

A share of words alone passes a rule that was turned round. So every value (name, number, path,
flag, quotation) must stand in the words the lesson rests on or in what was shown beside them; it
must not turn round what was said, and have been meant; and the words that tell it from other
lessons must mostly be the person's. Only what they typed sign by sign is their own word.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from reverie.data import patterns, word_sets
from reverie.language.wording import EMPTY, root_of
from reverie.language.words import content, words
from reverie.learn.statements.utterance import Sentence
from reverie.learn.work.carried import is_carried
from reverie.learn.work.clauses import whole
from reverie.learn.work.ground import Ground
from reverie.learn.work.moods import is_meant, is_wished
from reverie.learn.work.telling import may_be_told, without_owners
from reverie.learn.work.turning import AGREEING, crossed, rules_out, turned
from reverie.learn.work.values import (
    folded,
    is_name,
    is_slip,
    mistyped,
    names_of,
    opening_names,
    unsaid,
    values_of,
)

_RE = patterns("work.txt", "grounding")
_WORDS = word_sets("work.txt", "grounding")
_RISKY = frozenset(root_of(word) for word in _WORDS.risky)

SHOWN = 0.3  # share of a lesson's telling words that must have been said or shown with it,
IN_COMMON = 0.15  # the same, of what is common to turns in different words
SAID = 0.3  # and of those that the person must have said,
SETTLED = 0.5  # or said yes to
KEPT = 0.6  # share of a rule's telling words that other words for it must keep

# Whose word a lesson is: the person's own; theirs in other words; hardly theirs.
Whose = Literal["person", "both", "agent"]


class Grounding(NamedTuple):
    """What is wrong with a lesson, whose word it is, and why it may not be told unconfirmed."""

    reasons: tuple[str, ...]
    whose: Whose
    doubt: str = ""

    @property
    def wrong(self) -> list[str]:
        """Why it may not take the place of what is told already."""
        waits = self.doubt and self.whose != "person"
        return [*self.reasons, *([self.doubt] if waits else [])]


def grounding(parts: Sequence[str], ground: Ground) -> Grounding:
    """Check the texts of a lesson, the one that says it first."""
    texts = [without_owners(part) for part in parts if part]
    lesson, heard = texts[0], ground.sentences
    telling = content(words(lesson))
    values = dict.fromkeys(chain(*map(values_of, parts), opening_names(lesson)))
    lent = [value for value in values if not folded(ground.typed).hold(value)]
    lent = [value for value in lent if not folded((*ground.known, *ground.restated)).hold(value)]
    foreign = [value for value in lent if not folded(ground.beside).hold(value)]
    nowhere = [value for value in foreign if not folded((*ground.beside, *ground.said)).hold(value)]
    strange = [value for value in nowhere if not _is_meant_name(value, lesson, ground)]
    reasons = [unsaid(value, ground.elsewhere) for value in strange]
    if why := turned(lesson, heard, many=ground.many, complained=ground.complained):
        reasons.append(why)
    if not (ground.built_on or ground.many) and _only_asked(telling, ground):
        reasons.append("its evidence only asks about it; it waits until somebody says so")
    around = _content((*ground.said, *ground.chosen, *ground.beside, *ground.known))
    least = IN_COMMON if ground.many else SHOWN
    shared = telling & (around | _content(ground.restated))
    if not reasons and len(shared) < least * len(telling):
        reasons.append(
            "says more than its evidence; use the words that were said, or name more evidence"
        )
    pasted = len(foreign) > len(nowhere)
    if not (ground.chosen or ground.settled or is_meant(lesson, heard)):
        return Grounding(tuple(reasons), "agent", "it was only told or spoken ill of by a person")
    if pasted or not _is_theirs(lesson, telling, ground):
        return Grounding(tuple(reasons), "agent", "little of it was said by a person")
    by_person = not lent and _is_own(lesson, ground)
    tellable = ground.many or (may_be_told(parts[0], ground) and not _permits(lesson, ground))
    doubt = "" if tellable else "it may say something else than was said"
    return Grounding(tuple(reasons), "person" if by_person else "both", doubt)


def added_words(lesson: str, ground: Ground) -> list[str]:
    """What a lesson tells in words that no person said, picked or agreed to."""
    spoken = _content((*ground.typed, *ground.agreed))
    tokens = words(without_owners(lesson))
    return list(dict.fromkeys(word for word in tokens if content((word,)) - spoken))


def keeps(rule: str, text: str, share: float = KEPT) -> bool:
    """Whether other words for a person's rule leave nothing of weight out."""
    marks = _WORDS.deny | _WORDS.limits | _WORDS.always
    weighs = [word for word in words(rule) if word in marks or not _is_light(word)]
    telling = content(weighs) or content(words(rule))
    limited = _WORDS.limits & frozenset(words(rule)) <= frozenset(words(text))
    return limited and len(telling & content(words(text))) >= share * len(telling)


def _is_light(word: str) -> bool:
    """Whether a word tells nothing by itself: "need", "simply", "there's"."""
    base, _, rest = word.replace("’", "'").partition("'")
    return word in _WORDS.neutral | _WORDS.padding or (bool(rest) and base in EMPTY)


def _is_meant_name(value: str, lesson: str, ground: Ground) -> bool:
    """Whether a name that nobody said is the one that was meant.

    It was mistyped or misheard; or it stands in what is remembered and is only added to what was
    said: no name there is left out for it.
    """
    known = folded((*ground.named, *ground.beside, *ground.known))
    shown = folded(tuple(text for _, text in ground.elsewhere))
    heard = [sentence.text for sentence in ground.sentences]
    if is_slip(value, heard, known, shown):
        return True
    mine, written = whole(lesson).stems, folded((lesson,))
    about = tuple(text for text in ground.named if len(whole(text).stems & mine) > AGREEING)
    if not is_name(value) or not folded(about).hold(value):
        return False
    near = [text for text in heard if len(whole(text).stems & mine) >= AGREEING]
    return bool(near) and all(written.hold(name) for text in near for name in names_of(text))


def _permits(lesson: str, ground: Ground) -> bool:
    """Whether a lesson permits something, or asks for what does harm, that nobody spoke of."""
    permitted = _risks(_RE.harmless.sub(" ", lesson))
    spoken = (*ground.typed, *ground.beside, *ground.agreed, *ground.known)
    return bool(permitted - _risks(" ".join((*spoken, *mistyped(lesson, ground.typed)))))


def _risks(text: str) -> frozenset[str]:
    return _RISKY & frozenset(map(root_of, words(text.replace("-", " "))))


def _is_theirs(lesson: str, telling: frozenset[str], ground: Ground) -> bool:
    """Whether enough of a lesson was said by the person, or by the agent and settled by them."""
    typed = _content(ground.typed)
    telling -= _content(ground.restated) - typed
    theirs = telling & (typed | content(mistyped(lesson, ground.typed)))
    if len(theirs) >= max(1, SAID * len(telling)):
        return True
    # Few words may settle what the agent said, or correct it: then it speaks in theirs.
    around = typed | _content((*ground.beside, *ground.known, *ground.settled))
    turned_down = any(_RE.no.search(text) or rules_out(text) for text in ground.typed)
    agreed = bool(theirs or ground.settled) and not (turned_down and not rules_out(lesson))
    return agreed and len(telling & around) >= SETTLED * len(telling)


def _is_own(lesson: str, ground: Ground) -> bool:
    """Whether a lesson is what the person plainly stated: not a question, a case, a passing wish,
    nor crossed by what they said beside it."""
    plain = [
        sentence
        for sentence in ground.sentences
        if not sentence.question and not _RE.unmeant.search(sentence.text)
    ]
    return is_carried(lesson, ground.turns, plain) and not any(crossed(lesson, ground.sentences))


def _only_asked(telling: frozenset[str], ground: Ground) -> bool:
    """Whether the sentences that speak most of a lesson ask whether it holds, and none decides."""
    heard = ground.sentences
    if ground.chosen or any(_decides(sentence) for sentence in heard):
        return False
    shares = [(len(telling & content(sentence.words)), sentence) for sentence in heard]
    most = max((share for share, _ in shares), default=0)
    stated = frozenset[str]().union(*(_stated(sentence, telling) for sentence in heard))
    wished = any(
        share >= AGREEING and is_wished(sentence.text)
        for share, sentence in shares
        if not sentence.question
    )
    if not most or wished or len(telling & stated) >= max(AGREEING, most / 2):
        return False
    return all(
        sentence.question and bool(_RE.undecided.search(sentence.text))
        for share, sentence in shares
        if share == most
    )


def _stated(sentence: Sentence, telling: frozenset[str]) -> frozenset[str]:
    """What a sentence states of a lesson; one that asks too, only if it asks nothing of it."""
    spoken = content(sentence.words)
    if not sentence.question:
        return spoken
    clauses = (match[1] for match in _RE.beside_question.finditer(sentence.text))
    stated = frozenset(stem for clause in clauses for stem in content(words(clause)))
    return stated if telling & spoken <= stated else frozenset()


def _decides(sentence: Sentence) -> bool:
    """Whether a sentence settles something, beside others that only ask."""
    text = sentence.text
    return not sentence.question and bool(_RE.decides.search(text) and not _RE.unmeant.search(text))


@lru_cache(maxsize=256)
def _content(texts: tuple[str, ...]) -> frozenset[str]:
    every = (part for text in texts for part in (text, text.replace("/", " ")))
    return frozenset(stem for text in every for stem in content(words(text)))
