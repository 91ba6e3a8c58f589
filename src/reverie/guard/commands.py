"""The commands that only read: which ones, and with which options.

`HARMLESS` commands have no option that writes, runs or loads anything in GNU, BSD or busybox form,
so any words may follow, also ones that come out of an expansion. `CHECKED` ones have a table of
options; `SPECIAL` ones have a check of their own. All others are refused.
"""

import re
from collections.abc import Callable
from pathlib import Path

from reverie.errors import Refused
from reverie.guard import scripts
from reverie.guard.flags import Flags, names
from reverie.guard.git import check_git, same_repository
from reverie.guard.shell import Command, Word

HARMLESS = names(
    "echo cat ls head tail wc cut tr nl tac rev fold expand unexpand paste comm join column"
    " basename dirname realpath readlink stat du df seq expr id whoami groups uname nproc"
    " printenv pwd true false od hexdump md5sum sha1sum sha224sum sha256sum sha384sum sha512sum"
    " b2sum cksum sum cmp strings ps free uptime which type fmt :"
)

_GREP = Flags(
    short="abcEFGHhIiLlnoPqRrsTUvwxyZz",
    valued="ABCfmd",
    pattern="e",
    long=names(
        "after-context before-context context basic-regexp binary-files byte-offset color colour"
        " count dereference-recursive devices directories exclude exclude-dir extended-regexp"
        " files-with-matches files-without-match fixed-strings ignore-case include invert-match"
        " initial-tab line-buffered line-number line-regexp max-count no-filename no-ignore-case"
        " no-messages null null-data only-matching perl-regexp quiet recursive regexp silent text"
        " with-filename word-regexp version help file"
    ),
    number=True,
)

CHECKED: dict[str, Flags] = {
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": Flags(
        short="cFhHiIlLnNopPqsSuUvwxV0.",
        valued="ABCfgjmMrtTdE",
        pattern="e",
        long=names(
            "after-context before-context context count count-matches case-sensitive color colors"
            " column crlf debug encoding files files-with-matches files-without-match fixed-strings"
            " follow glob iglob heading hidden ignore-case invert-match json line-number"
            " line-regexp max-columns max-count max-depth max-filesize multiline multiline-dotall"
            " no-filename no-heading no-ignore no-ignore-vcs no-line-number no-messages null"
            " null-data one-file-system only-matching path-separator passthru pcre2 pretty quiet"
            " regexp replace smart-case sort sortr stats text threads trim type type-list type-not"
            " unrestricted version vimgrep with-filename word-regexp no-config no-pre file type-add"
        ),
    ),
    "jq": Flags(
        short="nrRcsSeaCMj",
        long=names(
            "raw-output compact-output slurp null-input exit-status sort-keys arg argjson slurpfile"
            " rawfile tab indent color-output monochrome-output raw-input join-output args jsonargs"
            " ascii-output"
        ),
        dashes=False,
    ),
    "fd": Flags(
        short="HIusigFapL01",
        valued="dteESc",
        long=names(
            "hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex"
            " fixed-strings absolute-path follow full-path print0 max-depth min-depth exact-depth"
            " type extension exclude size changed-within changed-before color max-results"
            " strip-cwd-prefix version"
        ),
    ),
    # tree takes values from the following words only, so its valued letters may be clustered.
    "tree": Flags(
        short="adfilpshugDFJXnCrtvqNSQLIP",
        long=names("noreport dirsfirst gitignore prune filelimit du si charset matchdirs sort"),
        dashes=False,
    ),
    "sort": Flags(
        short="bdfghiMnRrsuVzcCm",
        valued="kt",
        long=names(
            "reverse numeric-sort unique key field-separator human-numeric-sort version-sort"
            " ignore-case general-numeric-sort stable zero-terminated check month-sort"
            " ignore-leading-blanks dictionary-order sort debug"
        ),
    ),
    "uniq": Flags(
        short="cduiDz",
        valued="fsw",
        long=names("count repeated unique ignore-case all-repeated zero-terminated"),
        most=1,
    ),
    "diff": Flags(
        short="urqNabwBiytcsEZdTp",
        valued="UCWxI",
        long=names(
            "brief unified recursive color side-by-side ignore-all-space ignore-space-change"
            " ignore-blank-lines ignore-case text new-file report-identical-files context"
            " suppress-common-lines strip-trailing-cr minimal width no-dereference exclude label"
        ),
    ),
    "file": Flags(short="bihLkN", long=names("brief mime mime-type mime-encoding dereference")),
    "base64": Flags(short="dD", valued="w", long=names("decode wrap ignore-garbage"), most=1),
    "zcat": Flags(),
    "hostname": Flags(short="fiIsdA", long=names("fqdn long short domain ip-address"), most=0),
    "locale": Flags(short="a", long=names("all-locales"), most=1),
    "who": Flags(short="abHqu", most=0),
    "date": Flags(
        short="uRI",
        valued="d",
        long=names("utc universal iso-8601 rfc-3339 rfc-email"),
        long_valued=names("date"),
        most=1,
    ),
}

