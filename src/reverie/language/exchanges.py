"""Exchanges: whether what is said in one turn makes the next one, or the one before it, a text.

Somebody asks how a text sounds, or says that one will come; the agent asks for one, or about one;
afterwards it is spoken of as one, laughed about or turned round. The turn itself may be nothing but
a rule. Whoever doubts loses little: it waits.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from reverie.data import patterns
from reverie.language.apart import begins_with_verb
from reverie.language.clauses import (
    WORDED,
    asked_for,
    bare_of,
    begins_as_rule,
    begins_lasting,
    first_of,
    is_a_nod,
    is_duty,
    is_order,
    is_reason,
    known,
    names_text,
    plays,
    stops,
    worded,
)
from reverie.language.frames import quotes
from reverie.language.hearsay import LONGEST, is_shown_next, sentences_of
from reverie.language.lexicon import ENGLISH, is_phrase, lexicon
from reverie.language.words import words

_RE = patterns("language.txt", "exchanges")

BRIEF = 8  # most words of a turn that speaks of the rule before it
ASKED = 5  # most words of a question that needs what follows it
ANNOUNCING = 20  # most words of a turn that only says what comes next

Reach = Literal["before", "behind"]

# Turns of phrase that speak of a text beside them.
_OF_TEXTS = ("shows", "points_back")


def may_be_reversed(after: str) -> bool:
    """Whether a turn begins as if it took back what was said before it, or spoke of it."""
    first = next(iter(sentences_of(after[:LONGEST])), None)
    # "looking at the diff: no, leave it" begins behind its head.
    begun = [bare_of(words(part)) for part in first.text.split(":")] if first else []
    if any(not known("reversing").isdisjoint(part[:WORDED]) for part in begun):
        return True
    bare = bare_of(words(first.text)) if first else []
    # "Not always" bounds the rule; "always use tabs" is the next one.
    rules = begins_as_rule(bare) or is_order(bare[1:])
    quantified = not known("quantified").isdisjoint(bare) and not rules
    return (quantified and len(bare) <= BRIEF) or (
        first_of(bare) in known("behind") and not known("turned").isdisjoint(bare[1:WORDED])
    )


# Every rule is looked at from all turns behind it.
@lru_cache(maxsize=1024)
def disowns(later: str) -> bool:
    """Whether a turn tells that something before it was sent and not said, or whose it was."""
    said = [sentence.text for sentence in sentences_of(later[:LONGEST])]
    forms = (_RE.sent, _RE.whose, _RE.written, _RE.strayed)
    return any(_RE.arrow.match(text) or any(form.search(text) for form in forms) for text in said)


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
    speaks = not known("myself").isdisjoint(tokens)
    return is_a_nod(sentence) or "?" in tokens or begins or reminds or speaks


def leaves_alone(other: str, side: Reach) -> bool:
    """Whether a turn before or behind a rule has nothing to do with whose it is.

    It is plain talk about the work, all of it before the rule, its beginning behind; or it speaks
    of no text, nobody else and no source, and behind the rule it points at nothing.
    """
    said = [sentence.text for sentence in sentences_of(other[:LONGEST])]
    if side == "behind":
        beginning = (_RE.pause.split(text)[0] for text in said[:1])
        pointing = known("pointing") | known("behind")
        return all(map(_is_of_work, said[:1])) or not any(
            _may_show(text) or not pointing.isdisjoint(words(text)) for text in beginning
        )
    return all(_is_of_work(text) or not _may_show(text) for text in said)


def _may_show(sentence: str) -> bool:
    """Whether a sentence has a word for a text, for others, or for how a text is got or given."""
    given = known("received") | known("announcing") | known("handing") | known("pasting")
    speaking = known("others") | known("roles") | known("later")
    spoken = words(sentence)
    waits = first_of(spoken) in known("waiting")
    return waits or not (given | speaking).isdisjoint(spoken) or names_text(spoken)


def _is_of_work(sentence: str) -> bool:
    """Whether it asks, orders, wishes, rules, agrees or gives a reason."""
    tokens = words(sentence)
    bare = bare_of(tokens)
    if first_of(tokens) in known("waiting") or not known("roles").isdisjoint(tokens):
        return False
    begins = first_of(bare) in known("nods") | known("greetings")
    if not bare or begins or is_a_nod(sentence) or "?" in tokens:
        return True
    if is_phrase("objects", sentence) or is_duty(bare) or begins_lasting(bare) or is_reason(tokens):
        return True
    if _RE.together.match(sentence):
        return True
    if bare[0] in known("speakers"):
        return bare[0] != "let" and not known("wanting").isdisjoint(bare[1 : WORDED + 1])
    if all(word in known("nods") | known("nodded") for word in bare):
        return True
    second = first_of(bare[1:]) in known("determiners") and bare[0] not in known("received")
    verb = begins_with_verb(bare) or (second and not bare[0].endswith("ed"))
    verb = verb or _may_order(bare)
    return is_order(bare) or (verb and not bare[0].endswith("ing"))


def may_ask_for_words(asked: str) -> bool:
    """Whether an agent's last sentence asks for anything but how the two go on."""
    return any(
        known("ours").isdisjoint(asking[:WORDED]) and known("more").isdisjoint(asking)
        for asking in _questions(asked)
    )


def _questions(asked: str) -> Iterator[Sequence[str]]:
    """The words of each question among an agent's last ones; what it will do with the answer may
    come behind."""
    for sentence in sentences_of(asked):
        # "One gap is left: what is it to do?" asks behind its head.
        asking = words(sentence.text.rsplit(":", 1)[-1])
        if "?" in asking:
            yield asking


