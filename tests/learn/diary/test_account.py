"""The mistakes of a diary: what was said against the agent for sure, refused, undone, repeated."""

import pytest
from tests.learn.scenes import session
from tests.learn.scripts import judged as judged_turns
from tests.learn.scripts import played

from reverie.learn.detect.judge import (
    CorrectionLabel,
    CorrectionVerdict,
    Judge,
    Judgement,
)
from reverie.learn.detect.premise import Premise
from reverie.learn.diary.account import account, mistakes, title_of
from reverie.learn.diary.condense import titled
from reverie.learn.diary.diary import Diary, Line
from reverie.learn.diary.findings import TaskLog
from reverie.learn.diary.tasks import Task, tasks
from reverie.sessions.model import Tool, Turn
from reverie.settings import Learn

SAID = "hm, is the cache needed?"


def told(turns: list[Turn], label: CorrectionLabel, *, sure: bool) -> list[Line]:
    """The mistakes of a session whose turn 2 was judged so."""
    verdict = CorrectionVerdict(0.4, label, Premise("We need a cache.", 1), SAID, sure)
    task = Task(1, 0, len(turns), ())
    return mistakes(TaskLog(turns, task, [], {2: Judgement(2, 2, verdict, confirms=False)}), [])


@pytest.mark.parametrize("label", ["explicit", "implicit"])
def test_a_doubtful_correction_is_not_told_as_a_mistake(label: CorrectionLabel) -> None:
    turns = session(("prompt", "Plan it."), ("text", "We need a cache."), ("prompt", SAID))
    assert told(turns, label, sure=False) == []
    (line,) = told(turns, label, sure=True)
    assert line.text == f"held “We need a cache.”; corrected: “{SAID}”"
    assert line.lines == (1, 2)


def test_words_of_a_refusal_are_told_as_such_when_it_is_doubtful_what_they_correct() -> None:
    turns = session(("prompt", "Plan it."), ("text", "We need a cache."), ("reject_feedback", SAID))
    (line,) = told(turns, "implicit", sure=False)
    assert line.text == f"refused a call: “{SAID}”"


def test_what_is_said_outright_is_sure() -> None:
    turns = session(
        ("prompt", "Start the server."),
        ("text", "I started the server on port 8080."),
        ("prompt", "No, that is wrong: the port is 8443, not 8080. Please use 8443."),
    )
    first, last = Judge.load(Learn()).session(turns)
    assert (last.correction.label, last.correction.sure) == ("explicit", True)
    assert not first.correction.sure


def diary_of(turns: list[Turn]) -> Diary:
    """The only diary of a session."""
    (task,) = tasks(turns)
    return account(turns, task, judged_turns(turns), "claude-code:s", "app", 1)[0]


@pytest.mark.proves("A1")
@pytest.mark.parametrize(
    ("said", "title"),
    [
        (["8", "y", "Rename the export command"], "Rename the export command"),
        (["good morning buddy", "Please fix the login page"], "Please fix the login page"),
        (["pick up where we left off", "Why is the build slow?"], "Why is the build slow?"),
        (["5 seems like a low hanging fruit", "Split the parser"], "Split the parser"),
        (["ok lets get back to main", "Bump the linter version"], "Bump the linter version"),
        (["sounds good. add the missing test"], "add the missing test"),
        (["8"], "Add the exporter"),
    ],
)
def test_the_title_is_the_first_real_request(said: list[str], title: str) -> None:
    turns = [Turn(n, n, "human", "prompt", "", text) for n, text in enumerate(said)]
    commits = [Line("1a2b3c4 Add the exporter", (9,))]
    assert title_of(turns, commits, ()).text == title


def test_a_slash_command_with_a_task_is_a_title_and_one_of_the_client_is_not() -> None:
    def titled(*commands: str) -> str:
        turns = [Turn(n, n, "human", "command", "", text) for n, text in enumerate(commands)]
        return title_of(turns, [], ()).text

    assert titled("/clear", "/plan-phase 12") == "/plan-phase 12"
    assert titled("/model opus", "/compact") == "work without a request"


