"""Account: one task of a session in, its diary out. From the log alone, no model, no clock."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from reverie.data import patterns
from reverie.language.words import said
from reverie.learn.detect.judge import Judgement
from reverie.learn.diary.approaches import approaches
from reverie.learn.diary.condense import (
    ANSWER_WORDS,
    condensed,
    request_of,
    telling_sentence,
    titled,
)
from reverie.learn.diary.diary import Diary, ErrorNote, Line, retold
from reverie.learn.diary.findings import (
    TaskLog,
    commits_of,
    created_of,
    edge_cases,
    links_of,
    outcome_of,
    what_worked,
)
from reverie.learn.diary.tasks import Task
from reverie.learn.traffic.attempts import Attempt, Made, attempts
from reverie.learn.traffic.commands import shortened
from reverie.learn.traffic.fixes import Fix, fixes
from reverie.learn.traffic.homes import tilde
from reverie.sessions.model import Turn

_RE = patterns("diaries.txt", "account")

FIRST_WORDS = 600  # characters of the turn that sets the task
LATER_WORDS = 180
MAX_WORDS = 220  # of a mistake
TITLE = 100
REPEATED = 2
MAX_CHECKS = 6
_PREFIX = {
    "steer": "meanwhile: ",
    "reject_feedback": "refusing a call: ",
    "accept_feedback": "allowing a call: ",
    "shell": "ran: !",
}
_WORDLESS = {"interrupt": "interrupted the agent", "reject": "refused a call"}


def account(
    turns: Sequence[Turn],
    task: Task,
    judgements: Sequence[Judgement],
    session: str,
    project: str,
    tasks: int,
    made: Made | None = None,
) -> tuple[Diary, list[Fix]]:
    """The diary of `task` and the fixes it shows; `judgements` are those of the whole session."""
    judged = {j.turn_index: j for j in judgements if task.start <= j.turn_index < task.end}
    log = TaskLog(turns, task, attempts(turns, task.start, task.end, made), judged)
    mended = fixes(log.attempts)
    ways = approaches(turns, log.attempts, task)
    errors = _errors(log.attempts, mended)
    commits, links = commits_of(log), links_of(log)
    times = sorted(turn.at for turn in log.own if turn.at)
    later = log.human[1:]
    corrected = {j.line for place, j in judged.items() if j.correction.sure and place in later}
    title = title_of(log.own, commits, corrected)
    first = turns[log.human[0] if log.human else task.start]
    wanted = [*_plans(log.own), *_person(log), *_answers(log.attempts)]
    diary = Diary(
        session=session,
        project=project,
        number=task.number,
        tasks=tasks,
        day=(first.at or (times[0] if times else ""))[:10],
        started=times[0] if times else "",
        ended=times[-1] if times else "",
        title=title.text,
        title_by=title.by,
        begins=task.why,
        task=tuple(sorted(wanted, key=lambda line: line.lines[0])),
        approaches=tuple(ways),
        worked=tuple(what_worked(log, ways)),
        mistakes=tuple(mistakes(log, errors)),
        errors=tuple(errors),
        edge_cases=tuple(edge_cases(log)),
        patterns=tuple(_patterns(log, mended)),
        commits=tuple(commits),
        links=tuple(links),
        outcome=outcome_of(log, ways, commits, links),
        refused=_lines(log.attempts, "refused"),
        cancelled=_lines(log.attempts, "cancelled"),
        empty=_lines(log.attempts, "empty"),
        created=tuple(created_of(log.attempts)),
    )
    return retold(diary, tilde), mended


class Title(NamedTuple):
    """What a task is called, and whether a person typed these words."""

    text: str
    by: str = ""


def title_of(turns: Sequence[Turn], commits: Sequence[Line], corrected: Collection[int]) -> Title:
    """The first real request, plan or slash command; else what came of it, in somebody's words."""
    requests = [
        Title(text, "human" if turn.typed == "typed" and turn.kind != "plan" else "")
        for turn in turns
        if turn.line not in corrected and (text := _request(turn))
    ]
    # A pasted log says less about the work than what was committed at its end.
    plain = next((title for title in requests if not _RE.poor.search(title.text)), None)
    if plain:
        return plain
    if commits:
        return Title(commits[-1].text.partition(" ")[2])
    if requests:
        return requests[0]
    spoken = [turn.text for turn in turns if turn.role == "agent" and turn.kind == "text"]
    answers = (titled(telling_sentence(text, FIRST_WORDS), TITLE) for text in spoken)
    return Title(next((text for text in answers if text.count(" ") > 1), "work without a request"))


