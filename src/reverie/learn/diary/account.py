"""Account: one task of a session in, its diary out. From the log alone, no model, no clock."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from reverie.data import patterns
from reverie.language.words import said
from reverie.learn.detect.judge import Judgement
from reverie.learn.diary.approaches import approaches
from reverie.learn.diary.condense import ANSWER_WORDS, condensed, request_of, telling_sentence
from reverie.learn.diary.diary import Diary, ErrorNote, Line, retold
from reverie.learn.diary.findings import (
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
_PREFIX = {
    "steer": "meanwhile: ",
    "reject_feedback": "refusing a call: ",
    "accept_feedback": "allowing a call: ",
    "shell": "ran: !",
}


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
    tried = attempts(turns, task.start, task.end, made)
    mended = fixes(tried)
    ways = approaches(turns, tried, task)
    errors = _errors(tried, mended)
    human = [i for i in range(task.start, task.end) if turns[i].role == "human"]
    commits, links = commits_of(tried), links_of(turns, task, tried)
    times = sorted(turn.at for turn in turns[task.start : task.end] if turn.at)
    first = turns[human[0]] if human else turns[task.start]
    corrected = {j.line for place, j in judged.items() if j.correction.sure and place in human[1:]}
    # What opens a later task answers the one before.
    reactions = human[1:] if task.number > 1 else human
    told = [*_plans(turns, task), *_task_lines(turns, human), *_answers(tried)]
    told.sort(key=lambda line: line.lines[0])
    title = title_of(turns[task.start : task.end], commits, corrected)
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
        task=tuple(told),
        approaches=tuple(ways),
        worked=tuple(what_worked(turns, task, human, ways, judged)),
        mistakes=tuple(mistakes(turns, reactions, tried, judged, errors)),
        errors=tuple(errors),
        edge_cases=tuple(edge_cases(turns, task)),
        patterns=tuple(_patterns(turns, tried, mended, judged)),
        commits=tuple(commits),
        links=tuple(links),
        outcome=outcome_of(turns, task, human, tried, ways, commits, links, judged),
        refused=_lines(tried, "refused"),
        cancelled=_lines(tried, "cancelled"),
        empty=_lines(tried, "empty"),
        created=tuple(created_of(tried)),
    )
    return retold(diary, tilde), mended


class Title(NamedTuple):
    """What a task is called, and whether a person typed these words."""

    text: str
    by: str = ""


def title_of(turns: Sequence[Turn], commits: Sequence[Line], corrected: Collection[int]) -> Title:
    """The first real request, plan or slash command; else what came of it, in somebody's words."""
    asking = (turn for turn in turns if turn.line not in corrected)
    told = [
        Title(title, "human" if turn.typed == "typed" and turn.kind != "plan" else "")
        for turn in asking
        if (title := _request(turn))
    ]
    # A pasted log says less about the work than what was committed at its end.
    plain = next((title for title in told if not _RE.poor.search(title.text)), None)
    if plain:
        return plain
    if commits:
        return Title(commits[-1].text.partition(" ")[2])
    spoken = [turn.text for turn in turns if turn.role == "agent" and turn.kind == "text"]
    answers = (telling_sentence(text, TITLE) for text in spoken)
    said_back = next((text for text in answers if text.count(" ") > 1), "")
    return told[0] if told else Title(said_back or "work without a request")


def _request(turn: Turn) -> str:
    if turn.kind == "plan":
        return shortened(_RE.planned.sub("", turn.text).split("\n")[0], TITLE)
    if turn.kind == "command":
        return "" if _RE.housekeeping.match(turn.text) else shortened(turn.text, TITLE)
    return request_of(turn.text, TITLE) if turn.kind in {"prompt", "steer"} else ""


def _lines(tried: Sequence[Attempt], result: str) -> tuple[int, ...]:
    return tuple(sorted({one.result_line for one in tried if one.result == result}))


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
    # The same mistake is told once, with all its places.
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


def _plans(turns: Sequence[Turn], task: Task) -> list[Line]:
    """Plans that were handed over or approved: what was to be done, in the agent's words."""
    found: dict[str, Line] = {}
    for turn in turns[task.start : task.end]:
        if turn.kind == "plan" and turn.text:
            text = f"plan: {condensed(_RE.planned.sub('', turn.text), FIRST_WORDS)}"
            found.setdefault(text, Line(text, (turn.line,), "agent"))
    return list(found.values())


