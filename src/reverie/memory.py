"""The front door: one memory, with all that Reverie does.

Every surface (command line, MCP, hooks, a script that says `import reverie`) opens a `Memory` and
calls it:

    with reverie.Memory.open() as memory:
        memory.learn()
        print(memory.recall("how are migrations run?").text)

This is the table of contents, with `housekeeping`; each deed is a module of `operations`, loaded
when it is used.
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.housekeeping import Housekeeping

if TYPE_CHECKING:
    from reverie.learn.due import Due
    from reverie.learn.run import LearnReport
    from reverie.operations.keeping import Tell
    from reverie.operations.learning import Waiting
    from reverie.operations.remembering import Remembered
    from reverie.sessions.index import Progress


class Memory(Housekeeping):
    """What a person, an agent or a script can do with one home."""

    # --- learning ---------------------------------------------------------------------------

    def learn(
        self,
        logs: str | Path | None = None,
        *,
        project: str | None = None,
        since: str | None = None,
        jobs: int | None = None,
        waiting: "Waiting | None" = None,
        progress: "Progress | None" = None,
    ) -> "LearnReport":
        """Read what is new in the agents' logs (or below `logs`) and keep what it teaches."""
        from reverie.operations import learning

        return learning.learn(
            self,
            None if logs is None else Path(logs),
            project=project,
            since=since,
            jobs=jobs,
            waiting=waiting or learning.unheard,
            progress=progress or learning.unseen,
        )

    def due(self) -> "Due":
        """Whether a dream is due; changes nothing."""
        from reverie.operations import learning

        return learning.due(self)

    # --- asking -----------------------------------------------------------------------------

    # --- memories, by name --------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        type: str | None = None,
        kind: str | None = None,
        scope: str | None = None,
        section: str | None = None,
        why: str = "",
        how: str = "",
        name: str | None = None,
        pin: bool = False,
        store: str | None = None,
    ) -> "Remembered":
        """Keep `text` as a memory, with the trust of whoever asks; what is known stays as it is."""
        from reverie.operations import remembering

        return remembering.remember(
            self,
            text,
            type=type,
            kind=kind,
            scope=scope,
            section=section,
            why=why,
            how=how,
            name=name,
            pin=pin,
            store=store,
        )

    # --- stores -------------------------------------------------------------------------------

    def in_step(self, tell: "Tell | None" = None) -> AbstractContextManager[None]:
        """Take over what was edited in mounted folders; at the end show there what changed."""
        from reverie.operations import keeping

        return keeping.in_step(self, tell) if tell else keeping.in_step(self)
