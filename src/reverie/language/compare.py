"""Comparison: how two short lessons relate, and whether one ends the other.

Precision first: a number, a name or a negation that differs keeps two lessons apart. The relation
is symmetric; which of two lessons is the later one is for the caller to know.
"""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from reverie.language.lexicon import lexicon
from reverie.language.meaning import (
    Meaning,
    exact,
    meaning_of,
    meant,
    negated,
    plainly,
)
from reverie.language.polarity import is_state_word, state
from reverie.language.wording import (
    CHOICES,
    LIGHT,
    choices_of,
    is_ordinary,
    tokens,
)
from reverie.language.words import stem, words

Relation = Literal["same", "updates", "contradicts", "different"]
AGAINST: frozenset[Relation] = frozenset({"updates", "contradicts"})  # only one of two can hold

ALIKE = 0.6  # share of the weight of all words that two lessons have in common
WITHIN = 0.85  # or of the words of the shorter one,
BARELY = 0.58  # if they have at least this much in common
SUBJECT = 0.5  # for the rest, when the values were found to differ
COVERED = 2  # telling words that a lesson must have to be part of another
SLOT = 4  # words, of which one may differ
_EN = lexicon()
_OPPOSED_PLACES = ({"first", "last"}, {"earlier", "later"}, {"upward", "downward"})


def relation(a: str, b: str) -> Relation:
    """How two lessons relate, whichever was said first; other exact values are never the same."""
    compared = compare(meant(a), meant(b))
    return "different" if compared == "same" and apart(exact(a), exact(b)) else compared


def is_same(a: str, b: str) -> bool:
    """Whether two lessons say the same: as `relation`, and sooner done where few of many do."""
    first, second = _ordered(meant(a), meant(b))
    may_be = first.key == second.key or first.replaced & second.replaced or _overlap(first, second)
    return bool(may_be) and relation(a, b) == "same"


@lru_cache(maxsize=8192)
def substituted(a: str, b: str) -> bool:
    """Whether one word stands in the place of another and all else is the same."""
    words_a, words_b = words(plainly(a)), words(plainly(b))
    if len(words_a) != len(words_b) or len(words_a) < SLOT:
        return False
    places = [
        place for place, pair in enumerate(zip(words_a, words_b, strict=True)) if len(set(pair)) > 1
    ]
    if len(places) != 1:
        return False
    left, right = words_a[places[0]], words_b[places[0]]
    return stem(left) != stem(right) and left not in words_b and right not in words_a


def covers(whole: str, part: str) -> bool:
    """Whether a lesson asks for all that its part asks for, and for nothing that one rules out."""
    wide, narrow = meant(whole), meant(part)
    asked = {root for root in narrow.solid if narrow.signs[root] > 0}
    ruled_out = (narrow.signs.keys() - asked - LIGHT) | narrow.replaced
    return (
        len(asked) >= COVERED
        and negated(part) >= negated(whole)
        and len(wide.solid) > len(asked)
        and all(wide.signs.get(root, 0) > 0 for root in asked)
        and not any(wide.signs.get(root, 0) > 0 for root in ruled_out)
        and exact(part) <= exact(whole)
    )


