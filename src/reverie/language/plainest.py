"""Phrasings: a remark in its plainest form, so that a comparison of words sees what it says."""

import re
from functools import lru_cache

# "You mocked the database again", "Float amounts again": what was done and should not have been.
_DID = re.compile(
    r"^(?:you|u)(?: just| have|'ve)? (?!forgot|miss|skip|need)\w+ed (.{2,60}?)(?: again)?[.!]*$",
    re.I,
)
_TAKE = r"drop|remove|strip|omit|ditch|abandon|get rid of|stop using|leave out|take out"
_AGAIN = re.compile(
    r"^(?!(?:run|try|do|check|build|test|start|look|read|deploy|push|same|it|this|that|here|once|not|"
    r"and|no)\b)((?:[^\s,.]+ ){0,4}?[^\s,.]+) again[.!]*$",
    re.I,
)
# What is said around a rule, and forms that a comparison of words would take for another rule.
_PLAINER: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(
        r"^(?:(?:i (?:already )?(?:told|said)(?: to)?(?: you)?(?: already| before)?(?: that)?|"
        r"as i (?:said|mentioned|told you)(?: before)?|remember(?: that)?|fyi|note that|"
        r"our convention|you (?:named|got|did) (?:it|that) wrong|once more|like i said|"
        r"(?:the|our) (?:rule|convention) is(?: that)?)\b[\s,:—–-]*)+", re.I), ""),
    (re.compile(r"[\s,]*\b(?:as i said|like i said|i told you|as always|as agreed)\b[\s.]*$", re.I),
     ""),
    (re.compile(
        r"\b(?:i (?:really )?(?:don'?t|do not) want (?:you|us|anyone) to|(?:you|we|they) "
        r"(?:(?:must|should|shall|may|can)(?:n'?t| ?not)|don'?t|do not|never))\b", re.I), "do not"),
    (re.compile(
        r"^(\w+ing\b.{2,60}?) (?:is|are) (?:not (?:allowed|ok|okay|permitted)|forbidden|"
        r"prohibited|banned|off limits|a no-go)\b", re.I), r"avoid \1"),
    (re.compile(r"\b(?:prefer|choose|pick|favou?r|take)\s+(.{2,40}?)\s+over\s+", re.I),
     r"use \1 instead of "),
    # A complaint about what was done rules it out.
    (_DID, r"avoid \1"),
    (_AGAIN, r"avoid \1"),
    # … and so does asking for it to be taken away.
    (re.compile(
        rf"^([^,]{{3,60}}), (?:please )?(?:{_TAKE}|leave) (?:them|it|that)(?: out)?\b", re.I),
     r"avoid \1"),
    (re.compile(
        rf"\b(?:{_TAKE})(?: out)? (?:the |all |any |that |this |those |our )?(?!out\b)", re.I),
     "avoid "),
    (re.compile(r"\bleave (.{2,40}?) (?:alone|as (?:it|they) (?:is|are)|untouched)\b", re.I),
     r"do not touch \1"),
    (re.compile(
        r"\bwe(?:'ve| have)? (?:dropped|removed|retired|abandoned|deprecated|got rid of) "
        r"(?:the |our )?([^,.;]{2,30})", re.I), r"not \1"),
    (re.compile(
        r"\b(?:moved?|switch(?:ed)?|migrated?|changed?|went) (?:over )?from (.{2,30}?) to "
        r"([\w./@+-]+)", re.I), r", use \2, not \1,"),
    (re.compile(
        r"^([\w./@+-]+) again[,:]? (?:please )?(?:replace|swap) (?:it|that) (?:with|by|for) ",
        re.I), r"not \1, use "),
    (re.compile(
        r"[,;]? *\b(?:the )?([\w./@+-]+) (?:is|are|was|were|has been|got) (?:gone|deprecated|"
        r"removed|dropped|retired|obsolete|(?:switched|turned) off|no longer (?:used|allowed))\b",
        re.I), r", not \1,"),
    (re.compile(r"\b(?:is|are|gets?) done (?:with|by|in)\b", re.I), "use"),
    (re.compile(r"\b(?:we )?(?:always )?(?:go(?:es)? (?:with|through)|stick (?:to|with)|rely on)\b",
                re.I), "use"),
    (re.compile(r"\bswitch (.{2,40}?) over to\b", re.I), r"for \1 use"),
    (re.compile(r"\breplac(?:e|ing) (?:the |all |any )?(.{2,30}?) (?:by|with) ", re.I),
     r"use instead of \1, "),
    (re.compile(r"\b(?:respond|answer)\b", re.I), "reply"),
    (re.compile(r"\b([A-Za-z][\w-]+)\.(?:md|txt)\b"), r"\1"),
    (re.compile(
        r",? (?:because |since |as )?we (?:don'?t|do not|no longer) (?:use|want|have|like) "
        r"([\w./@-]+)(?: here| any ?more)?(?=[.!,]|$)", re.I), r", not \1"),
    (re.compile(
        r",?\s+(?:instead of|rather than|and not|not)\s+([\w./@-]+)\s+((?:for|in|when|on)\b[^,]+?)"
        r"[.!]?$", re.I), r" \2, not \1"),
)  # fmt: skip

_NUMBERS: dict[str, str] = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "twelve": "12",
}  # fmt: skip
_NUMBER = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b", re.I)


@lru_cache(maxsize=8192)
def plainly(text: str) -> str:
    """The text without what is said around it, usual turns of phrase in their plainest form."""
    plain = text
    for form, word in _PLAINER:
        plain = form.sub(word, plain)
    return _NUMBER.sub(lambda match: _NUMBERS[match[0].lower()], plain) or text


def is_complaint(text: str) -> bool:
    """Whether it only says what was done wrong, not what is wanted."""
    return bool(_DID.match(text) or _AGAIN.match(text))