def _request(turn: Turn) -> str:
    if turn.kind == "plan":
        return titled(_RE.planned.sub("", turn.text).split("\n")[0], TITLE)
    if turn.kind == "command":
        return "" if _RE.housekeeping.match(turn.text) else titled(turn.text, TITLE)
    return request_of(turn.text, TITLE) if turn.kind in {"prompt", "steer"} else ""


def _lines(calls: Iterable[Attempt], result: str) -> tuple[int, ...]:
    return tuple(sorted({call.result_line for call in calls if call.result == result}))


def mistakes(log: TaskLog, errors: Iterable[ErrorNote]) -> list[Line]:
    """In the order a reader wants them: what the human said, what was undone, what recurred."""
    lines: list[Line] = []
    refused = {call.result_index: call for call in log.attempts if call.result == "refused"}
    # What opens a later task answers the one before.
    for place in log.human[1:] if log.task.number > 1 else log.human:
        turn, judgement = log.turns[place], log.judged.get(place)
        if judgement is not None and judgement.correction.sure:
            lines.append(_corrected(turn, judgement))
        elif turn.kind == "reject_feedback":
            call = refused.get(place - 1)
            what = f"`{shortened(call.shown, 80)}`" if call else "a call"
            text = f"refused {what}: “{condensed(turn.text, MAX_WORDS)}”"
            lines.append(Line(text, (turn.line,), "human"))
    for call in log.attempts:
        if call.verb == "undo" and call.result == "worked":
            lines.append(Line(f"took work back: `{shortened(call.shown, 100)}`", (call.line,)))
        elif call.user_modified:
            files = ", ".join(f"`{file}`" for file in call.files) or "an edit"
            lines.append(Line(f"the human changed the edit of {files}", (call.result_line,)))
    lines += [
        Line(f"failed {error.count} times: {error.signature}", error.lines, "tool")
        for error in errors
        if error.count >= REPEATED
    ]
    return _told_once(lines)


def _told_once(lines: Iterable[Line]) -> list[Line]:
    """The same again is told once, with all its places."""
    merged: dict[tuple[str, str], set[int]] = {}
    for line in lines:
        merged.setdefault((line.text, line.by), set()).update(line.lines)
    return [Line(text, tuple(sorted(places)), by) for (text, by), places in merged.items()]


def _corrected(turn: Turn, judgement: Judgement) -> Line:
    verdict = judgement.correction
    words = condensed(verdict.span or turn.text, MAX_WORDS)
    if verdict.premise is None:
        return Line(f"corrected: “{words}”", (turn.line,), "human")
    held = shortened(verdict.premise.text, MAX_WORDS)
    lines = tuple(sorted({line for line in (verdict.premise.line, turn.line) if line >= 0}))
    return Line(f"held “{held}”; corrected: “{words}”", lines, "human")


def _plans(turns: Iterable[Turn]) -> list[Line]:
    """Plans that were handed over or approved: what was to be done, in the agent's words."""
    plans: dict[str, Line] = {}
    for turn in turns:
        if turn.kind == "plan" and turn.text:
            text = f"plan: {condensed(_RE.planned.sub('', turn.text), FIRST_WORDS)}"
            plans.setdefault(text, Line(text, (turn.line,), "agent"))
    return list(plans.values())


def _answers(calls: Iterable[Attempt]) -> list[Line]:
    """What a person chose when a tool asked."""
    return [
        Line(
            f"asked: {shortened(_RE.answered.sub('', call.output), 300)}",
            (call.result_line,),
            "human",
        )
        for call in calls
        if call.verb == "ask" and call.result == "worked" and _RE.answered.search(call.output)
    ]


