"""What stood where a text has marks now, and the same wherever else it stands in a record.

A value that one field of a record gives away stands in its other fields as well: an edit is told as
two strings, as the lines of a change and as the file it was made in.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from reverie.privacy.invented import is_telling

MARK = re.compile(r"\[redacted:[^\[\]]+\]")
_ANY = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{8}\]|\[private\]")


def taken(text: str, clean: str) -> Iterator[tuple[str, str]]:
    """What stood in `text` where `clean` has marks, and the marks."""
    between, marks = MARK.split(clean), MARK.findall(clean)
    at = len(between[0])
    for mark, behind in zip(marks, between[1:], strict=True):
        stop = text.find(behind, at) if behind else len(text)
        if stop < 0:
            return
        if text[at:stop] != mark:
            yield text[at:stop], mark
        at = stop + len(behind)


def in_as_many_lines(text: str, clean: str) -> str:
    """`clean`, which is `text` without its secrets, with as many lines as `text` has.

    Who names a line of the one finds it in the other; behind a mark stand the lines it took.
    """
    if clean.count("\n") == text.count("\n"):
        return clean
    between, marks = _ANY.split(clean), _ANY.findall(clean)
    pieces = [between[0]]
    at = len(between[0])
    for mark, behind in zip(marks, between[1:], strict=True):
        last = len(pieces) == 2 * len(marks) - 1
        start = len(text) - len(behind) if last else max(text.find(behind, at), at)
        pieces += (mark + "\n" * text.count("\n", at, start), behind)
        at = start + len(behind)
    return "".join(pieces)


class Taken:
    """What was taken out of the strings of one record."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def note(self, text: str, clean: str) -> None:
        """What this string lost, as far as it is no word that stands elsewhere by chance."""
        self._marks.update(
            (secret, mark) for secret, mark in taken(text, clean) if is_telling(secret)
        )

    def everywhere(self, value: Any) -> Any:
        """The record without it."""
        if not self._marks:
            return value
        longest_first = sorted(self._marks, key=len, reverse=True)
        either = "|".join(map(re.escape, longest_first))
        pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{either})(?![A-Za-z0-9])")
        return _in_strings(value, lambda text: pattern.sub(lambda m: self._marks[m[0]], text))


def _in_strings(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {key: _in_strings(item, change) for key, item in items}
    if isinstance(value, list):
        return [_in_strings(item, change) for item in cast("list[Any]", value)]
    return value
