"""Kinds: of which type and kind a lasting statement is, for whom it holds, whether it is a rule."""

from collections.abc import Mapping

from reverie.language.words import Said, pattern
from reverie.learn.statements.lasting import MOST, sentences

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
_RULE_HEAD = (
    r"\W*(?:(?:please|and|also|but|so|no|ok|okay|yes|again|note|rule)\b[\s,:]*)*"
    r"(?:always|never|from now on|going forward|in (?:the )?future\b,?|(?:don'?t|do not) ever|"
    r"remember (?:to|that)|whenever|every time|each time|next time|as a rule|for future reference|"
    r"in this (?:repo|repository|project|codebase)|"
    r"(?:we|i|you) (?:must |should )?(?:always|never)|you must (?:not )?)\b"
)
_RULE_TIME = (
    r"\b(?:from now on|going forward|for future reference|in future sessions|for all future|"
    r"in (?:all|every|any) (?:my |our )?(?:repos|repositories|projects?))\b"
)
_COMMAND_WORDS = 12
_RULE_WORDS = 60  # a longer sentence is a report or a paste
_COMMAND = r"(?:^|\b(?:run|use|with)\s+)`[^`\n]{3,80}`|^\s*\$ \S+"
_QUIRK = (
    r"\b(?:is|are|has|have|keeps?|uses?|does|doesn'?t|does not|isn'?t|aren'?t|can'?t|comes?|"
    r"lives?|contains?|returns?|supports?|there(?:'s| is| are))\b"
)
_DECISION = (
    r"\b(?:let'?s|we (?:should|need|want|can|will|could|must|don'?t need)|should|must|rename|"
    r"call it|named?|keep|go with|use|instead of|rather than|i (?:think|like|want|prefer|feel)|"
    r"i'd (?:like|prefer|rather)|option|remove|drop|get rid|deprecat\w+|no need|don'?t need|"
    r"too much|separate|for now|later)\b"
)
_PRACTICE = (
    r"\b(?:tests?|lint\w*|commit\w*|push\w*|review\w*|format\w*|comments?|docs?|document\w*|"
    r"changelog|readme|spell\w*|style|naming|duplicat\w+|reuse|refactor\w*|branch\w*|pr|prs|"
    r"pull requests?|always|never|every|make sure|ensure|avoid|reply|log|checks?|mock\w*|"
    r"expectations?|convention|sleep\w*|literal)\b"
)
_MISTAKE = (
    r"\b(?:you (?:forgot|missed|broke|removed|deleted|changed|made|keep|did|didn'?t|have|"
    r"shouldn'?t)|we missed|made (?:it |that )?up|make it up|not what i|wrong|why did you|"
    r"don'?t (?:touch|edit|stash|delete|push|commit)|do not (?:touch|edit|stash|delete|push))\b"
)
_GLOBAL = (
    r"\b(?:i (?:always|never|prefer|hate|like to)|in (?:all|any|every) (?:my |our )?(?:repos?|"
    r"projects?)|all my (?:repos|projects)|everywhere|in general|for all projects|my preference|"
    r"as a rule i|whenever you|any project|when(?:ever)? you (?:write|make|work|answer|commit))\b"
)
_PERSONAL = (
    r"\b(?:i am an? |i'm an? |my (?:name|role|job|team|timezone|editor|machine)|call me|i work )"
)
_CONFIRMS = (
    r"\b(?:exactly (?:right|what|like)|perfect|good (?:call|approach|idea|thinking|job)|"
    r"(?:great|nice|excellent) (?:approach|idea|call|work|job|solution)|love (?:it|this|that)|"
    r"keep (?:doing|it (?:like|that way))|that(?:'s| is) the (?:right|way)|well done|"
    r"i like (?:this|that|the|how|your)|much better|works (?:great|perfectly))\b"
)


def kind_of(own: Said, explicit: bool) -> str:
    """The closest kind, by what the words are about."""
    prose = own.prose
    decides = len(pattern(_DECISION).findall(prose))
    if not decides and len(own.words) <= _COMMAND_WORDS and pattern(_COMMAND).search(prose):
        return "command"
    if explicit and pattern(_MISTAKE).search(prose):
        return "error"
    practice = len(pattern(_PRACTICE).findall(prose))
    if practice > decides or (practice and practice == decides and len(own.words) < 30):
        return "best-practice"
    if decides:
        return "decision"
    return "data-quirk" if pattern(_QUIRK).search(prose) else "decision"


def type_of(kind: str, own: Said) -> str:
    """The memory type: what is about the person is `user`, the rest follows the kind."""
    return "user" if pattern(_PERSONAL).search(own.prose) else TYPE_OF_KIND[kind]


def is_global(own: Said) -> bool:
    """Whether it holds in every project: said of the person or of all their work."""
    return bool(pattern(_GLOBAL).search(own.prose) or pattern(_PERSONAL).search(own.prose))


def is_standing(own: Said) -> bool:
    """Whether it is stated as a rule, so that one saying is enough."""
    return any(
        not sentence.question
        and 3 <= len(sentence.words) <= _RULE_WORDS
        and bool(
            pattern(_RULE_HEAD).match(sentence.text) or pattern(_RULE_TIME).search(sentence.text)
        )
        for sentence in sentences(own.prose)[:MOST]
    )


def confirms(own: Said) -> bool:
    """Whether it endorses how something was done, beyond a plain yes."""
    return bool(pattern(_CONFIRMS).search(own.prose)) and "?" not in own.words[-1:]
