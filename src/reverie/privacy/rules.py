"""The rules of `data/secrets.toml`, compiled once, behind one automaton of their keywords."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, NamedTuple

from reverie.privacy.automaton import Expression, Keywords, escaped, expression
from reverie.privacy.columns import cells, couples, entries, items, listed
from reverie.privacy.extent import ends
from reverie.privacy.formats import FORMATS
from reverie.privacy.grammar import spelled_out, table
from reverie.privacy.judgement import HEADS, TESTS, WHOLE_STRING, WHOLE_VALUE, Test, entropy
from reverie.privacy.literals import is_common_word, is_filler
from reverie.privacy.places import Place
from reverie.privacy.views import SIGNS, Opens

# What may stand directly before a secret although it ends in a letter or digit: an escaped line
# end, an escaped character, a percent escape, the end of a terminal colour.
_LEAD = r"(?:\b|\\[nrtbf]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9A-F]{2}|\[[0-9;]{0,8}m)"

# A value is judged by its beginning: the cost of one match has an upper bound.
_TESTED = 64
_CONTEXT = 200
_TAIL = re.compile(r"\((?P<kind>\[(?:\\.|[^\]\\])+\])\{(?P<least>\d+),(?P<most>\d+)\}\)$")
# Of a value in an address: it goes on behind a sign that is escaped there.
_ESCAPED_REST = re.compile(rb"(?:%(?:2[BFbf]|3[Dd]|20)[A-Za-z0-9+/_=.~-]*)+")
# Whatever stands inside of a digest: what go.sum and locks of packages hold.
_DIGEST = re.compile(rb"(?:h1|sha(?:1|224|256|384|512)|md5)[:-][A-Za-z0-9+/=]{22}")
_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})[;,)}]*")
_WORD = re.compile(rb"([A-Za-z]+)[,;)}\].:!?*|]*")
_QUOTES = frozenset({b'"', b"'", b"`"})
_FREE = frozenset({b" ", b"\n", b"\t", b"\r", b""})
_SPACES = re.compile(rb"[\s\"'=]")
_MASK = b"***"  # what is told of a secret behind it is its end
_PARTS = 3  # automata of guards
_FRAMED = "\x1e"  # what only a value has that is shown behind its name
_OPENED, _LINK = b'\x1e"', '": "'
_LONGEST_NAME = 400
_REST = re.compile(rb"[A-Za-z0-9+/_=.~-]*")


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret and how it is recognised."""

    rank: int  # its place in the file
    id: str
    description: str
    regex: str
    keywords: tuple[str, ...]
    guard: str  # instead of a keyword, where no word announces it
    where: str  # what else must be in the text, for keywords that are in many
    outline: str  # what any match has, and is found with far fewer states
    group: int
    entropy: float
    tests: tuple[Test, ...]
    lines: bool  # also looked for behind the prefixes of lines

    # Recognised by its own format and a beginning that is rare in other text.
    has_prefix: bool = field(init=False)
    is_field: bool = field(init=False)  # of a value whose end is known
    is_framed: bool = field(init=False)  # of one that is shown behind its name
    is_column: bool = field(init=False)  # the regex finds the head of a table
    takes_strings: bool = field(init=False)  # up to the closing quote, whatever is in between
    takes_no_words: bool = field(init=False)  # not even of a word of prose in its place
    may_go_on: bool = field(init=False)  # as far as what holds the value, whatever the regex takes

    def __post_init__(self) -> None:
        rare = all(len(keyword) > 2 or not keyword.isalnum() for keyword in self.keywords)
        object.__setattr__(self, "has_prefix", self.group == 0 and rare)
        object.__setattr__(self, "is_field", self.id.endswith("-field"))
        object.__setattr__(self, "is_framed", self.keywords == (_FRAMED,))
        object.__setattr__(self, "is_column", not HEADS.isdisjoint(self.tests))
        object.__setattr__(self, "takes_strings", not WHOLE_STRING.isdisjoint(self.tests))
        no_words = self.tests == (TESTS["token"],) or TESTS["near"] in self.tests
        object.__setattr__(self, "takes_no_words", no_words)
        object.__setattr__(self, "may_go_on", not WHOLE_VALUE.isdisjoint(self.tests))

    def places(self, text: bytes, lowered: bytes) -> Iterator[int]:
        """Where a keyword or the guard of this rule is."""
        for keyword in self.keywords:
            at = -1
            while (at := lowered.find(keyword.encode(), at + 1)) >= 0:
                yield at
        at = 0
        while self.guard and (groups := expression(self.guard).search(text, at)):
            at = groups[0][0] + 1
            yield at

    def spans(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Where the secret of this rule is, in bytes, first to last."""
        if self.is_column:
            yield from self._cells(text)
            return
        if self.outline and not expression(self.outline).search(text):
            return
        pattern, tail = _searched(self.regex, self.group)
        group = 0 if tail else self.group or 1
        at = 0
        while at < len(text) and (groups := pattern.search(text, at)):
            start, stop = groups[group]
            if tail:
                start = stop - tail.least
                whole = tail.value.match(text, start)
                stop = whole.end() if whole else stop
            end = self._end_of_secret(text, groups[0][0], start, stop)
            if end:
                escaped_rest = _ESCAPED_REST.match(text, end)
                end = escaped_rest.end() if escaped_rest else end
                yield start, end
            # Inside what was wrongly taken for the value of one name, another may be assigned.
            # What has a form is passed over whole: its end was looked for already.
            at = end or (max(start, groups[0][0] + 1) if self.tests and self.group else stop)

    def _cells(self, text: bytes) -> Iterator[tuple[int, int]]:
        """The cells below a name that heads a column."""
        pattern = expression(self.regex)
        at = 0
        while at < len(text) and (groups := pattern.search(text, at)):
            at = groups[0][1]
            for name, start, stop in self._below(text, *groups[0]):
                place = Place(name, True, '"')
                value = text[start:stop].decode("utf-8", "replace")
                if any(test(value, place) for test in self.tests):
                    yield start, stop

    def _below(self, text: bytes, start: int, stop: int) -> Iterator[tuple[str, int, int]]:
        below = next((read for tag, read in _BELOW.items() if TESTS[tag] in self.tests), cells)
        return below(text, start, stop)

    def _end_of_secret(self, text: bytes, begin: int, start: int, stop: int) -> int:
        """Where the secret really ends; 0 if it is none."""
        if not self.tests:
            value = text[start:stop].decode("latin-1")
            return 0 if is_filler(value) or self._is_even(value) else stop
        if self.is_field:
            return stop if self._passes(text, begin, start, stop) else 0
        possible = (stop,)
        if self.takes_no_words and _is_ordinary(text, start, stop):
            return 0
        if self.may_go_on:
            possible = ends(text, begin, start, stop, spaces=self.takes_strings)
        stop = next((end for end in possible if self._passes(text, begin, start, end)), 0)
        if not stop:
            return 0
        if stop - start >= _TESTED:
            rest = _REST.match(text, stop)
            stop = rest.end() if rest else stop
        return stop

    def _passes(self, text: bytes, begin: int, start: int, stop: int) -> bool:
        value = text[start:stop].decode("utf-8", "replace")
        place = Place.of(text, max(begin, start - _CONTEXT), start, stop)
        if _COLOUR.fullmatch(value) and place.sign == ":":
            return False
        if (self.may_go_on and place.is_astray) or _DIGEST.match(text, _word(text, start)):
            return False
        if text[start - 3 : start] == _MASK and text[stop : stop + 1] != b"*":
            return False
        judged = value if self.is_field else value[:_TESTED]
        return any(test(judged, place) for test in self.tests) and not self._is_even(value)

    def _is_even(self, value: str) -> bool:
        return bool(self.entropy) and entropy(value) < self.entropy


# How the values below a head are read, by the test that each of them must pass.
_BELOW = {"column": cells, "roster": listed, "couple": couples, "kept": entries, "item": items}


def _is_ordinary(text: bytes, start: int, stop: int) -> bool:
    """Whether a value is one common word that stands free: most of what follows `token` in prose.

    Tokens are none of these, so that nothing has to be known of the place.
    """
    if text[start - 1 : start] in _QUOTES or text[stop : stop + 1] not in _FREE:
        return False
    word = _WORD.fullmatch(text, start, stop)
    return word is not None and _is_common(word[1])


@lru_cache(maxsize=4096)
def _is_common(word: bytes) -> bool:
    return is_common_word(word.decode())


def _word(text: bytes, start: int) -> int:
    """Where what has no space in it begins, of which `start` is a part."""
    before = max(0, start - _CONTEXT)
    space = _SPACES.search(text[before:start][::-1])
    return start - space.start() if space else before


class Seen(NamedTuple):
    """What one look at a text told."""

    rules: list[Rule]  # whose keyword or guard is there, in their order
    views: set[Opens]  # through which there is more to see
    is_announced: bool  # by the keyword of a rule, be it one that cannot match here


_COVERS = (b"\\u0", b"\0", b"\x1b[")
_NOTHING = Seen([], set(), False)


class Gate:
    """Which rules are worth running on a text: one pass over it, whatever the number of rules."""

    def __init__(self, rules: tuple[Rule, ...], views: tuple[tuple[str, Opens], ...]) -> None:
        by_keyword: dict[str, list[int]] = {}
        for number, rule in enumerate(rules):
            for keyword in rule.keywords:
                by_keyword.setdefault(keyword, []).append(number)
        self._rules = rules
        self._fields = frozenset(number for number, rule in enumerate(rules) if rule.is_framed)
        self._numbers = list(by_keyword.values())
        self._views = [view for _, view in views]
        self._words = Keywords([f"(?i){escaped(keyword)}" for keyword in by_keyword])
        # Apart from the keywords: they count what stands between two signs, and together both have
        # several times as many states.
        self._signs = Keywords([sign for sign, _ in views])
        # Short patterns: what is long or open at its end belongs into `where`, or every text takes
        # several times as long. An automaton has a state for whatever was seen together, so that
        # several of them take a third of the memory of one, and no more time.
        guarded = [number for number, rule in enumerate(rules) if rule.guard]
        self._guards = [
            (numbers, Keywords([rules[number].guard for number in numbers]))
            for numbers in (guarded[part::_PARTS] for part in range(_PARTS))
        ]

    def look(self, text: bytes) -> Seen:
        """What is worth doing with `text`."""
        numbers: set[int] = set()
        for guarded, guards in self._guards:
            for hit in guards.present(text) or ():
                numbers.add(guarded[hit])
        for hit in self._words.present(text) or ():
            numbers.update(self._numbers[hit])
        # Behind an escaped letter or a colour any name may stand, and between zeros.
        if not numbers and not any(cover in text for cover in _COVERS):
            return _NOTHING
        views = {self._views[hit] for hit in self._signs.present(text) or ()}
        has_name = not self._fields.isdisjoint(numbers)
        if has_name and (name := name_before(text)) is not None:
            numbers -= self._fields - fields_of(name)
        candidates = (self._rules[n] for n in sorted(numbers))
        rules = [r for r in candidates if not r.where or expression(r.where).search(text)]
        return Seen(rules, views, has_name or bool(rules))


@cache
def heading() -> Expression:
    """A line that ends in the name of a secret."""
    return expression(spelled_out("{heading}"))


# What stands behind the beginnings of the tables `prefixes` and `base64`.
_TAILS = {
    "prefixes": r"[A-Za-z0-9_-](?:[A-Za-z0-9_~-]|[.=][A-Za-z0-9_-]){19,}=*",
    "base64": r"[A-Za-z0-9+/_.-]{20,}={0,3}",
}


def _by_prefix() -> Iterator[dict[str, Any]]:
    for kind, tail in _TAILS.items():
        for id, prefixes in table()[kind].items():
            yield {
                "id": id,
                "description": f"Begins with {' or '.join(prefixes)}",
                "regex": rf"\b(?:{'|'.join(map(escaped, prefixes))}){tail}",
                "keywords": [prefix.lower() for prefix in prefixes],
                "tags": ["made"],
            }


@cache
def rules() -> tuple[Rule, ...]:
    """All rules: those that know how a key begins, then the others in the order of the file."""
    return tuple(
        Rule(
            rank=rank,
            id=entry["id"],
            description=entry["description"],
            regex=spelled_out(entry["regex"]),
            keywords=_keywords(entry),
            guard=entry.get("guard", ""),
            where=spelled_out(entry.get("where", "")),
            outline=entry.get("outline", ""),
            group=entry.get("secretGroup", 0),
            entropy=float(entry.get("entropy", 0)),
            tests=tuple(TESTS[tag] for tag in entry.get("tags", ())),
            lines=entry.get("lines", False),
        )
        for rank, entry in enumerate((*_by_prefix(), *table()["rules"]))
    )


def _keywords(entry: dict[str, Any]) -> tuple[str, ...]:
    shared = (
        word for name in entry.get("words", ()) for word in table()["words"][name]["keywords"]
    )
    return tuple(dict.fromkeys((*entry.get("keywords", ()), *shared)))


def names_a_field(name: str) -> bool:
    """Whether a rule for values with a name takes this for one of its names."""
    shown = f'\x1e"{name}"'.encode("utf-8", "surrogatepass")
    return _heads_of_fields().search(shown) is not None


def name_before(text: bytes) -> bytes | None:
    """The name of a text that is a value behind its name; None where it is too long to be
    remembered, or may be unfolded to another one."""
    if not text.startswith(_OPENED):
        return b""
    name = text[: text.find(_LINK.encode(), len(_OPENED)) + 1]
    return name if len(name) <= _LONGEST_NAME and b"\n" not in name else None


@lru_cache(maxsize=4096)
def fields_of(name: bytes) -> frozenset[int]:
    """The numbers of the rules for values behind their names that know this one.

    No name that such a rule knows has what joins it to its value in it: nothing behind tells.
    """
    if not _heads_of_fields().search(name):
        return frozenset()
    framed = ((number, rule) for number, rule in enumerate(rules()) if rule.is_framed)
    return frozenset(number for number, rule in framed if expression(_head(rule)).search(name))


@cache
def _heads_of_fields() -> Expression:
    return expression("|".join(_head(rule) for rule in rules() if rule.is_field))


def _head(rule: Rule) -> str:
    """What a rule for fields knows of names."""
    return f'(?:{rule.regex.partition(_LINK)[0]}")'


@cache
def gate() -> Gate:
    """The gate before all rules."""
    return Gate(rules(), (*SIGNS, FORMATS))


class _Tail(NamedTuple):
    """A long open value at the end of a regex."""

    least: int  # bytes
    value: re.Pattern[bytes]


@cache
def _searched(regex: str, group: int) -> tuple[Expression, _Tail | None]:
    """What is searched for a rule. A value that ends its regex is cut to its shortest form there.

    RE2 unrolls `{8,256}`; finding the place first and measuring the value then is several times
    faster on text made to match everywhere. Without a group it has no need of its slow engine.
    """
    tail = _TAIL.search(regex) if group else None
    if tail is None:
        return expression(regex if group else _with_lead(regex)), None
    least, most = int(tail["least"]), int(tail["most"])
    flags = re.IGNORECASE if regex.startswith("(?i)") else re.NOFLAG
    value = re.compile(f"{tail['kind']}{{{least},{most}}}".encode(), flags)
    place = f"{regex[: tail.start()]}{tail['kind']}{{{least}}}"
    return expression(place), _Tail(least, value)


def _with_lead(regex: str) -> str:
    flags = ""
    if regex.startswith("(?i)"):
        flags, regex = "(?i)", regex[4:]
    if regex.startswith(r"\b"):
        return f"{flags}{_LEAD}({regex[2:]})"
    return f"{flags}({regex})"
