"""Which git lines only read: the subcommand, its options, and what its formats ask for."""

import re
from pathlib import Path

from reverie.errors import Refused
from reverie.guard.flags import Flags, names
from reverie.guard.vocabulary import (
    GIT,
    GIT_BRANCH,
    GIT_CONFIG,
    GIT_CONFIG_MODES,
    GIT_CONFIG_SCOPES,
    GIT_DIFF,
    GIT_GLOBAL,
    GIT_INTO_SUBMODULES,
    GIT_LISTING,
    GIT_LOG,
    GIT_TAG,
)
from reverie.guard.words import Word

# Between the percent sign and the letter a format may ask for a blank or a line break (`%+GS`).
# A field of a reference may be prefixed (`*` the tag's target, `-` reversed) and is a sort key too.
_SIGNATURE = re.compile(r"%[-+ ]?G|%\(\*?signature|--sort[= ]\S*signature")
# A merge made again is written into the object store; `on` and `m` are what the settings say.
_MERGES = re.compile(
    r"--diff-merges(?![= ](?:off|none|1|first-parent|separate|c|combined|cc|dense-combined)(?: |$))"
)

# Any other format without a field is a name of the settings, where it may ask for one.
_FORMAT = re.compile(
    r"--(?:pretty|format)=(?!(?:oneline|short|medium|full|fuller|reference|email|raw|mboxrd)?$|.*%)"
)


def check_git(words: tuple[Word, ...], _cwd: Path) -> None:
    """Refuse every git command that is not one of the known reading forms.

    Raises:
        Refused: the subcommand or an option is not acceptable.
    """
    _, words = split_global(words)
    if not words or not words[0].static:
        raise Refused("the git subcommand is not plain text")
    name, rest = words[0].text, words[1:]
    line = " ".join(word.text for word in rest)
    if _SIGNATURE.search(line):
        raise Refused("checking signatures starts a program the repository can name")
    if any(_FORMAT.match(word.text) for word in rest):
        raise Refused("a format by its name could check signatures; write its fields")
    if _MERGES.search(line):
        raise Refused("that form of --diff-merges is not known to be read-only; use cc or 1")
    if rest == (Word("--help"),) and name in GIT:
        return
    if (flags := GIT.get(name)) is not None:
        flags.operands(f"git {name}", rest)
        return
    match name:
        case "branch" | "tag":
            _check_listing(name, rest)
        case "config":
            _check_config(rest)
        case "remote" | "stash" | "reflog" | "worktree" | "notes" | "bisect" | "submodule":
            _check_second(name, rest)
        case "--version":
            Flags(most=0).operands("git --version", rest)
        case _:
            raise Refused(f"`git {name}` is not known to be read-only (or is an alias)")


def split_global(words: tuple[Word, ...]) -> tuple[list[str], tuple[Word, ...]]:
    """The directories of `-C`, and the words from the subcommand on.

    Raises:
        Refused: a directory is only known when the line runs.
    """
    folders: list[str] = []
    while words and words[0].is_option:
        if words[0].text in GIT_GLOBAL:
            words = words[1:]
        elif words[0].text == "-C" and len(words) > 1:
            if not words[1].static or not words[1].text:
                raise Refused("where git would run is not known")
            folders.append(words[1].text)
            words = words[2:]
        else:
            break
    return folders, words


def looks_into_submodules(words: tuple[Word, ...]) -> bool:
    """Whether git would also run in the submodules of its repository.

    The option that keeps it out counts as the first word only: there it is nobody's value.
    """
    _, words = split_global(words)
    name, rest = words[0].text, [word.text for word in words[1:]]
    if name == "describe":
        return any(text.startswith("--dirty") for text in rest)
    if name == "submodule":
        return True
    if name not in GIT_INTO_SUBMODULES:
        return False
    ignoring = [text for text in rest if text.startswith("--ignore-submodules")]
    return len(ignoring) > 1 or not rest or rest[0] not in GIT_INTO_SUBMODULES[name]


def _check_listing(name: str, words: tuple[Word, ...]) -> None:
    flags = GIT_BRANCH if name == "branch" else GIT_TAG
    options = {word.text.partition("=")[0] for word in words if word.is_option}
    if any(word.text in {"--", "--format", "--sort"} for word in words):
        raise Refused(f"`git {name}`: write --sort=… and --format=…, and no `--`")
    listing = options & GIT_LISTING or (name == "tag" and "-l" in options)
    if flags.operands(f"git {name}", words) and not listing:
        raise Refused(f"`git {name} NAME` makes one; use `git {name} --list`")
    if any(not word.single for word in words):
        raise Refused(f"the number of words given to `git {name}` is not known")


def _check_config(words: tuple[Word, ...]) -> None:
    operands = GIT_CONFIG.operands("git config", words)
    others = [word.text for word in words if word.text not in GIT_CONFIG_SCOPES]
    asks = bool(others) and others[0] in GIT_CONFIG_MODES
    # One name with a dot is a question too; a word without one may be a verb, such as `edit`.
    asks = asks or (len(others) == 1 and operands == [Word(others[0])] and "." in others[0])
    if not asks or "--" in others:
        raise Refused("`git config` may only be asked with --get or --list")


def _check_second(name: str, words: tuple[Word, ...]) -> None:
    second = words[0].text if words and words[0].static else ""
    match name, second:
        case "stash", "list":
            GIT_LOG.operands("git stash list", words[1:])
        case "stash", "show":
            GIT_DIFF.operands("git stash show", words[1:])
        case "reflog", "show":
            GIT_LOG.operands("git reflog show", words[1:])
        case "reflog", _ if all(word.is_option or word.text.isdecimal() for word in words):
            GIT_LOG.operands("git reflog", words)
        case "worktree", "list":
            Flags(short="vz", long=names("porcelain verbose"), most=0).operands(
                "git worktree list", words[1:]
            )
        case ("notes", "list" | "show") | ("bisect", "log"):
            Flags().operands(f"git {name} {second}", words[1:])
        case ("remote", "show") | ("submodule", "status") if len(words) == 1:
            pass
        case "submodule", "" if not words:
            pass
        case "remote", "get-url":
            Flags(long=names("all push"), most=1).operands("git remote get-url", words[1:])
        case "remote", _:
            Flags(short="v", long=names("verbose"), most=0).operands("git remote", words)
        case _:
            raise Refused(f"`git {name} {second}` is not known to be read-only")
