"""Findings: what worked in a task and why, the edge cases, what it left behind, how it ended."""

from collections.abc import Sequence

from reverie.data import patterns
from reverie.learn.detect.judge import Judgement
from reverie.learn.diary.condense import ENOUGH, sentences, telling_sentence
from reverie.learn.diary.diary import Approach, Line, Outcome
from reverie.learn.diary.tasks import Task
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import shortened
from reverie.sessions.model import Turn

APPROVING_WORDS = 180
MAX_CLOSING = 640
MAX_EDGE_CASES = 6
MAX_EARLIER = 4
MAX_CAUSES = 5

_RE = patterns("diaries.txt", "findings")


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
    shipped = [way for way in good if _RE.shipped.search(way.why)]
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
        if not _RE.cause.search(turn.text):
            continue
        for sentence in sentences(turn.text):
            if 30 <= len(sentence) <= 320 and _RE.cause.search(sentence):
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
            if not _RE.edge.search(turn.text[:6_000]):
                continue
            for sentence in sentences(turn.text):
                if 25 <= len(sentence) <= 320 and _RE.edge.search(sentence):
                    found.setdefault(sentence, Line(shortened(sentence, 240), (turn.line,), by))
            if len(found) >= MAX_EDGE_CASES:
                return list(found.values())[:MAX_EDGE_CASES]
    return list(found.values())


def commits_of(tried: Sequence[Attempt]) -> list[Line]:
    found: dict[str, Line] = {}
    for one in tried:
        if one.verb != "ship" or "[" not in one.output:
            continue
        for match in _RE.committed.finditer(one.output):
            text = f"{match['id'][:10]} {shortened(match['subject'], 120)}"
            found.setdefault(match["id"], Line(text, (one.result_line,)))
    return list(found.values())


def links_of(turns: Sequence[Turn], task: Task, tried: Sequence[Attempt]) -> list[Line]:
    found: dict[str, int] = {}
    for turn in turns[task.start : task.end]:
        if turn.kind == "outcome" and turn.text:
            found.setdefault(turn.text, turn.line)
    for one in tried:
        if one.verb == "ship" and one.result == "worked":
            for link in _RE.link.findall(one.output):
                found.setdefault(link, one.result_line)
    return [Line(link, (line,)) for link, line in found.items()]


def edits_of(tried: Sequence[Attempt]) -> list[Line]:
    """What was edited, with the places of the edits."""
    edits = [one for one in tried if one.verb == "edit" and one.result == "worked"]
    return _placed([(file, one.line) for one in edits for file in one.files])


def created_of(tried: Sequence[Attempt]) -> list[Line]:
    """What was made and is still there at the end, with the places."""
    made: list[tuple[str, int]] = []
    for one in tried:
        made += [(file, one.line) for file in one.created]
        if one.command is not None and one.result == "worked":
            gone = {word for part in one.command.parts if "rm" in part[:2] for word in part}
            made = [(file, line) for file, line in made if file not in gone]
    return _placed(made)


def _placed(found: Sequence[tuple[str, int]]) -> list[Line]:
    """Each thing once, with all its lines."""
    lines: dict[str, list[int]] = {}
    for thing, line in found:
        lines.setdefault(thing, []).append(line)
    return [Line(thing, tuple(places)) for thing, places in lines.items()]


def outcome_of(
    turns: Sequence[Turn],
    task: Task,
    human: Sequence[int],
    tried: Sequence[Attempt],
    ways: Sequence[Approach],
    commits: Sequence[Line],
    links: Sequence[Line],
    judged: dict[int, Judgement],
) -> Outcome:
    """How it ended, as far as the log tells."""
    if ways and ways[-1].verdict in {"interrupted", "refused"}:
        after = range(human[-1] if human else task.start, task.end)
        if not any(turns[place].kind == "text" for place in after):
            return "interrupted" if ways[-1].verdict == "interrupted" else "refused"
    shipped = [one for one in tried if one.verb == "ship" and one.result == "worked"]
    if ways and ways[-1].verdict == "failed":
        return "failing"
    if any(one.command and _RE.merges.search(one.command.shown()) for one in shipped):
        return "merged"
    if links and shipped:
        return "pull request"
    if commits:
        return "committed"
    if human and (last := judged.get(human[-1])) and last.confirms:
        return "accepted"
    if ways and ways[-1].verdict == "worked":
        return "working"
    return "open" if any(one.verb == "edit" for one in tried) else "answered"
