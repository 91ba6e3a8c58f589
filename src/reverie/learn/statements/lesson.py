"""Lesson: a lasting statement in one general line, in the person's own words.

Nothing is invented: the line is the most lasting sentence of the turn without address, hedging
and politeness, a question that proposes something turned into the proposal.
"""

import re

from reverie.data import patterns, sections, word_sets
from reverie.language.cues import Cues
from reverie.language.words import Said, content, pattern, words
from reverie.learn.statements.lasting import lasting, sentences

LONGEST = 200
TRIED = 3  # of the most lasting sentences
NEAR = 1.5  # how much less lasting a sentence may be that stands alone
SUBJECT_WORDS = 4  # that carry a subject, in a line that stands alone

_RE = patterns("statements.txt", "lesson")
_WORDS = word_sets("statements.txt", "lesson")


def lesson_of(own: Said, span: str, cues: Cues) -> str:
    """The one line; `span` is the fallback when no sentence states anything."""
    parts = [part for part in sentences(own.prose) if len(part.words) >= 2]
    weighed = sorted(((lasting(part, cues), part.text) for part in parts), key=lambda w: -w[0])
    lines = [(weight, general(text)) for weight, text in weighed[:TRIED]]
    for weight, line in lines:
        if weight < weighed[0][0] - NEAR or _WORDS.pointing.intersection(words(line)[:1]):
            break  # what it points at may be the line it speaks against
        # A little less lasting but whole is worth more than the rest of a sentence.
        if stands_alone(line):
            return line
    best = lines[0][1] if lines else ""
    return best or general(span) or " ".join(span.split())[:LONGEST]


def forbidding(text: str) -> str:
    """ "No emojis", "could you stop adding comments" as "avoid …"; any other text as it is."""
    bare = _RE.lead.sub("", text)
    hedged = _RE.hedge.match(bare)
    bare = _RE.lead.sub("", bare[hedged.end() :]) if hedged else bare
    return _RE.ban.sub("avoid ", bare) if _RE.ban.match(bare) else text


def general(sentence: str) -> str:
    """One sentence as a general line: capital first, full stop last, no address."""
    text = _unwrapped(" ".join(sentence.split()))
    text = _RE.lead.sub("", _RE.numbered.sub("", text))
    match = _RE.hedge.match(text)
    if match and len(text) - match.end() >= 8:
        text = text[match.end() :]
        text = _RE.lead.sub("", text)
        second = _RE.hedge.match(text)
        if second and not _RE.kept_subject.match(text) and len(text) - second.end() >= 8:
            text = text[second.end() :]
    text = _RE.ban.sub("avoid ", text)
    text = _RE.doubted.sub(r"\1 don't ", text)
    text = _RE.leading_not.sub("do not ", text)
    text = _RE.tail.sub("", text)
    if not text:
        return ""
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0] + "…"
    else:
        text += ")" * max(0, text.count("(") - text.count(")")) + "."
    # A name that begins small ("iOS", "make.conf", "src/main") keeps its letter.
    named = text[1:2].isupper() or _RE.name.match(text)
    return text if named else text[0].upper() + text[1:]


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


def stands_alone(line: str) -> bool:
    """Whether a reader who was not there can understand the line.

    It is a whole sentence with a subject of its own, and points at little that only the session
    shows.
    """
    found = words(line)
    pointing = sum(word in _WORDS.pointing for word in found)
    return (
        found[0] not in _WORDS.pointing
        and found[0] not in _WORDS.rest
        and pointing <= max(1, len(found) // 8)
        and len(content(found)) >= SUBJECT_WORDS
        and not _RE.torn.search(line)
        if found
        else False
    )


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
_ING = re.compile(r"^([a-z]+?)([b-df-hj-np-tv-z])\2ing\b|^([a-z]+)ing\b", re.IGNORECASE)


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
    matched = _ING.match(text)
    if matched is None:
        return text
    doubled, letter, stem = matched.groups()
    base = doubled + letter if doubled else stem
    if base in _WORDS.with_e:
        base += "e"
    return base + text[matched.end() :]