_FIND_TESTS = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype"
    " -maxdepth -mindepth -depth -mtime -mmin -ctime -cmin -atime -amin -newer -size -empty -perm"
    " -user -group -uid -gid -nouser -nogroup -links -inum -samefile -readable -writable"
    " -executable -prune -print -print0 -printf -ls -quit -not -and -a -or -o -true -false -L -H -P"
    " -xdev -mount -follow -daystart -noleaf -lname -ilname -newermt -newerct -newerat -used"
)
_FIND_VALUE = re.compile(r"-[0-9]+[cwbkMG]?|-[ugoa]+[+=][rwxXst]+")
# xxd looks at the first two letters of an option only, so letters must not be clustered.
_XXD_OPTION = re.compile(r"-(?:[bpuE]|ps|[glsc][0-9]+)")
_XARGS = re.compile(r"-[0rt]+|-[nLP][0-9]+|-I(?:\{\}|%|@)|-d(?:\\n|,| )|--null|--no-run-if-empty")
_XARGS_VALUED = {"-n": r"[0-9]+", "-L": r"[0-9]+", "-P": r"[0-9]+", "-I": r"\{\}|%|@", "-d": r"\\n"}
_TRUSTED_PLACES = ("/bin/", "/usr/bin/")


def check_commands(found: tuple[Command, ...], cwd: Path, memory_dir: Path) -> None:
    """Refuse a line unless each of its commands only reads.

    Raises:
        Refused: says which command, and why.
    """
    moves = [command for command in found if command.name == "cd"]
    for command in found:
        check(command, cwd)
        if _base_name(command.name) == "git":
            _check_git_place(command, moves, cwd, memory_dir)


def check(command: Command, cwd: Path) -> None:
    """Refuse one command unless it only reads."""
    name = _base_name(command.name)
    if name in HARMLESS:
        return
    if (flags := CHECKED.get(name)) is not None:
        operands = flags.operands(name, command.words)
        if name == "date" and not all(word.text.startswith("+") for word in operands):
            raise Refused("`date` with a bare time sets the clock")
        return
    if (special := SPECIAL.get(name)) is not None:
        special(command.words, cwd)
        return
    raise Refused(REASONS.get(name, f"`{name}` is not known to be read-only"))


def _base_name(name: str) -> str:
    for place in _TRUSTED_PLACES:
        if name.startswith(place) and "/" not in name[len(place) :]:
            return name[len(place) :]
    if "/" in name:
        raise Refused(f"`{name}` is a program named by its path")
    return name


def _check_git_place(command: Command, moves: list[Command], cwd: Path, memory_dir: Path) -> None:
    places = [cwd, *(Path(cwd, word.text) for move in moves for word in move.words)]
    if any(place.resolve().is_relative_to(memory_dir.resolve()) for place in places):
        raise Refused("git obeys settings files, and these could have been written here")
    if len(moves) > 1 or (moves and any(word.text == "-C" for word in command.words)):
        raise Refused("git after several changes of directory is not understood")
    for move in moves:
        if not move.words or not move.words[0].static:
            raise Refused("where git would run is not known")
        same_repository(cwd, move.words[0].text)


def _check_find(words: tuple[Word, ...], _cwd: Path) -> None:
    for word in words:
        if not word.static and not word.safe_start:
            raise Refused("a word of `find` could become an action when it is expanded")
        if not word.is_option:
            continue
        if word.text not in _FIND_TESTS and not _FIND_VALUE.fullmatch(word.text):
            raise Refused(f"`find {word.text}` is not known to be read-only")


def _check_xargs(words: tuple[Word, ...], cwd: Path) -> None:
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
    if at == len(words):
        return
    # Run by xargs a program gets words nobody has seen, so only those that can take any pass.
    # grep is one of them here: a shell function of that name is not reached through xargs.
    name = words[at].text
    if name in {"grep", "egrep", "fgrep"}:
        check(Command(name, words[at + 1 :]), cwd)
    elif name not in HARMLESS:
        raise Refused(f"`xargs {name}` would get words nobody has checked")


