"""Reviews: turns into which a person pasted what a reviewer found in the code, as traces.

Such a finding speaks of code by its names, says what may come of it and what to consider, and never
of itself or of the agent. Tools that review also say how severe it is.
"""

from collections.abc import Iterator

from reverie.data import patterns
from reverie.learn.statements.utterance import sentences
from reverie.learn.traffic.work import Work
from reverie.sessions.traces import Trace

SHORTEST, LONGEST = 120, 6_000  # characters of a turn with a finding
NAMES = 2  # of code that it speaks of
MAX_QUOTE = 120

_RE = patterns("traffic.txt", "reviews")


def findings(work: Work) -> Iterator[Trace]:
    """The turns that hold a finding, each once."""
    known: set[str] = set()
    for turn in work.turns:
        typed = turn.role == "human" and turn.kind in {"prompt", "steer"}
        if not typed or turn.typed == "injected" or turn.undone or turn.text in known:
            continue
        if SHORTEST <= len(turn.text) <= LONGEST and (quote := finding(turn.text)):
            known.add(turn.text)
            yield Trace(turn.line, turn.at, "finding", "", data={"text": quote[:MAX_QUOTE]})


def finding(text: str) -> str:
    """The sentence that makes a text the finding of a reviewer; "" for what is none."""
    if severe := _RE.severity.search(text):
        return severe[0]
    if len({*_RE.name.findall(text)}) < NAMES:
        return ""
    suggesting = (part.text for part in sentences(text) if _RE.suggests.search(part.text))
    return next((text for text in suggesting if not _RE.personal.search(text)), "")
