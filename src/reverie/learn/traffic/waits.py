"""Waits: a call after which another one shows the old state for a while, and then the new.

`publish`, then `show`, `show` again, and some minutes later `show` once more, which now prints
something else: no log says how long it takes, but the times of the calls do, and sometimes a time
in the output says it exactly.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import takewhile
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.learn.diary.tasks import elapsed, moment_of
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import Act, act_of, base, reads_files, shortened
from reverie.learn.traffic.events import since_epoch
from reverie.learn.traffic.ways import LONGEST, call_of
from reverie.learn.traffic.work import Work, trace
from reverie.sessions.traces import Trace

LEAST_LOOKS = 2  # at the old state and at the new
MOST_LOOKS = 40
MOST_TRIES = 3  # times that one pair is looked at
SOON = 3  # calls between what was done and the first look
SHORTEST, LONGEST_WAIT = 45.0, 6 * 3600.0  # seconds
CLOCK = 5.0  # seconds by which a time in an output may differ from that of the call
READ = 4_000  # characters of an output

_RE = patterns("traffic.txt", "waits")
_WORDS = word_sets("traffic.txt", "waits")


class _Look(NamedTuple):
    """One look at the state of things."""

    place: int  # among the attempts
    after: float  # seconds since what was done
    text: str
    words: frozenset[str]  # without times


def waits(work: Work) -> Iterator[Trace]:
    """Each pair of an action and a look that came to show it, once."""
    known: set[str] = set()
    tries = Counter[str]()
    for first, places in _looked_again(work.tried):
        action = _done_before(work.tried, first)
        if action is None:
            continue
        did, look = work.tried[action], work.tried[first]
        key = f"{did.form}\n{_key_of(look)}"
        calls = {"action": _call(did), "look": _call(look)}
        tries[key] += 1
        if key in known or tries[key] > MOST_TRIES or max(map(len, calls.values())) > LONGEST:
            continue
        if change := _came_to_show(work, action, [place for place in places if place >= first]):
            known.add(key)
            old, new, exact = change
            between = work.tried[action + 1 : new.place]
            lines = [did.line, look.line, work.tried[new.place].line]
            data = {**calls, "low": round(old.after, 1), "exact": round(exact, 1)}
            data |= {"edited": any(call.edited for call in between), "lines": lines}
            seconds = exact or new.after
            yield trace("wait", key, did, 1, 0, seconds=round(seconds, 1), data=data)


def _looked_again(tried: Sequence[Attempt]) -> Iterator[tuple[int, list[int]]]:
    """Places of calls that are made several times, each with all places of the same call."""
    same: dict[str, list[int]] = {}
    for place, call in enumerate(tried):
        if _looks(call):
            same.setdefault(_call(call), []).append(place)
    often = [places for places in same.values() if len(places) >= LEAST_LOOKS]
    yield from sorted((place, places) for places in often for place in places)


def _looks(call: Attempt) -> bool:
    """Whether a call may show how things are elsewhere: neither a file nor a check of the code."""
    if call.result_index < 0 or call.result not in {"worked", "failed"}:
        return False
    if call.command is None:
        return _RE.elsewhere.match(call.tool) is not None
    acts = call.command.acts
    return not all(map(reads_files, acts)) and {_named(part) for part in acts} <= {"look", "run"}


def _named(part: Sequence[str]) -> Act:
    """What sort of act a command is by its name: `show --group test` tests nothing."""
    name = tuple(takewhile(lambda word: not word.startswith("-"), part))
    return act_of(name) if name else "run"


def _done_before(tried: Sequence[Attempt], first: int) -> int | None:
    """The place of what was done right before the first look at it."""
    for place in range(first - 1, max(-1, first - 1 - SOON), -1):
        call = tried[place]
        if call.verb == "edit" or _call(call) == _call(tried[first]):
            return None
        if call.command is None:
            if call.result == "worked" and _RE.elsewhere.match(call.tool):
                return place
        elif (
            call.verb in {"run", "ship", "check"} and call.result == "worked" and call.command.acts
        ):
            return None if all(map(_is_everyday, call.command.acts)) else place
    return None


def _is_everyday(part: Sequence[str]) -> bool:
    """What changes this tree or machine, and is seen at once."""
    shipped = base(part[0]) == "git" and act_of(part) == "ship" and "push" not in part
    return shipped or base(part[0]) in _WORDS.everyday


def _came_to_show(
    work: Work, action: int, places: Sequence[int]
) -> tuple[_Look, _Look, float] | None:
    """The last look at the old state, the first at the new, and the delay if an output tells it."""
    did = work.tried[action]
    start = work.turns[max(did.index, did.result_index)].at
    looks: list[_Look] = []
    for place in places[:MOST_LOOKS]:
        again = any(call.form == did.form for call in work.tried[action + 1 : place])
        after = elapsed(start, work.turns[work.tried[place].result_index].at)
        if again or after > LONGEST_WAIT:
            break
        text = work.output(work.tried[place])[:READ]
        tokens = frozenset(_RE.word.findall(_RE.time.sub(" ", text)))
        looks.append(_Look(place, after, text, tokens))
    for new in range(1, len(looks)):
        before, since = looks[:new], looks[new:]
        old, come = _in_all(before), _in_all(since)
        gone = old.difference(*(look.words for look in since))
        came = come.difference(*(look.words for look in before))
        if not came or (old and not gone) or looks[new].after < SHORTEST:
            continue
        # Of what was looked at only twice, much may have changed by itself.
        if (
            new == 1
            and not (_is_state(gone) and _is_state(came))
            and came.isdisjoint(_told(work, did))
        ):
            continue
        return before[-1], since[0], _told_time(start, before, since[0])
    return None


def _is_state(words: frozenset[str]) -> bool:
    return any(map(str.isalpha, words))


def _told(work: Work, did: Attempt) -> set[str]:
    """The words of what was done and of what it printed: `published rev 2301`."""
    return {*_RE.word.findall(work.output(did)[:READ]), *_RE.word.findall(_call(did))}


def _in_all(looks: Sequence[_Look]) -> frozenset[str]:
    first, *others = (look.words for look in looks)
    return first.intersection(*others)


def _told_time(start: str, before: Sequence[_Look], new: _Look) -> float:
    """Seconds up to a time that only the new state names, and that is not the clock; else 0."""
    begun = moment_of(start)
    known = {match[0] for look in before for match in _RE.time.finditer(look.text)}
    for match in _RE.time.finditer(new.text) if begun else ():
        at = _moment(match[0]) if match[0] not in known else None
        if at is None or begun is None:
            continue
        after = (at - begun).total_seconds()
        if before[-1].after - CLOCK < after < new.after - CLOCK and after >= SHORTEST:
            return after
    return 0.0


def _moment(text: str) -> datetime | None:
    if text.replace(".", "").isdigit():
        return since_epoch(float(text))
    at = moment_of(text.replace(" ", "T", 1).replace(",", ".")) if "-" in text else None
    return at.replace(tzinfo=UTC) if at and not at.tzinfo else at


def _call(call: Attempt) -> str:
    return call_of(call.command) if call.command else call.shown


def _key_of(look: Attempt) -> str:
    """The form of a look, with the addresses in it: they say what is looked at."""
    addresses = [_RE.number.sub("N", word) for word in _RE.address.findall(_call(look))]
    return shortened(" ".join([look.form, *addresses]), LONGEST)