def apart(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether both name values and none of them is the same."""
    return bool(a) and bool(b) and not a & b


def compare(a: Meaning, b: Meaning) -> Relation:
    """How two meanings relate, whichever comes first."""
    if a.key == b.key and a.state == b.state:
        return "same"
    a, b = _ordered(a, b)
    if _of_other_things(a, b):
        return "different"
    if a.state * b.state < 0:
        return "updates" if _of_one_thing(a, b) else "different"
    if any(a.places & pair and b.places & pair and not a.places & b.places & pair
           for pair in _OPPOSED_PLACES):  # fmt: skip
        return "different"
    if _replace_alike(a, b):
        return "same"
    if _replaces(a, b) or _replaces(b, a):
        return "updates"
    valued = _values(a, b)
    if valued is not None:
        return valued
    if _apart(a, b) or _substituted(a, b):
        return "different"
    if not _overlap(a, b):
        return "different"
    return "contradicts" if _opposed(a, b) else "same"


def _ordered(a: Meaning, b: Meaning) -> tuple[Meaning, Meaning]:
    """Both in one order: words are matched greedily, always from the same side."""
    return (b, a) if (b.key, b.state) < (a.key, a.state) else (a, b)


def _overlap(a: Meaning, b: Meaning) -> bool:
    return _alike(a.weights, b.weights, not a.poles.keys().isdisjoint(b.poles))


def _of_other_things(a: Meaning, b: Meaning) -> bool:
    """Whether they speak of things of another kind, or of other ones of the same kind."""
    if a.objects and b.objects and a.objects != b.objects:
        return True
    return any(b.labels.get(noun, number) != number for noun, number in a.labels.items())


def _apart(a: Meaning, b: Meaning) -> bool:
    """Whether a number or a name is in one lesson only."""
    return (
        a.numbers != b.numbers
        or any(name not in b.signs for name in a.names)
        or any(name not in a.signs for name in b.names)
    )


def _of_one_thing(a: Meaning, b: Meaning) -> bool:
    """Whether two lessons about something broken or mended speak of the same thing."""
    weights_a, weights_b = _stateless(a), _stateless(b)
    # Each with a telling word of its own: the import job and the export job.
    differs = any(weights_a[root] >= 1 for root in weights_a.keys() - weights_b) and any(
        weights_b[root] >= 1 for root in weights_b.keys() - weights_a
    )
    return not differs and not _apart(a, b) and _alike(weights_a, weights_b)


def _stateless(meaning: Meaning) -> dict[str, float]:
    return {root: weight for root, weight in meaning.weights.items() if not is_state_word(root)}


def _alike(a: Mapping[str, float], b: Mapping[str, float], shared_pole: bool = False) -> bool:
    """Whether two bags of weighted words say the same."""
    common = sum(min(weight, b[root]) for root, weight in a.items() if root in b)
    union = sum(a.values()) + sum(b.values()) - common
    if shared_pole:  # a word with an opposite, told apart from the others, counts as one more
        common, union = common + 1, union + 1
    if not union or not common:
        return False
    if common / union >= ALIKE:
        return True
    least = min(sum(a.values()), sum(b.values())) + shared_pole
    telling = sum(1 for root in a if root in b and a[root] >= 1) + shared_pole
    return telling >= 2 and common / least >= WITHIN and common / union >= BARELY


def _replaces(newer: Meaning, older: Meaning) -> bool:
    """Whether one lesson names the other's value as the one that is no longer to be used."""
    gone = {root for root in newer.replaced if older.signs.get(root, 0) > 0}
    if not gone:
        return False
    chosen = newer.solid - older.solid
    rest_new = {r: w for r, w in newer.weights.items() if r not in chosen and w >= 1}
    rest_old = {r: w for r, w in older.weights.items() if r not in gone and w >= 1}
    return not rest_new or not rest_old or _near(rest_new, rest_old)


def _replace_alike(a: Meaning, b: Meaning) -> bool:
    """Whether both put the same thing in the place of the same other."""
    if not a.replaced & b.replaced:
        return False
    chosen = (
        {root for root in meaning.solid - other.solid if _is_value(meaning, root)}
        for meaning, other in ((a, b), (b, a))
    )
    return not all(chosen) and any(_is_value(a, root) for root in a.solid & b.solid)


def _values(a: Meaning, b: Meaning) -> Relation | None:
    """Same subject with another value, or two things that differ in a name; None: neither."""
    values_a, values_b = a.solid - b.solid, b.solid - a.solid
    rivals = not choices_of(values_a).isdisjoint(choices_of(values_b))
    values_a = {root for root in values_a if (rivals and root in CHOICES) or _is_value(a, root)}
    values_b = {root for root in values_b if (rivals and root in CHOICES) or _is_value(b, root)}
    if any(is_state_word(root) for root in values_a | values_b):
        return None  # "fix the test" puts no other value in the place of "the test is broken"
    if not values_a or not values_b:
        return None
    beside = a.additive or b.additive or (_runs(a, values_a) and _runs(b, values_b))
    if beside and not rivals:
        return "different"
    if len(values_a) != 1 or len(values_b) != 1 or _opposed(a, b):
        return "different"
    rest_a = {r: w for r, w in a.weights.items() if r not in values_a}
    rest_b = {r: w for r, w in b.weights.items() if r not in values_b}
    if not _solid(rest_a) and not _solid(rest_b):
        return "updates" if rivals else "different"
    if not rivals and _only_the_verb(a, b) and not (values_a | values_b) & (a.numbers | b.numbers):
        return "different"
    return "updates" if _near(rest_a, rest_b) else "different"


def _only_the_verb(a: Meaning, b: Meaning) -> bool:
    """ "Ask ops", "ask about the drawer": all they share is what is to be done."""
    return a.order[0] == b.order[0] and a.solid & b.solid == frozenset([a.order[0]])


def _runs(meaning: Meaning, values: set[str]) -> bool:
    """Whether the value is a program to be run: others may be run beside it."""
    if "run" not in meaning.order:
        return False
    place = meaning.order.index("run")
    # With a subject before it, it tells where or on what something runs.
    asked = all(root in LIGHT for root in meaning.order[:place])
    return asked and any(root in values for root in meaning.order[place + 1 : place + 2])


def _is_value(meaning: Meaning, root: str) -> bool:
    if root in meaning.names or root in meaning.numbers:
        return True
    return meaning.english and not is_ordinary(root) and root not in LIGHT


def _solid(bag: Mapping[str, float]) -> bool:
    return any(weight >= 1 for weight in bag.values())


def _near(a: Mapping[str, float], b: Mapping[str, float]) -> bool:
    common = sum(min(weight, b[root]) for root, weight in a.items() if root in b)
    union = sum(a.values()) + sum(b.values()) - common
    return (
        bool(union)
        and common / union >= SUBJECT
        and any(root in b and weight >= 1 for root, weight in a.items())
    )


def _substituted(a: Meaning, b: Meaning) -> bool:
    """One telling word in the place of another: `unit tests`, `integration tests`."""
    if a.poles or b.poles:
        return False
    order_a, order_b = a.order, b.order
    return any(
        tag == "replace"
        and end_a - start_a == end_b - start_b
        and not (start_a == start_b == 0 and _opens_lightly(a, b))
        and (_new(order_a[start_a:end_a], a, b) or _new(order_b[start_b:end_b], b, a))
        for tag, start_a, end_a, start_b, end_b in SequenceMatcher(
            None, order_a, order_b, autojunk=False
        ).get_opcodes()
    )


def _opens_lightly(a: Meaning, b: Meaning) -> bool:
    """One of the two begins with a verb that says little: `put …`, `ship …`."""
    return a.weights[a.order[0]] < 1 or b.weights[b.order[0]] < 1


def _new(part: Sequence[str], meaning: Meaning, rest: Meaning) -> bool:
    """Whether a telling word of `part` is nowhere in the other lesson."""
    return any(meaning.weights[root] >= 1 and root not in rest.signs for root in part)


def _opposed(a: Meaning, b: Meaning) -> bool:
    """Whether one asks for what the other rules out."""
    if any(b.poles.get(head, sign) != sign for head, sign in a.poles.items()):
        return True
    shared = a.solid & b.solid
    if a.later & shared and b.later & shared and not a.later & b.later & shared:
        return True  # "lint before you commit", "never lint before you commit"
    against = {root for root in shared if a.signs[root] != b.signs[root]}
    if not against:
        return False
    # In a lesson that both asks and rules out, one side must be answered whole.
    return any(
        {root for root in meaning.solid if meaning.signs[root] == sign} <= against
        for meaning in (a, b)
        for sign in (1, -1)
        if any(meaning.signs[root] == sign for root in meaning.solid)
    )


# Endings: statements by which something no longer holds: it was mended, or is not needed any more.
# "The login test was fixed" ends "the login test is flaky, run it twice"; "you no longer have to
# restart the worker after a deploy" ends the rule to do so. What is only wished for or waited for
# ends nothing, and neither does a word about something else: the thing must be the same as closely
# as for any other two lessons.
_TELLING = 2  # words that a thing must share with a rule that uses it
_BESIDE = 3  # telling words at most that the rule may have besides


def is_ending(text: str) -> bool:
    """Whether a sentence says that something is over."""
    return bool(_mended(text) or _needless(text) or _thing(text))


def ends(new: str, old: str) -> bool:
    """Whether a later statement says that what an earlier one tells is over."""
    if mended := _mended(new):
        return any(
            state(tokens(part)) < 0 and relation(part, said) == "updates"
            for part in _parts(old)
            for said in (mended, new)
        )
    if deed := _needless(new):
        return any(relation(part, deed) == "same" for part in _parts(old))
    thing = _thing(new)
    return bool(thing) and _uses(old, thing)


def _mended(text: str) -> str:
    """ "X was fixed" without what else is told of it; empty for any other sentence."""
    match = _EN.pattern("mended").search(text.strip())
    if match is None:
        return ""
    thing = (match["thing"] or match["object"]).rstrip(" .!")
    said = f"{thing} was fixed"
    return said if "?" not in text and state(tokens(said)) > 0 else ""


def _needless(text: str) -> str:
    """What need not be done any more. Without "any more" it is only not done this time."""
    match = _EN.pattern("needless").search(text.strip())
    if match is None or "?" in text:
        return ""
    over = match["over"] or match["past"] or match["gone"] or "no longer" in match[0].lower()
    return (match["deed"] or match["act"] or "") if over else ""


def _thing(text: str) -> str:
    match = _EN.pattern("needless").search(text.strip())
    return match["thing"] or "" if match is not None and "?" not in text else ""


def _parts(old: str) -> list[str]:
    """A statement, and its clauses if it is a single sentence: one of them may be what is over."""
    whole = old.strip().rstrip(".!")
    clauses = [] if ". " in whole else _EN.pattern("clause").split(whole)
    return [whole, *(part for part in clauses if part != whole)]


def _uses(old: str, thing: str) -> bool:
    """Whether a rule is about using a thing: it asks for all of it, and for little else."""
    wanted, said = meaning_of(thing), meaning_of(old)
    telling = wanted.solid
    enough = len(telling) >= _TELLING or bool(wanted.names)
    asked = telling <= said.solid and all(said.signs[root] > 0 for root in telling)
    return enough and asked and len(said.solid - telling) <= _BESIDE
