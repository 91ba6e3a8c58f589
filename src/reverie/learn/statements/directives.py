"""Directives: a sentence that tells someone what to do, as a plain order.

"I'd like you to get into the habit of adding a changelog entry to every pull request" becomes "Add
a changelog entry to every pull request." What tells nothing to do, or nothing in particular, is
none: reasons, praise, "follow our standards".
"""

from collections.abc import Sequence

from reverie.language.subjects import Thing, things
from reverie.language.wording import EMPTY, LIGHT, tokens
from reverie.language.words import pattern
from reverie.learn.statements.lesson import general

_SEQUENCE = (
    r"also|additionally|and|then|so|now|likewise|similarly|next|first and foremost|first(?:ly)?|"
    r"second(?:ly)?|third(?:ly)?|finally|lastly|last|furthermore|moreover|in addition|plus|again|"
    r"great|good|excellent|perfect|exactly|absolutely|right|correct|yes|no|well|okay|ok|sure|"
    r"indeed|of course|instead|however|but|besides|meanwhile|as always|(?:one more|another) "
    r"thing(?=[,:])|remember(?=,)|specifically|just|simply|as (?:i|we) (?:said|mentioned|"
    r"discussed)|as (?:a|another) (?:reminder|rule|final note)|on (?:another|a different|a "
    r"related) note"
)
_TIME = (
    r"from now on(?:wards?)?|from here on(?: out)?|going forward|moving forward|in (?:the )?future|"
    r"from this point(?: on(?:wards?)?| forward)?|henceforth|starting (?:now|today)|as of (?:now|"
    r"today)"
)
_OPENING = rf"^(?:(?:{_SEQUENCE}|{_TIME})\b[\s,:;.—–-]*)+"
_ADDRESS = (
    r"^[A-Z][a-z]+, (?=(?:i|we|you|please|from|going|moving|when|always|never|let|start|end)\b)"
)
_ABOUT = (
    r"^(?:(?:to that end|to (?:maintain|ensure|improve|keep|help|make|avoid|promote)|regarding|"
    r"concerning|as for|moving on to|turning to|onto|on to|speaking of|when it comes to|in terms "
    r"of|with (?:regard|respect) to|shifting gears|as (?:we|you) \w+)\b[^,:]{0,90}[,:] )"
)
_WISH = (
    r"(?:(?:i|we)(?:'d| would|'ll|'m|'re| am| are| will)?(?: \w+ly| also| just| now| still)? "
    r"(?:want|need|like|expect|prefer|ask|asking|require|requiring|recommend|suggest|encourage|"
    r"advise|request|requesting|insist)(?:ing)?(?: that)? (?:you|us|everyone|we|everybody|all of "
    r"you)(?: all)?(?: to)?(?: now| also| please)? )"
)
_HABIT = (
    r"(?:(?:please )?(?:get (?:in|into) the habit of|make it a habit to|make a habit of|(?:start|"
    r"begin|focus on)(?= (?:always )?\w+ing\b)|make sure|be sure|ensure|(?:always )?remember|"
    r"don't forget|take care|keep in mind|adopt the (?:habit|practice) of)(?: that)?(?: "
    r"you(?:'re)?| we(?:'re)?)?(?: to| are)? )"
)
_IMPORTANT = (
    r"(?:(?:it's|it is) (?:\w+ly )?(?:important|crucial|essential|vital|imperative|necessary|"
    r"mandatory|required|best|good practice)(?: that (?:you|we)| to| for (?:you|us) to) )"
)
_WE_WANT = r"(?:we(?: now| also| all)? (?:want|need|like|prefer|have|agreed|decided) to )"
_DUTY = (
    r"(?:(?:you|we|everyone)(?: \w+ly)? (?:should|must|need to|have to|will(?: be)?|ought to)|"
    r"let's) "
)
_WILL = (
    r"(?:we(?:'re| are|'ll be| will be|'ve (?:been|started)| have been)(?: now| all)? )(?=\w+ing\b)"
)
_WE = (
    r"we(?: now| all)? (?=(?:always|never|use|start|end|begin|add|include|write|name|prefix|"
    r"import)\b)"
)
_EMPHASIS = (
    r"^.{0,90}?\b(?:(?:the )?(?:importance|practice|habit|value|adoption) of (?=\w+ing\b)|(?:the "
    r")?(?:use|usage|inclusion|addition) of (?:the )?|(?:convention|standard|rule|practice|"
    r"guideline|requirement|thing|way|point|aspect)s?\b[^.]{0,40}? is (?:that (?:i|we) (?:want|"
    r"need) (?:you|us) to |that (?:you|we) |to )?(?:start )?(?=(?:always )?(?:\w+ing|add|use|"
    r"include|import|name|write|start|end|keep)\b))"
)
_STRESSED = (
    r"\b(?:emphasi[sz]\w*|stress|highlight|remind|focus|practice|things?|way|point|rule|"
    r"convention|standard|guideline|requirement|habit|aspect|want|like)\b"
)
_LEAD = (
    r"(?:when|whenever|while|if|for|in|before|after|on|with|during|within|at|inside|across|even if|"
    r"as you)\b"
)
_LED = rf"^(?:{_LEAD})[^,]{{2,90}}, "
_VERBS_TEXT = """
add include use utilize import write start end begin prefix suffix append prepend name call put keep
make avoid document annotate comment test run set wrap log handle return declare define format
indent sort group prefer check validate mark label decorate incorporate implement replace remove
place insert provide catch raise throw expose hide split merge rebase squash commit push pull deploy
ask answer explain pin lock cache store save read mock stub cover verify escape encode
sanitize sanitise initialize initialise instantiate inject pass apply attach bump tag release build
compile lint create open close delete drop disable enable allow skip limit cap retry rename
abbreviate capitalize capitalise convert store follow stick switch update change ensure leave
supply specify choose pick order precede conclude finish
"""
_VERBS = frozenset(_VERBS_TEXT.split())
# What people also say of a piece of work: a rule only with a word of lasting, or something exact.
_OF_WORK_TEXT = """
keep create set leave explain write follow make handle document provide build open close run ask
choose pick store save read deploy push pull order supply switch change update review
"""
_OF_WORK = frozenset(_OF_WORK_TEXT.split())
LASTING = (
    r"\b(?:always|never|from now on|from here on(?: out)?|going forward|moving forward|from this "
    r"point(?: on| forward)?|in (?:the )?future|at all times|without exception|every|each|whenever|"
    r"henceforth|by default|as a rule|in all cases|no longer|any ?more)\b"
)
_IMPERATIVE = (
    rf"^(?:{_LED[1:]})?(?:(?:always|never|only|also|please|just|simply|do not|"
    rf"don't|to|"
    r"not|explicitly|consistently)\s+)*(?P<verb>[a-z]+)\b"
)
_DUTIFUL = (
    r"^(?:all|every|each|any|no|your|our|new|names?|\w+s)\b[^,.;]{0,70}?\b(?:should|must|shall|"
    r"need to|needs to|have to|has to|are to)(?: now| always| never| not| also)* \w+"
)
_WISHED_FOR = (
    r"^(?:all|every|each|any|your|our)\b[^,.;]{0,50}?\b(?:have|has|include|includes|contain|"
    r"contains|use|uses|start|starts|end|ends|begin|begins|come|comes|carry)\b"
)
_WRAPPINGS = (
    _OPENING, _WISH, _WE_WANT, _IMPORTANT, _WILL, _HABIT, _DUTY, _WE, _HABIT, _OPENING,
)  # fmt: skip
# Words that make nothing particular: "follow our coding standards", "keep code clean".
_VAGUE_TEXT = """
convention standard practice guideline instruction rule naming coding style consistency consistent
consistently readability readable clean clear clearly concise quality maintainable maintainability
efficient robust best well good proper properly detail attention mind principle uniform uniformity
structure organized collaboration collaborative team approach process effort result habit specific
update change new adhere follow stick apply implement adopt ensure maintain keep make focus
"
r"understand judgment judgement learn improve help work write provide create certain reliable
scalable modular
documentation documented reusable
"""
_VAGUE = frozenset(token.root for token in tokens(_VAGUE_TEXT)) | frozenset(_VAGUE_TEXT.split())
_CLASS = (
    r"\b(?:functions|methods|classes|variables|attributes|arguments|parameters|properties|"
    r"constants|modules|packages|files|scripts|tests|branches|commits|endpoints|routes|tables|"
    r"columns|fields|components|hooks|interfaces|exceptions|migrations|models|handlers|fixtures|"
    r"queries|events|services|imports|identifiers|comments|docstrings|annotations|type hints|"
    r"decorators|assertions|releases|pull requests|prs|commit messages|code|codebase|names?|"
    r"naming)\b|\b(?:every|each|any|all|no|an?) (?:[a-z]+ )?(?:function|method|class|variable|"
    r"attribute|argument|parameter|module|file|test|endpoint|commit|script|branch|page|component|"
    r"query|table|release|pull request|pr|change)\b"
)
_POINTING = (
    r"^(?:(?:always|please)\s)*[a-z]+ (?:an?|some|the) (?:few|particular|specific|certain|extra|"
    r"couple|following)\b|^(?:start|end|pull|push) (?:of|requests?)\b|^\w+ \w+ (?:is|are|was|"
    r"were)\b|^(?:start|begin) (?:by|off|to|with (?:an?|the|some))\b|^(?:this|that|these|those|it|"
    r"they|he|she|there|to)\b|^(?:(?:always|please|just)\s)*[a-z]+ (?:this|that|these|those|it|"
    r"them|so)\b|\b(?:that|this|these|those) (?:prefix|suffix|convention|practice|rule|naming)\b"
)

_JOINT = (
    r",? and (?:also )?(?=(?:always |never |please )?(?:use|add|include|start|end|begin|import|"
    r"write|name|using|adding|including|starting|ending|importing|writing)\b)"
)
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
