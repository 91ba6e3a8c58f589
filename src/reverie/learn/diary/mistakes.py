"""Mistakes of a task: corrections, refusals, work taken back, failures that came again."""

from collections.abc import Sequence

from reverie.learn.detect.judge import Judgement
from reverie.learn.diary.condense import condensed
from reverie.learn.diary.diary import ErrorNote, Line
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import shortened
from reverie.sessions.model import Turn

REPEATED = 2
MAX_WORDS = 220


def mistakes(
    turns: Sequence[Turn],
    human: Sequence[int],
    tried: Sequence[Attempt],
    judged: dict[int, Judgement],
    errors: Sequence[ErrorNote],
) -> list[Line]:
    """In the order a reader wants them: what the human said, what was undone, what recurred."""
    found: list[Line] = []
    by_result = {one.result_index: one for one in tried if one.result == "refused"}
    for place in human:
        turn, judgement = turns[place], judged.get(place)
        if judgement is not None and judgement.correction.sure:
            found.append(_corrected(turn, judgement))
        elif turn.kind == "reject_feedback":
            refused = by_result.get(place - 1)
            what = f" `{shortened(refused.shown, 80)}`" if refused else " a call"
            words = condensed(turn.text, MAX_WORDS)
            found.append(Line(f"refused{what}: “{words}”", (turn.line,), "human"))
    for one in tried:
        if one.verb == "undo" and one.result == "worked":
            found.append(Line(f"took work back: `{shortened(one.shown, 100)}`", (one.line,)))
        elif one.user_modified:
            files = ", ".join(f"`{file}`" for file in one.files) or "an edit"
            found.append(Line(f"the human changed the edit of {files}", (one.result_line,)))
    found += [
        Line(f"failed {error.count} times: {error.signature}", error.lines, "tool")
        for error in errors
        if error.count >= REPEATED
    ]
    return _once(found)


def _once(found: Sequence[Line]) -> list[Line]:
    """The same mistake told once, with all its places."""
    merged: dict[tuple[str, str], set[int]] = {}
    for line in found:
        merged.setdefault((line.text, line.by), set()).update(line.lines)
    return [Line(text, tuple(sorted(lines)), by) for (text, by), lines in merged.items()]


def _corrected(turn: Turn, judgement: Judgement) -> Line:
    verdict = judgement.correction
    words = condensed(verdict.span or turn.text, MAX_WORDS)
    if verdict.premise is None:
        return Line(f"corrected: “{words}”", (turn.line,), "human")
    held = shortened(verdict.premise.text, MAX_WORDS)
    lines = tuple(sorted({line for line in (verdict.premise.line, turn.line) if line >= 0}))
    return Line(f"held “{held}”; corrected: “{words}”", lines, "human")
