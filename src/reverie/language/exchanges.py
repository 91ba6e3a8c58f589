"""Exchanges: whether what is said in one turn makes the next one, or the one before it, a text.

Somebody asks how a text sounds, or says that one will come; the agent asks for one, or about one;
afterwards somebody tells whose the words were, or takes them back. The turn itself may be nothing
but a rule. A turn about anything else says nothing of it, and a "no" has often another object.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from reverie.data import patterns
from reverie.language.clauses import (
    WORDED,
    asked_for,
    bare_of,
    begins_as_rule,
    begins_lasting,
    first_of,
    is_a_nod,
    is_duty,
    is_of_work,
    is_order,
    is_personal,
    known,
    names_text,
    plays,
    says_again,
    stops,
    worded,
)
from reverie.language.frames import quotes
from reverie.language.hearsay import LONGEST, is_disowned, is_shown_next, sentences_of
from reverie.language.lexicon import is_phrase
from reverie.language.words import content, words

_RE = patterns("language.txt", "exchanges")

BRIEF = 9  # most words of a question about what was said before it
ASKED = 5  # most words of a question that needs what follows it
ANNOUNCING = 20  # most words of a turn that only says what comes next

_BETWEEN_US = frozenset({"i", "we", "you", "ich", "wir", "du"})
# Turns of phrase that speak of a text beside them.
_OF_TEXTS = ("shows", "points_back")


def gives_role(said: str) -> bool:
    """Whether a turn begins like the prompt of a program, with what the agent is to be."""
    return _RE.role.match(said) is not None


def goes_on(said: str) -> bool:
    """Whether somebody plainly talks in a turn: of themselves, with a question, or with a word that
    takes up what was said before. A text that is shown does none of it."""
    return any(_takes_up(sentence.text) for sentence in sentences_of(said[:LONGEST]))


def _takes_up(sentence: str) -> bool:
    tokens = words(sentence)
    first, second = first_of(tokens), first_of(tokens[1:])
    # "Keep in mind that …", but not "keep commits small".
    reminds = first in known("remembered") and second in stops()
    begins = first in known("openers") | known("contrasts") and first not in known("duties")
    speaks = is_personal(sentence)
    return is_a_nod(sentence) or "?" in tokens or begins or reminds or speaks


def asks_for_words(asked: str, *, close: bool) -> bool:
    """Whether an agent asks to be given words, waits for some, or asks an open question, and not
    how the two go on; `close` to the answer any such question may be for words."""
    if any(_asks_to_be_given(sentence.text) for sentence in sentences_of(asked)):
        return True
    return any(
        _is_open(asking) or (close and not _is_of_us(asking)) for asking in _questions(asked)
    )


def asks_whose(replied: str, *, close: bool) -> bool:
    """Whether an agent asks back about what was said: about a text, or `close` to it anything but
    how the two go on; or says itself what text it is."""
    pointing = known("pointing")
    if close and any(_speaks_of_text(words(part), pointing) for part in _opening(replied)):
        return True
    brief = len(replied.split()) <= ANNOUNCING
    return any(
        (close and not _is_of_us(asking)) or (brief and _speaks_of_text(asking, known("pointing")))
        for asking in _questions(replied)
    )


def _questions(asked: str) -> Iterator[Sequence[str]]:
    """The words of each question among an agent's last ones; what it will do with the answer may
    come behind."""
    for sentence in sentences_of(asked):
        # "One gap is left: what is it to do?" asks behind its head.
        asking = words(sentence.text.rsplit(":", 1)[-1])
        if "?" in asking:
            yield asking


def _is_of_us(asking: Sequence[str]) -> bool:
    """Whether a question is how the two go on; what somebody did or is, is another."""
    done = first_of(asking) in known("been") | known("copulas")
    ours = not (done or known("ours").isdisjoint(asking[:WORDED]))
    return ours or not known("more").isdisjoint(asking)


def _is_open(asking: Sequence[str]) -> bool:
    # What another program is to do is none of the work between the two.
    of_us = not known("ours").isdisjoint(asking) and not known("going_on").isdisjoint(asking)
    more = not known("more").isdisjoint(asking)
    return not (known("whats").isdisjoint(asking[: WORDED + 1]) or of_us or more)


def _asks_to_be_given(sentence: str) -> bool:
    tokens = words(sentence)
    if first_of(tokens) in known("oneself"):
        return False
    if not known("pasting").isdisjoint(tokens) or _RE.waits.search(sentence):
        return True
    parts = (asked_for(words(part)) for part in _RE.pause.split(sentence))
    return any(first_of(part) in known("handing") for part in parts)


def announces(earlier: str, asked: str, *, close: bool) -> bool:
    """Whether a turn speaks of a text, a game or others' words, so that the next may show them.

    What the agent has `asked`, or said, may show that it is done with. `close` to the next one it
    has to be talk about the work, or to speak of no text and nobody else.
    """
    if _is_answered(earlier, asked):
        return False
    if len(earlier.split()) <= ANNOUNCING and _may_announce(earlier):
        return True
    said = [sentence.text for sentence in sentences_of(earlier[:LONGEST])]
    idle = [text for text in said if not (is_of_work(text) or says_again(text))]
    shown = any(_may_show(words(text)) for text in idle)
    # Who asks, or speaks of "you" or "us", talks, whatever of.
    talks = any(not (known("ours") | {"?"}).isdisjoint(words(text)) for text in idle)
    return close and (shown or (0 < len(idle) == len(said) and not talks))


def _is_answered(earlier: str, said: str) -> bool:
    """Whether an agent tells that it did what it was asked for, or answers yes or no."""
    first = next((words(sentence.text) for sentence in sentences_of(said)), ())
    asked = "?" in words(earlier) or is_phrase("points_back", earlier)
    answered = asked and len(first) == 1 and first[0] in known("answering")
    done = first_of(first) in known("finished") and any(
        is_of_work(sentence.text) for sentence in sentences_of(earlier[:LONGEST])
    )
    return "?" not in first and (done or answered)


def _may_announce(before: str) -> bool:
    tokens = words(before)
    if plays(before):
        return True
    # "From now on, write messages in …" is a rule of its own.
    named = not worded().isdisjoint(tokens) and not known("announcing").isdisjoint(tokens)
    bare = bare_of(tokens)
    if named and (":" in before or not (begins_as_rule(bare) or begins_lasting(bare))):
        return True
    return any(_is_ahead(sentence.text) for sentence in sentences_of(before)[-1:])


def _is_ahead(sentence: str) -> bool:
    """Whether a sentence asks about what comes next, or tells what others say."""
    tokens = words(sentence)
    if any(is_phrase(name, sentence) for name in (*_OF_TEXTS, "points_ahead")):
        return True
    # Who talks of the work, or says again what they said themselves, tells what nobody else said.
    of_work = is_of_work(sentence) and "?" not in tokens
    if of_work or _RE.said_myself.search(sentence):
        return False
    if _speaks_of_text(tokens, known("ahead")):
        return True
    if "?" in tokens and len(tokens) <= ASKED + 1 and not known("ahead").isdisjoint(tokens):
        return True
    bare = bare_of(tokens)
    # "Never write that they agreed" is a rule of its own, and "read the ticket" an order.
    if begins_as_rule(bare) or (is_order(bare) and first_of(bare[1:]) in known("articles")):
        return False
    speaks = first_of(bare) in known("speakers") and "?" not in tokens
    received = any(word in known("received") for word in tokens)
    return quotes(sentence, tokens) and (received or not speaks)


# Every turn is looked at from those behind it.
@lru_cache(maxsize=256)
def stays_open(before: str) -> bool:
    """Whether a turn begins a game, or announces a text for later: it may come some turns on."""
    if is_shown_next(before):
        return True
    return any(
        plays(sentence.text) or _is_for_later(sentence.text)
        for sentence in sentences_of(before[:LONGEST])
    )


def _is_for_later(sentence: str) -> bool:
    tokens = words(sentence)
    speaks = not known("oneself").isdisjoint(tokens[:WORDED])
    if speaks and not known("pasting").isdisjoint(tokens):
        return True
    if len(tokens) > ANNOUNCING or known("later").isdisjoint(tokens):
        return False
    if not (known("handing") | known("pasting")).isdisjoint(tokens):
        return not begins_as_rule(bare_of(tokens))
    worked_on = known("editing") | known("reading")
    return names_text(tokens) and not worked_on.isdisjoint(tokens)


# Every rule is looked at from all turns behind it.
@lru_cache(maxsize=1024)
def disowns(later: str) -> bool:
    """Whether a turn tells that something before it was sent and not said, or whose it was."""
    said = [sentence.text for sentence in sentences_of(later[:LONGEST])]
    forms = (_RE.sent, _RE.whose, _RE.written, _RE.strayed)
    return any(_RE.arrow.match(text) or any(form.search(text) for form in forms) for text in said)


def names_source(later: str, said: str = "") -> bool:
    """Whether a turn, however far behind, tells of a sentence before it that it is somebody's: by
    what that is called, and by a word of what was `said`, if it is known."""
    return any(_names_source(sentence.text, said) for sentence in sentences_of(later[:LONGEST]))


def _names_source(sentence: str, said: str) -> bool:
    tokens = words(sentence)
    named = known("announced") | known("wording")
    if named.isdisjoint(tokens) or is_of_work(sentence) or is_order(bare_of(tokens)):
        return False
    told = _told() | known("slips")
    theirs = not told.isdisjoint(tokens) or bool(_RE.strayed.search(sentence))
    return theirs and (not said or bool(content(words(said)) & content(tokens)))


def tells_whose(later: str) -> bool:
    """Whether a turn begins by telling whose the words before it are, or what text."""
    if is_disowned(later) or _RE.arrow.match(later):
        return True
    brief = len(later.split()) <= ANNOUNCING
    return any(
        any(is_phrase(name, part) for name in _OF_TEXTS)
        or (brief and not known("slips").isdisjoint(words(part)))
        or _tells_whose(part)
        for part in _opening(later)
    )


def goes_on_with_work(later: str) -> bool:
    """Whether a turn plainly goes on with the work: it nods, asks, orders, wishes or rules.

    Whose words stood before may be told in any language and in any words; so whatever else a turn
    begins with may tell it.
    """
    if tells_whose(later):
        return False
    parts = list(_opening(later))
    points = any(_points(words(part)) for part in parts)
    return any(_is_plain(part, points=points) for part in parts) or all(map(is_a_nod, parts))


def _is_plain(part: str, *, points: bool) -> bool:
    """Whether it speaks of the work, and of nothing that stands before it."""
    tokens = words(part)
    bare = bare_of(tokens)
    # What has to be, and what is "ours" or said to "you", is plain in whatever words.
    needed = known("modals") | known("ours") | known("ourselves")
    if not bare or is_a_nod(part) or (needed.isdisjoint(tokens) and not _is_of_work(part)):
        return False
    if "?" in tokens:
        people = known("others") - known("things")
        return len(tokens) > WORDED + 1 and people.isdisjoint(tokens) and not points
    if is_order(bare):
        shown = known("editing") | known("making") | known("writing_down") | known("handing")
        handled = first_of(bare[1:]) in known("handled")
        return not (bare[0] in known("manners") or (bare[0] in shown and handled))
    return is_phrase("objects", part) or not _points(tokens, known("pointing"))


def asks_for_work(said: str) -> bool:
    """Whether a turn asks for something to be done now, or for an answer, or speaks of "me"."""
    if is_personal(said):
        return True
    for sentence in sentences_of(said[:LONGEST]):
        bare = bare_of(words(sentence.text))
        rules = is_duty(bare) or begins_lasting(bare)
        if "?" in bare or (bool(bare) and is_order(bare) and not rules):
            return True
    return False


def _opening(said: str) -> Iterator[str]:
    """The parts of a turn up to the end of its first sentence that is no mere answer."""
    for sentence in sentences_of(said[:LONGEST]):
        yield from _RE.pause.split(sentence.text)
        if not is_a_nod(sentence.text):
            return


def _tells_whose(part: str) -> bool:
    """Whether it speaks of a text or of others, and of what was said before it."""
    tokens = words(part)
    if _speaks_of_text(tokens, known("pointing") | known("behind")):
        return True
    # "Why did that fail?" asks about what was done.
    asked = "?" in tokens and len(tokens) <= BRIEF and first_of(tokens) not in known("of_causes")
    if _RE.not_mine.search(part) or (asked and not known("pointing").isdisjoint(tokens)):
        return True
    if _RE.told_of.match(part) and not is_of_work(part):
        return True
    # "What I asked for" is one's own, and what "you got wrong" the agent's.
    told = [word for at, word in enumerate(tokens) if first_of(tokens[at - 1 :]) not in _BETWEEN_US]
    plain = _is_of_work(part) and not _points(tokens)
    return not (_told().isdisjoint(told) or plain)


def _is_of_work(part: str) -> bool:
    """Whether it is about the work, whomever it names: "add a column for the customer"."""
    bare = bare_of(words(part))
    return is_order(bare) or begins_lasting(bare) or is_of_work(part)


def _told() -> frozenset[str]:
    """The words for others, for texts, and for how these are got."""
    return known("received") | known("others") | known("roles") | known("saying") | known("texts")


def _may_show(spoken: Sequence[str]) -> bool:
    """Whether it has a word for a text, for others, or for how a text is got or given."""
    given = known("received") | known("announcing") | known("handing") | known("pasting")
    speaking = known("others") | known("roles") | known("later")
    waits = first_of(spoken) in known("waiting")
    return waits or not (given | speaking).isdisjoint(spoken) or names_text(spoken)


def _points(tokens: Sequence[str], pointing: frozenset[str] | None = None) -> bool:
    """Whether a word stands for what was said before: "that", but not "that way"."""
    pointing = pointing or known("pointing") | known("behind")
    return any(
        first_of(tokens[at + 1 :]) in stops() | {""} or names_text(tokens[at + 1 : at + 2])
        for at in _pointers(tokens, pointing)
    )


def _pointers(tokens: Sequence[str], pointing: frozenset[str]) -> Iterator[int]:
    """Where words point at something, not at how it is: "like that"."""
    for at, word in enumerate(tokens):
        if word in pointing and first_of(tokens[max(0, at - 1) : at]) not in known("quotative"):
            yield at


def takes_back(later: str, said: str, replied: str) -> bool:
    """Whether a turn begins by denying the rule that was said before it.

    What has an object of its own, or of what the agent said, leaves the rule alone.
    """
    first = next(iter(sentences_of(later[:LONGEST])), None)
    parts = _RE.pause.split(first.text) if first else []
    denied = any(
        not known("reversing").isdisjoint(_begun(part, WORDED if place == 0 else 1))
        for place, part in enumerate(parts)
    )
    if not denied or "?" in replied or any(_is_elsewhere(part, said) for part in parts):
        return False
    own = content(words(replied)) - content(words(said))
    return own.isdisjoint(content(words(later)))


def _begun(part: str, most: int) -> list[str]:
    """The first words of a part but those for who speaks."""
    return [word for word in bare_of(words(part)) if word not in known("oneself")][:most]


def _is_elsewhere(part: str, said: str) -> bool:
    """Whether it orders, wishes or states something of which the rule does not speak."""
    tokens, bare = words(part), bare_of(words(part))
    own = content(bare) - known("reversing")
    reversed_ = first_of(bare) in known("reversing") and names_text(tokens)
    if not own or own & content(words(said)) or reversed_ or _points(tokens):
        return False
    verbs = known("copulas") | known("modals")
    states = bare[0] not in known("speakers") and not verbs.isdisjoint(tokens)
    return states or is_of_work(part)


def _speaks_of_text(tokens: Sequence[str], pointing: frozenset[str]) -> bool:
    """Whether a word points at a text: "this", "the above", "this line", but not "this branch".

    In a question it may be anywhere: "would this fit on a sign?"
    """
    if worded().isdisjoint(tokens):
        return False
    for at in _pointers(tokens, pointing):
        following = first_of(tokens[at + 1 :])
        named = not worded().isdisjoint(tokens[at + 1 : at + 3])
        if "?" in tokens or named or tokens[at - 1 : at] == ["the"]:
            return True
        if not following or following in stops():
            return True
    return False
