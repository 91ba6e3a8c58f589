"""A candidate: one lesson with its evidence, on its way to becoming a memory.

Its id comes from what it says and where it was said, so learning the same session twice finds the
same candidate and whatever a person decided about it stands.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from reverie.documents import bodies
from reverie.documents.document import Document
from reverie.documents.vocabulary import GLOBAL
from reverie.language.words import content, words
from reverie.learn.memories.naming import name_from
from reverie.learn.statements.kinds import profile_section
from reverie.learn.statements.rule import positively
from reverie.learn.statements.statement import (
    is_firm,
    is_framed,
    is_of_one_thing,
    is_of_screen,
    is_vague,
)
from reverie.sessions.statements import StatementRow

Scope = Literal["project", "global"]
STATED, STANDING = 0.5, 0.65  # what is said as a rule deserves it, and more what is meant to stand
AT_HAND = 0.75  # and what is about one thing by its name, or about a screen, so much less
VAGUE = 0.75  # and what could not be written as it stands
LONG_QUOTE, SHORT_QUOTE, MOST_QUOTED = 600, 360, 3  # characters, and how many turns are quoted
SHARED = 3  # telling words that a lesson and what it answered must have in common
HAD_SAID = "The agent had said:"
LONGEST = 160  # characters of a description that a worded lesson is its own


@dataclass(frozen=True, slots=True)
class Candidate:
    """What would be remembered, and the words it rests on."""

    lesson: str
    type: str
    kind: str
    scope: Scope
    project: str  # slug of the project it was said in
    session: str  # key
    evidence: str  # id of the turn
    at: str  # ISO
    quote: str  # the person's words
    premise: str  # what they answered, "" when nothing
    standing: bool
    trust: str
    score: float
    why: str = ""  # the reason that was given
    # Of a lesson that somebody worded: what it is called, when it matters, what else it rests on.
    name: str = ""
    title: str = ""
    when: str = ""
    more: tuple[str, ...] = ()
    framed: bool = False  # what was said beside it may say that it is no rule as it is
    instead_of: str = ""  # id of a memory of the same store that it would replace
    by_agent: bool = False  # in words of an agent that no person chose to think for them

    @classmethod
    def of(cls, said: StatementRow, turn: str = "") -> "Candidate":
        """The memory a statement would make; `turn` is all that was said with it."""
        return cls(
            lesson=said.rule,
            type=said.type,
            kind=said.kind,
            scope="global" if said.shared else "project",
            project=said.project,
            session=said.session,
            evidence=said.evidence,
            at=said.at,
            quote=turn or said.quote,
            premise=said.premise,
            standing=said.standing,
            trust=said.trust,
            score=deciding(said),
            why=said.why,
            framed=is_framed(said.quote, turn or said.quote),
        )

    @property
    def id(self) -> str:
        """`cand_` and a hash of where and what; the same on every run."""
        seed = "\0".join((self.evidence, self.lesson, self.scope))
        return "cand_" + hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:20]

    @property
    def store(self) -> str:
        """The store it belongs to: type `user` and scope `global` are shared by all projects."""
        shared = self.scope == "global" or self.type == "user"
        return GLOBAL if shared or not self.project else self.project

    def document(self, also: "Sequence[Candidate]" = ()) -> Document:
        """The memory it would become; `also` are further turns that it rests on."""
        return Document(
            name=self.name or name_from(self.lesson),
            description=self.lesson if len(self.lesson) <= LONGEST else self.title or self.lesson,
            type=self.type,
            kind=self.kind,
            scope=GLOBAL if self.store == GLOBAL else self.project,
            section=profile_section(self.lesson) if self.type == "user" else "",
            created=self.at[:10],
            trust=self.trust,
            support=1,
            evidence=(self.evidence, *self.more),
            body=body_of(self, also),
        )

    def dumps(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    @classmethod
    def loads(cls, text: str) -> "Candidate":
        values: dict[str, Any] = json.loads(text)
        values["more"] = tuple(values.get("more", ()))
        return cls(**values)


def deciding(said: StatementRow) -> float:
    """How much a statement deserves a decision; what is said as a rule does."""
    at_hand = is_of_one_thing(said.rule) or is_of_screen(said.rule)
    vague = is_vague(said.rule, said.quote, said.why)
    worth = said.worth * (AT_HAND if at_hand else 1.0) * (VAGUE if vague else 1.0)
    stated = STANDING if said.standing else STATED if is_firm(said.rule) else 0.0
    return round(max(worth, stated), 4)


def body_of(candidate: Candidate, also: Sequence[Candidate] = ()) -> str:
    """Rule or fact, then what was said and what it answered, quoted if it stays in the project."""
    parts = [f"**{bodies.head(candidate.type, candidate.kind)}:** {candidate.lesson}"]
    if candidate.why:
        parts.append(f"**Why:** {candidate.why}")
    if how := candidate.when or instead(candidate.lesson):
        parts.append(f"**How to apply:** {how}")
    day = f"{candidate.at[:10]} " if candidate.at else ""
    said = f"**Said:** {day}in {candidate.session}"
    if candidate.store == GLOBAL:
        # Every project reads it: the words of this one stay with its evidence.
        return "\n\n".join((*parts, said)) + "\n"
    limit = LONG_QUOTE if not also else SHORT_QUOTE
    turns = [quoted(passage(turn, candidate.lesson, limit)) for turn in _plainest(candidate, also)]
    parts += [f"{said}:", *turns]
    if is_about(candidate.lesson, candidate.premise):
        answered = passage(candidate.premise, candidate.lesson, LONG_QUOTE)
        parts.append(f"{HAD_SAID}\n\n{quoted(answered)}")
    return "\n\n".join(parts) + "\n"


def instead(lesson: str) -> str:
    """What to do where a lesson only forbids; "" where it says that itself."""
    positive = positively(lesson)
    deed = re.split(r"[;,]", positive.rstrip("."))[0].lower()
    return "" if deed in lesson.lower() else positive


def _plainest(candidate: Candidate, also: Sequence[Candidate]) -> list[str]:
    """The turns that say most of a lesson, in their order: "8" and "go on" tell nobody why."""
    turns = [source.quote for source in (candidate, *also)]
    shares = [_shared(candidate.lesson, turn) for turn in turns]
    best = sorted(range(len(turns)), key=lambda at: (-shares[at], at))[:MOST_QUOTED]
    return [turns[at] for at in sorted(best) if shares[at]] or turns[:1]


def is_about(lesson: str, premise: str) -> bool:
    """Whether what was answered speaks of the same: people often answer something further back."""
    if not premise.strip() or "{" in premise:
        return False
    enough = min(SHARED, len(content(words(lesson))))
    return _shared(lesson, premise) >= enough


def _shared(lesson: str, text: str) -> int:
    """How many telling words of a lesson a text has."""
    return len(content(words(lesson)) & content(words(text)))


def reworded(before: Document, after: Document) -> Document:
    """An edit of one place carried to the others: description, rule and how to apply it agree.

    Where both the description and the rule were edited, they are what they were made.
    """
    old, new = before.description, after.description
    rule, edited = bodies.parts(before.body).rule, bodies.parts(after.body).rule
    positive = instead(old)
    if new == old and edited != rule:
        if not any(words and rule.startswith(words) for words in (old.rstrip("…"), positive)):
            return after  # it was said in other words than its description
        new = bodies.describe(edited)
    elif new == old or edited != rule:
        return after
    words = {old: new, positive: instead(new) or new}
    return replace(after, description=new, body=bodies.replaced(after.body, words))


def passage(text: str, lesson: str, limit: int) -> str:
    """What of a long turn speaks most of a lesson: the first part of it that does."""
    if len(text) <= limit:
        return text
    room = limit - 2
    starts = range(0, len(text) - room // 2, room // 4)
    best = max(starts, key=lambda at: _shared(lesson, text[at : at + room]))
    part, ends = text[best : best + room], best + room >= len(text)
    # Whole words, but the first of the turn.
    part = part if not best else part.partition(" ")[2] or part
    return f"{'…' if best else ''}{part.strip()}{'' if ends else '…'}"


def quoted(text: str) -> str:
    """A Markdown quote; it cannot end the frontmatter or a frame."""
    return "\n".join(f"> {line}" for line in text.splitlines()) or "> "
