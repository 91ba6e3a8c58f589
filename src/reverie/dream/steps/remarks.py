"""Remarks: what a sentence does, by its form alone: ask, rule, blame, report, or point.

Only its words are looked at; what it is about, and whether others say the same, `talk` knows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from reverie.data import patterns
from reverie.dream.model import Observation
from reverie.language.keys import keys_of
from reverie.language.lexicon import lexicon
from reverie.language.meaning import is_choice, is_complaint, meant
from reverie.language.wording import is_ordinary, root_of
from reverie.language.words import words

_RE = patterns("dreams.txt", "remarks")
_VERBS = lexicon().words("words.imperatives")

# How much a remark binds tomorrow: outright, by its form, or only as one that comes back.
BINDING, TELLING, PASSING = 1.0, 0.7, 0.3
SHORTEST = 3  # words of a clause that is looked at by itself
TYPED = 0.7  # share of its words that stand in what it rests on


def is_norm(text: str) -> bool:
    """Whether its form is that of a rule: rules about several things may well be said alike."""
    return bool(_RE.strong.search(text) or (_RE.norm.search(text) and not points(text)))


def points(text: str) -> bool:
    """Whether it points at the matter at hand, and not at the occasion it names itself."""
    return bool(_RE.pointing.search(text)) and not _RE.occasion.match(text)


@lru_cache(maxsize=8192)
def blames(text: str) -> bool:
    """Whether it says what was done wrong, and only so what is wanted."""
    return is_complaint(text) or bool(_RE.blame.match(text))


def complains(text: str) -> bool:
    """Whether it says what was done wrong, by who did it or once more."""
    if blames(text) or _RE.once_more.match(text):
        return True
    return not is_order(text) and bool(_RE.did.search(text))


def accuses(text: str) -> bool:
    """Whether it blames who did it, not only that something is so again."""
    return bool(_RE.accused.search(text))


@lru_cache(maxsize=8192)
def reports(text: str) -> bool:
    """Whether it only tells that something does not work, or what a program prints."""
    if _RE.printed.search(text) or _RE.happened.search(text):
        return True
    if _RE.wanted.search(text):
        return False
    prose = _RE.code.sub(" ", text)
    broken = meant(prose).state < 0 or bool(_RE.symptom.search(prose))
    ordered = is_order(text) and not _RE.mend.match(text)
    return broken and not (_RE.strong.search(text) or is_complaint(text) or ordered)


@lru_cache(maxsize=8192)
def asks(text: str) -> bool:
    """Whether it tells somebody what to do, or how something shall be."""
    if reports(text) or blames(text) or _RE.question.match(text):
        return False
    return is_norm(text) or is_order(text) or changes(text) or bool(_RE.wish.match(text))


def main_clause(text: str) -> str:
    """A sentence without what leads to it."""
    return _RE.lead.sub("", text)


def is_order(text: str) -> bool:
    """Whether it begins with what is to be done."""
    tokens = words(main_clause(text))
    return bool(tokens) and tokens[0] in _VERBS


def without_matter(text: str) -> str:
    """An order without the matter at hand that it points at: "Add a note for this" asks for one."""
    order = _RE.at_hand.sub("", text)
    return order if len(order.split()) >= SHORTEST and is_order(order) else text


def deeds_of(text: str) -> frozenset[str]:
    """What an order is to do, in the form that deeds are compared by; none for no order."""
    if not is_order(text):
        return frozenset()
    starts = (words(part)[:1] for part in _RE.step.split(main_clause(text)))
    return frozenset(root_of(word) for start in starts for word in start if word in _VERBS)


def permits(text: str) -> bool:
    """Whether it leaves something to the agent, who may do it and need not."""
    return bool(_RE.permission.match(text))


def turns(text: str) -> bool:
    """Whether it says that something holds from this day on."""
    return bool(_RE.turn.search(text))


def forbids_act(text: str) -> bool:
    """Whether it is a deed that is ruled out, if anything is; else a thing."""
    return bool(_RE.no_act.search(text))


def begins_with_ban(text: str) -> bool:
    """Whether all it does is to forbid something."""
    return bool(_RE.ban.match(text)) and not meant(text).replaced


def changes(text: str) -> bool:
    """Whether it says what holds from now on in the place of something else."""
    if is_complaint(text) or _RE.question.match(text):
        return False
    chosen = turns(text) and (meant(text).replaced or is_choice(text))
    return bool(chosen or _RE.changed.search(text))


def duty_of(text: str) -> tuple[str, str]:
    """A thing, and what it must do; empty if it says no such thing."""
    match = _RE.duty.match(text)
    return (match["subject"], match["rest"]) if match else ("", "")


def is_general(text: str) -> bool:
    """Whether it is said of every case."""
    return bool(_RE.general.search(text))


def is_strong(text: str) -> bool:
    """Whether it binds outright, by a word that does."""
    return bool(_RE.strong.search(text))


def is_question(text: str) -> bool:
    """Whether it begins like a question."""
    return bool(_RE.question.match(text))


def agreed(text: str, quote: str) -> bool:
    """Whether it is said as something that is known to hold."""
    return bool(_RE.agreed.search(text) or _RE.reminder.search(quote))


def is_passing(text: str) -> bool:
    """Whether it is said of the moment."""
    return bool(_RE.passing.search(text))


def force(remark: Observation) -> float:
    """How much it reads as if it will hold tomorrow, `PASSING` … `BINDING`."""
    if reports(remark.text) or is_passing(remark.text):
        return PASSING
    if remark.standing or _RE.strong.search(remark.text) or _RE.agreed.search(remark.text):
        return BINDING
    if changes(remark.text) or _RE.reminder.search(remark.quote):
        return BINDING
    if blames(remark.text) or is_norm(remark.text) or occasion(remark.text):
        return TELLING
    return max(PASSING, min(TELLING, remark.lasting))


def is_reminder(remark: Observation) -> bool:
    """Whether it was said as something that is known: "as I said", which no rule repeats."""
    return bool(_RE.agreed.search(remark.quote)) or blames(remark.quote or remark.text)


def occasion(text: str) -> str:
    """On what occasion something is wanted, as `clauses` words it; "" for no special one."""
    match = _RE.occasion.match(text)
    return match[1] if match else ""


def _on_occasion(text: str) -> str:
    """ "There is a … . Do this with it." as "When there is a …, do this with it."; else ""."""
    match = _RE.on_occasion.match(text)
    if match is None or not points(match["order"]) or not is_order(match["order"]):
        return ""
    if reports(match["met"]) or _RE.mend.match(match["order"]):
        return ""  # a fault that was met is mended once
    verb = "are" if match["verb"] == "are" else "is"
    return f"When there {verb} {match['met']}, {_lower(match['order'])}"


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def clauses(remark: Observation) -> Iterator[Observation]:
    """The parts of a sentence that speak of different things, each as a remark of its own."""
    if whole := _on_occasion(remark.text):
        yield replace(remark, text=whole, quote=_as_said(remark, remark.text))
        return
    parts = [part.strip() for cut in _RE.cut.split(remark.text) for part in _orders(cut)]
    parts = [part for part in parts if len(part.split()) >= SHORTEST or is_whole(part)]
    if len(parts) < 2 and not _RE.reason.search(remark.text):
        order = without_matter(remark.text)
        quote = _as_said(remark, order)
        yield remark if order == remark.text else replace(remark, text=f"{order}.", quote=quote)
        return
    for part in parts:
        order = part if accuses(part) else _RE.reason.sub("", part)
        wanted = order if len(order.split()) >= SHORTEST else part
        line = wanted[0].upper() + wanted[1:].rstrip(" .,") + "."
        yield replace(remark, text=line, quote=_as_said(remark, part))


def is_whole(part: str) -> bool:
    """Whether a part of few words says something: an order, or what something is called."""
    named = len(part.split()) > 1 and not all(map(is_ordinary, keys_of(part).words))
    return is_order(part) or named


def _as_said(remark: Observation, part: str) -> str:
    """The words as they were typed, if a part of a remark rests on them; what was said a sentence
    before is told in the words of the remark."""
    wanted = words(part)
    for typed in (*_RE.cut.split(remark.quote), remark.quote):
        said = set(words(typed))
        if sum(word in said for word in wanted) >= TYPED * len(wanted):
            return typed
    return remark.text


def _orders(text: str) -> Sequence[str]:
    """What is to be done one after the other, if the text is a list of orders and nothing else."""
    more = _RE.more.match(text)
    if more and is_order(more["order"]) and (is_norm(more["more"]) or not is_order(more["more"])):
        return more["order"], more["more"]
    parts = _RE.listed.split(text)
    return parts if len(parts) > 2 and all(map(is_order, parts)) else (text,)
