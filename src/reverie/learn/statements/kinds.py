"""Kinds: of which type and kind a statement is, for whom it holds, whether it is said as a rule."""

from reverie.data import pairs, patterns
from reverie.language.lexicon import ENGLISH, language_of, lexicon
from reverie.language.words import pattern
from reverie.learn.statements.utterance import Sentence, Utterance

_RE = patterns("statements.txt", "kinds")
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


def type_of(sentence: Sentence, act: str) -> str:
    """`user` for what is about the person, `reference` for pointers, `feedback` for how to work."""
    if is_personal(sentence):
        return "user"
    if act == "reference":
        return "reference"
    settled = _RE.team.search(sentence.text) or _RE.ended.search(sentence.text)
    if not settled and (
        act == "rule" or is_standing(sentence) or _RE.instructs.match(sentence.text)
    ):
        return "feedback"
    return "project"


def kind_of(sentence: Sentence, act: str, *, corrects: bool) -> str:
    """The closest kind, by what the words are about."""
    text = sentence.text
    if _RE.command.search(text):
        return "command"
    if corrects and _RE.mistake.search(text):
        return "error"
    if type_of(sentence, act) in {"feedback", "user"}:
        return "best-practice"
    return "decision" if _RE.decision.search(text) else "data-quirk"


def is_reference(sentence: Sentence) -> bool:
    """Whether it says where something is found: an address, a tracker, a channel."""
    text = sentence.text
    return bool(_RE.place.search(text)) and not (
        sentence.question or _RE.passing_place.search(text)
    )


def tells(sentence: Sentence) -> bool:
    """Whether it is of a sort that lasts by itself.

    About the person, where something is found, what a team agreed on, an event with its date, or
    what to do whenever the occasion comes.
    """
    if sentence.question:
        return False
    tests = (is_personal, is_reference, is_event)
    return any(test(sentence) for test in tests) or bool(_RE.occasion.search(sentence.text))


def is_event(sentence: Sentence) -> bool:
    """Whether it tells what was agreed on, or what comes on which day."""
    return bool(_RE.agreed.search(sentence.text) or _RE.dated.search(sentence.text))


def is_personal(sentence: Sentence) -> bool:
    """Whether it is about the person: who they are, what they know, how they like to be met."""
    return bool(_RE.personal.search(sentence.text)) and not sentence.question


def is_global(sentence: Sentence) -> bool:
    """Whether it holds in every project: said of the person or of all their work."""
    return is_personal(sentence) or bool(_RE.everywhere.search(sentence.text))


def is_standing(sentence: Sentence) -> bool:
    """Whether it is stated as a rule, so that one saying is enough."""
    if sentence.question or not 3 <= len(sentence.words) <= _RULE_WORDS:
        return False
    language = language_of(sentence.words)
    if language != ENGLISH:
        said = f"{' '.join(sentence.words)} "
        heads = lexicon(language).families("statement").get("standing", ())
        return any(said.startswith(f"{head} ") for head in heads)
    return bool(_RE.rule_head.match(sentence.text) or _RE.rule_time.search(sentence.text))


def confirms(own: Utterance) -> bool:
    """Whether it endorses how something was done, beyond a plain yes."""
    return bool(_RE.confirms.search(own.prose)) and "?" not in own.words[-1:]
