"""Findings: what worked in a task and why, the edge cases, what it left behind, how it ended."""

from collections.abc import Iterable, Mapping, Sequence
from re import Pattern
from typing import NamedTuple

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


class TaskLog(NamedTuple):
    """What the log holds of one task: its turns, the calls made, what was judged of its words."""

    turns: Sequence[Turn]  # of the whole session
    task: Task
    attempts: Sequence[Attempt]
    judged: Mapping[int, Judgement]  # by the place of the turn

    @property
    def own(self) -> Sequence[Turn]:
        return self.turns[self.task.start : self.task.end]

    @property
    def human(self) -> list[int]:
        """The places of the person's turns."""
        places = range(self.task.start, self.task.end)
        return [place for place in places if self.turns[place].role == "human"]

    @property
    def shipped(self) -> list[Attempt]:
        return [call for call in self.attempts if call.verb == "ship" and call.result == "worked"]


def what_worked(log: TaskLog, ways: Sequence[Approach]) -> list[Line]:
    """What passed at the end, how the agent summed it up and why, what the human approved."""
    good = [way for way in ways if way.verdict == "worked"]
    checked = [way for way in good if way.checked]
    shipped = [way for way in good if _RE.shipped.search(way.why)]
    worked = [Line(way.why, way.lines) for way in (checked or shipped)[-1:]]
    ends = [*log.human[1:], log.task.end]
    closings = dict.fromkeys(_closing(log, end) for end in ends)
    # What the human went on to correct did not work.
    held = {j.correction.premise.line for j in log.judged.values() if j.correction.premise}
    unique = [turn for turn in closings if turn is not None and turn.line not in held]
    for closing in unique[-MAX_EARLIER - 1 :]:
        last = closing is unique[-1]
        summary = results(closing.text, MAX_CLOSING if last else 1)
        if summary.count(" ") >= ENOUGH:
            words = shortened(summary, MAX_CLOSING if last else 200)
            worked.append(Line(f"“{words}”", (closing.line,), "agent"))
    last_words = unique[-1].line if unique else None
    rest = (turn for turn in log.own if turn.role == "agent" and turn.line != last_words)
    worked += [
        Line(f"why: “{shortened(cause.text, 260)}”", cause.lines, cause.by)
        for cause in _telling(rest, _RE.cause, MAX_SENTENCES)
    ]
    approving = (log.turns[place] for place, j in log.judged.items() if j.confirms)
    worked += [
        Line(f"approved: “{shortened(turn.text, APPROVING_WORDS)}”", (turn.line,), "human")
        for turn in approving
    ]
    return worked


def _closing(log: TaskLog, end: int) -> Turn | None:
    """The agent's last words before turns[end], unless a person spoke after them."""
    for turn in reversed(log.turns[log.task.start : end]):
        if turn.role == "human":
            return None
        if turn.kind == "text" and turn.role == "agent" and len(turn.text) > 40:
            return turn
    return None


def _telling(turns: Iterable[Turn], sought: Pattern[str], most: int) -> list[Line]:
    """Sentences of what was said that hold what is sought, each once."""
    lines: dict[str, Line] = {}
    for turn in turns:
        spoken = turn.role == "human" or turn.kind == "text"
        text = turn.text[:READ]
        if not spoken or not may_hold(sought, text) or not sought.search(text):
            continue
        for part in sentences(turn.text):
            if 25 <= len(part) <= 320 and sought.search(part) and not _RE.idle.search(part):
                lines.setdefault(part, Line(shortened(part, 240), (turn.line,), turn.role))
        if len(lines) >= most:
            break
    return list(lines.values())[:most]


def edge_cases(log: TaskLog) -> list[Line]:
    """Sentences that name a condition under which things go otherwise; the human's first."""
    ordered = [turn for role in ("human", "agent") for turn in log.own if turn.role == role]
    return _telling(ordered, _RE.edge, MAX_SENTENCES + 1)


def commits_of(log: TaskLog) -> list[Line]:
    commits: dict[str, Line] = {}
    for call in log.attempts:
        if call.verb == "ship":
            for match in _RE.committed.finditer(call.output):
                text = f"{match['id'][:10]} {shortened(match['subject'], 120)}"
                commits.setdefault(match["id"], Line(text, (call.result_line,)))
    return list(commits.values())


def links_of(log: TaskLog) -> list[Line]:
    opened = [(turn.text, turn.line) for turn in log.own if turn.kind == "outcome" and turn.text]
    printed = [
        (link, call.result_line) for call in log.shipped for link in _RE.link.findall(call.output)
    ]
    first: dict[str, int] = {}
    for link, line in opened + printed:
        first.setdefault(link, line)
    return [Line(link, (line,)) for link, line in first.items()]


def created_of(attempts: Iterable[Attempt]) -> list[Line]:
    """What was made in the project and is still there at the end, with the places."""
    places: dict[str, list[int]] = {}
    for call in attempts:
        for file in filter(_RE.inside.match, call.created):
            places.setdefault(file, []).append(call.line)
        if call.command is not None and call.result == "worked":
            for part in call.command.parts:
                for removed in part if "rm" in part[:2] else ():
                    places.pop(removed, None)
    return [Line(file, tuple(lines)) for file, lines in places.items()]


def outcome_of(
    log: TaskLog, ways: Sequence[Approach], commits: Sequence[Line], links: Sequence[Line]
) -> Outcome:
    """How it ended, as far as the log tells."""
    last, human = ways[-1].verdict if ways else "unchecked", log.human
    if last == "interrupted" or last == "refused":
        after = log.turns[human[-1] if human else log.task.start : log.task.end]
        if not any(turn.kind == "text" for turn in after):
            return last
    if last == "failed":
        return "failing"
    if any(call.command and _RE.merges.search(call.command.shown()) for call in log.shipped):
        return "merged"
    if links and log.shipped:
        return "pull request"
    if commits:
        return "committed"
    if human and (answer := log.judged.get(human[-1])) and answer.confirms:
        return "accepted"
    if last == "worked":
        return "working"
    return "open" if any(call.verb == "edit" for call in log.attempts) else "answered"
