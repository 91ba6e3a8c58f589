"""Frames: whether what stands beside a rule may say whose it is, when or that it does not hold.

"This is just for the demo folder. Always …", "Never …, is his line", "when in the sandbox:" above a
list: the rule itself reads like any other, and there is no end to what may frame it. So it is asked
the other way round: what stands beside it must be plainly the person's own talk to the agent, an
order, a question, a wish, another rule, a reason, thanks. Beside it is the sentence before and
behind (past other rules), a line that stands alone above or below, and a part of its own sentence
behind a comma, a dash, a colon or in brackets. Whatever else stands there, the rule waits.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from reverie.data import patterns
from reverie.language.hearsay import LONGEST, Said, found_at, is_phrase, sentences_of
from reverie.language.lexicon import languages, lexicon
from reverie.language.words import words

_RE = patterns("language.txt", "frames")

LISTED = 2  # most words of what is one of a list
HEAD = 2  # fewest characters of a head
BRIEF = 8  # most words of a turn that speaks of the rule before it
WORDED = 3  # words in which a speaker says what they do


def may_be_framed(text: str, quote: str, *, personal: bool = False) -> bool:
    """Whether something beside `quote`, a part of `text`, may say that it is not a rule as it is.

    What is `personal` ("I'd like …", "remember …") speaks for itself: only what plainly is a frame
    counts.
    """
    turn = text[:LONGEST]
    said = sentences_of(turn)
    place = found_at(turn, quote)
    if place is None:
        return len(said) > 1
    within = [at for at, one in enumerate(said) if one.start < place[1] and place[0] < one.end]
    if not within:
        return True
    if any(_is_framed_within(said[at].text, personal=personal) for at in within):
        return True
    contrasts = _first(words(said[within[0]].text)) in _known("turning")
    beside = [] if contrasts else list(_beside(turn, said, within[0], -1))
    beside += _beside(turn, said, within[-1], 1)
    if personal:
        return any(_is_a_frame(one) for one in beside)
    return not all(_is_talk(one) for one in beside)


def may_be_reversed(after: str) -> bool:
    """Whether a turn begins as if it took back what was said before it, or spoke of it."""
    first = next(iter(sentences_of(after[:LONGEST])), None)
    bare = _bare(words(first.text)) if first else []
    if not _known("reversing").isdisjoint(bare[:WORDED]):
        return True
    brief = len(bare) <= BRIEF and not _known("quantified").isdisjoint(bare)
    return brief or (
        _first(bare) in _known("behind") and not _known("turned").isdisjoint(bare[1:WORDED])
    )


def may_announce(before: str) -> bool:
    """Whether a turn speaks of others or of their words: the next one may show them."""
    found = words(before[:LONGEST])
    named = _known("texts") | _known("announced")
    if not named.isdisjoint(found) and not _known("announcing").isdisjoint(found):
        return True
    return any(
        _tells_of_others(one.text, words(one.text)) for one in sentences_of(before[:LONGEST])
    )


class Neighbour(NamedTuple):
    """A sentence beside a rule."""

    text: str
    behind: bool  # the rule
    apart: bool  # in another line
    far: bool  # with talk of one's own between them


def _beside(turn: str, said: Sequence[Said], at: int, step: int) -> Iterator[Neighbour]:
    """The sentences of the paragraph on one side, nearest first.

    Another paragraph stands beside only if it is one sentence, like a heading.
    """
    crossed = far = False
    for place in range(at + step, len(said) if step > 0 else -1, step):
        if _is_apart(turn, said, place, place - step, 2):
            beyond = place + step
            alone = not 0 <= beyond < len(said) or _is_apart(turn, said, beyond, place, 2)
            if crossed or not alone:
                return
            crossed = True
        one = Neighbour(said[place].text, step > 0, _is_apart(turn, said, place, at, 1), far)
        yield one
        bare = _bare(words(one.text))
        # Rules and orders in a row have one frame.
        far = far or not (_is_a_nod(one.text) or _is_order(bare) or _is_duty(bare))


def _is_apart(turn: str, said: Sequence[Said], one: int, other: int, lines: int) -> bool:
    first, second = sorted((one, other))
    return turn.count("\n", said[first].start, said[second].start) >= lines


def _is_talk(one: Neighbour) -> bool:
    """Whether a sentence is plainly said to the agent, and of nothing beside it."""
    found = words(one.text)
    bare = _bare(found)
    if _is_a_nod(one.text):
        return True
    if not one.behind and is_phrase("objects", one.text):
        return not _tells_of_others(one.text, found)
    if _is_a_frame(one):
        return False
    if one.far:
        return True
    if "?" in found or _is_order(bare):
        return not _points(bare, one)
    if bare[0] in _known("speakers"):
        # "I wish." is irony.
        return _is_own(bare) and (len(bare) > WORDED or not one.behind)
    if _is_duty(bare):
        return not _points(bare, one) and (_begins_as_duty(bare) or _is_of_things(bare))
    return _exclaims(found) or _is_reason(found) or _is_a_title(bare)


def _is_a_nod(sentence: str) -> bool:
    bare = _bare(words(sentence))
    return all(word in _known("nods") for word in bare) or is_phrase("insists", sentence)


def _is_a_frame(one: Neighbour) -> bool:
    """Whether a sentence tells of others and their words, bounds, supposes, or points."""
    found = words(one.text)
    bare = _bare(found)
    if not bare or _RE.own_words.match(one.text):
        return False
    if _tells_of_others(one.text, found):
        return True
    if one.behind and bare[0] in _known("reversing") and not _is_duty(bare):
        return True
    bounded = bare[0] in _known("bounds") and not _RE.lasting.match(" ".join(bare))
    pointed = bare[0] in _known("behind") and not (_is_reason(found) or _is_duty(bare[1:3]))
    pretends = not _known("pretending").isdisjoint(bare[:WORDED])
    return bounded or (pointed and not one.far) or pretends


def is_attributed(text: str, quote: str) -> bool:
    """Whether the sentence of `quote`, a part of `text`, says itself that others said it."""
    turn = text[:LONGEST]
    place = found_at(turn, quote)
    return place is not None and any(
        _is_told(one.text)
        for one in sentences_of(turn)
        if one.start < place[1] and place[0] < one.end
    )


def _is_told(sentence: str) -> bool:
    if any(word in _known("seemingly") for word in words(sentence)):
        return True
    heads = (part for part in _RE.head.findall(sentence) if not _is_duty(words(part)))
    tails = (part for _, part in _tails(sentence) if not _is_order(words(part)))
    return any(_quotes(part, words(part)) for part in (*heads, *tails))


def _is_framed_within(sentence: str, *, personal: bool = False) -> bool:
    """Whether a part of the sentence of a rule frames the rest."""
    bare = _bare(words(sentence))
    if _RE.called.match(sentence) or _RE.clause.match(" ".join(bare)) or _is_doubted(bare):
        return True
    if _is_told(sentence) or _RE.theirs.match(sentence):
        return True
    if any(not _is_a_head(head) for head in _RE.head.findall(sentence)):
        return True
    return any(_is_a_tail(part, mark, personal=personal) for mark, part in _tails(sentence))


def _tails(sentence: str) -> Iterator[tuple[str, str]]:
    """The parts of a sentence behind its first one, each with the mark before it.

    What stands before a colon heads the rest, unless it is the rule.
    """
    heads = [head for head in _RE.head.findall(sentence) if _is_duty(words(head))]
    for piece in (*heads, _RE.head.sub("", sentence)):
        first, *rest = _RE.mark.split(_RE.answer.sub("", piece))
        # "no, prices are …" begins behind its "no".
        start = 0 if _bare(words(first)) else 2
        yield from zip(rest[start::2], rest[start + 1 :: 2], strict=True)


def _is_doubted(bare: Sequence[str]) -> bool:
    """Whether somebody says that they do not think so."""
    speaks = _first(bare) in _known("speakers")
    return speaks and not _known("doubting").isdisjoint(bare[: WORDED + 1])


def _is_a_head(part: str) -> bool:
    """Whether what stands before a colon is the person's own."""
    found = words(part)
    bare = _bare(found)
    if len(part.strip()) < HEAD or _is_a_nod(part):
        return True
    if _RE.own_words.match(part.strip()):
        return True
    own = _is_order(bare) or _is_duty(bare) or bare[0] in _known("speakers")
    own = own or _exclaims(found) or _is_a_title(bare)
    return own and not _tells_of_others(part, found)


