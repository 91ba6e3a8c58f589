"""Rewording: a memory that nobody but a model or the rules had a hand in, in other words.

What a session shows to hold only in part, and what reads badly beside others, is said anew; the new
words are checked against the ones it rests on, like a lesson.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from reverie.db.database import Database
from reverie.language.words import content, words
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.naming import name_from, slug
from reverie.learn.memories.queue import Advice, Queue, Review
from reverie.learn.memories.quotes import Quote, quotes
from reverie.learn.memories.writing import Writer, trust_of
from reverie.learn.work.ground import Ground
from reverie.learn.work.grounding import Grounding, grounding
from reverie.store.library import Item
from reverie.store.model import Author
from reverie.trust import as_trusted, lowest


class Words(NamedTuple):
    """Other words for a memory."""

    text: str
    name: str = ""
    when: str = ""


class Entry(NamedTuple):
    """A memory that no person has touched."""

    item: Item
    behind: tuple[Review, ...]  # what it was made of
    quoted: tuple[Quote, ...]

    @classmethod
    def of(cls, item: Item, queue: Queue, database: Database) -> "Entry":
        behind = tuple(queue.of_memory(item.memory.id))
        return cls(item, behind, tuple(quotes(database, item.document.evidence).values()))

    @property
    def candidate(self) -> Candidate:
        """The lesson as it was last worded."""
        worded = [review.candidate for review in self.behind if review.candidate.name]
        return worded[-1] if worded else self.behind[0].candidate

    @property
    def is_rule(self) -> bool:
        """Whether the rules took it down as something that always holds, and no model since."""
        return self.candidate.standing and not self.candidate.name

    def grounding(
        self, given: Words, twins: "Iterable[Entry]" = (), after: Quote | None = None
    ) -> Grounding:
        """Whether new words are those of the person, or of lessons that were checked before.

        What takes in others that say the same may speak in their words too, and in those that the
        person said `after`.
        """
        entries = (self, *twins)
        quoted = [quote for entry in entries for quote in entry.quoted]
        # A lesson that is the person's own word may be used like one; another may be said again in
        # its own words, as what it is.
        checked = [entry.candidate.lesson for entry in entries]
        theirs = [entry.candidate.lesson for entry in entries if entry.item.memory.trust == "user"]
        turns = [quote.quote for quote in quoted] + theirs
        beside = [quote.premise for quote in quoted if quote.premise] + checked
        if after is not None:
            (turns if after.trust == "user" else beside).append(after.quote)
        known = (self.candidate.project,)
        ground = Ground(tuple(turns), tuple(beside), known, settled=tuple(checked))
        return grounding((given.text, given.when), ground)

    def reword(
        self,
        given: Words,
        writer: Writer,
        by: Author,
        twins: "Iterable[Entry]" = (),
        after: Quote | None = None,
    ) -> None:
        """Say it in other words; a person's word keeps its own, if these are not theirs.

        What an agent said `after` is no evidence of it.
        """
        held = self.item.memory.trust
        theirs = self.grounding(given, twins, after).whose == "person"
        trust = held if theirs else lowest(held, "agent")
        text, said = " ".join(given.text.split()), self.candidate
        if not as_trusted(trust, held):
            writer.advise(self.item, Advice("reword", text, ""))
            return
        later = [after] if after is not None and after.trust == "user" else []
        evidence = (*self.item.document.evidence, *(quote.id for quote in later))
        # A title of the old words may say what the new ones do not.
        fits = content(words(said.title)) <= content(words(text))
        worded = replace(
            said,
            lesson=text,
            name=slug(given.name) or said.name or name_from(text),
            title=said.title if fits else "",
            when=said.when or given.when,
            trust=trust,
            more=tuple(turn for turn in evidence if turn != said.evidence),
        )
        more = [
            in_their_words(worded, quote)
            for quote in (*self.quoted, *later)
            if quote.id != said.evidence
        ]
        writer.reword(self.item, worded, more, by=by)


def in_their_words(candidate: Candidate, quote: Quote) -> Candidate:
    """A turn as more evidence of a lesson."""
    return replace(
        candidate,
        evidence=quote.id,
        session=quote.session,
        at=quote.at,
        quote=quote.quote,
        trust=trust_of(quote.trust),
        more=(),
    )
