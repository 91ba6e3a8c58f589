"""The front door: one memory, with all that Reverie does.

Every surface (command line, MCP, hooks, a script that says `import reverie`) opens a `Memory` and
calls it:

    with reverie.Memory.open() as memory:
        memory.learn()
        print(memory.recall("how are migrations run?").text)

This is the table of contents, with `housekeeping`; each deed is a module of `operations`, loaded
when it is used.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.housekeeping import Housekeeping

if TYPE_CHECKING:
    from reverie.learn.due import Due
    from reverie.learn.run import LearnReport
    from reverie.operations.keeping import Tell
    from reverie.operations.learning import Waiting
    from reverie.operations.reach import Grounds
    from reverie.operations.recalling import Stretch
    from reverie.operations.remembering import Remembered
    from reverie.recall.entry import Entry
    from reverie.recall.recall import Recall
    from reverie.sessions.index import Progress
    from reverie.store.library import Item
    from reverie.store.model import StoreName
    from reverie.store.store import Store


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

    def recall(
        self,
        question: str = "",
        *,
        budget: int | None = None,
        window: int | None = None,
        types: Sequence[str] = (),
        strategy: str = "ours",
        since: str = "",
        rules: bool = True,
        sessions: bool = False,
        confirmed: bool = False,
    ) -> "Recall":
        """Standing rules, then what a question finds; without one, what is most needed now.

        Args:
            budget: Most characters to hand over; the setting `recall.budget_chars` if absent.
            window: Tokens the asker has in all; a warning says when the answer fills it.
            types: Only memories of these types.
            since: Nothing older than this ISO day.
            rules: Whether the standing rules come first.
            sessions: Look into past sessions, too.
            confirmed: A very large answer was agreed to.

        Raises:
            InvalidInput: a budget, window or strategy that cannot be.
            Refused: very much would be handed over, and nobody agreed.
        """
        from reverie.operations import recalling
        from reverie.recall.recall import Request

        request = Request(
            query=question,
            budget=budget,
            window=window,
            types=tuple(types),
            strategy=strategy,
            since=since,
            rules=rules,
            sessions=sessions,
            confirmed=confirmed,
        )
        return recalling.recall(self, request)

    def anything_known(self) -> bool:
        """Whether there is any memory, or any session was read."""
        from reverie.operations import recalling

        return recalling.anything_known(self)

    def search_sessions(self, question: str, *, since: str = "", limit: int = 10) -> "list[Entry]":
        """What was said in earlier sessions of the project, best first."""
        from reverie.operations import recalling

        return recalling.search_sessions(self, question, since=since, limit=limit)

    def read_session(self, reference: str, *, line: int = 0, turns: int = 12) -> "Stretch":
        """A stretch of an earlier session of the project, around a line."""
        from reverie.operations import recalling

        return recalling.read_session(self, reference, line=line, turns=turns)

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

    def acting(self) -> "Store":
        """The stores with the rights of whoever asks."""
        from reverie.operations import reach

        return reach.acting(self)

    def reachable_stores(self) -> "list[StoreName]":
        """The stores within reach: the project's own, `global`, and what is attached to it."""
        from reverie.operations import reach

        return reach.stores(self)

    def reachable_store(self, name: str) -> "StoreName":
        """One of `reachable_stores` by its name; others do not exist here."""
        from reverie.operations import reach

        return reach.find_store(self, name)

    def make_store(self, name: str) -> "StoreName":
        """The project's own store or `global`, made on the first write."""
        from reverie.operations import reach

        return reach.make_store(self, name)

    def reachable_memory(self, name: str) -> "Item":
        """A memory within reach, by path, name or `store/path`."""
        from reverie.operations import reach

        return reach.find_memory(self, name)

    def grounds(self, name: str) -> "Grounds":
        """Why a memory within reach says what it says: its sources, and every change to it."""
        from reverie.operations import reach

        return reach.grounds(self, name)

    def sync(self, tell: "Tell | None" = None) -> None:
        """One look at the folders that show a store; what was edited there is taken over."""
        from reverie.operations import keeping

        keeping.sync(self, tell) if tell else keeping.sync(self)

    def in_step(self, tell: "Tell | None" = None) -> AbstractContextManager[None]:
        """Take over what was edited in mounted folders; at the end show there what changed."""
        from reverie.operations import keeping

        return keeping.in_step(self, tell) if tell else keeping.in_step(self)
