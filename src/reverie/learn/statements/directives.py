"""Directives: a sentence that tells someone what to do, as a plain order.

"I'd like you to get into the habit of adding a changelog entry to every pull request" becomes "Add
a changelog entry to every pull request." What tells nothing to do, or nothing in particular, is
none: reasons, praise, "follow our standards".
"""

import re
from collections.abc import Sequence
from functools import cache

from reverie.data import patterns, word_sets
from reverie.language.wording import EMPTY, LIGHT, Thing, things, tokens
from reverie.learn.statements.rule import general

_RE = patterns("statements.txt", "directives")
_WORDS = word_sets("statements.txt", "directives")
# What is said around an order, in the order it is taken off.
_WRAPPINGS = (
    *("opening", "wish", "we_want", "important", "will", "habit", "duty", "we", "habit"),
    "opening",
)
# "Statement" tells little between lessons, but a kind of statement is something in code.
_SLIGHT = LIGHT - {"statement"}


@cache
def _vague() -> frozenset[str]:
    """Words that make nothing particular: "follow our coding standards", "keep code clean"."""
    return _WORDS.vague | {token.root for token in tokens(_WORDS.text("vague"))}


def directives_in(sentence: str, spoken_of: Sequence[Thing] = ()) -> list[str]:
    """The orders about classes of things in code in a sentence, each as a line of its own.

    `spoken_of` is what "them" and "the name" mean.
    """
    whole, wished = _bared(" ".join(sentence.split()))
    lines: list[str] = []
    lasting = bool(_RE.lasting.search(sentence))
    for part in _RE.joint.split(whole):
        bare = _resolved(_imperative(part) if wished else part, spoken_of)
        line = _directive(bare, wished, lasting)
        if line:
            lines.append(line)
    return lines


def _resolved(line: str, spoken_of: Sequence[Thing]) -> str:
    """The line with the thing a pronoun means put in its place, where the line has none."""
    named = [thing for thing in spoken_of if thing.named]
    if not named or things(tokens(line)):
        return line
    return _RE.meant.sub(f"{named[-1].phrase} names", line, count=1)


def _directive(line: str, wished: bool, lasting: bool) -> str:
    if _RE.pointing.search(line):
        return ""
    duty = _RE.dutiful.match(line) or (wished and _RE.wished_for.match(line))
    if not duty and not _is_order(line, lasting):
        return ""
    if not _is_particular(line):
        return ""
    return general(line)


def _bared(text: str) -> tuple[str, bool]:
    """The sentence without opening, address and the wish around it; whether there was a wish."""
    line = _RE.address.sub("", text)
    line = _RE.opening.sub("", line)
    line = _RE.about.sub("", line)
    _, colon, rest = line.partition(": ")
    if colon and len(rest.split()) >= 4:
        line = _RE.opening.sub("", rest)
    lead = ""
    led = _RE.led.match(line)
    if led:
        lead, line = led.group(), line[led.end() :]
    wished = False
    for part in _WRAPPINGS:
        matched: re.Match[str] | None = getattr(_RE, part).match(line)
        if matched and len(line) - matched.end() >= 8:
            line = line[matched.end() :]
            wished = wished or part != "opening"
    stressed = _RE.emphasis.match(line)
    if stressed and _RE.stressed.search(stressed.group()):
        line, wished = _ordered(line[stressed.end() :], stressed.group()), True
    return lead + line, wished


def _ordered(rest: str, stressed: str) -> str:
    """ "the use of comments" as "use comments"; "the habit of adding tests" stays to be turned."""
    first = rest.removeprefix("always ").split(" ", 1)[0].lower()
    if first in _WORDS.verbs or (first.endswith("ing") and _base(first) in _WORDS.verbs):
        return rest
    return f"{'include' if 'inclusion' in stressed or 'addition' in stressed else 'use'} {rest}"


def _imperative(line: str) -> str:
    """ "always adding tests" as "always add tests"."""
    led = _RE.led.match(line)
    lead = led.group() if led else ""
    words = line[len(lead) :].split(" ")
    for place, word in enumerate(words[:3]):
        base = _base(word.lower())
        if word.lower().endswith("ing") and base in _WORDS.verbs:
            words[place] = base
            break
        if word.lower() not in {"always", "never", "also", "consistently", "not"}:
            break
    return lead + " ".join(words)


def _base(word: str) -> str:
    """The verb of an -ing form, when it is a known one."""
    stem = word.removesuffix("ing")
    for form in (stem, stem + "e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem):
        if form in _WORDS.verbs:
            return form
    return word


def _is_order(line: str, lasting: bool) -> bool:
    matched = _RE.imperative.match(line)
    if matched is None or (verb := matched.group("verb").lower()) not in _WORDS.verbs:
        return False
    return (
        lasting or verb not in _WORDS.of_work or any(token.sort == "name" for token in tokens(line))
    )


def _is_particular(line: str) -> bool:
    """Whether it names a class of things or something exact, and says something of its own."""
    wording = tokens(line)
    kinds = things(wording)
    exact = any(
        token.sort == "name" and (kinds or _RE.code.search(token.text)) for token in wording
    )
    if not exact and not _RE.class_of_things.search(line):
        return False
    vague = _vague()
    of = {token.root for thing in kinds for token in wording[thing.start : thing.end]}
    return exact or any(
        token.sort == "word"
        and token.root not in of
        and token.root not in vague
        and token.text.lower() not in vague
        and token.text.lower() not in EMPTY
        and token.root not in EMPTY
        and token.text.lower() not in _WORDS.verbs
        and token.root not in _SLIGHT
        for token in wording
    )
