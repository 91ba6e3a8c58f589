"""Sameness: whether a memory of another machine says what one of this machine says.

Only short statements are compared by meaning. A longer text may hold more than its description
tells, and is the same only where its words are.
"""

from reverie.documents import bodies
from reverie.documents.document import Document, load

_LONGEST = 400  # characters of a body that is no more than its rule and why


def claim_of(content: str, path: str = "") -> tuple[str, ...]:
    """What a memory claims: its description, and its rule where it has one."""
    document = load(content, path=path)
    if document.problem:
        return ()
    said = (document.description or document.title, bodies.parts(document.body).rule)
    return tuple(text for text in said if text)


def say_the_same(one: str, other: str) -> bool:
    """Whether two texts are one memory."""
    if one == other:
        return True
    mine, theirs = load(one), load(other)
    if mine.problem or theirs.problem:
        return False
    if _plain(mine.body) == _plain(theirs.body) and mine.body.strip():
        return True
    if max(len(mine.body), len(theirs.body)) > _LONGEST:
        return False
    from reverie.language.compare import relation

    return relation(_claim(mine), _claim(theirs)) == "same"


def _claim(document: Document) -> str:
    return bodies.parts(document.body).rule or document.description or document.title


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
