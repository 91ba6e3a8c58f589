"""Lesson: a lasting statement in one general line, in the person's own words.

Nothing is invented: the line is the most lasting sentence of the turn without address, hedging
and politeness, a question that proposes something turned into the proposal.
"""

from reverie.language.words import Said, content, pattern, words
from reverie.learn.detect.cues import Cues
from reverie.learn.statements.lasting import lasting, sentences

LONGEST = 200
TRIED = 3  # of the most lasting sentences
NEAR = 1.5  # how much less lasting a sentence may be that stands alone
SUBJECT_WORDS = 4  # that carry a subject, in a line that stands alone

# Words before which "no" answers; behind any other it forbids ("no mocks") or belongs to the word.
_ANSWERED = (
    r"(?:it|it's|its|that|that's|this|these|those|we|you|i|i'm|i'd|the|an?|he|they|there|just|only|"
    r"use|do|don't|dont|please|pls|not|no|wait|stop|but|and|because|actually|let's|lets|keep|make|"
    r"put|run|add|write|try|go|instead|always|never|in|on|for|to|my|our|your|so|as|if|when|what|is|"
    r"are|was|with|really|still|all|everything|of|thanks|thank|remove|revert|rename|change|move|"
    r"replace|should|must|can|could)\b"
)
_KEPT = r"(?:need|problem|worries|idea|longer|one|way|clue|doubt|matter|such)\b"
# "No tests again", "no docs are there": something is missing, and nothing forbidden.
_MISSED = r"[^,.;:!?—–]*\b(?:again|yet|found|there|was|were|is|are|has|have)\b"
_BAN = (
    r"^(?:stop\s+(?=[a-z]+ing\b)|no\s+(?=[a-z]+ing\b)|"
    rf"no (?:more )?(?!{_ANSWERED}|{_KEPT}|{_MISSED})(?=[a-z]))"
)
_LEAD = (
    rf"^(?:(?:no(?=\W*$|\s*[,.:;!…—–-]|\s+{_ANSWERED})|stop(?!\s+[a-z]+ing\b)|"
    r"nope|nah|na|yes|yeah|yep|ok|okay|sure|right|alright|well|so|and|also|but|or|hmm+|"
    r"hm|huh|uh+|um+|eh+|emm|ah|oh|ugh|actually|wait|sorry|please|pls|hey|lol|btw|fyi|again|then|"
    r"basically|in fact|to be clear|as i said|one more thing|hold on|hang on|if so|"
    r"(?:stop |wait )?for a second|to answer your question|my point is|q|question|note|"
    r"wondering now|i mean|i meant|i guess)\b[\s,.:;!…—–-]*)+"
)
_NUMBERED = r"^(?:\d{1,2}|[a-zA-Z])[.)]\s+"
_HEDGE = (
    r"^(?:i (?:think|feel like|feel|believe|guess|would say|'d say)(?: that)?|imo|maybe|perhaps|"
    r"it would be (?:good|nice|better|great) (?:if we|to)|i would have thought(?: that)?|"
    r"i'?d (?:like|prefer|love) (?:us |you |it )?(?:to |if )?|i (?:want|need) (?:you |us )?to|"
    r"i (?:would like|prefer) (?:us |you )?to|(?:you|we) (?:should(?! be\b)|need to|must|have to)|"
    r"let'?s|lets|let us|we can just|we can|could we|can we|can you|could you|would you|"
    r"are we able to|should we|is it possible to|make sure (?:that )?(?:you |we )?|"
    r"don'?t forget to|remember to|please)\s+(?:just |please |maybe |also )*"
)
# "…, right" and "… right?" ask for a nod; "the code is right" does not.
_TAIL = (
    r"(?:[\s,]*\b(?:please|pls|thanks|thank you|thx|btw|though|or)\b|"
    r",\s*(?:ok|okay|right|yeah|hey|no)\b|\s+(?:ok|okay|right|yeah|hey|no)(?=\s*\?)|"
    r"(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bbe)(?<!\bnot)\s+right\b)?"
    r"(?:\s*:-?[()|])?[\s?!.,:;|😅🤔🙏👍🙂😂😭-]*$"
)
_DOUBTED = r"^i don'?t think (we|you|they) "
_NOT = (
    r"^not (?!(?:sure|as|a|an|the|only|just|yet|really|quite|even|in|on|for|from|to|with|by|at|"
    r"all|every|any|that|what|this|much|many|enough|good|correct|true|clear|convinced)\b)"
    r"(?=[a-z]+ )"
)
_TORN = r'\\"|^[^"]*"[^"]*$'  # out of a quotation
# A line that begins like this is the rest of a sentence.
_REST = frozenset(
    {"which", "who", "whose", "whom", "than", "because", "might", "may", "was", "were", "has",
     "is", "are", "will", "would", "could", "looking", "consider", "following", "why", "what"}
)  # fmt: skip
_POINTING = frozenset(
    {"it", "this", "that", "these", "those", "them", "they", "here", "there", "it's", "that's"}
)
_NAME = r"^\w+[./_]\w"
_KEPT_SUBJECT = r"^(?:you|we) (?:should|need to|must|have to)"


