"""Findings: a turn that is nothing but the prose of a code review.

Reviewers, mostly programs, write whole sentences on code in the third person: what a function does,
on which line, what follows from it. Pasted as a turn of its own it has no mark of a paste and reads
like facts that last. Nobody who types speaks so long of so many names without themselves, without
who they speak to, without a question and without an order.
"""

from reverie.data import patterns
from reverie.language.clauses import bare_of, is_order, known
from reverie.language.hearsay import sentences_of
from reverie.language.words import words

_RE = patterns("language.txt", "findings")

GRADED = 12  # fewest words below a line that says how bad it is
LONG = 30  # fewest words of one without such a line
NAMES = 3  # and fewest names out of code in it


def is_finding(text: str) -> bool:
    """Whether all of a turn is what a review says of code."""
    tokens = words(text)
    if len(tokens) < GRADED or "?" in tokens:
        return False
    if not (known("speakers") | known("persons", "turns")).isdisjoint(tokens):
        return False
    if _RE.graded.search(text):
        return True
    if len(tokens) < LONG or not _RE.written.match(text):
        return False
    # Who begins with an order tells what is to be done; a review may end with one.
    if is_order(bare_of(words(sentences_of(text)[0].text))):
        return False
    return len(set(_RE.name.findall(text))) >= NAMES
