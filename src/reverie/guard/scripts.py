"""The little languages inside a command line: sed scripts, printf formats, tests.

Each check admits a subset that is known not to write, run or load anything. It is smaller than what
is harmless, on purpose.
"""

import re

from reverie.errors import Refused
from reverie.guard.flags import Flags, names
from reverie.guard.words import Word

_SED = Flags(
    short="nErsuz",
    valued="e",
    long=names("quiet silent regexp-extended separate unbuffered null-data sandbox posix"),
    long_valued=names("expression"),
    seen=names("expression"),
)
_SED_ADDRESS = r"(?:[0-9]+(?:~[0-9]+)?|\$|/(?:[^/\\\n]|\\[^\n])+/I?)"
_SED_LINES = re.compile(rf"(?:{_SED_ADDRESS}(?:,(?:{_SED_ADDRESS}|[+~][0-9]+))?)? *!? *")
_SED_SIMPLE = re.compile(r"[pPdD=lnNhHgGxF]|[qQ][0-9]*")
_SED_FLAGS = re.compile(r"[gpiIM0-9]*")
_CLASS = re.compile(r"\[([:.=])[a-z]+\1\]|\\.")
_BRACKET = re.compile(r"\[(?:\^[^\[\]]|[^\[\]^])[^\[\]]*\]")
_PRINTF = re.compile(r"(?:[^%\\]|%%|%-?[0-9]*(?:\.[0-9]+)?[sbqc]|\\[^c])*", re.DOTALL)
_FILE_TESTS = names("-e -f -d -s -r -w -x -L -h -z -n -b -c -p -S -u -g -k -O -G")
_WORD_TESTS = names("= == != -nt -ot -ef")
_NUMBER_TESTS = names("-eq -ne -lt -le -gt -ge")


def check_sed(words: tuple[Word, ...]) -> None:
    """Refuse options that write (`-i`) and scripts with anything but print, delete, substitute."""
    operands = _SED.operands("sed", words)
    places = [at for at, word in enumerate(words) if _is_expression(word)]
    scripts = [_value_of(words, at) for at in places]
    before = words[: places[-1]] if places else ()
    # Behind a file or `--` some seds take `-e` for a file too, and the first word for the script.
    if any(word is operand for word in before for operand in operands) or Word("--") in before:
        raise Refused("`sed -e` must come before the files")
    if not scripts:
        if not operands or not operands[0].static:
            raise Refused("the sed script is not plain text")
        scripts = [operands[0].text]
    for script in scripts:
        _check_sed_script(script)


def _is_expression(word: Word) -> bool:
    text = word.text
    if text.startswith("--"):
        return text.partition("=")[0] == "--expression"
    return word.is_option and "e" in text


def _value_of(words: tuple[Word, ...], at: int) -> str:
    text = words[at].text
    attached = text.partition("=")[2] if text.startswith("--") else text.partition("e")[2]
    if attached or text.startswith("--expression="):
        return attached
    if at + 1 == len(words) or not words[at + 1].static:
        raise Refused("the sed script is not plain text")
    return words[at + 1].text


def _check_sed_script(script: str) -> None:
    at, depth = 0, 0
    while at < len(script):
        if script[at] in "; \n":
            at += 1
            continue
        if script[at] == "}":
            depth, at = depth - 1, at + 1
            continue
        if lines := _SED_LINES.match(script, at):
            check_brackets(lines[0], "sed script")
            at = lines.end()
        if script[at : at + 1] == "{":
            depth, at = depth + 1, at + 1
            continue
        at = _after_sed_command(script, at)
    if depth:
        raise Refused("the sed script is not understood")


def _after_sed_command(script: str, at: int) -> int:
    if script[at : at + 1] == "s":
        end = _after_substitution(script, at)
    elif simple := _SED_SIMPLE.match(script, at):
        end = simple.end()
    else:
        raise Refused(f"the sed command `{script[at : at + 1]}` is not known to be read-only")
    if not re.match(r" *(?:[;}\n]|\Z)", script[end:]):
        raise Refused("the sed script is not understood")
    return end


def _after_substitution(script: str, at: int) -> int:
    mark = script[at + 1 : at + 2]
    if not re.fullmatch(r"[/|,#:@!%_~+]", mark):
        raise Refused("the sed substitution is not understood")
    part = rf"((?:[^{re.escape(mark)}\\\n]|\\[^\n])*){re.escape(mark)}"
    match = re.compile(part + part).match(script, at + 2)
    if match is None:
        raise Refused("the sed substitution is not understood")
    check_brackets(match[1], "sed script")
    flags = _SED_FLAGS.match(script, match.end())
    return flags.end() if flags else match.end()


def check_brackets(pattern: str, where: str) -> None:
    """Refuse a pattern between delimiters unless every bracket closes in it.

    Some programs let the delimiter stand inside brackets, some do not; when each bracket closes
    before the delimiter all read the same.

    Raises:
        Refused: a bracket is open, or not plain.
    """
    if "[" in _BRACKET.sub("", _CLASS.sub("_", pattern)):
        raise Refused(f"a bracket in the {where} is ambiguous")


def check_printf(words: tuple[Word, ...]) -> None:
    """Only text formats: `%d` is arithmetic to zsh, and arithmetic can run code."""
    if not words or not words[0].static or words[0].is_option:
        raise Refused("the printf format is not plain text")
    if not _PRINTF.fullmatch(words[0].text):
        raise Refused("the printf format may only hold %s, %b, %q and %c")


def check_test(name: str, words: tuple[Word, ...]) -> None:
    """One comparison; numbers must be written out, since a shell evaluates anything else."""
    if name == "[" and words and words[-1].text == "]":
        words = words[:-1]
    if words and words[0].text == "!":
        words = words[1:]
    if not all(word.single for word in words):
        raise Refused("an unquoted expansion in a test is not understood")
    match words:
        case (Word(text=text, static=True),) if not text.startswith("-"):
            return
        case (Word(text=operator, static=True), _) if operator in _FILE_TESTS:
            return
        case (left, Word(text=operator, static=True), right) if operator in _WORD_TESTS:
            if not left.is_option and right.text not in {"(", ")"}:
                return
        case (left, Word(text=operator, static=True), right) if operator in _NUMBER_TESTS:
            if all(side.static and re.fullmatch(r"[0-9]+", side.text) for side in (left, right)):
                return
        case _:
            pass
    raise Refused("the test is not one simple comparison")
