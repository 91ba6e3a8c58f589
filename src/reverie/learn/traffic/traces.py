"""Traces: what the tool traffic of one session leaves for a dream, out of its attempts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from reverie.data import patterns, word_sets
from reverie.learn.diary.tasks import elapsed, spent
from reverie.learn.traffic.asks import asks
from reverie.learn.traffic.attempts import Attempt, attempts, is_bookkeeping, relative
from reverie.learn.traffic.breaches import breaches
from reverie.learn.traffic.calls import files_of, shell_text
from reverie.learn.traffic.commands import shortened
from reverie.learn.traffic.detours import call_form, detours
from reverie.learn.traffic.events import events, trace_time
from reverie.learn.traffic.failures import SURROUNDINGS
from reverie.learn.traffic.shapes import forms_of
from reverie.sessions.index import SessionRead
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace

_RE = patterns("traffic.txt", "traces")
_WORDS = word_sets("traffic.txt", "traces")

MOST_RUNS = 300  # commands of one session that are kept for sequences
SOON = 3  # calls after a failure in which its way out is looked for
MAX_COMMAND = 140
MOST = 80  # traces of one sort per session


# Questions that were asked of the person, with the answers.
MAX_QUESTION = 200
MAX_ANSWER = 120
LEAST_WORDS = 3


class Reading(NamedTuple):
    """One file that was read `times` times, first by the call in `line`."""

    file: str
    times: int
    line: int
    at: str


def readings(turns: Sequence[Turn], tried: Sequence[Attempt], root: str = "") -> list[Reading]:
    """What was read and not edited, by first reading."""
    edited = edited_files(tried, root)
    found: dict[str, Reading] = {}
    for one in tried:
        if one.result != "worked":
            continue
        for read in _read_by(turns[one.index], one):
            file = _inside(read, root)
            if file in edited or _RE.passing.search(file):
                continue
            first = found.get(file)
            times = first.times + 1 if first else 1
            base = first or Reading(file, 0, one.line, turns[one.index].at)
            found[file] = base._replace(times=times)
    return list(found.values())


def edited_files(tried: Sequence[Attempt], root: str = "") -> set[str]:
    """The files that edits were tried on, as they lie in the project."""
    return {_inside(file, root) for one in tried if one.verb == "edit" for file in one.files}


def _inside(file: str, root: str) -> str:
    home = relative(root, "") if root else ""  # as `relative` writes what lies elsewhere
    return relative(relative(file, root), home).removeprefix("./")


def _read_by(turn: Turn, one: Attempt) -> Iterator[str]:
    tool = turn.tool
    if tool is None:
        return
    if one.tool.lower() in _WORDS.reads:
        for file in files_of(tool):
            yield relative(file, turn.cwd)
    elif one.command is not None and one.verb == "look":
        for part in one.command.parts:
            if part[0] in _WORDS.shows:
                for word in part[1:]:
                    if _RE.file.fullmatch(word):
                        yield relative(word, turn.cwd)


class Question(NamedTuple):
    """One question and what the person said to it; "" when nothing was said."""

    text: str
    answer: str
    line: int  # of the question
    at: str
    place: int  # of the question among the turns


def questions(turns: Sequence[Turn]) -> Iterator[Question]:
    """What an agent asked, through a tool or as the last words before it stopped."""
    said: tuple[int, str] | None = None
    answers: dict[str, str] = {}
    for turn in turns:
        if turn.kind == "tool_result" and '"="' in turn.text:
            answers |= {m["question"]: m["answer"] for m in _RE.given.finditer(turn.text)}
    for place, turn in enumerate(turns):
        if turn.kind == "tool_call":
            said = None
            yield from _through_tool(turn, place, answers)
        elif turn.kind == "text" and turn.role == "agent":
            asked = _RE.asked.search(turn.text[-600:].rstrip())
            said = (place, _plain(asked[1])) if asked else None
        elif turn.role == "human":
            if said and turn.kind in {"prompt", "steer"} and _is_question(said[1]):
                asking = turns[said[0]]
                answer = shortened(turn.text, MAX_ANSWER)
                yield Question(said[1], answer, asking.line, asking.at, said[0])
            said = None


def _through_tool(turn: Turn, place: int, answers: Mapping[str, str]) -> Iterator[Question]:
    given: Any = turn.tool.input.get("questions") if turn.tool else None
    if not isinstance(given, list):
        return
    for one in cast("list[Any]", given):
        text = cast("Mapping[str, Any]", one).get("question") if isinstance(one, Mapping) else None
        if isinstance(text, str) and _is_question(_plain(text)):
            answer = shortened(answers.get(text, ""), MAX_ANSWER)
            yield Question(_plain(text), answer, turn.line, turn.at, place)


def _plain(text: str) -> str:
    return " ".join(_RE.marks.sub("", text).split())


def _is_question(text: str) -> bool:
    return len(text) <= MAX_QUESTION and len(text.split()) >= LEAST_WORDS


def traces(read: SessionRead) -> list[Trace]:
    """All traces of a session; what it repeats from the session before is left out."""
    turns = read.turns
    tried = [one for one in attempts(turns) if one.index not in read.copied]
    tried = [one for one in tried if not turns[one.index].undone]
    found: list[Trace] = []
    for sort in (
        _readings(turns, tried, read.project.root),
        _failures(turns, tried),
        _detours(turns, tried),
        _questions(read),
        _runs(turns, tried),
        _edited(turns, tried, read.project.root),
        _misedits(turns, tried),
        _breaches(turns, tried),
        _asks(turns, tried),
    ):
        found += list(sort)[:MOST]
    found += [
        Trace(one.line, trace_time(one), "event", one.type, data=[one.label, one.trust])
        for one in events(turns)
    ]
    return found


def _readings(turns: Sequence[Turn], tried: Sequence[Attempt], root: str) -> Iterator[Trace]:
    for one in readings(turns, tried, root):
        yield Trace(one.line, one.at, "reading", one.file, one.times)


def _failures(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """Failures of one signature together; those of the repository's own code teach nothing."""
    groups: dict[str, list[tuple[Attempt, str]]] = {}
    for place, one in enumerate(tried):
        failure = one.failure
        if failure is None or one.verb == "edit" or is_bookkeeping(one):
            continue
        if one.verb == "look" and one.command is not None:
            continue  # looked for at the wrong place: that is how things are found
        then = _then(turns, tried, place)
        if failure.trouble in SURROUNDINGS or then or one.tool.lower() in _WORDS.callable:
            # What was looked for in vain is told by the call, not by the message.
            where = f" ({one.shown})" if one.command is None else ""
            groups.setdefault(failure.signature + where, []).append((one, then))
    for signature, members in groups.items():
        first, then = members[0]
        assert first.failure is not None
        data = {
            "call": first.shown,
            "form": call_form(first),
            "message": first.failure.message,
            "look": first.verb == "look",
            "trouble": first.failure.trouble,
            "then": then,
        }
        at = turns[first.result_index].at
        times, tokens = len(members), _tokens(turns, [one for one, _ in members])
        line = first.result_line
        yield Trace(line, at, "failure", signature, times, times, tokens=tokens, data=data)


