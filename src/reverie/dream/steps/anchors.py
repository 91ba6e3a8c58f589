"""Anchors: words that people name when they rule, and hardly ever otherwise.

A wish that is worded otherwise each time may share a single word, or two: what is to be used, or
left alone. Such words are told from the name of a feature, which shares as little, by how they are
spoken of: a feature is mostly worked on, reported and asked about, an anchor stands in rules,
complaints and corrections. How often that happens by chance, all remarks of the night tell.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, groupby, product
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.dream.model import Observation
from reverie.dream.steps.remarks import (
    accuses,
    agreed,
    asks,
    changes,
    complains,
    duty_of,
    force,
    is_order,
    is_passing,
    is_question,
    is_strong,
    permits,
    points,
    reports,
    turns,
)
from reverie.dream.steps.talk import fills_frame, is_value, signed
from reverie.language.compare import apart, relation, substituted
from reverie.language.keys import is_slight, keys_of, known_as, share_subject
from reverie.language.meaning import exact, is_choice, is_common, meant
from reverie.language.wording import root_of
from reverie.language.words import words
from reverie.learn.statements.rule import stands_alone

_RE = patterns("dreams.txt", "anchors")
_WORDS = word_sets("dreams.txt", "anchors")

OUTRIGHT = 2  # grade of what binds by its words, before what only has the form of a rule
FEW = 8  # words of what only says how something is
LONG = 18  # words of what rules: what is longer is an account
SESSIONS, DAYS, RULED = 3, 2, 2  # that name an anchor, and of which so many rule
OFTEN = 0.25  # of what is said rules without a rule behind it, at most
CHANCE = 0.3  # of so many rulings among all that is said of a word …
COMMON = 0.1  # … that everybody uses, …
NAMED = 0.5  # … of a name, or of two words together, which nobody says in passing
REPEATED = 0.5  # of its words are those of a ruling
MANY = 60  # remarks that name a word: what is named in more is what the project is about
DENSE = 1.7  # remarks of a session about a word: of a feature there are more
FILLED = 2  # others that say the same of another thing
TOLD = 3  # words of a text that says something
AGAIN = 3  # of so many telling words of a text another remark must know one
ENDING = 2  # words at the end of remarks that share nothing else
MUCH = 2  # other telling words beside one that everybody uses
WORDS = 14  # of a remark that are looked at two by two

Anchor = tuple[str, ...]  # a word or name, or two words


class Anchored(NamedTuple):
    """What is asked for about a word, and who says so."""

    word: str
    text: str
    said: tuple[Observation, ...]


class Saying(NamedTuple):
    """A remark with what it is about."""

    remark: Observation
    about: frozenset[str]
    grade: int


@lru_cache(maxsize=8192)
def _grade(text: str, quote: str) -> int:
    if len(words(text)) > LONG or is_passing(text):
        return 0
    if _RE.again.match(quote) or (complains(text) and not is_order(text)):
        return OUTRIGHT if accuses(text) else 1
    if _RE.told.search(text):
        return 0
    if _RE.lacks.search(quote):
        return 1
    if reports(text) or is_question(text):
        return 0
    if turns(quote) and len(words(quote)) <= LONG:
        return OUTRIGHT
    if _RE.taken_out.match(text) or permits(text):
        return 0
    if is_strong(text) or agreed(text, quote) or changes(text):
        return OUTRIGHT
    if is_order(text):
        rest = text.partition(", ")[2]
        return int(bool(_RE.ordered.search(text) or (rest and _RE.norm.search(rest))))
    if _RE.wished.search(quote) or _RE.norm.search(text):
        return 1
    return int(states(text))


@lru_cache(maxsize=8192)
def states(text: str) -> bool:
    """Whether it says in a few words how something is, and names it."""
    if len(words(text)) > FEW or is_order(text) or reports(text) or complains(text):
        return False
    if _RE.told.search(text) or not any(map(is_value, meant(text).solid)):
        return False
    if len(words(text)) <= TOLD and not _RE.beside.search(text):
        return True
    match = _RE.is_called.search(text)
    return bool(_RE.states.search(text) or (match and is_value(root_of(match[1].lower()))))


def grade(remark: Observation) -> int:
    """How much it says how something is to be done, or complains that it was not."""
    return _grade(remark.text, remark.quote)


def wants(remark: Observation) -> bool:
    """Whether it says how something shall be, and not only that it is so again."""
    return grade(remark) > 0 and (not complains(remark.text) or accuses(remark.text))


def corrects(remark: Observation) -> bool:
    """Whether it mends what is at hand, which says nothing of how its words are used else."""
    mends = _RE.at_hand.search(remark.text) or _RE.taken_out.match(remark.text)
    return len(words(remark.text)) <= LONG and not grade(remark) and bool(mends)


def sayings(said: Iterable[Observation]) -> list[Saying]:
    """Remarks with what they are about; what is asked for behind a complaint is about it, too."""
    heard: list[Saying] = []
    for _, turn in groupby(said, key=lambda remark: remark.evidence):
        before = frozenset[str]()
        mine: list[Saying] = []
        for remark in turn:
            about, graded = keys_of(_RE.place.sub(" ", remark.text)).all, grade(remark)
            if len(words(remark.text)) < TOLD and not graded:
                # "Again by hand. Dayjs!": a word alone says what was meant.
                mine = [each._replace(about=each.about | about) for each in mine]
            mine.append(Saying(remark, about | before if graded else about, graded))
            blamed = complains(remark.text) or reports(remark.text)
            before = about if blamed else frozenset[str]()
        heard += mine
    return heard


def anchored(said: Iterable[Observation], filled: Container[str] = ()) -> Iterator[Anchored]:
    """What people ask for in words that share no more than one or two.

    Args:
        filled: Texts that say the same of one thing after the other.
    """
    heard = sayings(remark for remark in said if remark.text not in filled)
    counts = Counter(each.grade for each in heard if not corrects(each.remark))
    usual = _usual(counts)
    likely: dict[Anchor, list[Saying]] = {}
    for anchor, every in _named(heard).items():
        most = _most(anchor, every)
        if _is_rare(every, usual, most) and _is_rare(others := _in_other_words(every), usual, most):
            likely[anchor] = [
                each
                for each in others
                if each.grade or names_it(each.remark, anchor) or _goes_along(each, others)
            ]
    made = filter(None, (_made(anchor, each) for anchor, each in likely.items()))
    taken: set[Observation] = set()
    for each in sorted(made, key=_worth, reverse=True):
        # The same remarks are tied by several words; a remark may say two things.
        if 2 * len(taken.intersection(each.said)) <= len(each.said):
            taken.update(each.said)
            chance = (1 - usual[0]) * len(each.said)
            yield each._replace(said=tuple(replace(remark, chance=chance) for remark in each.said))


def _usual(counts: Counter[int]) -> list[float]:
    """The shares of the grades; where people rule much, it is because they have many rules."""
    shares = [counts[each] / max(1, counts.total()) for each in range(OUTRIGHT + 1)]
    ruled = sum(shares[1:])
    part = min(1.0, OFTEN / ruled) if ruled else 1.0
    return [1 - part * ruled, *(part * share for share in shares[1:])]


def _worth(made: Anchored) -> tuple[int, int, str]:
    return len(_sessions(made.said)), -len(made.text), made.word


def _named(heard: Iterable[Saying]) -> dict[Anchor, list[Saying]]:
    """Words, names and pairs of words, with the remarks that hold them."""
    holding: defaultdict[Anchor, list[Saying]] = defaultdict(list)
    for each in heard:
        about = sorted(each.about)
        for key in about:
            if not is_slight(key) and key not in _WORDS.joining:
                holding[key,].append(each)
        for pair in combinations(about, 2) if len(about) <= WORDS else ():
            if not all(map(is_slight, pair)):
                holding[pair].append(each)
    return holding


def _most(anchor: Anchor, every: Sequence[Saying]) -> float:
    """How likely by chance its rulings may be: names and pairs are hardly said in passing."""
    if any(key in keys_of(each.remark.text).names for key in anchor for each in every):
        return NAMED
    if len(anchor) == 1 and all(map(is_value, anchor)):
        return NAMED
    usual = all(map(is_common, anchor))
    if len(anchor) > 1:
        return CHANCE if usual else NAMED
    return COMMON if usual else CHANCE


def names_it(remark: Observation, anchor: Anchor) -> bool:
    """Whether it says little more than a name that is no word of the language."""
    if len(anchor) > 1 or not all(map(is_value, anchor)) or len(words(remark.text)) > FEW:
        return False
    other = _RE.told.search(remark.text) or _RE.making.match(remark.text) or reports(remark.text)
    return not (other or is_question(remark.text) or is_passing(remark.text))


def _goes_along(each: Saying, every: Iterable[Saying]) -> bool:
    """Whether it mends what is at hand, or repeats what somebody ruled: "put it in queries"."""
    remark = each.remark
    if len(words(remark.text)) > LONG or is_passing(remark.text) or is_question(remark.text):
        return False
    if corrects(remark):
        return True
    if reports(remark.text):
        return False
    keys = {key for key in each.about if not is_slight(key)}
    ruled = (
        other.about for other in every if other.grade and other.remark.session != remark.session
    )
    return any(len(keys & about) >= max(2, REPEATED * len(keys)) for about in ruled)


def _in_other_words(about: Sequence[Saying]) -> list[Saying]:
    """Without what is said alike of one thing after the other."""
    alike: Counter[str] = Counter()
    for each, other in product(about, about):
        first, second = each.remark, other.remark
        if first.session != second.session:
            alike[first.text] += fills_frame(first.text, second.text) or _ends_alike(first, second)
    return [each for each in about if alike[each.remark.text] < FILLED]


def _ends_alike(remark: Observation, other: Observation) -> bool:
    """Whether all they share is how they end: "… for the night run" is said of any task."""
    mine, theirs = words(remark.text), words(other.text)
    same = 0
    while same < min(len(mine), len(theirs)) and mine[-1 - same] == theirs[-1 - same]:
        same += 1
    if not ENDING <= same < min(len(mine), len(theirs)):
        return False
    rest, others = (keys_of(" ".join(tokens[:-same])).all for tokens in (mine, theirs))
    return rest.isdisjoint(others)


def _is_rare(about: Sequence[Saying], usual: Sequence[float], most: float) -> bool:
    """Whether a word is said in rulings more often than chance explains."""
    sessions = _sessions(each.remark for each in about)
    enough = len(sessions) >= SESSIONS and len({each.remark.day for each in about}) >= DAYS
    remarks = {(each.remark.evidence, each.remark.text) for each in about}
    if not enough or len(remarks) > min(MANY, DENSE * len(sessions)):
        return False
    heard: dict[str, int] = {}
    for each in about:
        if each.grade or not _goes_along(each, about):
            heard[each.remark.session] = max(heard.get(each.remark.session, 0), each.grade)
    if sum(map(bool, heard.values())) < RULED:
        return False
    sums = Counter({0: 1.0})  # how likely each sum of grades is
    for _ in heard:
        more: Counter[int] = Counter()
        for (total, chance), (each, share) in product(sums.items(), enumerate(usual)):
            more[total + each] += chance * share  # type: ignore[assignment]
        sums = more
    least = sum(heard.values())
    return math.fsum(chance for total, chance in sums.items() if total >= least) <= most


def _sessions(said: Iterable[Observation]) -> set[str]:
    return {remark.session for remark in said}


def _made(anchor: Anchor, every: Sequence[Saying]) -> Anchored | None:
    """The plainest of the remarks that most of the others go with."""
    about = [each.remark for each in every]
    rulings = [remark for remark in about if grade(remark) and not complains(remark.text)]
    wanted = [remark.at for remark in rulings if _stance(remark, anchor) > 0]
    banned = [remark.at for remark in rulings if _stance(remark, anchor) < 0]
    # Who bans and wants by turns never changed his mind: it is one wish from two sides. But who
    # wants something else in its place did.
    sides = not (wanted and banned and min(wanted) < max(banned) and min(banned) < max(wanted))
    sides = sides or any(chooses(remark.text) and _stance(remark, anchor) < 0 for remark in rulings)
    made: list[tuple[tuple[float, ...], Anchored]] = []
    for remark in filter(can_stand, about):
        near = [
            other for other in about if other is remark or _goes_with(remark, other, anchor, sides)
        ]
        over = any(each.at > remark.at and grade(each) and each not in near for each in about)
        enough = len(_sessions(near)) >= SESSIONS
        ruled = {other.session: grade(other) for other in near if wants(other)}
        more = len(_sessions(near)) > SESSIONS  # where one rules outright, others may ask
        enough = enough and (len(ruled) >= RULED or (more and OUTRIGHT in ruled.values()))
        wanted_at = any(_stance(other, anchor) > 0 and grade(other) for other in near)
        text = "" if is_bare(remark) and wanted_at else told_again(remark, near)
        if enough and not over and text and _named_again(remark, near):
            worth = (turned(remark), len(_sessions(near)), _plain(remark), -len(text))
            made.append((worth, Anchored(" ".join(anchor), text, tuple(near))))
    return max(made, key=lambda each: each[0])[1] if made else None


def told_again(remark: Observation, near: Iterable[Observation]) -> str:
    """What it says without a clause that no other remark knows; "" where that is most of it."""
    others = (keys_of(other.text).all for other in near if other.session != remark.session)
    known, text = frozenset[str]().union(*others), remark.text
    head, cut, rest = _RE.clauses.sub("\0", text, count=1).partition("\0")
    if cut and not keys_of(head).all & known and len(words(rest)) >= TOLD:
        text = f"{rest[0].upper()}{rest[1:]}"
    keys = {key for key in keys_of(text).all if not is_slight(key)}
    return text if AGAIN * len(keys & known) >= len(keys) else ""


def _named_again(remark: Observation, near: Sequence[Observation]) -> bool:
    """Whether most names that it holds are known to another, too: else it is of one task."""
    others = [keys_of(other.text).all for other in near if other.session != remark.session]
    known = frozenset[str]().union(*others)
    names = meant(remark.text).names | exact(remark.text)
    heard = [bool(known & known_as(name)) for name in names if not name.isdigit()]
    return 2 * sum(heard) >= len(heard)


def _values(text: str) -> frozenset[str]:
    """The names and choices that are asked for."""
    return frozenset(stem for stem, sign in signed(text).items() if sign > 0 and is_value(stem))


def chooses(text: str) -> bool:
    """Whether it wants one thing in the place of another: "x, not y"."""
    return bool(_RE.chooses.search(text))


def turned(remark: Observation) -> bool:
    """Whether it says that something holds from now on."""
    return turns(remark.text) or turns(remark.quote) or changes(remark.text)


def _plain(remark: Observation) -> float:
    # "Don't forget the note" reads as if the note were unwanted.
    plain = force(remark) + asks(remark.text) + stands_alone(remark.text) - points(remark.text)
    fits = is_order(remark.text) or bool(duty_of(remark.text)[1] or _RE.kept.search(remark.text))
    return plain + fits - remark.text.startswith("I ") - bool(_RE.reminding.match(remark.text))


def can_stand(remark: Observation) -> bool:
    """Whether it tells by itself what to do."""
    text = remark.text
    if (
        remark.trust != "user"
        or not grade(remark)
        or complains(text)
        or _RE.again.match(remark.quote)
    ):
        return False
    least = 1 if turned(remark) else 2
    if len(words(text)) < TOLD or len(keys_of(text).all) < least:
        return False
    beside = _RE.told.search(text) or _RE.taken_out.match(text) or "://" in text
    beside = beside or (grade(remark) < OUTRIGHT and _RE.making.match(text))
    # "Not behind x", "only half of it": what it was like, and no wish.
    no_deed = text.startswith("Do not ") and not is_order(text.removeprefix("Do not "))
    like = _RE.half.match(text) or (is_bare(remark) and no_deed)
    return stands_alone(text, 1) and not (beside or like)


def is_bare(remark: Observation) -> bool:
    """Whether it says "no x" and no more: x is unwanted, or missed."""
    return bool(_RE.bare.match(remark.quote) and _RE.made_ban.match(remark.text))


def _stance(remark: Observation, anchor: Anchor) -> int:
    """Whether a word is asked for (1), ruled out (-1) or not spoken of; of two words the latter.

    What is lacking, or of which there is to be none, is not said.
    """
    text = remark.text
    if is_bare(remark) or _RE.lacks.search(remark.quote):
        return 0
    signs = {key: sign for stem, sign in signed(text).items() for key in known_as(stem)}
    sign = min((signs[key] for key in anchor if key in signs), default=0)
    # "It comes from x, don't patch it": what is ruled out is something else.
    return 0 if sign > 0 > min(signs.values()) else sign


def _tied(remark: Observation, other: Observation, anchor: Anchor) -> bool:
    """Whether both are about a word: it is much of what they say, or they forbid just that."""
    both = all(_is_much(anchor[0], each.text) for each in (remark, other))
    if share_subject(remark.text, other.text) or (both and not points(remark.text)):
        return True
    blamed = complains(other.text) and (accuses(other.text) or not is_question(other.text))
    return _stance(remark, anchor) < 0 and (blamed or _stance(other, anchor) < 0)


def _is_much(key: str, text: str) -> bool:
    """Whether a word is much of what is said, though everybody uses it."""
    telling = {other for other in keys_of(text).all if not (is_slight(other) or is_common(other))}
    return len(telling - {key}) <= MUCH


def _goes_with(remark: Observation, other: Observation, anchor: Anchor, sides: bool) -> bool:
    """Whether nothing stands between two remarks about a word."""
    if apart(meant(remark.text).numbers, meant(other.text).numbers):
        return False
    if len(anchor) == 1 and not _tied(remark, other, anchor):
        return False
    chosen = is_choice(remark.text) or is_choice(other.text)
    if substituted(remark.text, other.text) or (
        chosen and relation(remark.text, other.text) == "updates"
    ):
        return False  # two choices for one thing
    if chooses(remark.text) or chooses(other.text):
        mine, theirs = _values(remark.text), _values(other.text)
        if mine and theirs and not mine & theirs:
            return False
    first, last = sorted((remark, other), key=lambda each: each.at)
    over = turned(last) and not turned(first)
    if complains(other.text) or corrects(other):
        return not over
    both = keys_of(remark.text).all & keys_of(other.text).all
    if not (grade(other) or names_it(other, anchor)) and len(both) < 2:
        return False
    thing, deed = duty_of(remark.text)
    if set(anchor) & keys_of(thing).all and not keys_of(deed).all & keys_of(other.text).all:
        return False
    before, since = _stance(first, anchor), _stance(last, anchor)
    return (not over or before < 0) and (before * since >= 0 or not (sides or over))
