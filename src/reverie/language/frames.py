"""Frames: whether what stands beside a rule may say whose it is, when or that it does not hold.

"This is just for the demo folder. Always …", "Never …, is his line", "when in the sandbox:" above a
list: the rule itself reads like any other, and there is no end to what may frame it. So it is asked
the other way round: what stands beside it must be plainly the person's own talk to the agent, an
order, a question, a wish, another rule, a reason, thanks. Beside it is the sentence before and
behind (past other rules), a line that stands alone above or below, and a part of its own sentence
behind a comma, a dash, a colon or in brackets. Whatever else stands there, the rule waits.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from reverie.data import patterns
from reverie.language.clauses import (
    WORDED,
    agrees,
    bare_of,
    begins_as_duty,
    begins_as_theirs,
    begins_lasting,
    casts,
    exclaims,
    first_of,
    is_a_nod,
    is_a_title,
    is_duty,
    is_everywhere,
    is_of_things,
    is_order,
    is_own,
    is_reason,
    is_somebodys,
    is_tied,
    known,
    plays,
    says_again,
    stops,
    worded,
)
from reverie.language.hearsay import LONGEST, Said, found_at, sentences_of
from reverie.language.lexicon import is_phrase
from reverie.language.spelling import is_legible
from reverie.language.subjects import announces_text, holds_text, is_in_text, whose
from reverie.language.words import words

_RE = patterns("language.txt", "frames")

LISTED = 2  # most words of what is one of a list
OPENING = 4  # most words of a time that does not end
HEAD = 2  # fewest characters of a head


def may_be_framed(text: str, quote: str, *, personal: bool = False, reminds: bool = False) -> bool:
    """Whether something beside `quote`, a part of `text`, may say that it is not a rule as it is.

    What is `personal` ("I'd like …", "remember …") speaks for itself: only what plainly is a frame
    counts. Letters and notices remind as well, so what stands before a sentence that `reminds` must
    be said to the agent, or of oneself.
    """
    turn = text[:LONGEST]
    said = sentences_of(turn)
    place = found_at(turn, quote)
    if place is None:
        return len(said) > 1
    within = _within(said, place)
    if not within:
        return True
    if any(_is_framed_within(said[at].text, personal=personal) for at in within):
        return True
    contrasts = first_of(words(said[within[0]].text)) in known("turning")
    beside = [] if contrasts else list(_beside(turn, said, within[0], -1))
    beside += _beside(turn, said, within[-1], 1)
    if personal:
        doubted = reminds and any(
            not (sentence.behind or _is_spoken(sentence)) for sentence in beside
        )
        return doubted or any(_is_a_frame(sentence) for sentence in beside)
    return not all(is_talk(sentence) for sentence in beside)


def _within(said: Sequence[Said], place: tuple[int, int]) -> list[int]:
    """Which sentences hold something of a place."""
    return [
        at
        for at, sentence in enumerate(said)
        if sentence.start < place[1] and place[0] < sentence.end
    ]


def states_duty(sentence: str) -> bool:
    """Whether a sentence says what is to be done always, or never."""
    return is_duty(words(sentence))


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
        neighbour = Neighbour(said[place].text, step > 0, _is_apart(turn, said, place, at, 1), far)
        yield neighbour
        bare = bare_of(words(neighbour.text))
        # Rules and orders in a row have one frame.
        far = far or not (is_a_nod(neighbour.text) or is_order(bare) or is_duty(bare))


def _is_apart(turn: str, said: Sequence[Said], place: int, other: int, lines: int) -> bool:
    first, second = sorted((place, other))
    return turn.count("\n", said[first].start, said[second].start) >= lines


def is_talk(neighbour: Neighbour) -> bool:
    """Whether a sentence is plainly said to the agent, and of nothing beside it."""
    tokens = words(neighbour.text)
    bare = bare_of(tokens)
    if is_a_nod(neighbour.text):
        return True
    if not is_legible(neighbour.text) or holds_text(neighbour.text):
        return False
    if not neighbour.behind and is_phrase("objects", neighbour.text):
        return not tells_of_others(neighbour.text, tokens)
    if not neighbour.behind and agrees(bare):
        return True
    head = _RE.heading.fullmatch(neighbour.text.strip())
    if not neighbour.behind and head is not None and is_head(head[1]):
        return True
    if _is_a_frame(neighbour):
        return False
    if neighbour.far:
        return True
    if "?" in tokens and not known("wording").isdisjoint(tokens):
        return False
    if "?" in tokens or is_order(bare):
        return not _points(bare, neighbour)
    return _is_stated(neighbour, tokens, bare)


def _is_stated(neighbour: Neighbour, tokens: Sequence[str], bare: Sequence[str]) -> bool:
    """Whether a sentence wishes, rules, cries or gives a reason."""
    if any(_is_wished(bare_of(words(part)), neighbour) for part in _RE.part.split(neighbour.text)):
        return True
    if bare[0] in known("speakers"):
        # "I wish." is irony.
        of_us = bare[0] == "we" and not (is_tied(bare) or _points(bare, neighbour))
        return (of_us or is_own(bare)) and (len(bare) > WORDED or not neighbour.behind)
    if is_duty(bare):
        return not _points(bare, neighbour) and (begins_as_duty(bare) or is_of_things(bare))
    return exclaims(tokens) or is_reason(tokens) or is_a_title(bare)


def _is_wished(bare: Sequence[str], neighbour: Neighbour) -> bool:
    """Whether somebody says what they want or what is to be done, and that is no word beside it."""
    begins = first_of(bare) in known("speakers") and len(bare) > WORDED
    wished = known("wanting") | known("duties")
    return begins and not (wished.isdisjoint(bare[1:WORDED]) or _points(bare, neighbour))


def _is_spoken(neighbour: Neighbour) -> bool:
    """Whether a sentence is talk, or begins with who speaks or is spoken to."""
    bare = bare_of(words(neighbour.text))
    return is_talk(neighbour) or first_of(bare) in known("speakers") or _is_of_myself(bare)


def _is_of_myself(tokens: Sequence[str]) -> bool:
    return not known("myself").isdisjoint(tokens)


def _is_a_frame(neighbour: Neighbour) -> bool:
    """Whether a sentence tells of others and their words, bounds, supposes, or points."""
    tokens = words(neighbour.text)
    bare = bare_of(tokens)
    if not bare or says_again(neighbour.text):
        return False
    if tells_of_others(neighbour.text, tokens):
        return True
    if neighbour.behind and bare[0] in known("reversing") and not is_duty(bare):
        return True
    bounded = bare[0] in known("bounds") and not begins_lasting(bare)
    pointed = bare[0] in known("behind") and not (is_reason(tokens) or is_duty(bare[1:3]))
    pretends = not known("pretending").isdisjoint(bare[:WORDED])
    return (
        bounded
        or (pointed and not neighbour.far)
        or pretends
        or plays(neighbour.text)
        or casts(neighbour.text)
    )


def is_attributed(text: str, quote: str) -> bool:
    """Whether the sentence of `quote`, a part of `text`, says itself that others said it, or that
    it is a text, or that what stands beside it asks so or is in a language that is not known."""
    if is_in_text(text, quote):
        return True
    turn = text[:LONGEST]
    place = found_at(turn, quote)
    if place is None:
        return False
    said = sentences_of(turn)
    within = [said[at] for at in _within(said, place)]
    beside = [
        sentence
        for sentence in said
        if sentence not in within and _is_in_line(turn, sentence, place)
    ]
    return any(_is_told(sentence.text) for sentence in within) or any(
        not is_legible(sentence.text) or _asks_of_text(sentence.text) for sentence in beside
    )


def is_labelled(text: str, quote: str) -> bool:
    """Whether what heads `quote`, a part of `text`, may name who said it, or another case."""
    turn = text[:LONGEST]
    place = found_at(turn, quote)
    if place is None:
        return False
    said = sentences_of(turn)
    within = _within(said, place)
    if any(_is_a_label(head) for at in within for head in _heads(said[at].text)):
        return True
    before = said[within[0] - 1].text if within and within[0] else ""
    above = _RE.heading.fullmatch(before.strip())
    return _shows(before) if above is None else _is_a_label(above[1])


def _heads(sentence: str) -> list[str]:
    """What stands before a colon in a sentence, or before a dash and a rule."""
    dashed = _RE.dashed.match(sentence)
    heads = [dashed[1]] if dashed and not is_duty(words(dashed[1])) else []
    return [*_RE.head.findall(sentence), *heads]


def _shows(sentence: str) -> bool:
    """Whether a sentence tells where somebody's text has what follows it."""
    tokens = words(sentence)
    attributed = is_somebodys(sentence) or not (known("roles") | known("others")).isdisjoint(tokens)
    ahead = [at + 1 for at, word in enumerate(tokens) if word in known("ahead")]
    # "This repo" points at nothing that follows.
    texts = known("texts") | known("wording") | known("announced") | stops() | {""}
    pointed = _RE.reads.search(sentence) is not None or any(
        first_of(tokens[at:]) in texts for at in ahead
    )
    return bool(sentence) and "?" not in tokens and attributed and pointed


