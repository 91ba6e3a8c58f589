"""Errands: what a person said in a few words, and what was done until they spoke again.

One session cannot tell which of its words meant which of the deeds that followed. Over many
sessions a dream can: "the bot has commented" is followed by the same calls each time.
"""

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise

from reverie.data import patterns
from reverie.language.words import content, said, words
from reverie.learn.traffic.attempts import Attempt, inside
from reverie.learn.traffic.commands import act_of, form_of, reads_files, shortened
from reverie.sessions.index import SessionRead
from reverie.sessions.traces import Trace

MOST_CHARS = 400  # of a turn; longer ones are briefs and pastes
MOST_DEEDS = 16
MAX_TEXT = 160
SPOKEN = frozenset({"prompt", "steer", "reject_feedback"})
WRITES = "edit "  # how a deed begins that is no command

_RE = patterns("traffic.txt", "errands")


def errands(read: SessionRead, tried: Sequence[Attempt]) -> Iterator[Trace]:
    """The short turns of a person with the deeds behind each."""
    turns, root = read.turns, read.project.root
    spoken = [place for place, turn in enumerate(turns) if turn.role == "human" and turn.text]
    later = iter(tried)
    attempt = next(later, None)
    for start, end in pairwise([*spoken, len(turns)]):
        deeds: dict[str, None] = {}
        while attempt is not None and attempt.index < end:
            if attempt.index > start and attempt.result == "worked":
                deeds |= dict.fromkeys(_deeds(attempt, root))
            attempt = next(later, None)
        turn = turns[start]
        foreign = turn.kind not in SPOKEN or turn.typed == "injected" or turn.undone
        if foreign or start in read.copied:
            continue
        prose = said(turn.text).prose if len(turn.text) <= MOST_CHARS else ""
        if stems := sorted(content(words(prose))):
            data = {"text": shortened(prose, MAX_TEXT), "words": stems}
            data |= {"deeds": list(deeds)[:MOST_DEEDS]}
            yield Trace(turn.line, turn.at, "errand", "", data=data)


def _deeds(one: Attempt, root: str) -> Iterator[str]:
    """Commands but those that look around or judge, calls of outside tools, documents written.

    Code is what the work is about: which of it was edited, and that it was checked then, tells
    nothing of what was asked for.
    """
    if one.verb == "edit":
        for file in (inside(file, root) for file in one.files):
            if _RE.document.search(file):
                yield WRITES + file
                if folder := os.path.dirname(file):
                    yield f"{WRITES}{folder}/"
    elif one.command is not None:
        acts = (part for part in one.command.acts if not reads_files(part))
        yield from (form_of(part) for part in acts if act_of(part) != "check")
    elif _RE.outside.match(one.tool):
        yield one.tool
