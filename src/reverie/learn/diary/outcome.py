"""Outcome: what a task left behind, and how it ended as far as the log tells."""

from collections.abc import Sequence

from reverie.data import patterns
from reverie.learn.detect.judge import Judgement
from reverie.learn.diary.diary import Approach, Line, Outcome
from reverie.learn.diary.tasks import Task
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import shortened
from reverie.sessions.model import Turn

_RE = patterns("diaries.txt", "outcome")


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
    found: dict[str, list[int]] = {}
    for one in tried:
        if one.verb == "edit" and one.result == "worked":
            for file in one.files:
                found.setdefault(file, []).append(one.line)
    return [Line(file, tuple(lines)) for file, lines in found.items()]


def created_of(tried: Sequence[Attempt]) -> list[Line]:
    """What was made and is still there at the end, with the places."""
    found: dict[str, list[int]] = {}
    for one in tried:
        for file in one.created:
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
