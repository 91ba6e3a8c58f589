"""Shell commands as a diary sees them: what was run, without wrapping, and what sort of act it is.

No shell grammar: a command is cut into words and simple commands well enough to name and compare
it. Nothing is ever run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from reverie.data import patterns, word_sets
from reverie.learn.traffic.homes import tilde

Act = Literal["look", "check", "ship", "undo", "run"]

_WEIGHTIEST: tuple[Act, ...] = ("undo", "ship", "check", "run", "look")
MAX_WORD = 60
VARYING = "…"  # stands for paths, messages, numbers and refs in the form of a call
MOST_SUBCOMMANDS = 3
READ = 2_000  # characters of a command that are looked at
_RE = patterns("traffic.txt", "commands")
_WORDS = word_sets("traffic.txt", "commands")
_SEPARATORS = frozenset({"&&", "||", ";", "|", "\n", "&", ";;", "|&"})


@dataclass(frozen=True, slots=True)
class Command:
    """One command line: its simple commands as words, without redirections and heredocs."""

    parts: tuple[tuple[str, ...], ...]
    acts: tuple[tuple[str, ...], ...]  # the parts that do something; all when it only looks
    act: Act  # the weightiest of its parts
    piped: bool  # its exit code is that of the last command of a pipe
    setting: tuple[str, ...] = ()  # where and with what it ran: `cd ui`, `CI=1`, `sudo`

    @property
    def program(self) -> str:
        """The name of the first program that acts, without its folder."""
        return base(self.acts[0][0]) if self.acts else ""

    def shown(self, limit: int = 140) -> str:
        """The parts that act, in one line; what a commit takes in is told by the commit."""
        commits = any(part[:2] == ("git", "commit") for part in self.acts)
        parts = [part for part in self.acts if not (commits and part[:2] == ("git", "add"))]
        return shortened(" && ".join(" ".join(map(clipped, part)) for part in parts), limit)


@lru_cache(maxsize=1024)
def command_of(text: str) -> Command:
    """Cut a command line up; the same one is run again and again."""
    plain = tilde(text[:READ].replace("\\\n", " "))
    if "<<" in plain:
        plain = _RE.substituted.sub("…", _RE.heredoc.sub("…", plain))
    parts: list[tuple[str, ...]] = []
    setting: list[str] = []
    words: list[str] = []
    piped = into_pipe = False
    for piece in [*_RE.token.findall(plain), "\n"]:
        if piece in _SEPARATORS:
            # What a result is piped into (tail, grep) says nothing about what was tried.
            if not into_pipe:
                _add(parts, setting, words)
            into_pipe = piece == "|"
            piped = piped or into_pipe
            words = []
        elif ">" not in piece[:2] or not _RE.redirection.match(piece):
            words.append(piece)
    kinds: list[Act] = [act_of(part) for part in parts]
    doing = [part for part, kind in zip(parts, kinds, strict=True) if kind != "look"]
    act: Act = min(kinds, key=_WEIGHTIEST.index) if kinds else "look"
    return Command(tuple(parts), tuple(doing or parts), act, piped, tuple(setting))


def _add(parts: list[tuple[str, ...]], setting: list[str], words: Sequence[str]) -> None:
    start = 0
    while start < len(words):
        if _RE.assignment.match(words[start]):
            setting.append(words[start])
        elif words[start] not in _WORDS.wrappers or start + 1 == len(words):
            break
        elif words[start] == "sudo":
            setting.append("sudo")
        start += 2 if words[start] == "timeout" else 1
    kept = tuple(words[start:])
    if len(kept) > 3 and kept[:2] == ("git", "-C"):
        kept = ("git", *kept[3:])
    if kept and kept[0] not in _WORDS.setting:
        parts.append(kept)
    elif len(kept) == 2 and kept[0] in _WORDS.prepares:
        setting.append(" ".join(kept))


def act_of(part: Sequence[str]) -> Act:
    """What sort of act a simple command is."""
    program = base(part[0])
    rest = [word for word in part[1:6] if not word.startswith("-")]
    if program == "git":
        return _git(rest, part)
    if program == "gh":
        looks = any(word in _WORDS.gh_looks for word in rest[:2])
        return "look" if looks else "ship"
    if program in _WORDS.readers:
        return "run" if program == "sed" and "-i" in part else "look"
    if len(part) > 1 and part[1] in {"git", "gh"}:
        return act_of(part[1:])  # a wrapper of one's own
    if any(word.endswith(":fix") or word in {"--fix", "--write"} for word in part):
        return "run"  # it repairs, it does not judge
    if any(word in _WORDS.look_words for word in rest[:2]) or part[-1] in {"--help", "--version"}:
        return "look"
    if (program, *rest[:1]) == ("npm", "ci") or not _WORDS.sets_up.isdisjoint(rest[:2]):
        return "run"  # it sets up what others judge
    if program in _WORDS.checkers or any(_RE.check_word.match(base(word)) for word in rest[:4]):
        return "check"
    return "run"


def _git(rest: Sequence[str], part: Sequence[str]) -> Act:
    verb = rest[0] if rest else ""
    if verb == "checkout" and "--" in part:
        return "undo"
    if verb in {"tag", "stash"} and any(word in _WORDS.listing for word in part[2:]):
        return "look"
    if verb in _WORDS.git_undoes:
        return "undo"
    if verb in _WORDS.git_ships:
        return "ship"
    return "look" if verb in _WORDS.git_looks else "run"


def discards(part: Sequence[str]) -> bool:
    """Whether it throws away or sets aside what is in the working tree."""
    if base(part[0]) != "git" or len(part) < 2 or part[1] not in _WORDS.git_discards:
        return False
    if part[1] == "reset":
        return "--hard" in part
    if part[1] == "checkout":
        return "--" in part or any(map(_RE.file.fullmatch, part[2:]))
    return _WORDS.git_spares.isdisjoint(part[2:])


def reads_files(part: Sequence[str]) -> bool:
    """Whether a simple command only looks at what lies here (`cat`, `grep`, `git log`)."""
    return base(part[0]) in _WORDS.readers or (base(part[0]) == "git" and act_of(part) == "look")


def is_runner(word: str) -> bool:
    """Whether a program runs scripts and tasks of a project by their names."""
    return word in _WORDS.runners


def clipped(word: str, limit: int = MAX_WORD) -> str:
    """A word as it is told: a script or a message among the arguments is cut short."""
    return word if len(word) <= limit else word[: limit - 1].rstrip() + "…"


def base(word: str) -> str:
    """A program without its folder: `./node_modules/.bin/tsc` → `tsc`."""
    return word.strip("\"'").rsplit("/", 1)[-1]


def shortened(text: str, limit: int) -> str:
    """One line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


