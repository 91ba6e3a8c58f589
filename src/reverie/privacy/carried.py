"""The secrets that one record of a session names, to be taken out of all its records.

A password is told once with its name and then only used: in a command, in what it prints, in the
piece of a file that an edit replaces. What was taken out of any text of a session is noted, and
once all of them were seen it is known in each. A word that is met elsewhere by chance must not be:
it would be hidden wherever somebody speaks of it.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from reverie.data import patterns
from reverie.privacy.replaced import taken

if TYPE_CHECKING:
    from reverie.privacy.automaton import Expression

_RE = patterns("judgement.txt", "carried")
_MOST = 200  # values of one session: the last ones
_FEWEST, _FEWEST_MIXED = 12, 10  # characters; of letters and digits together
_LONGEST = 600
_WORDS = 3  # of what is made of nothing but words
_LONG = 16  # characters of what nobody says by chance
_OFTEN = 5  # times that a secret in doubt is met at most
_SHORT = 7  # characters of what is long and drawn, as people abbreviate it
_BEFORE = 48  # characters
_EDGE = "[A-Za-z0-9]"


class Carried:
    """What was named in one session. Values are held while it is read, and stored nowhere."""

    def __init__(self) -> None:
        self.at = 0  # where the record that is read begins
        self._noted: dict[str, tuple[str, int]] = {}
        self._marks: dict[str, str] = {}  # of the values that are taken out everywhere
        self._names: tuple[str, ...] = ()  # the same values as they were noted
        self._looked: Expression | None = None
        self._found: re.Pattern[str] | None = None

    def note(self, text: str, clean: str) -> None:
        """What `text` lost when it became `clean`."""
        for value, mark in taken(text, clean):
            self.learn(value, mark)

    def learn(self, value: str, mark: str) -> None:
        """A secret, and what stands for it."""
        if value not in self._noted and may_be_carried(value):
            self._noted[value] = mark, self.at
            if len(self._noted) > _MOST:
                del self._noted[next(iter(self._noted))]

    def recall(self, marks: Iterable[str], noted: "Carried") -> set[str]:
        """What has these marks among the values of another one; the marks that none has."""
        wanted, found = set(marks), set[str]()
        for value, (mark, _) in noted._noted.items():
            if mark in wanted:
                self._noted[value] = mark, self.at
                found.add(mark)
        return wanted - found

    @property
    def is_empty(self) -> bool:
        return not self._noted

    def settle(self, ids: Iterable[str], texts: Callable[[], Iterable[str]]) -> bool:
        """All was read: whether there is something to be taken out everywhere.

        What identifies a record is none. `texts` are asked for only where words are in doubt.
        """
        if not self._noted:
            return False
        known = "\n".join(ids)
        names = [value for value in self._noted if value not in known]
        doubtful = [value for value in names if len(value) < _LONG or not is_sure(value)]
        if doubtful:
            ordinary = set(_in_use(doubtful, texts()))
            names = [value for value in names if value not in ordinary]
        self._know(names)
        return self._found is not None

    def _know(self, names: Sequence[str]) -> None:
        from reverie.privacy.automaton import escaped, expression

        self._names = tuple(names)
        self._marks = {
            spelling: self._noted[value][0] for value in names for spelling in _spelled(value)
        }
        if self._marks:
            longest_first = sorted(self._marks, key=len, reverse=True)
            either = "|".join(map(re.escape, longest_first))
            self._found = re.compile(f"(?<!{_EDGE})(?:{either})(?!{_EDGE})")
            self._looked = expression.__wrapped__("|".join(map(escaped, longest_first)))

    def places(self) -> list[tuple[int, str]]:
        """Where the values were told, and their marks; no value is in it."""
        return sorted((self._noted[value][1], self._noted[value][0]) for value in self._names)

    @property
    def noted(self) -> frozenset[str]:
        """The values that were told so far, however they are spelled."""
        return frozenset(spelling for value in self._noted for spelling in _spelled(value))

    @property
    def values(self) -> frozenset[str]:
        """Those that are taken out everywhere."""
        return frozenset(self._marks)

    def is_in(self, text: str) -> bool:
        if self._looked is None:
            return False
        return self._looked.search(text.encode("utf-8", "replace")) is not None

    def without(self, text: str) -> str:
        """`text` without what was named anywhere in the session."""
        if self._found is None or not self.is_in(text):
            return text
        return self._found.sub(lambda match: self._marks[match[0]], text)

    def everywhere(self, value: Any) -> Any:
        """A JSON value without it."""
        if isinstance(value, str):
            return self.without(value)
        if isinstance(value, Mapping):
            items = cast("Mapping[str, Any]", value).items()
            return {self.without(key): self.everywhere(item) for key, item in items}
        if isinstance(value, list):
            return [self.everywhere(item) for item in cast("list[Any]", value)]
        return value


@lru_cache(maxsize=4096)
def may_be_carried(value: str) -> bool:
    """Whether this could be met elsewhere only as the same secret."""
    from reverie.privacy.literals import is_call, is_common, is_path, names_a_secret, pieces
    from reverie.privacy.passwords import is_weak
    from reverie.privacy.places import refers

    has_digits = any(map(str.isdigit, value))
    mixed = has_digits and any(map(str.isalpha, value))
    if not (_FEWEST_MIXED if mixed else _FEWEST) <= len(value) <= _LONGEST:
        return False
    if _RE.groups.fullmatch(value):
        return not any(map(is_common, value.split()))
    if _RE.never.search(value):
        return False
    if is_weak(value) or refers(value) or is_call(value) or is_path(value):
        return False
    if names_a_secret(value) or is_sure(value):
        return not names_a_secret(value)
    if len(value) < _LONG:  # as names of algorithms and of functions are
        return False
    words = [word for word in pieces(value) if word.isalpha()]
    return len(words) >= _WORDS or (mixed and not is_common(value))


@lru_cache(maxsize=4096)
def is_sure(value: str) -> bool:
    """Neither words nor a name of something, whatever the session says."""
    from reverie.privacy.invented import is_unknown
    from reverie.privacy.literals import is_readable

    return is_unknown(value) or not (is_readable(value) or _RE.drawn.fullmatch(value))


def _in_use(values: Sequence[str], texts: Iterable[str]) -> Iterator[str]:
    """Those among them that are used as names, or met too often."""
    from reverie.privacy.automaton import escaped, expression

    short = {value[:_SHORT]: value for value in values if _RE.drawn.fullmatch(value)}
    names = sorted({*values, *short}, key=len, reverse=True)
    looked = expression.__wrapped__("|".join(map(escaped, names)))
    found = re.compile(f"(?<!{_EDGE})(?:{'|'.join(map(re.escape, names))})(?!{_EDGE})")
    met = dict.fromkeys(values, 0)
    for text in texts:
        if looked.search(text.encode("utf-8", "replace")) is None:
            continue
        for match in found.finditer(text):
            if match[0] in short:
                yield short[match[0]]
                continue
            before = text[max(0, match.start() - _BEFORE) : match.start()]
            behind = text[match.end() : match.end() + 3]
            met[match[0]] += 1
            if _RE.before.search(before) or _RE.behind.match(behind) or met[match[0]] > _OFTEN:
                yield match[0]


def _spelled(value: str) -> set[str]:
    """A value as texts have it, and as JSON within them does."""
    plain = value
    if "\\" in value:
        try:
            plain = str(json.loads(f'"{value}"'))
        except ValueError:
            plain = value
    spellings = {value, plain, json.dumps(plain, ensure_ascii=False)[1:-1]}
    return {spelling for spelling in spellings if len(spelling) >= _FEWEST_MIXED}
