"""Tables: a name stands once, at the head of a column, and its values in the rows below.

Markdown, CSV, tabs, the frames of database clients, aligned columns, and INSERT statements.
"""

import re
from collections.abc import Callable, Iterator

from reverie.privacy.automaton import Span
from reverie.privacy.grammar import in_bytes
from reverie.privacy.literals import is_common

Splitter = Callable[[bytes], list[Span]]

_MOST_ROWS = 500
_MOST_COLUMNS = 60
_LONGEST_LIST = 8_000  # bytes
_SHORT_NAME = 3
_SHORT_FIELDS = frozenset("id uid gid url uri env key tag job cmd log ssh api app os ip db".split())
_NAME = r"(?i)^[\s\"'`*]*((?:[\w -]{0,40}[_ -])?{column})[\s\"'`*]*$"
_NAMES = re.compile(
    rb"(?i)[\s\"'`*]*(?:name|key|variable|setting|field|parameter|option|env|item)[\s\"'`*]*$"
)
_VALUES = re.compile(rb"(?i)[\s\"'`*]*(?:value|val|secret|default)[\s\"'`*]*$")
_HEAD = re.compile(rb"[\"'`*]*(?:[\w#(\x80-\xff][\w .#/()\x80-\xff-]{0,40})?[\"'`*]*$")
_RULE = re.compile(rb"(?:[\s|+:=-]|\xe2[\x94\x95][\x80-\xbf])+$")
_CSV = re.compile(rb'"(?:[^"]|"")*"|[^,\r]*')
_LISTED = re.compile(
    rb"[ \t*\xe2\x80\xa2>\"'`\d.)+-]*(?P<user>[A-Za-z][\w.@+-]{1,60})[\"'`]?[ \t]?"
    rb"(?:[:,|/=]|->)[ \t]?[\"'`]?(?P<value>[^\s\"'`]{4,256})[\"'`,;]{0,2}"
    rb"(?:[ \t]+(?:[(#<-]|//)[^\n]*)?[ \t]*\r?$"
)
_COUPLE = re.compile(rb"[ \t]*[\w.@+-]{2,60}[ \t]+([^\s\"'`<>]{4,256})[ \t]*\r?\n?$")
_ENTRY = re.compile(
    rb"(?P<margin>[ \t]+)(?:[\w./\"'-]{1,253}:(?:[ \t]+[|>][+-]?[ \t]*\r?\n?$|[ \t]+|(?=\r?\n)))?"
    rb"[\"']?(?P<value>[^\r\n\"']*?)[\"']?[ \t]*\r?\n?$"
)
_DOCUMENT = b"\n---"
_KIND = re.compile(rb"(?m)^[ \t]*kind:[ \t][\"']?Secret[\"']?[ \t]*\r?$")
_BAR = "│".encode()
_GAP = re.compile(rb"\s{2,}|\t")
_QUOTED = re.compile(rb"(?s)\s*N?'((?:[^'\\]|\\.|'')*)'|\s*N?\"((?:[^\"\\]|\\.)*)\"")


_NAME_ENDS = re.compile(rb"[\"']?\s{0,2}(?::=|=>|[:=])")
_ITEM = re.compile(rb"\s{0,20}[\"'`]([^\s\"'`\\]{1,256})[\"'`]\s{0,20}(?:,|(?=[\])}]))")
_LINE_ITEM = re.compile(rb"[ \t]*-[ \t]+[\"']?([^\s\"'`\\:]{1,256})[\"']?[ \t]*(?:\r?\n|\Z)")


