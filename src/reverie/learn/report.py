"""What a run of `learn` did. Loads nothing of what learns: most runs find nothing new."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from reverie.learn.daily.dailies import Written
    from reverie.learn.memories.candidate import Candidate
    from reverie.learn.memories.writing import Outcome
    from reverie.sessions.aside import Aside
    from reverie.sessions.index import IndexReport
    from reverie.store.library import Item


class Followed(NamedTuple):
    """What became of the memory that agents keep themselves."""

    taken: tuple[str, ...] = ()  # over, or anew: `store:path`
    gone: tuple[str, ...] = ()  # deleted by its agent, so it went to the archive: `store:path`
    kept: tuple[tuple[str, str], ...] = ()  # notes that changed where a person's word stands, why


@dataclass(slots=True)
class LearnReport:
    """What one run did, for the summary at its end."""

    index: "IndexReport"
    sessions: int = 0
    human_turns: int = 0
    corrections: int = 0
    durable: int = 0
    diaries: int = 0
    dailies: "list[Written]" = field(default_factory=list["Written"])
    learned: list[str] = field(default_factory=list[str])  # session keys
    outcomes: "list[tuple[Candidate, Outcome]]" = field(
        default_factory=list["tuple[Candidate, Outcome]"]
    )
    waiting: int = 0  # what a person is asked about, if this run added to it
    followed: Followed = field(default_factory=Followed)
    ended: "list[Item]" = field(default_factory=list["Item"])  # said to be over, and archived

    aside: "list[Aside]" = field(default_factory=list["Aside"])  # could not be learned

    def count(self, action: str) -> int:
        return sum(1 for _, outcome in self.outcomes if outcome.action == action)
