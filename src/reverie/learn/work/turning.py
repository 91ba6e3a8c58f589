"""Turning: whether a lesson turns round what was said, clause by clause.

A share of words passes a rule that says the opposite. So where a clause of the lesson speaks of
what a clause of the evidence speaks of, both must deny it or both not; and what was put against
something else must not change places with it. What was told of others, or as the harm of what is
denied, is not what the person wants, and binds nobody.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.language.meaning import is_complaint
from reverie.language.words import content, words
from reverie.learn.statements.utterance import Sentence, hear
from reverie.learn.work.clauses import Clause, clauses, plain, repeats, whole
from reverie.learn.work.moods import is_wished, reported, speaks_ill

_RE = patterns("work.txt", "grounding")
_WORDS = word_sets("work.txt", "grounding")

ABOUT = 0.7  # share of the smaller of two clauses that both speak of
AGREEING = 2  # words that both must speak of to agree
PLAINLY = 3  # words that both must speak of to be plainly opposed


def turned(
    lesson: str, heard: Sequence[Sentence], *, many: bool = False, complained: bool = False
) -> str:
    """How a lesson turns round what was said, in words; "" when it does not.

    A short clause may be read wrongly where somebody speaks against something, and of `many` turns
    one may speak of an exception. Who `complained` wants the contrary of what they tell.
    """
    against = any(
        _RE.against.search(sentence.text) or sentence.question or speaks_ill(sentence.text)
        for sentence in heard
    )
    head = _RE.end.split(lesson)[0]
    # "Cannot" and "is not" tell how things are: only what was said otherwise is turned round.
    denied = _RE.denial.search(head) and any(_is_against(part, heard) for part in clauses(head))
    if heard and not against and (denied or _RE.ban.search(head)):
        return "" if complained else "it rules out what nobody spoke against"
    if many:  # who complains or wonders wants what the lesson may ask for
        heard = list(filter(is_ruling, heard))
    for sentence in heard:
        if _changes_sides(lesson, sentence):
            return f"it says the opposite of {_short(sentence.text)!r}"
        if _lacks_denial(lesson, sentence):
            return f"it leaves out a denial of {_short(sentence.text)!r}"
    plainly = list(crossed(lesson, heard, PLAINLY))
    if many:
        opposed = plainly if len(plainly) > _agreeing(lesson, heard) else []
    else:
        crossing = list(crossed(lesson, heard))
        opposed = plainly or (crossing if len(crossing) > against else [])
    return f"it says the opposite of {_short(opposed[0])!r}" if opposed else ""


def is_ruling(sentence: Sentence) -> bool:
    """Whether a sentence says what shall be, rather than how things are or whether they are so."""
    if sentence.question or is_complaint(sentence.text):
        return False
    return is_wished(sentence.text) or not _RE.reports.search(sentence.text)


def contradicts(lesson: str, rule: str) -> bool:
    """Whether a lesson says the opposite of a rule, which then lends it no words."""
    return rules_out(lesson) != rules_out(rule) or bool(turned(lesson, hear(rule).sentences))


def rules_out(text: str) -> bool:
    """Whether it denies something, takes it away, or puts other things in its place."""
    forms = (_RE.contrast, _RE.removal, _RE.kept_out)
    return not _WORDS.deny.isdisjoint(whole(text).words) or any(form.search(text) for form in forms)


def crossed(lesson: str, heard: Sequence[Sentence], least: int = 1) -> Iterator[str]:
    """The sentences of which a clause is denied in the lesson and not there, or the other way.

    Both share at least so many words, if the lesson has not all of the clause.
    """
    lesson_clauses = clauses(lesson)
    # What the lesson denies as they do is not turned round by what it says besides.
    theirs = [
        (sentence, clause)
        for sentence in heard
        if not (sentence.question or is_complaint(sentence.text) or speaks_ill(sentence.text))
        for clause in _wanted(sentence)
        if not clause.is_denied_in(lesson_clauses)
    ]
    for mine in lesson_clauses:
        like = max((mine.likeness(clause) for _, clause in theirs), default=0.0)
        near = [
            (sentence, clause, mine.stems & clause.stems)
            for sentence, clause in theirs
            if mine.likeness(clause) == like >= ABOUT
        ]
        enough = [
            (clause, shared)
            for _, clause, shared in near
            if len(shared) >= least or clause.is_in(mine)
        ]
        if enough and all(mine.is_against(clause, shared) for clause, shared in enough):
            yield near[0][0].text


def _is_against(clause: Clause, heard: Sequence[Sentence]) -> bool:
    """Whether a clause denies what a whole sentence says."""
    said = [whole(sentence.text) for sentence in heard]
    return any(
        clause.likeness(theirs) >= ABOUT and clause.denies(clause.stems & theirs.stems)
        for theirs in said
    )


def _lacks_denial(lesson: str, sentence: Sentence) -> bool:
    """Whether a lesson repeats a sentence without what that denies.

    In other words the same can be said with and without a denial: "the rows stay" says "never drop
    the rows", and "formerly" that something is so no more.
    """
    gone = _RE.removal.search(sentence.text) and not _RE.removal.search(lesson)
    if sentence.question or gone or _RE.formerly.search(lesson):
        return False
    shared = whole(lesson).stems & whole(sentence.text).stems
    lesson_clauses, theirs = clauses(lesson), clauses(sentence.text)
    denials = [
        sum(len(clause.denials(shared)) for clause in side) for side in (lesson_clauses, theirs)
    ]
    if denials[0] >= denials[1] or not repeats(lesson, sentence.text):
        return False
    for clause in theirs:
        both = clause.stems & shared
        near = [mine.denials(both) for mine in lesson_clauses if mine.stems & both]
        if near and not set(clause.denials(shared)).issubset(chain(*near)):
            return True
    return False


def _wanted(sentence: Sentence) -> Iterator[Clause]:
    """The clauses of a sentence but those that tell what others say, or the harm of what is denied.

    "Avoid it, because it can rewrite the history" wants nothing rewritten.
    """
    idle = [content(words(part)) for part in reported(sentence)]
    text = plain(sentence.text)
    harm = _RE.harm.search(text)
    if harm is not None and not _WORDS.deny.isdisjoint(words(text[: harm.start()])):
        idle.append(content(words(harm[0])))
    for clause in clauses(sentence.text):
        if not any(clause.stems <= stems for stems in idle):
            yield clause


def _changes_sides(lesson: str, sentence: Sentence) -> bool:
    """Whether two things that a sentence sets against each other change places in a lesson."""
    said = sentence.text
    passed_over = (_RE.removal, _RE.formerly, _RE.kept_out)
    if sentence.question or any(form.search(said) or form.search(lesson) for form in passed_over):
        return False
    quoted = set(_RE.quoted.findall(said)) & set(_RE.quoted.findall(lesson))
    for number, text in enumerate(sorted(quoted)):
        said, lesson = (whole.replace(text, f"quoted{number}") for whole in (said, lesson))
    mine = _Sides.of(lesson)
    return any(
        mine.denied & theirs.affirmed and mine.affirmed & theirs.denied
        for theirs in map(_Sides.of, _RE.stop.split(said))
    )


def _agreeing(lesson: str, heard: Sequence[Sentence]) -> int:
    """How many sentences speak of what a clause of the lesson speaks of, and deny it alike."""
    return sum(
        any(
            len(mine.stems & clause.stems) >= AGREEING and mine.is_denied == clause.is_denied
            for mine in clauses(lesson)
            for clause in clauses(sentence.text)
        )
        for sentence in heard
    )


def _short(text: str) -> str:
    return " ".join(text.split())[:160]


class _Sides(NamedTuple):
    """What a text sets against each other: "this, not that"; the words that stand on one side."""

    affirmed: frozenset[str]
    denied: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "_Sides":
        affirmed, denied = set[str](), set[str]()
        for clause in clauses(text):
            (denied if clause.words[0] in _WORDS.denied_by_not else affirmed).update(clause.stems)
        return cls(frozenset(affirmed - denied), frozenset(denied - affirmed))
