"""Instructions: what a project's files for agents say already, as far as sessions show them."""

from collections import defaultdict

from reverie.dream.model import Night, Pattern
from reverie.learn.traffic.commands import form_of
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import traces

SAID = 0.1  # what a pattern is worth that the instructions tell as well


class Instructions:
    """The commands that the instructions of each project name."""

    def __init__(self, night: Night) -> None:
        self._forms: defaultdict[str, set[str]] = defaultdict(set)
        if night.reach is not None:
            for row in traces(Chosen(night.reach.database, night.sessions), "instructed"):
                self._forms[row.project].update(row.trace.data)

    def share(self, one: Pattern) -> float:
        """How much of its worth is left to a procedure all of whose steps are named there."""
        steps = {form_of(tuple(step.split())) for step in one.group.members[0].steps}
        if one.group.source != "sequence" or not steps:
            return 1.0
        return SAID if all(steps <= self._forms[name] for name in one.group.projects) else 1.0
