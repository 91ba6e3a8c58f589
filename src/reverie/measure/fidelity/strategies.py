"""Strategies: each rebuilds a history in so many characters, with the question or without it.

Those that choose among what was learned show it in the same form, entries whole, none twice. What
they choose among comes from `learn`, never from labels.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from reverie.language.words import stem
from reverie.measure.fidelity.histories import SLUG, HistoryHome, Said
from reverie.operations import transfer
from reverie.operations.starts import digesting
from reverie.recall import frame
from reverie.recall.entry import Entry, Ranked
from reverie.recall.pack import pack
from reverie.recall.query import words_of
from reverie.recall.rank import SIGNALS
from reverie.recall.recall import Request, Sources, recall
from reverie.recall.relevance import TermCounts
from reverie.recall.sources import correction_entry
from reverie.sessions.corrections import corrections
from reverie.settings import Settings

DRAWS = 5  # of the random strategy
K1, B = 1.2, 0.75
SUMMARY = "one-pass summary, rules"
PAGE = "long-term page"
DIGEST = "digest"
OURS = "ours"
WITHOUT = "mixture without "

BLIND = ("random", *SIGNALS, "mixture", SUMMARY, PAGE, DIGEST, OURS)
ABLATED = tuple(f"{WITHOUT}{name}" for name in SIGNALS)
BM25, TFIDF = "BM25", "TF-IDF"
BM25_AROUND = "BM25, also over what was said before"
BM25_TURNS = "BM25 over all human turns"
AWARE = (BM25, TFIDF, BM25_AROUND, BM25_TURNS, OURS)

_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s)[^.!?\n]*)*[.!?]*")
_FEWEST, _MOST = 4, 60  # words of a sentence that a summary may take


class Packing(NamedTuple):
    """What a strategy made of a history."""

    strategy: str
    budget: int
    text: str
    draw: int = 0


class Rebuilding:
    """One history, rebuilt in many ways."""

    def __init__(self, home: HistoryHome) -> None:
        self._home = home
        self._stores = home.stores
        self._counts = TermCounts()
        turns = [turn for turn in home.said() if turn.role == "human"]
        rows = list(map(correction_entry, corrections(home.index.database)))
        self._learned = Texts(rows)
        self._around = Texts(rows, [f"{row.text}\n{row.premise}\n{row.context}" for row in rows])
        self._turns = Texts([_turn(turn) for turn in turns])
        self._sentences = _sentences(turns)
        self._page = _page(home)

    def blind(self, strategy: str, budget: int, seed: int) -> str:
        """The history in at most `budget` characters, whatever will be asked."""
        if strategy == SUMMARY:
            return summary(self._sentences, budget)
        if strategy == PAGE:
            return _lines(self._page, budget)
        if strategy == DIGEST:
            scope = digesting.Scope(SLUG, self._stores)
            return digesting.composed(self._home, scope, budget).text
        if strategy == OURS:
            return self._recalled(Request(budget=budget))
        settings = self._home.settings
        if strategy.startswith(WITHOUT):
            weights = {strategy.removeprefix(WITHOUT): 0.0}
            settings = replace(settings, signals=replace(settings.signals, **weights))
            strategy = "mixture"
        request = Request(budget=budget, strategy=strategy, rules=False, seed=seed)
        return self._recalled(request, settings, stores=())

    def aware(self, strategy: str, budget: int, question: str) -> str:
        """The history in at most `budget` characters, for one question."""
        if strategy == OURS:
            return self._recalled(Request(query=question, budget=budget))
        if strategy == BM25_TURNS:
            return _bare(self._turns.best(bm25, question), budget)
        texts = self._around if strategy == BM25_AROUND else self._learned
        return _framed(texts.best(tfidf if strategy == TFIDF else bm25, question), budget)

    def _recalled(
        self,
        request: Request,
        settings: Settings | None = None,
        stores: tuple[str, ...] | None = None,
    ) -> str:
        home = self._home
        sources = Sources(
            home.database,
            home.index_database,
            settings or home.settings,
            home.clock,
            self._counts,
        )
        readable = self._stores if stores is None else stores
        return recall(request._replace(project=SLUG, stores=readable), sources).text


def contexts(
    home: HistoryHome, budgets: Sequence[int], blind: Sequence[str], seed: int
) -> tuple[Rebuilding, list[Packing]]:
    """What the strategies that do not see a question make of a history."""
    rebuilding = Rebuilding(home)
    packings = [
        Packing(strategy, budget, rebuilding.blind(strategy, budget, seed + draw), draw)
        for strategy in blind
        for budget in budgets
        for draw in range(DRAWS if strategy == "random" else 1)
    ]
    return rebuilding, packings


# --- choosing by the words of a question --------------------------------------------------------


Bag = Mapping[str, int]
Scorer = Callable[["Texts", Sequence[str], Bag], float]


class Texts:
    """Entries as bags of stems, with how common each stem is among them."""

    def __init__(self, entries: Sequence[Entry], texts: Sequence[str] | None = None) -> None:
        self._entries = entries
        searched = [entry.text for entry in entries] if texts is None else texts
        self._bags = [Counter(map(stem, words_of(text))) for text in searched]
        self.count = len(entries)
        self.seen = Counter(word for bag in self._bags for word in bag)
        self.mean = sum(bag.total() for bag in self._bags) / max(1, self.count)

    def best(self, score: Scorer, question: str) -> list[Entry]:
        """Those that share a word with the question, best first."""
        asked = list(dict.fromkeys(map(stem, words_of(question))))
        scored = [
            (score(self, asked, bag), entry)
            for entry, bag in zip(self._entries, self._bags, strict=True)
            if not bag.keys().isdisjoint(asked)
        ]
        scored.sort(key=lambda pair: (-pair[0], pair[1].id))
        return [entry for _, entry in scored]


def bm25(texts: Texts, asked: Sequence[str], bag: Bag) -> float:
    """Okapi BM25, as in the textbook."""
    size = K1 * (1 - B + B * sum(bag.values()) / texts.mean)
    counts = ((texts.seen[word], bag[word]) for word in asked if word in bag)
    return sum(
        math.log(1 + (texts.count - seen + 0.5) / (seen + 0.5)) * n * (K1 + 1) / (n + size)
        for seen, n in counts
    )


def tfidf(texts: Texts, asked: Sequence[str], bag: Bag) -> float:
    """Cosine of TF-IDF vectors."""

    def rarity(word: str) -> float:
        return math.log((1 + texts.count) / (1 + texts.seen[word])) + 1.0

    norm = math.sqrt(sum((n * rarity(word)) ** 2 for word, n in bag.items()))
    return sum(bag[word] * rarity(word) ** 2 for word in asked if word in bag) / norm


def _turn(turn: Said) -> Entry:
    place = f"{turn.session}#{turn.line}"
    return Entry(place, "session", turn.text, at=turn.at, place=place)


def _framed(order: Sequence[Entry], budget: int) -> str:
    """In the form in which recall shows what it found."""
    room = budget - len(frame.FOUND_HEAD) - 1
    taken = pack(
        [Ranked(entry._replace(premise=""), 0.0) for entry in order],
        room,
        lambda ranked: frame.shown(ranked.entry),
    )
    return "\n".join([frame.FOUND_HEAD, *(item.text for item in taken)]) if taken else ""


def _bare(order: Sequence[Entry], budget: int) -> str:
    """Nothing but words: what no system would do, and the most that fits."""
    taken = pack([Ranked(entry, 0.0) for entry in order], budget, lambda ranked: ranked.entry.text)
    return "\n".join(item.text for item in taken)


# --- a summary in one pass ----------------------------------------------------------------------


def _sentences(turns: Sequence[Said]) -> list[str]:
    parts = (" ".join(part.split()) for turn in turns for part in _SENTENCE.findall(turn.text))
    return [part for part in dict.fromkeys(parts) if _FEWEST <= len(part.split()) <= _MOST]


def summary(sentences: Sequence[str], budget: int) -> str:
    """SumBasic: again and again the sentence of the likeliest words, which then count less."""
    bags = [frozenset(map(stem, words_of(sentence))) for sentence in sentences]
    counts = Counter(word for bag in bags for word in bag)
    total = max(1, counts.total())
    odds = {word: count / total for word, count in counts.items()}
    left: list[int] = [place for place, bag in enumerate(bags) if bag]
    taken: list[int] = []
    while left:
        best = max(left, key=lambda at: (_mean(odds, bags[at]), -at))
        cost = len(sentences[best]) + bool(taken)
        if cost <= budget:
            budget -= cost
            taken.append(best)
            odds |= {word: odds[word] ** 2 for word in bags[best]}
        left = [at for at in left if at != best and len(sentences[at]) < budget]
    return "\n".join(sentences[at] for at in sorted(taken))


def _mean(odds: Mapping[str, float], bag: frozenset[str]) -> float:
    # Exact: the words of a set come in another order in every process.
    return math.fsum(odds[word] for word in bag) / len(bag)


def _page(home: HistoryHome) -> list[str]:
    """What the long-term pages of the project and of all projects tell, without their headings."""
    pages = [transfer.long_term(home, scope).text for scope in (SLUG, transfer.GLOBAL)]
    return [line for page in pages for line in page.splitlines() if line.startswith(("-", " "))]


def _lines(lines: Sequence[str], budget: int) -> str:
    """As many of the first lines as fit; none is cut."""
    taken: list[str] = []
    for line in lines:
        cost = len(line) + bool(taken)
        if cost > budget:
            break
        budget -= cost
        taken.append(line)
    return "\n".join(taken)
