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


def ask(questions: Sequence[Question], take_back: Callable[[], object]) -> None:
    """Go through the questions until the last is decided or passed, or the person stops.

    `take_back` undoes the last decision.
    """
    taken: list[int] = []  # questions in the order in which they were decided
    at, step, shown = 0, 1, -1
    while at < len(questions) or taken:
        if at < len(questions) and at not in taken and not questions[at].waits:
            at, step = (at + step, step) if at + step >= 0 else (0, 1)
            continue
        question = questions[at] if at < len(questions) else None
        if question is None:
            say_dim("that was the last · b back · u undo · any other key ends")
        else:
            if at != shown:
                question.show(f"{at + 1} of {len(questions)}")
            _show_keys(question, decided=at in taken)
        shown = at
        key, step = printing.key(), 1
        if key == "b":
            at, step = max(at - 1, 0), -1
        elif key == "u":
            shown = -1 if taken else shown
            at = _undone(taken, take_back, at)
        elif key == "q" or question is None:
            break
        elif key == "s":
            at += 1
        elif key in ("?", "h"):
            _help(question)
        elif at not in taken and _decided(question, key):
            taken.append(at)
            at += 1
    left = sum(question.waits for place, question in enumerate(questions) if place not in taken)
    if left:
        say(f"{left} left for later")


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
