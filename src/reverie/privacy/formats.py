"""What is written by a format: the name stands in it, the value among the arguments.

printf 'DB_PASSWORD=%s\n' blue             →  DB_PASSWORD=blue
"user={} token={}".format(name, "blue")    →  token=blue
"""

import re
from collections.abc import Iterator

from reverie.privacy.automaton import Span, expression
from reverie.privacy.views import APART, Cut, Opens, View

_FORMAT = rb"([\"'`])(?P<format>(?:(?!\1)[^\n]){2,400}?)\1"
_WRITTEN = re.compile(
    rb"\bprintf\s+(?:--\s+|-v\s+\w+\s+)?"
    + _FORMAT
    + rb"(?P<words>(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'|;&<>()]+)){1,20})"
)
_CALLED = re.compile(
    rb"(?i:print(?:f|ln)|format|fmt|log(?:ger)?\.\w{3,7})[\w.]{0,12}!?\(\s{0,3}(?:[\w.&]{1,40},\s{0,3})?[bfru]?"
    + _FORMAT
    + rb"\s{0,3},(?P<arguments>[^\n]{1,400})"
)
_METHOD = re.compile(
    _FORMAT + rb"\s{0,3}(?:\.format(?:ted)?\(|%\s{0,3}\(?)(?P<arguments>[^\n]{1,400})"
)
_WORD = re.compile(rb"\"([^\"\n]*)\"|'([^'\n]*)'|([^\s\"'|;&<>()]+)")
_ARGUMENT = re.compile(
    rb"\s*(?:[bfru]?\"([^\"\n]*)\"|[bfru]?'([^'\n]*)'|()[^,()\"'\n]+)(?:,|(?=\)))"
)
# A name, or an address, right before what is filled in: most formats have none.
_NAMED = (
    r"(?i)(?:pass|pwd|pw|psk|pat|salt|secret|token|key|cred|auth|pin|otp|cookie|seed|code|[\x80-\xff])"
    r"[\w-]{0,24}[\"'`]?(?:\s?[=:]|\s)\s?[\"'`\\]{0,3}[%{]|://[^\s]{0,40}[%{]|%s=%s"
)
_FILLED_IN = re.compile(rb"%(?!%)[-+ 0#]{0,3}\d{0,3}(?:\.\d{1,3})?[sdvqiuxfr@]|\{(\d{0,2})\}")


def filled(text: bytes) -> View | None:
    """Each format with its arguments in it, and each name of it with the one behind."""
    if not expression(_NAMED).search(text):
        return None
    written = [parts for form in (_WRITTEN, _CALLED, _METHOD) for parts in _parts(text, form)]
    pairs = [parts[at : at + 2] for parts in written for at in range(0, len(parts) - 1, 2)]
    return View(text, _cuts(text, [*written, *pairs])) if written else None


def _cuts(text: bytes, written: list[list[Span]]) -> Iterator[Cut]:
    """All but these parts. A cut may end before it begins: what it goes back to is read again."""
    at, apart = 0, b""
    for parts in written:
        for start, stop in parts:
            yield at, start, apart
            at, apart = stop, b""
        apart = APART
    yield at, len(text), b"\n"


def _parts(text: bytes, form: re.Pattern[bytes]) -> Iterator[list[Span]]:
    """The stretches of each format and its arguments, by turns, as they are written."""
    for match in form.finditer(text):
        values = list(_values(text, match, "words" if form is _WRITTEN else "arguments"))
        at, end = match.span("format")
        parts: list[Span] = []
        for number, part in enumerate(_FILLED_IN.finditer(text, at, end)):
            which = int(part[1]) if part[1] else number
            if which >= len(values):
                break
            parts += ((at, part.start()), values[which])
            at = part.end()
        if parts:
            yield [*parts, (at, end)]


def _values(text: bytes, match: re.Match[bytes], group: str) -> Iterator[Span]:
    start, stop = match.span(group)
    if group == "words":
        for word in _WORD.finditer(text, start, stop):
            yield word.span(word.lastindex or 0)
        return
    while value := _ARGUMENT.match(text, start, stop):
        yield value.span(value.lastindex or 0)
        start = value.end()


# What a text has that is worth such a look.
FORMATS: tuple[str, Opens] = (
    r"(?i)printf\s+\S{0,12}[\"']|(?:print(?:f|ln)|format|fmt|log(?:ger)?\.\w{3,7})[\w.]{0,12}!?\([^)\n]{0,24}[\"'`]"
    r"|[\"']\.format|[\"'] ?% ?[(\"']",
    filled,
)
