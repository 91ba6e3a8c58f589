"""Pieces: sessions condensed to what a model needs in order to think about them.

A person's words stand whole, only what they pasted is cut. What the agent said and did between is
one line: what it claimed last, which tools it used, what failed. Every quoted line has an id: a
letter for its session and its line in the log. The cuts of a long session lie between lines of the
log, so one that grows keeps its first pieces.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reverie.data import patterns
from reverie.documents.bodies import parts as body_parts
from reverie.documents.document import Document
from reverie.engines.protocol import Prompt
from reverie.inert import inert
from reverie.language.pasted import may_be_shown
from reverie.language.words import said
from reverie.learn.traffic.commands import shortened
from reverie.learn.work.answers import MOST_LESSONS, SCHEMA
from reverie.learn.work.assignments import Assignment
from reverie.learn.work.prompts import fenced, prompt_of
from reverie.sessions.model import ASKING, SPOKEN
from reverie.sessions.query import SessionRow, TurnRow
from reverie.sessions.statements import StatementRow
from reverie.store.library import Item
from reverie.trust import Trust, lowest

MATERIAL = 16_000  # characters of one piece
TOGETHER = 9_000  # up to which short sessions are laid together
FRAME = 24  # characters around each quoted text

# Longest quotes, in characters.
TYPED = 20_000  # of a person, to be checked against; as it is shown
WORDS = 4_000  # of a person, of which as much
PASTED = 300  # may have been pasted
CLAIM = 400  # of what the agent said last, from its end mostly;
ANSWERED = 1_000  # more of it if a person answers in few words,
BRIEF = 160  # so many: they mean what it asked or proposed,
LAST = 240  # and less if nobody answers, or only to go on
DEED = 50
FAILURE = 100
CHOSEN = 1_600
OPTION = 320  # of an option that a person took by its name
SHOWN = 240  # of a memory
FOUND = 80  # of a statement, which stands whole in its line
DEEDS = 3  # kinds of calls that are named
AROUND = 2  # lines before and after one that is shown once more

_HOW = {
    "steer": "(while the agent worked) ",
    "reject_feedback": "(refusing its act) ",
    "shell": "(ran a command) ",
}
ASIDE = "x"  # behind the number of an agent's line that a person's has too
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_RE = patterns("work.txt", "pieces")


@dataclass(frozen=True, slots=True)
class Line:
    """One quoted line: a turn of a person, or what an agent said and did until the next."""

    number: int  # line of the log
    who: str  # person, choice (of a person, among an agent's), agent
    at: str
    text: str
    trust: Trust
    failure: str = ""  # what a tool said that failed; nobody's word, and shown behind the text
    mark: str = ""  # sets an agent's line apart from a person's on the same line of the log
    typed: str = ""  # a person's words with their lines, which tell what was pasted

    @property
    def id(self) -> str:
        """What it is called in its part: a person's words never share that with an agent's."""
        return f"{self.number}{self.mark}"

    @property
    def said(self) -> str:
        return self.typed or self.text

    @property
    def shown(self) -> str:
        return f"{self.text} [failed: {self.failure}]" if self.failure else self.text


@dataclass(frozen=True, slots=True)
class Part:
    """Some lines of one session."""

    session: SessionRow
    first: int
    last: int
    lines: tuple[Line, ...]

    @property
    def size(self) -> int:
        return sum(len(line.shown) + FRAME for line in self.lines)

    def evidence(self, line: Line) -> str:
        return f"{self.session.key}#{line.number}"

    def before(self, name: str) -> str:
        """What the agent had said right before a line, by its id; "" for nothing."""
        earlier = self.lines[: self._place(name)][-1:]
        return earlier[0].text if earlier and earlier[0].who == "agent" else ""

    def after(self, name: str) -> str:
        """What the agent said and did right after a line, by its id; "" for nothing."""
        later = self.lines[self._place(name) + 1 :][:1]
        return later[0].text if later and later[0].who == "agent" else ""

    def beside(self, name: str) -> Iterator[Line]:
        """What is shown right before and after a line, until a person speaks again."""
        place = self._place(name)
        for way in (reversed(self.lines[:place]), self.lines[place + 1 :]):
            for line in way:
                if line.who != "agent":
                    break
                yield line

    def _place(self, name: str) -> int:
        return next(at for at, line in enumerate(self.lines) if line.id == name)


@dataclass(frozen=True, slots=True)
class Piece:
    """Parts of one or several sessions, each by its letter."""

    parts: tuple[Part, ...]

    def lettered(self) -> Iterator[tuple[str, Part]]:
        return zip(_LETTERS, self.parts, strict=False)

    def quoted(self) -> dict[str, tuple[Part, Line]]:
        """Every id of the piece; a line that several had a part in has the lowest trust."""
        by_id: dict[str, tuple[Part, Line]] = {}
        for letter, part in self.lettered():
            for line in part.lines:
                name = f"{letter}{line.id}"
                if name in by_id:
                    before = by_id[name][1]
                    trust = lowest(before.trust, line.trust)
                    text, typed = (f"{before.text}\n{line.text}", f"{before.said}\n{line.said}")
                    line = replace(before, text=text, trust=trust, failure="", typed=typed)
                by_id[name] = part, line
        return by_id

    def around(self, names: Collection[str]) -> "Piece":
        """The lines of these ids and those next to them; the parts keep their letters."""
        parts: list[Part] = []
        for letter, part in self.lettered():
            named = [at for at, line in enumerate(part.lines) if f"{letter}{line.id}" in names]
            near = {at + step for at in named for step in range(-AROUND, AROUND + 1)}
            kept = tuple(line for at, line in enumerate(part.lines) if at in near)
            parts.append(replace(part, lines=kept))
        return Piece(tuple(parts))

    @property
    def text(self) -> str:
        """All of it, for a model to read."""
        return "\n\n".join(
            _part_text(letter, part) for letter, part in self.lettered() if part.lines
        )


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of sessions as somebody gets it to think about."""

    assignment: Assignment
    project: str
    piece: Piece
    statements: Mapping[str, StatementRow]
    memories: Mapping[str, Item]
    others: Mapping[str, Item] = field(default_factory=dict[str, Item])  # shown by their names

    @property
    def prompt(self) -> Prompt:
        sessions = [part.session.key for part in self.piece.parts]
        alone = sessions[0] if len(sessions) == 1 else ""
        return prompt_of(self.assignment, self._material(), SCHEMA, alone, most=MOST_LESSONS)

    def only(self, answer: Mapping[str, Sequence[Any]]) -> "Task":
        """As much of it as somebody needs who corrects these parts of an answer; else all."""
        lessons, about = answer.get("lessons", ()), {"statements": "id", "memories": "name"}
        known = self.piece.quoted().keys()
        ids = [known & set(map(str, lesson.get("evidence") or ())) for lesson in lessons]
        if not ids or not all(ids):
            return self
        named = {str(item.get(key)) for part, key in about.items() for item in answer.get(part, ())}
        return replace(
            self,
            piece=self.piece.around(frozenset[str]().union(*ids)),
            statements={key: said for key, said in self.statements.items() if key in named},
            memories={key: item for key, item in self.memories.items() if key in named},
            others={key: item for key, item in self.others.items() if key in named},
        )

    def _material(self) -> str:
        said = [
            f"{name} {inert(_in_short(statement.rule, FOUND))}"
            for name, statement in self.statements.items()
        ]
        known = [_known(name, item.document) for name, item in self.memories.items()]
        return fenced(
            f"Project: {inert(self.project)}",
            self.piece.text,
            "\n".join(["\nSTATEMENTS", *said]) if said else "",
            "\n".join(["\nMEMORIES", *known]) if known else "",
            f"\nALSO REMEMBERED: {', '.join(map(inert, self.others))}" if self.others else "",
        )


