"""The block between `---` lines at the top of a file, kept line for line.

Values are read into strings, lists and tables; every scalar stays the string it was written as,
so a date stays a date's text and `no` stays `no`. A change rewrites the lines of that one key and
leaves all others, comments and unknown keys included, as they were.

Simple blocks (what Claude Code and we write) are read by the few rules of `_read_simply`, without
importing a YAML library: `reverie show` is a hook's neighbour and starts cold. Anything else goes
to PyYAML's event stream; no constructor runs, so no tag, alias or date type can do harm.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from reverie.errors import InvalidDocument

Value = str | list[Any] | dict[str, Any]

MAX_BYTES = 65_536
MAX_DEPTH = 16

_BOM = "\ufeff"
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.M)
_OPENING = re.compile(r"---[ \t]*\r?\n")
_ANY_KEY = re.compile(r"^[ \t]*[^\s#].*:(?:\s|$)|^[ \t]*[{\[]", re.M)
_KEY_LINE = re.compile(r"( *)([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*)|)$")
_COMMENT = re.compile(r"[ \t]+#.*$")
# A plain item of a flow list: nothing YAML would read as structure, quoting or a comment.
_PLAIN_ITEM = re.compile(r"""[^\s,\[\]{}&*!|>'"%@`#?:-](?:[^,\[\]{}"'#:]|:(?=\S)|(?<=\S)#)*$""")
_NOT_PLAIN = re.compile(r"""[\[\]{}&*!|>'"%@`#,]|[-?:](?:\s|$)""")
_MARKS = frozenset("[]{}&*!|>'\"%@`#,-?:")  # a value that starts with none of these is plain text


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """One file, split: the exact lines of the block and the exact text after it."""

    opening: str  # byte order mark, `---`, line end
    lines: tuple[str, ...]  # with their line ends
    closing: str
    body: str
    values: Mapping[str, Value]

    @property
    def newline(self) -> str:
        return "\r\n" if self.opening.endswith("\r\n") else "\n"

    def text(self) -> str:
        return "".join((self.opening, *self.lines, self.closing, self.body))

    def with_body(self, body: str) -> "Frontmatter":
        closing = self.closing if self.closing.endswith("\n") else self.closing + self.newline
        return replace(self, body=body, closing=closing if body else self.closing)

    def with_value(self, path: tuple[str, ...], rendered: str | None) -> "Frontmatter":
        """Write `rendered` (YAML for one line) at `path`, or remove the key for `None`.

        `path` has one or two parts. A table written in flow style (`metadata: {…}`) is first
        rewritten as a block: a line cannot be replaced inside it.
        """
        lines = list(self.lines)
        if len(path) == 1:
            start, end = _block(lines, path[0], 0, len(lines), "")
            lines[start:end] = self._line("", path[0], rendered)
        else:
            lines = self._block_style(lines, path[0])
            first, last = _block(lines, path[0], 0, len(lines), "")
            if first == last:
                lines[first:last] = [f"{path[0]}:{self.newline}"]
                last = first + 1
            indent = _child_indent(lines, first + 1, last)
            start, end = _block(lines, path[1], first + 1, last, indent)
            lines[start:end] = self._line(indent, path[1], rendered)
        return replace(self, lines=tuple(lines), values=_values("".join(lines)))

    def _line(self, indent: str, key: str, rendered: str | None) -> list[str]:
        return [] if rendered is None else [f"{indent}{key}: {rendered}{self.newline}"]

    def _block_style(self, lines: list[str], key: str) -> list[str]:
        start, end = _block(lines, key, 0, len(lines), "")
        table = self.values.get(key)
        if start == end or not isinstance(table, dict):
            if start < end and table:
                raise InvalidDocument(f"frontmatter: {key} must be a table, not {table!r}")
            return lines[:start] + lines[end:]
        if re.match(r"[^:]+:[ \t]*(?:#.*)?\r?\n?$", lines[start]):
            return lines
        children = [f"  {name}: {flow(value)}{self.newline}" for name, value in table.items()]
        return [*lines[:start], f"{key}:{self.newline}", *children, *lines[end:]]


def split(text: str) -> Frontmatter | None:
    """The frontmatter of `text`; `None` for a bare file.

    A file that starts with `---` but never closes it, or whose block is prose, is bare too: it
    starts with a ruled line.

    Raises:
        InvalidDocument: the block is not YAML, or uses what is refused (aliases, tags, the same
            key twice, deep nesting, more than 64 KiB).
    """
    mark = _BOM if text.startswith(_BOM) else ""
    opening = _OPENING.match(text, len(mark))
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return None
    block = text[opening.end() : closing.start()]
    if len(block.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise InvalidDocument(f"frontmatter is larger than {MAX_BYTES // 1024} KiB")
    if block.strip() and not _ANY_KEY.search(block):
        return None
    return Frontmatter(
        opening=text[: opening.end()],
        lines=lines_of(block),
        closing=closing.group(),
        body=text[closing.end() :],
        values=_values(block),
    )


def compose(values: Mapping[str, str | Mapping[str, str]], body: str) -> str:
    """A new file: `values` are rendered already, tables one level deep."""
    lines = ["---"]
    for key, value in values.items():
        if isinstance(value, str):
            lines.append(f"{key}: {value}")
        else:
            lines.append(f"{key}:")
            lines += [f"  {name}: {item}" for name, item in value.items()]
    lines += ["---", ""]
    return "\n".join(lines) + body


_PLAIN = re.compile(r"[^\W\d_](?:[\w ,;.!?()/+=<>'’…–—%$&*@^~|-]|:(?=[^\s:])|#(?<=\S#))*$")
# Words other YAML readers would turn into something that is not text.
_NOT_TEXT = {"true", "false", "yes", "no", "on", "off", "null", "nan", "y", "n"}


def scalar(text: str) -> str:
    """`text` as one line of YAML: plain where every YAML reader agrees, else in double quotes."""
    if (
        _PLAIN.match(text)
        and text.isprintable()
        and not text.endswith(" ")
        and text.lower() not in _NOT_TEXT
    ):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() or c == " " else _escape(c) for c in quoted)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def flow(value: Value) -> str:
    """Any value on one line."""
    if isinstance(value, str):
        return scalar(value) if value else '""'
    if isinstance(value, list):
        return "[" + ", ".join(_item(item) for item in value) + "]"
    return "{" + ", ".join(f"{_item(key)}: {flow(item)}" for key, item in value.items()) + "}"


def _item(value: Any) -> str:
    if isinstance(value, str):
        return value if _PLAIN_ITEM.match(value) and value.isprintable() else json.dumps(value)
    return flow(value)


# --- where a key's lines are ---------------------------------------------------------------------


def _block(lines: list[str], key: str, start: int, end: int, indent: str) -> tuple[int, int]:
    """The lines of `key` between `start` and `end`; an empty range at the end when it is new."""
    wanted = re.compile(rf"""{indent}(["']?){re.escape(key)}\1[ \t]*:(?:\s|$)""")
    for at in range(start, end):
        if wanted.match(lines[at]):
            stop = at + 1
            while stop < end and not _starts_at(lines[stop], indent):
                stop += 1
            while stop > at + 1 and _is_blank_or_comment(lines[stop - 1]):
                stop -= 1
            return at, stop
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end, end


def _starts_at(line: str, indent: str) -> bool:
    """Does a new key begin here? A list's dash at the same depth still belongs to the key above."""
    if not line.startswith(indent) or not line.strip():
        return False
    rest = line[len(indent) :]
    return not rest[0].isspace() and not rest.startswith(("- ", "-\n", "-\r"))


def _is_blank_or_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _child_indent(lines: list[str], start: int, end: int) -> str:
    for line in lines[start:end]:
        if not _is_blank_or_comment(line):
            return line[: len(line) - len(line.lstrip(" "))] or "  "
    return "  "


def lines_of(text: str) -> tuple[str, ...]:
    """Lines with their ends, cut at newlines only; `str.splitlines` also cuts at form feeds."""
    parts = text.split("\n")
    ended = [part + "\n" for part in parts[:-1]]
    return tuple(ended + parts[-1:]) if parts[-1] else tuple(ended)


# --- reading values ------------------------------------------------------------------------------


def _values(block: str) -> dict[str, Value]:
    simple = _read_simply(block)
    return _read_yaml(block) if simple is None else simple


def _read_simply(block: str) -> dict[str, Value] | None:
    """The values of a block of `key: value` lines, at most one table deep; `None`: use YAML.

    It takes one thing YAML refuses: `description: Use X: not Y`. Models write that often, and
    what was meant is plain.
    """
    values: dict[str, Value] = {}
    table: dict[str, Value] | None = None
    depth = 0
    for raw in block.split("\n"):
        line = raw.removesuffix("\r")
        match = _KEY_LINE.match(line)
        if match is None:
            if _is_blank_or_comment(line):
                continue
            return None
        spaces, key, rest = match.groups("")
        indent = len(spaces)
        if indent:
            if table is None or depth not in (0, indent):
                return None
            depth = indent
        else:
            depth = 0
        target = table if indent and table is not None else values
        value = _simple_value(rest)
        if value is None or key in target:
            return None
        target[key] = value
        if not indent:
            table = None
            if value == "" and not rest.strip().startswith(("'", '"')):
                table = {}
                values[key] = table
    # An empty table is a key without a value.
    return {key: "" if value == {} else value for key, value in values.items()}


def _simple_value(rest: str) -> Value | None:
    text = rest.strip(" \t")
    if text[:1] not in _MARKS and "#" not in text:
        return text if text.isprintable() else None
    if text.startswith("#"):
        return ""
    if text.startswith("["):
        inside = _COMMENT.sub("", text)
        if not inside.endswith("]"):
            return None
        items = [item.strip() for item in inside[1:-1].split(",")]
        if items == [""]:
            return []
        return list(items) if all(_PLAIN_ITEM.match(item) for item in items) else None
    if text.startswith('"'):
        closed = re.fullmatch(r'"((?:[^"\\]|\\["\\])*)"(?:[ \t]+#.*)?', text)
        return re.sub(r"\\(.)", r"\1", closed[1]) if closed else None
    if text.startswith("'"):
        closed = re.fullmatch(r"'((?:[^']|'')*)'(?:[ \t]+#.*)?", text)
        return closed[1].replace("''", "'") if closed else None
    if _NOT_PLAIN.match(text) or not text.isprintable():
        return None
    return _COMMENT.sub("", text)


def _read_yaml(block: str) -> dict[str, Value]:
    import yaml

    try:
        root = _from_events(block)
    except yaml.YAMLError as error:
        raise InvalidDocument(
            f"frontmatter is not YAML: {_where(error)}",
            hint="put a value that holds ': ', '#' or quotes into double quotes",
        ) from None
    if root in ("", None):
        return {}
    if not isinstance(root, dict):
        raise InvalidDocument("frontmatter must be a table of `key: value` lines")
    return root


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{problem} (line {mark.line + 2})" if mark is not None else str(problem)


def _from_events(block: str) -> Value | None:
    """Build plain values from YAML events; refuses what a memory has no use for."""
    import yaml

    stack: list[tuple[list[Any] | dict[str, Any], list[str]]] = []
    root: Value | None = None
    for event in cast("Any", yaml).parse(block, Loader=yaml.SafeLoader):
        name = type(event).__name__
        if name == "AliasEvent" or getattr(event, "anchor", None):
            raise InvalidDocument("frontmatter uses YAML anchors or aliases, which are not read")
        if name == "DocumentStartEvent" and root is not None:
            raise InvalidDocument("frontmatter holds more than one YAML document")
        if getattr(event, "tag", None):
            raise InvalidDocument(f"frontmatter uses the YAML tag {event.tag}, which is not read")
        if name in ("MappingEndEvent", "SequenceEndEvent"):
            stack.pop()
            continue
        value = _opened(name, event)
        if value is None:
            continue
        if stack:
            _attach(stack[-1], value)
        elif root is None:
            root = value
        if not isinstance(value, str):
            if len(stack) >= MAX_DEPTH:
                raise InvalidDocument(f"frontmatter is nested deeper than {MAX_DEPTH} levels")
            stack.append((value, []))
    return root


def _opened(name: str, event: Any) -> Value | None:
    match name:
        case "ScalarEvent":
            return str(event.value)
        case "MappingStartEvent":
            return {}
        case "SequenceStartEvent":
            return []
        case _:
            return None


def _attach(parent: tuple[list[Any] | dict[str, Any], list[str]], value: Value) -> None:
    container, pending = parent
    if isinstance(container, list):
        container.append(value)
    elif not pending:
        if not isinstance(value, str):
            raise InvalidDocument("frontmatter uses a list or table as a key")
        if value in container:
            raise InvalidDocument(f"frontmatter has the key {value} twice")
        pending.append(value)
    else:
        container[pending.pop()] = value
