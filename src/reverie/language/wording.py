"""Phrasing: what does not change a lesson's meaning is taken off its words.

Case, politeness, singular and plural, tense, word order and the commonest synonyms of engineering
talk. The lists hold general words only; what they do not know is taken as a name.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Sort = Literal["word", "name", "number", "mark"]

_TOKEN = re.compile(
    r"`(?P<code>[^`\n]{1,80})`"
    r"|(?<!\w)[\"'](?P<quoted>[^\s\"']{1,60}?)[.,]?[\"'](?!\w)"
    r"|(?P<date>\d{4}-\d\d-\d\d)"
    r"|(?P<name>@[\w.-]*\w|(?<!\w)--?[a-zA-Z][\w-]*|https?://[^\s)>]+"
    r"|(?<!\w)(?:[\w.@~-]*/)+[\w.@-]*\w|\w*_\w*(?:\(\))?|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*"
    r"|[a-z]+(?:-[a-z0-9]+)*-\d+\w*|\w+\.[a-z]{1,4}\b(?!\.)|\.[a-z]\w+\b|v\d[\w.]*)"
    r"|(?P<number>\d+(?:[.,:]\d+)*\w{0,3})"
    r"|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)?\d*)"
    r"|(?P<mark>[,;.:!?—–()\n])"
)
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})

_NUMBER_TEXT = "two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(place) for place, word in enumerate(_NUMBER_TEXT.split(), 2)}

# Words that say nothing about the subject: grammar, politeness, and that it is a rule at all.
_EMPTY_TEXT = """
a an the and or of to in on at by for from with as is are was were be been being am it its this that
these those i you he she we they me us them my your our their yours ours i'm i'd i'll i've it's
that's let's we're we'll you're you'll do does did done doing have has had having will would can
could should shall may might must ought need needs want wants like also just only then so too very
there here what which who whom whose how all any each every both some such than more most much many
please pls kindly thanks thank always ever remember make makes made making sure ensure ensures
certain really actually simply basically now on onwards forward future going moving onward time
times here's ok okay yes well note rule rules convention conventions standard standards practice
guideline guidelines important importantly crucial essential key required requirement policy
generally usually typically normally possible whenever wherever when where if while per via into
onto within across upon under above below against between through about up out over off down
again still even though although however see longer anymore
get gets got give gives keep keeps kept way ways thing things stuff everything anything something
one ones someone everyone anyone team people folks work works working follow follows following
adopt apply applies applied implement implementing new updated update switch switched
transition consistent consistency consistently expect expects expected lets let go goes come
able same own yourself specific specifically particular regarding concerning related behind
prefer prefers preferred preference rather instead use uses used using utilize utilise utilizing
employ used choose chosen pick opt stick default defaults favour favor begin's currently today
first hereafter henceforth onward effective immediately learned lesson learnt
"""
# Words too general to tell two lessons apart on their own.
_LIGHT_TEXT = """
code coding codebase repo repository project program software file name call write run
do check set create add include put place leave handle start end take look read line
system part side case example value item list section level type kind style change
good better best clear clean proper correct right wrong bad great nice full whole entire real
step order point reason fact issue problem question help tool command data text string
app application service environment machine place statement block
pass access hit reach entry amount suite mention store save hide represent apply manager direct
"""
# Words of one meaning, the first stands for all.
_SYNONYM_TEXT = """
test spec testcase
database db
directory folder dir
function func fn procedure
argument parameter param arg
attribute property
repository repo codebase
environment env
production prod live
configuration config configure configured setting settings
documentation doc docs document
documented
dependency dependencies dep deps
authentication auth authenticate login
direct directly straight
delete remove drop erase
error failure exception
message msg
push pushing
merge merging
lint linter linting eslint-check
format formatter formatting reformat
annotation annotate annotated typehint hint
type-check typecheck typechecking
comment commenting
pr prs pull-request pullrequest
commit commits committing
build compile compiling
deploy deployment release ship rollout
staging stage
fast quick quickly
start begin launch
fail break crash
work function-correctly
confirm ask approval permission
explain describe
short brief concise terse succinct
long detailed lengthy
verify check validate
store save represent persist
edit modify touch alter change
master main
frontend front-end
backend back-end
javascript js
typescript ts
python py
postgresql postgres
kubernetes k8s
maximum max
minimum min
timeout time-out
username user-name
secret credential password
english-language english
reply respond response answer
summary summarise summarize
indent indentation indented
variable var
identifier id
information info
application app
administrator admin
specification spec-file
package library lib
container docker-container
branch branches
ticket issue-number
uppercase upper-case uppercased capitals
lowercase lower-case lowercased
camelcase camel-case
snakecase snake-case snake_case
pascalcase pascal-case
kebabcase kebab-case
docstring doc-string
"""
_PAIRS = re.compile(
    r"\b(upper|lower|camel|snake|pascal|kebab|title)[ -]case\b|\b(pull) request"
    r"|\b(type) (?:hint|check)|\b(front|back)[ -]end\b|\b(doc)[ -]strings?\b|\b(time)[ -]out\b",
    re.IGNORECASE,
)
_JOINED = {"pull": "pr", "type": "annotation", "doc": "docstring", "time": "timeout"}
_STYLES = frozenset({"upper", "lower", "camel", "snake", "pascal", "kebab", "title"})
_VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True)
class Token:
    """One word, name, number or mark of a lesson, with the root it is compared by."""

    text: str
    root: str
    sort: Sort


def _synonyms() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _SYNONYM_TEXT.strip().splitlines():
        words = line.split()
        for word in words:
            found[stemmed(word)] = stemmed(words[0])
            found[word] = stemmed(words[0])
    return found


def stemmed(word: str) -> str:
    """A word without its commonest English endings: `committing` and `commits` are `commit`."""
    if len(word) <= 3 or not word.isalpha() or word.endswith("ss"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    base = word
    if word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh")):
        base = word[:-2]
    elif word.endswith("s") and not word.endswith(("us", "is")):
        base = word[:-1]
    else:
        for ending in ("ing", "ed"):
            short = word.removesuffix(ending)
            if short != word and len(short) >= 3 and any(c in _VOWELS for c in short):
                doubled = short[-1] == short[-2] and short[-1] not in "ls"
                base = short[:-1] if doubled else short
                break
    return base.removesuffix("e") if len(base) > 3 else base


_SYNONYMS = _synonyms()
EMPTY = frozenset(_EMPTY_TEXT.split()) | {stemmed(word) for word in _EMPTY_TEXT.split()}


def root_of(word: str) -> str:
    """What a word is compared by: its stem, or the word that stands for its synonyms."""
    lower = word.lower()
    stem = stemmed(lower)
    return _SYNONYMS.get(lower) or _SYNONYMS.get(stem, stem)


LIGHT = frozenset(root for word in _LIGHT_TEXT.split() for root in (word, root_of(word)))


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a lesson in order; code in quotes is a name, prose in quotes is words."""
    found: list[Token] = []
    plain = _PAIRS.sub(_join, text.translate(_APOSTROPHES))
    for match in _TOKEN.finditer(plain):
        sort, value = match.lastgroup or "mark", match.group(match.lastgroup or 0)
        if sort == "date":
            continue
        if sort == "code":
            found += tokens(value) if " " in value else [_name(value)]
        elif sort in {"quoted", "name"}:
            found.append(_name(value))
        elif sort == "number":
            found.append(Token(value, value.replace(",", "").lower(), "number"))
        elif sort == "word":
            found.append(_word(value))
        else:
            found.append(Token(value, value, "mark"))
    return tuple(found)


def _name(value: str) -> Token:
    """A name keeps its letters; only ordinary words in quotes lose their endings."""
    if value.isdigit():
        return Token(value, value, "number")
    lower = value.lower().removesuffix("()")
    return Token(value, _SYNONYMS.get(lower, lower), "name")


def _word(value: str) -> Token:
    lower = value.lower()
    if lower in _NUMBERS:
        return Token(value, _NUMBERS[lower], "number")
    return Token(value, root_of(lower), "word")


def _join(match: re.Match[str]) -> str:
    first = next(group for group in match.groups() if group)
    lower = first.lower()
    if lower in _STYLES:
        return f"{first}case"
    return _JOINED.get(lower, f"{lower}end")