def _check_command(words: tuple[Word, ...], _cwd: Path) -> None:
    if not words or words[0].text not in {"-v", "-V"}:
        raise Refused("`command` may only be asked with -v")


def _check_timeout(words: tuple[Word, ...], cwd: Path) -> None:
    if len(words) < 2 or not re.fullmatch(r"[0-9]+[sm]?", words[0].text) or not words[1].static:
        raise Refused("`timeout` needs a plain number and a command")
    check(Command(words[1].text, words[2:]), cwd)
    if _base_name(words[1].text) == "git":
        raise Refused("git under `timeout` is not understood")


def _check_cd(words: tuple[Word, ...], _cwd: Path) -> None:
    if len(words) > 1 or any(not word.single or word.text.startswith("-") for word in words):
        raise Refused("`cd` needs one plain directory")


def _check_env(words: tuple[Word, ...], _cwd: Path) -> None:
    if words:
        raise Refused("`env` with words runs a command in a changed environment")


def _check_tar(words: tuple[Word, ...], _cwd: Path) -> None:
    plain = len(words) == 2 and words[0].static and words[1].static
    if not plain or not re.fullmatch(r"-?t[vzj]*f", words[0].text):
        raise Refused("`tar` may only list one archive: tar -tf FILE")
    if words[1].text.startswith("-") or ":" in words[1].text:
        raise Refused("the archive's name could be an option or another machine")


def _check_unzip(words: tuple[Word, ...], _cwd: Path) -> None:
    if len(words) != 2 or words[0].text != "-l" or not words[1].static or words[1].is_option:
        raise Refused("`unzip` may only list one archive: unzip -l FILE")


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


def _check_gzip(words: tuple[Word, ...], _cwd: Path) -> None:
    if not words or words[0].text not in {"-dc", "-cd", "-l"}:
        raise Refused("`gzip` may only show what is inside: gzip -dc FILE")
    Flags().operands("gzip", words[1:])


def _version_of(*spellings: str) -> Callable[[tuple[Word, ...], Path], None]:
    def check_version(words: tuple[Word, ...], _cwd: Path) -> None:
        if len(words) != 1 or words[0].text not in spellings:
            raise Refused(f"it runs code; only {spellings[0]} is allowed")

    return check_version


SPECIAL: dict[str, Callable[[tuple[Word, ...], Path], None]] = {
    "git": check_git,
    "find": _check_find,
    "xargs": _check_xargs,
    "command": _check_command,
    "timeout": _check_timeout,
    "cd": _check_cd,
    "env": _check_env,
    "tar": _check_tar,
    "unzip": _check_unzip,
    "xxd": _check_xxd,
    "gzip": _check_gzip,
    # Each with its own spelling: `python3 -v` is an interpreter that tells what it imports. cargo,
    # go, yarn and others are left out, since a file of the repository can choose what they run.
    "python": _version_of("--version", "-V"),
    "python3": _version_of("--version", "-V"),
    "pip": _version_of("--version", "-V"),
    "pip3": _version_of("--version", "-V"),
    "uv": _version_of("--version", "-V"),
    "node": _version_of("--version", "-v"),
    "make": _version_of("--version"),
    "sed": lambda words, _: scripts.check_sed(words),
    "awk": lambda words, _: scripts.check_awk(words),
    "gawk": lambda words, _: scripts.check_awk(words),
    "mawk": lambda words, _: scripts.check_awk(words),
    "nawk": lambda words, _: scripts.check_awk(words),
    "printf": lambda words, _: scripts.check_printf(words),
    "test": lambda words, _: scripts.check_test("test", words),
    "[": lambda words, _: scripts.check_test("[", words),
    "[[": lambda words, _: scripts.check_test("[", words),
}

REASONS: dict[str, str] = {
    "tee": "`tee` writes files",
    "curl": "`curl` reaches the network and can write files",
    "wget": "`wget` reaches the network and writes files",
    "eval": "`eval` runs text that was not checked",
    "exec": "`exec` replaces the shell or redirects it for good",
    "builtin": "`builtin` reaches commands under another name",
    "source": "`source` runs a file",
    ".": "`.` runs a file",
    "trap": "`trap` keeps a command for later",
    "alias": "`alias` changes what later names mean",
    "less": "`less` is a pager and can start programs; use cat or head",
    "more": "`more` is a pager and can start programs; use cat or head",
    "man": "`man` starts a pager and a formatter",
    "sudo": "`sudo` runs as somebody else",
}