def lesson_of(own: Said, span: str, cues: Cues) -> str:
    """The one line; `span` is the fallback when no sentence states anything."""
    parts = [part for part in sentences(own.prose) if len(part.words) >= 2]
    weighed = sorted(((lasting(part, cues), part.text) for part in parts), key=lambda w: -w[0])
    lines = [(weight, general(text)) for weight, text in weighed[:TRIED]]
    for weight, line in lines:
        if weight < weighed[0][0] - NEAR or _POINTING.intersection(words(line)[:1]):
            break  # what it points at may be the line it speaks against
        # A little less lasting but whole is worth more than the rest of a sentence.
        if stands_alone(line):
            return line
    best = lines[0][1] if lines else ""
    return best or general(span) or " ".join(span.split())[:LONGEST]


def forbidding(text: str) -> str:
    """ "No emojis", "could you stop adding comments" as "avoid …"; any other text as it is."""
    bare = pattern(_LEAD).sub("", text)
    hedged = pattern(_HEDGE).match(bare)
    bare = pattern(_LEAD).sub("", bare[hedged.end() :]) if hedged else bare
    return pattern(_BAN).sub("avoid ", bare) if pattern(_BAN).match(bare) else text


def general(sentence: str) -> str:
    """One sentence as a general line: capital first, full stop last, no address."""
    text = _unwrapped(" ".join(sentence.split()))
    text = pattern(_LEAD).sub("", pattern(_NUMBERED).sub("", text))
    match = pattern(_HEDGE).match(text)
    if match and len(text) - match.end() >= 8:
        text = text[match.end() :]
        text = pattern(_LEAD).sub("", text)
        second = pattern(_HEDGE).match(text)
        if second and not pattern(_KEPT_SUBJECT).match(text) and len(text) - second.end() >= 8:
            text = text[second.end() :]
    text = pattern(_BAN).sub("avoid ", text)
    text = pattern(_DOUBTED).sub(r"\1 don't ", text)
    text = pattern(_NOT).sub("do not ", text)
    text = pattern(_TAIL).sub("", text)
    if not text:
        return ""
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0] + "…"
    else:
        text += ")" * max(0, text.count("(") - text.count(")")) + "."
    # A name that begins small ("iOS", "make.conf", "src/main") keeps its letter.
    named = text[1:2].isupper() or pattern(_NAME).match(text)
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
    pointing = sum(word in _POINTING for word in found)
    return (
        found[0] not in _POINTING
        and found[0] not in _REST
        and pointing <= max(1, len(found) // 8)
        and len(content(found)) >= SUBJECT_WORDS
        and not pattern(_TORN).search(line)
        if found
        else False
    )
