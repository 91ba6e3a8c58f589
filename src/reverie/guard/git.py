"""The git subcommands that only read, with the options of each that are known to be harmless.

Left out on purpose: `-c`, `--config-env`, `--exec-path`, `--git-dir` (they choose what runs),
`--output` and `-o` (they write), `--ext-diff`, `--textconv`, `--filters`, `-O`, signature checks
(they start programs named in a repository), and everything that reaches the network.
"""

import os
import re
from pathlib import Path

from reverie.errors import Refused
from reverie.guard.flags import Flags, names
from reverie.guard.shell import Word

_DIFF_NAMES = names(
    "stat numstat shortstat dirstat summary compact-summary name-only name-status patch no-patch"
    " raw patch-with-stat unified color no-color color-words word-diff word-diff-regex minimal"
    " patience histogram diff-algorithm ignore-all-space ignore-space-change ignore-space-at-eol"
    " ignore-blank-lines ignore-cr-at-eol find-renames find-copies no-renames diff-filter cached"
    " staged merge-base check full-index binary abbrev no-abbrev relative no-relative text"
    " exit-code quiet no-ext-diff no-textconv function-context inter-hunk-context pickaxe-regex"
    " pickaxe-all submodule no-prefix ignore-submodules cc combined-all-paths no-index no-commit-id"
    " color-moved no-color-moved ignore-matching-lines line-prefix src-prefix dst-prefix"
)
_LOG_NAMES = _DIFF_NAMES | names(
    "oneline graph no-graph decorate no-decorate decorate-refs all branches tags remotes author"
    " committer grep since until after before since-as-filter format pretty date max-count skip"
    " follow first-parent merges no-merges min-parents max-parents reverse topo-order date-order"
    " author-date-order abbrev-commit no-abbrev-commit left-right cherry-pick cherry-mark cherry"
    " left-only right-only not ancestry-path simplify-by-decoration full-history simplify-merges"
    " invert-grep all-match regexp-ignore-case extended-regexp fixed-strings perl-regexp"
    " basic-regexp walk-reflogs notes no-notes source boundary count parents children"
    " relative-date no-walk log-size use-mailmap no-mailmap encoding expand-tabs clear-decorations"
    " glob exclude reflog show-pulls remove-empty root"
)
_DIFF = Flags(short="psuzwbaRWtrcm", valued="SGULlMC", long=_DIFF_NAMES, number=True)
_LOG = Flags(short="psuzwbaRWtrcmiEFPgq", valued="SGULlMCn", long=_LOG_NAMES, number=True)
_LIST_NAMES = names(
    "list contains no-contains merged no-merged points-at sort format column no-column color"
    " no-color ignore-case omit-empty"
)
# With one of these a name is a pattern to list; without, it is a branch or tag to make.
_LISTING = names("--list --contains --no-contains --merged --no-merged --points-at")
_CONFIG_MODES = names("--get --get-all --get-regexp --get-urlmatch --list -l get list")
_CONFIG_SCOPES = names(
    "--global --system --local --worktree --show-origin --show-scope --null -z --name-only"
    " --includes --no-includes --bool --int --path"
)

_SUBCOMMANDS: dict[str, Flags] = {
    "log": _LOG,
    "show": _LOG,
    "whatchanged": _LOG,
    "rev-list": _LOG,
    "diff": _DIFF,
    "diff-tree": _LOG,
    "diff-index": _DIFF,
    "diff-files": _DIFF,
    "shortlog": Flags(
        short="snec", long=_LOG_NAMES | names("summary numbered email group"), number=True
    ),
    "status": Flags(
        short="sbvz",
        valued="u",
        long=names(
            "short branch porcelain long verbose untracked-files ignored show-stash ahead-behind"
            " no-ahead-behind column no-column no-renames find-renames ignore-submodules null"
        ),
    ),
    "blame": Flags(
        short="lswetfnpcbMC",
        valued="L",
        long=names(
            "porcelain line-porcelain date root show-name show-number show-email since reverse"
            " first-parent minimal abbrev incremental ignore-rev show-stats"
        ),
    ),
    "grep": Flags(
        short="inlLcwvhHEGFPoqaIrWpz",
        valued="ABCm",
        pattern="e",
        long=names(
            "ignore-case line-number files-with-matches files-without-match name-only count"
            " word-regexp cached untracked no-index show-function function-context heading break"
            " column and or not all-match max-depth color no-color extended-regexp basic-regexp"
            " fixed-strings perl-regexp max-count context after-context before-context"
            " only-matching recursive no-recursive exclude-standard threads text quiet invert-match"
            " full-name null"
        ),
        number=True,
    ),
    "ls-files": Flags(
        short="cdmosuiktvfz",
        valued="x",
        long=names(
            "cached deleted modified others ignored stage unmerged killed exclude-standard exclude"
            " full-name error-unmatch directory no-empty-directory eol abbrev deduplicate"
            " recurse-submodules"
        ),
    ),
    "ls-tree": Flags(
        short="rdtlz",
        long=names("name-only name-status full-name full-tree long abbrev format object-only"),
    ),
    "cat-file": Flags(short="ptse", long=names("batch batch-check batch-all-objects buffer")),
    "rev-parse": Flags(
        short="q",
        long=names(
            "abbrev-ref short verify show-toplevel git-dir git-common-dir is-inside-work-tree"
            " is-inside-git-dir is-bare-repository is-shallow-repository show-prefix show-cdup"
            " absolute-git-dir symbolic-full-name symbolic all branches tags remotes git-path"
            " show-superproject-working-tree quiet since until after before path-format"
            " show-object-format"
        ),
    ),
    "describe": Flags(
        long=names(
            "tags always all dirty long abbrev match exclude exact-match contains first-parent"
            " candidates"
        )
    ),
    "merge-base": Flags(short="a", long=names("all is-ancestor fork-point octopus independent")),
    "name-rev": Flags(long=names("tags refs name-only always all")),
    "show-ref": Flags(
        short="dsq", long=names("heads branches tags head hash verify quiet dereference abbrev")
    ),
    "for-each-ref": Flags(long=_LIST_NAMES | names("count exclude")),
    "count-objects": Flags(short="vH", long=names("verbose human-readable")),
    "check-ignore": Flags(short="vnqz", long=names("verbose non-matching quiet no-index")),
    "check-attr": Flags(short="az", long=names("all cached")),
    "symbolic-ref": Flags(short="q", long=names("short quiet"), most=1),
    "cherry": Flags(short="v", long=names("abbrev")),
    "version": Flags(long=names("build-options"), most=0),
}
_BRANCH = Flags(
    short="arv", long=_LIST_NAMES | names("all remotes verbose show-current abbrev no-abbrev")
)
_TAG = Flags(short="ln0123456789", long=_LIST_NAMES)
_CONFIG = Flags(
    short="lz",
    long=names(
        "get get-all get-regexp get-urlmatch list global system local worktree show-origin"
        " show-scope null name-only includes no-includes type bool int path default"
    ),
)
_GLOBAL = names("--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects")
_SIGNATURE = re.compile(r"%G|%\(signature")


