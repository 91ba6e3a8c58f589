"""Where a session belongs whose folder is gone or was never named, through the real readers."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.commands import repository
from tests.databases import OpenIndex
from tests.sessions.logs import FIXTURES, call, claude, codex, meta, prompt, time_of, written
from tests.sessions.worklogs import lines, update, write

from reverie.sessions.index import Index
from reverie.sessions.layouts import is_common
from reverie.sessions.projects import locate
from reverie.sessions.registry import Projects

SHA256 = hashlib.sha256(b"/Users/dev/my_code/app.v2").hexdigest()


@dataclass(frozen=True)
class Log:
    """One line of the fixture."""

    agent: str
    cwd: str
    project: str
    branch: str = "main"
    remote: str = ""
    files: str = ""
    log: str = ""


def log_of(line: str) -> Log:
    given_, _, project = line.rpartition(" -> ")
    agent, cwd, *more = given_.split()
    options = dict(word.split("=", 1) for word in more if "=" in word)
    return Log(agent, "" if cwd == "-" else cwd, project, **options)


def cases() -> dict[str, list[Log]]:
    blocks = (FIXTURES / "places.txt").read_text(encoding="utf-8").split("\n== ")[1:]
    named = (block.strip().split("\n") for block in blocks)
    return {name: [log_of(line) for line in rows if " -> " in line] for name, *rows in named}


def in_claude_code(log: Log, name: str) -> list[dict[str, Any]]:
    calls = [call("Read", f"c-{n}", file_path=file) for n, file in enumerate(files_of(log))]
    said = [prompt("use tabs"), *calls]
    here: dict[str, Any] = {"cwd": log.cwd, "gitBranch": log.branch} if log.cwd else {"cwd": None}
    return claude(*({**line, **here, "sessionId": name} for line in said))


def in_codex(log: Log, name: str) -> list[dict[str, Any]]:
    git = {"branch": log.branch, "repository_url": log.remote}
    said = {"type": "event_msg", "payload": {"type": "user_message", "message": "use tabs"}}
    return [meta(id=name, cwd=log.cwd, git=git), *codex(said)]


def in_copilot(log: Log, name: str) -> list[dict[str, Any]]:
    context = {"cwd": log.cwd, "branch": log.branch}
    start = {"type": "session.start", "data": {"sessionId": name, "context": context}}
    said = {"type": "user.message", "data": {"content": "use tabs"}}
    return [
        {"id": f"e-{n}", "timestamp": time_of(n), **line} for n, line in enumerate((start, said))
    ]


def in_pi(log: Log, name: str) -> list[dict[str, Any]]:
    said = {"type": "message", "id": "e", "message": {"role": "user", "content": "use tabs"}}
    start = {"type": "session", "id": name, "timestamp": time_of(0), "cwd": log.cwd}
    return [start, {**said, "timestamp": time_of(1)}]


def in_gemini(log: Log, name: str) -> list[dict[str, Any]]:
    calls = [
        {"id": f"c-{n}", "name": "read_file", "args": {"file_path": file}, "status": "success"}
        for n, file in enumerate(files_of(log))
    ]
    return [
        {"sessionId": name, "projectHash": "x", "startTime": time_of(0), "kind": "main"},
        {"id": "m-1", "timestamp": time_of(1), "type": "user", "content": "use tabs"},
        {"id": "m-2", "timestamp": time_of(2), "type": "gemini", "content": "", "toolCalls": calls},
    ]


def in_cursor(log: Log, name: str) -> list[dict[str, Any]]:
    text = f"<user_query>use tabs in {name}</user_query>"
    return [{"role": "user", "message": {"content": [{"type": "text", "text": text}]}}]


WRITERS: dict[str, Callable[[Log, str], list[dict[str, Any]]]] = {
    "claude-code": in_claude_code,
    "codex": in_codex,
    "copilot-cli": in_copilot,
    "pi": in_pi,
    "gemini-cli": in_gemini,
    "cursor": in_cursor,
}


def files_of(log: Log) -> list[str]:
    return log.files.split(",") if log.files else []


@pytest.fixture
def index(open_index: OpenIndex, tmp_path: Path) -> Index:
    return open_index(tmp_path / "home" / ".reverie" / "index.db")


@pytest.mark.proves("F5")
@pytest.mark.parametrize("name", cases())
def test_a_session_belongs_to_the_repository_its_log_speaks_of(
    name: str, index: Index, tmp_path: Path
) -> None:
    logs = cases()[name]
    for number, log in enumerate(logs):
        folder = tmp_path / "logs" / f"{number:02}" / log.log.replace("$SHA256", SHA256)
        session = f"s-{number}"
        name = f"session-{session}" if log.agent == "gemini-cli" else session
        written(folder, WRITERS[log.agent](log, session), f"{name}.jsonl")
    update(index, tmp_path / "logs")
    found = {Path(row.path).stem.removeprefix("session-"): row.project for row in index.sessions()}
    assert found == {f"s-{number}": log.project for number, log in enumerate(logs)}
    for project in index.projects.all():
        assert not any(is_common(root) for root in project.roots if root)


SEGMENT = st.text("ab.-_@", min_size=1, max_size=3).filter(lambda text: text not in (".", ".."))
FOLDER = st.one_of(
    SEGMENT,
    st.sampled_from([
        ".claude", ".cursor", ".codex", "worktrees", ".worktrees", "wt", "conductor", "workspaces",
        "a.worktrees", "-wt", "worktree", ".conductor", "vibe-kanban", ".git", "my-worktrees",
    ]),
)  # fmt: skip


@given(st.sampled_from(["", "/home/dev", "/Users/dev", "/root", "/tmp", "/srv/dev"]),
       st.lists(FOLDER, min_size=1, max_size=6))  # fmt: skip
def test_no_folder_that_is_gone_belongs_to_the_home_or_to_what_is_above(
    home: str, parts: list[str]
) -> None:
    cwd = "/".join((home or "/gone-root", *parts))
    place = locate(cwd, "/srv/dev")
    assert not is_common(place.root, "/srv/dev") or place.root == cwd
    assert not (place.git and is_common(place.root, "/srv/dev"))


def test_the_checkout_that_is_there_is_named_first_whatever_was_read_before_it(
    index: Index, tmp_path: Path
) -> None:
    app = repository(tmp_path / "code" / "app")
    write(tmp_path / "logs/a.jsonl", lines("a", ("you", "hi"), cwd="/gone/.cursor/worktrees/app/x"))
    write(tmp_path / "logs/b.jsonl", lines("b", ("you", "ho"), cwd=str(app)))
    update(index, tmp_path / "logs")
    assert {row.project for row in index.sessions()} == {"app"}
    (project,) = index.projects.all()
    assert project.roots == (str(app),)


@pytest.mark.hostile("T5")
def test_a_folder_that_comes_back_has_nothing_of_the_project_it_was_placed_in(
    tmp_path: Path,
) -> None:
    projects = Projects.open(tmp_path / "projects.json")
    projects.identify(str(repository(tmp_path / "code" / "app")))
    for gone in (tmp_path / ".cursor/worktrees/app/x", tmp_path / "wt/app/y"):
        assert projects.identify(str(gone)).slug == "app"
        repository(gone)
        known = projects.at(str(gone))
        assert known is None
        assert projects.expected(str(gone)).slug != "app"


@pytest.mark.hostile("T5")
def test_a_folder_that_is_gone_makes_no_clone_around_it_part_of_what_its_remote_names(
    tmp_path: Path,
) -> None:
    projects = Projects.open(tmp_path / "projects.json")
    remote = "git@github.com:acme/app.git"
    for folder in (tmp_path / "app", tmp_path / "download"):
        with (repository(folder) / ".git/config").open("a") as config:
            config.write(f'[remote "origin"]\n\turl = {remote}\n')
    assert projects.identify(str(tmp_path / "app")).slug == "app"
    assert projects.identify(str(tmp_path / "download/deleted"), remote).slug != "app"
    assert projects.find("app").roots == (str(tmp_path / "app"),)


def test_a_home_that_was_taken_for_a_repository_gets_nothing_more(tmp_path: Path) -> None:
    file = tmp_path / "projects.json"
    file.write_text(
        '{"version": 1, "merged": {}, "projects": [{"slug": "dev", "name": "dev",'
        ' "roots": ["/Users/dev"], "remotes": [], "repositories": ["/Users/dev"]}]}'
    )
    projects = Projects.open(file)
    assert projects.identify("/Users/dev/code/tool").slug == "tool"
    assert projects.identify("/Users/dev/.cursor/worktrees/app/x").slug == "app"


def test_what_was_placed_before_stays_until_all_is_read_anew(index: Index, tmp_path: Path) -> None:
    log = tmp_path / "logs/a.jsonl"
    gone = "/Users/dev/.cursor/worktrees/app/x"
    write(log, lines("a", ("you", "use tabs"), cwd=gone))
    update(index, tmp_path / "logs")
    old = index.projects.identify("/Users/dev/plain").slug
    with index.atomic() as database:
        database.query("UPDATE sessions SET project = ?", (old,))
    write(log, lines("a", ("you", "no, spaces"), cwd=gone, begin=5), append=True)
    update(index, tmp_path / "logs")
    assert [(row.project, row.human_turns) for row in index.sessions()] == [("plain", 2)]
    index.forget_files()
    update(index, tmp_path / "logs")
    assert [row.project for row in index.sessions()] == ["app"]
