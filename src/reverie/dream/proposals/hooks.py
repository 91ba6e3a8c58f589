"""Hooks: what a pattern says about a command, as a check that reads commands as a shell does.

    deny    a command that a person forbade, or a call that fails each time and has one that works
    ask     a command that is forbidden on a condition (`without asking`, `unless`): it is theirs
    remind  what must come first did not come, and commits without it were let stand before; or a
            call that failed more often than not, which a model would have them think over

Before one is offered it is replayed over the commands of the sessions that are dreamt about. It is
never offered when it would have refused a call that was good.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reverie.data import patterns, word_sets
from reverie.dream.model import Artefact, Night, Pattern, Replay
from reverie.dream.proposals.hook_program import fires
from reverie.dream.proposals.rules import rule_of
from reverie.learn.traffic.commands import VARYING
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, counted, traces

SETTINGS = ".claude/settings.json"
LET_STAND = "only reminds: calls without what comes first were let stand"
FIRED = 5  # calls that are named
_GIT = {"commit": "commit", "push": "push", "merg": "merge"}
_REFUSED = frozenset({"failed", "refused"})
_SHELL = frozenset("|&;<>$`(){}*?[]\\'\"")  # what makes more of a call than words

_RE = patterns("dreams.txt", "hooks")
_WORDS = word_sets("dreams.txt", "hooks")

Call = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Guard:
    """What is guarded, what must come before it, and what is said."""

    calls: tuple[Call, ...]
    first: tuple[Call, ...] = ()
    decision: str = "deny"
    reason: str = ""
    missing: str = ""  # a program; where it is installed, there is nothing to say
    note: str = ""  # for who decides

    def entry(self) -> dict[str, Any]:
        """As the program that checks it reads it."""
        entry: dict[str, Any] = {"calls": list(self.calls)}
        if self.first:
            entry["first"] = list(self.first)
        if self.missing:
            entry["missing"] = self.missing
        return entry | {"decision": self.decision, "reason": self.reason}


def guard_of(pattern: Pattern) -> Guard | None:
    """The guard that a pattern asks for; None where it names no command."""
    source, member = pattern.group.source, pattern.group.members[0]
    suggested = next(
        (suggestion for suggestion in pattern.suggested if suggestion.form == "hook"), None
    )
    if suggested is not None:
        words = _words(suggested.match)
        calls = ({"call": words},) if words else ()
        guard = Guard(calls, (), suggested.decision or "deny", note=suggested.note)
    elif pattern.suggested:
        return None
    elif source == "fix" and member.fix:
        words = _words(member.failed)
        calls = ({"call": words, "exact": True},) if words else ()
        lost = words and words[0] in member.message and _RE.lost.search(member.message)
        guard = Guard(calls, missing=words[0] if lost else "")
    elif source == "said":
        guard = _comes_first(pattern.text) or forbidden(pattern.text)
    else:
        return None
    if guard is None or not guard.calls:
        return None
    return replace(guard, reason=rule_of(pattern).line)


def _comes_first(text: str) -> Guard | None:
    """`make fmt` before every commit."""
    event = _RE.event.search(text)
    quoted = [words for call in _RE.quoted.findall(text) if (words := _program(call))]
    if event is None or len(quoted) != 1 or quoted[0][0] == "git":
        return None
    verb = _GIT[(event["event"] or event["banned"] or event["led"]).lower()]
    return Guard(({"call": ["git", verb]},), ({"call": quoted[0]},))


def forbidden(text: str) -> Guard | None:
    """The command that a sentence forbids; None where it forbids none."""
    decision = "ask" if _RE.conditional.search(text) else "deny"
    if match := _RE.to_branch.search(text):
        return Guard(
            ({"call": ["git", "push"], "targets": [match["branch"].lower()]},), (), decision
        )
    if _RE.forced.search(text):
        calls = tuple({"call": ["git", "push", flag]} for flag in ("--force", "-f"))
        return Guard(calls, (), decision)
    if match := _RE.act_of_git.search(text):
        verb = match["verb"].lower()
        call = ["git", "commit", "--amend"] if verb == "amend" else ["git", verb]
        looks = {"but": ["list", "show"]} if verb == "stash" else {}
        return Guard(({"call": call} | looks,), (), decision)
    if match := _RE.forbidden.search(text):
        act = match["act"].strip().lower()
        more = _RE.more.match(text, match.end())
        named = [match["call"], *(_RE.quoted.findall(more[0]) if more else [])]
        calls = [_program(call, surely=act in _WORDS.surely_run) for call in named]
        if all(calls) and (not act or act in _WORDS.acts):
            return Guard(tuple({"call": words} for words in calls), (), decision)
    elif match := _RE.instead.search(text):
        words = _program(match["call"].rstrip(".,;:"))
        return Guard(({"call": words},), (), decision) if words else None
    elif match := _RE.unquoted.search(text):
        words = _program(match["call"].rstrip(".,;:"))
        # A program alone, in passing, is rather spoken of than run: "don't use docker for that".
        if len(words) > 1:
            return Guard(({"call": words},), (), decision)
    return None


def holds_forbidden(pattern: Pattern, banned: Iterable[Guard]) -> bool:
    """Whether one of its steps is a command that somebody forbade."""
    steps = pattern.group.members[0].steps
    bans = [guard.entry() for guard in banned if not guard.first and guard.decision == "deny"]
    return any(fires(step, ban, []) for step in steps for ban in bans)


def _program(call: str, *, surely: bool = False) -> list[str]:
    """The words of a call of a program; [] where it is rather something else in code."""
    words = _words(call)
    named = words and (words[0] in _WORDS.programs or (surely and words[0].islower()))
    return words if named and VARYING not in words else []


def _words(call: str) -> list[str]:
    bare = call.replace("\\.", ".")
    return [] if _SHELL & set(bare) else bare.split()


def hook_form(pattern: Pattern, guard: Guard, replay: Replay) -> Artefact | None:
    """The hook as it is offered; None when the past speaks against it."""
    decision, note = guard.decision, guard.note
    if replay.unread:
        return None
    if guard.first and replay.good:
        decision, note = "remind", LET_STAND
    elif decision == "remind" and replay.bad > replay.good:
        pass  # it stops nothing
    elif replay.good or (pattern.group.source == "fix" and not replay.bad):
        return None
    entry = {"event": "PreToolUse", "matcher": "Bash", **replace(guard, decision=decision).entry()}
    content = json.dumps(entry, ensure_ascii=False, sort_keys=True)
    return Artefact("hook", SETTINGS, content, replay, note)


def replays(
    night: Night, guards: Mapping[str, Guard], standing: Sequence[Pattern]
) -> dict[str, Replay]:
    """What each guard would have done in the sessions that are dreamt about."""
    said = {
        pattern.group.id: _said_at(pattern) for pattern in standing if pattern.group.id in guards
    }
    results = {name: Replay() for name in guards}
    if night.reach is None or not guards:
        return results
    chosen = Chosen(night.reach.database, night.sessions)
    for row in traces(chosen, "ran"):
        for name, guard in guards.items():
            results[name] = _replayed(results[name], row, guard, said[name])
    worked = sum(counted(chosen, "runs", by="project").values())
    return {
        name: replace(replay, unread=max(0, worked - replay.sessions))
        for name, replay in results.items()
    }


def _said_at(pattern: Pattern) -> dict[str, int]:
    """Session → the last line in which a person said it there."""
    lines: dict[str, int] = {}
    for member in pattern.group.members:
        line = member.evidence.rpartition("#")[2]
        if pattern.group.source == "said" and line.isdigit():
            lines[member.session] = max(lines.get(member.session, 0), int(line))
    return lines


def _replayed(sofar: Replay, row: TraceRow, guard: Guard, said: Mapping[str, int]) -> Replay:
    ran: list[list[Any]] = row.trace.data
    bad, good, fired = sofar.bad, sofar.good, list(sofar.fired)
    for line, result in _fired(ran, guard):
        told_off = line < said.get(row.session, -1)
        bad, good = (bad + 1, good) if told_off or result in _REFUSED else (bad, good + 1)
        fired.append(f"{row.session}#{line}")
    return Replay(sofar.sessions + 1, 0, sofar.commands + len(ran), bad, good, tuple(fired[:FIRED]))


def _fired(ran: Sequence[Sequence[Any]], guard: Guard) -> Iterator[tuple[int, str]]:
    """Line and result of each call of a session on which the guard would have fired."""
    entry = guard.entry()
    names = {str(call["call"][0]) for call in (*guard.calls, *guard.first)}
    before: list[str] = []
    for line, result, text in ran:
        # What names none of the programs needs no reading.
        if not any(name in text for name in names):
            continue
        if fires(text, entry, before):
            yield int(line), str(result)
        if guard.first:
            before.append(text)
