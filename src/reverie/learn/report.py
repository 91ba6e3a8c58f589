"""What a run of `learn` did. Loads nothing of what learns: most runs find nothing new."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.imports.run import Imported
    from reverie.learn.daily.dailies import Written
    from reverie.learn.memories.candidate import Candidate
    from reverie.learn.memories.writing import Outcome
    from reverie.sessions.aside import Aside
    from reverie.sessions.index import IndexReport
    from reverie.store.library import Item


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
    followed: "list[Imported]" = field(default_factory=list["Imported"])  # agents' own memory
    ended: "list[Item]" = field(default_factory=list["Item"])  # said to be over, and archived

    aside: "list[Aside]" = field(default_factory=list["Aside"])  # could not be learned

    @property
    def taken(self) -> list[str]:
        """What was taken over from agents' own memory, as `store:path`."""
        return [f"{one.store}:{one.path}" for done in self.followed for one in done.written]

    @property
    def gone(self) -> list[str]:
        """What agents deleted from their own memory, so it went to the archive."""
        return [f"{one.store}:{one.path}" for done in self.followed for one in done.gone]

    @property
    def kept(self) -> list[tuple[str, str]]:
        """Notes of agents that changed where a person's word stands, each with why."""
        return [(one.source, one.why) for done in self.followed for one in done.kept]

    def count(self, action: str) -> int:
        return sum(1 for _, outcome in self.outcomes if outcome.action == action)
