"""Forms: a call without what belongs to one task only, so that calls of many sessions compare.

Programs, subcommands, flags and names of scripts stay; paths, messages, numbers and refs are `…`.
"""

from collections.abc import Sequence

from reverie.data import patterns, word_sets
from reverie.learn.traffic.commands import Command, act_of, base

_RE = patterns("traffic.txt", "shapes")
_WORDS = word_sets("traffic.txt", "shapes")

VARYING = "…"
MOST_SUBCOMMANDS = 3


def form_of(part: Sequence[str]) -> str:
    """`git commit -m "x" src/a.py` → `git commit -m …`."""
    program = base(part[0])
    words = [part[0] if part[0].startswith("./") else program]
    plain = 0
    after_flag = False
    for word in part[1:]:
        if word.startswith("-") and len(word) > 1 and not word[1:].isdigit():
            flag, equals, _ = word.partition("=")
            words.append(f"{flag}={VARYING}" if equals else flag)
            after_flag = True
            continue
        named = _RE.name.fullmatch(word) and plain < MOST_SUBCOMMANDS and not _has_gap(words)
        # `-m pytest` names a module; of other flags the value belongs to the task.
        modular = words[-1] == "-m" and program in _WORDS.interpreters
        script = program in _WORDS.interpreters and plain == 0 and _RE.script.fullmatch(word)
        if modular or script or (named and (not after_flag or program in _WORDS.runners)):
            words.append(word)
            plain += 1
        elif words[-1] != VARYING:
            words.append(VARYING)
        after_flag = False
    return " ".join(words)


def _has_gap(words: Sequence[str]) -> bool:
    return words[-1] == VARYING


def forms_of(command: Command) -> list[str]:
    """The forms of the parts of a command that act."""
    return [form_of(part) for part in command.parts if act_of(part) != "look"]
