"""Telling: whether a lesson in other words may be told to sessions before a person looked at it.

It is told as unconfirmed, and yet it is read. So it may be worded anew, but not say something else:
where it repeats a sentence nearly word by word, what bounds that bounds it as well, words that
relate things to each other ("before", "only", "unless") stand in its order, and what stood in two
parallel clauses is not exchanged between them. What fails waits in review.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from reverie.data import patterns, word_sets
from reverie.language.lexicon import lexicon
from reverie.language.words import content, stem, words
from reverie.learn.statements.rule import stands_alone
from reverie.learn.statements.utterance import hear
from reverie.learn.work.carried import goes_on, is_listed
from reverie.learn.work.clauses import plain, repeats
from reverie.learn.work.ground import Ground
from reverie.learn.work.turning import rules_out

_RE = patterns("work.txt", "telling")
_WORDS = word_sets("work.txt", "telling")

_OPENING, _CLOSING = "'\"`([“‘„@*", "'\"`)]”’.,;:!?*"
_SIGNS = "!#$%&*+-./<=>?@^_|~\\:,"

ABOUT = 2  # telling words that a lesson at least shares with a sentence it repeats
NEARLY = 0.6  # of its words, from which on one that is exchanged for another's would be seen
EXCHANGED = 2  # of its words, at most: one that has more of others joins what they say
APART = 2  # that only one clause has, of several that say the same of different things


def may_be_told(lesson: str, ground: Ground) -> bool:
    """Whether a lesson keeps what the sentences it speaks of say."""
    if not rules_out(lesson) and any(is_in_order(lesson, line) for line in _denied_lines(ground)):
        return False
    lesson = without_owners(lesson)
    typed = [sentence.text for turn in ground.said for sentence in hear(turn).sentences]
    said = [without_owners(text) for text in (*typed, *ground.chosen, *ground.restated)]
    shown = (*said, *ground.beside, *ground.settled, *ground.known, *ground.named)
    parts = [part for part in _RE.end.split(lesson) if part.strip()]
    whole = len(parts) > 1 or any(_telling(lesson) <= _telling(text) for text in said)
    if not whole and any(_puts_in_place(lesson, text, said) for text in said):
        return False
    about = [text for text in said if repeats(lesson, text, ABOUT)]
    if not about:
        return True  # what was only agreed to is in no sentence of the person's
    if any(_leaves_out(lesson, text) or _exchanges(lesson, text) for text in about):
        return False
    related = [part for part in parts if _marks(part, _WORDS.relates)]
    in_order = all(any(_keeps_order(part, plain(text)) for text in about) for part in related)
    return in_order and _keeps_signs(lesson, " ".join(said), " ".join(shown))


def is_of_one_time(lesson: str) -> bool:
    """Whether words speak of this one time, or of nothing that a later session would know."""
    return bool(_RE.once.search(lesson)) or not stands_alone(lesson, 1)


def is_in_order(text: str, said: str) -> bool:
    """Whether all that a text tells stands in another, in its order."""
    rest = iter(_sequence(said))
    return all(word in rest for word in _sequence(text))


def without_owners(text: str) -> str:
    """A text without what only says whose something is: "the dock's" speaks of the dock."""
    return _RE.possessive.sub("", text)


def _denied_lines(ground: Ground) -> Iterator[str]:
    """The lines of a turn that go on what denies them: what stands under "don't:"."""
    for turn in ground.said:
        head = ""
        for line in filter(str.strip, turn.splitlines()):
            if rules_out(head) and goes_on(head):
                yield line
            if not is_listed(line):
                head = line


def _leaves_out(lesson: str, said: str) -> bool:
    """Whether a lesson lacks what bounds a sentence: place, time, approval, case, share."""
    place = _RE.place.match(said)
    if place and _telling(place["where"]) - _telling(lesson):
        return True
    always = _marks(lesson, _WORDS.always)
    if _RE.passing.search(said) and (always or not _RE.passing.search(lesson)):
        return True
    if _RE.asking_first.search(said) and not _marks(lesson, _WORDS.asks):
        return True
    asked = said.rstrip().endswith("?")
    return not asked and bool(_marks(said, _WORDS.bounds) - _marks(lesson, _WORDS.bounds))


def _puts_in_place(lesson: str, said: str, every: Sequence[str]) -> bool:
    """Whether a word of another sentence stands where this one had its own."""
    mine, theirs = _telling(lesson), _telling(said)
    near = len(mine & theirs) >= max(ABOUT, NEARLY * len(mine)) and len(mine - theirs) <= EXCHANGED
    # A sentence about the same thing may name it.
    apart = [text for text in every if text != said and len(_telling(text) & mine & theirs) < ABOUT]
    others = frozenset[str]().union(*map(_telling, apart))
    added, left = mine - theirs, theirs - mine
    same = _neighbours(lesson, added) & _neighbours(said, left)
    return near and added <= others and bool(same)


def _neighbours(text: str, stems: frozenset[str]) -> frozenset[tuple[int, str]]:
    """The words before and behind some of a text."""
    tokens = [word for word in words(text) if word not in _WORDS.articles]
    return frozenset(
        (side, tokens[place + side])
        for place, word in enumerate(tokens)
        if stem(word) in stems
        for side in (-1, 1)
        if 0 <= place + side < len(tokens)
    )


def _keeps_signs(lesson: str, said: str, shown: str) -> bool:
    """Whether no sign, number or capital that says something was left out of what was said, or put
    in that was not even shown."""
    mine, theirs = _tokens(lesson), _tokens(said)
    signed = {token for token in mine if _RE.signed.search(token) or _is_shouted(token)}
    bare = {token.strip(_SIGNS) for token in theirs - mine if _RE.signed.search(token)}
    return signed <= _tokens(shown) and not bare & mine


def _tokens(text: str) -> frozenset[str]:
    stripped = (token.lstrip(_OPENING).rstrip(_CLOSING) for token in text.split())
    return frozenset(token for token in stripped if not _RE.dash.fullmatch(token)) - {""}


def _is_shouted(token: str) -> bool:
    """Whether capitals make another word of one that tells nothing: "us", "it"."""
    return len(token) > 1 and token.isupper() and token.lower() in lexicon().stop


@lru_cache(maxsize=512)
def _telling(text: str) -> frozenset[str]:
    return content(words(text)) - _WORDS.neutral


def _marks(text: str, kinds: frozenset[str]) -> frozenset[str]:
    return kinds & frozenset(words(text))


def _sequence(text: str) -> list[str]:
    """The telling words of a text and those that relate them, in their order."""
    telling = _telling(text)
    return [
        word if word in _WORDS.relates else stem(word)
        for word in words(text)
        if word in _WORDS.relates or stem(word) in telling
    ]


def _keeps_order(part: str, said: str) -> bool:
    """Whether nothing changed its side of a word that relates; a condition has nothing added."""
    if _marks(part, _WORDS.conditions):
        return is_in_order(part, said)
    mine, theirs = _sequence(part), _sequence(said)
    return all(
        word in theirs and not _crosses(mine, theirs, word) for word in _marks(part, _WORDS.relates)
    )


def _crosses(mine: Sequence[str], theirs: Sequence[str], word: str) -> bool:
    at, there = mine.index(word), theirs.index(word)
    before, after = frozenset(theirs[:there]), frozenset(theirs[there + 1 :])
    return bool(frozenset(mine[:at]) & after - before or frozenset(mine[at + 1 :]) & before - after)


def _exchanges(lesson: str, said: str) -> bool:
    """Whether a clause of a lesson holds what only one, and what only another clause had."""
    parts = _RE.parallel.split(said)
    # More than two are a list of things.
    if len(parts) != 2 or _RE.pointing.search(parts[1]):
        return False
    first, second = map(_telling, parts)
    if min(len(first - second), len(second - first)) < APART:
        return False
    mine = [_telling(part) for part in _RE.parallel.split(lesson)]
    return len(mine) > 1 and any(part & first - second and part & second - first for part in mine)