def is_claimed(sentence: str) -> bool:
    """Whether what heads a sentence says that it is of the speaker's: "for us: …"."""
    return any(_is_of_us(words(head)) for head in _RE.head.findall(sentence))


def _is_a_label(head: str) -> bool:
    tokens = words(head)
    if len(head.strip()) < HEAD:
        return head.strip().isalpha()
    # "No, that is wrong:" corrects.
    if not tokens or is_phrase("objects", head) or is_head(head):
        return False
    return not _is_of_us(tokens) or bool(_RE.proper.search(head))


def _is_of_us(tokens: Sequence[str]) -> bool:
    """Whether it says where or for whom, and that is one's own."""
    ours = not (known("ourselves").isdisjoint(tokens) and not is_everywhere(tokens))
    others = known("roles") | known("texts") | known("saying") | known("others") | worded()
    bounded = first_of(bare_of(tokens)) in known("bounds") | {"for", "für", "bei"}
    # "For parsley: …" says where; with an article it may be what a text is for.
    named = len(tokens) == WORDED - 1 and others.isdisjoint(tokens)
    return bounded and (named or (ours and others.isdisjoint(tokens)))


def _asks_of_text(sentence: str) -> bool:
    """Whether a question points at what stands beside it, and calls it a text."""
    tokens = words(sentence)
    pointed = not known("ahead").isdisjoint(tokens)
    texts = known("wording") | known("texts") | known("announced")
    return "?" in tokens and pointed and not texts.isdisjoint(tokens)


