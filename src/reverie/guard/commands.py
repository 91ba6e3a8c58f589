"""Whether each command of a line only reads; `vocabulary.py` holds what may be given to which."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from reverie.errors import Refused
from reverie.guard import scripts
from reverie.guard.awk import check_awk
from reverie.guard.flags import Flags
from reverie.guard.git import check_git, looks_into_submodules, split_global
from reverie.guard.repository import check_no_submodule, check_place
from reverie.guard.shell import HARMLESS_ASSIGNMENT
from reverie.guard.surroundings import check_nothing_to_import, check_obeyed
from reverie.guard.vocabulary import (
    BEFORE_VERB,
    CHECKED,
    FIND_TESTS,
    HARMLESS,
    JSON_TOOL,
    LINES,
    OBEYED,
    REASONS,
    TELLING,
    VERBS,
    VERSIONS,
    WRAPPERS,
)
from reverie.guard.words import UNKNOWN, Command, Word, concatenated

_FIND_VALUE = re.compile(r"-[0-9]+[cwbkMG]?|-[ugoa]+[+=][rwxXst]+")
# What find may start for each file. A path it hands over begins as the place to look in was
# written, so it is never an option; a shell function of a name is not reached from there.
_FIND_RUNS = (
    HARMLESS | frozenset(CHECKED) | {"sed", "awk", "gawk", "mawk", "xxd", "gzip", "test", "["}
)
# xxd looks at the first two letters of an option only, so letters must not be clustered.
_XXD_OPTION = re.compile(r"-(?:[bpuE]|ps|[glsc][0-9]+)")
_XARGS = re.compile(r"-[0rt]+|-[nLP][0-9]+|-I(?:\{\}|%|@)|-d(?:\\n|,| )|--null|--no-run-if-empty")
_XARGS_VALUED = {"-n": r"[0-9]+", "-L": r"[0-9]+", "-P": r"[0-9]+", "-I": r"\{\}|%|@", "-d": r"\\n"}
# Run by xargs a program gets words nobody has seen, so only those that can take any pass. These
# can, once no shell function of the name stands before them.
_XARGS_RUNS = frozenset({"grep", "egrep", "fgrep", "jq"})
_TRUSTED_PLACES = ("/bin/", "/usr/bin/")
_ISO_DATE = re.compile(r"-I(?:date|hours|minutes|seconds|ns|[dhms])")
_MANUAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+:-]*")


@dataclass(frozen=True, slots=True)
class Places:
    """Where a line runs, its session began, the model may write, and the user's own folder."""

    cwd: Path
    home: Path
    memory_dir: Path
    user: Path


def check_commands(wrapped: tuple[Command, ...], places: Places) -> None:
    """Refuse a line unless each of its commands only reads.

    Raises:
        Refused: says which command, and why.
    """
    commands = [unwrapped(command) for command in wrapped]
    for command in commands:
        check(command, places.cwd)
    moves = [at for at, command in enumerate(commands) if command.name == "cd"]
    for at, command in enumerate(commands):
        # With one move alone it is certain what comes before it.
        counted = moves if len(moves) > 1 else [move for move in moves if move < at]
        _check_surroundings(command, [commands[move] for move in counted], places)


def check(command: Command, cwd: Path) -> None:
    """Refuse one command unless it only reads."""
    name, words = _base_name(command.name), command.words
    if name in HARMLESS:
        return
    if len(words) == 1 and words[0].text in VERSIONS.get(name, ()):
        return
    if name in TELLING and any(UNKNOWN in word.text and not word.plain for word in words):
        raise Refused(f"`{name}` would tell others what only the run knows")
    if (flags := CHECKED.get(name)) is not None:
        if name == "date":
            words = tuple(Word("-I") if _ISO_DATE.fullmatch(word.text) else word for word in words)
        operands = flags.operands(name, words)
        if name == "date" and not all(word.text.startswith("+") for word in operands):
            raise Refused("`date` with a bare time sets the clock")
        return
    if (special := SPECIAL.get(name)) is not None:
        special(words, cwd)
        return
    if name in VERBS:
        _check_verb(name, words)
        return
    if name in LINES and _is_line(name, words):
        return
    if name in VERSIONS and name not in REASONS:
        raise Refused(f"`{name}` runs code; only --version is allowed")
    raise Refused(REASONS.get(name, f"`{name}` is not known to be read-only"))


