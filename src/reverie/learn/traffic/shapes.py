"""Forms: a call without what belongs to one task only, so that calls of many sessions compare.

Programs, subcommands, flags and names of scripts stay; paths, messages, numbers and refs are `…`.
"""

import re
from collections.abc import Sequence

from reverie.learn.traffic.commands import Command, act_of, base

VARYING = "…"
MOST_SUBCOMMANDS = 3
_NAME = re.compile(r"[a-z][a-z0-9]*(?:[:_-][a-z0-9]+)*")
_INTERPRETERS = frozenset("python python3 node bash sh zsh ruby deno tsx ts-node".split())
_SCRIPT = re.compile(r"(?:\.{1,2}/)?[\w./-]+\.(?:py|sh|js|ts|mjs|rb)")


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
        named = _NAME.fullmatch(word) and plain < MOST_SUBCOMMANDS and not _has_gap(words)
        # `-m pytest` names a module; of other flags the value belongs to the task.
        modular = words[-1] == "-m" and program in _INTERPRETERS
        script = program in _INTERPRETERS and plain == 0 and _SCRIPT.fullmatch(word)
        if modular or script or (named and (not after_flag or program in _RUNNERS)):
            words.append(word)
            plain += 1
        elif words[-1] != VARYING:
            words.append(VARYING)
        after_flag = False
    return " ".join(words)


_RUNNERS = frozenset("npm pnpm yarn bun make just task cargo go poetry uv mise docker".split())


def _has_gap(words: Sequence[str]) -> bool:
    return words[-1] == VARYING


def forms_of(command: Command) -> list[str]:
    """The forms of the parts of a command that act."""
    return [form_of(part) for part in command.parts if act_of(part) != "look"]
