"""Profile: in which section of the user's profile a fact about them belongs."""

from reverie.data import pairs
from reverie.language.words import pattern

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
