"""Speaker: whose word a sentence of a turn is, by the turn and by what stands around it.

What came through an SDK front end may have been a script, what stands in a paste or is told of
others is theirs, what was asked for or announced as a text, is spoken of as one or was written down
as one is shown, and what the next words take back is nobody's. Whoever doubts loses little: the
words wait for review.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple, cast

from reverie.data import patterns
from reverie.language.clauses import bare_of, begins_lasting, is_order, is_personal
from reverie.language.exchanges import (
    announces,
    asks_for_words,
    asks_for_work,
    asks_whose,
    disowns,
    gives_role,
    goes_on,
    goes_on_with_work,
    names_source,
    stays_open,
    takes_back,
    tells_whose,
)
from reverie.language.frames import is_claimed, is_labelled, is_set_apart, states_duty
from reverie.language.hearsay import is_disowned, is_shown_next
from reverie.language.pasted import may_be_shown
from reverie.language.words import content, words
from reverie.learn.statements.statement import is_framed
from reverie.learn.traffic.attempts import files_of
from reverie.sessions.model import ASKING, SPOKEN, TOOLS, Tool, Turn

OPENING = 120  # characters in which a turn answers the one before it
ASKED = 300  # last characters of the agent's text, in which it may ask
OPEN = 6  # turns of the person that an announcement holds for
FAR = 400  # turns in which the agent may have written what comes back
USED = 4  # fewest words of a quote that is looked for in what the agent wrote
TALKED = SPOKEN - {"command", "shell"}  # what a person says in words
_RE = patterns("detector.txt", "speaker")


class Around(NamedTuple):
    """What was said before and after a turn of a person; "" for nothing."""

    earlier: str = ""  # by the person, in the turn before
    asked: str = ""  # by the agent, right before
    replied: str = ""  # by the agent, in answer
    later: str = ""  # by the person, in the next turn
    opened: bool = False  # a game, or the wait for a text, in a turn before
    disowned: bool = False  # something before it, by a turn behind it
    named: bool = False  # as somebody's, by its words or until the agent works
    alone: bool = False  # no work stands between it and what was said before,
    left: bool = False  # or after


def trust_of(turns: Sequence[Turn], at: int, quote: str) -> str:
    """The trust that a `quote` of the turn at `at` is kept with: never more than its speaker's."""
    turn = turns[at]
    if turn.undone or turn.typed != "typed" or gives_role(turn.text):
        return "agent"
    if may_be_shown(turn.text, quote) or _is_handed_back(turns, at):
        return "agent"
    beside = around(turns, at)
    if is_claimed(quote):
        # What was announced came before; what is said of it since still counts.
        return "agent" if beside.disowned or beside.named else "user"
    # Texts of others rule; what only tells of the work is hardly anybody else's.
    bare = bare_of(words(quote))
    rules = states_duty(quote) or begins_lasting(bare)
    if not rules and not (bare and is_order(bare)):
        shown = is_shown_next(beside.earlier) or is_disowned(beside.later)
        return "agent" if shown or beside.disowned else "user"
    # In the same line what frames a rule is told along with it.
    framed = rules and is_framed(quote, turn.text) and is_set_apart(turn.text, quote)
    doubted = is_doubted(turn.text, beside)
    return "agent" if framed or doubted or is_labelled(turn.text, quote) else "user"


def trust_in_talk(turns: Sequence[Turn], at: int, quote: str) -> str:
    """The same where nobody works: there a turn beside tells nothing, unless it disowns."""
    turn = turns[at]
    shown = may_be_shown(turn.text, quote) or is_labelled(turn.text, quote)
    if turn.undone or turn.typed != "typed" or shown:
        return "agent"
    return "agent" if any(map(disowns, _typed_in(_after(turns, at)))) else "user"


def is_believed(turns: Sequence[Turn], at: int, quote: str) -> bool:
    """Whether a `quote` of the turn at `at` is the word of who typed it, and stands for itself.

    What is not believed at once may still be theirs: said again in another session it counts.
    """
    if is_doubted(turns[at].text, around(turns, at)) or _is_used(turns, at, quote):
        return False
    # Who says "I" or "we are" does not dictate.
    if not _RE.of_us.match(quote) and _is_for_document(turns, at):
        return False
    return trust_of(turns, at, quote) == "user"


def around(turns: Sequence[Turn], at: int) -> Around:
    """What was said before and after the turn at `at`."""
    # What came since may be another part of what was announced, so that only time ends the wait.
    lately = list(islice(_spoken_in(_before(turns, at)), OPEN))
    return Around(
        earlier=_spoken(_before(turns, at)),
        asked=" ".join([*_told(_before(turns, at))][::-1]),
        replied=(list(_told(_after(turns, at))) or [""])[-1],
        # What a program sends takes nothing back.
        later=next(_typed_in(_after(turns, at)), ""),
        opened=any(stays_open(text) for text in lately),
        disowned=any(map(disowns, _typed_in(_after(turns, at)))),
        named=_is_named(turns, at),
        alone=not any(_works(_until_spoken(_before(turns, at)))),
        left=not any(_works(_until_spoken(_after(turns, at)))),
    )


def _is_named(turns: Sequence[Turn], at: int) -> bool:
    """Whether a turn behind one tells whose it was, by its words; or in any way until the agent
    works. Who says "I" repeats nobody."""
    if is_personal(turns[at].text):
        return False
    named = (names_source(text, turns[at].text) for text in _typed_in(_after(turns, at)))
    idle = takewhile(lambda turn: turn.kind != "tool_call" or _asks(turn), _after(turns, at))
    return any(named) or any(map(tells_whose, _typed_in(idle)))