def _tokens(turns: Sequence[Turn], tried: Sequence[Attempt]) -> int:
    """What the messages with these calls cost; calls of one message are counted once."""
    total, told = 0, -1
    for one in tried:
        if one.index > told:
            told = max(one.index, one.result_index)
            total += spent(turns, one.index, told)
    return total


def _then(turns: Sequence[Turn], tried: Sequence[Attempt], place: int) -> str:
    """The command that worked right after a failure, as it was typed; "" when there is none."""
    failed = tried[place]
    if failed.command is None or failed.verb == "look":
        return ""
    soon = tried[place + 1 : place + 1 + SOON]
    for number, one in enumerate(soon):
        if one.verb == "edit":
            return ""  # the code was changed
        if one.command is None or one.verb == "look" or one.result != "worked":
            continue
        tool = turns[one.index].tool
        text = shell_text(one.tool, tool.input) if tool else ""
        assert failed.failure is not None
        # After a check that failed on the code, a way out is a wrapped form of it, or what made the
        # same check work without an edit.
        wraps = set(failed.command.words()) < set(one.command.words())
        fits = failed.failure.trouble != "code" or wraps or _works_now(failed, soon[number + 1 :])
        return text if fits and "\n" not in text and len(text) <= MAX_COMMAND else ""
    return ""


def _works_now(failed: Attempt, later: Sequence[Attempt]) -> bool:
    for one in later:
        if one.verb == "edit":
            return False
        if one.command and failed.command and one.command.acts == failed.command.acts:
            return one.result == "worked"
    return False


def _detours(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    for one in detours(tried):
        first = one.failures[0]
        data: dict[str, Any] = {
            "worked": one.form,
            "tries": list(one.tries),
            "shown": one.worked.shown,
        }
        yield Trace(
            first.result_line,
            turns[first.index].at,
            "detour",
            one.key,
            1,
            len(one.failures),
            elapsed(turns[first.index].at, turns[one.worked.result_index].at),
            spent(turns, first.index, one.worked.result_index),
            data,
        )


def _questions(read: SessionRead) -> Iterator[Trace]:
    for one in questions(read.turns):
        if one.place not in read.copied:
            yield Trace(one.line, one.at, "question", one.text, data=one.answer)


def _runs(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """The forms of all commands that worked, in order; the same one after itself once."""
    runs: list[list[Any]] = []
    for one in tried:
        if one.result != "worked" or one.verb == "edit":
            continue
        named = [one.shown] if one.tool.lower() in _WORDS.callable else []
        for form in forms_of(one.command) if one.command is not None else named:
            if not runs or runs[-1][0] != form:
                runs.append([form, one.line])
    if runs:
        first = tried[0]
        yield Trace(first.line, turns[first.index].at, "runs", "", len(runs), data=runs[:MOST_RUNS])


def _edited(turns: Sequence[Turn], tried: Sequence[Attempt], root: str) -> Iterator[Trace]:
    files = sorted(edited_files(tried, root))
    if files:
        first = next(one for one in tried if one.verb == "edit")
        yield Trace(first.line, turns[first.index].at, "edited", "", len(files), data=files[:MOST])


def _misedits(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """Edits that did not fit the file any more, those of one signature together."""
    groups: dict[str, list[Attempt]] = {}
    for one in tried:
        if one.verb == "edit" and one.failure is not None and one.command is None:
            groups.setdefault(one.failure.signature, []).append(one)
    for signature, members in groups.items():
        first = members[0]
        assert first.failure is not None
        files = [file for one in members for file in one.files]
        data = {"tool": first.tool, "message": first.failure.message, "files": files[:MOST]}
        at = turns[first.result_index].at
        times, tokens = len(members), _tokens(turns, members)
        line = first.result_line
        yield Trace(line, at, "misedit", signature, times, times, tokens=tokens, data=data)


def _breaches(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    for one in breaches(tried):
        data = {"message": one.message, "form": one.form}
        at = turns[one.place].at
        tokens = spent(turns, one.place, one.place)
        yield Trace(
            one.line, at, "breach", one.rule, one.times, one.times, tokens=tokens, data=data
        )


def _asks(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    for one in asks(turns, tried):
        data = {"text": one.text, "steps": list(one.steps)}
        yield Trace(one.line, one.at, "ask", one.word, data=data)
