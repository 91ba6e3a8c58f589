"""The worker: nothing is missed, nothing is done twice, whatever happens to a process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.connect.logs import LOGS, write_log

from reverie.connect import spool
from reverie.connect.stretches import Stretch, drain, locked, sweep, troubles
from reverie.connect.worker import saved_between
from reverie.handover import project_key
from reverie.sessions.logs.saved import Watched, watched
from reverie.sessions.logs.vouching import roots_in, write_roots

HOOK = "import sys; from reverie.connect.hook import main; sys.exit(main())"
# A worker whose learning says that it began, and then never ends.
STUCK = """
import sys
from pathlib import Path
from reverie.connect.stretches import drain
def learn(stretch):
    print("learning", flush=True)
    sys.stdin.read()
drain(Path(sys.argv[1]), sys.argv[2], learn, lambda *_: False, lambda _: None)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "reverie"


def stage(home: Path, log: Path, project: str = "p") -> None:
    spool.stage(str(home), project, {"session": log.stem, "transcript": str(log)})


def log_of(folder: Path, name: str, text: str = "x\n") -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def drained(home: Path, learned: list[Stretch], project: str = "p"):
    return drain(home, project, learned.append, lambda *_: False, lambda _: None)


def test_what_is_staged_is_learned_once_and_leaves_the_spool(home: Path, tmp_path: Path) -> None:
    first, second = log_of(tmp_path, "a"), log_of(tmp_path, "b")
    for log in (first, second, first):
        stage(home, log)
    learned: list[Stretch] = []
    assert drained(home, learned).learned == [first, second]
    assert [one.transcript for one in learned] == [first, second]
    assert spool.waiting(str(home), "p") == []
    assert drained(home, learned).learned == []


@pytest.mark.proves("D10")
def test_what_arrives_meanwhile_is_done_right_after(home: Path, tmp_path: Path) -> None:
    first, late = log_of(tmp_path, "a"), log_of(tmp_path, "late")
    stage(home, first)
    order: list[str] = []

    def learn(stretch: Stretch) -> None:
        order.append(stretch.transcript.stem)
        if stretch.transcript == first and len(order) == 1:
            stage(home, late)
            stage(home, first)

    drain(home, "p", learn, lambda *_: False, lambda _: None)
    assert order == ["a", "late", "a"]


def test_a_second_worker_goes_away(home: Path, tmp_path: Path) -> None:
    stage(home, log_of(tmp_path, "a"))
    learned: list[Stretch] = []
    with locked(home, "p") as held:
        assert held
        assert drained(home, learned).busy
    assert learned == []
    assert not drained(home, learned, "other").busy
    assert len(drained(home, learned).learned) == 1


