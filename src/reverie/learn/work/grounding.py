"""Grounding: whether a lesson says what was said, and no more.

A share of words alone passes a rule that was turned round. So every value (name, number, path,
flag, quotation) must stand in the words the lesson rests on or in what was shown beside them; where
a clause of the lesson speaks of what a clause of the evidence speaks of, both must deny or both
not, and what limits the one must limit the other; and the words that tell it from other lessons
must mostly be theirs. A person's own words are those they typed themselves: what they pasted,
quoted or repeat of others stands beside them. What had to be taken from beside is told: such a
lesson is not the person's own word.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from reverie.data import patterns, word_sets
from reverie.language.lexicon import lexicon
from reverie.language.meaning import is_complaint
from reverie.language.wording import EMPTY, LIGHT, is_ordinary, root_of, tokens
from reverie.language.words import content, stem, words
from reverie.learn.statements.utterance import Sentence, hear
from reverie.learn.work.carried import is_carried, risks
from reverie.learn.work.moods import is_meant, mood_of, speaks_ill
from reverie.learn.work.values import (
    folded,
    is_name,
    is_slip,
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
ABOUT = 0.7  # share of the smaller of two clauses that both speak of
AGREEING = 2  # words that both must speak of to agree
CROSSING = 3  # words that both must speak of, where a text stands for many turns
KEPT = 0.6  # share of a rule's telling words that other words for it must keep
REPEATED = 0.75  # share of a lesson's words that stand in a sentence it repeats

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
    texts = [part for part in parts if part]
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
    if whose == "person" and (lent or not _says_as_much(texts, own, heard, ground)):
        whose = "both"
    return Grounding(tuple(reasons), whose)


def added_words(lesson: str, ground: Ground) -> list[str]:
    """What a lesson tells in words that no person said, picked or agreed to."""
    own = (sentence.text for turn in ground.said for sentence in hear(turn).sentences)
    spoken = _content((*own, *ground.words[len(ground.said) :]))
    return list(dict.fromkeys(word for word in words(lesson) if content((word,)) - spoken))


def _is_meant(value: str, lesson: str, heard: Sequence[Sentence], ground: Ground) -> bool:
    """Whether a name that nobody said is the one that was meant.

    It was mistyped or misheard; or it stands in what is remembered and is only added to what was
    said: no name there is left out for it.
    """
    known = folded((*ground.named, *ground.beside, *ground.known))
    if is_slip(value, (sentence.text for sentence in heard), known):
        return True
    mine, written = _whole(lesson), folded((lesson,))
    about = tuple(text for text in ground.named if len(_whole(text).stems & mine.stems) > AGREEING)
    if not is_name(value) or not folded(about).hold(value):
        return False
    near = [one.text for one in heard if len(_whole(one.text).stems & mine.stems) >= AGREEING]
    return bool(near) and all(written.hold(name) for text in near for name in names_of(text))


def _says_as_much(
    texts: Sequence[str], own: tuple[str, ...], heard: Sequence[Sentence], ground: Ground
) -> bool:
    """Whether a lesson stands as it was said, and nothing beside it permits what nobody did."""
    said = (*own, *ground.restated)
    spoken = [*heard, *(one for text in said[len(heard) :] for one in hear(text).sentences)]
    stated = [one for one in spoken if not (one.question and _RE.undecided.search(one.text))]
    around = "\n".join(texts[1:])
    unsaid = risks(around) - frozenset(_roots(said))
    return not unsaid and is_carried(texts[0], around, spoken, stated)


def keeps(rule: str, text: str, share: float = KEPT) -> bool:
    """Whether other words for a person's rule leave nothing of weight out."""
    telling = content(words(rule))
    return len(telling & content(words(text))) >= share * len(telling)


def _whose(lesson: str, own: tuple[str, ...], heard: Sequence[Sentence], ground: Ground) -> Whose:
    telling = content(words(lesson)) - (_content(ground.restated) - _content(own))
    theirs = telling & _content(own)
    lent = (telling - theirs) & _content((*ground.beside, *ground.said))
    if len(theirs) < max(1, SAID * len(telling)):
        # Few words may settle what the agent said, or correct it: then it speaks in theirs.
        around = _content((*own, *ground.beside, *ground.known, *ground.settled))
        spoken = bool(theirs or ground.settled)
        turned_down = any(_RE.no.search(one.text) or _rules_out(one.text) for one in heard)
        agreed = spoken and not (turned_down and not _rules_out(lesson))
        return "both" if agreed and len(telling & around) >= SETTLED * len(telling) else "agent"
    named = {
        stem(token.text.lower())
        for token in tokens(lesson)
        if token.sort == "name"
        or (token.sort == "word" and not is_ordinary(token.root) and token.root not in LIGHT)
    }
    plainly = _is_plain(heard, telling) and not any(_crossed(lesson, heard))
    unsaid = {root_of(word) for word in _acts(words(lesson))} - LIGHT - EMPTY - _roots(own)
    if any(_RE.removal.search(sentence.text) for sentence in heard):
        unsaid -= _roots(_WORDS.removing)
    nowhere = unsaid - _roots((*ground.beside, *ground.known, *ground.settled, *ground.restated))
    if nowhere & _roots(_WORDS.weighty):
        return "agent"
    if lent & named or len(theirs) <= len(lent) or not plainly or unsaid:
        return "both"
    return "person"