def _base_name(name: str) -> str:
    for place in _TRUSTED_PLACES:
        if name.startswith(place) and "/" not in name[len(place) :]:
            return name[len(place) :]
    if "/" in name:
        raise Refused(f"`{name}` is a program named by its path")
    return name


def unwrapped(command: Command) -> Command:
    """The command that `timeout 5 …` and its kin start; any other command as it is."""
    name, words = _base_name(command.name), command.words
    if name == "xargs" and command.told_plain and (inner := _run_by_xargs(words)):
        return unwrapped(inner)
    if name not in WRAPPERS or _asks_only(name, words):
        return command
    plain = _plain_beginning(words)
    before = re.match(WRAPPERS[name], "".join(f"{word.text} " for word in plain))
    at = before[0].count(" ") if before else len(words)
    if name == "env":
        while at < len(plain) and HARMLESS_ASSIGNMENT.fullmatch(plain[at].text):
            at += 1
    if at >= len(plain) or plain[at].is_option or "=" in plain[at].text:
        raise Refused(f"`{name}` needs plain options and a plain command")
    inner = Command(plain[at].text, words[at + 1 :])
    if inner.name in {"cd", "exit", "set", "break", "continue"}:
        raise Refused(f"`{name} {inner.name}` is not understood")
    return unwrapped(inner)


def _asks_only(name: str, words: tuple[Word, ...]) -> bool:
    if name == "command":
        return bool(words) and words[0].text in {"-v", "-V"}
    return name == "env" and not words


