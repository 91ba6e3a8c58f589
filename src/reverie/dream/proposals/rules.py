"""Rules: a pattern as one order with its reason, for CLAUDE.md or AGENTS.md.

An order begins with its verb. What people say as a duty of things ("names must be lower case") is
turned into one, a prohibition into what to do instead wherever any of its wordings says that, and
what is only told is an order to keep it in mind. No word is made up.
"""

from collections.abc import Sequence

from reverie.data import patterns, word_sets
from reverie.dream.model import Pattern, Rule
from reverie.language.lexicon import lexicon
from reverie.language.meaning import is_common
from reverie.language.words import stem
from reverie.learn.statements.rule import positively

LONGEST_REASON = 160  # characters
REMINDER = "Keep in mind: "  # how an order begins that tells nobody what to do
SHORT = 2  # words of a subject that could be taken for an order

_RE = patterns("dreams.txt", "rules")
_WORDS = word_sets("dreams.txt", "rules")
_VERBS = word_sets("statements.txt", "directives").verbs | lexicon().words("words.imperatives")


def rule_of(pattern: Pattern) -> Rule:
    """What is to be done, and why."""
    if pattern.reader:
        order, reason = pattern.text, pattern.why.rstrip(" .!")
    else:
        order, reason = _ordered(pattern)
    reasons = [text for text in (_why(pattern), reason) if text]
    counted = next((text for text in reasons if _RE.counted.search(text)), "")
    given = next((text for text in reasons if text != counted), "")
    return Rule(order.rstrip(" .!"), given, counted, order.startswith(REMINDER))


def _ordered(pattern: Pattern) -> tuple[str, str]:
    """The order, and what it rests on where nobody gave a reason."""
    source, first = pattern.group.source, pattern.group.members[0]
    if first.order:
        return first.order, first.why
    basis, colon, advice = pattern.text.rpartition(": ")
    if colon and source != "said" and begins_with_verb(advice):
        return _advised(advice, basis)
    if delivered := _RE.delivered.match(pattern.text):
        # What is to be done with a delivery holds for the next one; the delivery itself does not.
        return f"{imperative(delivered['more'])} with a {delivered['act'].lower()}", ""
    if better := instead(pattern):
        return better, f"said as “{pattern.text.rstrip('.')}”"
    placed = _RE.placed.match(pattern.text)
    if placed and not _RE.of_all.search(pattern.text):
        # Said of one thing in each session, and of all of them by now.
        return f"When you {_lowered(placed['made'])}, do it {placed['how']}", ""
    order = _with_occasion(imperative(pattern.text))
    if pattern.met and pattern.met.command not in order:
        order = f"{order.rstrip(' .!')} (start with `{pattern.met.command}`)"
    return order, pattern.met.counted if pattern.met else ""


def _with_occasion(order: str) -> str:
    """What is done to each thing of a sort is done when there are any."""
    each = _RE.to_each.match(order)
    if not each:
        return order
    return f"When you work through {each['thing']}s, {_lowered(each['deed'])} to each of them"


def _advised(advice: str, basis: str) -> tuple[str, str]:
    """Advice first, what it rests on behind it; where it speaks of that, the other way round."""
    if _RE.spoken_of.search(advice):
        return f"As {_lowered(basis)}, {advice}", ""
    return advice[0].upper() + advice[1:], basis


def instead(pattern: Pattern) -> str:
    """A prohibition as what to do, in the words of whichever wording says that; else ""."""
    if not _RE.ban.match(pattern.text):
        return _positively(pattern.text)
    wordings = dict.fromkeys((pattern.text, *(member.text for member in pattern.group.members)))
    positive = next((better for text in wordings if (better := _positively(text))), "")
    if positive:
        return positive
    without = _RE.do_without.match(pattern.text)
    return f"Work without {without['thing']}" if without else ""


def _positively(text: str) -> str:
    """What to do instead, if that makes a sentence; else the person's own words are plainer."""
    positive = positively(text)
    head, ban, thing = positive.partition("; do not ")
    if ban and not (begins_with_verb(thing) and thing.split()[0].isalpha()):
        positive = f"{head}, not {thing}"
    return positive if begins_with_verb(positive) else ""


def imperative(text: str) -> str:
    """A sentence as an order."""
    bare = _RE.link.sub(r"`\1`", " ".join(text.split()))
    bare = _RE.asking.sub("", _RE.label.sub("", bare))
    bare = _RE.forgetting.sub("remember ", _RE.address.sub("", bare))
    bare = _RE.reminding.sub("", bare)
    duty = _RE.duty.match(bare)
    subject = duty["subject"].lower().split() if duty else []
    orders = begins_with_verb(bare)
    # "Lint must be run" begins like an order, and is none.
    if duty and not (orders and len(subject) > SHORT) and not _points(subject):
        return f"Make sure that {_kept(**duty.groupdict(default=''))}"
    habitual = bare.lower().startswith("we ") and not _RE.spoken_of.match(
        " ".join(bare.split()[2:3])
    )
    if not orders and habitual and begins_with_verb(bare[3:]):
        bare, orders = bare[3:], True
    return bare[0].upper() + bare[1:] if orders else f"{REMINDER}{text}"


def _points(subject: Sequence[str]) -> bool:
    return "-" in subject or not _WORDS.pointing.isdisjoint((subject[0], subject[-1]))


def begins_with_verb(text: str) -> bool:
    """Whether it has the form of an order."""
    match = _RE.order.match(text)
    return match is not None and match["verb"].lower() in _VERBS


def _kept(subject: str, denied: str, adverb: str, verb: str, rest: str) -> str:
    """ "Names must not be long" as "names are not long"."""
    head = _RE.of.split(subject)[0].split()
    plural = bool(_RE.plural.search(head[-1])) and head[0].lower() not in _WORDS.singular
    subject = _lowered(subject)
    how = f" {adverb.strip()}" if adverb else ""
    if verb == "be":
        return f"{subject} {'are' if plural else 'is'}{' not' if denied else ''}{how} {rest}"
    if denied:
        return f"{subject} {'do' if plural else 'does'} not{how} {verb} {rest}"
    if not plural:
        verb = "has" if verb == "have" else _RE.hissing.sub(r"\1e", verb) + "s"
    return f"{subject}{how} {verb} {rest}"


def _lowered(text: str) -> str:
    """As it goes on within a sentence: names keep their letter."""
    first = text.split()[0].lower()
    ordinary = first in _WORDS.articles or is_common(stem(first)) or begins_with_verb(first)
    return text[0].lower() + text[1:] if ordinary else text


def _why(pattern: Pattern) -> str:
    """The reason that was given with these very words, if it fits on a line."""
    reasons = [
        member.why for member in pattern.group.members if member.why and member.text == pattern.text
    ]
    reason = " ".join(reasons[-1].split()).rstrip(" .!") if reasons else ""
    return reason if len(reason) <= LONGEST_REASON else ""
