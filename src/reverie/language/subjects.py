"""Subjects: of whom a sentence says what is to be done, and whether it is said or only worded.

A rule of one's own has the speaker, the agent or the things of the project as its subject, in the
present, and what stands before its rule word is what one says before a rule. Somebody else there
("the exam expects you to always …"), the past ("we always used …") or a denial ("I don't think we
must …") makes it no rule. Neither is one what a sentence holds as a text: in quotation marks,
behind a word of uttering ("a toast that says …") or behind what is called a text.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from reverie.data import patterns
from reverie.language.clauses import (
    bare_of,
    begins_lasting,
    first_of,
    is_duty,
    is_everywhere,
    is_somebodys,
    known,
    says_again,
)
from reverie.language.hearsay import LONGEST, found_at, sentences_of
from reverie.language.words import words

_RE = patterns("language.txt", "subjects")

# Whose rule it is: plainly one of the speaker's, or nobody's; or what stands there is not known.
Whose = Literal["own", "open", "others"]
_WORST: tuple[Whose, ...] = ("others", "open", "own")

QUOTED = 3  # fewest words of a quoted clause
NEAR = 3  # words before what becomes of a text, in which it is named
SHORTEST = 5  # letters of a verb in the past


@lru_cache(maxsize=512)
def whose(sentence: str) -> Whose:
    """Whose the rules in a sentence are: the least one's own of them."""
    if says_again(sentence):
        return "own"
    owners = {_of_clause(clause) for clause in _clauses(sentence)}
    return next(owner for owner in _WORST if owner in owners or owner == "own")


def is_in_text(text: str, quote: str) -> bool:
    """Whether `quote`, a part of `text`, is a text that its sentence holds, or stands behind one in
    its paragraph: who writes it without quotation marks, does not say where it ends."""
    turn = text[:LONGEST]
    place = found_at(turn, quote)
    if place is None:
        return False
    start = turn.rfind("\n\n", 0, place[0]) + 1
    said = [sentence for sentence in sentences_of(turn) if start <= sentence.start < place[1]]
    return any(
        holds_text(sentence.text) and (place[0] < sentence.end or not _quotes(sentence.text))
        for sentence in said
    )


@lru_cache(maxsize=512)
def holds_text(sentence: str) -> bool:
    """Whether a sentence has words in it that somebody shall say, read or find."""
    if says_again(sentence):
        return False
    return _quotes(sentence) or _is_worded(sentence)


def announces_text(head: str) -> bool:
    """Whether what stands before a colon quotes in talk ("he's like:"), or makes a text."""
    lead = bare_of(words(head))
    return bool(lead) and (lead[-1] in known("quotative") or _is_made(lead))


def _is_made(lead: Sequence[str]) -> bool:
    """Whether a text is made: "add a warning"; in instructions and memories a rule belongs."""
    made = first_of(lead) in known("making") | known("writing_down")
    return made and bool(_named(lead)) and known("instructions").isdisjoint(lead)


def _named(tokens: Sequence[str]) -> list[str]:
    """The words that name what is or holds a text."""
    holding = known("holding")
    return [word for word in tokens if word in holding or word.removesuffix("s") in holding]


def _quotes(sentence: str) -> bool:
    """Whether a clause with a rule in it stands in quotation marks, in a longer sentence."""
    return any(
        len(tokens := words(quoted[0])) >= QUOTED
        and (is_duty(tokens) or begins_lasting(tokens))
        and len(words(sentence)) > len(tokens) + 1
        for quoted in _RE.quoted.finditer(sentence)
    )


def _is_worded(sentence: str) -> bool:
    """Whether a rule begins in the middle of a sentence like one of its own, or stands behind a
    word of uttering or what is called a text."""
    if any(_is_begun(words(sentence[: rule.start()])) for rule in _RE.begun.finditer(sentence)):
        return True
    orders = known("imperatives", "words") - known("tools")
    held = known("becoming") | known("uttering")
    if any(
        match[1] in held and match[2].lower() in orders for match in _RE.ordered.finditer(sentence)
    ):
        return True
    for rule in _RE.rule.finditer(sentence):
        # What stands before a comma utters nothing behind it.
        lead = list(words(_RE.pause.split(sentence[: rule.start()])[-1]))
        made = "that" in lead and _is_made(bare_of(lead[: lead.index("that")]))
        if made or _is_named(lead):
            return True
        while lead and lead[-1] in known("addressed"):
            lead.pop()
        if lead and lead[-1] in known("uttering") and not _is_spoken(lead[:-1]):
            return True
    return False


def _is_spoken(lead: Sequence[str]) -> bool:
    """Whether who utters is who speaks: "we say: …"."""
    return bool(lead) and lead[-1] in known("speakers")


def _is_named(lead: Sequence[str]) -> bool:
    """Whether a lead ends with what is called a text and what becomes of it: "the title to"."""
    if not lead or lead[-1] not in known("becoming"):
        return False
    return bool(_named(lead[-1 - NEAR : -1]))


def _is_begun(lead: Sequence[str]) -> bool:
    """Whether more stands before a rule than how one begins to say one."""
    prefaces = known("openers") | known("speakers") | known("titles") | known("nods")
    return not all(word in prefaces or word in known("remembered") for word in lead)