def _rules_out(text: str) -> bool:
    """Whether it denies something, takes it away, or puts other things in its place."""
    forms = (_RE.contrast, _RE.removal, _RE.kept_out)
    return bool(_whole(text).marks & _WORDS.deny) or any(form.search(text) for form in forms)


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
    plain = frozenset[str]().union(*(content(one.words) for one in heard if not one.question))
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


def _decides(sentence: Sentence) -> bool:
    """Whether a sentence settles something, beside others that only ask."""
    text = sentence.text
    return not sentence.question and bool(_RE.decides.search(text) and not _RE.unmeant.search(text))


def turned(texts: Sequence[str], heard: Sequence[Sentence], least: int = 1) -> str:
    """How a lesson turns round what was said, in words; "" when it does not.

    Only what repeats a sentence nearly word by word is held to each of its words: in other words,
    the same can be said with and without a denial. The opposite shares at least `least` words.
    """
    lesson, whole = texts[0], frozenset(words(" ".join(texts)))
    against = any(
        _RE.against.search(one.text) or one.question or speaks_ill(one.text) for one in heard
    )
    head = _RE.end.split(lesson)[0]
    denied = _RE.denial.search(head) and (
        any(_crossed(lesson, heard)) or _is_denied(_whole(head), heard)
    )
    ruled_out = denied or _RE.ban.search(head)
    if heard and not against and ruled_out:
        return "it rules out what nobody spoke against"
    mine = _whole(lesson)
    for sentence in heard:
        theirs = _whole(sentence.text)
        shared = mine.stems & theirs.stems
        repeated = bool(shared) and len(shared) >= REPEATED * len(mine.stems)
        if repeated and (why := _left_out(lesson, shared, sentence, whole)):
            return f"{why} {_short(sentence.text)!r}"
    crossed = list(_crossed(lesson, heard, least))
    # One of many turns may speak of an exception; of one turn, a short clause may be read wrongly.
    plainly = list(_crossed(lesson, heard, CROSSING)) if least == 1 else []
    if plainly or len(crossed) > (1 if least == 1 else _agreeing(lesson, heard)):
        return f"it says the opposite of {_short([*plainly, *crossed][0])!r}"
    return ""


def _left_out(
    lesson: str, shared: frozenset[str], sentence: Sentence, whole: frozenset[str]
) -> str:
    """What a sentence says besides, and a lesson that repeats it does not; "" for nothing."""
    said = sentence.text
    if _RE.passing.search(said) and _WORDS.always & frozenset(words(lesson)):
        return "it makes a rule of what was said of one time:"
    about = [clause for clause in _clauses(said) if clause.stems & shared]
    repeated = [clause for mine in _clauses(lesson) for clause in mine.nearest(about)]
    cases = any(_RE.hearsay.search(" ".join(clause.words)) for clause in repeated)
    if cases and not _WORDS.cases & whole:
        return "it makes a rule of a case:"
    if _RE.asking_first.search(said) and not _WORDS.asks & whole:
        return "it leaves out that somebody is to be asked:"
    own, theirs = _denials(_clauses(lesson), shared), _denials(about, shared)
    limits = _WORDS.limits & {word for clause in repeated for word in clause.words}
    # "Only this, not that" is said whole by "this, not that".
    ruled_out = limits == frozenset({"only"}) and theirs and own == theirs
    if limits and not _WORDS.limits & whole and not ruled_out:
        return f"it leaves out {sorted(limits)[0]!r} of"
    if sentence.question or _RE.removal.search(said):
        return ""
    if not own and (is_complaint(said) or _RE.complaint.search(said)):
        return "it asks for what was complained of:"
    if _RE.formerly.search(lesson):
        return ""  # "what was X is Y" denies X
    if theirs - own and not own - theirs and _is_undenied(about, _clauses(lesson), shared):
        return "it leaves out a denial of"
    return ""


def _is_undenied(
    said: "Iterable[_Clause]", lesson: "Sequence[_Clause]", shared: frozenset[str]
) -> bool:
    """Whether what is denied is spoken of and nowhere denied; one denial may do for two."""
    for clause in said:
        both = clause.stems & shared
        near = [mine.denials(both) for mine in lesson if mine.stems & both]
        if any(not any(one[sort] for one in near) for sort in clause.denials(shared)):
            return True
    return False


def _is_denied(clause: "_Clause", heard: "Sequence[Sentence]") -> bool:
    """Whether a clause denies what a whole sentence says."""
    for sentence in heard:
        theirs = _whole(sentence.text)
        shared = clause.stems & theirs.stems
        if clause.likeness(theirs) >= ABOUT and clause.denies(shared) != theirs.denies(shared):
            return True
    return False


def _denials(clauses: Iterable["_Clause"], shared: frozenset[str]) -> Counter[str]:
    """How often clauses deny what both speak of; who says the same twice denies it once."""
    denied = {clause.stems & shared: clause.denials(shared) for clause in clauses}
    return sum(denied.values(), Counter[str]())