def _is_a_tail(part: str, mark: str, *, personal: bool) -> bool:
    """Whether what stands behind a mark may say whose the words before it are.

    What goes on with the rule begins with a word that links it, orders or speaks to the agent; a
    list has single words.
    """
    found = words(part)
    if not found or _is_order(found) or found[0] in _known("contrasts"):
        return False
    linked = _is_duty(found) or found[0] in _known("linking")
    if _tells_of_others(part, found, behind=True) or _RE.sourced.match(part):
        return True
    if not linked and not (_known("roles") | _known("texts")).isdisjoint(found):
        return True
    ordered = found[0] in _known("imperatives", "words")
    if personal or linked or ordered or found[0] in _stop():
        return False
    speaks = not _known("speakers").isdisjoint(found)
    listed = mark == "," and len(found) <= LISTED and not part.strip()[:1].isupper()
    return not (speaks or listed)


def _tells_of_others(sentence: str, found: Sequence[str], *, behind: bool = False) -> bool:
    """Whether it speaks of somebody, or of what they said; `behind` the rule "they" are things."""
    if _RE.possessive.search(sentence) or _RE.called.match(sentence) or _quotes(sentence, found):
        return True
    others = _known("others") - _known("things") if behind else _known("others")
    asked = "?" in found and not _known("roles").isdisjoint(found)
    return asked or not others.isdisjoint(found)


