"""Fixes: a command that failed, and the changed command, or the one before it, that then worked.

Only troubles of the surroundings count: a tool that is called otherwise here, a flag it does not
know, a step that has to come first. A bug of the repository is fixed in the repository, and git
shows how; a search that looked in the wrong place teaches nothing.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from reverie.data import patterns, word_sets
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import (
    VARYING,
    Command,
    base,
    clipped,
    goals,
    reads_files,
    shortened,
)
from reverie.learn.traffic.failures import SURROUNDINGS, Failure, Trouble
from reverie.sessions.fixes import FixKind

_RE = patterns("traffic.txt", "fixes")
_WORDS = word_sets("traffic.txt", "fixes")

REACH = 12  # commands after a failure in which its fix is looked for
ALIKE = 0.5  # share of words that two forms of one call have in common
MAX_PREPARING = 2
Words = tuple[str, ...]
# A service asked in the wrong way teaches as much as a command; a file looked for does not.
_OUTSIDE: frozenset[Trouble] = frozenset(
    {"auth", "environment", "missing-command", "network", "permission", "usage", "unknown"}
)
# Where another value of the same option helps (`--batch-size 32`), not only another option.
_VALUES: frozenset[Trouble] = frozenset({"environment", "usage", "busy"})


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
        tried, fixed = self.failed.split(), self.fix.split()
        if self.kind == "prepared":
            about = set(tried) - set(_skeleton(tried))
            first = " ".join(VARYING if word in about else word for word in fixed)
            return f"{' '.join(_skeleton(tried))} | first {first}"
        if place := _other_value(tried, fixed):
            # From which value one came down to the one that works is a detail of one task.
            return f"{self.failure.signature} | {tried[place - 1]} {fixed[place]}"
        before, after = Counter(map(_named, tried)), Counter(map(_named, fixed))
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
        # Two calls that differ only in what is cut off are told alike.
        if pair is not None and pair.words[0] != pair.words[1]:
            found.append(pair)
            fixed.update(attempt.index for attempt in pair.failures)
    return _generalised(found)


@dataclass(frozen=True, slots=True)
class _Pair:
    kind: FixKind
    failures: tuple[Attempt, ...]
    worked: Attempt
    words: tuple[Words, Words]  # of the failing call, of the fix

    @property
    def failure(self) -> Failure:
        failure = self.failures[0].failure
        assert failure is not None
        return failure


def _teaches(one: Attempt) -> bool:
    command, failure = one.command, one.failure
    if command is None or failure is None or not command.parts or one.verb == "edit":
        return False
    if command.act == "look":
        return failure.trouble in _OUTSIDE and not any(map(reads_files, command.parts))
    return True


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
        elif one.result != "worked":
            continue
        elif ended := _led_up(failures, one, edited):
            return ended
        elif one.command.act != "look" or command.act == "look":
            alike = _likeness(command, one.command, failure, edited)
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
    return _Pair("changed", tuple(failures), worked, (told(first.acts), told(worked.command.acts)))


def _elsewhere(failures: Sequence[Attempt], worked: Attempt) -> _Pair | None:
    """The same call worked in another folder, or with a variable set."""
    first, failure = failures[0].command, failures[0].failure
    assert first is not None
    assert failure is not None
    assert worked.command is not None
    new = [word for word in worked.command.setting if word not in first.setting]
    moved = all(word.startswith("cd ") for word in new)
    if not new or (moved and failure.trouble not in SURROUNDINGS):
        return None
    words = told(worked.command.acts)
    for one in reversed(new):
        words = (*one.split(), "&&", *words) if one.startswith("cd ") else (one, *words)
    return _Pair("changed", tuple(failures), worked, (told(first.acts), words))


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
        if one.verb == "check" and not goals(one.command.words()) & _WORDS.making:
            continue
        # Of a failing check only its own tool can repair the code (`lint` → `lint:fix`).
        if failure.trouble in SURROUNDINGS or one.command.program == first.program:
            useful.append(one.command)
    acts = tuple(part for command in useful for part in command.acts)
    if len(useful) > MAX_PREPARING or not _prepares(acts, first, failure):
        return None
    return _Pair("prepared", tuple(failures), worked, (told(first.acts), told(acts)))


def _led_up(failures: Sequence[Attempt], worked: Attempt, edited: bool) -> _Pair | None:
    """The same call worked at the end of a line whose first commands made it work."""
    first, failure = failures[0].command, failures[0].failure
    assert first is not None
    assert failure is not None
    assert worked.command is not None
    before, rest = worked.command.acts[: -len(first.acts)], worked.command.acts[-len(first.acts) :]
    if edited or failure.trouble == "code" or rest != first.acts:
        return None
    if not _prepares(before, first, failure):
        return None
    return _Pair("prepared", tuple(failures), worked, (told(first.acts), told(before)))


def _prepares(acts: Sequence[Words], first: Command, failure: Failure) -> bool:
    """Whether commands can have made another one work; none makes a wrong call right."""
    if not acts or failure.trouble == "usage" or first.act == "ship":
        return False
    if first.act == "look" and failure.trouble not in SURROUNDINGS:
        return False  # what was looked for may only have been made meanwhile
    return len(acts) <= MAX_PREPARING and not any(base(part[0]) in _WORDS.removes for part in acts)


def _repeats(one: Attempt, command: Command) -> bool:
    """A narrower run of the same thing prepares nothing."""
    return one.command is not None and set(command.words()) <= set(one.command.words())


def _likeness(failed: Command, other: Command, failure: Failure, edited: bool) -> float:
    """How much `other` tries the same thing in another form; 0 when it does not."""
    before, after = failed.words(), other.words()
    known = failure.trouble in SURROUNDINGS
    if "--help" in after or not after or failure.trouble == "code":
        return 0.0
    if failure.missing and failure.missing != base(after[0]):
        if failure.missing in {base(word) for word in after}:
            return 1.0
        return _alike(before[1:], after[1:]) if failed.program == failure.missing else 0.0
    if len(failed.acts) == len(other.acts) == 1 and _extends(before, after):
        return 1.0 if known or not edited else 0.0
    if not known:
        return 0.0
    # Other paths and messages are details of one task: a program, subcommand or flag must differ.
    if _form(failed) == _form(other):
        helps = failure.trouble in _VALUES and _other_value(before, after)
        return _alike(before, after) if helps else 0.0
    if base(after[0]) not in {base(word) for word in before}:
        return 0.0
    wanted, got = goals(before), goals(after)
    if (wanted or got) and not wanted & got:
        return 0.0
    return _alike(before, after)


def _extends(before: Sequence[str], after: Sequence[str]) -> bool:
    """The same words in order, with a program before them (`uv run …`) or options in between."""
    rest = iter(before)
    wanted = next(rest, None)
    added: list[str] = []
    for word in after:
        if word == wanted:
            wanted = next(rest, None)
        else:
            added.append(word)
    wrapped = after[0] != before[0] and added != []
    return wanted is None and (wrapped or any(word.startswith("-") for word in added))


def _other_value(before: Sequence[str], after: Sequence[str]) -> int:
    """The place of the one option value in which two calls differ; 0 when they differ more."""
    if len(before) != len(after):
        return 0
    places = [place for place, word in enumerate(before) if word != after[place]]
    place = places[0] if len(places) == 1 else 0
    return place if place and before[place - 1].startswith("-") else 0


def _alike(before: Sequence[str], after: Sequence[str]) -> float:
    if not before or not after:
        return 0.0
    common = sum((Counter(before) & Counter(after)).values())
    return common / max(len(before), len(after))


def _form(command: Command) -> Counter[str]:
    return Counter(word for part in command.acts for word in _skeleton(part))


def _skeleton(part: Sequence[str]) -> list[str]:
    """Program, subcommands and flags: what a call is, without what it is about."""
    kept = [part[0]]
    for place, word in enumerate(part[1:], 1):
        flag = word.startswith("-") and len(word) > 1
        subcommand = place <= 2 and word.isalpha()
        if flag or subcommand:
            kept.append(word.split("=")[0])
    return kept


def _named(word: str) -> str:
    """An option or variable without its value: `--port=3000` → `--port=`."""
    name, equals, _ = word.partition("=")
    return name + equals if equals and _RE.name.fullmatch(name) else word


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


def told(acts: Sequence[Words]) -> Words:
    """The words of commands as they are told: long texts among them cut short."""
    words: list[str] = []
    for part in acts:
        words += ["&&"] if words else []
        words += map(clipped, part)
    return tuple(words)


def varied(forms: Sequence[Sequence[str]]) -> list[str]:
    """The words all forms share, in place; where they differ stands `…`."""
    return [_shared(words) for words in zip(*forms, strict=True)]


def _shared(words: Sequence[str]) -> str:
    if len(set(words)) == 1:
        return words[0]
    names = set(map(_named, words))
    name = names.pop()
    return name + VARYING if not names and name.endswith("=") else VARYING
