"""A word that something is over retires what it ends, from every surface."""

from pathlib import Path

import pytest
from tests.operations.homes import memory
from tests.sessions.worklogs import lines, write

from reverie.asker import OWNER, Asker
from reverie.errors import NotWorthKeeping
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue
from reverie.memory import Memory
from reverie.operations.reviewing import Desk

AGENT = Asker("mcp", "session-1", "agent", "claude-code")
BROKEN = "The login test is flaky, run it twice"
RULE = "Restart the worker after every deploy"
LATER = "2026-11-20T09:00:00Z"


def names(opened: Memory, *, archived: bool = False) -> set[str]:
    return {item.document.description for item in opened.memories(archived=archived)}


@pytest.mark.proves("B7")
@pytest.mark.parametrize(
    ("old", "said"),
    [
        (BROKEN, "The login test was fixed"),
        (RULE, "You no longer have to restart the worker after a deploy"),
        ("The staging port is 8080", "The staging port is 8443"),
    ],
)
@pytest.mark.parametrize("asker", [OWNER, AGENT])
def test_what_is_remembered_retires_what_it_ends(
    tmp_path: Path, asker: Asker, old: str, said: str
) -> None:
    with memory(tmp_path, asker) as opened:
        opened.remember(old)
        opened.remember("Run the worker as its own user")
    with memory(tmp_path, asker, now=LATER) as opened:
        done = opened.remember(said)
        assert [item.document.description for item in done.ended] == [old]
        assert names(opened) == {said, "Run the worker as its own user"}
        assert names(opened, archived=True) == {old}


@pytest.mark.proves("B7")
@pytest.mark.parametrize(
    "said",
    [
        "The signup test was fixed",
        "The login test should be fixed before the release",
        "Nobody has to look at the worker during a deploy",
        "You no longer have to restart the api after a deploy",
    ],
)
def test_what_is_unrelated_or_only_wished_for_retires_nothing(tmp_path: Path, said: str) -> None:
    with memory(tmp_path) as opened:
        opened.remember(BROKEN)
        opened.remember(RULE)
        assert opened.remember(said, why="it came up", kind="decision").ended == ()
        assert {BROKEN, RULE} <= names(opened)


@pytest.mark.proves("B7")
def test_an_agent_ends_nothing_that_a_person_said_or_pinned(tmp_path: Path) -> None:
    with memory(tmp_path) as opened:
        opened.remember(BROKEN)
        opened.remember(RULE, pin=True)
    with memory(tmp_path, AGENT) as opened:
        assert opened.remember("The login test was fixed").ended == ()
        assert BROKEN in names(opened)
    with memory(tmp_path, now=LATER) as opened:
        assert (
            opened.remember("You no longer have to restart the worker after a deploy").ended == ()
        )
        assert RULE in names(opened)


@pytest.mark.proves("B7")
def test_a_fix_that_is_not_worth_keeping_ends_what_it_mended(tmp_path: Path) -> None:
    with memory(tmp_path, AGENT) as opened:
        opened.remember(BROKEN)
        with pytest.raises(NotWorthKeeping, match="went to the archive"):
            opened.remember("The login test was fixed by adding a retry in login.py")
        assert names(opened, archived=True) == {BROKEN}


@pytest.mark.proves("B7")
def test_what_a_person_says_in_a_session_ends_it_once(tmp_path: Path, isolated_home: Path) -> None:
    folder = isolated_home / ".claude" / "projects" / "-w-app"
    write(folder / "aaaa-1.jsonl", lines("aaaa-1", ("you", "look at the queue"), cwd="/w/app"))
    with memory(tmp_path, now="2026-08-01T09:00:00Z") as opened:
        opened.learn(isolated_home, jobs=1)
        opened.remember(BROKEN, scope="app")
        opened.remember(RULE, scope="app")
    talk = (
        ("you", "The login test was fixed, so look at the queue instead."),
        ("agent", "I will."),
        ("you", "Does the worker have to be restarted after a deploy?"),
    )
    write(folder / "bbbb-2.jsonl", lines("bbbb-2", *talk, cwd="/w/app", day=2))
    with memory(tmp_path) as opened:
        report = opened.learn(isolated_home, jobs=1)
        assert [item.document.description for item in report.ended] == [BROKEN]
        assert opened.learn(isolated_home, jobs=1).ended == []
        live = {item.document.description for item in opened.memories(store="app")}
        assert RULE in live and BROKEN not in live


@pytest.mark.proves("B7")
def test_an_accepted_word_ends_what_it_names(tmp_path: Path) -> None:
    with memory(tmp_path) as opened:
        opened.remember(RULE)
    with memory(tmp_path, now=LATER) as opened:
        said = Candidate(
            lesson="You no longer have to restart the worker after a deploy.",
            type="feedback",
            kind="best-practice",
            scope="project",
            project="shop",
            session="claude-code:s-1",
            evidence="claude-code:s-1#4",
            at="2026-11-19T09:00:00Z",
            quote="you no longer have to restart the worker after a deploy",
            premise="",
            standing=False,
            trust="user",
            score=0.5,
        )
        Queue(opened.database, opened.clock).add(said, why="not sure")
        Desk(opened).accept(said.id)
        assert names(opened, archived=True) == {RULE}