def _crossed(lesson: str, heard: "Sequence[Sentence]", least: int = 1) -> Iterator[str]:
    """The sentences of which a clause is denied in the lesson and not there, or the other way."""
    theirs = [
        (sentence, clause)
        for sentence in heard
        if not (sentence.question or is_complaint(sentence.text) or speaks_ill(sentence.text))
        for clause in _clauses(sentence.text)
    ]
    own = _clauses(lesson)
    # What the lesson denies as they do is not turned round by what it says besides.
    theirs = [(one, clause) for one, clause in theirs if not clause.is_denied_in(own)]
    for mine in own:
        like = max((mine.likeness(clause) for _, clause in theirs), default=0.0)
        near = [(one, clause) for one, clause in theirs if mine.likeness(clause) == like >= ABOUT]
        shared = [(one, clause, mine.stems & clause.stems) for one, clause in near]
        shared = [one for one in shared if len(one[2]) >= least]
        if shared and all(mine.is_against(clause, both) for _, clause, both in shared):
            yield near[0][0].text


def _agreeing(lesson: str, heard: "Sequence[Sentence]") -> int:
    """How many sentences speak of what a clause of the lesson speaks of, and deny it alike."""
    mine = _clauses(lesson)
    return sum(
        any(
            len(both := one.stems & clause.stems) >= AGREEING
            and one.denies(both) == clause.denies(both)
            for one in mine
            for clause in _clauses(sentence.text)
        )
        for sentence in heard
    )


def _short(text: str) -> str:
    return " ".join(text.split())[:160]


class _Clause(NamedTuple):
    """A clause by its words in order, without what is only polite."""

    words: tuple[str, ...]

    @property
    def stems(self) -> frozenset[str]:
        """What it speaks of, without the words that only deny, limit or stress it."""
        marks = _WORDS.deny | _WORDS.always | _WORDS.limits
        return content([word for word in self.words if word not in marks])

    @property
    def marks(self) -> frozenset[str]:
        return frozenset(self.words)

    def is_against(self, other: "_Clause", shared: frozenset[str]) -> bool:
        """Whether only one of two denies what both speak of; what is taken away is denied too."""
        mine, theirs = self.denies(shared), other.denies(shared)
        gone = [bool(_RE.removal.search(" ".join(one.words))) for one in (self, other)]
        return mine != theirs and (mine != gone[0]) != (theirs != gone[1])

    def denials(self, shared: frozenset[str]) -> Counter[str]:
        """How often what both speak of is denied before it, by the sort of word."""
        return Counter(
            "not" if word in _WORDS.denied_by_not else word
            for place, word in enumerate(self.words)
            if word in _WORDS.deny and any(stem(later) in shared for later in self.words[place:])
        )

    def likeness(self, other: "_Clause") -> float:
        """Share of the smaller clause that both speak of; one word says too little, but a name."""
        least = min(len(self.stems), len(other.stems))
        common = self.stems & other.stems
        if len(common) == 1 and any(is_ordinary(root) or root in LIGHT for root in common):
            return 0.0
        return len(common) / least if common else 0.0

    def nearest(self, others: "Sequence[_Clause]") -> "Iterator[_Clause]":
        """Those of these clauses that share most with this one."""
        shares = [len(self.stems & other.stems) for other in others]
        most = max(shares, default=0)
        return (other for other, share in zip(others, shares, strict=True) if share == most > 0)

    def is_denied_in(self, others: "Sequence[_Clause]") -> bool:
        """Whether what this one denies is denied by another of these too, in fewer words."""
        for other in others:
            shared = self.stems & other.stems
            if shared == other.stems and self.denies(shared) and other.denies(shared):
                return True
        return False

    def denies(self, shared: frozenset[str]) -> bool:
        """Whether what both speak of is denied: an odd number of times."""
        return self.denials(shared).total() % 2 == 1


@lru_cache(maxsize=512)
def _whole(text: str) -> _Clause:
    return _Clause(tuple(words(_plain(text))))


def _plain(text: str) -> str:
    """A text with one word for each denial, and none that denies nothing."""
    return _RE.no_more.sub("not", _RE.doubled.sub(" ", text.replace("’", "'")))


@lru_cache(maxsize=512)
def _clauses(text: str) -> tuple[_Clause, ...]:
    """The clauses of a text; what only goes on behind a comma is denied with what it goes on."""
    plain = _RE.kept_out.sub("never put ", _plain(text))
    plain = _RE.contrast.sub(", not ", plain)
    found: list[_Clause] = []
    for sentence in _RE.stop.split(plain):
        denied = False
        for part in _RE.link.split(sentence):
            cut = tuple(words(part))
            if cut and denied and cut[0] in _WORDS.going_on:
                cut = ("not", *cut)
            if cut:
                found.append(_Clause(cut))
                denied = bool(_WORDS.deny & found[-1].marks)
    return tuple(found)


@lru_cache(maxsize=256)
def _content(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(one for text in texts for one in content(words(text)))
