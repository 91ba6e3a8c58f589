"""Digests: what of one session a model is shown when it looks over many.

What persons said, plans they let stand, calls that failed or that they refused, and what the agent
said last. What a program printed stands in “…”.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.dream.model import Observation, Reach
from reverie.dream.steps.gather import forgotten
from reverie.language.words import content, words
from reverie.learn.traffic.attempts import SHELLS
from reverie.learn.traffic.commands import command_of, form_of, shortened
from reverie.learn.traffic.failures import failure_of
from reverie.learn.work.pieces import Line, spoken
from reverie.sessions.model import ASKING
from reverie.sessions.query import SessionRow, TurnRow
from reverie.trust import Trust

# Longest texts, in characters.
CALL = 120
LONG = 90  # from which on a command is told by its form
MESSAGE = 140
PLAN = 220
END = 220

FEWEST_STEMS = 2  # telling words, below which a turn that begins with an answer is no more
CHOSE = "(chose) "
REFUSALS = frozenset({"reject", "reject_feedback"})
_RE = patterns("dreams.txt", "digests")
_PLANS = word_sets("traffic.txt", "tools").plans  # what is refused of them is not shown
_QUOTES = re.compile("[“”]")


class Trouble(NamedTuple):
    """A call that failed or was refused."""

    kind: str  # the same for those that ended alike
    seen: Observation
    telling: bool  # also if no other session shows it


class Digest(NamedTuple):
    """What is shown of one session, each as an observation."""

    said: tuple[Observation, ...]
    plans: tuple[Observation, ...]
    troubles: tuple[Trouble, ...]
    end: Observation | None


def digest(row: SessionRow, turns: Sequence[TurnRow], reach: Reach | None) -> Digest:
    """What is shown of a session; what a person had forgotten is not."""
    said = [
        Observation(
            "said", _words(line), row.key, row.project, line.at, f"{row.key}#{line.number}",
            trust=line.trust,
        )
        for line in spoken(row, turns)
    ]  # fmt: skip
    plans = [
        _seen(row, turn, shortened(_RE.plan.sub("", turn.text), PLAN), "agent")
        for turn in turns
        if turn.kind == "plan" and turn.text.strip()
    ]
    last = [turn for turn in turns if turn.kind == "text" and turn.text.strip()][-1:]
    ends = [_seen(row, turn, " ".join(turn.text.split())[-END:], "agent") for turn in last]

    def kept(observation: Observation) -> bool:
        return reach is None or not forgotten(observation, reach)

    return Digest(
        tuple(filter(kept, said)),
        tuple(filter(kept, plans)),
        tuple(item for item in _troubles(row, turns) if kept(item.seen)),
        next((replace(item, source="end") for item in ends if kept(item)), None),
    )


def tells_something(text: str) -> bool:
    """Whether a turn says something to who does not see what the agent had said before it."""
    said = _RE.answer.sub("", text, count=1)
    least = FEWEST_STEMS if said != text else 1
    return len(content(words(said))) >= least and not _RE.points.search(text)


def _words(line: Line) -> str:
    """What a person said, or picked when the agent asked."""
    return f"{CHOSE}{_RE.around_choices.sub('', line.text)}" if line.who == "choice" else line.text


def _troubles(row: SessionRow, turns: Sequence[TurnRow]) -> Iterator[Trouble]:
    """Calls of a session that failed or were refused.

    Each with what makes it alike, and whether it tells something if no other session shows it.
    """
    last: dict[str, TurnRow] = {}
    before: TurnRow | None = None
    refused = {turn.line for turn in turns if turn.kind in REFUSALS}
    for turn in turns:
        if turn.kind == "tool_call":
            last[turn.tool] = before = turn
        elif turn.kind in REFUSALS and before is not None and before.tool.lower() not in _PLANS:
            text = f"the person refused `{_call(before)}`"
            telling = _is_shell(before)  # any edit may be refused once
            yield Trouble(f"refused {_form(before)}", _seen(row, turn, text, "agent"), telling)
        elif turn.role == "tool" and turn.line not in refused and turn.tool in last:
            failure = failure_of(turn.tool, turn.text)
            if not _RE.says_nothing.search(failure.message) and turn.tool.lower() not in ASKING:
                message = _QUOTES.sub('"', _printed_by(failure.message, turn.text))
                text = f"`{_call(last[turn.tool])}` fails with “{message}”"
                yield Trouble(failure.signature, _seen(row, turn, text, "tool"), telling=False)


def _printed_by(message: str, output: str) -> str:
    """The telling line of an output, and how it ended."""
    end = " ".join(output.split())[-MESSAGE:]
    line = shortened(message, MESSAGE)
    return line if end in message or line[:40] in end else f"{line} … {end}"


def _call(call: TurnRow) -> str:
    """A call on one line; of a long command what it is made of."""
    if not _is_shell(call):
        return shortened(f"{call.tool} {call.text}", CALL)
    parts = command_of(call.text).parts if len(call.text) > LONG else ()
    return shortened(" && ".join(map(form_of, parts)) or call.text, CALL)


def _is_shell(call: TurnRow) -> bool:
    return any(word in call.tool.lower() for word in SHELLS)


def _form(call: TurnRow) -> str:
    """What a call is an instance of."""
    if not _is_shell(call):
        return call.tool
    parts = command_of(call.text).parts
    return form_of(parts[-1]) if parts else call.tool


def _seen(row: SessionRow, turn: TurnRow, text: str, trust: Trust) -> Observation:
    folder = f"{row.cwd.rstrip('/')}/"  # goes without saying
    text = text.replace(folder, "") if len(folder) > 1 else text
    return Observation(
        "fix", text, row.key, row.project, turn.at, f"{row.key}#{turn.line}",
        quote=text, trust=trust, kind="error",
    )  # fmt: skip
