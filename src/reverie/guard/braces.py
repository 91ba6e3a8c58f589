"""How many words braces make: `{1..9999999}` is short to write and fills the memory of a shell."""

import re

# For all braces of a line together.
MAX_WORDS = 1000
_RANGE = re.compile(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})(?:\.\.-?[0-9]{1,9})?|[A-Za-z]\.\.[A-Za-z]")


def most_words(text: str) -> int:
    """A number that the words out of the braces of `text` do not exceed.

    Each comma counts for the innermost brace that is open. A brace without a comma is not closed
    by the next `}` (bash makes two words of `{a},b}`), so its commas may come later.
    """
    most = 1
    begun: list[int] = []
    choices: list[int] = []
    for at, char in enumerate(text):
        if char == "{":
            begun.append(at + 1)
            choices.append(1)
        elif char == "," and choices:
            choices[-1] += 1
        elif char == "}" and choices:
            inside = text[begun[-1] : at]
            if choices[-1] == 1 and ".." in inside:
                choices[-1] = _length(inside)
            if choices[-1] > 1:
                begun.pop()
                most *= choices.pop()
    for open_choices in choices:
        most *= open_choices
    return most


def _length(inside: str) -> int:
    """How many words `1..9` makes; whatever else holds two dots could be any number."""
    match = _RANGE.fullmatch(inside)
    if match is None:
        return MAX_WORDS + 1
    return abs(int(match[2]) - int(match[1])) + 1 if match[1] else 60
