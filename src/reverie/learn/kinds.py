"""Kinds: of which type and kind a lasting statement is, for whom it holds, whether it is a rule."""

import re
from collections.abc import Mapping

from reverie.learn.statements import MOST, sentences
from reverie.learn.words import Said

# DESIGN §5: kinds map to types.
TYPE_OF_KIND: Mapping[str, str] = {
    "error": "feedback",
    "best-practice": "feedback",
    "data-quirk": "project",
    "decision": "project",
    "command": "reference",
}

# A rule stands at the head of its sentence, or names the time to come. The same words inside a
# sentence ("it never returns") are reports.
_RULE_HEAD = re.compile(
    r"\W*(?:(?:please|and|also|but|so|no|ok|okay|yes|again|note|rule)\b[\s,:]*)*"
    r"(?:always|never|from now on|going forward|in (?:the )?future\b,?|(?:don'?t|do not) ever|"
    r"remember (?:to|that)|whenever|every time|each time|next time|as a rule|for future reference|"
    r"in this (?:repo|repository|project|codebase)|"
    r"(?:we|i|you) (?:must |should )?(?:always|never)|you must (?:not )?)\b",
    re.IGNORECASE,
)
_RULE_TIME = re.compile(
    r"\b(?:from now on|going forward|for future reference|in future sessions|for all future|"
    r"in (?:all|every|any) (?:my |our )?(?:repos|repositories|projects?))\b",
    re.IGNORECASE,
)
_RULE_WORDS = 60  # a longer sentence is a report or a paste
_COMMAND = re.compile(r"(?:^|\b(?:run|use|with)\s+)`[^`\n]{3,80}`|^\s*\$ \S+", re.MULTILINE)
_QUIRK = re.compile(
    r"\b(?:is|are|has|have|keeps?|uses?|does|doesn'?t|does not|isn'?t|aren'?t|can'?t|comes?|"
    r"lives?|contains?|returns?|supports?|there(?:'s| is| are))\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:let'?s|we (?:should|need|want|can|will|could|must|don'?t need)|should|must|rename|"
    r"call it|named?|keep|go with|use|instead of|rather than|i (?:think|like|want|prefer|feel)|"
    r"i'd (?:like|prefer|rather)|option|remove|drop|get rid|deprecat\w+|no need|don'?t need|"
    r"too much|separate|for now|later)\b",
    re.IGNORECASE,
)
_PRACTICE = re.compile(
    r"\b(?:tests?|lint\w*|commit\w*|push\w*|review\w*|format\w*|comments?|docs?|document\w*|"
    r"changelog|readme|spell\w*|style|naming|duplicat\w+|reuse|refactor\w*|branch\w*|pr|prs|"
    r"pull requests?|always|never|every|make sure|ensure|avoid|reply|log|checks?|mock\w*|"
    r"expectations?|convention|sleep\w*|literal)\b",
    re.IGNORECASE,
)
_MISTAKE = re.compile(
    r"\b(?:you (?:forgot|missed|broke|removed|deleted|changed|made|keep|did|didn'?t|have|"
    r"shouldn'?t)|we missed|made (?:it |that )?up|make it up|not what i|wrong|why did you|"
    r"don'?t (?:touch|edit|stash|delete|push|commit)|do not (?:touch|edit|stash|delete|push))\b",
    re.IGNORECASE,
)
_GLOBAL = re.compile(
    r"\b(?:i (?:always|never|prefer|hate|like to)|in (?:all|any|every) (?:my |our )?(?:repos?|"
    r"projects?)|all my (?:repos|projects)|everywhere|in general|for all projects|my preference|"
    r"as a rule i|whenever you|any project|when(?:ever)? you (?:write|make|work|answer|commit))\b",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:i am an? |i'm an? |my (?:name|role|job|team|timezone|editor|machine)|call me|i work )",
    re.IGNORECASE,
)
_CONFIRMS = re.compile(
    r"\b(?:exactly (?:right|what|like)|perfect|good (?:call|approach|idea|thinking|job)|"
    r"(?:great|nice|excellent) (?:approach|idea|call|work|job|solution)|love (?:it|this|that)|"
    r"keep (?:doing|it (?:like|that way))|that(?:'s| is) the (?:right|way)|well done|"
    r"i like (?:this|that|the|how|your)|much better|works (?:great|perfectly))\b",
    re.IGNORECASE,
)


def kind_of(own: Said, explicit: bool) -> str:
    """The closest kind, by what the words are about."""
    prose = own.prose
    if _COMMAND.search(prose) and len(own.words) <= 12 and not _DECISION.search(prose):
        return "command"
    if explicit and _MISTAKE.search(prose):
        return "error"
    decides = len(_DECISION.findall(prose))
    practice = len(_PRACTICE.findall(prose))
    if practice > decides or (practice and practice == decides and len(own.words) < 30):
        return "best-practice"
    if decides:
        return "decision"
    return "data-quirk" if _QUIRK.search(prose) else "decision"


def type_of(kind: str, own: Said) -> str:
    """The memory type: what is about the person is `user`, the rest follows the kind."""
    return "user" if _PERSONAL.search(own.prose) else TYPE_OF_KIND[kind]


def is_global(own: Said) -> bool:
    """Whether it holds in every project: said of the person or of all their work."""
    return bool(_GLOBAL.search(own.prose) or _PERSONAL.search(own.prose))


def is_standing(own: Said) -> bool:
    """Whether it is stated as a rule, so that one saying is enough."""
    return any(
        not sentence.question
        and 3 <= len(sentence.words) <= _RULE_WORDS
        and bool(_RULE_HEAD.match(sentence.text) or _RULE_TIME.search(sentence.text))
        for sentence in sentences(own.prose)[:MOST]
    )


def confirms(own: Said) -> bool:
    """Whether it endorses how something was done, beyond a plain yes."""
    return bool(_CONFIRMS.search(own.prose)) and "?" not in own.words[-1:]
