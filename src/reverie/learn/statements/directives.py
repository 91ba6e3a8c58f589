"""Directives: a sentence that tells someone what to do, as a plain order.

"I'd like you to get into the habit of adding a changelog entry to every pull request" becomes "Add
a changelog entry to every pull request." What tells nothing to do, or nothing in particular, is
none: reasons, praise, "follow our standards".
"""

from collections.abc import Sequence

from reverie.data import patterns, sections
from reverie.language.subjects import Thing, things
from reverie.language.wording import EMPTY, LIGHT, tokens
from reverie.language.words import pattern
from reverie.learn.statements.lesson import general

_PATTERNS = patterns("statements.txt", "directives")
_SEQUENCE = _PATTERNS["sequence"]
_TIME = _PATTERNS["time"]
_OPENING = rf"^(?:(?:{_SEQUENCE}|{_TIME})\b[\s,:;.—–-]*)+"
_ADDRESS = _PATTERNS["address"]
_ABOUT = _PATTERNS["about"]
_WISH = _PATTERNS["wish"]
_HABIT = _PATTERNS["habit"]
_IMPORTANT = _PATTERNS["important"]
_WE_WANT = r"(?:we(?: now| also| all)? (?:want|need|like|prefer|have|agreed|decided) to )"
_DUTY = _PATTERNS["duty"]
_WILL = _PATTERNS["will"]
_WE = _PATTERNS["we"]
_EMPHASIS = _PATTERNS["emphasis"]
_STRESSED = _PATTERNS["stressed"]
_LEAD = _PATTERNS["lead"]
_LED = rf"^(?:{_LEAD})[^,]{{2,90}}, "
_VERBS_TEXT = sections("statements.txt")["directives.verbs"]
_VERBS = frozenset(_VERBS_TEXT.split())
# What people also say of a piece of work: a rule only with a word of lasting, or something exact.
_OF_WORK_TEXT = sections("statements.txt")["directives.of_work"]
_OF_WORK = frozenset(_OF_WORK_TEXT.split())
LASTING = _PATTERNS["lasting"]
_IMPERATIVE = (
    rf"^(?:{_LED[1:]})?(?:(?:always|never|only|also|please|just|simply|do not|"
    rf"don't|to|"
    r"not|explicitly|consistently)\s+)*(?P<verb>[a-z]+)\b"
)
_DUTIFUL = _PATTERNS["dutiful"]
_WISHED_FOR = _PATTERNS["wished_for"]
_WRAPPINGS = (
    _OPENING, _WISH, _WE_WANT, _IMPORTANT, _WILL, _HABIT, _DUTY, _WE, _HABIT, _OPENING,
)  # fmt: skip
# Words that make nothing particular: "follow our coding standards", "keep code clean".
_VAGUE_TEXT = sections("statements.txt")["directives.vague"]
_VAGUE = frozenset(token.root for token in tokens(_VAGUE_TEXT)) | frozenset(_VAGUE_TEXT.split())
_CLASS = _PATTERNS["class"]
_POINTING = _PATTERNS["pointing"]

_JOINT = _PATTERNS["joint"]
_MEANT = r"\b(?:them|the names?|the identifiers?|their names?)(?=[\s.,;]|$)"
# "Statement" tells little between lessons, but a kind of statement is something in code.
_SLIGHT = LIGHT - {"statement"}
_CODE = r"[_@()*]|^--?\w|\.\w"


def directives_in(sentence: str, spoken_of: Sequence[Thing] = ()) -> list[str]:
    """The orders about classes of things in code in a sentence, each as a line of its own.

    `spoken_of` is what "them" and "the name" mean.
    """
    whole, wished = _bared(" ".join(sentence.split()))
    found: list[str] = []
    lasting = bool(pattern(LASTING).search(sentence))
    for part in pattern(_JOINT).split(whole):
        bare = _resolved(_imperative(part) if wished else part, spoken_of)
        line = _directive(bare, wished, lasting)
        if line:
            found.append(line)
    return found


