"""The commands that only read and what may be given to each, out of `data/commands.txt`.

Left out there on purpose: what writes (`sort -o`, `git log --output`, `less -o`), what starts a
program (`rg --pre`, `git grep -O`, `--ext-diff`, `--textconv`, signature checks), what chooses
where settings come from (`git -c`), and what reaches the network.
"""

import re
from collections.abc import Iterator
from typing import Any

from reverie.data import lines, pairs, sections
from reverie.guard.flags import Flags, names

_FILE = "commands.txt"
_NAMED = re.compile(r"\{([a-z-]+)\}")
_SETS = frozenset({"long", "long_valued", "seen"})


def _words(part: str) -> frozenset[str]:
    return names(sections(_FILE)[part])


def _spelled_out(text: str) -> str:
    """The text with what `[named …]` says in the place of each `{name}`."""
    return _NAMED.sub(lambda name: " ".join(lines(_FILE, f"named {name[1]}")), text)


def _flags(text: str) -> Flags:
    """The options of a part: a field of `Flags` on each line; what is said twice is joined."""
    fields: dict[str, Any] = {}
    for line in text.splitlines():
        name, _, rest = line.partition(" ")
        if name in _SETS:
            fields[name] = fields.get(name, frozenset()) | names(_spelled_out(rest))
        elif name == "values":
            option, _, pattern = rest.partition(" ")
            fields[name] = (*fields.get(name, ()), (option, _spelled_out(pattern)))
        elif name in {"least", "most"}:
            fields[name] = int(rest)
        elif name in {"number", "dashes", "attached"}:
            fields[name] = rest != "no"
        elif name != "of":
            fields[name] = _spelled_out(rest)
    like = fields.pop("like", "")
    return _flags(sections(_FILE)[like]) if like else Flags(**fields)


def _parts(kind: str) -> Iterator[tuple[list[str], str]]:
    """What stands behind a word in the titles of parts, and the text of each."""
    for title, text in sections(_FILE).items():
        if title.startswith(f"{kind} "):
            yield title.removeprefix(f"{kind} ").partition(":")[0].split(), text


def _tables(kind: str) -> dict[str, Flags]:
    return {name: _flags(text) for programs, text in _parts(kind) for name in programs}


def _verbs() -> dict[str, dict[str, Flags]]:
    """Program → what may follow it → the options of that; "" for nothing."""
    by_program: dict[str, dict[str, Flags]] = {}
    for programs, text in _parts("verbs"):
        listed = [line.removeprefix("of ") for line in text.splitlines() if line.startswith("of ")]
        verbs = ["" if verb == "-" else verb for verb in ", ".join(listed).split(", ")]
        for program in programs:
            by_program.setdefault(program, {}).update(dict.fromkeys(verbs, _flags(text)))
    return by_program


def _obeyed(text: str) -> dict[str, str | None]:
    split = (line.partition(" ") for line in text.splitlines())
    return {file: None if form == "-" else _spelled_out(form) for file, _, form in split}


HARMLESS = _words("harmless")
CHECKED = _tables("program")
JSON_TOOL = CHECKED.pop("json.tool")
FIND_TESTS = _words("find tests")
TELLING = _words("telling")
WRAPPERS = dict(pairs(_FILE, "wrappers"))
REASONS = dict(pairs(_FILE, "reasons"))

GIT = _tables("git-verb")
GIT_DIFF, GIT_LOG = GIT["diff"], GIT["log"]
GIT_BRANCH, GIT_TAG, GIT_CONFIG = _tables("git-asked").values()
GIT_LISTING = _words("git listing")
GIT_CONFIG_MODES = _words("git config modes")
GIT_CONFIG_SCOPES = _words("git config scopes")
GIT_GLOBAL = _words("git global")
GIT_INTO_SUBMODULES = {name: names(kept) for name, kept in pairs(_FILE, "git into submodules")}

VERBS = _verbs()
BEFORE_VERB = _tables("before-verb")
LINES = {name: _spelled_out(form) for name, form in pairs(_FILE, "lines")}
VERSIONS = {
    program: names(asked)
    for programs, _, asked in (line.partition(": ") for line in lines(_FILE, "versions"))
    for program in programs.split()
}
# Program → the files of a folder that it goes by → what their lines may look like.
_BY_ALL = _obeyed(sections(_FILE)["obeyed-by-all"])
OBEYED = dict.fromkeys([*VERBS, *VERSIONS], _BY_ALL) | {
    program: _BY_ALL | _obeyed(text) for programs, text in _parts("obeyed") for program in programs
}
