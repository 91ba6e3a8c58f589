"""Grounding: whether a lesson says what was said, and no more.

A share of words alone passes a rule that was turned round. So every value (name, number, path,
flag, quotation) must stand in the words the lesson rests on or in what was shown beside them; where
a clause of the lesson speaks of what a clause of the evidence speaks of, both must deny or both
not, and what limits the one must limit the other; and the words that tell it from other lessons
must mostly be theirs. A person's own words are those they typed themselves: what they pasted,
quoted or repeat of others stands beside them. What had to be taken from beside is told: such a
lesson is not the person's own word.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from reverie.data import patterns, word_sets
from reverie.language.lexicon import lexicon
from reverie.language.wording import EMPTY, LIGHT, is_ordinary, root_of, tokens
from reverie.language.words import content, stem, words
from reverie.learn.statements.utterance import Sentence, hear
from reverie.learn.work.carried import is_carried
from reverie.learn.work.moods import is_meant, mood_of
from reverie.learn.work.turning import AGREEING, CROSSING, crossed, turned, whole
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
_IMPERATIVES = lexicon().words("words.imperatives")

SHOWN = 0.3  # share of a lesson's telling words that must have been said or shown with it,
IN_COMMON = 0.15  # the same, of what is common to turns in different words
SAID = 0.3  # and of those that the person must have said,
SETTLED = 0.5  # or said yes to
KEPT = 0.6  # share of a rule's telling words that other words for it must keep

# Whose word a lesson is: the person's own; theirs with what the agent spoke of; hardly theirs.
Whose = Literal["person", "both", "agent"]


@dataclass(frozen=True, slots=True)
class Ground:
    """What a lesson may rest on."""

    said: tuple[str, ...]  # the turns that are its evidence
    beside: tuple[str, ...] = ()  # what was shown with them
    known: tuple[str, ...] = ()  # what goes without saying: the names of the project
    chosen: tuple[str, ...] = ()  # what the person picked when the agent asked
    many: bool = False  # turns of many sessions, of which the text says what they have in common
    elsewhere: tuple[tuple[str, str], ...] = ()  # what else was said in the session, by its id
    settled: tuple[str, ...] = ()  # what the agent had asked and the person said yes to
    restated: tuple[str, ...] = ()  # a person's word that is remembered, and that it replaces
    named: tuple[str, ...] = ()  # what is remembered besides, where the names of things stand
    built_on: tuple[str, ...] = ()  # what the person said once the agent had answered a question

    @property
    def words(self) -> tuple[str, ...]:
        """All that a person said, picked or agreed to."""
        return (*self.said, *self.chosen, *self.settled, *self.restated)


class Grounding(NamedTuple):
    """What is wrong with a lesson, and whose word it is."""

    reasons: tuple[str, ...]
    whose: Whose


def grounding(parts: Iterable[str], ground: Ground) -> Grounding:
    """Check the texts of a lesson, the one that says it first."""
    texts = [_RE.possessive.sub("", part) for part in parts if part]
    # Who puts all they say in quotation marks quotes nobody.
    turns = [_RE.all_quoted.sub(r"\1", turn) for turn in ground.said]
    heard = [sentence for turn in turns for sentence in hear(turn).sentences]
    own = (*(sentence.text for sentence in heard), *ground.chosen)
    known = (*ground.known, *ground.restated)
    beside = (*ground.beside, *known)
    found = dict.fromkeys(value for text in texts for value in values_of(text))
    found |= dict.fromkeys(opening_names(texts[0]))
    lacking = [value for value in found if not folded(own).hold(value)]
    borrowed = [value for value in lacking if not folded(known).hold(value)]
    away = [value for value in borrowed if not folded((*ground.beside, *ground.said)).hold(value)]
    meant = {value for value in away if _is_meant(value, texts[0], heard, ground)}
    pasted = [
        value for value in borrowed if value not in meant and not folded(ground.beside).hold(value)
    ]
    reasons = [unsaid(value, ground.elsewhere) for value in away if value not in meant]
    reasons += [why for why in (turned(texts, heard, CROSSING if ground.many else 1),) if why]
    mood = "meant" if ground.chosen or ground.settled else mood_of(texts[0], heard)
    if mood == "mocked":
        reasons.append("it asks for what was spoken ill of; say what was wanted instead")
    telling = content(words(texts[0]))
    asked = not ground.chosen and _only_asked(heard, telling)
    deciding = [sentence for sentence in heard if _decides(sentence)]
    if asked and not deciding and not ground.built_on:
        reasons.append("its evidence only asks about it; it waits until somebody says so")
    around = _content(ground.said) | _content(ground.chosen) | _content(beside)
    least = IN_COMMON if ground.many else SHOWN
    if not reasons and len(telling & around) < least * len(telling):
        reasons.append(
            "says more than its evidence; use the words that were said, or name more evidence"
        )
    whose = "agent" if pasted or mood != "meant" else _whose(texts[0], own, heard, ground)
    # Who says yes to a question of their own has not said what it asks.
    lent = bool(borrowed) or (asked and not any(telling & content(one.words) for one in deciding))
    if whose == "person" and (lent or not _says_as_much(texts[0], turns, heard, ground)):
        whose = "both"
    return Grounding(tuple(reasons), whose)


def added_words(lesson: str, ground: Ground) -> list[str]:
    """What a lesson tells in words that no person said, picked or agreed to."""
    own = (sentence.text for turn in ground.said for sentence in hear(turn).sentences)
    spoken = _content((*own, *ground.words[len(ground.said) :]))
    told = words(_RE.possessive.sub("", lesson))
    return list(dict.fromkeys(word for word in told if content((word,)) - spoken))


def _is_meant(value: str, lesson: str, heard: Sequence[Sentence], ground: Ground) -> bool:
    """Whether a name that nobody said is the one that was meant.

    It was mistyped or misheard; or it stands in what is remembered and is only added to what was
    said: no name there is left out for it.
    """
    known = folded((*ground.named, *ground.beside, *ground.known))
    shown = folded(tuple(text for _, text in ground.elsewhere))
    if is_slip(value, (sentence.text for sentence in heard), known, shown):
        return True
    mine, written = whole(lesson), folded((lesson,))
    about = tuple(text for text in ground.named if len(whole(text).stems & mine.stems) > AGREEING)
    if not is_name(value) or not folded(about).hold(value):
        return False
    near = [one.text for one in heard if len(whole(one.text).stems & mine.stems) >= AGREEING]
    return bool(near) and all(written.hold(name) for text in near for name in names_of(text))


def _says_as_much(
    lesson: str, turns: Sequence[str], heard: Sequence[Sentence], ground: Ground
) -> bool:
    """Whether a lesson stands as it was said."""
    others = (*ground.chosen, *ground.restated)
    spoken = [*heard, *(one for text in others for one in hear(text).sentences)]
    stated = [one for one in spoken if not (one.question and _RE.undecided.search(one.text))]
    return is_carried(lesson, (*turns, *others), stated)


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


def _whose(lesson: str, own: tuple[str, ...], heard: Sequence[Sentence], ground: Ground) -> Whose:
    telling = content(words(lesson)) - (_content(ground.restated) - _content(own))
    theirs = telling & (_content(own) | content(mistyped(lesson, own)))
    lent = (telling - theirs) & _content((*ground.beside, *ground.said))
    if len(theirs) < max(1, SAID * len(telling)):
        # Few words may settle what the agent said, or correct it: then it speaks in theirs.
        around = _content((*own, *ground.beside, *ground.known, *ground.settled))
        spoken = bool(theirs or ground.settled)
        turned_down = any(_RE.no.search(one.text) or rules_out(one.text) for one in heard)
        agreed = spoken and not (turned_down and not rules_out(lesson))
        return "both" if agreed and len(telling & around) >= SETTLED * len(telling) else "agent"
    named = {
        stem(token.text.lower())
        for token in tokens(lesson)
        if token.sort == "name"
        or (token.sort == "word" and not is_ordinary(token.root) and token.root not in LIGHT)
    }
    plainly = _is_plain(heard, telling) and not any(crossed(lesson, heard))
    unsaid = {root_of(word) for word in _acts(words(lesson))} - LIGHT - EMPTY - _roots(own)
    if any(_RE.removal.search(sentence.text) for sentence in heard):
        unsaid -= _roots(_WORDS.removing)
    nowhere = unsaid - _roots((*ground.beside, *ground.known, *ground.settled, *ground.restated))
    if nowhere & _roots(_WORDS.weighty):
        return "agent"
    if lent & named or len(theirs) <= len(lent) or not plainly or unsaid:
        return "both"
    return "person"


def rules_out(text: str) -> bool:
    """Whether it denies something, takes it away, or puts other things in its place."""
    forms = (_RE.contrast, _RE.removal, _RE.kept_out)
    return bool(whole(text).marks & _WORDS.deny) or any(form.search(text) for form in forms)


def _roots(turns: Iterable[str]) -> set[str]:
    return {root_of(word) for turn in turns for word in words(turn)}


def _acts(said: Sequence[str]) -> Iterator[str]:
    """The words that say what shall be done: the head of an order, and what follows a `must`."""
    order = bool(said) and said[0] in _WORDS.leading
    heads = True
    for word, following in pairwise((*said, "")):
        if heads and word not in _WORDS.leading:
            heads = False
            order = order or following in _WORDS.determiner or word in _IMPERATIVES
            if order and word not in _WORDS.neutral and word not in lexicon().stop:
                yield word
        elif word in _WORDS.modal:
            heads = order = True


def _is_plain(heard: Sequence[Sentence], telling: frozenset[str]) -> bool:
    """Whether it was stated what a lesson tells: not as a question, a case or a passing wish."""
    return any(
        telling & content(sentence.words)
        and not sentence.question
        and not _RE.unmeant.search(sentence.text)
        for sentence in heard
    )


def _only_asked(heard: Sequence[Sentence], telling: frozenset[str]) -> bool:
    """Whether the sentences that speak most of a lesson ask whether it holds."""
    shares = [(len(telling & content(sentence.words)), sentence) for sentence in heard]
    most = max((share for share, _ in shares), default=0)
    plain = frozenset[str]().union(*(_stated(one, telling) for one in heard))
    wished = any(
        share >= AGREEING and is_meant(one.text) for share, one in shares if not one.question
    )
    if wished or len(telling & plain) >= max(AGREEING, most / 2):
        return False
    return most > 0 and all(
        sentence.question and bool(_RE.undecided.search(sentence.text))
        for share, sentence in shares
        if share == most
    )


def _stated(sentence: Sentence, telling: frozenset[str]) -> frozenset[str]:
    """What a sentence states of a lesson; one that asks too, only if it asks nothing of it."""
    spoken = content(sentence.words)
    if not sentence.question:
        return spoken
    beside = (part[1] for part in _RE.beside_question.finditer(sentence.text))
    stated = frozenset(one for part in beside for one in content(words(part)))
    return stated if telling & spoken <= stated else frozenset()


def _decides(sentence: Sentence) -> bool:
    """Whether a sentence settles something, beside others that only ask."""
    text = sentence.text
    return not sentence.question and bool(_RE.decides.search(text) and not _RE.unmeant.search(text))


@lru_cache(maxsize=256)
def _content(texts: tuple[str, ...]) -> frozenset[str]:
    every = (part for text in texts for part in (text, text.replace("/", " ")))
    return frozenset(one for text in every for one in content(words(text)))