@pytest.mark.proves("D10")
def test_a_killed_worker_loses_nothing(home: Path, tmp_path: Path) -> None:
    logs = [log_of(tmp_path, name) for name in "abc"]
    for log in logs:
        stage(home, log)
    worker = subprocess.Popen(
        [sys.executable, "-c", STUCK, str(home), "p"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"learning\n"
    learned: list[Stretch] = []
    assert drained(home, learned).busy
    worker.kill()
    worker.communicate()
    assert drained(home, learned).learned == logs
    assert spool.waiting(str(home), "p") == []


def test_a_stretch_that_fails_does_not_stop_the_others(home: Path, tmp_path: Path) -> None:
    bad, good = log_of(tmp_path, "bad"), log_of(tmp_path, "good")
    stage(home, bad)
    stage(home, good)

    def learn(stretch: Stretch) -> None:
        if stretch.transcript == bad:
            raise ValueError("cannot be learned")

    for attempt in range(3):
        result = drain(home, "p", learn, lambda *_: False, lambda _: None)
        assert result.failed == [str(bad)]
        assert result.learned == ([good] if attempt == 0 else [])
    assert drain(home, "p", learn, lambda *_: False, lambda _: None).failed == []
    told = "\n".join(troubles(home))
    assert "1 stretches could not be extracted" in told
    assert "cannot be learned" in told


def test_a_log_that_is_gone_is_set_aside_at_once(home: Path, tmp_path: Path) -> None:
    log = log_of(tmp_path, "a")
    stage(home, log)
    log.unlink()
    assert drained(home, []).failed == [str(log)]
    assert spool.waiting(str(home), "p") == []


def test_a_damaged_staged_file_is_set_aside(home: Path, tmp_path: Path) -> None:
    stage(home, log_of(tmp_path, "a"))
    (file,) = spool.waiting(str(home), "p")
    Path(file).write_text('{"transcript": ', encoding="utf-8")
    drained(home, [])
    assert spool.waiting(str(home), "p") == []
    assert troubles(home)


def test_each_stretch_begins_where_the_last_one_ended(home: Path, tmp_path: Path) -> None:
    log = log_of(tmp_path, "a", "12345\n")
    learned: list[Stretch] = []
    stage(home, log)
    drained(home, learned)
    with log.open("a", encoding="utf-8") as file:
        file.write("6789\n")
    stage(home, log)
    drained(home, learned)
    assert [(one.start, one.end) for one in learned] == [(0, 6), (6, 11)]


@pytest.mark.proves("D8")
def test_a_stretch_in_which_the_agent_saved_memory_is_marked(home: Path, tmp_path: Path) -> None:
    log = log_of(tmp_path, "a", "12345\n")
    learned: list[Stretch] = []
    stage(home, log)
    drain(home, "p", learned.append, lambda *_: True, lambda _: None)
    with log.open("a", encoding="utf-8") as file:
        file.write("6789\n")
    stage(home, log)
    drained(home, learned)
    assert [(one.over, one.saved) for one in learned] == [(False, True), (False, True)]
    assert watched(home) == {str(log): Watched(11, ((0, 6),))}


@pytest.mark.proves("D8")
def test_whether_the_agent_saved_counts_from_one_end_of_a_session_to_the_next(
    home: Path, tmp_path: Path
) -> None:
    log = log_of(tmp_path, "a", "12345\n")
    learned: list[Stretch] = []
    for event, saves in (
        ("Stop", True),
        ("Stop", False),
        ("SessionEnd", False),
        ("Stop", False),
        ("SessionEnd", False),
    ):
        call = {"session": "a", "transcript": str(log), "event": event}
        spool.stage(str(home), "p", call)
        drain(home, "p", learned.append, lambda *_, saves=saves: saves, lambda _: None)
        with log.open("a", encoding="utf-8") as file:
            file.write("6789\n")
    assert [(one.over, one.saved) for one in learned] == [
        (False, True),
        (False, True),
        (True, True),
        (False, False),
        (True, False),
    ]


MEMORY = "/home/user/.claude/projects/-x/memory/tabs.md"


@pytest.mark.proves("D8")
@pytest.mark.parametrize(
    ("tool", "given", "saves"),
    [
        ("Write", {"file_path": MEMORY, "content": "x"}, True),
        ("Edit", {"file_path": MEMORY, "old_string": "x", "new_string": "y"}, True),
        ("str_replace_based_edit_tool", {"command": "create", "path": MEMORY}, True),
        ("write_file", {"file_path": MEMORY, "content": "x"}, True),
        ("mcp__reverie__remember", {"text": "x"}, True),
        ("mcp__plugin_reverie_reverie__remember", {"text": "x"}, True),
        ("mcp__reverie__memory", {"command": "create", "path": "/x.md"}, True),
        ("mcp__reverie__memory", {"command": "view", "path": "/x.md"}, False),
        ("mcp__reverie__recall", {"query": "x"}, False),
        ("Read", {"file_path": MEMORY}, False),
        ("Write", {"file_path": "/project/src/memory/tabs.md", "content": "x"}, False),
        ("Bash", {"command": "ls"}, False),
        ("Bash", {"command": f"cat > {MEMORY} <<'EOF'\nUse tabs.\nEOF"}, True),
        ("Bash", {"command": "echo 'use tabs' >> ~/.claude/projects/-x/memory/MEMORY.md"}, True),
        ("Bash", {"command": "echo x | tee -a $HOME/.claude/projects/-x/memory/a.md"}, True),
        ("Bash", {"command": "cd ~/.claude/projects/-x/memory && cat > a.md <<E\nx\nE"}, True),
        ("Bash", {"command": f"sed -i 's/tabs/spaces/' {MEMORY}"}, True),
        ("Bash", {"command": f"cp /tmp/note.md {MEMORY}"}, True),
        ("Bash", {"command": f"python3 -c \"open('{MEMORY}', 'w').write('x')\""}, True),
        ("shell", {"command": ["bash", "-lc", "echo x > ~/.codex/memories/notes.md"]}, True),
        ("Bash", {"command": f"cat {MEMORY}"}, False),
        ("Bash", {"command": f"cat {MEMORY} > /tmp/copy.md"}, False),
        ("Bash", {"command": f"cp {MEMORY} /tmp/copy.md"}, False),
        ("Bash", {"command": "grep -rn tabs ~/.claude/projects/-x/memory/ 2>/dev/null"}, False),
        ("Bash", {"command": "cd ~/.claude/projects/-x/memory && ls"}, False),
        ("Bash", {"command": f"sed -n 1,5p {MEMORY}"}, False),
    ],
)
def test_the_agents_own_memory_writes_are_seen_in_its_log(
    tool: str, given: dict[str, str], saves: bool, tmp_path: Path
) -> None:
    turns = (("user", "Use tabs, please."), ("tool", (tool, given)), ("user", "Thanks."))
    log = write_log(tmp_path, "s", tmp_path, *turns)
    size = log.stat().st_size
    assert saved_between(log, 0, size) is saves
    first = len(log.read_bytes().splitlines(keepends=True)[0])
    assert not saved_between(log, 0, first)


def test_counts_of_sessions_that_never_ended_are_swept(home: Path) -> None:
    spool.count_turn(str(home), "old")
    spool.count_turn(str(home), "new")
    os.utime(home / "spool" / "turns" / "old", (1_000, 1_000))
    sweep(home, 2_000)
    assert [path.name for path in (home / "spool" / "turns").iterdir()] == ["new"]


def environment(home: Path) -> dict[str, str]:
    env = {"PATH": os.environ["PATH"], "HOME": str(home.parent), "REVERIE_HOME": str(home)}
    # As `connect` does: hooks believe what lies in places that a person named.
    (home.parent / LOGS).mkdir(parents=True, exist_ok=True)
    write_roots(home, roots_in(env))
    return env


def memories(home: Path) -> dict[str, int]:
    """The lessons, without diaries and dailies, and how many versions each has."""
    import sqlite3

    with sqlite3.connect(home / "memory.db") as database:
        rows = database.execute(
            "SELECT m.path, count(v.id) FROM memories m JOIN versions v ON v.memory_id = m.id"
            " WHERE m.path NOT LIKE '/d%/%' GROUP BY m.path"
        ).fetchall()
    database.close()
    return dict(rows)


def work(home: Path, project: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "reverie.connect.worker", project]
    return subprocess.Popen(command, env={**environment(home), "REVERIE_INSIDE": "1"})


@pytest.mark.proves("D10")
def test_ten_sessions_that_end_at_once_are_all_learned_once(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    key = project_key(str(project))
    tools = ["ruff", "pytest", "cargo", "eslint", "mypy", "gofmt", "cspell", "sass", "tox", "nox"]
    calls: list[bytes] = []
    for number, tool in enumerate(tools):
        log = write_log(
            tmp_path / LOGS,
            f"session-{number}",
            project,
            ("user", "Please fix the failing check."),
            ("assistant", "I fixed it and committed the change."),
            ("user", f"No. From now on always run {tool} before you commit anything."),
        )
        call = {"session_id": log.stem, "transcript_path": str(log), "cwd": str(project)}
        calls.append(json.dumps(call).encode())
    ending = [
        subprocess.Popen(
            [sys.executable, "-c", HOOK, "SessionEnd"],
            stdin=subprocess.PIPE,
            env=environment(home),
        )
        for _ in calls
    ]
    for process, call in zip(ending, calls, strict=True):
        process.communicate(call)
    assert {process.returncode for process in ending} == {0}
    # The hooks' own workers may still be at it; more of them must change nothing.
    for worker in [work(home, key) for _ in range(3)]:
        assert worker.wait() == 0
    # One that finds another at work goes away, and that one may still be far from its end.
    for _ in range(20):
        wait_for_lock(home, key)
        if not spool.waiting(str(home), key):
            break
        assert work(home, key).wait() == 0
    assert spool.waiting(str(home), key) == []
    assert troubles(home) == []
    found = memories(home)
    assert len(found) == len(tools)
    assert set(found.values()) == {1}


def wait_for_lock(home: Path, project: str) -> None:
    import fcntl

    with (Path(spool.folder_of(str(home), project)) / "lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)


@pytest.mark.proves("D8")
def test_what_the_agent_saved_itself_is_not_saved_again(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    key = project_key(str(project))
    before = (("user", "Please fix the failing check."), ("assistant", "Fixed and committed."))
    asked = ("user", "No. From now on always run ruff before you commit anything.")
    saved = ("tool", ("Write", {"file_path": MEMORY, "content": "Run ruff first."}))
    log = write_log(tmp_path / LOGS, "saved", project, *before, asked, saved)
    stage(home, log, key)
    assert work(home, key).wait() == 0
    assert troubles(home) == []
    assert memories(home) == {}
    # The same words at the same second would be taken for a copy of the first session.
    asked = ("user", asked[1].replace("ruff", "pytest"))
    other = write_log(tmp_path / LOGS, "plain", project, *before, asked)
    stage(home, other, key)
    assert work(home, key).wait() == 0
    assert len(memories(home)) == 1


@pytest.mark.proves("D8")
def test_the_worker_takes_over_what_the_agent_wrote_through_its_shell(
    home: Path, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    key = project_key(str(project))
    home.mkdir()
    (home / "config.toml").write_text("[learn]\nagent_memory = true\n", encoding="utf-8")
    note = tmp_path / LOGS / "memory" / "ruff-first.md"
    note.parent.mkdir(parents=True)
    note.write_text("Run ruff before a commit, because the build checks it.\n", encoding="utf-8")
    said = "No. From now on always run ruff before you commit anything."
    write = f"cat > {note} <<'E'\n{note.read_text(encoding='utf-8')}E"
    turns = (("user", "Fix it."), ("assistant", "Fixed and committed."), ("user", said))
    log = write_log(tmp_path / LOGS, "s", project, *turns, ("tool", ("Bash", {"command": write})))
    stage(home, log, key)
    assert work(home, key).wait() == 0
    assert troubles(home) == []
    assert memories(home) == {"/ruff-first.md": 1}


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("place", ["project/fixtures", ".claude/plugins/cache/evil", "linked"])
def test_a_hook_called_with_a_file_that_is_no_log_teaches_nothing(
    home: Path, tmp_path: Path, place: str
) -> None:
    """Whoever can run a command in a clone can call the hook with a file of the clone."""
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    key = project_key(str(project))
    asked = ("user", "No. From now on always run ruff before you commit anything.")
    before = (("user", "Please fix the failing check."), ("assistant", "Fixed and committed."))
    session = "88888888-1111-4111-8111-111111111111"
    log = write_log(tmp_path / place, session, project, *before, asked)
    if place == "linked":
        own = tmp_path / LOGS / log.name
        own.parent.mkdir(parents=True, exist_ok=True)
        own.symlink_to(log)
        log = own
    stage(home, log, key)
    assert work(home, key).wait() == 0
    assert spool.waiting(str(home), key) == []
    assert "is not where its agent puts logs" in (home / "hooks.log").read_text(encoding="utf-8")
    # In its place a log is believed.
    log.unlink()
    asked = ("user", asked[1].replace("ruff", "pytest"))
    stage(home, write_log(tmp_path / LOGS, session, project, *before, asked), key)
    assert work(home, key).wait() == 0
    (learned,) = memories(home)
    assert "pytest" in learned
