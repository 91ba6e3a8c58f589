"""Fixes: a command that failed, and the changed command, or the one before it, that then worked.

Only troubles of the surroundings count: a tool that is called otherwise here, a flag it does not
know, a step that has to come first. A bug of the repository is fixed in the repository, and git
shows how; a search that looked in the wrong place teaches nothing.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from reverie.learn.attempts import Attempt
from reverie.learn.commands import Command, base, clipped, goals, shortened
from reverie.learn.failures import SURROUNDINGS, Failure
from reverie.sessions.fixes import FixKind

REACH = 12  # commands after a failure in which its fix is looked for
ALIKE = 0.5  # share of words that two forms of one call have in common
MAX_PREPARING = 2
VARYING = "…"
_MAKING = frozenset({"build", "compile", "fmt", "format"})  # checks that leave something behind


@dataclass(frozen=True, slots=True)
class Fix:
    """One failure that was overcome, with the attempts it was seen in."""

    kind: FixKind
    failed: str
    fix: str
    failure: Failure
    line: int  # of the failing result
    fixed_line: int
    tries: int
    lines: tuple[int, ...]  # failures of this kind

    @property
    def lesson(self) -> str:
        """One sentence; specific values stay as they were seen."""
        message = shortened(self.failure.message, 90).replace("`", "'")
        if self.kind == "prepared":
            return f"When `{self.failed}` fails with “{message}”, run `{self.fix}` first"
        return f"`{self.failed}` fails with “{message}”; `{self.fix}` works"

    @property
    def form(self) -> str:
        """What was changed, without what stayed: equal for the same fix of other arguments."""
        if self.kind == "prepared":
            return f"{self.failed} | first {self.fix}"
        before, after = Counter(self.failed.split()), Counter(self.fix.split())
        removed = " ".join(sorted((before - after).elements()))
        added = " ".join(sorted((after - before).elements()))
        return f"{self.failure.signature} | -{removed} +{added}"


def fixes(tried: Sequence[Attempt]) -> list[Fix]:
    """The fixes among the attempts of one task, in order, the same lesson once."""
    runs = [one for one in tried if one.command is not None or one.verb == "edit"]
    found: list[_Pair] = []
    fixed: set[int] = set()
    for place, one in enumerate(runs):
        if one.result != "failed" or one.index in fixed or not _teaches(one):
            continue
        pair = _overcome(runs, place)
        if pair is not None:
            found.append(pair)
            fixed.update(attempt.index for attempt in pair.failures)
    return _generalised(found)


@dataclass(frozen=True, slots=True)
class _Pair:
    kind: FixKind
    failures: tuple[Attempt, ...]
    worked: Attempt
    words: tuple[tuple[str, ...], tuple[str, ...]]  # of the failing call, of the fix

    @property
    def failure(self) -> Failure:
        failure = self.failures[0].failure
        assert failure is not None
        return failure


def _teaches(one: Attempt) -> bool:
    command, failure = one.command, one.failure
    if command is None or failure is None or not command.parts:
        return False
    return command.act != "look" and one.verb != "edit"


def _overcome(runs: Sequence[Attempt], place: int) -> _Pair | None:
    """The best of what worked after a failure: the call most like it, or what came before it."""
    first = runs[place]
    command, failure = first.command, first.failure
    assert command is not None
    assert failure is not None
    failures = [first]
    between: list[Attempt] = []
    best: Attempt | None = None
    likeness = ALIKE
    edited = False
    for one in runs[place + 1 : place + 1 + REACH]:
        if one.command is None or one.verb == "edit":
            edited = True
        elif one.command.acts == command.acts:
            if one.result == "failed":
                failures.append(one)
            elif one.result == "worked":
                return _same_again(failures, between, one, best, edited)
        elif one.result == "worked" and one.command.act != "look":
            alike = _likeness(command, one.command, failure)
            if alike > likeness or (best is None and alike == likeness):
                best, likeness = one, alike
            between.append(one)
    return _changed(failures, best) if best else None


def _same_again(
    failures: Sequence[Attempt],
    between: Sequence[Attempt],
    worked: Attempt,
    best: Attempt | None,
    edited: bool,
) -> _Pair | None:
    """The same call worked: elsewhere, after another form of it had, or after another step."""
    changed = _changed(failures, best) if best else None
    if edited:
        return changed
    return _elsewhere(failures, worked) or changed or _prepared(failures, between, worked)


def _changed(failures: Sequence[Attempt], worked: Attempt) -> _Pair:
    first = failures[0].command
    assert first is not None
    assert worked.command is not None
    return _Pair("changed", tuple(failures), worked, (told(first), told(worked.command)))


def _elsewhere(failures: Sequence[Attempt], worked: Attempt) -> _Pair | None:
    """The same call worked in another folder, or with a variable set."""
    first, failure = failures[0].command, failures[0].failure
    assert first is not None
    assert failure is not None
    assert worked.command is not None
    new = [word for word in worked.command.setting if word not in first.setting]
    if not new or failure.trouble not in SURROUNDINGS:
        return None
    words = told(worked.command)
    for one in reversed(new):
        words = (*one.split(), "&&", *words) if one.startswith("cd ") else (one, *words)
    return _Pair("changed", tuple(failures), worked, (told(first), words))


def _prepared(
    failures: Sequence[Attempt], between: Sequence[Attempt], worked: Attempt
) -> _Pair | None:
    """The same call worked after other commands, and nothing was edited: they did it."""
    first, failure = failures[0].command, failures[0].failure
    assert first is not None
    assert failure is not None
    useful: list[Command] = []
    for one in between:
        if one.command is None or one.verb not in {"run", "check"} or _repeats(one, first):
            continue
        if one.verb == "check" and not goals(one.command.words()) & _MAKING:
            continue
        # Of a failing check only its own tool can repair the code (`lint` → `lint:fix`).
        if failure.trouble in SURROUNDINGS or one.command.program == first.program:
            useful.append(one.command)
    if failure.trouble == "usage":
        return None  # no other command makes a wrong call right
    removes = any(command.program in {"rm", "rmdir", "kill", "pkill"} for command in useful)
    if not useful or len(useful) > MAX_PREPARING or removes or first.act == "ship":
        return None
    words = told(useful[0])
    for command in useful[1:]:
        words = (*words, "&&", *told(command))
    return _Pair("prepared", tuple(failures), worked, (told(first), words))


def _repeats(one: Attempt, command: Command) -> bool:
    """A narrower run of the same thing prepares nothing."""
    return one.command is not None and set(command.words()) <= set(one.command.words())


def _likeness(failed: Command, other: Command, failure: Failure) -> float:
    """How much `other` tries the same thing in another form; 0 when it does not."""
    before, after = failed.words(), other.words()
    if failure.trouble not in SURROUNDINGS or "--help" in after or not after:
        return 0.0
    if failure.missing and failure.missing != base(after[0]):
        if failure.missing in {base(word) for word in after}:
            return 1.0
        return _alike(before[1:], after[1:]) if failed.program == failure.missing else 0.0
    # Other paths and messages are details of one task: a program, subcommand or flag must differ.
    if _form(failed) == _form(other) or base(after[0]) not in {base(word) for word in before}:
        return 0.0
    wanted, got = goals(before), goals(after)
    if (wanted or got) and not wanted & got:
        return 0.0
    return _alike(before, after)


def _alike(before: Sequence[str], after: Sequence[str]) -> float:
    if not before or not after:
        return 0.0
    common = sum((Counter(before) & Counter(after)).values())
    return common / max(len(before), len(after))


def _form(command: Command) -> Counter[str]:
    words: Counter[str] = Counter()
    for part in command.acts:
        words[part[0]] += 1
        for place, word in enumerate(part[1:], 1):
            flag = word.startswith("-") and len(word) > 1
            subcommand = place <= 2 and word.isalpha()
            if flag or subcommand:
                words[word.split("=")[0]] += 1
    return words


def _generalised(pairs: Sequence[_Pair]) -> list[Fix]:
    """One fix per lesson; words that differ among several pairs of one shape become `…`."""

    def shape(pair: _Pair) -> tuple[str, str, int, int, str]:
        before, after = pair.words
        return pair.kind, pair.failure.signature, len(before), len(after), before[0]

    found: list[Fix] = []
    for _, group in groupby(sorted(pairs, key=lambda pair: (shape(pair), _line(pair))), shape):
        members = list(group)
        first = min(members, key=_line)
        lines = sorted({one.result_line for member in members for one in member.failures})
        found.append(
            Fix(
                kind=first.kind,
                failed=shortened(" ".join(varied([m.words[0] for m in members])), 140),
                fix=shortened(" ".join(varied([m.words[1] for m in members])), 140),
                failure=first.failure,
                line=_line(first),
                fixed_line=first.worked.result_line,
                tries=len(lines),
                lines=tuple(lines),
            )
        )
    return sorted(found, key=lambda fix: fix.line)


def _line(pair: _Pair) -> int:
    return pair.failures[0].result_line


def told(command: Command) -> tuple[str, ...]:
    """The words of a command as they are told: long texts among them cut short."""
    words: list[str] = []
    for part in command.acts:
        words += ["&&"] if words else []
        words += map(clipped, part)
    return tuple(words)


def varied(forms: Sequence[Sequence[str]]) -> list[str]:
    """The words all forms share, in place; where they differ stands `…`."""
    return [words[0] if len(set(words)) == 1 else VARYING for words in zip(*forms, strict=True)]
