"""Standing: the rules a session states, mined from its human turns and kept in `index.db`.

Derived like the corrections, and stored beside them: one turn may state several rules, and a run
that is killed goes on from here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields, replace

from reverie.db.database import Database
from reverie.language.subjects import Thing
from reverie.language.words import pattern, said
from reverie.learn.detect.judge import Judgement
from reverie.learn.detect.observe import fit_to_keep
from reverie.learn.memories.candidate import Candidate
from reverie.learn.statements.conventions import named_things
from reverie.learn.statements.rules import Setting, rules_of
from reverie.sessions.derived import replace_rows, select_rows
from reverie.sessions.index import SessionRead
from reverie.sessions.model import Turn

LONGEST = 1_200  # characters of prose in a turn of work; longer ones are briefs and pastes
CHAT = "chat"  # the reader of conversations without an agent
KIND = "best-practice"
SCORE = 1.0

_EVERYWHERE = (
    r"\b(?:in|across|for) (?:all|every|any)(?: of)? (?:my |our |the )?(?:repos?|repositor(?:y|"
    r"ies)|projects?)\b"
)


_FORWARD = r"\b(?:from now on|going forward|from here on|henceforth|from this point on)\b"


@dataclass(frozen=True, slots=True)
class StandingRule:
    """One row."""

    session: str
    line: int
    place: int  # among the rules of its turn
    at: str
    project: str
    lesson: str
    quote: str
    shared: bool  # said of all projects
    trust: str
    sure: bool  # may be written unasked

    def candidate(self) -> Candidate:
        """The memory it would make."""
        return Candidate(
            lesson=self.lesson,
            type="feedback",
            kind=KIND,
            scope="global" if self.shared else "project",
            project=self.project,
            session=self.session,
            evidence=f"{self.session}#{self.line}",
            at=self.at,
            quote=self.quote,
            premise="",
            standing=True,
            trust=self.trust,
            score=SCORE,
        )


_COLUMNS: tuple[str, ...] = tuple(item.name for item in fields(StandingRule))


def setting_of(agent: str, turns: Sequence[Turn]) -> Setting:
    """`talk` for a chat in which nobody used a tool or handed over code."""
    if agent != CHAT:
        return "work"
    for turn in turns:
        if turn.role == "tool" or turn.tool is not None:
            return "work"
        if turn.role == "agent" and "```" in turn.text:
            return "work"
    return "talk"


def standing_rules(read: SessionRead, judgements: Sequence[Judgement]) -> list[StandingRule]:
    """The rules a session states, in order."""
    setting = setting_of(read.head.agent, read.turns)
    # In work, the judge must be sure of a turn before each of its sentences is taken for a rule;
    # of other turns, only a sentence that says outright that it holds from now on.
    sure = {j.turn_index for j in judgements if setting == "talk" or j.durable.write}
    judged = {j.turn_index for j in judgements if setting == "talk" or j.standing} - read.copied
    found: list[StandingRule] = []
    spoken_of: list[Thing] = []
    for place, turn in enumerate(read.turns):
        if turn.role == "agent" and turn.kind == "text" and setting == "talk":
            spoken_of = named_things(turn.text) or spoken_of
        if place not in judged or turn.typed == "injected":
            continue
        own = said(turn.text)
        if setting == "work" and len(own.prose) > LONGEST:
            continue
        for number, rule in enumerate(rules_of(own.prose, setting, spoken_of)):
            if place not in sure and not pattern(_FORWARD).search(rule.quote):
                continue
            trust = "user" if turn.typed == "typed" else "agent"
            found.append(
                StandingRule(
                    session=read.key,
                    line=turn.line,
                    place=number,
                    at=turn.at,
                    project=read.project.slug,
                    lesson=fit_to_keep(rule.lesson, turn.at),
                    quote=rule.quote,
                    shared=bool(pattern(_EVERYWHERE).search(rule.quote)),
                    trust=trust,
                    sure=trust == "user",
                )
            )
        spoken_of = named_things(own.prose) or spoken_of
    return found


def replace_rules(database: Database, session: str, rules: Iterable[StandingRule]) -> None:
    """Store the rules of one session in place of what was there."""
    replace_rows(database, "standing_rules", session, _COLUMNS, [astuple(rule) for rule in rules])


def rules_in(database: Database, session: str) -> list[StandingRule]:
    """The rules of one session, in order."""
    wanted = (("session =", session),)
    rows = select_rows(database, "standing_rules", _COLUMNS, wanted, "line, place")
    found = [StandingRule(*row) for row in rows]
    return [replace(rule, shared=bool(rule.shared), sure=bool(rule.sure)) for rule in found]
