"""Rule: a sentence as one general line to remember, in the person's own words, and why.

Nothing is invented. The clause that carries the rule is the rule; what tells the reason or what
happened last time is why. Address, hedges and politeness go, slips of the finger are mended, a
question that proposes something is turned into the proposal. A line is never cut inside a sentence.
"""

import re
from typing import NamedTuple

from reverie.data import patterns, sections, word_sets
from reverie.language.lexicon import lexicon
from reverie.language.spelling import spelled
from reverie.language.wording import infinitive
from reverie.language.words import content, pattern, words

LONGEST = 400  # characters; what is longer is an account, and no rule
SHORTEST = 8  # characters that a line must keep when something is taken off
RULE_WORDS = 2  # and in one that is said as a rule
NAMED = 3  # words that carry a subject before a word that points
SUBJECT_WORDS = 4  # that carry a subject, in a line that stands alone

_RE = patterns("statements.txt", "rule")
_WORDS = word_sets("statements.txt", "rule")


class Rule(NamedTuple):
    """What is to be remembered, and the reason that was given with it."""

    text: str
    why: str = ""


def carried(sentence: str) -> str:
    """The clause that carries the rule, in one line.

    What was called wrong or spoken of before it, and what is asked for at once after it, are of the
    moment.
    """
    text = " ".join(sentence.split())
    for shape in (_RE.refuted, _RE.suggested, _RE.at_once):
        match = shape.match(text)
        if match and len(content(words(match["kept"]))) >= NAMED:
            text = match["kept"]
    return text


def rule_of(sentence: str, before: str = "", after: str = "") -> Rule:
    """The rule in a sentence; its neighbours may hold the reason."""
    text, why = _parted(carried(sentence))
    if not why and _RE.happened.match(before):
        why = before
    if not why and _RE.reason_first.match(after) and "?" not in after:
        why = after
    return Rule(spelled(general(text)), spelled(_reason(why)))


def _parted(text: str) -> tuple[str, str]:
    """A sentence as what is to be done from now on, or holds, and why."""
    onward = _RE.onward.search(text)
    if onward and onward.start() >= SHORTEST and _RE.happened.match(text):
        return text[onward.start() :], text[: onward.start()]
    for match in _RE.because.finditer(text):
        head, reason = text[: match.start()], text[match.end() :]
        whole = len(content(words(head))) >= RULE_WORDS and not _RE.open.search(head)
        if whole and len(words(reason)) >= 3:
            return head, "" if "?" in reason else reason
    return text, ""


def _reason(text: str) -> str:
    """A reason as a sentence of its own."""
    line = _RE.reason_first.sub("", " ".join(text.split())).strip(" ,;:-–—.!")
    return f"{_capital(line)}." if len(line) >= SHORTEST else ""


def general(sentence: str) -> str:
    """One sentence as a general line: capital first, full stop last, no address."""
    text = _unwrapped(" ".join(sentence.split()))
    text = _bare(_RE.numbered.sub("", text))
    text = _RE.wanted.sub(r"\1there should be ", _RE.found_here.sub("at ", text))
    text = _RE.run_on.sub(lambda hit: f"{hit[1]}. {_capital(hit[2])}", text)
    match = _RE.hedge.match(text)
    if match and len(text) - match.end() >= SHORTEST:
        text = text[match.end() :]
        text = _RE.lead.sub("", text)
        second = _RE.hedge.match(text)
        if second and not _RE.kept_subject.match(text) and len(text) - second.end() >= SHORTEST:
            text = text[second.end() :]
    text = _RE.midway.sub("", _RE.added.sub("", _RE.aside.sub(r"\1", text)))
    if (banned := _RE.ban.sub("avoid ", text)) != text:
        text = _RE.nor.sub(r"\1 ", banned)
    text = _RE.doubted.sub(r"\1 don't ", text)
    text = _RE.leading_not.sub("do not ", text)
    text = _RE.insisting.sub(lambda hit: f", {hit[1].lower()}", _RE.tail.sub("", text))
    if not text:
        return ""
    return _capital(text + ")" * max(0, text.count("(") - text.count(")")) + ".")


def _bare(text: str) -> str:
    """Without the nod, the call and the order to remember before what is said."""
    text = _RE.lead.sub("", text)
    while (match := _RE.asked_for.match(text)) and len(text) - match.end() >= SHORTEST:
        text = _RE.lead.sub("", text[match.end() :])
    return text


def _capital(text: str) -> str:
    # A name that begins small ("iOS", "make.conf", "src/main") keeps its letter.
    named = text[1:2].isupper() or _RE.name.match(text)
    return text if named else text[0].upper() + text[1:]


