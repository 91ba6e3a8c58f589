"""Turning: whether a lesson turns round what was said, clause by clause.

A share of words passes a rule that says the opposite. So where a clause of the lesson speaks of
what a clause of the evidence speaks of, both must deny it or both not; what limits the one must
limit the other; and what was put against something else must not change places with it. What was
told of others, or as the harm of what is denied, is not what the person wants, and binds nobody.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.language.meaning import is_complaint
from reverie.language.wording import LIGHT, is_ordinary
from reverie.language.words import content, stem, words
from reverie.learn.statements.utterance import Sentence
from reverie.learn.work.moods import reported, speaks_ill

_RE = patterns("work.txt", "grounding")
_WORDS = word_sets("work.txt", "grounding")

ABOUT = 0.7  # share of the smaller of two clauses that both speak of
AGREEING = 2  # words that both must speak of to agree
CROSSING = 3  # words that both must speak of, where a text stands for many turns
REPEATED = 0.75  # share of a lesson's words that stand in a sentence it repeats


def turned(texts: Sequence[str], heard: Sequence[Sentence], least: int = 1) -> str:
    """How a lesson turns round what was said, in words; "" when it does not.

    Only what repeats a sentence nearly word by word is held to each of its words: in other words,
    the same can be said with and without a denial. The opposite shares at least `least` words.
    """
    lesson, told = texts[0], frozenset(words(" ".join(texts)))
    against = any(
        _RE.against.search(one.text) or one.question or speaks_ill(one.text) for one in heard
    )
    head = _RE.end.split(lesson)[0]
    denied = _RE.denial.search(head) and (
        any(crossed(lesson, heard)) or any(_is_denied(one, heard) for one in _clauses(head))
    )
    ruled_out = denied or _RE.ban.search(head)
    if heard and not against and ruled_out:
        return "it rules out what nobody spoke against"
    mine = whole(lesson)
    for sentence in heard:
        if why := _exchanged(lesson, sentence):
            return f"{why} {_short(sentence.text)!r}"
        theirs = whole(sentence.text)
        shared = mine.stems & theirs.stems
        repeated = bool(shared) and len(shared) >= REPEATED * len(mine.stems)
        if repeated and (why := _left_out(lesson, shared, sentence, told)):
            return f"{why} {_short(sentence.text)!r}"
    against_it = list(crossed(lesson, heard, least))
    # One of many turns may speak of an exception; of one turn, a short clause may be read wrongly.
    plainly = list(crossed(lesson, heard, CROSSING)) if least == 1 else []
    if plainly or len(against_it) > (1 if least == 1 else _agreeing(lesson, heard)):
        return f"it says the opposite of {_short([*plainly, *against_it][0])!r}"
    return ""


def _left_out(lesson: str, shared: frozenset[str], sentence: Sentence, told: frozenset[str]) -> str:
    """What a sentence says besides, and a lesson that repeats it does not; "" for nothing."""
    said = sentence.text
    if _RE.passing.search(said) and _WORDS.always & frozenset(words(lesson)):
        return "it makes a rule of what was said of one time:"
    about = [clause for clause in _clauses(said) if clause.stems & shared]
    repeated = [clause for mine in _clauses(lesson) for clause in mine.nearest(about)]
    cases = any(_RE.hearsay.search(" ".join(clause.words)) for clause in repeated)
    if cases and not _WORDS.cases & told:
        return "it makes a rule of a case:"
    if _RE.asking_first.search(said) and not _WORDS.asks & told:
        return "it leaves out that somebody is to be asked:"
    own, theirs = _denials(_clauses(lesson), shared), _denials(about, shared)
    limits = _WORDS.limits & {word for clause in repeated for word in clause.words}
    # "Only this, not that" is said whole by "this, not that".
    ruled_out = limits == frozenset({"only"}) and theirs and own == theirs
    if limits and not _WORDS.limits & told and not ruled_out:
        return f"it leaves out {sorted(limits)[0]!r} of"
    gone = bool(_RE.removal.search(said))
    if sentence.question or (gone and not _RE.removal.search(lesson)):
        return ""  # "never drop the rows" is said by "the rows stay", too
    if not own and (is_complaint(said) or _RE.complaint.search(said)):
        return "it asks for what was complained of:"
    if _RE.formerly.search(lesson):
        return ""  # "what was X is Y" denies X
    if theirs - own and not own - theirs and _is_undenied(about, _clauses(lesson), shared):
        return "it leaves out a denial of"
    return ""


def _is_undenied(
    said: "Iterable[Clause]", lesson: "Sequence[Clause]", shared: frozenset[str]
) -> bool:
    """Whether what is denied is spoken of and nowhere denied; one denial may do for two."""
    for clause in said:
        both = clause.stems & shared
        near = [mine.denials(both) for mine in lesson if mine.stems & both]
        if any(not any(one[sort] for one in near) for sort in clause.denials(shared)):
            return True
    return False


def _is_denied(clause: "Clause", heard: "Sequence[Sentence]") -> bool:
    """Whether a clause denies what a whole sentence says."""
    for sentence in heard:
        theirs = whole(sentence.text)
        shared = clause.stems & theirs.stems
        if clause.likeness(theirs) >= ABOUT and clause.denies(shared) != theirs.denies(shared):
            return True
    return False


def _denials(clauses: Iterable["Clause"], shared: frozenset[str]) -> Counter[str]:
    """How often clauses deny what both speak of; who says the same twice denies it once."""
    denied = {clause.stems & shared: clause.denials(shared) for clause in clauses}
    return sum(denied.values(), Counter[str]())


def crossed(lesson: str, heard: "Sequence[Sentence]", least: int = 1) -> Iterator[str]:
    """The sentences of which a clause is denied in the lesson and not there, or the other way."""
    theirs = [
        (sentence, clause)
        for sentence in heard
        if not (sentence.question or is_complaint(sentence.text) or speaks_ill(sentence.text))
        for clause in _wanted(sentence)
    ]
    own = _clauses(lesson)
    # What the lesson denies as they do is not turned round by what it says besides.
    theirs = [(one, clause) for one, clause in theirs if not clause.is_denied_in(own)]
    for mine in own:
        if mine.denied and any(mine.denied <= clause.denied for _, clause in theirs):
            continue
        like = max((mine.likeness(clause) for _, clause in theirs), default=0.0)
        near = [(one, clause) for one, clause in theirs if mine.likeness(clause) == like >= ABOUT]
        shared = [(one, clause, mine.stems & clause.stems) for one, clause in near]
        shared = [
            (one, clause, both)
            for one, clause, both in shared
            if (len(both) >= least or clause.is_in(mine)) and not mine.is_beside(clause, own)
        ]
        if shared and all(mine.is_against(clause, both) for _, clause, both in shared):
            yield near[0][0].text


def _wanted(sentence: Sentence) -> Iterator["Clause"]:
    """The clauses of a sentence but those that tell what others say, or the harm of what is denied.

    "Avoid it, because it can rewrite the history" wants nothing rewritten.
    """
    harm = _RE.harm.search(_plain(sentence.text))
    denied = harm is not None and bool(
        _WORDS.deny & frozenset(words(_plain(sentence.text)[: harm.start()]))
    )
    idle = [content(words(part)) for part in reported(sentence)]
    idle += [content(words(harm[0]))] if harm is not None and denied else []
    for clause in _clauses(sentence.text):
        if not any(clause.stems <= stems for stems in idle):
            yield clause


def _exchanged(lesson: str, sentence: Sentence) -> str:
    """How two things that a sentence sets against each other changed places; "" if they did not."""
    said = sentence.text
    if _RE.not_only.search(said) and not _RE.not_only.search(lesson):
        limited = _RE.limited.search(lesson)
        near = len(whole(lesson).stems & whole(said).stems) >= AGREEING
        if limited and near:
            return "it limits what was said not to be limited:"
    passed_over = (_RE.removal, _RE.formerly, _RE.kept_out)
    if sentence.question or any(one.search(said) or one.search(lesson) for one in passed_over):
        return ""
    quoted = set(_RE.quoted.findall(said)) & set(_RE.quoted.findall(lesson))
    for number, text in enumerate(sorted(quoted)):
        said, lesson = (one.replace(text, f"quoted{number}") for one in (said, lesson))
    mine = _Sides.of(lesson)
    for theirs in map(_Sides.of, _RE.stop.split(said)):
        if mine.denied & theirs.affirmed and mine.affirmed & theirs.denied:
            return "it says the opposite of"
    return ""


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


class Clause(NamedTuple):
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

    def is_against(self, other: "Clause", shared: frozenset[str]) -> bool:
        """Whether only one of two denies what both speak of; what is taken away is denied too."""
        mine, theirs = self.denies(shared), other.denies(shared)
        gone = [bool(_RE.removal.search(" ".join(one.words))) for one in (self, other)]
        return mine != theirs and (mine != gone[0]) != (theirs != gone[1])

    def denials(self, shared: frozenset[str]) -> Counter[str]:
        """How often what both speak of is denied, by the sort of word that does so."""
        return Counter(
            "not" if word in _WORDS.denied_by_not else word
            for place, word in enumerate(self.words)
            if word in _WORDS.deny
            and any(stem(one) in shared for one in self.words[self._reach(place) :])
        )

    def _reach(self, place: int) -> int:
        """From where on the denial at a place speaks of what stands there."""
        before, after = self.words[place - 1 : place], self.words[place + 1 : place + 2]
        passive = any(word in _WORDS.being for word in before)
        return 0 if passive and any(word.endswith("ed") for word in after) else place

    def likeness(self, other: "Clause") -> float:
        """Share of the smaller clause that both speak of; one word says too little, but a name."""
        least = min(len(self.stems), len(other.stems))
        common = self.stems & other.stems
        if len(common) == 1 and any(is_ordinary(root) or root in LIGHT for root in common):
            return 0.0
        return len(common) / least if common else 0.0

    def nearest(self, others: "Sequence[Clause]") -> "Iterator[Clause]":
        """Those of these clauses that share most with this one."""
        shares = [len(self.stems & other.stems) for other in others]
        most = max(shares, default=0)
        return (other for other, share in zip(others, shares, strict=True) if share == most > 0)

    @property
    def denied(self) -> frozenset[str]:
        """What stands behind the first word that denies; nothing, if none does."""
        places = [place for place, word in enumerate(self.words) if word in _WORDS.deny]
        return Clause(self.words[places[0] :]).stems if len(places) == 1 else frozenset()

    def is_beside(self, other: "Clause", own: "Sequence[Clause]") -> bool:
        """Whether this one only names what another denies, of these whole and in their verb."""
        whole = any(
            other.stems <= one.stems and one.denies(other.stems) for one in own if one is not self
        )
        return whole and other.denies(other.stems) and not other.is_in(self)

    def is_in(self, other: "Clause") -> bool:
        """Whether another one has all its words, the verb too, but those that only mark it."""
        whole = self.stems | self._verbs
        return bool(self.stems and self._verbs) and whole <= other.stems | other._verbs

    @property
    def _verbs(self) -> frozenset[str]:
        """The verbs that say little by themselves, "used" like "use"."""
        return frozenset(map(_base, self.words)) & _WORDS.neutral

    def is_denied_in(self, others: "Sequence[Clause]") -> bool:
        """Whether what this one denies is denied by another of these too, in fewer words."""
        for other in others:
            shared = self.stems & other.stems
            if shared == other.stems and self.denies(shared) and other.denies(shared):
                return True
        return False

    def denies(self, shared: frozenset[str]) -> bool:
        """Whether what both speak of is denied: an odd number of times."""
        return self.denials(shared).total() % 2 == 1


def _base(word: str) -> str:
    return word[:-1] if word[-1:] in ("d", "s") and word[:-1] in _WORDS.neutral else word


class _Sides(NamedTuple):
    """What a text sets against each other: "this, not that"; the words that stand on one side."""

    affirmed: frozenset[str]
    denied: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "_Sides":
        affirmed, denied = set[str](), set[str]()
        for clause in _clauses(text):
            (denied if clause.words[0] in _WORDS.denied_by_not else affirmed).update(clause.stems)
        return cls(frozenset(affirmed - denied), frozenset(denied - affirmed))


@lru_cache(maxsize=512)
def whole(text: str) -> Clause:
    return Clause(tuple(words(_plain(text))))


def _plain(text: str) -> str:
    """A text with one word for each denial, and none that denies nothing."""
    return _RE.no_more.sub("not", _RE.doubled.sub(" ", text.replace("’", "'")))


@lru_cache(maxsize=512)
def _clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text; what only goes on behind a comma is denied with what it goes on."""
    plain = _RE.kept_out.sub("never put ", _plain(text))
    plain = _RE.contrast.sub(", not ", plain)
    found: list[Clause] = []
    for sentence in _RE.stop.split(plain):
        denied = False
        for part in _RE.link.split(sentence):
            cut = tuple(words(part))
            if cut and denied and cut[0] in _WORDS.going_on:
                cut = ("not", *cut)
            if cut:
                found.append(Clause(cut))
                denied = bool(_WORDS.deny & found[-1].marks)
    return tuple(found)
