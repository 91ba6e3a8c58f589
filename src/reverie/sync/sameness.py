"""Sameness: whether a memory of another machine says what one of this machine says.

Only short statements are compared by meaning: what a description says, or the rule where that says
something else. A longer text may hold more, and is the same only where its words are.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from reverie.documents import bodies
from reverie.documents.document import Document, load

_DESCRIPTION = re.compile(r"^\s*description:(.*)$", re.M)
_LEAD = re.compile(r"(?:\A---\n.*?^---\s*)?(?:^#[^\n]*\s*)*([^\n]*)", re.M | re.S)
_WORD = re.compile(r"\w+")
_STEM = 5  # letters by which two forms of a word are taken for one
_RAREST = 6  # words of a claim that are followed
_LISTED = 300  # memories a word leads to; a word of more tells nothing
_NEAREST = 5
_LONGEST = 400  # characters of a rule that is no more than one


class Claims:
    """What the memories of a store claim, by their words: for finding what may say the same.

    Only that: cheap enough to be made over ten thousand of them for each exchange.
    """

    def __init__(self, contents: Iterable[tuple[str, str]]) -> None:
        self._contents = dict(contents)
        self._lists: defaultdict[str, list[str]] = defaultdict(list)
        for memory, content in self._contents.items():
            for word in set[str]().union(*_telling(content)):
                self._lists[word].append(memory)

    def __getitem__(self, memory: str) -> str:
        return self._contents[memory]

    def discard(self, memory: str) -> None:
        """Leave one out from now on."""
        del self._contents[memory]

    def near(self, content: str) -> list[str]:
        """Those that share the rarest words of what a text claims, most shared first."""
        return list(
            dict.fromkeys(memory for words in _telling(content) for memory in self._near(words))
        )

    def _near(self, words: set[str]) -> list[str]:
        known = [word for word in words if word in self._lists]
        rarest = sorted(known, key=lambda word: (len(self._lists[word]), word))[:_RAREST]
        shared = Counter(
            memory
            for word in rarest
            for memory in self._lists[word][-_LISTED:]
            if memory in self._contents
        )
        ranking = sorted(shared.items(), key=lambda item: (-item[1], item[0]))
        return [memory for memory, count in ranking if count * 3 >= len(rarest)][:_NEAREST]


def _telling(content: str) -> list[set[str]]:
    """The words of a description, and those of the first line if that says something else."""
    description, lead = _DESCRIPTION.search(content, 0, 4_000), _LEAD.match(content, 0, 4_000)
    claims = [description[1] if description else "", lead[1][:_LONGEST] if lead else ""]
    words = [{word[:_STEM] for word in _WORD.findall(claim.casefold())} for claim in claims]
    return [words[0]] if words[0] >= words[1] else [claim for claim in words if claim]


def claim_of(content: str, path: str = "") -> tuple[str, ...]:
    """What a memory claims: its description, and its rule where it has one."""
    document = load(content, path=path)
    if document.problem:
        return ()
    claims = (document.description or document.title, bodies.parts(document.body).rule)
    return tuple(text for text in claims if text)


def say_the_same(text: str, other: str) -> bool:
    """Whether two texts are one memory."""
    if text == other:
        return True
    mine, counterpart = load(text), load(other)
    if mine.problem or counterpart.problem:
        return False
    if _plain(mine.body) == _plain(counterpart.body) and mine.body.strip():
        return True
    rules = [bodies.parts(document.body).rule for document in (mine, counterpart)]
    if max(map(len, rules)) > _LONGEST:
        return False
    from reverie.language.compare import relation

    return relation(_claim(mine, rules[0]), _claim(counterpart, rules[1])) == "same"


def says_more(text: str, other: str) -> bool:
    """Whether a text that says the same as another has something to add to it."""
    mine, counterpart = load(text), load(other)
    known = {_bare(mine.description), *map(_bare, counterpart.body.split("\n\n"))}
    return any(_bare(part) not in known for part in mine.body.split("\n\n"))


def _claim(document: Document, rule: str) -> str:
    """What a memory says in one sentence; what follows that in its rule only adds to it."""
    description = document.description
    whole = description and re.match(
        re.escape(_plain(description)) + r"(?:[.!?。！？]|$)", _plain(rule)
    )
    return description if whole else rule or description or document.title


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _bare(text: str) -> str:
    return _plain(text).rstrip(".!?。！？")
