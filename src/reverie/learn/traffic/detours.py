"""Detours: several failed calls on the way to one that worked, all after the same thing.

A bug that was hunted by editing and testing is no detour: it was the work.
"""

from collections.abc import Sequence
from typing import NamedTuple

from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import base, shortened
from reverie.learn.traffic.shapes import form_of, forms_of

LEAST = 3  # failed calls
REACH = 12  # calls between two failures of one detour
MAX_TRIES = 4  # that are told


class Detour(NamedTuple):
    """The failed tries, and what worked in the end."""

    failures: tuple[Attempt, ...]
    worked: Attempt
    form: str  # of what worked
    tries: tuple[str, ...]  # forms of the failures, each once

    @property
    def key(self) -> str:
        return f"{self.form} ← {self.tries[0]}"


def detours(tried: Sequence[Attempt]) -> list[Detour]:
    """The detours among the attempts of one session, in order."""
    found: list[Detour] = []
    open_failures: list[Attempt] = []
    for one in tried:
        if open_failures and one.index - open_failures[-1].index > 4 * REACH:
            open_failures = []
        if one.verb == "edit" and one.result == "worked":
            open_failures = []  # something was changed: what follows is another try at the code
        elif _is_failure(one):
            open_failures.append(one)
        elif one.result == "worked" and open_failures:
            after = [failed for failed in open_failures if _same_aim(failed, one)]
            if len(after) >= LEAST:
                found.append(_detour(after, one))
            if after:
                open_failures = [failed for failed in open_failures if failed not in after]
    return found


def _is_failure(one: Attempt) -> bool:
    if one.result != "failed" or one.failure is None or one.verb in {"edit", "ask", "delegate"}:
        return False
    return one.failure.trouble != "code"


def _same_aim(failed: Attempt, worked: Attempt) -> bool:
    """Whether two calls are after the same thing: a program, or a name that both use."""
    if worked.command is not None and worked.verb == "look" and failed.verb != "look":
        return False
    before, after = _names(failed), _names(worked)
    common = before & after
    return len(common) >= max(1, min(len(before), len(after)) / 2)


def _names(one: Attempt) -> set[str]:
    if one.command is None:
        words = one.shown.split()
        return {base(words[-1])} if len(words) > 1 else set()
    return {
        base(word) for word in one.command.words() if not word.startswith("-") and len(word) > 1
    }


def _detour(failures: Sequence[Attempt], worked: Attempt) -> Detour:
    tries = tuple(dict.fromkeys(call_form(one) for one in failures))
    return Detour(tuple(failures), worked, call_form(worked), tries[:MAX_TRIES])


def call_form(one: Attempt) -> str:
    """The form of a call; of a tool without a command, what it was called with."""
    if one.command is not None:
        forms = forms_of(one.command) or [form_of(part) for part in one.command.parts[:1]]
        return shortened(" && ".join(dict.fromkeys(forms)), 140)
    return one.shown
