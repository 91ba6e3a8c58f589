"""What one record of a session says about another: a command names what its result is, a question
what the person answers, a file what stands for the secret that is filled in later.

`listen` is given the records in their order and learns the values; `redact` takes them out wherever
they stand, beside what any text shows by itself. So the index and a kept copy, whose lines know
nothing of each other, see the same secrets.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from reverie.data import patterns
from reverie.privacy.replaced import MARK, taken
from reverie.privacy.structured import Redact, named, redact_value

if TYPE_CHECKING:
    from reverie.privacy.automaton import Expression

_RE = patterns("judgement.txt", "told")
_KEPT = 200  # of calls without a result, of marks and of secrets: the last ones
_LONGEST = 8_000  # characters of a command that is looked at, and of a result
_WITH_MARKS = 2_000  # characters of a file of settings that somebody fills in later
_LINE = 400  # characters of the first line of a result
_VALUES = 8  # lines of a result that is nothing but values
_WORDS = 6  # of an answer that has more than the value
_FEWEST, _FEWEST_BESIDE = 4, 6  # characters of a value, and of one that stands in a sentence
_END = 400  # characters at the end of what an agent says, where it asks
_NUMBER_OF_LINE = re.compile(r"^[ \t]*\d{1,6}(?:→|\t|[:|] ?)")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_FULL_LINE = 40  # characters of a line of a key, of which there is one at least
_EDGES = "\"'`“”„«».,;:!?()"
_COMMANDS = ("command", "cmd", "script", "code", "input", "shell_command")
_PATHS = (
    "file_path",
    "path",
    "filePath",
    "filename",
    "file",
    "absolute_path",
    "target_file",
    "uri",
)
_SECRET, _KEY = "secret", "key"
Value = TypeVar("Value")


class Told:
    """What was told in one session so far."""

    def __init__(self, redact: Redact, noted: Mapping[str, Any] | None = None) -> None:
        """`noted` is what a reading of the lines before these returned as such."""
        before = noted or {}
        self._plain = redact
        self._calls: dict[str, str] = dict(before.get("calls", {}))
        self._marks: dict[str, str] = dict(before.get("marks", {}))
        self._pending: dict[str, tuple[str, Mapping[str, Any]]] = {}  # not looked at yet
        self._said = ""
        self._asked = bool(before.get("asked"))
        self._secrets: dict[str, str] = {}
        self._found: re.Pattern[str] | None = None

    @property
    def noted(self) -> dict[str, Any]:
        """What whoever reads on must know; no secret is in it."""
        for call_id in tuple(self._pending):
            if kind := self._kind(call_id):
                _put(self._calls, call_id, kind)
        noted = {"calls": self._calls, "marks": self._marks, "asked": self._is_asked()}
        return {key: value for key, value in noted.items() if value}

    def redact(self, text: str) -> str:
        """`text` without secrets, those among them that only another record tells."""
        if self._found is not None and any(secret in text for secret in self._secrets):
            text = self._found.sub(lambda match: self._secrets[match[0]], text)
        return self._plain(text)

    def so_far(self) -> Redact:
        """As `redact` is now, for a text of this place that is looked at later."""
        if self._found is None:
            return self._plain
        now = Told(self._plain)
        now._secrets, now._found = dict(self._secrets), self._found
        return now.redact

    def call(self, call_id: str, tool: str, arguments: Mapping[str, Any]) -> None:
        """A tool is called: what its result will be, and what is filled in."""
        _put(self._pending, call_id, (tool, arguments))
        if self._marks:
            self._fill(arguments)
        for text in _texts(arguments):
            if len(text) <= _WITH_MARKS:
                for mark, name in _marks_of(text):
                    if _RE.waits.search(mark) or mark in self._plain(f"{name}={mark}"):
                        _put(self._marks, mark, name)

    def result(self, call_id: str, text: str) -> None:
        """A tool answered. What it was called for is only asked of what may be a secret."""
        text = text[: 2 * _LONGEST]
        head = _RE.framed.match(text)
        # A tag may end what was printed: what stands before it is looked at first.
        begins = _first(text[head.end() :] if head else text).partition("<")[0]
        if " " in begins or " " in _first(text := _RE.framed.sub("", text)):
            self._pending.pop(call_id, None)
            return
        lines = [_NUMBER_OF_LINE.sub("", line).strip() for line in text[:_LONGEST].splitlines()]
        values = list(filter(None, lines))
        body = [line for line in values if _KEY_BODY.fullmatch(line)]
        is_key = any(len(line) >= _FULL_LINE for line in body)
        are_values = len(values) <= _VALUES and not any(" " in value for value in values)
        kind = self._kind(call_id) if is_key or are_values else ""
        self._pending.pop(call_id, None)
        if kind == _KEY and is_key:
            self._learn(body)
        elif kind and are_values:
            self._learn(filter(_may_be_one, values))

    def _kind(self, call_id: str) -> str:
        """What the result of a call is."""
        if call_id in self._pending:
            return _shows(*self._pending.pop(call_id))
        return self._calls.pop(call_id, "")

    def said(self, text: str) -> None:
        """The agent said something: perhaps it asks for a secret."""
        self._said, self._asked = text[-_END:].rstrip(), False

    def answered(self, text: str) -> None:
        """The person said something: what was asked for, if something was."""
        words = [word.strip(_EDGES) for word in text[:_LONGEST].split()]
        is_asked = len(words) <= _WORDS and self._is_asked()
        self._said, self._asked = "", False
        if not is_asked:
            return
        if len(words) == 1:
            self._learn(filter(_may_be_one, (text.strip(), words[0])))
        else:
            self._learn(filter(_must_be_one, words))

    def _is_asked(self) -> bool:
        return self._asked or _asks(self._said)

    def _fill(self, arguments: Mapping[str, Any]) -> None:
        """What takes the place of a mark, as if the mark were called what it stands for."""
        if not any(mark in text for text in _texts(arguments) for mark in self._marks):
            return

        def called(value: Any) -> Any:
            if isinstance(value, str):
                for mark, name in self._marks.items():
                    value = value.replace(mark, f"@@{name}@@")
                return value
            if isinstance(value, Mapping):
                return {k: called(v) for k, v in cast("Mapping[str, Any]", value).items()}
            if isinstance(value, Sequence):
                return [called(item) for item in cast("Sequence[Any]", value)]
            return value

        shown = called(arguments)
        clean = redact_value(shown, self._plain)
        for text, without in zip(_texts(shown), _texts(clean), strict=False):
            for secret, mark in taken(text, without):
                if len(secret) >= _FEWEST:
                    _put(self._secrets, secret, mark)
        self._renew()

    def _learn(self, values: Any) -> None:
        for value in values:
            mark = named(value, self._plain, "password")
            if MARK.fullmatch(mark):
                _put(self._secrets, value, mark)
        self._renew()

    def _renew(self) -> None:
        if self._secrets:
            longest_first = sorted(self._secrets, key=len, reverse=True)
            either = "|".join(map(re.escape, longest_first))
            self._found = re.compile(rf"(?<![A-Za-z0-9])(?:{either})(?![A-Za-z0-9])")


def _first(text: str) -> str:
    """The first line of what was printed, without its number."""
    return _NUMBER_OF_LINE.sub("", text[:_LINE].lstrip().partition("\n")[0]).rstrip()


def _put(kept: dict[str, Value], key: str, value: Value) -> None:
    kept[key] = value
    if len(kept) > _KEPT:
        del kept[next(iter(kept))]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[str, Any]", value).values():
            yield from _texts(item)
    elif isinstance(value, Sequence):
        for item in cast("Sequence[Any]", value):
            yield from _texts(item)


def _shows(tool: str, arguments: Mapping[str, Any]) -> str:
    """What the result of a call is, if it is a secret or lines of a private key."""
    for key in _COMMANDS:
        command = arguments.get(key)
        words = cast("list[Any]", command) if isinstance(command, list) else [command]
        line = " ".join(word for word in words if isinstance(word, str))
        if line and len(line) <= _LONGEST:
            data = line.encode("utf-8", "replace")
            if _looks("(?i){showskey}").search(data):
                return _KEY
            if _looks("(?i){shows}").search(data):
                return _SECRET
    for key in _PATHS:
        path = arguments.get(key)
        if isinstance(path, str) and len(path) <= _LONGEST:
            data = path.encode("utf-8", "replace")
            if _looks("(?i){keyfile}$").search(data):
                return _KEY
            if _looks("(?i){secretfile}$").search(data):
                return _SECRET
    asked = tool.encode("utf-8", "replace")
    return _SECRET if _looks("(?i){showstool}").search(asked) else ""


def _asks(text: str) -> bool:
    return bool(text) and _looks("(?i){asking}").search(text.encode("utf-8", "replace")) is not None


def _marks_of(text: str) -> Iterator[tuple[str, str]]:
    """What is written where a secret will stand, and the name of that secret."""
    from reverie.privacy.filled import name_in_mark
    from reverie.privacy.neighbours import SECRETISH, names_a_field

    if _RE.mark.search(text) is None or SECRETISH.search(text) is None:
        return
    data = text.encode("utf-8", "replace")
    at = 0
    waiting = _looks("{waiting}")
    while groups := waiting.search(data, at):
        at = groups[0][1]
        name, mark = (data[start:stop].decode("utf-8", "replace") for start, stop in groups[1:3])
        if names_a_field(name) and not name_in_mark(mark):
            yield mark, name


@cache
def _looks(pattern: str) -> "Expression":
    """A pattern with names, for the bytes of a text."""
    from reverie.privacy.automaton import expression
    from reverie.privacy.grammar import spelled_out

    return expression(spelled_out(pattern))


def _may_be_one(value: str) -> bool:
    """A word that stands where a secret must: none that says there is none."""
    from reverie.privacy.literals import is_common, is_path
    from reverie.privacy.passwords import is_weak
    from reverie.privacy.places import refers

    if len(value) < _FEWEST or value[0] in "{<" or not any(map(str.isalnum, value)):
        return False
    if _RE.assigns.match(value):
        return False
    return not (is_common(value) or is_path(value) or is_weak(value) or refers(value))


def _must_be_one(value: str) -> bool:
    """A word beside others that is one of no language."""
    from reverie.privacy.invented import is_invented
    from reverie.privacy.literals import is_call, is_readable
    from reverie.privacy.neighbours import stands_out

    if len(value) < _FEWEST_BESIDE or "'" in value or "’" in value or is_call(value):
        return False
    return stands_out(value) and (is_invented(value) or not is_readable(value))
