"""Kinds: of which type and kind a statement is, for whom it holds, whether it is said as a rule."""

from typing import NamedTuple

from reverie.data import pairs, patterns
from reverie.language.lexicon import ENGLISH, language_of, lexicon
from reverie.language.words import pattern, words
from reverie.learn.statements.utterance import Sentence, Utterance

_RE = patterns("statements.txt", "kinds")
_AFTER = 5  # words behind "every" among which an order begins
_RULE_WORDS = 60  # a longer sentence is a report or a paste
# In which section of the user's profile a fact about them belongs: the first that fits.
_SECTIONS = pairs("statements.txt", "profile.sections")
# Of these a person has one at a time: a later word on it replaces the earlier one.
_SINGLE = pairs("statements.txt", "profile.single")


def profile_section(lesson: str) -> str:
    """`about-me`, `current-projects`, `technical-environment` or `preferences`."""
    return next((name for name, shape in _SECTIONS if pattern(shape).search(lesson)), "about-me")


def profile_slot(lesson: str) -> str:
    """What a fact about the user is about, where only one can hold; else empty."""
    return next((name for name, shape in _SINGLE if pattern(shape).search(lesson.strip())), "")


class Sort(NamedTuple):
    """What a sentence is said to be by its form, looked at once."""

    standing: bool  # stated as a rule, so that one saying is enough
    personal: bool  # about the person: who they are, what they know, how they like to be met
    pointer: bool  # says where something is found: an address, a tracker, a channel
    event: bool  # tells what was agreed on, or what comes on which day
    occasion: bool  # tells what to do whenever the occasion comes
    meant: bool  # is so on purpose, or due before a change is handed in

    @property
    def tells(self) -> bool:
        """Whether the detector takes it for a sort that lasts by itself."""
        return self.personal or self.pointer or self.event or self.occasion

    @property
    def lasts(self) -> bool:
        """Whether it is of a sort that lasts by itself."""
        return self.tells or self.meant


def sort_of(sentence: Sentence) -> Sort:
    """The sort of a sentence; a question may at most speak of an event."""
    text, stated = sentence.text, not sentence.question
    return Sort(
        standing=stated and _is_standing(sentence),
        personal=stated and bool(_RE.personal.search(text)),
        pointer=stated and bool(_RE.place.search(text)) and not _RE.passing_place.search(text),
        event=bool(_RE.agreed.search(text) or _RE.dated.search(text)),
        occasion=stated and bool(_RE.occasion.search(text)),
        meant=stated and bool(_RE.meant.search(text)),
    )


def is_heading(line: str) -> bool:
    """Whether a line of its own calls what stands below it rules."""
    return bool(_RE.heading.match(line))


def type_of(sentence: Sentence, act: str, sort: Sort) -> str:
    """`user` for what is about the person, `reference` for pointers, `feedback` for how to work,
    `project` for how its things are or shall be."""
    if sort.personal:
        return "user"
    if act == "reference":
        return "reference"
    text = sentence.text
    if _RE.team.search(text) or _RE.ended.search(text):
        return "project"
    if act == "rule" and _RE.design.match(text) and not _RE.of_work.search(text):
        return "project"
    works = act == "rule" or sort.standing or _RE.instructs.match(text) or _RE.unwanted.search(text)
    return "feedback" if works else "project"


def kind_of(sentence: Sentence, type_: str, *, corrects: bool) -> str:
    """The closest kind, by what the words of a memory of that type are about."""
    text = sentence.text
    if _RE.command.search(text):
        return "command"
    if corrects and _RE.mistake.search(text):
        return "error"
    if type_ in {"feedback", "user"}:
        return "best-practice"
    return "decision" if _RE.decision.search(text) else "data-quirk"


def is_global(sentence: Sentence, sort: Sort) -> bool:
    """Whether it holds in every project: said of the person or of all their work."""
    return sort.personal or bool(_RE.everywhere.search(sentence.text))


def _is_standing(sentence: Sentence) -> bool:
    if not 3 <= len(sentence.words) <= _RULE_WORDS:
        return False
    language = language_of(sentence.words)
    if language != ENGLISH:
        said = f"{' '.join(sentence.words)} "
        heads = lexicon(language).families("statement").get("standing", ())
        return any(said.startswith(f"{head} ") for head in heads)
    imperatives = lexicon().words("words.imperatives")
    if sentence.words[0] in imperatives and _RE.insisted.search(sentence.text):
        return True
    if _RE.rule_head.match(sentence.text) or _RE.rule_form.match(sentence.text):
        return True
    recurs = _RE.recurring.match(sentence.text)
    if recurs and not imperatives.isdisjoint(words(recurs["then"])[1:_AFTER]):
        return True
    return bool(_RE.rule_time.search(sentence.text))


def confirms(utterance: Utterance) -> bool:
    """Whether it endorses how something was done, beyond a plain yes."""
    return bool(_RE.confirms.search(utterance.prose)) and "?" not in utterance.words[-1:]
