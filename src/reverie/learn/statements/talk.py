"""Talk: the standing instructions of a conversation in which nobody used a tool.

People who explain to each other how they work say rules as wishes, habits and asides. Sentence by
sentence, several per turn; what a pronoun means is what was spoken of before.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from reverie.data import patterns
from reverie.language.wording import STYLES, Thing, Token, inner, is_affix, things, tokens
from reverie.learn.detect.observe import said_row
from reverie.learn.detect.speaker import trust_in_talk
from reverie.learn.statements.directives import directives_in
from reverie.learn.statements.utterance import Sentence, hear, sentences
from reverie.sessions.index import SessionRead
from reverie.sessions.model import SPOKEN, Turn
from reverie.sessions.statements import StatementRow

CHAT = "chat"  # the reader of conversations without an agent
Setting = Literal["work", "talk"]
MOST_WORDS = 50
LEAST_WORDS = 3
MOST_RULES = 12  # of one turn; more is a pasted document
FIRST_PLACE = 1_000  # behind the sentences of the turn, of which these are a second reading

_RE = patterns("statements.txt", "talk")


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


def talked_rules(read: SessionRead) -> list[StatementRow]:
    """The rules a conversation states, in order."""
    rows: list[StatementRow] = []
    spoken_of: list[Thing] = []
    on_line: Counter[int] = Counter()  # a damaged log can hold several turns on one line
    for place, turn in enumerate(read.turns):
        if turn.role == "agent" and turn.kind == "text":
            spoken_of = named_things(turn.text) or spoken_of
        if turn.role != "human" or turn.kind not in SPOKEN:
            continue
        if place in read.copied or turn.typed == "injected":
            continue
        utterance = hear(turn.text)
        for lesson, quote in rules_of(utterance.prose, spoken_of).items():
            rows.append(_row(read, place, FIRST_PLACE + on_line[turn.line], lesson, quote))
            on_line[turn.line] += 1
        spoken_of = named_things(utterance.prose) or spoken_of
    return rows


def _row(read: SessionRead, at: int, place: int, lesson: str, quote: str) -> StatementRow:
    trust = trust_in_talk(read.turns, at, quote)
    row = said_row(read, at, place, lesson, quote)._replace(trust=trust)
    everywhere = bool(_RE.everywhere.search(quote))
    return row._replace(lasting=1.0, sure=row.trust == "user", standing=True, shared=everywhere)


def rules_of(prose: str, spoken_of: Sequence[Thing] = ()) -> dict[str, str]:
    """The standing instructions of one turn, in order: the line to remember → its sentence.

    `spoken_of` is what a pronoun in its first sentence may mean.
    """
    rules: dict[str, str] = {}
    for sentence in sentences(prose):
        for lesson in _lessons(sentence, spoken_of):
            rules.setdefault(lesson, sentence.text)
        spoken_of = named_things(sentence.text) or spoken_of
    return rules if len(rules) <= MOST_RULES else {}


def _lessons(sentence: Sentence, spoken_of: Sequence[Thing]) -> list[str]:
    text = sentence.text
    if not LEAST_WORDS <= len(sentence.words) <= MOST_WORDS or _RE.asks.search(text):
        return []
    if _RE.aside.search(text):
        return []
    named = conventions_in(text, spoken_of)
    if named and _RE.report.search(text):
        return []
    meant = named_things(text) or spoken_of
    return named + [line for line in directives_in(text, meant) if not _is_one_of(line, named)]


def _is_one_of(line: str, named: Sequence[str]) -> bool:
    """Whether a line says a convention again that was read into its own words already."""
    return bool(named) and (bool(conventions_in(line)) or not _RE.new.search(line))


# Conventions: rules about names, read into one plain line whatever way they were said, so that a
# later word on the same matter is seen to be one. "When naming methods, I'd like you to use the
# prefix 'do_'" and "all method names should start with do_" are "Start method names with 'do_'."
_LEAVING = frozenset({"from", "not", "than", "of", "replacing", "replace", "dropping", "drop"})
_REACH = 4  # tokens before a value in which a word may say that it is the old one


def conventions_in(text: str, spoken_of: Sequence[Thing] = ()) -> list[str]:
    """One line per convention in a sentence; `spoken_of` is what "them" and "the names" mean."""
    wording = tokens(text)
    kinds = things(wording)
    values = [place for place, token in enumerate(wording) if _is_value(token)]
    chosen = [place for place in values if not _is_old(wording, place)] or values
    if not chosen:
        return []
    lines: list[str] = []
    for number, place in enumerate(chosen):
        for thing in _things_for(kinds, place, number, len(chosen)) or spoken_of:
            line = _line(wording[place], thing)
            if line not in lines:
                lines.append(line)
    return lines


def _is_value(token: Token) -> bool:
    if token.sort == "name" and is_affix(token.root):
        return True
    return _is_style(token)


def _is_style(token: Token) -> bool:
    return token.root in STYLES


def _is_old(wording: Sequence[Token], place: int) -> bool:
    """Whether a value is named as the one to leave: `instead of 'm_'`, `from 'a_' to`."""
    before = [token.text.lower() for token in wording[max(0, place - _REACH) : place]]
    for word in reversed(before):
        if word in {"to", "with", "using", "use", "prefix", "suffix"}:
            return False
        if word in _LEAVING:
            return True
    return False


def _things_for(kinds: Sequence[Thing], place: int, number: int, values: int) -> list[Thing]:
    """The things whose names a value is for: those spoken of by name, nearest to it."""
    called = [thing for thing in kinds if thing.named]
    if values > 1 and len(called) == values:
        return [called[number]]
    kept = inner(thing.head for thing in kinds)
    able = [thing for thing in kinds if thing.head in kept]
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
    kinds = things(tokens(text))
    named = [thing for thing in kinds if thing.named] or kinds
    return [thing for thing in named if thing.head in inner(thing.head for thing in named)]