def parts_of(session: SessionRow, turns: Sequence[TurnRow], after: int = -1) -> Iterator[Part]:
    """What of a session lies after a line, in portions; none when no person speaks there."""
    lines = _condensed(session, turns)
    spoken = max((line.number for line in lines if line.who != "agent"), default=-1)
    while after < spoken:
        fresh = [line for line in lines if line.number > after]
        taken = _before(lines, fresh[0].number)
        size = sum(len(line.shown) + FRAME for line in taken)
        for line in fresh:
            size += len(line.shown) + FRAME
            if size > MATERIAL and taken[-1:] and taken[-1].number not in (after, line.number):
                break
            taken.append(line)
        after = taken[-1].number
        yield Part(session, fresh[0].number, after, tuple(taken))


def part_between(session: SessionRow, turns: Sequence[TurnRow], first: int, last: int) -> Part:
    """The part that was handed out with these lines."""
    later = next((turn for turn in turns if turn.line > last and _is_spoken(turn)), None)
    lines = _condensed(session, [turn for turn in turns if turn.line <= last], later)
    kept = [line for line in lines if first <= line.number <= last]
    return Part(session, first, last, (*_before(lines, first), *kept))


def spoken(session: SessionRow, turns: Sequence[TurnRow]) -> list[Line]:
    """What a person said or chose in a session."""
    return [line for line in _condensed(session, turns) if line.who != "agent"]


