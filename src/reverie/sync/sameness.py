"""Sameness: whether a memory of another machine says what one of this machine says.

Only short statements are compared by meaning. A longer text may hold more than its description
tells, and is the same only where its words are.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from reverie.documents import bodies
from reverie.documents.document import Document, load

_DESCRIPTION = re.compile(r"^\s*description:(.*)$", re.M)
_WORD = re.compile(r"\w+")
_STEM = 5  # letters by which two forms of a word are taken for one
_RAREST = 6  # words of a claim that are followed
_LISTED = 300  # memories a word leads to; a word of more tells nothing
_NEAREST = 5
_LONGEST = 400  # characters of a body that is no more than its rule and why


class Claims:
    """What the memories of a store claim, by their words: for finding what may say the same.

    Only that: cheap enough to be made over ten thousand of them for each exchange.
    """

    def __init__(self, contents: Iterable[tuple[str, str]]) -> None:
        self._contents = dict(contents)
        self._lists: defaultdict[str, list[str]] = defaultdict(list)
        for memory, content in self._contents.items():
            for word in _telling(content):
                self._lists[word].append(memory)

    def __getitem__(self, memory: str) -> str:
        return self._contents[memory]

    def discard(self, memory: str) -> None:
        """Leave one out from now on."""
        del self._contents[memory]

    def near(self, content: str) -> list[str]:
        """Those that share the rarest words of a text, most shared first."""
        known = [word for word in _telling(content) if word in self._lists]
        rarest = sorted(known, key=lambda word: (len(self._lists[word]), word))[:_RAREST]
        shared = Counter(
            memory
            for word in rarest
            for memory in self._lists[word][-_LISTED:]
            if memory in self._contents
        )
        found = sorted(shared.items(), key=lambda item: (-item[1], item[0]))
        return [memory for memory, count in found if count * 3 >= len(rarest)][:_NEAREST]


def _telling(content: str) -> set[str]:
    said = _DESCRIPTION.search(content, 0, 4_000)
    claim = said[1] if said else content[:400]
    return {word[:_STEM] for word in _WORD.findall(claim.casefold())}


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
