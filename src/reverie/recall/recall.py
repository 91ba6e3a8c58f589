"""Recall: standing rules first, then what a question finds, under a character budget.

    candidates → relevance → gate → rank → pack → verify → frame

Without a question the second part holds what this project and user most need now. Nothing is said
when nothing is good enough. Who asks about the past is told in the rest of the budget what was said
in earlier sessions.
"""

import math
import time
from collections.abc import Callable, Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from reverie.clock import Clock, iso, system_clock
from reverie.data import patterns
from reverie.db.database import Database
from reverie.errors import InvalidInput
from reverie.recall import frame
from reverie.recall.entry import Entry, Ranked
from reverie.recall.excerpt import excerpt
from reverie.recall.pack import Packed, covers, meaning, opposed, pack, repeats
from reverie.recall.query import Query, parse_query
from reverie.recall.rank import SEARCHING, Ranking, ranked
from reverie.recall.relevance import TermCounts
from reverie.recall.sources import Candidates, Gathered, Scope
from reverie.sessions.corrections import MAY_TEACH
from reverie.settings import Settings

if TYPE_CHECKING:
    from reverie.recall.verify import Finding, Reference, Tree

_RE = patterns("recall.txt", "verify")

LARGEST_BUDGET = 1_000_000
LONGEST = 300  # characters of an entry that a question found
NOTHING_SAID = 3  # words of a turn that tell nothing: "session resumed."
LONGEST_TURN = 420  # of a turn: what answers stands among the first few, seldom in one sentence
_GAP = "\n\n"
_RULES = "rule", frame.RULES_HEAD
# For who did not ask: so many times better than good enough, and at most so many.
_HIGH_BAR = 3.5
_FEW = 3
_CLAIMED = 0.5  # of what answers in a learned memory, so that its claim is enough
_FOUND_SHARE = 0.5  # of the room, where sessions are asked about
_TRIED = 3  # times as many entries are looked at as are told: some say the same


class Sources(NamedTuple):
    """Where recall reads, and by which settings."""

    database: Database
    sessions: Database  # the index
    settings: Settings
    clock: Clock = system_clock
    counts: TermCounts | None = None  # for those who ask more than once


class Request(NamedTuple):
    """One question, or none."""

    query: str = ""
    project: str = ""  # slug
    root: str = ""  # working tree for verification; "" checks nothing
    stores: tuple[str, ...] = ()  # ids of the stores that may be read
    budget: int | None = None
    window: int | None = None  # tokens the asker has in all
    handed: int = 0  # tokens its session was handed before
    types: tuple[str, ...] = ()
    strategy: str = "ours"
    since: str = ""
    rules: bool = True
    sessions: bool = False  # fill the rest with past sessions, whatever is asked
    confirmed: bool = False  # a person agreed to a large hand-over
    unasked: bool = False  # a person's word alone, few lines of it, and only far above the gate
    seed: int = 0


class Item(NamedTuple):
    """One entry that was handed over."""

    entry: Entry
    part: str  # "rule", "found" or "session"
    text: str
    score: float
    findings: "tuple[Finding, ...]" = ()


