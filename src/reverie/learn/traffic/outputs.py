"""Outputs: what a failed check printed, read from its end.

A script runner repeats each command before it runs it, so the last one it repeats is the step that
failed, and what stands before it are the words of steps that passed. Which of the lines behind it
tell what went wrong is seen only when many outputs are compared: passing tests print errors, too.
"""

import re
from functools import lru_cache
from itertools import filterfalse, islice
from typing import NamedTuple

from reverie.data import pairs, patterns, word_sets
from reverie.learn.traffic.commands import (
    VARYING,
    base,
    command_of,
    form_of,
    shortened,
)
from reverie.learn.traffic.failures import MAX_MESSAGE, is_hollow, plain, signature_of
from reverie.learn.traffic.homes import tilde
from reverie.learn.traffic.sieve import may_hold

READ = 40_000  # characters of an output, half of them from its end
MOST_PROBLEMS = 5
PER_SORT = 3
FEW_LINES = 5  # of an output that is nothing but a message
MAX_AIM = 60
LONG = 90  # from which on a message is told from its error on

_RE = patterns("traffic.txt", "outputs")
_SORTS = ("missing", "raised", "marked", "refusing", "crosses", "plain")
_RARE = frozenset({"missing", "plain"})  # in few outputs, and slow to look for in the others
_RUNNERS = [re.compile(shape, re.M) for _, shape in pairs("traffic.txt", "outputs.echoes")]
CHOOSERS = word_sets("traffic.txt", "outputs").choosers


class Echo(NamedTuple):
    """A command that a runner repeated before it ran it."""

    command: str
    end: int  # where its output begins


class Problem(NamedTuple):
    """One line that may tell what went wrong."""

    message: str
    signature: str  # with what stands in quotes left open


# What failed, what was noise and which steps were run is asked of the same outputs in turn.
@lru_cache(maxsize=256)
def readable(output: str, root: str = "") -> str:
    """An output without colours and without the place of the project, cut in the middle."""
    text = plain(output)
    if len(text) > READ:
        text = f"{text[: READ // 2]}\n{text[-READ // 2 :]}"
    return tilde(text.replace(root.rstrip("/") + "/", "") if len(root) > 1 else text)


@lru_cache(maxsize=256)
def echoes(text: str) -> tuple[Echo, ...]:
    """The commands that runners repeated, in order."""
    matches = [match for shape in _RUNNERS for match in shape.finditer(text)]
    repeated = [Echo(match["command"].strip(), match.end()) for match in matches]
    return tuple(sorted(repeated, key=lambda echo: echo.end))


def failing(text: str) -> Echo | None:
    """The step that failed; None where nothing was repeated."""
    if refused := _RE.refused_step.search(text):
        step = next(group for group in refused.groups() if group)
        return Echo(step.strip(), refused.start())
    return next(reversed(echoes(text)), None)


@lru_cache(maxsize=1024)
def aim_of(command: str) -> str:
    """What a call is after: programs and subcommands, without options and what they are given.

    `pnpm --filter api test -- x` → `pnpm test`.
    """
    cut = command_of(command)
    parts = cut.parts[:1] if cut.act == "look" else cut.acts
    aims: dict[str, None] = {}
    for part in parts:
        words = [word for word in form_of(part).split() if word[0] not in f"-{VARYING}"]
        aims[" ".join([base(words[0]), *words[1:]]) if words else base(part[0])] = None
    return shortened(" && ".join(aims), MAX_AIM)


def program_of(aim: str) -> str:
    """The program of what a call is after."""
    return aim.partition(" ")[0]


def problems(text: str) -> list[Problem]:
    """The lines that may tell what went wrong, the most telling sorts first."""
    by_signature: dict[str, Problem] = {}
    for sort in _SORTS:
        shape = getattr(_RE, sort)
        if sort in _RARE and not may_hold(shape, text):
            continue
        lines: list[str] = shape.findall(text)
        telling = list(islice(filterfalse(is_hollow, lines), PER_SORT))
        telling += islice(filterfalse(is_hollow, reversed(lines)), 1)
        for line in dict.fromkeys(telling):
            inner = _RE.inner.search(line) if len(line) > LONG else None
            message = shortened(inner[0] if inner else line, MAX_MESSAGE)
            signature = _RE.quoted.sub(VARYING, signature_of("", message))
            if any(map(str.isalpha, message)) and not is_counting(message):
                by_signature.setdefault(signature, Problem(message, signature))
        if len(by_signature) >= MOST_PROBLEMS:
            break
    if (
        not by_signature and text.count("\n") < FEW_LINES
    ):  # what failed is said without a word for it
        plainly = filterfalse(lambda line: is_hollow(line) or is_counting(line), text.splitlines())
        for line in islice(filter(_RE.telling.search, plainly), PER_SORT):
            message = shortened(line, MAX_MESSAGE)
            by_signature[line] = Problem(
                message, _RE.quoted.sub(VARYING, signature_of("", message))
            )
    return list(by_signature.values())[:MOST_PROBLEMS]


def is_counting(message: str) -> bool:
    """Whether a line only says how many things are wrong."""
    return bool(_RE.counting.match(message))


def count_of_tests(text: str) -> int:
    """How many tests an output says were run; 0 where it does not say."""
    counts = {match["what"].lower(): int(match["count"]) for match in _RE.ran.finditer(text)}
    return sum(counts.values())
