"""Findings: what worked in a task and why, the edge cases, what it left behind, how it ended."""

from collections.abc import Iterable, Sequence
from re import Pattern

from reverie.data import patterns
from reverie.learn.detect.judge import Judgement
from reverie.learn.diary.condense import ENOUGH, results, sentences
from reverie.learn.diary.diary import Approach, Line, Outcome
from reverie.learn.diary.tasks import Task
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import shortened
from reverie.learn.traffic.sieve import may_hold
from reverie.sessions.model import Turn

APPROVING_WORDS = 180
MAX_EARLIER = 4
MAX_CLOSING = 640
READ = 6_000  # characters of a turn that are looked through
MAX_SENTENCES = 5  # causes; of edge cases one more

_RE = patterns("diaries.txt", "findings")


def what_worked(
    turns: Sequence[Turn],
    task: Task,
    human: Sequence[int],
    ways: Sequence[Approach],
    judged: dict[int, Judgement],
) -> list[Line]:
    """What passed at the end, how the agent summed it up and why, what the human approved."""
    good = [way for way in ways if way.verdict == "worked"]
    checked = [way for way in good if way.checked]
    shipped = [way for way in good if _RE.shipped.search(way.why)]
    found = [Line(way.why, way.lines) for way in (checked or shipped)[-1:]]
    ends = [*human[1:], task.end]
    closings = [c for end in ends if (c := _closing(turns, task.start, end)) is not None]
    # What the human went on to correct did not work.
    held = {j.correction.premise.line for j in judged.values() if j.correction.premise}
    unique = list(dict.fromkeys(closing for closing in closings if closing.line not in held))
    for closing in unique[-MAX_EARLIER - 1 :]:
        last = closing is unique[-1]
        told = results(closing.text, MAX_CLOSING) if last else results(closing.text, 1)
        if told.count(" ") >= ENOUGH:
            words = shortened(told, MAX_CLOSING if last else 200)
            found.append(Line(f"“{words}”", (closing.line,), "agent"))
    told = {closing.line for closing in unique[-1:]}
    rest = [t for t in turns[task.start : task.end] if t.role == "agent" and t.line not in told]
    causes = _telling(rest, _RE.cause, MAX_SENTENCES)
    found += [Line(f"why: “{shortened(one.text, 260)}”", one.lines, one.by) for one in causes]
    for place, judgement in judged.items():
        if judgement.confirms:
            words = shortened(turns[place].text, APPROVING_WORDS)
            found.append(Line(f"approved: “{words}”", (turns[place].line,), "human"))
    return found


def _closing(turns: Sequence[Turn], start: int, end: int) -> Turn | None:
    """The agent's last words before turns[end], unless a person spoke after them."""
    for place in range(end - 1, start - 1, -1):
        turn = turns[place]
        if turn.role == "human":
            return None
        if turn.kind == "text" and turn.role == "agent" and len(turn.text) > 40:
            return turn
    return None


def _telling(turns: Iterable[Turn], sought: Pattern[str], most: int) -> list[Line]:
    """Sentences of what was said that hold what is sought, each once."""
    found: dict[str, Line] = {}
    for turn in turns:
        spoken = turn.role == "human" or turn.kind == "text"
        text = turn.text[:READ]
        if not spoken or not may_hold(sought, text) or not sought.search(text):
            continue
        for part in sentences(turn.text):
            if 25 <= len(part) <= 320 and sought.search(part) and not _RE.idle.search(part):
                found.setdefault(part, Line(shortened(part, 240), (turn.line,), turn.role))
        if len(found) >= most:
            break
    return list(found.values())[:most]


def edge_cases(turns: Sequence[Turn], task: Task) -> list[Line]:
    """Sentences that name a condition under which things go otherwise; the human's first."""
    own = turns[task.start : task.end]
    ordered = [*(t for t in own if t.role == "human"), *(t for t in own if t.role == "agent")]
    return _telling(ordered, _RE.edge, MAX_SENTENCES + 1)


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


def created_of(tried: Sequence[Attempt]) -> list[Line]:
    """What was made in the project and is still there at the end, with the places."""
    found: dict[str, list[int]] = {}
    for one in tried:
        for file in filter(_RE.inside.match, one.created):
            found.setdefault(file, []).append(one.line)
        if one.command is not None and one.result == "worked":
            gone = {word for part in one.command.parts if "rm" in part[:2] for word in part}
            found = {file: lines for file, lines in found.items() if file not in gone}
    return [Line(file, tuple(lines)) for file, lines in found.items()]


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
    last = ways[-1].verdict if ways else "unchecked"
    if last == "interrupted" or last == "refused":
        after = range(human[-1] if human else task.start, task.end)
        if not any(turns[place].kind == "text" for place in after):
            return last
    if last == "failed":
        return "failing"
    shipped = [one for one in tried if one.verb == "ship" and one.result == "worked"]
    if any(one.command and _RE.merges.search(one.command.shown()) for one in shipped):
        return "merged"
    if links and shipped:
        return "pull request"
    if commits:
        return "committed"
    if human and (answer := judged.get(human[-1])) and answer.confirms:
        return "accepted"
    if last == "worked":
        return "working"
    return "open" if any(one.verb == "edit" for one in tried) else "answered"