def _quotes(sentence: str, found: Sequence[str]) -> bool:
    """Whether it tells what others say, think or want, or what somebody got to know."""
    known = set(found)
    if known & _known("thinking") and (known & _known("others") or "if" in found[:1]):
        return True
    # "I read it", not "I have to read it".
    got = [one for one in found if one not in _known("adverbs")]
    received = _first(found) in _known("received") or any(
        one in _known("speakers") and two in _known("received") for one, two in pairwise(got)
    )
    told = known & _known("saying") or received
    return bool(told) and not _RE.own_words.match(sentence)


def _is_own(bare: Sequence[str]) -> bool:
    """Whether a speaker wants, needs, thinks or uses something, at no time or place."""
    does = [word for word in bare[1:] if word not in _known("adverbs")][:1]
    contracted = bare[0] not in {"i", "we", "you", "u", "ich", "wir", "du", "ihr"}
    own = contracted or any(word in _known("own") for word in does) or bare[0] == "you"
    return own and not _is_tied(bare)


def _is_order(bare: Sequence[str]) -> bool:
    """Whether it begins with a verb; "release" may be one, "release the tool" is."""
    first, second = (*bare[:2], "", "")[:2]
    if first in _known("nominal"):
        return second in _known("determiners")
    return first in _known("imperatives", "words") or "please" in bare


def _is_duty(bare: Sequence[str]) -> bool:
    return any(word in _known("duties") for word in bare)


def _begins_as_duty(bare: Sequence[str]) -> bool:
    begins = bare[0] in _known("duties") or bare[0] in _known("contrasts")
    return begins or bool(_RE.lasting.match(" ".join(bare)))


def _is_of_things(bare: Sequence[str]) -> bool:
    """Whether a duty is nobody's, and bound to no time, place or case."""
    return not _is_tied(bare) and _known("roles").isdisjoint(bare)


def _is_tied(bare: Sequence[str]) -> bool:
    everywhere = _RE.own_place.sub("", " ".join(bare)).split()
    return not _known("ties").isdisjoint(everywhere)


def _is_reason(found: Sequence[str]) -> bool:
    first, second = (*found[:2], "", "")[:2]
    if first == "so":
        return second in _known("consequences")
    return first in _known("reasons") or (
        first in _known("behind") and second in _known("reasoned")
    )


def _exclaims(found: Sequence[str]) -> bool:
    return any(word in _known("exclaims") for word in found[:1])


def _is_a_title(bare: Sequence[str]) -> bool:
    """Whether a few words only name what follows a rule, a note, a wish."""
    return all(word in _known("titles") or word.isdigit() for word in bare)


def _points(bare: Sequence[str], one: Neighbour) -> bool:
    """Whether a question or an order is about what stands beside it.

    Who asks for something to be done in the same line asks for what they said.
    """
    requests = _is_order(bare) or is_phrase("requests", one.text)
    if bare[0] in _known("remembered") or (one.behind and requests and not one.apart):
        return False
    return any(word in _known("behind" if one.behind else "ahead") for word in bare)


def _bare(found: Sequence[str]) -> list[str]:
    """The words from the first on that says something."""
    start = next((at for at, word in enumerate(found) if word not in _known("openers")), len(found))
    return list(found[start:])


def _first(found: Sequence[str]) -> str:
    return found[0] if found else ""


@cache
def _known(name: str, table: str = "frames") -> frozenset[str]:
    """The words of a concept in all languages: what frames may be in another one."""
    return frozenset[str]().union(*(lexicon(one).words(f"{table}.{name}") for one in languages()))


@cache
def _stop() -> frozenset[str]:
    return frozenset[str]().union(*(lexicon(one).stop for one in languages()))
