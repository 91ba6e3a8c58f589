"""Values: the part of a lesson that an update changes while the subject stays.

A port, a prefix, a tool, a style: two of them for the same subject cannot both hold. What is only
added (another import, another decorator) can.
"""

import re

from reverie.data import sections
from reverie.language.wording import root_of

_LISTS = sections("language.txt")
CHOICES: dict[str, int] = {
    form: number
    for number, line in enumerate(_LISTS["choices"].splitlines())
    for word in line.split()
    for form in (word, root_of(word))  # as a name in code, and as a word
}
STYLES = frozenset(root_of(word) for word in _LISTS["choices"].split() if word.endswith("case"))
ADDITIVE = frozenset(root_of(word) for word in _LISTS["additive"].split())
_COMMON = frozenset(root_of(word) for word in _LISTS["ordinary"].split())
_AFFIX = re.compile(r"^(?:[a-z0-9]{0,6}[_-]|[_-][a-z0-9]{0,6})$")
_ORDINARY_END = re.compile(r"(?:ings?|tions?|ments?|ness|ity|ally|able|ed|ous|ful|ies|ure|ance)$")


def is_affix(root: str) -> bool:
    """`a_`, `_q`, `get-`: a piece of a name."""
    return bool(_AFFIX.match(root))


def is_ordinary(root: str) -> bool:
    """Whether a word is one of the language, not the name of a tool or a thing."""
    return root in _COMMON or bool(_ORDINARY_END.search(root))


def exclude_each_other(one: str, other: str) -> bool:
    """Whether two values are known to be alternatives of one choice."""
    kind = CHOICES.get(one)
    return (kind is not None and kind == CHOICES.get(other)) or (is_affix(one) and is_affix(other))