def _clauses(sentence: str) -> Iterator[str]:
    return (part for part in _RE.between.split(sentence) if part.strip())


def _of_clause(clause: str) -> Whose:
    """Whose rules a clause holds."""
    worst: Whose = "own"
    for number, rule in enumerate(_RE.rule.finditer(clause)):
        lead = words(clause[: rule.start()])
        # A second rule word goes on with the first, unless another clause begins before it.
        if number and not _embeds(lead):
            continue
        behind = words(clause[rule.end() :])
        owner = _by_lead(clause[: rule.start()], behind, rule[0].lower())
        if owner == "open" and not behind:
            continue  # "we use tabs from now on"
        if _WORST.index(owner) < _WORST.index(worst):
            worst = owner
    return worst


def _embeds(lead: Sequence[str]) -> bool:
    """Whether a lead ends where the clause of a rule begins: "… that", "… to", "… that we"."""
    return bool(lead) and (lead[-1] in known("embedding") or lead[-1] in known("speakers"))


def _is_matrix(lead: Sequence[str]) -> bool:
    """Whether it ends with what makes the rule a clause of it: "… that we", not "the one we"."""
    whom = lead[:-1] if lead[-1] in known("speakers") else lead
    return bool(whom) and whom[-1] in known("embedding")


def _by_lead(text: str, behind: Sequence[str], rule: str) -> Whose:
    """Whose a rule is by what stands before its rule word, and by the tense of its verb."""
    lead = bare_of(words(text))
    while lead and lead[0] in known("titles") | known("remembered") - known("duties"):
        lead = bare_of(lead[1:])
    if not lead or (len(lead) == 1 and lead[0] in known("embedding")):
        return "own"  # "the rule is to"
    bare = {word.partition("'")[0] for word in lead}
    verb = first_of([word for word in behind if word not in known("duties") | known("adverbs")])
    stated = lead[-1] in known("copulas") or not known("wishing").isdisjoint(lead)
    if (not stated and _is_past(verb, rule)) or _is_over(lead):
        return "others"
    if lead[0] in known("imperatives", "words") | known("duties") | {"be"}:
        return "own"
    if lead[0] in known("speakers"):
        return _of_speaker(lead)
    if not _others().isdisjoint(bare) or lead[-1] in known("quotative"):
        return "own" if len(lead) == 1 and lead[0] in known("things") else "others"
    if lead[0] in known("bounds"):
        return _of_case(lead)
    return _of_things(text, lead, rule)


def _is_over(lead: Sequence[str]) -> bool:
    """Whether it begins with a time or a place that is over."""
    placed = lead[0] in known("bounds") - known("cases")
    return lead[0] in known("formerly") or (placed and not known("former").isdisjoint(lead))


def _of_speaker(lead: Sequence[str]) -> Whose:
    rest = lead[1:]
    if any(_is_past(word) for word in rest if word not in known("resolving")):
        return "others"
    denied = not known("negations", "words").isdisjoint(rest)
    if not known("doubting").isdisjoint(rest) or (denied and _embeds(lead[1:])):
        wanted = not known("wanting").isdisjoint(rest)
        return "own" if denied and wanted else "others"
    if not (known("others") - known("things")).isdisjoint(rest):
        return "others"
    if not known("wanting").isdisjoint(rest):
        return "own"
    usual = known("own") | known("adverbs") | known("speakers") | known("duties")
    usual |= known("embedding") | known("joining") | known("resolving")
    return "own" if all(word in usual for word in rest) else "open"


def _of_case(lead: Sequence[str]) -> Whose:
    """Of a rule that begins with its time, place or case."""
    if not _embeds(lead):
        return "own" if known("roles").isdisjoint(lead) or is_everywhere(lead) else "open"
    if lead[-1] in known("speakers") and _is_matrix(lead):
        return "others"  # "on the call it came up that we"
    general = lead[0] in known("cases") or is_everywhere(lead) or begins_lasting(lead)
    return "own" if general else "open"


def _of_things(text: str, lead: Sequence[str], rule: str) -> Whose:
    denied = not known("negations", "words").isdisjoint(lead)
    past = not known("been").isdisjoint(lead)
    if _is_matrix(lead):
        said = not (known("impersonal").isdisjoint(lead) or known("copulas").isdisjoint(lead))
        return "own" if said and not (denied or past) else "others"
    if past:
        return "others"
    if denied or lead[-1] in known("speakers"):
        return "open"
    if not known("roles").isdisjoint(lead) or is_somebodys(text):
        return "open"
    must = rule in known("modals") or first_of(rule.split()) in known("modals")
    return "own" if must or lead[-1] in known("copulas") | known("modals") else "open"


@lru_cache(maxsize=1)
def _others() -> frozenset[str]:
    """Who else says, wants or teaches something."""
    return known("others") | known("saying") | known("received") | known("seemingly")


def _is_past(word: str, rule: str = "") -> bool:
    """Whether a verb tells what was done; "must be tested" does not."""
    if rule and rule not in known("lasting"):
        return False
    if word in known("past") | known("been"):
        return True
    present = known("imperatives", "words") | known("own") | known("resolving")
    return word.endswith("ed") and len(word) >= SHORTEST and word not in present