def test_without_a_request_the_agents_words_are_the_title() -> None:
    turns = played("human: 8\nagent: I'll switch the file keys to random ones now.")
    assert title_of(turns, [], ()).text == "I'll switch the file keys to random ones now."


def test_a_correction_is_no_title() -> None:
    turns = [
        Turn(0, 0, "human", "prompt", "", "ok"),
        Turn(1, 1, "human", "prompt", "", "thats not the branch I meant"),
        Turn(2, 2, "human", "prompt", "", "create the release notes"),
    ]
    assert title_of(turns, [], {1}).text == "create the release notes"


def test_what_is_put_by_was_not_taken_back() -> None:
    def told(command: str) -> list[str]:
        turns = played(f"human: go back to the main branch please\nrun: {command}\nok: done")
        return [line.text for line in diary_of(turns).mistakes]

    assert told("git stash && git checkout main") == []
    assert told("git reset --hard HEAD~1") == ["took work back: `git reset --hard HEAD~1`"]


@pytest.mark.parametrize(
    "output",
    [
        "2 failed, 3 passed",
        "npm error code ELIFECYCLE",
        "error[E0425]: cannot find value `x`",
        "make: *** [Makefile:3: test] Error 1",
        "exit code: 1",
    ],
)
def test_what_failed_behind_a_pipe_did_not_work(output: str) -> None:
    turns = played("human: please run the whole test suite\nrun: x\nok: x")
    call, answer = turns[1], turns[2]
    assert call.tool is not None
    turns[1] = call._replace(tool=call.tool._replace(input={"command": "pytest -q 2>&1 | tail -5"}))
    turns[2] = answer._replace(text=output)
    diary = diary_of(turns)
    assert diary.outcome == "failing"
    assert diary.worked == ()


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("apply_patch", {"patchText": "*** Begin Patch\n*** Update File: src/a.py\n*** End Patch"}),
        ("edit_file", {"path": "src/a.py"}),
        ("create_file", {"path": "src/a.py"}),
        ("MultiEdit", {"file_path": "src/a.py"}),
        ("str_replace_based_edit_tool", {"path": "src/a.py"}),
    ],
)
def test_the_edits_of_every_agent_are_seen(name: str, given: dict[str, str]) -> None:
    turns = played("human: please change the parser of the report\nedit: x\nok: done")
    turns[1] = turns[1]._replace(tool=Tool(name, "t1", given))
    answered = turns[2].tool
    assert answered is not None
    turns[2] = turns[2]._replace(tool=answered._replace(call_id="t1"))
    diary = diary_of(turns)
    assert [step.text for way in diary.approaches for step in way.steps] == ["edited `src/a.py`"]
    assert diary.outcome == "open"


def test_what_worked_is_what_stands_and_not_what_was_about_to_be_done() -> None:
    script = """
        human: Please make the export stream its rows
        agent: Let me look at the exporter first, it is a long file.
        edit: src/export.py
        ok: done
        agent: The export now streams its rows. Shall I push it?
        human: and the import?
        agent: Let me check the import before I say anything about it.
    """
    texts = [line.text for line in diary_of(played(script)).worked]
    assert texts == ["“The export now streams its rows.”"]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "Mend the winch of the north pier. Then look at the ropes of every ferry that is moored"
            " there and tell me which of them are worn",
            "Mend the winch of the north pier.",
        ),
        (
            "We keep the ropes of all ferries in the old tower by the harbour, which the master"
            " wants to get rid of eventually",
            "We keep the ropes of all ferries in the old tower by the harbour",
        ),
        (
            "When the ferry comes in at night, light both lamps of the pier and ring the bell, so"
            " that everybody on the quay knows it",
            "When the ferry comes in at night, light both lamps of the pier and ring the bell",
        ),
    ],
)
def test_a_title_ends_where_a_sentence_or_a_clause_ends(said: str, title: str) -> None:
    assert titled(said, 100) == title
