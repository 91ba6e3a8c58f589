"""The front door: one memory, with what a script needs of it.

    with reverie.Memory.open() as memory:
        memory.learn()
        print(memory.recall("how are migrations run?").text)

Every surface (command line, MCP, hooks, a script that says `import reverie`) opens a `Memory`. The
deeds are functions of `operations`, loaded when they are used, that take it first; those that a
script cannot do without are methods, too.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.home import Home

if TYPE_CHECKING:
    from reverie.dream.model import Form
    from reverie.dream.run import Run
    from reverie.forget.run import Decayed, Plan
    from reverie.learn.due import Due
    from reverie.learn.memories.unlearn import Unlearned
    from reverie.learn.report import LearnReport
    from reverie.operations.checking import Check, Finding
    from reverie.operations.dreaming import Thinker
    from reverie.operations.forgotten import Forgot
    from reverie.operations.keeping import Tell
    from reverie.operations.learning import Waiting
    from reverie.operations.memories import Reasons
    from reverie.operations.remembering import Remembered
    from reverie.operations.reviewing import Desk
    from reverie.operations.status import Status
    from reverie.recall.digest import Digest
    from reverie.recall.recall import Recall
    from reverie.sessions.index import Progress
    from reverie.store.library import Item
    from reverie.sync.exchange import Exchanged


class Memory(Home):
    """What a person, an agent or a script can do with one home."""

    def learn(
        self,
        logs: str | Path | None = None,
        *,
        project: str | None = None,
        since: str | None = None,
        jobs: int | None = None,
        wait: bool = True,
    ) -> "LearnReport":
        """Read what is new in the agents' logs (or below `logs`) and keep what it teaches.

        One process learns at a time; with `wait=False` this raises LeaseHeld instead of waiting.
        """
        from reverie.operations import keeping, learning

        waiting = keeping.unheard if wait else None
        return learning.learn(
            self, _path(logs), project=project, since=since, jobs=jobs, waiting=waiting
        )

    def unlearn(self, session: str, reason: str) -> "Unlearned":
        """Remove all that a session taught, and never learn from it again."""
        from reverie.operations import learning

        return learning.unlearn(self, session, reason)

    def due(self) -> "Due":
        """Whether a dream is due; changes nothing."""
        from reverie.operations import learning

        return learning.due(self)

    def dream(
        self,
        logs: str | Path | None = None,
        *,
        project: str | None = None,
        since: str | None = None,
        sessions: "Sequence[str]" = (),
        last: int = 0,
        new: bool = False,
        store: str | None = None,
        instructions: str = "",
        min_sessions: int | None = None,
        min_days: int | None = None,
        most: int | None = None,
        jobs: int | None = None,
        dry_run: bool = False,
        apply: bool = False,
        into: str | None = None,
        thinker: "Thinker | None" = None,
        waiting: "Waiting | None" = None,
        progress: "Progress | None" = None,
    ) -> "Run":
        """Find what recurs over many sessions; the result's `proposal` waits in `review`.

        With `dry_run` nothing is written; with `apply` what needs no person is done at once; with
        `into` a new store is written instead. The ten patterns of most worth are offered, or
        `most`; 0 for all. `last` looks at the sessions of so many diaries, the latest, `new` at
        what came since the last dream about the same.
        A `thinker` has a model look over the sessions, too.
        """
        from reverie.operations import dreaming
        from reverie.operations.keeping import unheard

        ask = dreaming.asked(
            self,
            project=project,
            since=since,
            sessions=sessions,
            last=last,
            new=new,
            store=store,
            instructions=instructions,
            min_sessions=min_sessions,
            min_days=min_days,
            most=most,
        )
        on_wait, seen = waiting or unheard, progress or unheard
        folder = _path(logs)
        if dry_run:
            return dreaming.dream_dry(
                self, ask, folder, jobs=jobs, thinker=thinker, waiting=on_wait, progress=seen
            )
        return dreaming.dream(
            self,
            ask,
            folder,
            jobs=jobs,
            apply=apply,
            into=into,
            thinker=thinker,
            waiting=on_wait,
            progress=seen,
        )

    def review(self, *, root: str | Path | None = None, forms: "Sequence[Form]" = ()) -> "Desk":
        """What waits for a person, and their decisions: `pending`, `accept`, `reject`, `undo`.

        `forms` of accepted changes (a rule, a hook, a test …) are put below `root`.
        """
        from reverie.operations.reviewing import Desk

        return Desk(self, root=_path(root), forms=tuple(forms))

    def decay(
        self, *, dry_run: bool = False, agreed: "Callable[[Plan], bool] | None" = None
    ) -> "Decayed":
        """Let old memories go to the archive, each with the reason; pin what must stay.

        With `agreed`, what would be done is shown to it first, and done only if it says yes.
        """
        from reverie.operations import forgetting

        return forgetting.decay(self, dry_run=dry_run, agreed=agreed or forgetting.always)

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

    def digest(self, *, budget: int | None = None) -> "Digest":
        """What a session that begins now is told: one line per lesson, the best first."""
        from reverie.operations.starts import digesting

        return digesting.digest(self, budget=budget)

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
        expires: str = "",
    ) -> "Remembered":
        """Keep `text` as a memory, with the trust of whoever asks; what is known stays as it is.

        What it contradicts, or says to be over, goes to the archive: `ended` of what is returned.
        """
        from reverie.operations import ending, remembering

        return ending.remembered(
            self,
            text,
            lambda: remembering.remember(
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
                expires=expires,
            ),
        )

    def memories(
        self,
        *,
        types: Sequence[str] = (),
        kinds: Sequence[str] = (),
        trusts: Sequence[str] = (),
        scope: str | None = None,
        store: str | None = None,
        everywhere: bool = False,
        pinned: bool = False,
        archived: bool = False,
    ) -> "list[Item]":
        """The memories of the project and the shared ones, of one store, or of every store."""
        return self.library.documents(
            store,
            types=types,
            kinds=kinds,
            trusts=trusts,
            scope=scope,
            pinned=pinned or None,
            archived=archived,
            everywhere=everywhere,
        )

    def why(self, name: str) -> "Reasons":
        """Where a memory comes from: the words it rests on, its versions, when it was recalled."""
        from reverie.operations import memories

        return memories.why(self, name)

    def forget(self, name: str, why: str = "") -> "Forgot":
        """Let go of a memory, a correction or a candidate, with its words; `restore` undoes it."""
        from reverie.operations import forgotten

        return forgotten.forget(self, name, why)

    def restore(self, name: str, why: str = "") -> "Forgot":
        """Bring back what was forgotten, or a memory that lies in the archive."""
        from reverie.operations import forgotten

        return forgotten.restore(self, name, why)

    def pin(self, name: str, why: str = "") -> "Item":
        """Protect a memory from decay and list it first."""
        from reverie.operations import memories

        return memories.pin(self, name, why)

    def sync(self, tell: "Tell | None" = None) -> None:
        """One look at the folders that show a store; what was edited there is taken over."""
        from reverie.operations import keeping

        keeping.sync(self, tell) if tell else keeping.sync(self)

    def sync_with(
        self,
        remote: str | Path,
        *,
        stores: "Sequence[str]" = (),
        team: bool = False,
        author: str | None = None,
        key: str | None = None,
        encrypt: bool = False,
        dry_run: bool = False,
    ) -> "Exchanged":
        """Exchange versions with other machines through a folder or a git repository.

        Args:
            remote: The folder, or the address of the repository; remembered.
            stores: Only these travel; all if none is named.
            team: Others use it, too: what they write has their name and the trust of an agent.
            author: The name a team sees.
            key: The key of this person's other machines, to join them.
            encrypt: Whoever keeps the remote cannot read what is there.
            dry_run: Change nothing, here or there.
        """
        from reverie.operations import syncing

        wish = syncing.Wish(team or None, tuple(stores) or None, author, encrypt)
        return syncing.sync_with(self, str(remote), wish, key=key, dry_run=dry_run)

    def in_step(self, tell: "Tell | None" = None) -> AbstractContextManager[None]:
        """Take over what was edited in mounted folders; at the end show there what changed."""
        from reverie.operations import keeping

        return keeping.in_step(self, tell) if tell else keeping.in_step(self)

    def status(self, connected: Sequence[str] = ()) -> "Status":
        """What is known, what is pending, what to do next; `connected` names agents that ask."""
        from reverie.operations import status

        return status.status(self, connected)

    def check(self, more: "Sequence[Check]" = (), tell: "Tell | None" = None) -> "list[Finding]":
        """Check databases, files and logs, and what the caller knows `more` of."""
        from reverie.operations import checking
        from reverie.operations.keeping import unheard

        return checking.check(self, more, tell or unheard)


def _path(place: str | Path | None) -> Path | None:
    return None if place is None else Path(place)