def may_be_spoken_of(after: str) -> bool:
    """Whether a turn begins by speaking of the one before it as of a text, or of how it got there.

    Who goes on says "it" and "that" of the work; as a text it is asked about, named as one, or
    pointed at and told what it is.
    """
    first = next(iter(sentences_of(after[:LONGEST])), None)
    if first is None:
        return False
    tokens = words(first.text)
    bare = bare_of(tokens)
    if _RE.arrow.match(first.text) or any(is_phrase(name, first.text) for name in _OF_TEXTS):
        return True
    if len(after.split()) <= ANNOUNCING and not known("slips").isdisjoint(tokens):
        return True
    if _speaks_of_text(tokens, known("pointing") | known("behind")):
        return True
    match = _RE.told_of.match(" ".join(bare))
    # Who praises it speaks of the work.
    praised = match is not None and first_of(words(match["what"])) in known("nods")
    told_what = match is not None and not praised and not is_reason(bare)
    asked = "?" in tokens and len(bare) <= BRIEF
    return (asked or told_what) and not known("pointing").isdisjoint(tokens)


def may_ask_for(asked: str) -> bool:
    """Whether an agent's last words ask an open question, other than what is to be done next: the
    turn that answers it may be a text, what others do, or what shall go."""
    return any(map(_is_open, _questions(asked)))


def _is_open(asking: Sequence[str]) -> bool:
    # What another program is to do is none of the work between the two.
    of_us = not known("ours").isdisjoint(asking) and not known("going_on").isdisjoint(asking)
    goes_on = of_us or not known("more").isdisjoint(asking)
    return not known("whats").isdisjoint(asking[: WORDED + 1]) and not goes_on


def may_ask_for_text(asked: str) -> bool:
    """Whether an agent's last words ask to be given a text, or say that it waits for one."""
    return any(_asks_to_be_given(sentence.text) for sentence in sentences_of(asked))


def _asks_to_be_given(sentence: str) -> bool:
    tokens = words(sentence)
    if first_of(tokens) in known("oneself"):
        return False
    if not known("pasting").isdisjoint(tokens) or _RE.waits.search(sentence):
        return True
    handed = known("handing")
    return first_of(asked_for(tokens)) in handed or not (
        handed.isdisjoint(tokens) or not names_text(tokens)
    )


def may_ask_about_text(replied: str) -> bool:
    """Whether an agent asked back about what was said as about a text."""
    if len(replied.split()) > ANNOUNCING:
        return False
    asked = (words(sentence.text) for sentence in sentences_of(replied))
    return any("?" in asking and _speaks_of_text(asking, known("pointing")) for asking in asked)


def may_announce(before: str) -> bool:
    """Whether a brief turn speaks of a text, a game or others' words: the next may show them."""
    if len(before.split()) > ANNOUNCING:
        return False
    tokens = words(before)
    if plays(before):
        return True
    # "From now on, write messages in …" is a rule of its own.
    named = not worded().isdisjoint(tokens) and not known("announcing").isdisjoint(tokens)
    bare = bare_of(tokens)
    if named and (":" in before or not (begins_as_rule(bare) or begins_lasting(bare))):
        return True
    return any(_is_ahead(sentence.text) for sentence in sentences_of(before)[-1:])


def _may_order(bare: Sequence[str]) -> bool:
    """Whether it may begin with a verb of a language of which few are known."""
    english = lexicon(ENGLISH).stop
    elsewhere = not english.issuperset(stops().intersection(bare))
    named = known("texts") | known("roles") | known("others") | known("announcing")
    return elsewhere and bare[0] not in stops() | named | known("reversing")


# Every turn is looked at from those behind it.
@lru_cache(maxsize=256)
def may_stay_open(before: str) -> bool:
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
    if begins_as_rule(bare_of(tokens)):
        return False
    if not (known("handing") | known("pasting")).isdisjoint(tokens):
        return True
    worked_on = known("editing") | known("reading")
    return names_text(tokens) and not worked_on.isdisjoint(tokens)


def _is_ahead(sentence: str) -> bool:
    """Whether a sentence asks about what comes next, or tells what others say."""
    tokens = words(sentence)
    if any(is_phrase(name, sentence) for name in (*_OF_TEXTS, "points_ahead")):
        return True
    if _speaks_of_text(tokens, known("ahead")):
        return True
    if "?" in tokens and len(tokens) <= ASKED + 1 and not known("ahead").isdisjoint(tokens):
        return True
    bare = bare_of(tokens)
    # "Never write that they agreed" is a rule of its own.
    if begins_as_rule(bare):
        return False
    speaks = first_of(bare) in known("speakers") and "?" not in tokens
    received = any(word in known("received") for word in tokens)
    return quotes(sentence, tokens) and (received or not speaks)


def _speaks_of_text(tokens: Sequence[str], pointing: frozenset[str]) -> bool:
    """Whether a word points at a text: "this", "the above", "this line", but not "this branch".

    In a question it may be anywhere: "would this fit on a sign?"
    """
    if worded().isdisjoint(tokens):
        return False
    for at, word in enumerate(tokens):
        if word not in pointing:
            continue
        following = first_of(tokens[at + 1 :])
        named = not worded().isdisjoint(tokens[at + 1 : at + 3])
        if "?" in tokens or named or tokens[at - 1 : at] == ["the"]:
            return True
        if not following or following in stops():
            return True
    return False
