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
    from collections.abc import Callable, Iterator

    from reverie.dream.model import Form
    from reverie.dream.proposals.proposals import Proposal
    from reverie.dream.proposals.work import DreamTask, Taken
    from reverie.dream.run import Run
    from reverie.forget.archive import Archived
    from reverie.forget.run import Decayed
    from reverie.forget.stale import Stale
    from reverie.learn.daily.dailies import DailyEntry, DailyPage
    from reverie.learn.daily.daily import Daily
    from reverie.learn.detect.records import Judged
    from reverie.learn.diary.diaries import DiaryPage
    from reverie.learn.diary.handed_in import HandedIn
    from reverie.learn.due import Due
    from reverie.learn.memories.unlearn import Derived, Unlearned
    from reverie.learn.run import LearnReport
    from reverie.learn.work.desk import Task
    from reverie.operations.keeping import Tell
    from reverie.operations.learning import Waiting
    from reverie.operations.reach import Grounds
    from reverie.operations.recalling import Stretch
    from reverie.operations.remembering import Remembered
    from reverie.operations.reviewing import Desk
    from reverie.operations.working import Kind
    from reverie.recall.entry import Entry
    from reverie.recall.recall import Recall
    from reverie.recall.sources import RankedCorrection
    from reverie.sessions.corrections import CorrectionRow
    from reverie.sessions.diaries import DiaryRow
    from reverie.sessions.discover import Skipped
    from reverie.sessions.index import Progress
    from reverie.sessions.labels import Label
    from reverie.store.library import Item
    from reverie.store.model import Memory as Head
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
        wait: bool = True,
        waiting: "Waiting | None" = None,
        progress: "Progress | None" = None,
        tell: "Tell | None" = None,
    ) -> "LearnReport":
        """Read what is new in the agents' logs (or below `logs`) and keep what it teaches.

        One process learns at a time; with `wait=False` this raises LeaseHeld instead of waiting.
        """
        from reverie.operations import keeping, learning

        return learning.learn(
            self,
            _path(logs),
            project=project,
            since=since,
            jobs=jobs,
            waiting=(waiting or learning.unheard) if wait else None,
            progress=progress or learning.unseen,
            tell=tell or keeping.unheard,
        )

    def would_learn(
        self,
        logs: str | Path | None = None,
        *,
        project: str | None = None,
        since: str | None = None,
        skipped: "Callable[[Skipped], None] | None" = None,
    ) -> "Judged":
        """What `learn` would find in each human turn; nothing is written, no home is made."""
        from reverie.operations import learning

        return learning.would_learn(
            self,
            _path(logs),
            project=project,
            since=since,
            skipped=skipped or learning.unminded,
        )

    def derived(self, session: str) -> "Derived":
        """What rests on a session, and would go or weaken with it."""
        from reverie.operations import learning

        return learning.derived(self, session)

    def unlearn(
        self, session: str, reason: str, *, waiting: "Waiting | None" = None
    ) -> "Unlearned":
        """Remove all that a session taught, and never learn from it again."""
        from reverie.operations import learning

        return learning.unlearn(self, session, reason, waiting=waiting or learning.unheard)

    def due(self) -> "Due":
        """Whether a dream is due; changes nothing."""
        from reverie.operations import learning

        return learning.due(self)

    def remind(self) -> "Due":
        """As `due`; the next session that starts is reminded, or no longer."""
        from reverie.operations import learning

        return learning.remind(self)

    def corrections(
        self, *, project: str | None = None, since: str | None = None, strategy: str = "mixture"
    ) -> "list[RankedCorrection]":
        """What people said against what agents held, most telling first."""
        from reverie.operations import correcting

        return correcting.corrections(self, project=project, since=since, strategy=strategy)

    def labels(self) -> "dict[str, Label]":
        """Evidence id → what a person said about that turn."""
        from reverie.operations import correcting

        return correcting.labels(self)

    def label(self, evidence: str, correction: str, durable: str) -> None:
        """Say of a turn whether it is a correction, and what of it lasts; trains the detector."""
        from reverie.operations import correcting

        correcting.label(self, evidence, correction, durable)

    def unlabelled(
        self, *, project: str | None = None, since: str | None = None
    ) -> "list[CorrectionRow]":
        """The turns nobody judged yet, those first that would teach the detector most."""
        from reverie.operations import correcting

        return correcting.unlabelled(self, project=project, since=since)

    # --- dreaming and deciding --------------------------------------------------------------

    def dream(
        self,
        logs: str | Path | None = None,
        *,
        project: str | None = None,
        since: str | None = None,
        sessions: "Sequence[str]" = (),
        store: str | None = None,
        instructions: str = "",
        min_sessions: int | None = None,
        min_days: int | None = None,
        jobs: int | None = None,
        dry_run: bool = False,
        apply: bool = False,
        into: str | None = None,
        waiting: "Waiting | None" = None,
        progress: "Progress | None" = None,
    ) -> "Run":
        """Find what recurs over many sessions; the result's `proposal` waits in `review`.

        With `dry_run` nothing is written; with `apply` what needs no person is done at once; with
        `into` a new store is written instead.
        """
        from reverie.operations import dreaming, learning

        ask = dreaming.asked(
            self,
            project=project,
            since=since,
            sessions=sessions,
            store=store,
            instructions=instructions,
            min_sessions=min_sessions,
            min_days=min_days,
            unread=logs is not None,
        )
        told, seen = waiting or learning.unheard, progress or learning.unseen
        if dry_run:
            return dreaming.dream_dry(
                self, ask, _path(logs), jobs=jobs, waiting=told, progress=seen
            )
        return dreaming.dream(
            self,
            ask,
            _path(logs),
            jobs=jobs,
            apply=apply,
            into=into,
            waiting=told,
            progress=seen,
        )

    def proposals(self) -> "list[Proposal]":
        """What dreams and agents offered, newest first."""
        from reverie.operations import dreaming

        return dreaming.proposals(self)

    def proposal(self, reference: str) -> "Proposal":
        """One proposal, by id or a unique beginning of it."""
        from reverie.operations import dreaming

        return dreaming.proposal(self, reference)

    def review(self, *, root: str | Path | None = None, forms: "Sequence[Form]" = ()) -> "Desk":
        """What waits for a person, and their decisions: `pending`, `accept`, `reject`, `undo`.

        `forms` of accepted changes (a rule, a hook, a test …) are put below `root`.
        """
        from reverie.operations.reviewing import Desk

        return Desk(self, root=_path(root), forms=tuple(forms))

    # --- forgetting -------------------------------------------------------------------------

    def decay(self, *, dry_run: bool = False) -> "Decayed":
        """Let old memories go to the archive, each with the reason; pin what must stay."""
        from reverie.operations import forgetting

        return forgetting.decay(self, dry_run=dry_run)

    def archived(self) -> "list[Archived]":
        """What lies in the archive, by day, with where it came from."""
        from reverie.operations import forgetting

        return forgetting.archived(self)

    def stale(self) -> "list[Stale]":
        """Memories that name something which changed or is gone."""
        from reverie.operations import forgetting

        return forgetting.stale(self)

    def still_right(self, what: "str | Item") -> "Item":
        """A stale memory is right as of today."""
        from reverie.operations import forgetting

        return forgetting.still_right(self, what)

    def no_longer_right(self, what: "str | Item") -> "Item":
        """A stale memory goes to the archive."""
        from reverie.operations import forgetting

        return forgetting.no_longer_right(self, what)

    def put_right(self, item: "Item", text: str) -> None:
        """A stale memory says `text` now."""
        from reverie.operations import forgetting

        forgetting.put_right(self, item, text)

    # --- diaries ----------------------------------------------------------------------------

    def diary_rows(self, *, session: str | None = None, day: str | None = None) -> "list[DiaryRow]":
        """The diaries of a session or a day (ISO), or all, without their text; by time."""
        from reverie.operations import diaries

        return diaries.diary_rows(self, session=session, day=day)

    def diaries(self, *, session: str | None = None, day: str | None = None) -> "list[DiaryPage]":
        """The diaries of a session or a day (ISO), or all, as they are to be read."""
        from reverie.operations import diaries

        return diaries.diaries(self, session=session, day=day)

    def diary_of_task(self, session: str, number: int | None = None) -> "DiaryRow":
        """The diary of one task of a session, by its number if there are several."""
        from reverie.operations import diaries

        return diaries.diary_of_task(self, session, number)

    def hand_in_diary(self, task: "DiaryRow", text: str) -> "HandedIn":
        """Keep an agent's own diary of a task (JSON or Markdown) in place of the derived one."""
        from reverie.operations import diaries

        return diaries.hand_in_diary(self, task, text)

    def dailies(self) -> "list[DailyEntry]":
        """The days that have a daily, oldest first."""
        from reverie.operations import diaries

        return diaries.dailies(self)

    def daily(self, day: str | None = None) -> "DailyPage":
        """The daily of a day (ISO), or the newest."""
        from reverie.operations import diaries

        return diaries.daily(self, day)

    def composed(self, day: str) -> "Daily | None":
        """What the daily of a day (ISO) is made from; None when nothing happened then."""
        from reverie.operations import diaries

        return diaries.composed(self, day)

    # --- work for agents --------------------------------------------------------------------

    def next_piece(
        self, kind: "Kind" = "learn", *, project: str | None = None, everything: bool = False
    ) -> "Task | DreamTask | None":
        """Take the oldest piece of work that nobody has; None when all was looked at."""
        from reverie.operations import working

        return working.next_piece(self, kind, project=project, everything=everything)

    def submit_piece(self, reference: str, text: str) -> "Taken":
        """Take an agent's answer to a piece, or send it back with every reason."""
        from reverie.operations import working

        return working.submit(self, reference, text)

    def run_pieces(
        self, pieces: int = 1, *, project: str | None = None, everything: bool = False
    ) -> "Iterator[Taken]":
        """Have Claude Code answer for pieces, one whenever the next is asked for. Costs money."""
        from reverie.operations import working

        return working.run(self, pieces, project=project, everything=everything)

    def run_session(self, session: str) -> "Iterator[Taken]":
        """As `run_pieces`, for all that is new in one session, by its key."""
        from reverie.operations import working

        return working.run_session(self, session)

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

    def readable_content(self, store: str, memory: "Head") -> str:
        """What a memory says, without words of other projects if an agent asks."""
        from reverie.operations import reach

        return reach.readable_content(self, store, memory)

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

    # --- sessions -----------------------------------------------------------------------------

    def prepare_rules(self, folder: str) -> None:
        """Prepare the standing rules that sessions which start in `folder` may be told."""
        from reverie.operations import starting

        starting.prepare(self, folder)


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)