def _person(log: TaskLog) -> list[Line]:
    """Every human turn: what was wanted in the person's words, short answers together."""
    turns = [log.turns[place] for place in log.human]
    wishes: list[Line] = []
    short: list[Turn] = []
    for turn in turns:
        if turn.kind in _WORDLESS:
            continue
        if _is_answer(turn):
            short.append(turn)
            continue
        words = condensed(turn.text, LATER_WORDS if wishes else FIRST_WORDS)
        taken_back = "(taken back) " if turn.undone else ""
        text = f"{_PREFIX.get(turn.kind, '')}{taken_back}{words}"
        wishes.append(Line(text, (turn.line,), "human"))
    lines = _told_once(wishes)
    if short:
        answers = " · ".join(dict.fromkeys(shortened(turn.text, 60) for turn in short))
        when = "in between: " if wishes else ""
        lines.append(Line(f"{when}{answers}", tuple(turn.line for turn in short), "human"))
    for kind, deed in _WORDLESS.items():
        if places := tuple(turn.line for turn in turns if turn.kind == kind):
            times = f", {len(places)} times" if len(places) > 1 else ""
            lines.append(Line(f"({deed}{times})", places, "human"))
    return lines


def _is_answer(turn: Turn) -> bool:
    if turn.kind == "command":
        return bool(_RE.housekeeping.match(turn.text))
    return len(turn.text) < LATER_WORDS and len(said(turn.text).content) < ANSWER_WORDS


def _errors(calls: Sequence[Attempt], mended: Iterable[Fix]) -> list[ErrorNote]:
    """Failures by signature, in the order they first came."""
    by_signature: dict[str, list[Attempt]] = {}
    for call in calls:
        if call.failure is not None:
            by_signature.setdefault(call.failure.signature, []).append(call)
    fixed = {line: fix for fix in mended for line in fix.lines}
    errors: list[ErrorNote] = []
    for signature, group in by_signature.items():
        first = group[0]
        assert first.failure is not None
        fix = next((fixed[call.result_line] for call in group if call.result_line in fixed), None)
        errors.append(
            ErrorNote(
                signature=signature,
                message=first.failure.message,
                tried=shortened(first.shown, 140),
                trouble=first.failure.trouble,
                count=len(group),
                overcome=f"`{fix.fix}`" if fix else _passed_later(calls, group[-1]),
                lines=tuple(sorted({call.result_line for call in group})),
            )
        )
    return errors


def _passed_later(calls: Iterable[Attempt], failed: Attempt) -> str:
    """What stood between a failure and the same call passing: edits, mostly."""
    edited: dict[str, None] = {}
    for call in calls:
        if call.index <= failed.index or call.result != "worked":
            continue
        if call.verb == "edit":
            edited.update(dict.fromkeys(call.files))
            if failed.verb == "edit" and set(call.files) & set(failed.files):
                return "a later edit of the file"
        elif call.shown == failed.shown:
            files = ", ".join(f"`{file}`" for file in list(edited)[:3])
            return f"edits of {files}" if files else "trying again"
    return ""


def _patterns(log: TaskLog, mended: Iterable[Fix]) -> list[Line]:
    """What might hold beyond this task: lasting words, fixes, the checks this project has."""
    lines = [
        Line(f"said to last: {best.rule}", (log.turns[place].line,), "human")
        for place, judgement in log.judged.items()
        if (best := judgement.best) is not None and (best.sure or best.standing)
    ]
    lines += [Line(fix.lesson, (*fix.lines, fix.fixed_line), "tool") for fix in mended]
    passing = {
        call.shown: call.result_line
        for call in log.attempts
        if call.verb == "check" and call.result == "worked" and len(call.shown) <= 60
    }
    if passing:
        few = list(passing)[:MAX_CHECKS]
        checks = ", ".join(f"`{shown}`" for shown in few)
        places = tuple(passing[shown] for shown in few)
        lines.append(Line(f"checks that pass here: {checks}", places))
    return lines