def is_doubted(said: str, beside: Around) -> bool:
    """Whether what stands around a turn tells that it may be a text, not a rule, or not meant.

    Words say less of each other where work was done between them; and who plainly talks shows none.
    """
    if beside.opened or beside.disowned or beside.named:
        return True
    asked, talks = beside.asked[-ASKED:], goes_on(said)
    before = beside.alone and not talks
    if asks_for_words(asked, close=before) or announces(beside.earlier, asked, close=before):
        return True
    if asks_whose(beside.replied, close=beside.left and not talks):
        return True
    if not beside.left:
        return is_disowned(beside.later)
    later = beside.later
    theirs = content(words(beside.replied)) - content(words(said))
    # Who takes up what only the agent had spoken of answers the agent.
    answers = "?" in beside.replied[-ASKED:] or not theirs.isdisjoint(content(words(later)))
    answers = answers or asks_for_work(said)
    idle = bool(later) and not (answers or goes_on_with_work(later))
    return idle or takes_back(later, said, beside.replied[-ASKED:])


def _is_handed_back(turns: Sequence[Turn], at: int) -> bool:
    """Whether the agent had written the whole turn itself: a prompt for a later time comes back
    like one that somebody typed."""
    sent = turns[at].text.strip()
    return len(sent.split()) >= USED and any(
        len(text) >= len(sent) and text.strip() == sent
        for turn in turns[max(0, at - FAR) : at]
        if turn.kind == "tool_call" and turn.tool is not None
        for text in _texts(turn.tool.input)
    )


def _is_used(turns: Sequence[Turn], at: int, quote: str) -> bool:
    """Whether the agent took the words for a text: until the next turn of the person it wrote them
    into a file or a commit. A file of instructions is where a rule belongs."""
    return any(
        repeats(quote, plainly(text))
        for turn in _until_spoken(_after(turns, at))
        if turn.kind == "tool_call" and turn.tool is not None
        for text in _written(turn.tool)
    )


def _is_for_document(turns: Sequence[Turn], at: int) -> bool:
    """Whether the agent had been writing a document, and goes on with it in answer: what is said
    in between may be what shall stand there."""
    before, after = (_documents(_until_spoken(beside(turns, at))) for beside in (_before, _after))
    return not before.isdisjoint(after)


def _documents(turns: Iterable[Turn]) -> set[str]:
    """Documents that are written in some turns; a file of instructions is where a rule belongs."""
    return {
        file
        for turn in turns
        if turn.kind == "tool_call" and turn.tool is not None
        if turn.tool.name.lower() in TOOLS.edits
        for file in files_of(turn.tool)
        if _RE.document.search(file) and not _RE.instructions.search(file)
    }


def _written(tool: Tool) -> Iterator[str]:
    """What a call writes, where it is not written down as a rule."""
    name = tool.name.lower()
    if name in TOOLS.edits and not any(_RE.instructions.search(file) for file in files_of(tool)):
        yield from _texts(tool.input)
    command = tool.input.get("command") or tool.input.get("cmd")
    if isinstance(command, str) and not _RE.noting.search(command):
        yield command


def _texts(value: object) -> list[str]:
    """The texts among some values, however deep; a session asks for those of all its calls."""
    texts: list[str] = []
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, dict):
            left.extend(cast(dict[str, object], item).values())
        elif isinstance(item, list):
            left.extend(cast(list[object], item))
    return texts


def plainly(text: str) -> str:
    """The words of a text alone."""
    return " ".join(words(text))


def repeats(quote: str, text: str) -> bool:
    """Whether a plain text holds the words of a quote, and these are more than a few."""
    sought = plainly(quote)
    return len(sought.split()) >= USED and sought in text


def _before(turns: Sequence[Turn], at: int) -> Iterator[Turn]:
    """The turns before one, nearest first."""
    return (turns[place] for place in range(at - 1, -1, -1))


def _after(turns: Sequence[Turn], at: int) -> Iterator[Turn]:
    return (turns[place] for place in range(at + 1, len(turns)))


def _until_spoken(turns: Iterable[Turn]) -> Iterator[Turn]:
    return takewhile(lambda turn: not (turn.kind in TALKED or _is_chosen(turn)), turns)


def _told(turns: Iterable[Turn]) -> Iterator[str]:
    """What the agent said until the person spoke."""
    return (
        turn.text
        for turn in _until_spoken(turns)
        if turn.kind == "text" and turn.role == "agent" and turn.text.strip()
    )


def _spoken(turns: Iterable[Turn]) -> str:
    """What the person said first in some turns."""
    return next(_spoken_in(turns), "")


def _works(turns: Iterable[Turn]) -> Iterator[Turn]:
    """What the agent did."""
    return (turn for turn in turns if turn.kind == "tool_call" and not _asks(turn))


def _asks(turn: Turn) -> bool:
    return turn.tool is not None and turn.tool.name.lower() in ASKING


def _is_chosen(turn: Turn) -> bool:
    """Whether it is what a person answered to the question of a tool."""
    return turn.kind == "tool_result" and _asks(turn)


def _typed_in(turns: Iterable[Turn]) -> Iterator[str]:
    """What the person said, picked, or gave to a command."""
    for turn in turns:
        if turn.typed == "typed" and turn.kind in TALKED | {"command"}:
            yield turn.text.partition(" ")[2] if turn.kind == "command" else turn.text
        elif _is_chosen(turn):
            yield ". ".join(_RE.answer.findall(turn.text)) or turn.text


def _spoken_in(turns: Iterable[Turn]) -> Iterator[str]:
    return (turn.text for turn in turns if turn.kind in TALKED and turn.text.strip())
