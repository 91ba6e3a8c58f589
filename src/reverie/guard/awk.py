"""awk programs that neither write a file nor run a command.

A program is taken apart as every awk does it: a slash begins a pattern where no operand stands
before it, else it divides. Where two awks could disagree the program is refused. What is left is
simple: outside texts and patterns no pipe, no `@`, none of the words that open, run or reach
variables by name, and no `>` behind a `print`.
"""

import re
from collections.abc import Iterator

from reverie.errors import Refused
from reverie.guard.flags import Flags, names
from reverie.guard.scripts import check_brackets
from reverie.guard.words import UNKNOWN, Word

_TOKEN = re.compile(
    r"""(?P<blank>[ \t]+|\#[^\n]*)
    |(?P<text>"(?:[^"\\\n]|\\[^\n])*")
    |(?P<number>0[xX][0-9A-Fa-f]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<sign>\|\||&&|>>|>=|<=|==|!=|!~|\+\+|--|\*\*=?|[-+*%^]=|[-+*%^!<>|?:~$=,;()\[\]{}&@\n])
    """,
    re.VERBOSE,
)
_RE = re.compile(r"/((?:[^/\\\n]|\\[^\n])*)/")
_EXPANDED = re.compile(rf"[{UNKNOWN}{{*?\[]")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
# ARGV can name a file to read, to gawk a file under /inet is a connection, and SYMTAB reaches
# every variable by a name that is put together while the program runs.
_FORBIDDEN = names("system getline close fflush ARGV ARGC SYMTAB FUNCTAB bindtextdomain TEXTDOMAIN")
_KEYWORDS = names(
    "print printf return if else while for do in delete exit next nextfile case default switch"
    " function func BEGIN END BEGINFILE ENDFILE break continue"
)
# With or without its bracket: whether a slash behind it divides is not the same everywhere.
_UNSURE = names("length srand")
# Behind these a line break does not end a statement.
_CONTINUES = re.compile(r"[-+*/%^!<>|?:~$=,&]+|in|printf?")
_TAKES_STATEMENT = names("if while for switch")


def check_awk(words: tuple[Word, ...]) -> None:
    """Admit `-F`, `-v name=value`, a program that only reads, and files.

    Raises:
        Refused: an option, the program or an operand is not known to be harmless.
    """
    at = 0
    while at < len(words) and words[at].is_option:
        at = _after_option(words, at)
    if at == len(words) or not words[at].static or words[at].text == "--":
        raise Refused("the awk program is not plain text")
    _check_program(words[at].text)
    operands = Flags().operands("awk", words[at + 1 :])
    if any(map(_may_connect, operands)):
        raise Refused("to gawk a file under /inet is a connection")


def _may_connect(word: Word) -> bool:
    """Whether it may name a file under /inet, whatever what is not known of it becomes."""
    if not word.static and not word.safe_start:
        return True
    # A folder that is not known may be nothing.
    path = word.text.removeprefix(UNKNOWN)
    known = path if word.static else _EXPANDED.split(path, maxsplit=1)[0]
    first = known.lstrip("/")
    begins = first.startswith("inet") or (first != path.lstrip("/") and "inet".startswith(first))
    return path.startswith("/") and begins


def _after_option(words: tuple[Word, ...], at: int) -> int:
    word = words[at]
    if not word.static or not re.match(r"-[Fv]", word.text):
        raise Refused(f"`awk {word.text}` is not known to be read-only")
    value = word.text[2:]
    if not value:
        at += 1
        value = words[at].text if at < len(words) and words[at].static else "-"
    variable = word.text[1] == "v"
    if value.startswith("-") or (variable and not _VARIABLE.fullmatch(value)):
        raise Refused("the awk variable is not understood")
    return at + 1


def _check_program(program: str) -> None:
    prints = False
    before, depth = "", 0
    for kind, text in _tokens(program):
        if text in _FORBIDDEN or (kind == "sign" and text in {"|", "@", "&"}):
            raise Refused(f"the awk program holds `{text}`, which can write or run something")
        # Behind nothing it cannot compare.
        nothing = before in {"", "{", "}", ";", "\n"}
        if kind == "sign" and (text == ">>" or (text == ">" and (prints or nothing))):
            raise Refused("the awk program prints to a file")
        depth += (text in {"(", "["}) - (text in {")", "]"})
        if text in {"print", "printf"}:
            prints = True
        elif text in {";", "{", "}"} or (
            text == "\n" and not depth and not _CONTINUES.fullmatch(before)
        ):
            prints = False
        before = text


def _tokens(program: str) -> Iterator[tuple[str, str]]:
    """The kind and text of each token; patterns have the kind `pattern`.

    Raises:
        Refused: a part is not understood, or not by every awk in the same way.
    """
    at = 0
    slash = _Slash()
    while at < len(program):
        if program[at] == "/":
            match = None if slash.divides() else _RE.match(program, at)
            kind, text = ("pattern", match[0]) if match else ("sign", "/")
            if match is None and not slash.divides():
                raise Refused("a pattern of the awk program does not end")
            check_brackets(text[1:-1], "awk program")
        else:
            match = _TOKEN.match(program, at)
            if match is None:
                raise Refused("a part of the awk program is not understood")
            kind, text = str(match.lastgroup), match[0]
        at += len(text)
        if kind != "blank":
            slash.step(kind, text)
            yield kind, text


class _Slash:
    """What the next slash would be, by the tokens before it."""

    def __init__(self) -> None:
        self._operand = False
        self._unsure = False
        self._before = ""
        # For each open bracket: whether a statement follows its end, as behind `if (…)`.
        self._opened: list[bool] = []

    def divides(self) -> bool:
        if self._unsure:
            raise Refused("a slash of the awk program divides or begins a pattern")
        return self._operand

    def step(self, kind: str, text: str) -> None:
        self._unsure = text in _UNSURE
        if text in {"++", "--"}:
            # Behind an operand it belongs to that; else one must follow, and a slash is none.
            self._unsure = not self._operand
        elif text == "(":
            self._opened.append(self._before in _TAKES_STATEMENT)
            self._operand = False
        elif text == ")":
            self._operand = not (self._opened.pop() if self._opened else True)
        elif kind == "name":
            self._operand = text not in _KEYWORDS
        else:
            self._operand = kind in {"text", "number", "pattern"} or text == "]"
        self._before = text