def _is_in_line(turn: str, sentence: Said, place: tuple[int, int]) -> bool:
    first, second = sorted((sentence.start, place[0]))
    return "\n" not in turn[first:second]


def _is_told(sentence: str) -> bool:
    if whose(sentence) == "others" or begins_as_theirs(sentence):
        return True
    if any(word in known("seemingly") for word in words(sentence)):
        return True
    heads = [part for part in _RE.head.findall(sentence) if not is_duty(words(part))]
    if any(not is_legible(part) or announces_text(part) for part in heads):
        return True
    tails = [
        part for _, part in _tails(sentence) if not (is_order(words(part)) or _is_a_reason(part))
    ]
    return any(quotes(part, words(part)) for part in (*heads, *tails))


def _is_framed_within(sentence: str, *, personal: bool = False) -> bool:
    """Whether a part of the sentence of a rule frames the rest."""
    bare = bare_of(words(sentence))
    if _RE.called.match(sentence) or _RE.clause.match(" ".join(bare)):
        return True
    if whose(sentence) != "own" or holds_text(sentence):
        return True
    if _is_told(sentence) or _RE.ironic.search(sentence) or _is_opened(sentence):
        return True
    if any(not is_head(head) for head in _heads(sentence)):
        return True
    return any(_is_a_tail(part, mark, personal=personal) for mark, part in _tails(sentence))


def _tails(sentence: str) -> Iterator[tuple[str, str]]:
    """The parts of a sentence behind its first one, each with the mark before it.

    What stands before a colon heads the rest, unless it is the rule.
    """
    heads = [head for head in _RE.head.findall(sentence) if is_duty(words(head))]
    for piece in (*heads, _RE.head.sub("", sentence)):
        first, *rest = _RE.mark.split(_RE.answer.sub("", piece))
        # "no, prices are …" begins behind its "no", and "from now on, sign …" behind that.
        opened = bare_of(words(first))
        start = 0 if opened and not (begins_lasting(opened) and len(opened) <= OPENING) else 2
        yield from zip(rest[start::2], rest[start + 1 :: 2], strict=True)


