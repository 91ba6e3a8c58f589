"""Traces: what the tool traffic of one session leaves for a dream, out of its attempts.

Of what a person asked for once the work was done only what can be checked counts: a word of the
request names a command that was run or a file that was edited right afterwards, and nothing of the
sort had been done before. "Add tests" followed by an edit of `cart_test.py` is such a request;
"nice" and "go on" are not.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice, pairwise
from typing import Any, Literal

from reverie.clock import parse_iso
from reverie.data import patterns, word_sets
from reverie.language.lexicon import lexicon
from reverie.language.words import content, said, stem, words
from reverie.learn.statements.utterance import sentences
from reverie.learn.traffic.attempts import Attempt, Made, attempts, inside, shell_text
from reverie.learn.traffic.checks import checks
from reverie.learn.traffic.commands import shortened
from reverie.learn.traffic.events import events
from reverie.learn.traffic.instructions import instructed
from reverie.learn.traffic.obstacles import failures, noise, refusals
from reverie.learn.traffic.questions import asked, inquiries
from reverie.learn.traffic.reviews import findings
from reverie.learn.traffic.waits import waits
from reverie.learn.traffic.ways import mends
from reverie.learn.traffic.work import Work, trace
from reverie.sessions.index import SessionRead
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace

MOST_RUNS = 300  # commands of one session that are kept for sequences
MOST_RAN = 2_000  # command lines of one session that are kept for the replay of hooks
LONGEST_COMMAND = 20_000  # characters; a longer one is a file that is written by a shell
MOST = 80  # traces of one sort per session

# Requests.
MOST_WORDS = 14  # of a sentence; longer ones describe a task of their own
MOST_CHARS = 400  # of a turn; longer ones are briefs and pastes
MOST_STEPS = 6
MAX_TEXT = 120
SPOKEN = frozenset({"prompt", "steer", "reject_feedback"})

_RE = patterns("traffic.txt", "asks")
_WORDS = word_sets("traffic.txt", "traces")

Deed = tuple[Literal["ran", "edited"], str]


def _edited_files(work: Work) -> set[str]:
    """The files that edits were tried on, as they lie in the project."""
    edits = (call for call in work.tried if call.verb == "edit")
    return {inside(file, work.root) for edit in edits for file in edit.files}


def asks(work: Work) -> Iterator[Trace]:
    """Requests of one session that were met at once and not before, each word once."""
    spoken = [place for place, turn in enumerate(work.turns) if turn.role == "human" and turn.text]
    before: set[Deed] = set()
    named: set[str] = set()
    edited = False
    for start, end in pairwise([0, *spoken, len(work.turns)]):
        then = [call for call in work.tried if start <= call.index < end]
        deeds = {deed for call in then for deed in _deeds(call)}
        if edited and _may_ask(turn := work.turns[start]):
            fresh = deeds - before
            edits = {word for how, word in fresh if how == "edited"}
            for word, text in _named(turn.text, {word for _, word in fresh} - named):
                named.add(word)
                files = _files_of(word, then, work.root) if word in edits else []
                steps = [] if word in edits else _steps(then)
                data = {"text": shortened(text, MAX_TEXT), "steps": steps, "files": files}
                yield Trace(turn.line, turn.at, "ask", word, data=data)
        before = deeds
        edited = edited or any(call.edited for call in then)


def _may_ask(turn: Turn) -> bool:
    return turn.kind in SPOKEN and turn.typed != "injected" and not turn.undone


def _files_of(word: str, then: Sequence[Attempt], root: str) -> list[str]:
    """The edited files whose names bear a word."""
    files = (inside(file, root) for call in then if call.verb == "edit" for file in call.files)
    return [file for file in dict.fromkeys(files) if word in words_of_names([file])][:MOST_STEPS]


def _steps(then: Sequence[Attempt]) -> list[str]:
    worked = (call for call in then if call.result == "worked")
    return list(dict.fromkeys(form for call in worked for form in call.forms))[:MOST_STEPS]


@cache
def _doing() -> frozenset[str]:
    """What is done to something; the thing itself is what people come back to."""
    return content(words(lexicon().text("passing.doing")))


def _named(text: str, deeds: set[str]) -> Iterator[tuple[str, str]]:
    """The words of short requests in `text` that the deeds bear."""
    left = set(deeds)
    prose = said(text).prose if len(text) <= MOST_CHARS else ""
    for sentence in sentences(prose):
        asked = sentence.question and not _RE.asked_to.search(sentence.text)
        if asked or len(sentence.words) > MOST_WORDS:
            continue
        named = content([part for word in sentence.words for part in (word, word.split(".")[0])])
        for word in sorted((named - _doing()) & left):
            left.discard(word)
            yield word, sentence.text


def _deeds(call: Attempt) -> set[Deed]:
    """The words that name what was done: of commands that ran, of files that were edited."""
    if call.edited:
        return {("edited", word) for word in words_of_names(call.files)}
    if call.result != "worked":
        return set()
    return {("ran", stem(word)) for form in call.forms for word in _RE.word.findall(form)}


def words_of_names(files: Iterable[str]) -> frozenset[str]:
    """The words that paths are made of, in the form that requests are compared by."""
    return content(words(" ".join(_RE.part.findall(" ".join(files)))))


def _runs(work: Work) -> Iterator[Trace]:
    """The forms of all commands that worked, in order; the same one after itself once."""
    runs: list[list[Any]] = []
    for call in work.tried:
        if call.result != "worked" or call.verb == "edit":
            continue
        for form in [call.shown] if call.tool.lower() in _WORDS.callable else call.forms:
            if not runs or runs[-1][0] != form:
                runs.append([form, call.line])
    yield from work.whole("runs", runs[:MOST_RUNS])


def _ran(work: Work) -> Iterator[Trace]:
    """Every command line as it was typed, and what became of it; none is told too."""
    lines: list[list[Any]] = []
    for call in work.tried:
        tool = work.turns[call.index].tool
        text = shell_text(call.tool, tool.input) if tool is not None else ""
        if text and len(text) <= LONGEST_COMMAND:
            lines.append([call.line, call.result, text])
    if work.tried:
        yield trace("ran", "", work.tried[0], len(lines), data=lines[:MOST_RAN])


def _edited(work: Work) -> Iterator[Trace]:
    """What was edited, from when till when, and in which folder the session worked."""
    edits = [call for call in work.tried if call.verb == "edit"]
    if files := sorted(_edited_files(work)):
        times = [parse_iso(edit.at) for edit in edits if edit.at]
        lasted = (max(times) - min(times)).total_seconds() if times else 0.0
        tree = edits[0].cwd or work.cwd
        yield trace("edited", tree, edits[0], len(files), seconds=lasted, data=files[:MOST])


SOURCES: tuple[Callable[[Work], Iterator[Trace]], ...] = (
    failures, mends, noise, refusals, checks, inquiries, asked, waits,
    instructed, _runs, _ran, _edited, asks, findings,
)  # fmt: skip


def traces(read: SessionRead, made: Made | None = None) -> list[Trace]:
    """All traces of a session; what it repeats from the session before is left out."""
    turns, copied = read.turns, read.copied
    calls = attempts(turns, made=made)
    tried = [call for call in calls if call.index not in copied and not turns[call.index].undone]
    work = Work(turns, tried, read.project.root, read.head.cwd, copied)
    return [trace for source in SOURCES for trace in islice(source(work), MOST)] + events(turns)
