"""A sitting: one question after the other, a key each; forward, back, and taken back again.

Nothing that goes wrong with one question ends it: it is said, and the question stands.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from reverie.cli import printing
from reverie.cli.printing import say, say_dim
from reverie.errors import ReverieError

_ALWAYS = {
    "s": "skip it: it is asked again the next time",
    "b": "back to the one before",
    "u": "undo the last decision and ask again",
    "?": "this list",
    "q": "quit; what is left waits",
}
_ENDING = "s skip · b back · u undo · ? help · q quit"


class Decided(NamedTuple):
    """What became of a question, and the command that takes it back later."""

    lines: tuple[str, ...]
    back: str = ""


class Question(Protocol):
    """Something a person decides about."""

    @property
    def keys(self) -> Mapping[str, str]:
        """What can be pressed, each with what it does; its first word stands in the short list."""
        ...

    @property
    def waits(self) -> bool:
        """Whether it is open still: deciding another may have answered it."""
        ...

    def show(self, place: str) -> None:
        """Show it; `place` says which of how many it is."""
        ...

    def press(self, key: str) -> Decided | None:
        """Do what a key says; `None` when nothing is decided yet."""
        ...


def ask(questions: Sequence[Question], take_back: Callable[[], object]) -> bool:
    """Go through the questions; False when the person stopped before the last one.

    `take_back` undoes the last decision.
    """
    taken: list[int] = []  # questions in the order in which they were decided
    at, step, shown = 0, 1, -1
    while at < len(questions):
        if at not in taken and not questions[at].waits:
            at, step = (at + step, step) if at + step >= 0 else (0, 1)
            continue
        if at != shown:
            questions[at].show(f"{at + 1} of {len(questions)}")
        shown = at
        _show_keys(questions[at], decided=at in taken)
        key, step = printing.key(), 1
        if key == "q":
            left = sum(one.waits for place, one in enumerate(questions) if place not in taken)
            say(f"{left} left for later")
            return False
        if key == "s":
            at += 1
        elif key == "b":
            at, step = max(at - 1, 0), -1
        elif key == "u":
            if taken:
                shown = -1
            at = _undone(taken, take_back, at)
        elif key in ("?", "h"):
            _help(questions[at])
        elif at not in taken and _decided(questions[at], key):
            taken.append(at)
            at += 1
    return True


def _show_keys(question: Question, *, decided: bool) -> None:
    if decided:
        say("  decided already; u takes decisions back, the last one first")
    say_dim(" · ".join(f"{key} {does.split(',')[0]}" for key, does in question.keys.items()))
    say_dim(_ENDING)


def _help(question: Question) -> None:
    for key, does in {**question.keys, **_ALWAYS}.items():
        say(f"  {key}  {does}")


def _undone(taken: list[int], take_back: Callable[[], object], at: int) -> int:
    if not taken:
        say("nothing was decided yet")
        return at
    try:
        take_back()
    except ReverieError as error:
        _tell(error)
        return at
    say("taken back")
    return taken.pop()


def _decided(question: Question, key: str) -> bool:
    try:
        done = question.press(key)
    except ReverieError as error:
        _tell(error)
        return False
    if done is None:
        return False
    for line in done.lines:
        say(line)
    if done.back:
        say_dim(f"u takes it back now, `{done.back}` later")
    return True


def _tell(error: ReverieError) -> None:
    say(f"error: {error.message}")
    if error.hint:
        say(f"hint: {error.hint}")