def check_git(words: tuple[Word, ...], cwd: Path) -> None:
    """Refuse every git command that is not one of the known reading forms.

    Raises:
        Refused: the subcommand, an option or the directory is not acceptable.
    """
    words = _after_global(words, cwd)
    if not words or not words[0].static:
        raise Refused("the git subcommand is not plain text")
    name, rest = words[0].text, words[1:]
    if any(_SIGNATURE.search(word.text) for word in rest):
        raise Refused("checking signatures starts a program the repository can name")
    if (flags := _SUBCOMMANDS.get(name)) is not None:
        flags.operands(f"git {name}", rest)
        return
    match name:
        case "branch" | "tag":
            _check_listing(name, rest)
        case "config":
            _check_config(rest)
        case "remote" | "stash" | "reflog" | "worktree":
            _check_second(name, rest)
        case "--version":
            Flags(most=0).operands("git --version", rest)
        case _:
            raise Refused(f"`git {name}` is not known to be read-only (or is an alias)")


def _after_global(words: tuple[Word, ...], cwd: Path) -> tuple[Word, ...]:
    moved = False
    while words and words[0].is_option:
        if words[0].text in _GLOBAL:
            words = words[1:]
        elif words[0].text == "-C" and len(words) > 1 and words[1].static and not moved:
            same_repository(cwd, words[1].text)
            moved = True
            words = words[2:]
        else:
            break
    return words


def same_repository(cwd: Path, target: str) -> None:
    """Refuse a directory of another repository: its configuration can name programs to run."""
    here = _repository(cwd.resolve())
    # A shell tidies `..` away before it follows links, git after: both must lead to one place.
    readings = {Path(cwd, target).resolve(), Path(os.path.normpath(Path(cwd, target))).resolve()}
    if here is None or any(_repository(there) != here for there in readings):
        raise Refused(f"{target} is not in the repository at hand, and git obeys its settings")


def _repository(directory: Path) -> Path | None:
    for folder in (directory, *directory.parents):
        if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
            return None
        if (folder / ".git").exists():
            return folder
    return None


def _check_listing(name: str, words: tuple[Word, ...]) -> None:
    flags = _BRANCH if name == "branch" else _TAG
    given = {word.text.partition("=")[0] for word in words if word.is_option}
    if any(word.text in {"--", "--format", "--sort"} for word in words):
        raise Refused(f"`git {name}`: write --sort=… and --format=…, and no `--`")
    listing = given & _LISTING or (name == "tag" and "-l" in given)
    if flags.operands(f"git {name}", words) and not listing:
        raise Refused(f"`git {name} NAME` makes one; use `git {name} --list`")
    if any(not word.single for word in words):
        raise Refused(f"the number of words given to `git {name}` is not known")


def _check_config(words: tuple[Word, ...]) -> None:
    operands = _CONFIG.operands("git config", words)
    others = [word.text for word in words if word.text not in _CONFIG_SCOPES]
    asks = bool(others) and others[0] in _CONFIG_MODES
    # One name with a dot is a question too; a word without one may be a verb, such as `edit`.
    asks = asks or (len(others) == 1 and operands == [Word(others[0])] and "." in others[0])
    if not asks or "--" in others:
        raise Refused("`git config` may only be asked with --get or --list")


def _check_second(name: str, words: tuple[Word, ...]) -> None:
    second = words[0].text if words and words[0].static else ""
    match name, second:
        case "stash", "list":
            _LOG.operands("git stash list", words[1:])
        case "stash", "show":
            _DIFF.operands("git stash show", words[1:])
        case "reflog", "show":
            _LOG.operands("git reflog show", words[1:])
        case "reflog", _ if all(word.is_option for word in words):
            _LOG.operands("git reflog", words)
        case "worktree", "list":
            Flags(short="vz", long=names("porcelain verbose"), most=0).operands(
                "git worktree list", words[1:]
            )
        case "remote", "show" if len(words) == 1:
            pass
        case "remote", "get-url":
            Flags(long=names("all push"), most=1).operands("git remote get-url", words[1:])
        case "remote", _:
            Flags(short="v", long=names("verbose"), most=0).operands("git remote", words)
        case _:
            raise Refused(f"`git {name} {second}` is not known to be read-only")
