"""Frames: what is said in the same words about another thing each time, and what is said first.

"Rename tmp to rest", "rename left to right", "rename x to count" are three tasks, not one rule:
what they share is the form of a request. A rule comes in other words each time,
about the same thing. A few words before a comma that open many unlike remarks ("one more thing,
…") say nothing at all.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from reverie.data import patterns
from reverie.dream.model import Observation
from reverie.language.meaning import is_common, stems
from reverie.language.words import content, words

FIXED = 3  # words that a frame must have …
SHARE = 0.5  # … and the share of its sentence
HOLE = 8  # words that may differ, at most
USUAL = 0.5  # share of a frame's sessions that one filling must have to be a rule of its own
LASTING = 0.5
FILLINGS = 3  # different things that make a frame; one less of what points at the matter at hand
BETWEEN = 2  # words between two places that may differ
COMPARED = 24  # sentences that a sentence is compared with
LISTED = 48  # sentences remembered per three words in a row; the latest stay

_RE = patterns("statements.txt", "frames")
LEAD_WORDS = 5
LEADS = 5  # unlike remarks that a phrase must open …
LEAD_SESSIONS = 4  # … in so many sessions
LEAD_TOPIC = 0.4  # share of them that may have a word in common


def fillings(observations: Sequence[Observation]) -> frozenset[str]:
    """The texts that only fill a frame, as others do with other things."""
    sessions: defaultdict[str, set[str]] = defaultdict(set)
    lasting: dict[str, float] = {}
    standing: set[str] = set()
    for one in observations:
        sessions[one.text].add(one.session)
        lasting[one.text] = min(one.lasting, lasting.get(one.text, 1.0))
        if one.standing:
            standing.add(one.text)

    def usual(text: str, others: Sequence[str]) -> bool:
        # One filling that is said again and again is the rule; the others are exceptions to it.
        all_of_them = sum(len(sessions[other]) for other in {text, *others})
        often = len(sessions[text]) >= USUAL * all_of_them
        return often and lasting[text] >= LASTING and not points(text)

    found = framed(text for text in sessions if text not in standing and not is_norm(text))
    return frozenset(text for text, others in found.items() if not usual(text, others))


def is_norm(text: str) -> bool:
    """Whether its form is that of a rule: rules about several things may well be said alike."""
    return bool(_RE.strong.search(text) or (_RE.norm.search(text) and not points(text)))


def points(text: str) -> bool:
    """Whether it points at the matter at hand."""
    return bool(_RE.pointing.search(text))


def is_pointing(text: str) -> bool:
    """Whether it points at the matter at hand, without a word of a rule."""
    return points(text) and not (_RE.strong.search(text) or _RE.norm.search(text))


def is_trouble(text: str) -> bool:
    """Whether it only reports that something does not work."""
    return bool(_RE.trouble.search(text)) and not _RE.strong.search(text)


def bared(observations: Sequence[Observation]) -> list[Observation]:
    """The remarks without phrases that open many unlike ones."""
    opened: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for one in observations:
        lead = _RE.lead.match(one.text)
        if lead and len(lead[1].split()) <= LEAD_WORDS:
            opened[lead[1].lower()].setdefault(one.text[lead.end() :].lower(), one.session)
    empty = {lead for lead, rests in opened.items() if _says_nothing(rests)}
    return [_without(one, empty) for one in observations]


def _says_nothing(rests: dict[str, str]) -> bool:
    if len(rests) < LEADS or len(set(rests.values())) < LEAD_SESSIONS:
        return False
    topics = Counter(stem for rest in rests for stem in stems(rest))
    return max(topics.values(), default=0) <= LEAD_TOPIC * len(rests)


def _without(one: Observation, empty: set[str]) -> Observation:
    lead = _RE.lead.match(one.text)
    if lead is None or lead[1].lower() not in empty:
        return one
    rest = one.text[lead.end() :]
    return replace(one, text=rest[:1].upper() + rest[1:], quote=one.quote or one.text)


def framed(texts: Iterable[str]) -> dict[str, list[str]]:
    """The sentences that fill a frame, each with others that fill it with other things."""
    cut = [(text, tuple(words(text))) for text in texts]
    runs: defaultdict[str, list[int]] = defaultdict(list)
    for number, (_, tokens) in enumerate(cut):
        for run in _runs(tokens):
            listed = runs[run]
            listed.append(number)
            if len(listed) > LISTED:
                del listed[0]
    found: dict[str, list[str]] = {}
    for number, (text, tokens) in enumerate(cut):
        near = Counter(other for run in _runs(tokens) for other in runs[run] if other != number)
        fillings: set[Filling] = set()
        others: list[str] = []
        for other in sorted(near, key=lambda other: (-near[other], other))[:COMPARED]:
            pair = hole(tokens, cut[other][1])
            if pair is not None:
                fillings |= set(pair)
                others.append(cut[other][0])
        # One of them may be a word that everybody uses, as long as the others are things.
        things = sum(map(_is_thing, fillings))
        enough = FILLINGS - 1 if points(text) else FILLINGS
        if len(fillings) >= enough and things >= max(1, enough - 1):
            found[text] = others
    return found


def _runs(tokens: Sequence[str]) -> set[str]:
    """Three words in a row, the ends marked: by them sentences of one frame are found."""
    marked = ["<", "<", *tokens, ">", ">"]
    return {" ".join(marked[at : at + 3]) for at in range(len(tokens) + 2)}


Filling = tuple[str, ...]


def hole(one: Sequence[str], other: Sequence[str]) -> tuple[Filling, Filling] | None:
    """What stands in the same one or two places of sentences that are otherwise the same."""
    if one == other:
        return None
    shortest = min(len(one), len(other))
    start = 0
    while start < shortest and one[start] == other[start]:
        start += 1
    end = 0
    while end < shortest - start and one[-1 - end] == other[-1 - end]:
        end += 1
    left, right = tuple(one[start : len(one) - end]), tuple(other[start : len(other) - end])
    fixed = [*one[:start], *one[len(one) - end :]]
    pairs = [(left, right)]
    between = _between(left, right)
    if between is not None:
        a, b, length = between
        fixed += left[a : a + length]
        pairs = [(left[:a], right[:b]), (left[a + length :], right[b + length :])]
    enough = len(fixed) >= max(FIXED, SHARE * max(len(one), len(other)))
    short = max(len(left), len(right)) <= len(pairs) * HOLE
    if not enough or not short or not content(fixed) or not any(_differ(*pair) for pair in pairs):
        return None
    return left, right


def _between(left: Filling, right: Filling) -> tuple[int, int, int] | None:
    """The longest run that two stretches share, with something before and after it in both."""
    best: tuple[int, int, int] | None = None
    for a in range(1, len(left) - 1):
        for b in range(1, len(right) - 1):
            length = 0
            most = min(len(left) - a, len(right) - b) - 1
            while length < most and left[a + length] == right[b + length]:
                length += 1
            if length >= BETWEEN and (best is None or length > best[2]):
                best = (a, b, length)
    return best


def _differ(left: Filling, right: Filling) -> bool:
    return left != right and (_is_thing(left) or _is_thing(right))


def _is_thing(filling: Filling) -> bool:
    """A name, a number, a word that not everybody uses in passing, or several words."""
    if any(mark.isdigit() or mark in "_./-" for word in filling for mark in word):
        return True
    own = content(filling)
    return len(own) > 1 or any(not is_common(stem) for stem in own)