def _before(lines: Sequence[Line], first: int) -> list[Line]:
    """What the first words of a later part answer was said at the end of the one before."""
    return [line for line in lines if line.number < first][-1:]


def _condensed(
    session: SessionRow, turns: Sequence[TurnRow], later: TurnRow | None = None
) -> list[Line]:
    """A session as lines, and who spoke next; its own folder goes without saying."""
    folder = f"{session.cwd.rstrip('/')}/" if len(session.cwd) > 1 else ""
    lines = _lines(turns, later)
    return [replace(line, text=line.text.replace(folder, "")) for line in lines if folder] or lines


def _lines(turns: Sequence[TurnRow], later: TurnRow | None) -> list[Line]:
    lines: list[Line] = []
    between: list[TurnRow] = []
    for turn in turns:
        if turn.copied or turn.undone:
            continue
        if _is_choice(turn):
            lines += _agents(between, turn)
            between = []
            text = _RE.preview.sub("", _RE.frame.sub("", " ".join(turn.text.split())))
            lines.append(Line(turn.line, "choice", turn.at, _clipped(text, CHOSEN), "agent"))
        elif turn.role != "human":
            between.append(turn)
        elif _is_spoken(turn):
            lines += _agents(between, turn)
            between = []
            prose = _words(turn)
            sure = turn.typed == "typed" and not may_be_shown(turn.text, prose)
            trust: Trust = "user" if sure else "agent"
            typed = _clipped(turn.text.strip(), TYPED)
            said = Line(turn.line, "person", turn.at, prose, trust, typed=typed)
            if lines and lines[-1].who == "person" and lines[-1].text == said.text:
                lines.pop()  # sent once more
            lines.append(said)
    lines += _agents(between, later)
    # Who refuses an act says so in the result of the call, where the agent's line ends.
    theirs = {line.number for line in lines if line.who != "agent"}
    return [
        replace(line, mark=ASIDE) if line.who == "agent" and line.number in theirs else line
        for line in lines
    ]


def _is_spoken(turn: TurnRow) -> bool:
    """Whether a person said it, or chose it when the agent asked."""
    typed = turn.role == "human" and turn.kind in SPOKEN and turn.typed != "injected"
    kept = not turn.copied and not turn.undone and bool(turn.text.strip())
    return kept and (typed or _is_choice(turn))


def _claimed(answer: TurnRow | None) -> int:
    """How much is shown of what an agent said last, by what a person answered."""
    if answer is None or is_bare(answer.text):
        return LAST
    brief = answer.role == "human" and len(answer.text) <= BRIEF
    return ANSWERED if brief else CLAIM


def _is_choice(turn: TurnRow) -> bool:
    """Whether it is what a person chose when the agent asked: nothing else that went well stays."""
    return turn.role == "tool" and turn.tool.lower() in ASKING and bool(turn.text.strip())


def _words(turn: TurnRow) -> str:
    """What a person said: their own words whole, what they pasted cut."""
    text = turn.text.strip()
    if len(text) > PASTED:
        heard = said(text)
        pasted = int((1 - heard.share) * len(text))
        if heard.prose and pasted > PASTED:
            text = f"{heard.prose.strip()} [+ {pasted:,} characters pasted]"
    text = _clipped(" ".join(text.split()), WORDS)
    return _HOW.get(turn.kind, "") + text


