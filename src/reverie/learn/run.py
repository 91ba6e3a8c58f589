"""`learn`: read what is new, judge it, write what is sure, queue the rest.

Two databases, so two steps that each can be killed at any byte: the corrections of a session are
stored with the session in `index.db`; memories are then written from those rows, and only after
that is the session marked as learned. A run that died in between goes on where it was, and writing
twice changes nothing, because a candidate has the same id on every run.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import repeat

from reverie.clock import Clock, iso, system_clock
from reverie.db.database import Database
from reverie.db.points import reached
from reverie.documents.vocabulary import GLOBAL
from reverie.language.compare import is_ending
from reverie.language.exchanges import disowns
from reverie.learn.daily.dailies import Chronicler, days_of
from reverie.learn.detect.judge import Judge, Judgement
from reverie.learn.detect.misstep import EVERYBODYS, Misstep, fit
from reverie.learn.detect.observe import WEIGHT, neighbourhoods, observe, with_signals
from reverie.learn.diary.diaries import Diarist, written_up
from reverie.learn.diary.tasks import Task, tasks
from reverie.learn.growth import growing, judged_from
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.writing import Ending, Writer, trust_of
from reverie.learn.report import LearnReport
from reverie.learn.statements.statement import may_be_asked
from reverie.learn.statements.talk import setting_of, talked_rules
from reverie.learn.traffic.attempts import Made
from reverie.learn.traffic.fixes import findings
from reverie.learn.traffic.traces import traces
from reverie.privacy import Ignored
from reverie.sessions.aside import Aside, Step, apart, asides, set_aside, take_back
from reverie.sessions.awaiting import (
    Awaiting,
    await_learning,
    awaiting_learning,
    fact,
    is_learned,
    not_written_up,
    put_fact,
    wrote_up,
)
from reverie.sessions.corrections import (
    CorrectionRow,
    corrections,
    replace_session,
    replace_signals,
)
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import replace_diaries
from reverie.sessions.fixes import replace_fixes
from reverie.sessions.growing import replace_growing, settle, still_growing, to_settle, unanswered
from reverie.sessions.index import Index, IndexReport, SessionRead
from reverie.sessions.labels import ENOUGH_LABELS, FITTED, Label, stamp
from reverie.sessions.logs.ahead import Read
from reverie.sessions.logs.discover import LogFile
from reverie.sessions.logs.saved import Saved
from reverie.sessions.statements import StatementRow, replace_statements, statements
from reverie.sessions.traces import replace_traces
from reverie.store.library import Item
from reverie.store.model import Actor, Author

Progress = Callable[[int, int], None]
RESENT = 30  # characters of words that were sent again and went on
DAILIES = "dailies"  # the fact that says up to when decisions stand in them


def _nothing(*_: object) -> None:
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
    clock: Clock = system_clock  # says which sessions may still grow
    executor: Executor | None = None
    # Told of every session read; makes it the author of what it wrote into mounted folders.
    credit: Callable[[SessionRead], None] | None = None
    # Where agents saved memory themselves: not saved a second time.
    saved: Saved = field(default_factory=Saved)
    # Evidence → what a person said of it.
    labels: Mapping[str, Label] = field(default_factory=dict[str, Label])
    # Told of every session that was learned, before it counts as such.
    mark: Callable[[str], object] = _nothing
    # Called with every session: raises when another process has taken over.
    keep: Callable[[], None] = _nothing
    # Where sessions come from; their logs, unless it says otherwise.
    source: Read | None = None

    def learn(self, files: Iterable[LogFile], progress: Progress = _nothing) -> LearnReport:
        """Read new or grown sessions among `files` and write what they taught."""
        # Sessions in which nothing happened for a while are read once more, and whole.
        if over := to_settle(self.index.database, self.clock()):
            with self.index.atomic() as database:
                settle(database, over)
        report = self.read(files, progress)
        self._write(report)
        return report

    def read(self, files: Iterable[LogFile], progress: Progress = _nothing) -> LearnReport:
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
            read=self.source,
        )
        report.aside += report.index.aside
        return report

    def _judged(self, read: SessionRead, report: LearnReport) -> Callable[[], None]:
        """Judge a session; what is returned stores all that was made of it."""
        if read.head.subagent:
            return _nothing
        if self.credit is not None:
            self.credit(read)
        known = read.checkpoint
        judgements = self.judge.session(read.turns, judged_from(read), known.spoken)
        corrected = {j.turn_index for j in judgements if j.correction.label != "none"}
        split = tasks(read.turns, corrected, known)
        line = read.first_line
        rows, said = self._observed(read, judgements, split)
        tried: Made = {}
        diaries, fixes = written_up(read, judgements, split, tried)
        # What tools did is for dreams, and counted over whole sessions.
        done = traces(read, tried) if not known.since else None
        onward = growing(read, split, self.clock())

        def keep() -> None:
            database = self.index.database
            replace_session(database, read.key, rows, line)
            replace_diaries(database, read.key, diaries, known.tasks)
            replace_fixes(database, read.key, fixes, line)
            replace_statements(database, read.key, said, line)
            if done is not None:
                replace_traces(database, read.key, read.project.slug, done)
            replace_growing(database, read.key, onward)
            await_learning(database, Awaiting(read.key, read.project.slug, line))
            report.sessions += 1
            report.diaries += len(diaries)
            report.human_turns += sum(j.line >= line for j in judgements)
            report.corrections += sum(1 for row in rows if row.label != "none")
            report.durable += sum(1 for row in rows if row.durable != "none")

        return keep

    def _observed(
        self, read: SessionRead, judgements: list[Judgement], split: list[Task]
    ) -> tuple[list[CorrectionRow], list[StatementRow]]:
        """What a session holds: corrections, and what its turns state."""
        rows, stated = observe(read, judgements, split, self._taken(read))
        rows = [row for row in rows if row.line >= read.first_line]
        stated = [statement for statement in stated if statement.line >= read.first_line]
        if setting_of(read.head.agent, read.turns) == "work":
            return rows, stated
        # The judge knows how people talk to agents; what it makes of other talk is a guess: found
        # and told, but neither written nor asked about.
        guessed = [guess._replace(sure=False, lasts=False) for guess in stated]
        return [row._replace(sure=False) for row in rows], [*guessed, *talked_rules(read)]

    def _taken(self, read: SessionRead) -> frozenset[int]:
        """Lines of the turns that the agent took care of itself: no memory is written for them."""
        ranges = self.saved.ranges(read.path, read.turns)
        return frozenset(
            turn.line
            for turn in read.turns
            if any(start <= turn.offset < end for start, end in ranges)
        )

    def _write(self, report: LearnReport) -> None:
        index = self.index.database
        waiting = awaiting_learning(index)
        before = asides(index)
        growing = still_growing(index)
        # Also of sessions that a run learned which died before it wrote their days.
        left = not_written_up(index)
        over = [read for read in (*waiting, *left) if read.session not in growing]
        for read in waiting:
            self.keep()
            with self._apart(report, read.session, read.project, "writing"):
                self._write_session(read, report, is_over=read.session not in growing)
        projects = {read.project for read in over}
        projects |= {aside.project for aside in before if aside.step == "relating"}
        misstep = misstep_for(index, self.labels)
        for project in sorted(projects):
            with self._apart(report, project, project, "relating"):
                relate(self.index, project, misstep)
        days = {aside.session for aside in before if aside.step == "daily"}
        if (chronicler := self.chronicler) is not None:
            days |= self._days(chronicler, over)
            for day in sorted(days):
                with self._apart(report, day, "", "daily"):
                    report.dailies += chronicler.write(index, [day])
        tried = {*report.learned, *projects, *days} & {aside.session for aside in before}
        if tried or report.aside or report.learned or any(read in over for read in left):
            with self.index.atomic() as database:
                take_back(database, tried)
                set_aside(database, report.aside)
                wrote_up(database)
        refit(self.index, self.labels)

    def _write_session(self, read: Awaiting, report: LearnReport, *, is_over: bool) -> None:
        """What was learned from a line on; diaries are published once their session is over."""
        session, line = read.session, read.line
        for candidate, sure in self._candidates(session, line):
            outcome = self.writer.write(candidate, sure=sure, growing=not is_over)
            report.outcomes.append((candidate, outcome))
        report.ended += self._end(session, line)
        for candidate in findings(self.index.database, session, line):
            outcome = self.writer.hold(candidate, why="only a tool said so")
            report.outcomes.append((candidate, outcome))
        if self.diarist is not None and is_over:
            self.diarist.publish(self.index.database, session)
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

    def _candidates(self, session: str, line: int) -> list[tuple[Candidate, bool]]:
        """What a session taught from a line on, in the order it was said.

        Words the agent still works on are judged by what it makes of them.
        """
        waits = unanswered(self.index.database, session)
        rows = [
            said
            for said in statements(
                Chosen(self.index.database, (session,)), lasting=True, since=line
            )
            if (waits is None or said.line < waits)
            and (said.evidence not in self.labels or self.labels[said.evidence].lasts)
        ]
        turns = {
            (row.line, row.at): row.text
            for row in corrections(self.index.database, session=session)
        }
        return [
            (Candidate.of(said, turns.get((said.line, said.at), "")), said.sure)
            for said in deserving(rows)
        ]

    def _end(self, session: str, line: int) -> list[Item]:
        """What a person said to be over: mended, not needed any more, or never their word."""
        ended: list[Item] = []
        for said in statements(Chosen(self.index.database, (session,)), since=line):
            if not said.passing and is_ending(said.quote):
                ended += self.writer.end(ending_from(said))
            elif said.trust == "user" and disowns(said.quote):
                ended += self.writer.disown(ending_from(said))
        return ended

    def _days(self, chronicler: Chronicler, settled: list[Awaiting]) -> set[str]:
        """The days whose dailies have more to say: of sessions that are over, or of lessons that
        were decided about since the last run."""
        database = self.index.database
        days = {day for awaiting in settled for day in days_of(database, awaiting.session)}
        days |= chronicler.decided_since(fact(database, DAILIES))
        with self.index.atomic():
            put_fact(database, DAILIES, iso(self.clock()))
        return days


def relate(index: Index, project: str, misstep: Misstep) -> None:
    """Neighbourhood similarity depends on the other sessions: fill it in afterwards."""
    rows = corrections(index.database, projects=[project])
    fresh = map(with_signals, rows, neighbourhoods(rows), repeat(misstep))
    changed = [new for new, row in zip(fresh, rows, strict=True) if new.signals != row.signals]
    with index.atomic() as database:
        replace_signals(database, changed)


def misstep_for(index: Database, labels: Mapping[str, Label]) -> Misstep:
    """How sure a correction is, for this person: fitted to their labels once there are many."""
    if len(labels) < ENOUGH_LABELS:
        return EVERYBODYS
    return fit(
        [
            (row.score, WEIGHT[row.tier], row.density, labels[row.id].correction != "none")
            for row in corrections(index)
            if row.id in labels
        ]
    )


def refit(index: Index, labels: Mapping[str, Label]) -> None:
    """Weigh all corrections as their person does; nothing unless labels were given since."""
    if stamp(labels) == fact(index.database, FITTED):
        return
    misstep = misstep_for(index.database, labels)
    for project in sorted({row.project for row in corrections(index.database)}):
        relate(index, project, misstep)
    with index.atomic() as database:
        put_fact(database, FITTED, stamp(labels))


def deserving(rows: Sequence[StatementRow]) -> list[StatementRow]:
    """Of each turn what is written or said as a rule, else the worthiest that can be decided about.

    Of words that were sent again and went on, those that go on.
    """
    rows = [
        said
        for place, said in enumerate(rows)
        if (said.sure or may_be_asked(said.act, said.rule, said.quote))
        and not any(_goes_on(said.rule, later.rule) for later in rows[place + 1 :])
    ]
    # By turn, whatever the order: what is stated stands before what is worthiest.
    best = {
        (said.line, said.at): said
        for said in sorted(rows, key=lambda said: (said.sure or said.standing, said.worth))
    }
    return [said for said in rows if said.sure or said.standing or best[said.line, said.at] is said]


def _goes_on(earlier: str, later: str) -> bool:
    begun = earlier.rstrip(" .!")
    more = later.removeprefix(begun)
    return len(begun) >= RESENT and more != later and more.strip(" .!") != "" and more[0] in " ,;:"


def ending_from(said: StatementRow) -> Ending:
    """A statement as the end of what it names, in the store of its project or the shared one."""
    store = GLOBAL if said.shared or not said.project else said.project
    actor = Actor("agent", said.session)
    by = Author(actor, trust=trust_of(said.trust), valid_from=said.at or None)
    return Ending(store, said.quote, said.evidence, by)
