"""Ground: all that a lesson may rest on, by whose words they are.

A person's own words are those they typed themselves: what they pasted, quoted or repeat of others
stands beside them, like what the agent said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from reverie.data import patterns
from reverie.learn.statements.utterance import Sentence, hear
from reverie.learn.work.bearing import agreed_to, goes_on_after, remembered
from reverie.learn.work.pieces import Line, Part, Task
from reverie.learn.work.turning import contradicts
from reverie.store.library import Item

_RE = patterns("work.txt", "grounding")

OPENING = 120  # characters of a session's first words, which say what it is about

Sources = Sequence[tuple[Part, Line]]


@dataclass(frozen=True)
class Ground:
    """What a lesson may rest on."""

    said: tuple[str, ...]  # the turns that are its evidence
    beside: tuple[str, ...] = ()  # what was shown with them
    known: tuple[str, ...] = ()  # what goes without saying: the names of the project
    chosen: tuple[str, ...] = ()  # what the person picked when the agent asked
    many: bool = False  # turns of many sessions, of which the text says what they have in common
    complained: bool = False  # whether somebody tells what they want the contrary of
    elsewhere: tuple[tuple[str, str], ...] = ()  # what else was said in the session, by its id
    settled: tuple[str, ...] = ()  # what the agent had asked and the person said yes to
    restated: tuple[str, ...] = ()  # a person's word that is remembered, and that it replaces
    named: tuple[str, ...] = ()  # what is remembered besides, where the names of things stand
    built_on: bool = False  # whether the person went on with what the agent had answered

    @cached_property
    def turns(self) -> tuple[str, ...]:
        """The turns; who puts all they say in quotation marks quotes nobody."""
        return tuple(_RE.all_quoted.sub(r"\1", turn) for turn in self.said)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """What the person typed themselves in these turns."""
        return tuple(sentence for turn in self.turns for sentence in hear(turn).sentences)

    @cached_property
    def typed(self) -> tuple[str, ...]:
        """What the person typed themselves, or picked."""
        return (*(sentence.text for sentence in self.sentences), *self.chosen)

    @property
    def agreed(self) -> tuple[str, ...]:
        """What is theirs without being said in these turns."""
        return (*self.settled, *self.restated)


def ground_of(lesson: str, sources: Sources, task: Task, replaced: Iterable[Item]) -> Ground:
    """What a lesson may rest on that names these lines and says some memories anew.

    What is remembered was checked when it was written, and lends its words as what it is; the
    opposite of a lesson lends it none.
    """
    beside = [line.text for _, line in sources if line.who == "agent"]
    for part, line in sources:
        beside += [near.text for near in part.beside(line.id)]
    kept = [item for item in replaced if not contradicts(lesson, remembered(item))]
    beside += [remembered(item) for item in kept if item.memory.trust != "user"]
    session = sources[0][0].session
    opening = next((line.text for line in sources[0][0].lines if line.who == "person"), "")
    cited = {part.evidence(line) for part, line in sources}
    return Ground(
        said=tuple(line.said for _, line in sources if line.who == "person"),
        beside=tuple(beside),
        known=(
            task.project,
            session.agent,
            session.cwd.rpartition("/")[2],
            session.remote,
            opening[:OPENING],
            *(line.at[:10] for _, line in sources),
        ),
        chosen=tuple(line.text for _, line in sources if line.who == "choice"),
        elsewhere=tuple(
            (name, line.text)
            for name, (part, line) in task.piece.quoted().items()
            if part.evidence(line) not in cited
        ),
        settled=tuple(agreed_to(sources)),
        restated=tuple(remembered(item) for item in kept if item.memory.trust == "user"),
        named=tuple(map(remembered, (*task.memories.values(), *task.others.values()))),
        built_on=goes_on_after(lesson, sources),
    )
