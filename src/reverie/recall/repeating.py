"""Looking up once, for each correction, whether it had been said before.

Whoever asks how much memory helps need not compare all corrections with each other then.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from reverie.db.database import Database
from reverie.language.compare import is_same
from reverie.language.words import stem
from reverie.recall.query import words_of
from reverie.recall.stats import COMMON, said_in
from reverie.sessions import repeats
from reverie.sessions.corrections import CorrectionRow

_MOST_COMPARED = 40  # those with the most words in common


def note_repeats(index: Database) -> int:
    """Look at the corrections nobody looked at yet; how many there were."""
    fresh = repeats.unseen(index)
    if not fresh:
        return 0
    rows, known = repeats.rows_beside(index, fresh)
    pairs = list(said_before(rows, fresh, known))
    with index.atomic():
        repeats.note(index, pairs)
    return len(fresh)


def said_before(
    rows: Sequence[CorrectionRow], fresh: frozenset[str], known: set[str]
) -> Iterator[tuple[CorrectionRow, str]]:
    """Each fresh correction with the latest earlier one, from another session, that says the same;
    and older ones that a fresh one turns out to have said before."""
    texts = [said_in(row) for row in rows]
    by_word: dict[str, list[int]] = defaultdict(list)
    for place, (row, text) in enumerate(zip(rows, texts, strict=True)):
        words = {stem(word) for word in words_of(text)}
        is_fresh = row.id in fresh
        if is_fresh or row.id not in known:
            rare = (by_word[word] for word in words if len(by_word[word]) <= COMMON)
            shared = Counter(chain.from_iterable(rare))
            others = Counter({
                n: count for n, count in shared.items()
                if (is_fresh or rows[n].id in fresh)
                and rows[n].session != row.session and rows[n].project == row.project
            })  # fmt: skip
            likely = sorted((n for n, _ in others.most_common(_MOST_COMPARED)), reverse=True)
            same = (rows[n].id for n in likely if is_same(texts[n], text))
            first = next(same, "")
            if is_fresh or first:
                yield row, first
        for word in words:
            by_word[word].append(place)
