"""`learn`: read what is new, judge it, write what is sure, queue the rest.

Two databases, so two steps that each can be killed at any byte: the corrections of a session are
stored with the session in `index.db`; memories are then written from those rows, and only after
that is the session marked as learned. A run that died in between goes on where it was, and writing
twice changes nothing, because a candidate has the same id on every run.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import repeat

from reverie.db.points import reached
from reverie.documents.vocabulary import GLOBAL
from reverie.language.compare import is_ending
from reverie.learn.daily.dailies import Chronicler
from reverie.learn.detect.judge import Judge, Judgement
from reverie.learn.detect.misstep import ENOUGH_LABELS, EVERYBODYS, Misstep, fit
from reverie.learn.detect.observe import WEIGHT, neighbourhoods, observe, with_signals
from reverie.learn.diary.diaries import Diarist, fix_candidates, written_up
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.writing import Ending, Writer, trust_of
from reverie.learn.report import LearnReport
from reverie.learn.statements.talk import setting_of, talked_rules
from reverie.learn.traffic.traces import traces
from reverie.privacy import Ignored
from reverie.sessions.aside import Aside, Step, apart, asides, set_aside, take_back
from reverie.sessions.awaiting import (
    await_learning,
    awaiting_learning,
    is_learned,
    settle,
    unsettled,
)
from reverie.sessions.corrections import (
    CorrectionRow,
    corrections,
    replace_session,
    replace_signals,
)
from reverie.sessions.diaries import diaries, replace_diaries
from reverie.sessions.discover import LogFile
from reverie.sessions.fixes import replace_fixes
from reverie.sessions.index import Index, IndexReport, SessionRead
from reverie.sessions.saved import Saved
from reverie.sessions.statements import StatementRow, replace_statements, statements
from reverie.sessions.traces import replace_traces
from reverie.store.library import Item
from reverie.store.model import Actor, Author

Progress = Callable[[int, int], None]


def _no_progress(_done: int, _total: int) -> None:
    return None


def _unhindered() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Learner:
    """The parts a run needs; composed by the surface that was asked."""

    index: Index
    writer: Writer
    judge: Judge
    redact: Callable[[str], str]
    diarist: Diarist | None = None  # without one, diaries stay in the index
    chronicler: Chronicler | None = None  # without one, no dailies are written
    policy: Ignored | None = None
    buried: frozenset[str] = frozenset()
    executor: Executor | None = None
    # Told of every session read; makes it the author of what it wrote into mounted folders.
    credit: Callable[[SessionRead], None] | None = None
    # Where agents saved memory themselves: not saved a second time.
    saved: Saved = field(default_factory=Saved)
    # Evidence → whether a person called it a correction.
    labelled: Mapping[str, bool] = field(default_factory=dict[str, bool])
    # Told of every session that was learned, before it counts as such.
    mark: Callable[[str], object] = lambda _: None
    # Called with every session: raises when another process has taken over.
    keep: Callable[[], None] = _unhindered

    def learn(self, files: Iterable[LogFile], progress: Progress = _no_progress) -> LearnReport:
        """Read new or grown sessions among `files` and write what they taught."""
        report = self.read(files, progress)
        self._write(report)
        return report

    def read(self, files: Iterable[LogFile], progress: Progress = _no_progress) -> LearnReport:
        """Only the first half: what sessions hold goes into the index, no memory is written."""
        report = LearnReport(IndexReport())

        def visit(read: SessionRead) -> Callable[[], None]:
            self.keep()
            reached("learn_read")
            return self._judged(read, report)

        report.index = self.index.update(
            files,
            redact=self.redact,
            visit=visit,
            progress=progress,
            policy=self.policy,
            buried=self.buried,
            executor=self.executor,
        )
        report.aside += report.index.aside
        return report

    def _judged(self, read: SessionRead, report: LearnReport) -> Callable[[], None]:
        """Judge a session; what is returned stores all that was made of it."""
        if read.head.subagent:
            return _unhindered
        if self.credit is not None:
            self.credit(read)
        judgements = self.judge.session(read.turns)
        rows, said = self._observed(read, judgements)
        diaries, fixes = written_up(read, judgements)
        done = traces(read)

        def keep() -> None:
            database = self.index.database
            replace_session(database, read.key, rows)
            replace_diaries(database, read.key, diaries)
            replace_fixes(database, read.key, fixes)
            replace_statements(database, read.key, said)
            replace_traces(database, read.key, read.project.slug, done)
            await_learning(database, read.key, read.project.slug)
            report.sessions += 1
            report.diaries += len(diaries)
            report.human_turns += len(judgements)
            report.corrections += sum(1 for row in rows if row.label != "none")
            report.durable += sum(1 for row in rows if row.durable != "none")

        return keep

    def _observed(
        self, read: SessionRead, judgements: list[Judgement]
    ) -> tuple[list[CorrectionRow], list[StatementRow]]:
        """What a session holds: corrections, and what its turns state."""
        rows, said = observe(read, judgements, self._taken(read))
        if setting_of(read.head.agent, read.turns) == "work":
            return rows, said
        # The judge knows how people talk to agents; what it makes of other talk is a guess.
        rows = [row._replace(sure=False) for row in rows]
        rules = talked_rules(read)
        stated = {rule.line for rule in rules}
        guessed = [
            one._replace(sure=False, lasts=one.lasts and one.line not in stated) for one in said
        ]
        return rows, [*guessed, *rules]

    def _taken(self, read: SessionRead) -> frozenset[int]:
        """Lines of the turns that the agent took care of itself: no memory is written for them."""
        ranges = self.saved.ranges(read.path, read.turns)
        return frozenset(
            turn.line
            for turn in read.turns
            if any(start <= turn.offset < end for start, end in ranges)
        )

    def _write(self, report: LearnReport) -> None:
        waiting = awaiting_learning(self.index.database)
        left = unsettled(self.index.database)
        before = asides(self.index.database)
        for session, project in waiting:
            self.keep()
            with self._apart(report, session, project, "writing"):
                self._write_session(session, report)
        projects = {project for _, project in (*waiting, *left)}
        projects |= {one.project for one in before if one.step == "relating"}
        for project in sorted(projects):
            with self._apart(report, project, project, "relating"):
                self._relate(project)
        written = {*report.learned, *(session for session, _ in left)}
        days = {day for session in written for day in self._days(session)}
        days |= {one.session for one in before if one.step == "daily"}
        if (chronicler := self.chronicler) is not None:
            for day in sorted(days):
                with self._apart(report, day, "", "daily"):
                    report.dailies += chronicler.write(self.index.database, [day])
        tried = {*report.learned, *projects, *days} & {one.session for one in before}
        if tried or report.aside or written:
            with self.index.atomic() as database:
                take_back(database, tried)
                set_aside(database, report.aside)
                settle(database)

    def _write_session(self, session: str, report: LearnReport) -> None:
        for candidate, sure in self._candidates(session):
            report.outcomes.append((candidate, self.writer.write(candidate, sure=sure)))
        report.ended += self._end(session)
        self._write_up(session, report)
        reached("learn_written")
        # First: a session that is marked and waits is learned once more, which changes nothing.
        self.mark(session)
        reached("learn_marked")
        with self.index.atomic() as database:
            is_learned(database, session)
        report.learned.append(session)

    @contextmanager
    def _apart(self, report: LearnReport, name: str, project: str, step: Step) -> Generator[None]:
        """What fails in the block is set aside, and the rest goes on."""

        def failed(why: str) -> None:
            report.aside.append(Aside(name, project, step, self.redact(why)))

        with apart(failed):
            yield

    def _candidates(self, session: str) -> list[tuple[Candidate, bool]]:
        """What a session taught, in the order it was said."""
        found = statements(self.index.database, session, lasting=True)
        return [(Candidate.of(said), said.sure) for said in found]

    def _end(self, session: str) -> list[Item]:
        """What a person said to be over: mended, or not needed any more."""
        over = [
            said
            for said in statements(self.index.database, session)
            if not said.passing and is_ending(said.quote)
        ]
        return [item for said in over for item in self.writer.end(ending_from(said))]

    def _write_up(self, session: str, report: LearnReport) -> None:
        """The diaries of a session, and its fixes: what only tools said waits for a person."""
        for candidate in fix_candidates(self.index.database, session):
            outcome = self.writer.hold(candidate, why="only a tool said so")
            report.outcomes.append((candidate, outcome))
        if self.diarist is not None:
            self.diarist.publish(self.index.database, session)

    def _days(self, session: str) -> list[str]:
        return [row.day for row in diaries(self.index.database, session=session)]

    def _relate(self, project: str) -> None:
        """Neighbourhood similarity depends on the other sessions: fill it in afterwards."""
        rows = corrections(self.index.database, projects=[project])
        misstep = self._misstep()
        fresh = map(with_signals, rows, neighbourhoods(rows), repeat(misstep))
        changed = [new for new, row in zip(fresh, rows, strict=True) if new.signals != row.signals]
        with self.index.atomic() as database:
            replace_signals(database, changed)

    def _misstep(self) -> Misstep:
        """How sure a correction is, for this person: fitted to their labels once there are many."""
        if len(self.labelled) < ENOUGH_LABELS:
            return EVERYBODYS
        return fit(
            [
                (row.score, WEIGHT[row.tier], row.density, self.labelled[row.id])
                for row in corrections(self.index.database)
                if row.id in self.labelled
            ]
        )


def ending_from(said: StatementRow) -> Ending:
    """A statement as the end of what it names, in the store of its project or the shared one."""
    store = GLOBAL if said.shared or not said.project else said.project
    by = Author(Actor("agent", said.session), trust=trust_of(said.trust))
    return Ending(store, said.quote, said.evidence, said.at, by)


__all__ = ["LearnReport", "Learner"]
