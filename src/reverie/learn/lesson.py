"""Lesson: a lasting statement in one general line, in the person's own words.

Nothing is invented: the line is the most lasting sentence of the turn without address, hedging
and politeness, a question that proposes something turned into the proposal.
"""

from reverie.learn.cues import Cues
from reverie.learn.statements import lasting, sentences
from reverie.learn.words import Said, content, pattern, words

LONGEST = 200
SUBJECT_WORDS = 4  # that carry a subject, in a line that stands alone

_LEAD = (
    r"^(?:(?:no|nope|nah|na|yes|yeah|yep|ok|okay|sure|right|alright|well|so|and|also|but|or|hmm+|"
    r"hm|huh|uh+|um+|eh+|emm|ah|oh|ugh|actually|wait|sorry|please|pls|hey|lol|btw|fyi|again|then|"
    r"basically|in fact|to be clear|as i said|one more thing|stop|hold on|hang on|if so|"
    r"stop for a second|q|question|note|wondering now|i mean|i meant|i guess)\b[\s,.:;!…—–-]*)+"
)
_HEDGE = (
    r"^(?:i (?:think|feel like|feel|believe|guess|would say|'d say)(?: that)?|imo|maybe|perhaps|"
    r"it would be (?:good|nice|better|great) (?:if we|to)|i would have thought(?: that)?|"
    r"i'?d (?:like|prefer|love) (?:us |you |it )?(?:to |if )?|i (?:want|need) (?:you |us )?to|"
    r"i (?:would like|prefer) (?:us |you )?to|(?:you|we) (?:should(?! be\b)|need to|must|have to)|"
    r"let'?s|lets|let us|we can just|we can|could we|can we|can you|could you|would you|"
    r"are we able to|should we|is it possible to|make sure (?:that )?(?:you |we )?|"
    r"don'?t forget to|remember to|please)\s+(?:just |please |maybe |also )*"
)
_TAIL = (
    r"[\s,]*(?:\b(?:please|pls|thanks|thank you|thx|ok|okay|right|yeah|hey|or|no|btw|though)\b)?"
    r"[\s?!.,:;)😅🤔🙏👍🙂-]*$"
)
_DOUBTED = r"^i don'?t think (we|you|they) "
_NOT = r"^not (?=[a-z]+ )"
_POINTING = frozenset(
    {"it", "this", "that", "these", "those", "them", "they", "here", "there", "it's", "that's"}
)
_KEPT_SUBJECT = r"^(?:you|we) (?:should|need to|must|have to)"


def lesson_of(own: Said, span: str, cues: Cues) -> str:
    """The one line; `span` is the fallback when no sentence states anything."""
    parts = [part for part in sentences(own.prose) if len(part.words) >= 2]
    best = max(parts, key=lambda part: lasting(part, cues), default=None)
    text = best.text if best is not None else span
    line = general(text)
    return line or general(span) or " ".join(span.split())[:LONGEST]


def general(sentence: str) -> str:
    """One sentence as a general line: capital first, full stop last, no address."""
    text = " ".join(sentence.split())
    if "(" in text[:1] and ")" not in text:
        text = text[1:]
    text = pattern(_LEAD).sub("", text)
    match = pattern(_HEDGE).match(text)
    if match and len(text) - match.end() >= 8:
        text = text[match.end() :]
        text = pattern(_LEAD).sub("", text)
        second = pattern(_HEDGE).match(text)
        if second and not pattern(_KEPT_SUBJECT).match(text) and len(text) - second.end() >= 8:
            text = text[second.end() :]
    text = pattern(_DOUBTED).sub(r"\1 don't ", text)
    text = pattern(_NOT).sub("do not ", text)
    text = pattern(_TAIL).sub("", text)
    if not text:
        return ""
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0] + "…"
    else:
        text += "."
    # A name that begins small ("iOS") keeps its letter.
    return text if text[1:2].isupper() else text[0].upper() + text[1:]


def stands_alone(line: str) -> bool:
    """Whether a reader who was not there can understand the line.

    It has a subject of its own, and points at little that only the session shows.
    """
    found = words(line)
    pointing = sum(word in _POINTING for word in found)
    return (
        found[0] not in _POINTING
        and pointing <= max(1, len(found) // 8)
        and len(content(found)) >= SUBJECT_WORDS
        if found
        else False
    )
