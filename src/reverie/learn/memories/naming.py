"""Naming: what a memory's file is called, by the lesson it holds.

`no-secrets-in-log` is how a person would say it: the telling words of a lesson with the
prepositions that join them, what is banned first, and an end where a phrase ends.
"""

import hashlib
import re

from reverie.data import patterns, sections, word_sets
from reverie.language.wording import infinitive
from reverie.language.words import pattern

MOST, FEWEST = 5, 2  # telling words
ENOUGH = 3  # of them, for which one clause will do
LACKING = "do_not"  # before a verb of having
NEEDING = "needs"  # what is to have something
LONGEST = 60  # characters

_WORD = re.compile(r"[^\W_]+")
_RE = patterns("statements.txt", "naming")
_WORDS = word_sets("statements.txt", "naming")
# Each: what a name does without → what it says instead.
_SHORTENED = [
    line.partition(" =>")[::2]
    for line in sections("statements.txt")["naming.shortened"].splitlines()
]

Phrase = list[str]  # words that stay together, behind the preposition that joins them


def slug(name: str) -> str:
    """A name that somebody gave, as one of a file."""
    return "-".join(_WORD.findall(name.lower()))[:LONGEST].strip("-")


def name_from(lesson: str) -> str:
    """A file name of two to five telling words of a lesson: `run-lint-before-commit`."""
    plain = lesson.lower().replace("’", "'")
    for shape, form in _SHORTENED:
        plain = pattern(shape).sub(form, plain)
    names = [_name(sentence) for sentence in _RE.sentence.split(" ".join(plain.split()))]
    # Of two sentences the one whose name has all it speaks of.
    name = next((name for name, whole in names if whole), names[0][0])
    return name or "memory-" + hashlib.sha256(lesson.encode("utf-8", "replace")).hexdigest()[:8]


def _name(sentence: str) -> tuple[str, bool]:
    """The name of what a sentence says, and whether that is all of its clause."""
    # "Given the privacy of the app, store no address": what it is about comes after the condition.
    main = _RE.condition.sub("", sentence)
    main = main if _count(_words(main)) >= FEWEST else sentence
    first = _RE.clause.split(main, maxsplit=1)[0]
    # A ban on things that are of some kind is none on all of them.
    bounded = _RE.bounded.match(main[len(first) :])
    banned = _RE.banned.match(first) and not bounded and _count(_words(first)) >= FEWEST
    said = _as_an_order(first if banned else main)
    subject, verb, predicate = [*_RE.duty.split(said, maxsplit=1), "", ""][:3]
    whose = _subject(subject) if _count(_words(predicate)) else []
    if whose and verb == LACKING:
        held = _clauses(predicate.split(maxsplit=1)[1])[0][:1]
        what, whole = _fitting([held], MOST - _count(whose), ends=True)
        words = ["no", *what, "in", *whose]
    else:
        clauses = _clauses(predicate if whose else said)
        while len(whose) > 1 and _count(whose) + _count(clauses[0][0]) == MOST + 1:
            whose = whose[1:]
        what, whole = _fitting(clauses, MOST - _count(whose), ends=bool(whose))
        needs = verb if verb in _WORDS.verbs else NEEDING * bool(_RE.had.match(predicate))
        words = [*whose, *([needs] if whose and needs else []), *what]
    if len(words) > FEWEST and words[0] in _WORDS.leading:
        words = words[1:]
    while _count(words) > FEWEST - 1 and words[-1] in _WORDS.joining:
        words.pop()
    return "-".join(words)[:LONGEST].strip("-"), whole


def _as_an_order(said: str) -> str:
    """ "The log must be signed by two" as "sign log by two": a person calls it by its verb."""
    subject, verb, predicate = [*_RE.ordered.split(said, maxsplit=1), "", ""][:3]
    done = _RE.passive.match(predicate)
    lasting = bool(done and done["be"]) or verb.endswith(("always", "never"))
    order = infinitive(done["verb"]) if done and lasting else ""
    whose = _subject(subject) if _words(subject) else []
    # "We should be signing logs": who does it is not signed.
    if not (done and order) or bool(whose) == done["verb"].endswith("ing"):
        return said
    denied = verb == LACKING or verb.endswith("never") or done["never"]
    return f"{LACKING * bool(denied)} {order} {' '.join(whose)} {done['rest']}"


def _subject(text: str) -> Phrase:
    """Of what something is said: a noun with what stands before it, or two that are joined."""
    subject: Phrase = []
    for phrase in _phrases(_RE.aside.split(text, maxsplit=1)[0]):
        if _count(subject) >= FEWEST:
            break
        subject += phrase
    return subject[1:] if subject and subject[0] in _WORDS.leading else subject


def _fitting(clauses: list[list[Phrase]], room: int, *, ends: bool) -> tuple[Phrase, bool]:
    """The phrases of the first clauses that fit, and whether nothing of them was left out.

    Of one that is too long for itself its end tells most, behind its verb unless only that `ends`.
    """
    fitted: Phrase = []
    whole = True
    for clause in clauses:
        if _count(fitted) >= ENOUGH:
            break
        for phrase in clause:
            left = room - _count(fitted)
            if _count(phrase) > left and (_count(fitted) >= ENOUGH or left < FEWEST):
                return fitted, False
            over = _count(phrase) > left
            whole = whole and (ends or not over)
            head = [] if ends else phrase[: 1 + (phrase[0] in _WORDS.joining)]
            fitted += [*head, *phrase[len(phrase) - left + _count(head) :]] if over else phrase
    return fitted, whole


def _clauses(text: str) -> list[list[Phrase]]:
    parts = (_phrases(part) for part in _RE.clause.split(text))
    return [part for part in parts if part] or [[_RE.slug.sub(" ", text).split()]]


def _phrases(text: str) -> list[Phrase]:
    phrases: list[Phrase] = []
    for word in _words(text):
        if word in _WORDS.joining or not phrases:
            phrases.append([word])
        else:
            phrases[-1].append(word)
    return phrases


def _words(text: str) -> Phrase:
    """The words that tell something or join those that do."""
    every = (word.replace("_", "-") for word in _RE.slug.sub(" ", text).split())
    return [word for word in every if word not in _WORDS.filler]


def _count(phrase: Phrase) -> int:
    """How many words tell something; a name in code has several."""
    return sum(word.count("-") + 1 for word in phrase if word not in _WORDS.joining)
