"""A command line taken apart: what would be run, with which words, under the shell's own grammar.

The grammar is tree-sitter-bash. A grammar for editors forgives where a shell does not, so the tree
is never trusted alone: only node kinds named here pass, every byte between two nodes must be blank,
and a literal that still holds an unquoted `$`, backtick or operator is refused. What cannot be
explained completely is refused; nothing is guessed.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from reverie.errors import Refused, Unavailable
from reverie.guard.braces import MAX_WORDS, most_words
from reverie.guard.here_documents import PLACE, without_here_documents
from reverie.guard.outputs import Output, said_by
from reverie.guard.surroundings import NOWHERE, Folder
from reverie.guard.words import (
    UNKNOWN,
    UNSPLIT,
    Command,
    Word,
    concatenated,
    double_quoted,
    only_reads,
    values_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_BYTES = 10_000
MAX_DEPTH = 20
# How often the body of a loop is looked at, for all loops of a line together.
MAX_ROUNDS = 200

# A variable is text that nobody has seen, unless a loop of the line gives it: nothing else can.
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\?")
_BRACED_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
# A default, a part cut off, a length: nothing that assigns, counts or looks elsewhere.
_CHANGED_VARIABLE = re.compile(
    r"\$\{(?:#[A-Za-z_]\w*|[A-Za-z_]\w*(?::?-[A-Za-z0-9_./]*|(?:%%?|##?)[A-Za-z0-9_.*/-]+))\}",
    re.ASCII,
)
# zsh applies `:s/a/b/` and its kin to a variable, quoted or not.
_MODIFIER = re.compile(rb"\[|:[A-Za-z&]")
# Lower case is no protection: `path` is PATH in zsh. So what may be set is these or one letter.
_LOOP_VARIABLE = re.compile(
    r"(?i:[a-z]|files?|item|line|dir|name|word|branch|commit|sha|ext|folder|pkg|repo|pattern|entry"
    r"|note|hash|author|key|value|url|tag|module|test|rest|count|version|total|result|root|base"
    r"|latest|current|output|size)"
)
HARMLESS_ASSIGNMENT = re.compile(
    r"(?:LC_[A-Z]+|LANG)=[A-Za-z0-9_.@-]*|TZ=[A-Za-z0-9_+/-]*|(?:NO_COLOR|FORCE_COLOR)=[0-9]?"
    r"|(?:GIT_|MAN|GH_|SYSTEMD_|BAT_)?PAGER=cat|GIT_OPTIONAL_LOCKS=0|(?:COLUMNS|MANWIDTH)=[0-9]+|TERM=[a-z0-9-]+"
)
_READ_SEPARATOR = re.compile(r"IFS=(?:[,:]|'[,:|]'|\"[,:|]\")?")
_WORDS_OF_COMMENT = re.compile(r"#([A-Za-z0-9_,./: -]*)")
_BLANK = re.compile(rb"[ \t]*")
# A continuation counts as blank only beside a real one: the shell joins `a\<newline>b` into `ab`.
_BETWEEN_WORDS = re.compile(rb"(?:\\\n)*[ \t](?:[ \t]|\\\n)*")
_BARE = re.compile(r"(?:[A-Za-z0-9_./:=,@%+~^*?{}!#\[\]\x80-\U0010ffff-]|\\[ -~])+")
_GLOB = re.compile(r"[*?\[]")
# zsh can be set to expand more than bash does: `{ab}`, and `^` and `#` as patterns.
_BRACES = re.compile(r"\{[^{}]+\}")
_ZSH_GLOB = re.compile(r"[#^]")
# Nothing that an arithmetic could look up, so nothing that could run.
_SUM = re.compile(r"\$\(\([0-9+*/% -]+\)\)")
_ASSIGNED = re.compile(r"[A-Za-z0-9_./:@%+, -]+")
_ANSI_TEXT = re.compile(r"\$'((?:[^\\'\n]|\\[tn])*)'")
_TO_TOP = re.compile(r'cd +("?)\$\(git rev-parse --show-toplevel(?: 2>/dev/null)?\)\1')
_SEPARATORS = {";", "\n", "&&", "||", "|", "|&"}
_BRANCHES = _SEPARATORS | {"if", "then", "else", "elif", "fi"}
_SEQUENCES: dict[str, set[str]] = {
    "program": _SEPARATORS,
    "list": _SEPARATORS,
    "pipeline": _SEPARATORS,
    "subshell": _SEPARATORS | {"(", ")"},
    "compound_statement": _SEPARATORS | {"{", "}"},
    "command_substitution": _SEPARATORS | {"$(", ")"},
    "process_substitution": _SEPARATORS | {"<(", ")"},
    "do_group": _SEPARATORS | {"do", "done"},
    "negated_command": {"!"},
    "if_statement": _BRANCHES,
    "else_clause": _BRANCHES,
    "elif_clause": _BRANCHES,
}
_EXPANSIONS = {"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"}


def commands(line: str, folder: Folder = NOWHERE) -> tuple[Command, ...]:
    """Every simple command that running `line` in `folder` could start.

    Raises:
        Refused: the line writes, assigns, defines, evaluates or cannot be explained completely.
        Unavailable: the parser is not installed.
    """
    _check_source(line)
    started: list[Command] = []
    for piece, here_documents in without_here_documents(line):
        reader = _Reader(piece.encode("utf-8"), folder)
        started += reader.commands()
        if reader.without_comments != reader.source:
            started += _Reader(reader.without_comments, folder).commands()
        if reader.here_documents != here_documents:
            raise Refused("the here-document is not where it seems to be")
    if not started:
        raise Refused("there is no command on the line")
    return tuple(started)


def _check_source(line: str) -> None:
    for char in line:
        if char in "\n\t ":
            continue
        if unicodedata.category(char)[0] in "CZ":
            raise Refused(f"the line holds U+{ord(char):04X}, which is invisible or a control")
    if len(line.encode("utf-8")) > MAX_BYTES:
        raise Refused(f"the command line is longer than {MAX_BYTES} bytes")


@cache
def _parser() -> "Parser":
    try:
        import tree_sitter_bash
        from tree_sitter import Language, Parser
    except ImportError:
        raise Unavailable(
            "the shell parser is not installed, so no shell command can be allowed",
            hint="pip install tree-sitter tree-sitter-bash",
        ) from None
    return Parser(Language(tree_sitter_bash.language()))


class _Reader:
    """Walks one tree of one source."""

    def __init__(self, source: bytes, folder: Folder) -> None:
        self.source = source
        self._folder = folder
        self.here_documents = 0
        # The source as a shell without comments would read it, if there are any behind commands.
        self.without_comments = source
        self._rounds = 0
        self._braced_words = 0
        # What was assigned, and what the variable of each loop around the place that is read
        # holds; None if unknown.
        self._bound: dict[str, Word | None] = {}
        # What a substitution says, or a loop is told, by where it begins.
        self._outputs: dict[int, Output] = {}

    def commands(self) -> list[Command]:
        """Every command of the source.

        Raises:
            Refused: it does not parse, or a part of it is not understood.
        """
        root = _parser().parse(self.source).root_node
        outside = self.source[: root.start_byte] + self.source[root.end_byte :]
        if root.has_error or outside.strip(b" \t\n"):
            raise Refused("the command line does not parse")
        return list(self.statements(root, 0))

    def statements(self, node: "Node", depth: int) -> Iterator[Command]:
        """The commands of a statement node of any admitted kind."""
        if depth > MAX_DEPTH:
            raise Refused("the command line is nested too deeply")
        if (tokens := _SEQUENCES.get(node.type)) is not None:
            yield from self._sequence(node, tokens, depth)
            return
        match node.type:
            case "for_statement":
                yield from self._loop(node, depth)
            case "while_statement":
                yield from self._reading_loop(node, depth)
            case "redirected_statement":
                yield from self._redirected(node, depth)
            case "command":
                yield from self._command(node, depth)
            case "test_command":
                yield from self._test(node, depth)
            case _:
                raise Refused(f"{_kind(node)} is not allowed on a read-only command line")

    def _sequence(self, node: "Node", tokens: set[str], depth: int) -> Iterator[Command]:
        self._only_blank_between(node, newline=True)
        earlier: list[Command] = []
        for child in node.children:
            if child.type == "comment":
                self._comment(child)
            elif child.type == "variable_assignment" and node.type in {"program", "list"}:
                yield from self._bind(child, depth, surely=_always_runs(child))
            elif child.is_named:
                if node.type == "pipeline" and child.type in {"while_statement", "command"}:
                    self._feed(child, node.named_children, earlier)
                started = list(self.statements(child, depth + 1))
                earlier += started
                yield from started
            elif child.type not in tokens:
                raise Refused(f"`{child.type.strip() or child.type!r}` is not allowed here")

    def _only_blank_between(self, node: "Node", *, newline: bool = False) -> None:
        end = node.start_byte
        for child in node.children:
            gap = self.source[end : child.start_byte]
            if newline:
                gap = gap.replace(b"\\\n", b"").replace(b"\n", b"")
            if not _BLANK.fullmatch(gap):
                raise Refused("part of the command line is not understood")
            end = child.end_byte
        if self.source[end : node.end_byte].strip(b" \t\n"):
            raise Refused("part of the command line is not understood")

    def _comment(self, node: "Node") -> None:
        earlier, _, before = self.source[: node.start_byte].rpartition(b"\n")
        if not before.strip(b" \t") and not earlier.endswith(b"\\"):
            return
        # An interactive zsh takes it for words, so it must be harmless as words too.
        words = _WORDS_OF_COMMENT.fullmatch(self._text(node))
        if words is None or not re.search(rb"[^\\ \t][ \t]+\Z", before):
            raise Refused("a comment after a command may only hold plain words")
        after = self.source[node.end_byte :]
        if after.strip(b" \t\n"):
            raise Refused("a comment after a command may only be the last thing on the line")
        self.without_comments = self.source[: node.start_byte] + f"'#' {words[1]}".encode()

    def _loop(self, node: "Node", depth: int) -> Iterator[Command]:
        self._only_blank_between(node, newline=True)
        name = node.child_by_field_name("variable")
        if name is None:
            raise Refused("the loop has no variable")
        words: list[Word] = []
        for child in node.children:
            if child.is_named and child.type != "do_group" and child != name:
                yield from self._inside(child, depth)
                words.append(self._word(child))
            elif not child.is_named and child.type not in {"for", "in", ";", "\n"}:
                raise Refused(f"`{child.type}` is not allowed in a loop")
        body = [child for child in node.children if child.type == "do_group"]
        yield from self._rounds_of(body, [self._text(name)], values_of(words), depth)

    def _reading_loop(self, node: "Node", depth: int) -> Iterator[Command]:
        """`while read -r NAME; do … done`; any other condition could go on for ever."""
        self._only_blank_between(node, newline=True)
        condition = node.child_by_field_name("condition")
        kinds = [child.type for child in node.children if child.type not in {";", "\n"}]
        if condition is None or kinds != ["while", "command", "do_group"]:
            raise Refused("a `while` that does more than read is not allowed")
        self._words_stand_apart(condition)
        parts = [self._text(child) for child in condition.children]
        if parts and _READ_SEPARATOR.fullmatch(parts[0]):
            parts = parts[1:]
        names = parts[2:] if parts[:2] == ["read", "-r"] else parts[1:]
        if parts[:1] != ["read"] or not names:
            raise Refused("a `while` that does more than read is not allowed")
        body = [child for child in node.children if child.type == "do_group"]
        output = self._outputs.get(node.start_byte, Output.ANY)
        value = output.line() if len(names) == 1 else None
        yield from self._rounds_of(body, names, [value, value], depth)

    def _rounds_of(
        self, body: list["Node"], names: list[str], values: list[Word | None], depth: int
    ) -> Iterator[Command]:
        """The commands of a loop's body, once for each value its variables can have."""
        for name in names:
            if not _LOOP_VARIABLE.fullmatch(name):
                raise Refused("the loop variable could be one the shell itself uses")
            # An inner loop would change it under the outer one.
            if name in self._bound:
                raise Refused("two loops, one inside the other, share a variable")
        for value in values:
            self._rounds += 1
            if self._rounds > MAX_ROUNDS:
                raise Refused("the loops of the line are too long")
            self._bound.update(dict.fromkeys(names, value))
            for part in body:
                yield from self.statements(part, depth + 1)
        for name in names:
            self._bound.pop(name, None)

    def _redirected(self, node: "Node", depth: int) -> Iterator[Command]:
        self._only_blank_between(node)
        body = node.child_by_field_name("body")
        if body is None:
            raise Refused("a redirection without a command")
        for child in node.children:
            if child == body:
                yield from self.statements(child, depth + 1)
            else:
                yield from self._redirect(child, depth)

    def _redirect(self, node: "Node", depth: int) -> Iterator[Command]:
        if node.type not in {"file_redirect", "herestring_redirect"}:
            raise Refused(f"{_kind(node)} is not allowed on a read-only command line")
        before = self.source[max(node.start_byte - 1, 0) : node.start_byte]
        if before not in (b"", b" ", b"\t"):
            raise Refused("a redirection must stand apart from the word before it")
        self._only_blank_between(node)
        descriptors = [child for child in node.children if child.type == "file_descriptor"]
        # The grammar takes `-o2` of `-o2>&1` for a descriptor; to the shell it is a word.
        if not all(re.fullmatch("[0-9]", self._text(child)) for child in descriptors):
            raise Refused("a word that touches a redirection is ambiguous")
        children = [child for child in node.children if child not in descriptors]
        # The grammar hangs every following word on the redirection; the shell gives it to the
        # command. Exactly one target is the only reading both agree on.
        if len(children) != 2:
            raise Refused("words after a redirection are ambiguous; put the redirection last")
        yield from self._inside(children[1], depth)
        operator, target = children[0].type, self._target(children[1])
        if operator == "<" and target == Word(PLACE) and not descriptors:
            self.here_documents += 1
        elif not only_reads(operator, target, children[1].type):
            raise Refused(f"the redirection `{operator}{target.text}` could write")

    def _target(self, node: "Node") -> Word:
        # A file is one word: the shell refuses what splits.
        if node.type == "simple_expansion":
            return self._variable(node, quoted=True)
        return self._word(node)

    def _command(self, node: "Node", depth: int) -> Iterator[Command]:
        self._words_stand_apart(node)
        name = ""
        words: list[Word] = []
        for child in node.children:
            if child.type == "command_name":
                name = self._name(child)
            elif child.type == "variable_assignment":
                self._assignment(child)
            elif child.type in {"file_redirect", "herestring_redirect"}:
                yield from self._redirect(child, depth)
            elif not child.is_named:
                raise Refused(f"{_kind(child)} is not allowed on a read-only command line")
            else:
                yield from self._inside(child, depth)
                words.append(self._word(child))
        if not name:
            raise Refused("an assignment without a command changes the shell itself")
        if _TO_TOP.fullmatch(self._text(node)) and self._folder.top is not None:
            words = [Word(self._folder.top)]
        output = self._outputs.get(node.start_byte)
        plain = output is Output.PLAIN and not re.search("[<>]", self._text(node))
        yield Command(name, tuple(words), told_plain=plain)

    def _words_stand_apart(self, node: "Node") -> None:
        children = node.children
        for before, after in pairwise(children):
            if not _BETWEEN_WORDS.fullmatch(self.source[before.end_byte : after.start_byte]):
                raise Refused("two words of a command are not separated by blanks alone")
        if not children or (children[0].start_byte, children[-1].end_byte) != (
            node.start_byte,
            node.end_byte,
        ):
            raise Refused("part of the command line is not understood")

    def _name(self, node: "Node") -> str:
        text = self._text(node)
        if not re.fullmatch(r"[A-Za-z0-9_./:\[+-]+", text):
            raise Refused("the command's name must be a plain word")
        return text

    def _assignment(self, node: "Node") -> None:
        text = self._text(node)
        if not HARMLESS_ASSIGNMENT.fullmatch(text):
            raise Refused(f"setting {text.partition('=')[0]} can change what a command does")

    def _bind(self, node: "Node", depth: int, *, surely: bool) -> Iterator[Command]:
        """`NAME=text` as a statement that always runs: later on the value is known.

        What the shell will know only then, `NAME=$(…)`, stays unknown, so it may not run too.
        """
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if (
            name is None
            or value is None
            or self._text(node) != (f"{self._text(name)}={self._text(value)}")
        ):
            raise Refused("only NAME=text may be assigned")
        yield from self._inside(value, depth)
        # What is assigned is not split.
        substituted = value.type == "command_substitution"
        word = self._answer(value, quoted=True) if substituted else self._word(value)
        if not _LOOP_VARIABLE.fullmatch(self._text(name)):
            raise Refused("the variable could be one the shell itself or a program uses")
        asked = (substituted or value.type == "string") and UNKNOWN in word.text
        if not asked and not (surely and word.static and _ASSIGNED.fullmatch(word.text)):
            raise Refused("only plain text and what a command says may be assigned")
        known = not asked or (surely and (word.safe_start or word.plain))
        self._bound[self._text(name)] = word if known else None

    def _test(self, node: "Node", depth: int) -> Iterator[Command]:
        """`[ … ]` and `[[ … ]]` become a `test` command; arithmetic in them can run code."""
        raw = self._text(node)
        opening = "[[" if raw.startswith("[[") else "["
        words: list[Word] = []
        for leaf in self._test_leaves(node):
            if not leaf.is_named and leaf.type in {"[", "]", "[[", "]]"}:
                continue
            if leaf.type == "test_operator" or not leaf.is_named:
                words.append(Word(self._text(leaf)))
            else:
                yield from self._inside(leaf, depth)
                words.append(self._word(leaf))
        yield Command(opening, tuple(words))

    def _test_leaves(self, node: "Node") -> Iterator["Node"]:
        self._only_blank_between(node)
        for child in node.children:
            if child.type in {"unary_expression", "binary_expression"}:
                yield from self._test_leaves(child)
            else:
                yield child

    def _inside(self, node: "Node", depth: int) -> Iterator[Command]:
        """The commands of substitutions inside a word."""
        if node.type in {"command_substitution", "process_substitution"}:
            outside = self.here_documents
            started = list(self.statements(node, depth + 1))
            if node.named_child_count == 1:
                end = node.end_byte
                self._outputs[node.start_byte] = self._said(node.named_children, end, started)
            yield from started
            # The end of a substitution ends a here-document too, and its rows become commands.
            if self.here_documents != outside:
                raise Refused("a here-document in a substitution is not understood")
        elif node.type in {"string", "concatenation"}:
            for child in node.children:
                yield from self._inside(child, depth + 1)

    def _said(self, parts: list["Node"], end: int, started: list[Command]) -> Output:
        """What a pipeline of `parts` says up to `end`, which runs the commands `started`."""
        output = said_by(parts, self.source[parts[0].start_byte : end], started)
        return Output.ANY if output is Output.TRACKED and self._folder.tracks_devices else output

    def _feed(self, node: "Node", parts: list["Node"], started: list[Command]) -> None:
        """Keep what a part of a pipeline is told by those before it."""
        parts = parts[: parts.index(node)]
        # The grammar hangs `done < FILE` on the whole pipeline.
        if parts and not re.match(rb"[^;|\n]*<", self.source[node.end_byte :]):
            self._outputs[node.start_byte] = self._said(parts, node.start_byte, started)

    def _answer(self, node: "Node", *, quoted: bool) -> Word:
        """The word that a substitution gives."""
        return self._outputs.get(node.start_byte, Output.ANY).word(quoted=quoted)

    def _word(self, node: "Node") -> Word:
        match node.type:
            case "word" | "number":
                return self._bare(self._text(node))
            case "raw_string":
                return Word(self._raw(node))
            case "string":
                return self._quoted(node)
            case "simple_expansion":
                return self._variable(node, quoted=False)
            case "command_substitution":
                return self._answer(node, quoted=False)
            case "process_substitution":
                # A path the shell makes up: /dev/fd/63.
                return Word(UNKNOWN, static=False)
            case "expansion":
                return self._braced(node, quoted=False)
            case "arithmetic_expansion":
                return self._sum(node)
            case "ansi_c_string":
                return self._ansi(node)
            case "concatenation":
                return self._joined(node)
            case _:
                raise Refused(f"{_kind(node)} is not allowed on a read-only command line")

    def _bare(self, text: str) -> Word:
        if not _BARE.fullmatch(text):
            raise Refused(f"`{text}` holds a character with a meaning of its own")
        if text.startswith(("#", "=")) and text != "=":
            raise Refused(f"`{text}` means different things to different shells")
        unescaped = re.sub(r"\\.", "_", text)
        if text.startswith("~"):
            return Word(text, static=False, single=not _GLOB.search(unescaped))
        self._count_braced(unescaped)
        expands = any(kind.search(unescaped) for kind in (_GLOB, _BRACES, _ZSH_GLOB))
        unsafe = "[{-" if unescaped[0] in "*?^" and not self._folder.has_dashes else "*?[{-^"
        return Word(
            re.sub(r"\\(.)", r"\1", text),
            static=not expands,
            # `x#` may stand for no x at all, so behind it anything could come first.
            safe_start=not expands or (unescaped[0] not in unsafe and "#" not in unescaped),
            single=not expands,
        )

    def _ansi(self, node: "Node") -> Word:
        match = _ANSI_TEXT.fullmatch(self._text(node))
        if match is None:
            raise Refused("an escape in $'…' is not understood; only \\t and \\n are")
        return Word(match[1].replace("\\t", "\t").replace("\\n", "\n"))

    def _raw(self, node: "Node") -> str:
        text = self._text(node)
        if len(text) < 2 or text[0] != "'" or text[-1] != "'" or "'" in text[1:-1]:
            raise Refused("a quoted text is not understood")
        return text[1:-1]

    def _quoted(self, node: "Node") -> Word:
        start, end = node.start_byte + 1, node.end_byte - 1
        if self.source[node.start_byte : start] != b'"' or self.source[end : end + 1] != b'"':
            raise Refused("a quoted text is not understood")
        parts: list[Word] = []
        at = start
        for child in node.children:
            if child.type in _EXPANSIONS:
                # The grammar counts blanks before the second variable of a text as part of it.
                start = child.end_byte - len(self._text(child).lstrip(" \t").encode())
                parts.append(double_quoted(self.source[at:start].decode()))
                if child.type == "simple_expansion":
                    parts.append(self._variable(child, quoted=True))
                elif child.type == "expansion":
                    parts.append(self._braced(child, quoted=True))
                elif child.type == "arithmetic_expansion":
                    parts.append(self._sum(child))
                else:
                    parts.append(self._answer(child, quoted=True))
                at = child.end_byte
            elif child.is_named and child.type != "string_content":
                raise Refused(f"{_kind(child)} is not allowed on a read-only command line")
        parts.append(double_quoted(self.source[at:end].decode()))
        return concatenated(parts)

    def _joined(self, node: "Node") -> Word:
        parts: list[Word] = []
        end = node.start_byte
        for child in node.children:
            if child.start_byte != end or not child.is_named:
                raise Refused("a word made of several parts is not understood")
            parts.append(self._word(child))
            end = child.end_byte
        joined = concatenated(parts)
        # Braces may be spread over the parts, so the source without its quoted parts decides.
        plain = {"word", "number", "simple_expansion"}
        text = "".join(self._text(c) if c.type in plain else "_" for c in node.children)
        if _BRACES.search(text):
            self._count_braced(text)
            return Word(joined.text, False, joined.safe_start and text[0] not in "{-", False)
        return joined

    def _count_braced(self, text: str) -> None:
        if "{" in text:
            self._braced_words += most_words(text)
        if self._braced_words > MAX_WORDS:
            raise Refused(f"braces that make more than {MAX_WORDS} words are not allowed")

    def _sum(self, node: "Node") -> Word:
        if not _SUM.fullmatch(self._text(node).strip(" \t")):
            raise Refused("arithmetic with more than plain numbers can run code")
        return Word(UNKNOWN, static=False, safe_start=False)

    def _variable(self, node: "Node", *, quoted: bool) -> Word:
        name = self._text(node).strip(" \t")[1:]
        if not _VARIABLE.fullmatch(name):
            raise Refused(f"what ${name} holds is not known")
        return self._unknown(node, name, quoted=quoted)

    def _braced(self, node: "Node", *, quoted: bool) -> Word:
        """`${NAME}` and few forms more: the others can assign, run or look elsewhere."""
        text = self._text(node).lstrip(" \t")
        match = _BRACED_VARIABLE.fullmatch(text)
        if match is None and not _CHANGED_VARIABLE.fullmatch(text):
            raise Refused("an expansion beyond ${NAME} is not allowed on a read-only command line")
        return self._unknown(node, match[1] if match else "", quoted=quoted)

    def _unknown(self, node: "Node", name: str, *, quoted: bool) -> Word:
        if _MODIFIER.match(self.source, node.end_byte):
            raise Refused("zsh reads what follows the variable as arithmetic or a change of it")
        bound = self._bound.get(name)
        if bound is not None and bound.plain:
            return replace(bound, single=quoted)
        if bound is not None and (quoted or (bound.static and UNSPLIT.fullmatch(bound.text))):
            return bound
        begins_with_slash = name == "HOME" or (quoted and name == "PWD")
        return Word(UNKNOWN, static=False, safe_start=begins_with_slash, single=quoted)

    def _text(self, node: "Node") -> str:
        return self.source[node.start_byte : node.end_byte].decode()


def _always_runs(node: "Node") -> bool:
    """Whether the shell comes to a statement whatever happens before."""
    parent = node.parent
    while parent is not None and parent.type == "list" and parent.children[0] == node:
        node, parent = parent, parent.parent
    return parent is not None and parent.type == "program"


def _kind(node: "Node") -> str:
    return node.type.replace("_", " ") if node.is_named else f"`{node.type}`"
