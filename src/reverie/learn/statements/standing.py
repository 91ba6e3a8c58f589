"""Standing: the rules a session states, mined from its human turns and kept in `index.db`.

Derived like the corrections, and stored beside them: one turn may state several rules, and a run
that is killed goes on from here.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Literal

from reverie.data import patterns
from reverie.db.database import Database
from reverie.language.subjects import Thing, inner, things
from reverie.language.values import STYLES, is_affix
from reverie.language.wording import Token, tokens
from reverie.language.words import said
from reverie.learn.detect.judge import Judgement
from reverie.learn.detect.observe import fit_to_keep
from reverie.learn.memories.candidate import Candidate
from reverie.learn.statements.directives import directives_in
from reverie.learn.statements.kinds import is_standing
from reverie.learn.statements.lasting import Sentence, sentences
from reverie.learn.statements.lesson import general, stands_alone
from reverie.sessions.derived import replace_rows, select_rows
from reverie.sessions.index import SessionRead
from reverie.sessions.model import Turn

LONGEST = 1_200  # characters of prose in a turn of work; longer ones are briefs and pastes
CHAT = "chat"  # the reader of conversations without an agent
KIND = "best-practice"
SCORE = 1.0


# Rules: standing instructions inside a longer turn, sentence by sentence, several per turn.
Setting = Literal["work", "talk"]
MOST_WORDS = 50
LEAST_WORDS = 3
MOST_RULES = 12  # of one turn; more is a pasted document

_RE = patterns("statements.txt", "standing")


def rules_of(prose: str, setting: Setting, spoken_of: Sequence[Thing] = ()) -> dict[str, str]:
    """The standing instructions of one turn, in order: the line to remember → its sentence.

    `spoken_of` is what a pronoun in its first sentence may mean.
    """
    found: dict[str, str] = {}
    for sentence in sentences(prose):
        for lesson in _lessons(sentence, spoken_of, setting):
            found.setdefault(lesson, sentence.text)
        spoken_of = named_things(sentence.text) or spoken_of
    return found if len(found) <= MOST_RULES else {}


def _lessons(sentence: Sentence, spoken_of: Sequence[Thing], setting: Setting) -> list[str]:
    text = sentence.text
    if not LEAST_WORDS <= len(sentence.words) <= MOST_WORDS or _RE.asks.search(text):
        return []
    if _RE.aside.search(text):
        return []
    if setting == "work":
        return _plainly(text)
    named = conventions_in(text, spoken_of)
    if named and _RE.report.search(text):
        return []
    meant = named_things(text) or spoken_of
    return named + [line for line in directives_in(text, meant) if not _is_one_of(line, named)]


def _plainly(text: str) -> list[str]:
    """The rule of a sentence that says in so many words that it is one, and can stand alone."""
    line = general(text)
    if _RE.pasted.search(text) or not stands_alone(line):
        return []
    return [line] if is_standing(said(text)) else []


def _is_one_of(line: str, named: Sequence[str]) -> bool:
    """Whether a line says a convention again that was read into its own words already."""
    return bool(named) and (bool(conventions_in(line)) or not _RE.new.search(line))


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
    on_line: Counter[int] = Counter()  # a damaged log can hold several turns on one line
    for place, turn in enumerate(read.turns):
        if turn.role == "agent" and turn.kind == "text" and setting == "talk":
            spoken_of = named_things(turn.text) or spoken_of
        if place not in judged or turn.typed == "injected":
            continue
        own = said(turn.text)
        if setting == "work" and len(own.prose) > LONGEST:
            continue
        rules = rules_of(own.prose, setting, spoken_of)
        before = on_line[turn.line]
        on_line[turn.line] += len(rules)
        for number, (lesson, quote) in enumerate(rules.items(), before):
            if place not in sure and not _RE.forward.search(quote):
                continue
            trust = "user" if turn.typed == "typed" else "agent"
            found.append(
                StandingRule(
                    session=read.key,
                    line=turn.line,
                    place=number,
                    at=turn.at,
                    project=read.project.slug,
                    lesson=fit_to_keep(lesson, turn.at),
                    quote=quote,
                    shared=bool(_RE.everywhere.search(quote)),
                    trust=trust,
                    sure=trust == "user",
                )
            )
        spoken_of = named_things(own.prose) or spoken_of
    return found


def replace_rules(
    database: Database, session: str, rules: Iterable[StandingRule], since: int = 0
) -> None:
    """Store the rules of one session from a line on, in place of what was there."""
    rows = [astuple(rule) for rule in rules]
    replace_rows(database, "standing_rules", session, _COLUMNS, rows, ("line", since))


def rules_in(database: Database, session: str, since: int = 0) -> list[StandingRule]:
    """The rules of one session from a line on, in order."""
    wanted = (("session =", session), ("line >=", since))
    rows = select_rows(database, "standing_rules", _COLUMNS, wanted, "line, place")
    found = [StandingRule(*row) for row in rows]
    return [replace(rule, shared=bool(rule.shared), sure=bool(rule.sure)) for rule in found]


# Conventions: rules about names, read into one plain line whatever way they were said, so that a
# later word on the same matter is seen to be one. "When naming methods, I'd like you to use the
# prefix 'do_'" and "all method names should start with do_" are "Start method names with 'do_'."
_LEAVING = frozenset({"from", "not", "than", "of", "replacing", "replace", "dropping", "drop"})
_REACH = 4  # tokens before a value in which a word may say that it is the old one


def conventions_in(text: str, spoken_of: Sequence[Thing] = ()) -> list[str]:
    """One line per convention in a sentence; `spoken_of` is what "them" and "the names" mean."""
    found = tokens(text)
    own = things(found)
    values = [place for place, token in enumerate(found) if _is_value(token)]
    chosen = [place for place in values if not _is_old(found, place)] or values
    if not chosen:
        return []
    lines: list[str] = []
    for number, place in enumerate(chosen):
        for thing in _things_for(own, place, number, len(chosen)) or spoken_of:
            line = _line(found[place], thing)
            if line not in lines:
                lines.append(line)
    return lines


def _is_value(token: Token) -> bool:
    if token.sort == "name" and is_affix(token.root):
        return True
    return _is_style(token)


def _is_style(token: Token) -> bool:
    return token.root in STYLES


def _is_old(found: Sequence[Token], place: int) -> bool:
    """Whether a value is named as the one to leave: `instead of 'm_'`, `from 'a_' to`."""
    before = [token.text.lower() for token in found[max(0, place - _REACH) : place]]
    for word in reversed(before):
        if word in {"to", "with", "using", "use", "prefix", "suffix"}:
            return False
        if word in _LEAVING:
            return True
    return False


def _things_for(own: Sequence[Thing], place: int, number: int, values: int) -> list[Thing]:
    """The things whose names a value is for: those spoken of by name, nearest to it."""
    called = [thing for thing in own if thing.named]
    if values > 1 and len(called) == values:
        return [called[number]]
    kept = inner(thing.head for thing in own)
    able = [thing for thing in own if thing.head in kept]
    named = [thing for thing in able if thing.named] or able
    if values > 1:
        return named[number : number + 1] if len(named) == values else named[-1:]
    before = [thing for thing in named if thing.end <= place]
    return before or named[:1]


def _line(value: Token, thing: Thing) -> str:
    names = f"{thing.phrase} names"
    if _is_style(value):
        style = value.text
        return f"Use {style} for {names}."
    verb = "Start" if value.root.endswith(("_", "-")) else "End"
    return f"{verb} {names} with '{value.text}'."


def named_things(text: str) -> list[Thing]:
    """What a sentence speaks of, for the pronouns of the next one."""
    found = things(tokens(text))
    named = [thing for thing in found if thing.named] or found
    return [thing for thing in named if thing.head in inner(thing.head for thing in named)]