@lru_cache(maxsize=2048)
def form_of(part: tuple[str, ...]) -> str:
    """`git commit -m "x" src/a.py` → `git commit -m …`."""
    program = base(part[0])
    words = [part[0] if part[0].startswith("./") else program]
    plain = 0
    after_flag = past_value = False
    for word in part[1:]:
        if word.startswith("-") and len(word) > 1 and not word[1:].isdigit():
            flag, equals, _ = word.partition("=")
            words.append(f"{flag}={VARYING}" if equals else flag)
            after_flag = not equals
            continue
        # Behind what belongs to the task no subcommand follows; behind the value of an option may.
        open_to_names = words[-1] != VARYING or (past_value and plain < _first_names(words))
        named = _RE.name.fullmatch(word) and plain < MOST_SUBCOMMANDS and open_to_names
        # `-m pytest` names a module; of other flags the value belongs to the task.
        modular = words[-1] == "-m" and program in _WORDS.interpreters
        script = program in _WORDS.interpreters and plain == 0 and _RE.script.fullmatch(word)
        if modular or script or (named and (not after_flag or program in _WORDS.runners)):
            words.append(word)
            plain += 1
        elif words[-1] != VARYING:
            words.append(VARYING)
            past_value = after_flag
        after_flag = False
    return " ".join(words)


def _first_names(words: Sequence[str]) -> int:
    """How many names call a program: two where one holds several."""
    return 2 if words[1:2] == ["compose"] else 1


def name_of(command: Command) -> str:
    """`make release`, `python -m pytest`: the program that acts, and its subcommand."""
    named = _RE.called.match(form_of(command.acts[0])) if command.acts else None
    return named[0] if named and " " not in command.acts[0][0] else ""


def forms_of(command: Command) -> list[str]:
    """The forms of the parts of a command that act."""
    return [] if command.act == "look" else [form_of(part) for part in command.acts]