def uncapital(text: str) -> str:
    """A line as the rest of a sentence; names and "I" keep their capital."""
    first = text.split(maxsplit=1)[0].rstrip(",")
    known = lexicon()
    plain = known.stop | known.words("words.imperatives") | known.words("frames.duties")
    return text[0].lower() + text[1:] if first != "I" and first.lower() in plain else text


def _unwrapped(text: str) -> str:
    """Without the brackets or quotes around all of it, or the one that is never closed."""
    for opens, closes in ("()", '""', "“”"):
        if text.startswith(opens):
            inner = text[1:].rstrip(" .!?")
            if inner.endswith(closes) and closes not in inner[:-1]:
                return inner[:-1]
            if closes not in inner:
                return text[1:]
    return text


def stands_alone(line: str, fewest: int = SUBJECT_WORDS) -> bool:
    """Whether a reader who was not there can understand the line.

    It is a whole sentence with a subject of its own, and points at little that only the session
    shows.
    """
    tokens = words(line)
    pointing = sum(word in _WORDS.pointing for word in tokens)
    return (
        tokens[0] not in _WORDS.pointing
        and tokens[0] not in _WORDS.rest
        and pointing <= max(1, len(tokens) // 8)
        and len(content(tokens)) >= fewest
        and not _RE.torn.search(line)
        if tokens
        else False
    )


def is_clear(line: str, fewest: int = SUBJECT_WORDS) -> bool:
    """Whether it stands alone, and what it points at, it has named before."""
    # A word that points at nothing stands for it: a line that began with it is not torn off.
    bare = _RE.own_place.sub("we", line)
    tokens = words(bare)
    first = next((at for at, word in enumerate(tokens) if word in _WORDS.pointing), len(tokens))
    named = len(content(tokens[:first]))
    clear = stands_alone(bare, fewest) and (first == len(tokens) or named >= NAMED)
    return clear and not _RE.elsewhere.search(line)


def is_torn(line: str) -> bool:
    """Whether something quoted or bracketed in it is never closed."""
    pairs = ((line.count("("), line.count(")")), (line.count("["), line.count("]")))
    return line.count("`") % 2 == 1 or any(opened > closed for opened, closed in pairs)


def names_first(line: str) -> bool:
    """Whether it points at nothing before it has named something: "the limit is 5, keep it"."""
    tokens = words(line)
    first = next((at for at, word in enumerate(tokens) if word in _WORDS.pointing), len(tokens))
    return len(content(tokens[:first])) >= NAMED


def adds_to(sentence: str) -> bool:
    """Whether it says that it comes on top of something: what that is was said elsewhere."""
    return bool(_RE.added.search(sentence))


def goes_on(sentence: str) -> bool:
    """Whether it begins by adding to what was said before."""
    return bool(_RE.goes_on.match(sentence))


def names_itself(line: str) -> bool:
    """Whether it has a name: code, a path, a name, a word made of several."""
    return bool(_RE.own_name.search(line))


def lacks_a_name(line: str) -> bool:
    """Whether nothing in it says which thing is meant, or for what something is not needed: that
    is the matter at hand, whatever the reason."""
    if _RE.unneeded.match(line):
        return not names_itself(line)
    return bool(_RE.unnamed.search(line))


# Positively: a prohibition said as what to do instead, where its own words or plain logic allow it.
# Models follow "do this" better than "don't do that". Nothing is made up: without an alternative in
# the text, or an opposite that any reader would name, there is none.
_DONT = r"(?:do not|don't|never|please don't|avoid|stop)"
_END = r"[\s.!]*$"
# Each: the shape of a prohibition → how it is said as an instruction.
_SHAPES = [
    line.replace("{dont}", _DONT).replace("{end}", _END).split(" => ")
    for line in sections("statements.txt")["positive"].splitlines()
]
_BY_CODE = re.compile(r"^(?:the|our|your|any|a|an) ", re.IGNORECASE)


def positively(lesson: str) -> str:
    """The lesson as an instruction; empty when it is one already or offers no alternative."""
    line = " ".join(lesson.split())
    for shape, form in _SHAPES:
        matched = pattern(shape).match(line)
        if matched is None:
            continue
        parts = {name: _verb(value.strip()) for name, value in matched.groupdict().items()}
        if form.startswith("use the real"):
            parts["good"] = _BY_CODE.sub("", parts["good"])
        said = form.format(**parts)
        return said[0].upper() + said[1:] + "."
    return ""


def _verb(text: str) -> str:
    """ "running the tests" as "run the tests"."""
    first, space, rest = text.partition(" ")
    verb = infinitive(first.lower()) if first.lower().endswith("ing") else ""
    return f"{verb}{space}{rest}" if verb else text
