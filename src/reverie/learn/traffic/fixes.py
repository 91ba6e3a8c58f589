"""Fixes: a call that failed, and the same call with one thing changed that then worked.

One thing is a flag with its value, a subcommand, an argument the message names, a variable or a
program before the call, or the program itself where it is missing. What a shell could not parse,
another folder, the state of a repository, a network that was down and code that was edited in
between teach nothing about the tools of a project.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.db.database import Database
from reverie.learn.memories.candidate import Candidate
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import Command, base, clipped, reads_files, shortened
from reverie.learn.traffic.failures import MISCALLED, Failure, Trouble
from reverie.sessions.derived import Chosen
from reverie.sessions.fixes import FixKind, seen
from reverie.sessions.fixes import fixes as fixes_of

REACH = 12  # calls after a failure in which its fix is looked for
LONGEST = 200  # characters of a call; a longer one belongs to one task
MAX_MESSAGE = 90
NAMED = 3  # letters of a word that a message can be said to name
PER_WEEK = 3  # findings of a project that wait for a person; the others stay in the index
WORTH = 0.01  # per session: less than anything a person said

_RE = patterns("traffic.txt", "fixes")
_WORDS = word_sets("traffic.txt", "fixes")
# Where one more flag, variable or program helps, whatever the message says.
_ADDING: frozenset[Trouble] = frozenset(
    {"auth", "environment", "missing-command", "missing-module", "permission", "unknown", "usage"}
)
# Where another value of the same option helps (`--batch 32`), and where it is only another file.
_VALUES: frozenset[Trouble] = frozenset({"environment", "usage"})
_HERE: frozenset[Trouble] = frozenset({"git", "missing-path"})

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fix:
    """One failure that was overcome, with the attempts it was seen in."""

    kind: FixKind
    failed: str
    fix: str
    form: str  # what was changed, without what stayed: equal for the same fix of other arguments
    failure: Failure
    line: int  # of the failing result
    fixed_line: int
    lines: tuple[int, ...]  # all failures of this form

    @property
    def tries(self) -> int:
        return len(self.lines)

    @property
    def lesson(self) -> str:
        """One sentence with the call that works in full."""
        if self.kind == "missing":
            return f"Use `{self.fix}`: there is no `{self.failure.missing}` here"
        message = shortened(self.failure.message, MAX_MESSAGE).replace("`", "'")
        return f"Use `{self.fix}`: `{self.failed}` fails with “{message}”"


class _Change(NamedTuple):
    """The only place in which two calls differ."""

    before: str  # the word in front of it, "" where the call begins
    removed: Words
    added: Words


def fixes(tried: Sequence[Attempt]) -> list[Fix]:
    """The fixes among the attempts of one task, in order, each form once."""
    worked = {_words(call.command) for call in tried if call.command and call.result == "worked"}
    by_form: dict[str, Fix] = {}
    for place, failed in enumerate(tried):
        # A call that also worked as it was failed for a reason of the moment.
        if not teaches(failed) or (failed.command and _words(failed.command) in worked):
            continue
        until_edit = takewhile(lambda later: later.verb != "edit", tried[place + 1 :])
        commands = (later for later in until_edit if later.command is not None)
        tries = (_fix(failed, later) for later in islice(commands, REACH))
        if fix := next(filter(None, tries), None):
            first = by_form.setdefault(fix.form, fix)
            by_form[fix.form] = replace(first, lines=tuple(sorted({*first.lines, *fix.lines})))
    return list(by_form.values())


def teaches(call: Attempt) -> bool:
    """Whether a failed call may say something about the tools of a project."""
    if call.result != "failed" or call.failure is None or call.command is None:
        return False
    parts = call.command.acts
    if not parts or any(map(reads_files, parts)) or call.verb == "edit":
        return False
    state = any(base(part[0]) == "git" for part in parts) and call.failure.trouble != "usage"
    # `-h` names a host where something stands behind it.
    asks = any(part[-1] in _WORDS.asking for part in parts)
    return not state and not asks and not _RE.shell.search(call.failure.message)


def _fix(failed: Attempt, later: Attempt) -> Fix | None:
    """A later call as the fix of a failed one; None where it is none, or teaches nothing."""
    assert failed.command is not None and failed.failure is not None
    failure = failed.failure
    if later.command is None or not _got_through(later, failure):
        return None
    before, after = _words(failed.command, failure.missing), _words(later.command)
    change = _change(before, after)
    elsewhere = not failure.missing and _place(failed) != _place(later)
    if change is None or elsewhere or not _helps(change, failure):
        return None
    if len(" ".join(after)) > LONGEST or not _WORDS.removes.isdisjoint(map(base, after)):
        return None
    return Fix(
        "missing" if failure.missing else "changed",
        shortened(" ".join(map(clipped, before)), LONGEST),
        " ".join(after),
        _form(before, change),
        failure,
        failed.result_line,
        later.result_line,
        (failed.result_line,),
    )


def _got_through(call: Attempt, failure: Failure) -> bool:
    """Whether a call worked; where the call itself was wrong, a check that found fault did too."""
    checked = call.failure is not None and call.failure.trouble == "code"
    return call.result == "worked" or (checked and failure.trouble in MISCALLED)


def _words(command: Command, missing: str = "") -> Words:
    """The parts that act with the variables before them, as one line; of several the missing."""
    parts = [part for part in command.acts if base(part[0]) == missing] or command.acts
    words = [word for word in command.setting if not word.startswith("cd ")]
    for number, part in enumerate(parts):
        words += ["&&", *part] if number else part
    return tuple(words)


def _place(call: Attempt) -> tuple[str, ...]:
    setting = call.command.setting if call.command else ()
    return call.cwd, *(word for word in setting if word.startswith("cd "))


def _change(before: Words, after: Words) -> _Change | None:
    """The change of one call into another; None when it is none, or more than one thing."""
    start = end = 0
    shortest = min(len(before), len(after))
    while start < shortest and before[start] == after[start]:
        start += 1
    while end < shortest - start and before[-1 - end] == after[-1 - end]:
        end += 1
    removed, added = before[start : len(before) - end], after[start : len(after) - end]
    if removed == added or not (_is_single(removed) and _is_single(added)):
        return None
    first = start == 0 or before[start - 1] == "&&"
    return _Change("" if first else before[start - 1], removed, added)


def _is_single(words: Words) -> bool:
    """One word, a flag with its value, a program with its subcommand (`uv run`, `python -m`)."""
    return len(words) < 2 or (len(words) == 2 and "&&" not in words)


def _helps(change: _Change, failure: Failure) -> bool:
    """Whether the change can be why it works now."""
    before, removed, added = change
    if any(map(_is_text, (*removed, *added))):
        return False
    if before.startswith("-") and len(removed) == len(added) == 1:  # another value of an option
        named = _names(failure.message, removed[0]) and failure.trouble not in _HERE
        return named or failure.trouble in _VALUES
    if failure.trouble not in _ADDING and not (failure.trouble == "network" and not before):
        return False
    if failure.missing:
        return not before and bool(added) and (not removed or base(removed[0]) == failure.missing)
    if not removed:
        option = added[0].startswith("-") or not before
        return option or (failure.trouble == "usage" and len(added) == 1)
    if not before:
        return not added and failure.trouble == "usage"  # a wrapper that does not know the call
    flag = removed[0].startswith("-")
    named = any(_names(failure.message, word) for word in removed)
    return named and (flag or (failure.trouble == "usage" and len(removed) == 1))


def _is_text(word: str) -> bool:
    """A script or a message among the words, which belongs to one task."""
    return " " in word and not _RE.variable.match(word)


def _names(message: str, word: str) -> bool:
    """Whether a message names a word, or one of several in it (`--json a,b`)."""
    parts = {part for part in _RE.part.findall(word) if len(part) >= NAMED}
    return not parts.isdisjoint(_RE.part.findall(message))


def _form(before: Words, change: _Change) -> str:
    program = next(base(word) for word in before if not _RE.variable.match(word))
    gone, new = change.removed, tuple(map(_unvalued, change.added))
    if change.before.startswith("-") and len(gone) == len(new) == 1:
        # From which value one came down to the one that works is a detail of one task.
        gone = (change.before,)
    return f"{program} | -{' '.join(gone)} +{' '.join(new)}"


def _unvalued(word: str) -> str:
    """A variable or option without its value: `--port=3000` → `--port=`."""
    name, equals, _ = word.partition("=")
    return name + equals if equals and _RE.name.fullmatch(name) else word


def findings(database: Database, session: str, since: int = 0) -> list[Candidate]:
    """What fixes of a session from a line on would teach a person: few, and behind the rest.

    A fix is asked about when a project first shows it, and once more when another session does.
    """
    rows = fixes_of(Chosen(database, (session,)), since=since)
    known = [(row, seen(database, row)) for row in rows]
    return [
        Candidate(
            lesson=before.lesson,
            type="reference",
            kind="command",
            scope="project",
            project=row.project,
            session=row.session,
            evidence=row.id,
            at=row.at,
            quote=row.message,
            premise=row.failed,
            standing=False,
            trust="tool",
            score=WORTH * before.sessions,
        )
        for row, before in known
        if before.others < PER_WEEK and before.sessions <= 2
    ]