def _plain_beginning(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words up to the first that is not plain, or that blanks would tear apart."""
    for at, word in enumerate(words):
        if not word.static or not word.text or " " in word.text:
            return words[:at]
    return words


def _check_verb(name: str, words: tuple[Word, ...]) -> None:
    if name in BEFORE_VERB:
        words = BEFORE_VERB[name].after(name, words)
    for count in (2, 1, 0):
        verb = " ".join(word.text for word in words[:count] if word.static)
        # Two words are one verb only where both are there.
        if len(verb.split()) == count <= len(words) and verb in VERBS[name]:
            VERBS[name][verb].operands(f"{name} {verb}", words[count:])
            return
    raise Refused(REASONS.get(name, f"this form of `{name}` is not known to be read-only"))


def _is_line(name: str, words: tuple[Word, ...]) -> bool:
    if not all(word.static for word in words) or any(" " in word.text for word in words[:-1]):
        return False
    return re.fullmatch(LINES[name], " ".join(word.text for word in words)) is not None


def _check_surroundings(command: Command, moves: list[Command], places: Places) -> None:
    """Refuse a program that would go by what lies where it runs."""
    name = _base_name(command.name)
    imports = name.startswith("python") and command.words[:1] == (Word("-m"),)
    if name == "docker" and command.words[:1] == (Word("compose"),):
        name = "docker compose"
    # gh asks git which repository this is, cloc what a word that is no file could be.
    git = name in {"git", "gh", "cloc"}
    obeyed = OBEYED.get(name.replace(" ", "-"), {})
    if not git and not imports and not obeyed:
        return
    folders = split_global(command.words)[0] if name == "git" else []
    if len(moves) > 1 or (moves and folders):
        raise Refused(f"`{name}` after several changes of directory is not understood")
    targets = [".", os.path.join(*folders)] if folders else ["."]
    for move in moves:
        if not move.words or not move.words[0].static:
            raise Refused(f"where `{name}` would run is not known")
        targets.append(move.words[0].text)
    for target in targets:
        if git:
            check_place(places.cwd, target, places.home, places.memory_dir)
        if imports:
            check_nothing_to_import(places.cwd / target)
        check_obeyed(name, places.cwd / target, obeyed, places.user)
    if name == "git" and looks_into_submodules(command.words):
        check_no_submodule(places.home)


def _check_find(words: tuple[Word, ...], cwd: Path) -> None:
    at = 0
    while at < len(words):
        word = words[at]
        if not word.static and not word.safe_start:
            raise Refused("a word of `find` could become an action when it is expanded")
        if word.text == "-":
            raise Refused("the paths of `find -` could become options of what it starts")
        if word.text == "-exec" and word.static:
            at = _after_exec(words, at + 1, cwd)
            continue
        if word.is_option and word.text not in FIND_TESTS and not _FIND_VALUE.fullmatch(word.text):
            raise Refused(f"`find {word.text}` is not known to be read-only")
        at += 1


def _after_exec(words: tuple[Word, ...], at: int, cwd: Path) -> int:
    """Check the command behind `-exec`; where find goes on reading its own words."""
    end = at
    while end < len(words) and words[end] != Word(";"):
        if words[end] == Word("+") and words[end - 1] == Word("{}"):
            break
        end += 1
    exec_words = words[at:end]
    # A word that is only known later could be the `;` behind which find reads its own words again.
    if end == len(words) or not exec_words or not all(word.static for word in exec_words):
        raise Refused("`find -exec` needs plain words and its end")
    if exec_words[0].text not in _FIND_RUNS:
        raise Refused("`find -exec` may only start a command that is known to read")
    if any("{}" in word.text and word != Word("{}") for word in exec_words):
        raise Refused("find would write the file's name into a word that is not understood")
    many = words[end].text == "+"
    path = Word(UNKNOWN, static=False, single=not many)
    check(
        Command(exec_words[0].text, tuple(path if w == Word("{}") else w for w in exec_words[1:])),
        cwd,
    )
    return end + 1


def _after_xargs_options(words: tuple[Word, ...]) -> int:
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        word = words[at]
        if word.text in _XARGS_VALUED:
            at += 1
            pattern = _XARGS_VALUED[word.text]
            if at == len(words) or not re.fullmatch(pattern, words[at].text):
                raise Refused(f"`xargs {word.text}` is not understood")
        elif not _XARGS.fullmatch(word.text):
            raise Refused(f"`xargs {word.text}` is not known to be read-only")
        at += 1
    if not all(word.static for word in words[: at + 1]):
        raise Refused("the options of `xargs` are not plain text")
    return at


def _run_by_xargs(words: tuple[Word, ...]) -> Command | None:
    """What xargs starts with plain words, each at the end or where `-I` says."""
    at = _after_xargs_options(words)
    if at == len(words):
        return None
    argument = Word(UNKNOWN, static=False, single=False, plain=True)
    place = re.search(r"-I ?(\{\}|%|@)", " ".join(word.text for word in words[:at]))
    if place is None:
        return Command(words[at].text, (*words[at + 1 :], argument))
    if any(place[1] in word.text and not word.static for word in words[at:]):
        raise Refused("where xargs would write a word is not understood")
    argument = replace(argument, single=True)
    return Command(
        words[at].text, tuple(_replaced(word, place[1], argument) for word in words[at + 1 :])
    )


def _replaced(word: Word, place: str, argument: Word) -> Word:
    if place not in word.text:
        return word
    first, *others = word.text.split(place)
    return concatenated(
        [Word(first), *(part for other in others for part in (argument, Word(other)))]
    )


def _check_xargs(words: tuple[Word, ...], cwd: Path) -> None:
    at = _after_xargs_options(words)
    if at == len(words):
        return
    name = words[at].text
    if name in _XARGS_RUNS:
        check(Command(name, words[at + 1 :]), cwd)
    elif name not in HARMLESS:
        raise Refused(f"`xargs {name}` would get words nobody has checked")


def _check_command(words: tuple[Word, ...], _cwd: Path) -> None:
    if not words or words[0].text not in {"-v", "-V"}:
        raise Refused("`command` may only be asked with -v")


def _check_cd(words: tuple[Word, ...], _cwd: Path) -> None:
    if len(words) > 1 or any(not word.single or word.text.startswith("-") for word in words):
        raise Refused("`cd` needs one plain directory")


def _check_env(words: tuple[Word, ...], _cwd: Path) -> None:
    if words:
        raise Refused("`env` with words runs a command in a changed environment")


def _check_tar(words: tuple[Word, ...], _cwd: Path) -> None:
    """List an archive, or write one member of it to the output (`O`)."""
    letters = words[0].text.removeprefix("-") if words else ""
    if not re.fullmatch(r"(?=.*t)[tvzjJ]+f|(?=.*O)x[vzjJO]+f", letters) or len(words) < 2:
        raise Refused("`tar` may only list or show: tar -tf FILE, tar -xOf FILE NAME")
    if not all(word.static and not word.is_option for word in words[1:]) or ":" in words[1].text:
        raise Refused("the archive's name could be an option or another machine")


def _check_unzip(words: tuple[Word, ...], _cwd: Path) -> None:
    shows = bool(words) and words[0].text in {"-l", "-v", "-lv", "-p", "-t", "-Z", "-Z1"}
    if len(words) < 2 or not shows or not all(w.static and not w.is_option for w in words[1:]):
        raise Refused("`unzip` may only list or show: unzip -l FILE, unzip -p FILE NAME")


def _check_xxd(words: tuple[Word, ...], _cwd: Path) -> None:
    at = operands = 0
    while at < len(words):
        word = words[at]
        if not word.single or (not word.static and not word.safe_start):
            raise Refused("a word of `xxd` is not known")
        if re.fullmatch("-[glsc]", word.text):
            at += 1
            if at == len(words) or not re.fullmatch("[0-9]+", words[at].text):
                raise Refused(f"`xxd {word.text}` needs a plain number")
        elif word.is_option and not _XXD_OPTION.fullmatch(word.text):
            raise Refused(f"`xxd {word.text}` is not known to be read-only")
        elif not word.is_option:
            operands += 1
        at += 1
    if operands > 1:
        raise Refused("`xxd` writes to its second file")


def _check_packed(words: tuple[Word, ...], _cwd: Path) -> None:
    if not words or words[0].text not in {"-dc", "-cd", "-l"}:
        raise Refused("a packed file may only be shown: gzip -dc FILE")
    Flags().operands("gzip", words[1:])


def _check_unpacked(words: tuple[Word, ...], _cwd: Path) -> None:
    if not words or words[0].text not in {"-c", "-dc", "-cd"}:
        raise Refused("a packed file may only be shown: gunzip -c FILE")
    Flags().operands("gunzip", words[1:])


def _check_python(words: tuple[Word, ...], _cwd: Path) -> None:
    if words and words[0].text in {"-I", "-P"}:
        words = words[1:]
    if words[:2] != (Word("-m"), Word("json.tool")):
        raise Refused("`python` runs code; only --version and -m json.tool are allowed")
    JSON_TOOL.operands("python -m json.tool", words[2:])


def _check_man(words: tuple[Word, ...], _cwd: Path) -> None:
    """Names of pages only: a word with a slash is a file, and options choose programs."""
    if words and words[0].text in {"-k", "-f", "-w"}:
        words = words[1:]
    if not words or not all(word.static and _MANUAL.fullmatch(word.text) for word in words):
        raise Refused("`man` needs plain names of pages")


def _check_exit(words: tuple[Word, ...], _cwd: Path) -> None:
    """A number written out: zsh evaluates anything else, and that can run code."""
    if len(words) > 1 or not all(re.fullmatch("[0-9]{1,3}", word.text) for word in words):
        raise Refused("leaving needs a plain number")


def _check_set(words: tuple[Word, ...], _cwd: Path) -> None:
    if not re.fullmatch(r"-[eu]+|-[eu]*o pipefail", " ".join(word.text for word in words)):
        raise Refused("`set` may only be -e, -u and -o pipefail")


SPECIAL: dict[str, Callable[[tuple[Word, ...], Path], None]] = {
    "git": check_git,
    "find": _check_find,
    "xargs": _check_xargs,
    "command": _check_command,
    "cd": _check_cd,
    "env": _check_env,
    "tar": _check_tar,
    "unzip": _check_unzip,
    "xxd": _check_xxd,
    **dict.fromkeys(["gzip", "xz", "zstd"], _check_packed),
    **dict.fromkeys(["gunzip", "unxz", "bunzip2", "unzstd", "bzip2"], _check_unpacked),
    **dict.fromkeys(["python", "python3"], _check_python),
    "man": _check_man,
    "exit": _check_exit,
    "break": _check_exit,
    "continue": _check_exit,
    "set": _check_set,
    "sed": lambda words, _: scripts.check_sed(words),
    "awk": lambda words, _: check_awk(words),
    "gawk": lambda words, _: check_awk(words),
    "mawk": lambda words, _: check_awk(words),
    "nawk": lambda words, _: check_awk(words),
    "printf": lambda words, _: scripts.check_printf(words),
    "test": lambda words, _: scripts.check_test("test", words),
    "[": lambda words, _: scripts.check_test("[", words),
    "[[": lambda words, _: scripts.check_test("[", words),
}