def _is_opened(sentence: str) -> bool:
    """Whether a sentence begins with where its rule is from: "per the handbook, …"."""
    opening = _RE.opening.match(sentence)
    if opening is None:
        return False
    tokens = words(opening[0])
    if first_of(bare_of(tokens)) not in known("bounds") | known("sources"):
        return False
    if _RE.ruled.match(sentence[opening.end() :]):
        return not is_everywhere(tokens)
    named = known("roles") | known("texts") | known("sources")
    return tells_of_others(opening[0], tokens) or not named.isdisjoint(tokens)


def is_head(part: str) -> bool:
    """Whether what stands before a colon is the person's own."""
    tokens = words(part)
    bare = bare_of(tokens)
    if len(part.strip()) < HEAD or is_a_nod(part):
        return True
    if says_again(part.strip()):
        return True
    if _RE.ruling.match(part) or begins_lasting(bare):
        return known("roles").isdisjoint(tokens) and not tells_of_others(part, tokens)
    personal = is_order(bare) or is_duty(bare) or bare[0] in known("speakers")
    personal = personal or exclaims(tokens) or is_a_title(bare)
    # "The banner should read:" is a duty, and what follows is its text.
    named = known("texts") | known("wording") | known("thinking") | known("received")
    shown = not (is_a_title(bare) or named.isdisjoint(tokens))
    return personal and not shown and not tells_of_others(part, tokens)


def _is_a_tail(part: str, mark: str, *, personal: bool) -> bool:
    """Whether what stands behind a mark may say whose the words before it are.

    What goes on with the rule begins with a word that links it, orders or speaks to the agent; a
    list has single words.
    """
    tokens = words(part)
    if not tokens or is_order(tokens) or tokens[0] in known("contrasts") or _is_a_reason(part):
        return False
    linked = is_duty(tokens) or tokens[0] in known("linking")
    if tells_of_others(part, tokens) or _RE.sourced.match(part):
        return True
    if not linked and not (known("roles") | known("texts")).isdisjoint(tokens):
        return True
    ordered = tokens[0] in known("imperatives", "words")
    if personal or linked or ordered or tokens[0] in stops():
        return False
    speaks = not known("speakers").isdisjoint(tokens)
    listed = mark == "," and len(tokens) <= LISTED and not part.strip()[:1].isupper()
    return not (speaks or listed)


def _is_a_reason(part: str) -> bool:
    """Whether it gives a reason for the rule, in which others may do something; "so" and "it" would
    be the rule."""
    tokens = words(part)
    leaning = known("behind") | known("others")
    return is_reason(tokens) and tokens[0] != "so" and leaning.isdisjoint(tokens[1:])


def tells_of_others(sentence: str, tokens: Sequence[str]) -> bool:
    """Whether it speaks of somebody, or of what they said; "they" may be things."""
    if is_somebodys(sentence) or _RE.called.match(sentence) or quotes(sentence, tokens):
        return True
    others = known("others") - known("things")
    asked = "?" in tokens and not known("roles").isdisjoint(tokens)
    return asked or not others.isdisjoint(tokens)


def quotes(sentence: str, tokens: Sequence[str]) -> bool:
    """Whether it tells what others say, think or want, or what somebody got to know."""
    spoken = set(tokens)
    if spoken & known("thinking") and (spoken & known("others") or "if" in tokens[:1]):
        return True
    # "I read it", not "I have to read it".
    got = [word for word in tokens if word not in known("adverbs")]
    received = first_of(tokens) in known("received") or any(
        word in known("speakers")
        and following in known("received")
        and not _RE.befallen.search(sentence)
        for word, following in pairwise(got)
    )
    reported = spoken & known("saying") or received
    return bool(reported) and not says_again(sentence)


def _points(bare: Sequence[str], neighbour: Neighbour) -> bool:
    """Whether a question or an order is about what stands beside it.

    Who asks for something to be done in the same line asks for what they said.
    """
    requests = is_phrase("requests", neighbour.text)
    if bare[0] in known("remembered"):
        return False
    if neighbour.behind and not neighbour.apart and (requests or is_order(bare)):
        return not requests and _handles(bare)
    return any(word in known("behind" if neighbour.behind else "ahead") for word in bare)


def _handles(bare: Sequence[str]) -> bool:
    """Whether an order does something with the words before it: "make that the title"."""
    if bare[0] in known("imperatives", "words"):
        return bare[0] not in known("obeyed") and first_of(bare[1:]) in known("handled")
    return not known("pointing").isdisjoint(bare)