class Recall(NamedTuple):
    """What was handed over; `text` never has more than `budget` characters."""

    text: str
    items: tuple[Item, ...]
    budget: int
    warning: str = ""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What was handed over, without how it is shown."""
        return tuple(item.entry for item in self.items)

    @property
    def characters(self) -> int:
        return len(self.text)

    @property
    def tokens(self) -> int:
        return tokens_of(self.text)


def tokens_of(text: str) -> int:
    """An estimate: four bytes a token, which errs on the high side for English."""
    return math.ceil(len(text.encode("utf-8", "replace")) / 4)


def recall(request: Request, sources: Sources) -> Recall:
    """Answer one request.

    Raises:
        InvalidInput: a budget, window or strategy that cannot be.
    """
    settings = sources.settings.recall
    budget = settings.budget_chars if request.budget is None else request.budget
    if not 1 <= budget <= LARGEST_BUDGET:
        raise InvalidInput(f"a budget lies between 1 and {LARGEST_BUDGET} characters")
    if request.window is not None and request.window < 1:
        raise InvalidInput("a window has at least one token")
    now = sources.clock()
    scope = Scope(request.project, request.stores, request.types, request.since, iso(now), budget)
    gathered = _gathered(request, sources, scope)
    ranking = Ranking(
        now, settings, sources.settings.signals, sources.settings.decay.half_life_days, request.seed
    )
    checker = _Checker(request.root, settings.verify_ms, premises=bool(request.query))
    answer = _Answer(budget)
    rules = _rules(gathered.rules, ranking, budget, checker)
    hits = _found(request, gathered, ranking, _Answer(budget).add(*_RULES, rules), checker)
    # A rule that the question meets is told as what was found.
    hit_ids = {hit.ranked.entry.id for hit in hits}
    answer.add(*_RULES, [rule for rule in rules if rule.ranked.entry.id not in hit_ids])
    answer.add("found", frame.FOUND_HEAD, hits)
    answer.add("session", frame.SESSION_HEAD, _spoken(gathered, answer, checker))
    text = answer.text
    return Recall(
        text,
        tuple(
            _item(packed, part, checker) for part, _, entries in answer.parts for packed in entries
        ),
        budget,
        window_warning(request.handed + tokens_of(text), request.window, settings.warn_share),
    )


class _Gathered(NamedTuple):
    """What the databases hold for one request."""

    query: Query
    rules: list[Entry]
    found: Gathered
    spoken: list[Entry]


class _Answer:
    """The parts of an answer, as they are added; together they never exceed the budget."""

    def __init__(self, budget: int) -> None:
        self._left = budget
        self.parts: list[tuple[str, str, Sequence[Packed]]] = []

    def room(self, head: str) -> int:
        """Characters for the entries of one more part."""
        return self._left - (len(_GAP) if self.parts else 0) - len(head) - 1

    def add(self, part: str, head: str, entries: Sequence[Packed]) -> "_Answer":
        """A part under its heading; nothing if it has no entries."""
        if entries:
            self._left = self.room(head) + 1 - sum(len(packed.text) + 1 for packed in entries)
            self.parts.append((part, head, entries))
        return self

    @property
    def entries(self) -> list[Entry]:
        """What was told so far."""
        return [packed.ranked.entry for _, _, entries in self.parts for packed in entries]

    @property
    def text(self) -> str:
        blocks = (
            "\n".join([head, *(packed.text for packed in part)]) for _, head, part in self.parts
        )
        return _GAP.join(blocks)


def _gathered(request: Request, sources: Sources, scope: Scope) -> _Gathered:
    query = parse_query(request.query)
    if request.unasked:
        query = query._replace(resumes=False)  # a session that begins was told its rules
    # One moment of each database: what is written meanwhile is either all seen or not at all.
    with sources.database.snapshot(), sources.sessions.held():
        counts = sources.counts or TermCounts()
        candidates = Candidates(sources.database, sources.sessions, scope, counts)
        with sources.sessions.snapshot():
            rules = candidates.rules() if request.rules else []
            if request.query.strip() and query.says_nothing:
                # "How are you?" asks for nothing that could be remembered.
                return _Gathered(query, rules, Gathered([], {}, None), [])
            gathered = candidates.gather(
                query,
                everything=request.strategy not in SEARCHING,
                plain=request.strategy == "bm25",
            )
            asks = query.asks and not request.unasked
            looks_back = query.terms and (asks or request.sessions)
            spoken = candidates.spoken(query) if looks_back else []
    return _Gathered(query, rules, gathered, spoken)


class _Checker:
    """Verification marks, made when an entry is shown and remembered for the answer."""

    def __init__(self, root: str, milliseconds: int, *, premises: bool) -> None:
        self._root = root
        # Unasked, breadth counts: what the agent held can be looked up for each by its id.
        self._premises = premises
        self._limit = time.monotonic() + milliseconds / 1000
        self._tree: Tree | None = None
        self._ahead: list[str] = []
        self._named: dict[str, tuple[Reference, ...]] = {}  # text → what it names
        self._known: dict[Reference, Finding] = {}
        self.findings: dict[str, tuple[Finding, ...]] = {}

    def expect(self, order: Sequence[Ranked], room: int) -> None:
        """Who comes next: the tree is searched once for all they name, not once for each."""
        self._ahead = []
        for item in order:
            room -= len(item.entry.text)
            if room < 0:
                break
            self._ahead.append(item.entry.text)

    def shown(self, item: Ranked) -> str:
        entry = item.entry
        self.findings[entry.id] = findings = self._checked(entry)
        notes = [str(finding) for finding in findings if finding.state != "unchecked"]
        shown = entry if self._premises else entry._replace(premise="")
        return frame.shown(shown, "; ".join(notes))

    def _checked(self, entry: Entry) -> "tuple[Finding, ...]":
        named = self._names(entry.text)
        if not named:
            return ()
        if not self._known.keys() >= set(named):
            self._look_up([*named, *(name for text in self._ahead for name in self._names(text))])
            self._ahead = []
        findings = [self._known[name] for name in named]
        if entry.project:
            return tuple(findings)
        # What holds for every project need not show in this one's tree.
        return tuple(f for f in findings if f.state in ("verified", "changed"))

    def _names(self, text: str) -> "tuple[Reference, ...]":
        # Most entries name nothing that could be looked up; they do not pay for the machinery.
        if not self._root or not _RE.hint.search(text):
            return ()
        from reverie.recall.verify import references

        if text not in self._named:
            self._named[text] = references(text)
        return self._named[text]

    def _look_up(self, named: "Sequence[Reference]") -> None:
        from reverie.recall.verify import Tree, verify

        if self._tree is None:
            self._tree = Tree(self._root, lambda: time.monotonic() > self._limit)
        new = [name for name in dict.fromkeys(named) if name not in self._known]
        self._known |= zip(new, verify(new, self._tree), strict=True)


def _rules(
    rules: Sequence[Entry], ranking: Ranking, budget: int, checker: _Checker
) -> list[Packed]:
    # However small the budget, what was asked for keeps half of it.
    allowed = min(ranking.settings.rules_chars, budget // 2) - len(frame.RULES_HEAD) - 1
    short = [Ranked(entry._replace(text=entry.title), 1.0) for entry in rules]
    checker.expect(short, allowed)
    return pack(short, allowed, checker.shown, patience=20)


def _found(
    request: Request, gathered: _Gathered, ranking: Ranking, answer: _Answer, checker: _Checker
) -> list[Packed]:
    query, (entries, match, meeting) = gathered.query, gathered.found
    settings = ranking.settings
    if not request.query.strip():
        # Nobody asked for it: then a person's word alone is told.
        entries = [entry for entry in entries if entry.trust == "user"]
    most = len(entries)
    texts = {entry.id: entry.text for entry in answer.entries}
    if meeting is None or request.strategy != "ours":
        entries = [entry for entry in entries if entry.id not in texts]
    if meeting is not None and request.strategy == "ours":
        gate, most = settings.good_enough, settings.most_found
        if request.unasked:
            gate, most = _HIGH_BAR * gate, _FEW
            entries = [entry for entry in entries if entry.trust == "user"]
        entries = [entry for entry in entries if match[entry.id].relevance >= gate]
    plain = request.strategy == "bm25"
    order = ranked(
        _without_sources(entries),
        request.strategy,
        ranking,
        relevance={name: met.bm25 if plain else met.relevance for name, met in match.items()},
        query=query,
    )
    order = _agreeing_first(order, request.query)
    if meeting is not None:
        worth = meeting.worth
        order = [
            item._replace(entry=item.entry._replace(text=_told(item.entry, worth)))
            for item in order[: _TRIED * most]
        ]
        if not query.asks:
            order = [item for item in order if not _is_no_news(item.entry, request.query)]
    room = answer.room(frame.FOUND_HEAD)
    if gathered.spoken:
        # What was said answers as often as what was taught: neither takes the other's place.
        room = int(_FOUND_SHARE * room)
    checker.expect(order, room)
    ids = {item.entry.id for item in order}
    already = [text for name, text in texts.items() if name not in ids]
    taken = pack(order, room, checker.shown, already=already, most=most)
    # Age does not decide alone who is told, but who is told first.
    return (
        taken if request.query.strip() else sorted(taken, key=lambda packed: -packed.ranked.score)
    )


def _is_no_news(entry: Entry, prompt: str) -> bool:
    """An order that is given again is not answered by what was ordered before."""
    return entry.origin != "memory" and not entry.standing and repeats(entry.text, prompt)


def _told(entry: Entry, worth: Callable[[str], float]) -> str:
    """What is shown of an entry: of a learned memory its claim, of all else what answers.

    The words a memory was learned from are shown as well where its claim does not answer.
    """
    claim = entry.title
    if entry.origin != "memory" or not entry.evidence or len(claim) > LONGEST // 2:
        return excerpt(entry.text, worth, LONGEST)
    if worth(claim) >= _CLAIMED * worth(entry.text):
        return claim
    rest = entry.text.replace(claim, "", 1)
    return f"{claim}\n{excerpt(rest, worth, LONGEST - len(claim) - 1)}"


def _agreeing_first(order: Sequence[Ranked], question: str) -> list[Ranked]:
    """What a prompt contradicts is worth knowing, but is not told first."""
    asked = meaning(question)
    agreeing = (
        place for place, item in enumerate(order) if not opposed(asked, meaning(item.entry.text))
    )
    first = next(agreeing, 0)
    return [*order[first : first + 1], *order[:first], *order[first + 1 :]]


def _without_sources(entries: Sequence[Entry]) -> list[Entry]:
    """A correction that a memory rests on is told by that memory, as far as it says the same."""
    claims: dict[str, str] = {}
    for entry in entries:
        for place in entry.evidence if entry.origin == "memory" else ():
            claims[place] = f"{claims.get(place, '')}\n{entry.title}"
    return [
        entry
        for entry in entries
        if entry.id not in claims or not covers(claims[entry.id], entry.text)
    ]


def _spoken(gathered: _Gathered, answer: _Answer, checker: _Checker) -> list[Packed]:
    """What was said in earlier sessions, in the room that is left; nothing a second time.

    Turns in turn with corrections that the question only nearly meets: it is often met by what was
    said before a correction, and whoever asks is told turns without a gate anyway.
    """
    meeting = gathered.found.meeting
    if meeting is None or not gathered.spoken:
        return []
    places = {place for entry in answer.entries for place in (entry.id, *entry.evidence)}
    order: list[Ranked] = []
    for entry in chain.from_iterable(zip_longest(_nearly_met(gathered.found), gathered.spoken)):
        if entry is None or len(entry.text.split()) <= NOTHING_SAID:
            continue
        if places.isdisjoint((entry.id, *entry.evidence)):
            places.update((entry.id, *entry.evidence))
            text = excerpt(entry.text, meeting.worth, LONGEST_TURN)
            order.append(Ranked(entry._replace(text=text, premise=""), 0.0))
    already = [entry.text for entry in answer.entries]
    # What an agent repeats of a question is not what the person said.
    room = answer.room(frame.SESSION_HEAD)
    return pack(order, room, checker.shown, already=already, verbatim=True)


def _nearly_met(gathered: Gathered) -> list[Entry]:
    """The corrections that a search brought up, best first, whatever the gate says of them."""
    score = {name: match.bm25 for name, match in gathered.match.items()}
    taught = [
        entry
        for entry in gathered.entries
        if entry.origin == "correction" and entry.prior >= MAY_TEACH
    ]
    met = [entry for entry in taught if score[entry.id] > 0]
    return sorted(met, key=lambda entry: (-score[entry.id], entry.id))


def _item(packed: Packed, part: str, checker: _Checker) -> Item:
    entry = packed.ranked.entry
    return Item(entry, part, packed.text, packed.ranked.score, checker.findings.get(entry.id, ()))


def window_warning(tokens: int, window: int | None, share: float) -> str:
    """A sentence when what a session was handed in all takes much of its window; else ""."""
    if not window or tokens <= share * window:
        return ""
    return f"memory takes about {tokens} of {window} tokens of this session, more than {share:.0%}"
