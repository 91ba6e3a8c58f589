"""Recall: standing rules first, then what a question finds, under a character budget.

    candidates → relevance → rank → gate → pack → verify → frame

Without a question the second part holds what this project and user most need now. Nothing is said
when nothing is good enough.
"""

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from reverie.clock import Clock, iso, system_clock
from reverie.config import Settings
from reverie.db.database import Database
from reverie.errors import InvalidInput, Refused
from reverie.recall import frame
from reverie.recall.entry import Entry, Ranked
from reverie.recall.pack import Packed, pack
from reverie.recall.query import Query, parse_query
from reverie.recall.rank import SEARCHING, Ranking, ranked
from reverie.recall.relevance import Match, TermCounts
from reverie.recall.sources import Candidates, Scope

if TYPE_CHECKING:
    from reverie.recall.verify import Finding, Reference, Tree

LARGEST_BUDGET = 1_000_000
_GAP = "\n\n"


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
    types: tuple[str, ...] = ()
    strategy: str = "ours"
    since: str = ""
    rules: bool = True
    sessions: bool = False  # look into past sessions too
    confirmed: bool = False  # a large hand-over was agreed to
    seed: int = 0


class Item(NamedTuple):
    """One entry that was handed over."""

    entry: Entry
    part: str  # "rule" or "found"
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
        Refused: more than `recall.ask_above_chars` would be handed over, and nobody agreed.
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
    rules = _rules(gathered.rules, ranking, budget, checker)
    head = _block(frame.RULES_HEAD, rules)
    left = budget - len(head) - (len(_GAP) if head else 0)
    found = _found(request, gathered, ranking, rules, left, checker)
    text = _GAP.join(part for part in (head, _block(frame.FOUND_HEAD, found)) if part)
    result = Recall(
        text,
        tuple(_item(one, "rule", checker) for one in rules)
        + tuple(_item(one, "found", checker) for one in found),
        budget,
        _warning(text, request.window, settings.warn_share),
    )
    if result.characters > settings.ask_above_chars and not request.confirmed:
        raise Refused(
            f"this recall has {result.characters} characters"
            f" (limit without asking: {settings.ask_above_chars})",
            hint="confirm it (`--yes`, or `confirm` in the tool), or ask for less",
        )
    return result


class _Gathered(NamedTuple):
    """What the databases hold for one request."""

    query: Query
    rules: list[Entry]
    entries: list[Entry]
    match: dict[str, Match]


def _gathered(request: Request, sources: Sources, scope: Scope) -> _Gathered:
    query = parse_query(request.query)
    # One moment of each database: what is written meanwhile is either all seen or not at all.
    with sources.database.snapshot(), sources.sessions.held():
        counts = sources.counts or TermCounts()
        candidates = Candidates(sources.database, sources.sessions, scope, counts)
        with sources.sessions.snapshot():
            rules = candidates.rules() if request.rules else []
            entries, match = candidates.gather(
                query,
                sessions=request.sessions,
                everything=request.strategy not in SEARCHING,
                plain=request.strategy == "bm25",
            )
    return _Gathered(query, rules, entries, match)


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
        for one in order:
            room -= len(one.entry.text)
            if room < 0:
                break
            self._ahead.append(one.entry.text)

    def shown(self, one: Ranked) -> str:
        entry = one.entry
        self.findings[entry.id] = found = self._checked(entry)
        told = [str(finding) for finding in found if finding.state != "unchecked"]
        shown = entry if self._premises else entry._replace(premise="")
        return frame.shown(shown, "; ".join(told))

    def _checked(self, entry: Entry) -> "tuple[Finding, ...]":
        named = self._names(entry.text)
        if not named:
            return ()
        if not self._known.keys() >= set(named):
            self._look_up([*named, *(name for text in self._ahead for name in self._names(text))])
            self._ahead = []
        found = [self._known[name] for name in named]
        if entry.project:
            return tuple(found)
        # What holds for every project need not show in this one's tree.
        return tuple(f for f in found if f.state in ("verified", "changed"))

    def _names(self, text: str) -> "tuple[Reference, ...]":
        # Most entries name nothing that could be looked up; they do not pay for the machinery.
        if not self._root or not any(mark in text for mark in ("`", "/", "--", "()", ".")):
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
    request: Request,
    gathered: _Gathered,
    ranking: Ranking,
    rules: Sequence[Packed],
    left: int,
    checker: _Checker,
) -> list[Packed]:
    query, match = gathered.query, gathered.match
    said = {one.ranked.entry.id for one in rules}
    entries = [entry for entry in gathered.entries if entry.id not in said]
    if query.terms and request.strategy == "ours":
        entries = _good_enough(entries, match, ranking.settings.good_enough)
    order = _without_sources(
        ranked(
            entries,
            request.strategy,
            ranking,
            relevance=_relevance(match, request.strategy),
            query=query,
        )
    )
    allowed = left - len(frame.FOUND_HEAD) - 1
    checker.expect(order, allowed)
    already = [one.ranked.entry.text for one in rules]
    return pack(order, allowed, checker.shown, already=already)


def _good_enough(entries: Sequence[Entry], match: dict[str, Match], good: float) -> list[Entry]:
    """All that come near, if the best one is good enough; otherwise nothing."""
    best = max((match[entry.id].coverage for entry in entries), default=0.0)
    if best < good:
        return []
    return [entry for entry in entries if match[entry.id].coverage >= good / 3]


def _relevance(match: dict[str, Match], strategy: str) -> dict[str, float]:
    plain = strategy == "bm25"
    return {name: one.bm25 if plain else one.relevance for name, one in match.items()}


def _without_sources(order: list[Ranked]) -> list[Ranked]:
    """A correction that a better-placed memory rests on is not told a second time."""
    told: set[str] = set()
    kept: list[Ranked] = []
    for one in order:
        if one.entry.id not in told:
            kept.append(one)
            told.update(one.entry.evidence)
    return kept


def _block(head: str, entries: Sequence[Packed]) -> str:
    return "\n".join([head, *(one.text for one in entries)]) if entries else ""


def _item(one: Packed, part: str, checker: _Checker) -> Item:
    entry = one.ranked.entry
    return Item(entry, part, one.text, one.ranked.score, checker.findings.get(entry.id, ()))


def _warning(text: str, window: int | None, share: float) -> str:
    tokens = tokens_of(text)
    if window is None or tokens <= share * window:
        return ""
    return f"this recall takes about {tokens} of {window} tokens, more than {share:.0%}"