def _agents(turns: Sequence[TurnRow], answer: TurnRow | None) -> list[Line]:
    """What an agent said and did until a person's `answer`, as one line."""
    texts = [turn for turn in turns if turn.kind == "text" and turn.text.strip()]
    calls = [turn for turn in turns if turn.kind == "tool_call"]
    failures = [turn for turn in turns if turn.role == "tool" and turn.text.strip()]
    if not texts and not calls:
        return []
    option = option_of(answer.text) if answer is not None and answer.role == "human" else ""
    parts = [_claim(texts[-1].text, _claimed(answer), option)] if texts else []
    if calls:
        parts.append(f"[did: {_deeds(calls)}]")
    failure = shortened(" ".join(failures[-1].text.split()), FAILURE) if failures else ""
    last = max(turns, key=lambda turn: turn.line)
    return [Line(last.line, "agent", last.at, " ".join(parts), "agent", failure)]


def _claim(text: str, limit: int, option: str = "") -> str:
    """The end of what an agent said, where it claims, asks and proposes, and how it began.

    An `option` that was taken is shown too.
    """
    whole = " ".join(text.split())
    if len(whole) <= limit:
        return whole
    start, end = whole[: limit // 4], whole[-limit * 3 // 4 :]
    middle = whole[len(start) : -len(end)]
    named = [match.start() for match in _RE.option.finditer(middle) if match[1].upper() == option]
    taken = f"{middle[named[0] :][:OPTION].rsplit(' ', 1)[0]} […] " if named else ""
    return f"{start.rsplit(' ', 1)[0]} […] {taken}{end.split(' ', 1)[-1]}"


def is_bare(said: str) -> bool:
    """Whether it only says to go on, or to commit what is there."""
    return bool(_RE.bare.fullmatch(said))


def option_of(answer: str) -> str:
    """The letter or number of the option that a person takes by its name; "" for none."""
    match = _RE.picks.search(answer)
    return (match["number"] or match["letter"]).upper() if match is not None else ""


def _deeds(calls: Sequence[TurnRow]) -> str:
    """Tools by how often they were used, the last call of each in short."""
    counted = Counter(call.tool for call in calls)
    last = {call.tool: " ".join(call.text.split()) for call in calls}
    shown = [
        f"{tool}{f' ×{count}' if count > 1 else ''}"
        + (f" {shortened(last[tool], DEED)}" if last[tool] else "")
        for tool, count in counted.most_common(DEEDS)
    ]
    return "; ".join(shown)


def _clipped(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    left = len(text) - limit
    return f"{text[: limit * 3 // 4]} [… {left:,} characters …] {text[-limit // 4 :]}"


def _part_text(letter: str, part: Part) -> str:
    session = part.session
    head = f"SESSION {letter}: {session.agent}, {session.started[:16].replace('T', ' ')}"
    lines = [_line_text(letter, line, line.number < part.first) for line in part.lines]
    return "\n".join([head, *lines])


def _line_text(letter: str, line: Line, earlier: bool) -> str:
    who = {"person": "PERSON", "choice": "PERSON CHOSE"}.get(line.who, "agent")
    if line.who == "person" and line.trust != "user":
        who = "perhaps a person"
    before = " (looked at before)" if earlier else ""
    return f"{letter}{line.id} {who}{before}: {inert(line.shown)}"


def together(parts: Iterable[Part]) -> Piece:
    """The first parts that fit into one piece; a large one stands alone."""
    taken: list[Part] = []
    size = 0
    for part in parts:
        size += part.size
        if taken and (size > TOGETHER or len(taken) == len(_LETTERS)):
            break
        taken.append(part)
    return Piece(tuple(taken))


def _known(name: str, document: Document) -> str:
    said = body_parts(document.body).rule or document.description
    return f"{name} ({document.created}): {inert(_in_short(said))}"


def _in_short(text: str, limit: int = SHOWN) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