def _resolved(line: str, spoken_of: Sequence[Thing]) -> str:
    """The line with the thing a pronoun means put in its place, where the line has none."""
    named = [thing for thing in spoken_of if thing.named]
    if not named or things(tokens(line)):
        return line
    return pattern(_MEANT).sub(f"{named[-1].phrase} names", line, count=1)


def _directive(line: str, wished: bool, lasting: bool) -> str:
    if pattern(_POINTING).search(line):
        return ""
    told = pattern(_DUTIFUL).match(line) or (wished and pattern(_WISHED_FOR).match(line))
    if not told and not _is_order(line, lasting):
        return ""
    if not _is_particular(line):
        return ""
    return general(line)


def _bared(text: str) -> tuple[str, bool]:
    """The sentence without opening, address and the wish around it; whether there was a wish."""
    line = pattern(_ADDRESS).sub("", text)
    line = pattern(_OPENING).sub("", line)
    line = pattern(_ABOUT).sub("", line)
    _, colon, rest = line.partition(": ")
    if colon and len(rest.split()) >= 4:
        line = pattern(_OPENING).sub("", rest)
    lead = ""
    led = pattern(_LED).match(line)
    if led:
        lead, line = led.group(), line[led.end() :]
    wished = False
    for part in _WRAPPINGS:
        matched = pattern(rf"^(?:{part})").match(line)
        if matched and len(line) - matched.end() >= 8:
            line = line[matched.end() :]
            wished = wished or part is not _OPENING
    stressed = pattern(_EMPHASIS).match(line)
    if stressed and pattern(_STRESSED).search(stressed.group()):
        line, wished = _ordered(line[stressed.end() :], stressed.group()), True
    return lead + line, wished


def _ordered(rest: str, stressed: str) -> str:
    """ "the use of comments" as "use comments"; "the habit of adding tests" stays to be turned."""
    first = rest.removeprefix("always ").split(" ", 1)[0].lower()
    if first in _VERBS or (first.endswith("ing") and _base(first) in _VERBS):
        return rest
    return f"{'include' if 'inclusion' in stressed or 'addition' in stressed else 'use'} {rest}"


def _imperative(line: str) -> str:
    """ "always adding tests" as "always add tests"."""
    led = pattern(_LED).match(line)
    lead = led.group() if led else ""
    words = line[len(lead) :].split(" ")
    for place, word in enumerate(words[:3]):
        base = _base(word.lower())
        if word.lower().endswith("ing") and base in _VERBS:
            words[place] = base
            break
        if word.lower() not in {"always", "never", "also", "consistently", "not"}:
            break
    return lead + " ".join(words)


def _base(word: str) -> str:
    """The verb of an -ing form, when it is a known one."""
    stem = word.removesuffix("ing")
    for form in (stem, stem + "e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem):
        if form in _VERBS:
            return form
    return word


def _is_order(line: str, lasting: bool) -> bool:
    matched = pattern(_IMPERATIVE).match(line)
    if matched is None or (verb := matched.group("verb").lower()) not in _VERBS:
        return False
    return lasting or verb not in _OF_WORK or any(token.sort == "name" for token in tokens(line))


def _is_particular(line: str) -> bool:
    """Whether it names a class of things or something exact, and says something of its own."""
    found = tokens(line)
    kinds = things(found)
    exact = any(
        token.sort == "name" and (kinds or pattern(_CODE).search(token.text)) for token in found
    )
    if not exact and not pattern(_CLASS).search(line):
        return False
    of = {token.root for thing in kinds for token in found[thing.start : thing.end]}
    return exact or any(
        token.sort == "word"
        and token.root not in of
        and token.root not in _VAGUE
        and token.text.lower() not in _VAGUE
        and token.text.lower() not in EMPTY
        and token.root not in EMPTY
        and token.text.lower() not in _VERBS
        and token.root not in _SLIGHT
        for token in found
    )