def cells(text: bytes, start: int, stop: int) -> Iterator[tuple[str, int, int]]:
    """The values below a head, each with the name of its column."""
    head = text[start:stop]
    if head.lstrip()[:6].lower() == b"insert" and b"(" in head:
        yield from _inserted(text, start, stop)
        return
    split = _splitter(head)
    if split is None:
        return
    above = text[text.rfind(b"\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)]
    if _is_row(above, split, len(split(head.rstrip(b"\r\n")))):
        return
    heads = [head[a:b] for a, b in split(head.rstrip(b"\r\n"))]
    names = {number: name for number, text in enumerate(heads) if (name := _named(text))}
    pair = _pair(heads)
    for _ in range(_MOST_ROWS if names or pair else 0):
        end = text.find(b"\n", stop)
        line = text[stop : end if end >= 0 else len(text)]
        fields = split(line)
        framed = _RULE.match(line) is not None and bool(line.strip(b" \t|\xe2\x94\x82"))
        if not framed and len(fields) < 2:
            break
        if pair and len(fields) > pair[1]:
            name = _named(line[slice(*fields[pair[0]])])
            names = {pair[1]: name} if name else {}
        if not framed:
            for number, name in names.items():
                if number < len(fields):
                    yield name, *_trimmed(text, stop + fields[number][0], stop + fields[number][1])
        if end < 0:
            break
        stop = end + 1


def listed(text: bytes, start: int, at: int) -> Iterator[tuple[str, int, int]]:
    """The passwords of a list of users below its head, which names them."""
    head = text[start:at].decode("latin-1")
    for line in text[at : at + _LONGEST_LIST].split(b"\n")[:_MOST_ROWS]:
        entry = _LISTED.match(line)
        if entry is None or _is_field(entry["user"].decode("latin-1")):
            return
        yield head, at + entry.start("value"), at + entry.end("value")
        at += len(line) + 1


def couples(text: bytes, _: int, at: int) -> Iterator[tuple[str, int, int]]:
    """The second of two words of each line below a head of two."""
    for line in text[at : at + _LONGEST_LIST].splitlines(keepends=True)[:_MOST_ROWS]:
        entry = _COUPLE.match(line)
        if entry is None or _named(entry[1]):
            return
        yield "password", at + entry.start(1), at + entry.end(1)
        at += len(line)


def entries(text: bytes, start: int, at: int) -> Iterator[tuple[str, int, int]]:
    """The values of a map below its key, whatever they are called."""
    if not _of_a_secret(text, start, at):
        return
    least = -1
    for line in text[at : at + _LONGEST_LIST].splitlines(keepends=True)[:_MOST_ROWS]:
        entry = _ENTRY.match(line)
        if entry is None or 0 <= (deep := len(entry["margin"])) < least:
            return
        least = least if least >= 0 else deep
        if entry["value"]:
            yield "secret", at + entry.start("value"), at + entry.end("value")
        at += len(line)


def _of_a_secret(text: bytes, start: int, at: int) -> bool:
    """Whether the document around a place is a Secret of Kubernetes."""
    above, below = text[:start].rpartition(_DOCUMENT)[2], text[at:].partition(_DOCUMENT)[0]
    return _KIND.search(above) is not None or _KIND.search(below) is not None


def _named(head: bytes) -> str:
    """The name of a column of secrets; nothing if it holds none."""
    match = in_bytes(_NAME).match(head.decode("latin-1"))
    return match[1] if match else ""


def _is_field(name: str) -> bool:
    """Ordinary words name what is told of somebody, and nobody."""
    return is_common(name) and (len(name) > _SHORT_NAME or name in _SHORT_FIELDS)


def _pair(heads: list[bytes]) -> Span | None:
    """The columns of the names and of their values, where each row has one of both."""
    for number in range(len(heads) - 1):
        if _NAMES.match(heads[number]) and _VALUES.match(heads[number + 1]):
            return number, number + 1
    return None


def _is_row(line: bytes, split: Splitter, count: int) -> bool:
    """Whether the line above a head belongs to the same table, so that it is none."""
    is_sentence = line.rstrip().endswith((b".", b":", b"?", b"!"))
    return (len(split(line)) == count and not is_sentence and _RULE.match(line) is None) or (
        _RULE.match(line) is not None and b"|" in line
    )


def _splitter(head: bytes) -> Splitter | None:
    """How this table divides its lines; None if the line is no head."""
    for split in (_by(b"|"), _by(_BAR), _by(b"\t"), _commas, _by(b";"), _gaps):
        fields = split(head.rstrip(b"\r\n"))
        if 2 <= len(fields) <= _MOST_COLUMNS:
            texts = [head[a:b].strip() for a, b in fields]
            named = sum(map(bool, texts))
            framed = named == 1 and head.strip()[:1] == head.strip()[-1:] == b"|"
            good = (
                (named >= 2 or framed)
                and all(map(_HEAD.match, texts))
                and not head.rstrip().endswith(b",")
            )
            return split if good else None
    return None


def _by(separator: bytes) -> Splitter:
    def split(line: bytes) -> list[Span]:
        fields: list[Span] = []
        at = 0
        for part in line.split(separator):
            fields.append((at, at + len(part)))
            at += len(part) + len(separator)
        return fields

    return split


def _commas(line: bytes) -> list[Span]:
    fields: list[Span] = []
    at = 0
    while at <= len(line):
        field = _CSV.match(line, at)
        stop = field.end() if field else len(line)
        fields.append((at, stop))
        at = stop + 1
    return fields


def _gaps(line: bytes) -> list[Span]:
    fields: list[Span] = []
    at = 0
    for gap in _GAP.finditer(line.rstrip()):
        if gap.start() > at or fields:
            fields.append((at, gap.start()))
        at = gap.end()
    return [*fields, (at, len(line.rstrip()))]


def _trimmed(text: bytes, start: int, stop: int) -> Span:
    field = text[start:stop]
    start += len(field) - len(field.lstrip(b" \t\"'`*\r"))
    return start, start + len(field.strip(b" \t\"'`*\r"))


def _inserted(text: bytes, start: int, stop: int) -> Iterator[tuple[str, int, int]]:
    head = text[start:stop]
    opened, closed = head.index(b"("), head.rindex(b")")
    names = [_named(name.strip(b' \n"`[]')) for name in head[opened + 1 : closed].split(b",")]
    at = stop
    for _ in range(_MOST_ROWS):
        if text[at : at + 1] != b"(":
            break
        fields, at = _tuple(text, at + 1)
        for name, (first, last) in zip(names, fields, strict=False):
            quoted = _QUOTED.match(text, first, last) if name else None
            if quoted:
                yield name, *quoted.span(1 if quoted.start(1) >= 0 else 2)
        more = re.compile(rb"\s*,\s*").match(text, at)
        at = more.end() if more else at


def _tuple(text: bytes, at: int) -> tuple[list[Span], int]:
    """The fields between brackets that begin at `at`, and where what follows them begins."""
    fields: list[Span] = []
    first, depth = at, 0
    while at < len(text):
        quoted = _QUOTED.match(text, at) if text[at : at + 1] in b"'\"N " else None
        if quoted:
            at = quoted.end()
            continue
        sign = text[at : at + 1]
        if sign == b"(":
            depth += 1
        elif sign == b")" and depth == 0:
            return [*fields, (first, at)], at + 1
        elif sign == b")":
            depth -= 1
        elif sign == b"," and depth == 0:
            fields.append((first, at))
            first = at + 1
        at += 1
    return fields, at


def items(text: bytes, start: int, stop: int) -> Iterator[tuple[str, int, int]]:
    """The items of a list between brackets, or below each other behind strokes."""
    name = _NAME_ENDS.split(text[start:stop], 1)[0].decode("latin-1")
    inline = text[stop - 1 : stop] in b"[({"
    at = stop if inline else text.rfind(b"\n", 0, stop) + 1
    while item := (_ITEM if inline else _LINE_ITEM).match(text, at):
        yield name, *item.span(1)
        at = item.end()
