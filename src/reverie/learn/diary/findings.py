"""Findings: what the words of a task tell about it. What worked and why, and the edge cases."""

import re
from collections.abc import Sequence

from reverie.data import patterns
from reverie.learn.detect.judge import Judgement
from reverie.learn.diary.condense import ENOUGH, sentences, telling_sentence
from reverie.learn.diary.diary import Approach, Line
from reverie.learn.diary.tasks import Task
from reverie.learn.traffic.commands import shortened
from reverie.sessions.model import Turn

APPROVING_WORDS = 180
MAX_CLOSING = 640
MAX_EDGE_CASES = 6
MAX_EARLIER = 4
MAX_CAUSES = 5

_PATTERNS = patterns("diaries.txt", "findings")
_EDGE = re.compile(_PATTERNS["edge"], re.I)
_SHIPPED = re.compile(r"^`(?:git (?:commit|push|merge|rebase)|gh pr)\b")
_CAUSE = re.compile(_PATTERNS["cause"], re.I)


def what_worked(
    turns: Sequence[Turn],
    task: Task,
    human: Sequence[int],
    ways: Sequence[Approach],
    judged: dict[int, Judgement],
) -> list[Line]:
    """What passed at the end, how the agent summed it up, what the human approved."""
    found: list[Line] = []
    good = [way for way in ways if way.verdict == "worked"]
    checked = [way for way in good if way.checked]
    shipped = [way for way in good if _SHIPPED.search(way.why)]
    found += [Line(way.why, way.lines) for way in (checked or shipped)[-1:]]
    ends = [*human[1:], task.end]
    closings = [c for end in ends if (c := _closing(turns, task.start, end)) is not None]
    # What the human went on to correct did not work.
    held = {j.correction.premise.line for j in judged.values() if j.correction.premise}
    closings = [closing for closing in closings if closing.line not in held]
    unique = list(dict.fromkeys(closings))
    for closing in unique[-MAX_EARLIER - 1 : -1]:
        sentence = telling_sentence(closing.text, 200)
        if sentence.count(" ") >= ENOUGH and not sentence.endswith("?"):
            found.append(Line(f"“{sentence}”", (closing.line,), "agent"))
    if unique:
        text = _condensed_closing(unique[-1].text)
        if text:
            found.append(Line(f"“{text}”", (unique[-1].line,), "agent"))
    found += _causes(turns, task, {closing.line for closing in unique[-1:]})
    for place, judgement in judged.items():
        if judgement.confirms:
            words = shortened(turns[place].text, APPROVING_WORDS)
            found.append(Line(f"approved: “{words}”", (turns[place].line,), "human"))
    return found


def _causes(turns: Sequence[Turn], task: Task, told: set[int]) -> list[Line]:
    """Why things were as they were: the sentences in which the agent names a cause."""
    found: dict[str, Line] = {}
    for turn in turns[task.start : task.end]:
        if turn.kind != "text" or turn.role != "agent" or turn.line in told:
            continue
        if not _CAUSE.search(turn.text):
            continue
        for sentence in sentences(turn.text):
            if 30 <= len(sentence) <= 320 and _CAUSE.search(sentence):
                line = Line(f"why: “{shortened(sentence, 260)}”", (turn.line,), "agent")
                found.setdefault(sentence, line)
        if len(found) >= MAX_CAUSES:
            break
    return list(found.values())[:MAX_CAUSES]


def _condensed_closing(text: str) -> str:
    """The agent's summary of what it did: its first sentences, one after the other."""
    kept: list[str] = []
    size = 0
    for part in sentences(text):
        if kept and size + len(part) > MAX_CLOSING:
            break
        kept.append(shortened(part, 240))
        size += len(part)
    return " ".join(kept)


def _closing(turns: Sequence[Turn], start: int, end: int) -> Turn | None:
    """The agent's last words before turns[end], unless a person spoke after them."""
    for place in range(end - 1, start - 1, -1):
        turn = turns[place]
        if turn.role == "human":
            return None
        if turn.kind == "text" and turn.role == "agent" and len(turn.text) > 40:
            return turn
    return None


def edge_cases(turns: Sequence[Turn], task: Task) -> list[Line]:
    """Sentences that name a condition under which things go otherwise; the human's first."""
    found: dict[str, Line] = {}
    for by in ("human", "agent"):
        for turn in turns[task.start : task.end]:
            if turn.role != by or turn.kind in {"thinking", "tool_call"} or not turn.text:
                continue
            if not _EDGE.search(turn.text[:6_000]):
                continue
            for sentence in sentences(turn.text):
                if 25 <= len(sentence) <= 320 and _EDGE.search(sentence):
                    found.setdefault(sentence, Line(shortened(sentence, 240), (turn.line,), by))
            if len(found) >= MAX_EDGE_CASES:
                return list(found.values())[:MAX_EDGE_CASES]
    return list(found.values())
