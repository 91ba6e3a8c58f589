"""Traces: what the tool traffic of one session leaves for a dream, out of its attempts.

Of what a person asked for once the work was done only what can be checked counts: a word of the
request names a command that was run or a file that was edited right afterwards, and nothing of the
sort had been done before. "Add tests" followed by an edit of `cart_test.py` is such a request;
"nice" and "go on" are not.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, Literal, cast

from reverie.clock import parse_iso
from reverie.data import patterns, word_sets
from reverie.language.lexicon import lexicon
from reverie.language.words import content, said, stem, words
from reverie.learn.statements.utterance import sentences
from reverie.learn.traffic.attempts import (
    Attempt,
    Made,
    attempts,
    files_of,
    inside,
    relative,
    shell_text,
)
from reverie.learn.traffic.checks import checks
from reverie.learn.traffic.commands import forms_of, shortened
from reverie.learn.traffic.events import events
from reverie.learn.traffic.mends import mends
from reverie.learn.traffic.obstacles import detours, failures, noise, refusals
from reverie.sessions.index import SessionRead
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace

MOST_RUNS = 300  # commands of one session that are kept for sequences
MOST_RAN = 2_000  # command lines of one session that are kept for the replay of hooks
LONGEST_COMMAND = 20_000  # characters; a longer one is a file that is written by a shell
MOST = 80  # traces of one sort per session

# Questions that were asked of the person, with the answers.
MAX_QUESTION = 200
MAX_ANSWER = 120
LEAST_WORDS = 3

# Requests.
MOST_WORDS = 14  # of a sentence; longer ones describe a task of their own
MOST_CHARS = 400  # of a turn; longer ones are briefs and pastes
MOST_STEPS = 6
MAX_TEXT = 120
SPOKEN = frozenset({"prompt", "steer", "reject_feedback"})

_RE = patterns("traffic.txt", "traces")
_ASKS = patterns("traffic.txt", "asks")
_WORDS = word_sets("traffic.txt", "traces")

Deed = tuple[Literal["ran", "edited"], str]


def readings(turns: Sequence[Turn], tried: Sequence[Attempt], root: str) -> list[Trace]:
    """What was read and not edited, by first reading."""
    edited = edited_files(tried, root)
    found: dict[str, Trace] = {}
    for one in tried:
        if one.result != "worked":
            continue
        for read in _read_by(turns[one.index], one):
            file = inside(read, root)
            if file in edited or _RE.passing.search(file):
                continue
            first = found.get(file) or Trace(one.line, turns[one.index].at, "reading", file, 0)
            found[file] = first._replace(times=first.times + 1)
    return list(found.values())


def edited_files(tried: Sequence[Attempt], root: str) -> set[str]:
    """The files that edits were tried on, as they lie in the project."""
    return {inside(file, root) for one in tried if one.verb == "edit" for file in one.files}


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


def questions(read: SessionRead) -> Iterator[Trace]:
    """What an agent asked, through a tool or as the last words before it stopped."""
    turns = read.turns
    said: tuple[int, str] | None = None
    answers: dict[str, str] = {}
    for turn in turns:
        if turn.kind == "tool_result" and '"="' in turn.text:
            answers |= {m["question"]: m["answer"] for m in _RE.given.finditer(turn.text)}
    for place, turn in enumerate(turns):
        if turn.kind == "tool_call":
            said = None
            if place not in read.copied:
                yield from _through_tool(turn, answers)
        elif turn.kind == "text" and turn.role == "agent":
            asked = _RE.asked.search(turn.text[-600:].rstrip())
            said = (place, _plain(asked[1])) if asked else None
        elif turn.role == "human":
            answers_it = turn.kind in {"prompt", "steer"}
            if said and answers_it and _is_question(said[1]) and said[0] not in read.copied:
                asking = turns[said[0]]
                answer = shortened(turn.text, MAX_ANSWER)
                yield Trace(asking.line, asking.at, "question", said[1], data=answer)
            said = None


def _through_tool(turn: Turn, answers: Mapping[str, str]) -> Iterator[Trace]:
    given: Any = turn.tool.input.get("questions") if turn.tool else None
    if not isinstance(given, list):
        return
    for one in cast("list[Any]", given):
        text = cast("Mapping[str, Any]", one).get("question") if isinstance(one, Mapping) else None
        if isinstance(text, str) and _is_question(_plain(text)):
            answer = shortened(answers.get(text, ""), MAX_ANSWER)
            yield Trace(turn.line, turn.at, "question", _plain(text), data=answer)


def _plain(text: str) -> str:
    return " ".join(_RE.marks.sub("", text).split())


def _is_question(text: str) -> bool:
    return len(text) <= MAX_QUESTION and len(text.split()) >= LEAST_WORDS


def asks(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """Requests of one session that were met at once and not before, each word once."""
    spoken = [place for place, turn in enumerate(turns) if turn.role == "human" and turn.text]
    done: set[Deed] = set()
    told: set[str] = set()
    edited = False
    place = 0
    for number, start in enumerate(spoken):
        done = set()
        while place < len(tried) and tried[place].index < start:
            edited = edited or (tried[place].verb == "edit" and tried[place].result == "worked")
            done |= _deeds(tried[place])
            place += 1
        turn = turns[start]
        if not edited or turn.kind not in SPOKEN or turn.typed == "injected" or turn.undone:
            continue
        end = spoken[number + 1] if number + 1 < len(spoken) else len(turns)
        then = [one for one in tried[place:] if one.index < end]
        fresh = {deed for one in then for deed in _deeds(one)} - done
        edits = {word for how, word in fresh if how == "edited"}
        for word, text in _named(turn.text, {word for _, word in fresh} - told):
            told.add(word)
            steps = [] if word in edits else _steps(then)
            data = {"text": shortened(text, MAX_TEXT), "steps": steps}
            yield Trace(turn.line, turn.at, "ask", word, data=data)


@cache
def _doing() -> frozenset[str]:
    """What is done to something; the thing itself is what people come back to."""
    return content(words(lexicon().text("passing.doing")))


def _named(text: str, deeds: set[str]) -> Iterator[tuple[str, str]]:
    """The words of short requests in `text` that the deeds bear."""
    left = set(deeds)
    prose = said(text).prose if len(text) <= MOST_CHARS else ""
    for sentence in sentences(prose):
        asked = sentence.question and not _ASKS.asked_to.search(sentence.text)
        if asked or len(sentence.words) > MOST_WORDS:
            continue
        for word in sorted((content(sentence.words) - _doing()) & left):
            left.discard(word)
            yield word, sentence.text


def _deeds(one: Attempt) -> set[Deed]:
    """The words that name what was done: of commands that ran, of files that were edited."""
    if one.result != "worked":
        return set()
    if one.verb == "edit":
        names = " ".join(_ASKS.part.findall(" ".join(one.files)))
        return {("edited", word) for word in content(words(names))}
    forms = forms_of(one.command) if one.command is not None else []
    return {("ran", stem(word)) for form in forms for word in _ASKS.word.findall(form)}


def _steps(then: Sequence[Attempt]) -> list[str]:
    forms: dict[str, None] = {}
    for one in then:
        if one.result == "worked" and one.command is not None:
            forms |= dict.fromkeys(forms_of(one.command))
    return list(forms)[:MOST_STEPS]


def traces(read: SessionRead, made: Made | None = None) -> list[Trace]:
    """All traces of a session; what it repeats from the session before is left out."""
    turns = read.turns
    tried = [one for one in attempts(turns, made=made) if one.index not in read.copied]
    tried = [one for one in tried if not turns[one.index].undone]
    root = read.project.root
    found: list[Trace] = []
    for sort in (
        readings(turns, tried, root),
        failures(turns, tried, root),
        mends(turns, tried),
        noise(turns, tried, root),
        refusals(turns, tried),
        checks(turns, tried, root),
        detours(turns, tried),
        questions(read),
        _runs(turns, tried),
        _ran(turns, tried),
        _edited(read, tried),
        asks(turns, tried),
    ):
        found += islice(sort, MOST)
    return found + events(turns)


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


def _ran(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """Every command line as it was typed, and what became of it; none is told too."""
    lines: list[list[Any]] = []
    for one in tried:
        tool = turns[one.index].tool
        text = shell_text(one.tool, tool.input) if tool is not None else ""
        if text and len(text) <= LONGEST_COMMAND:
            lines.append([one.line, one.result, text])
    if tried:
        first = tried[0]
        yield Trace(first.line, turns[first.index].at, "ran", "", len(lines), data=lines[:MOST_RAN])


def _edited(read: SessionRead, tried: Sequence[Attempt]) -> Iterator[Trace]:
    """What was edited, from when till when, and in which folder the session worked."""
    edits = [read.turns[one.index] for one in tried if one.verb == "edit"]
    files = sorted(edited_files(tried, read.project.root))
    if not files:
        return
    first, times = edits[0], [parse_iso(turn.at) for turn in edits if turn.at]
    lasted = (max(times) - min(times)).total_seconds() if times else 0.0
    # Whom an agent sent works where that one works, and on the same task.
    tree = "" if read.head.subagent else first.cwd or read.head.cwd
    yield Trace(first.line, first.at, "edited", tree, len(files), seconds=lasted, data=files[:MOST])
