"""Gist: what a turn teaches in one short line, as the person said it.

A session that begins is told these lines, whether somebody reviewed them or not. So they are cut
out of the person's own words, never rephrased, and hold nothing that fetches or runs something.
"""

from collections.abc import Sequence

from reverie.data import patterns
from reverie.language.cues import Cues
from reverie.language.scripts import breadth, cut, runs
from reverie.learn.statements.lasting import Marked, marked
from reverie.learn.statements.utterance import Sentence, Utterance, sentences

LONGEST = 125  # characters
SHORTEST = 12
SHORTEST_WORDS = 4  # three words or fewer say nothing to somebody who was not there

_RE = patterns("statements.txt", "gist")
_LEAD = patterns("statements.txt", "rule").lead
_LENGTH = 0.02  # how much a further character of a long sentence is worth, in steps of `lasting`


def gist_of(utterance: Utterance, parts: Sequence[Marked], cues: Cues) -> str:
    """The line, "" where nothing is left that could be shown; `parts` are its sentences."""
    whole = _bare(utterance.prose)
    short = len(whole) <= LONGEST and "\n" not in utterance.prose.strip()
    if short and not whole.endswith(":"):
        return _shown(whole)
    able = [p for p in parts if len(p.sentence.words) > 1 and fit_to_tell(p.sentence.text)]
    if not able:
        return ""
    best = max(able, key=lambda part: part.weight)
    return _shown(_fitting(_bare(best.sentence.text), cues))


def _bare(text: str) -> str:
    """One line without the nod or the call it begins with."""
    flat = " ".join(text.split())
    bare = _LEAD.sub("", flat)
    return bare if len(bare) >= SHORTEST else flat


def _fitting(text: str, cues: Cues) -> str:
    """A sentence, or if it is long the clauses of it that last most."""
    if len(text) <= LONGEST:
        return text
    clauses = _RE.clause.split(text)
    best, most = "", 0.0
    for first in range(len(clauses)):
        for last in range(first, len(clauses)):
            run = " ".join(clauses[first : last + 1])
            if len(run) + 2 > LONGEST:
                break
            worth = _LENGTH * len(run) + sum(marked(part, cues).weight for part in _parts(run))
            if len(run) >= LONGEST // 2 and worth > most:
                marks = ("…" if first else "", "…" if last + 1 < len(clauses) else "")
                best, most = marks[0] + run.rstrip(" ,;:-–—") + marks[1], worth
    return best or text[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def _parts(text: str) -> list[Sentence]:
    return [part for part in sentences(text) if part.words]


def _shown(line: str) -> str:
    short = len(line) < SHORTEST or _count(line) < SHORTEST_WORDS
    return "" if short or not fit_to_tell(line) else line


def _count(line: str) -> float:
    """How many words a line has, those that no space parts from each other as well."""
    return max(len(line.split()), breadth(cut(line))) if runs(line) else len(line.split())


def fit_to_tell(text: str) -> bool:
    """No address, no command that fetches or runs something, no word that only announces others."""
    return not _RE.runs.search(text) and not text.rstrip().endswith(":")