def _answers(tried: Sequence[Attempt]) -> list[Line]:
    """What a person chose when a tool asked."""
    return [
        Line(
            f"asked: {shortened(_RE.answered.sub('', one.output), 300)}",
            (one.result_line,),
            "human",
        )
        for one in tried
        if one.verb == "ask" and one.result == "worked" and _RE.answered.search(one.output)
    ]


def _task_lines(turns: Sequence[Turn], human: Sequence[int]) -> list[Line]:
    """Every human turn: what was wanted in the person's words, short answers together."""
    wishes: dict[str, list[int]] = {}
    short: list[Turn] = []
    silent: dict[str, list[int]] = {"interrupt": [], "reject": []}
    for place in human:
        turn = turns[place]
        if turn.kind in silent:
            silent[turn.kind].append(turn.line)
        elif _is_answer(turn):
            short.append(turn)
        else:
            limit = LATER_WORDS if wishes else FIRST_WORDS
            taken_back = "(taken back) " if turn.undone else ""
            words = _PREFIX.get(turn.kind, "") + taken_back + condensed(turn.text, limit)
            wishes.setdefault(words, []).append(turn.line)  # the same again is told once
    lines = [Line(words, tuple(places), "human") for words, places in wishes.items()]
    if short:
        told = " · ".join(dict.fromkeys(shortened(turn.text, 60) for turn in short))
        how = "in between: " if wishes else ""
        lines.append(Line(f"{how}{told}", tuple(turn.line for turn in short), "human"))
    for kind, verb in (("interrupt", "interrupted the agent"), ("reject", "refused a call")):
        if places := silent[kind]:
            times = f", {len(places)} times" if len(places) > 1 else ""
            lines.append(Line(f"({verb}{times})", tuple(places), "human"))
    return lines


def _is_answer(turn: Turn) -> bool:
    if turn.kind == "command":
        return bool(_RE.housekeeping.match(turn.text))
    return len(turn.text) < LATER_WORDS and len(said(turn.text).content) < ANSWER_WORDS


def _errors(tried: Sequence[Attempt], mended: Sequence[Fix]) -> list[ErrorNote]:
    """Failures by signature, in the order they first came."""
    by_signature: dict[str, list[Attempt]] = {}
    for one in tried:
        if one.failure is not None:
            by_signature.setdefault(one.failure.signature, []).append(one)
    fixed = {line: fix for fix in mended for line in fix.lines}
    found: list[ErrorNote] = []
    for signature, group in by_signature.items():
        first = group[0]
        assert first.failure is not None
        fix = next((fixed[one.result_line] for one in group if one.result_line in fixed), None)
        found.append(
            ErrorNote(
                signature=signature,
                message=first.failure.message,
                tried=shortened(first.shown, 140),
                trouble=first.failure.trouble,
                count=len(group),
                overcome=f"`{fix.fix}`" if fix else _passed_later(tried, group[-1]),
                lines=tuple(sorted({one.result_line for one in group})),
            )
        )
    return found


def _passed_later(tried: Sequence[Attempt], last: Attempt) -> str:
    """What stood between a failure and the same call passing: edits, mostly."""
    files: dict[str, None] = {}
    for one in tried:
        if one.index <= last.index:
            continue
        if one.verb == "edit" and one.result == "worked":
            files.update(dict.fromkeys(one.files))
            if last.verb == "edit" and set(one.files) & set(last.files):
                return "a later edit of the file"
        elif one.result == "worked" and one.shown == last.shown:
            told = ", ".join(f"`{file}`" for file in list(files)[:3])
            return f"edits of {told}" if told else "trying again"
    return ""


def _patterns(
    turns: Sequence[Turn],
    tried: Sequence[Attempt],
    mended: Sequence[Fix],
    judged: dict[int, Judgement],
) -> list[Line]:
    """What might hold beyond this task: lasting words, fixes, the checks this project has."""
    found = [
        Line(f"said to last: {best.rule}", (turns[place].line,), "human")
        for place, judgement in judged.items()
        if (best := judgement.best) is not None and (best.sure or best.standing)
    ]
    found += [Line(fix.lesson, (*fix.lines, fix.fixed_line), "tool") for fix in mended]
    checks: dict[str, int] = {}
    for one in tried:
        if one.verb == "check" and one.result == "worked" and len(one.shown) <= 60:
            checks[one.shown] = one.result_line
    if checks:
        told = ", ".join(f"`{shown}`" for shown in list(checks)[:6])
        found.append(Line(f"checks that pass here: {told}", tuple(list(checks.values())[:6])))
    return found
