"""Kinds: of which type and kind a lasting statement is, for whom it holds, whether it is a rule."""

from reverie.data import pairs, patterns
from reverie.documents.vocabulary import type_of_kind
from reverie.language.words import Said, pattern
from reverie.learn.statements.lasting import MOST, sentences

_RE = patterns("statements.txt", "kinds")
_COMMAND_WORDS = 12
_RULE_WORDS = 60  # a longer sentence is a report or a paste


# Profile: in which section of the user's profile a fact about them belongs.
# The first that fits decides; what a person is comes before what they like.
_SECTIONS = pairs("statements.txt", "profile.sections")


def profile_section(lesson: str) -> str:
    """`about-me`, `current-projects`, `technical-environment` or `preferences`."""
    return next((name for name, shape in _SECTIONS if pattern(shape).search(lesson)), "about-me")


# Of these a person has one at a time: a later word on it replaces the earlier one.
_SINGLE = pairs("statements.txt", "profile.single")


def profile_slot(lesson: str) -> str:
    """What a fact about the user is about, where only one can hold; else empty."""
    return next((name for name, shape in _SINGLE if pattern(shape).search(lesson.strip())), "")


def kind_of(own: Said, explicit: bool) -> str:
    """The closest kind, by what the words are about."""
    prose = own.prose
    decides = len(_RE.decision.findall(prose))
    if not decides and len(own.words) <= _COMMAND_WORDS and _RE.command.search(prose):
        return "command"
    if explicit and _RE.mistake.search(prose):
        return "error"
    practice = len(_RE.practice.findall(prose))
    if practice > decides or (practice and practice == decides and len(own.words) < 30):
        return "best-practice"
    if decides:
        return "decision"
    return "data-quirk" if _RE.quirk.search(prose) else "decision"


def type_of(kind: str, own: Said) -> str:
    """The memory type: what is about the person is `user`, the rest follows the kind."""
    return "user" if _RE.personal.search(own.prose) else type_of_kind(kind)


def is_global(own: Said) -> bool:
    """Whether it holds in every project: said of the person or of all their work."""
    return bool(_RE.everywhere.search(own.prose) or _RE.personal.search(own.prose))


def is_standing(own: Said) -> bool:
    """Whether it is stated as a rule, so that one saying is enough."""
    return any(
        not sentence.question
        and 3 <= len(sentence.words) <= _RULE_WORDS
        and bool(_RE.rule_head.match(sentence.text) or _RE.rule_time.search(sentence.text))
        for sentence in sentences(own.prose)[:MOST]
    )


def confirms(own: Said) -> bool:
    """Whether it endorses how something was done, beyond a plain yes."""
    return bool(_RE.confirms.search(own.prose)) and "?" not in own.words[-1:]
