"""Sessions inside other programs' databases: read without a trace, whatever state they are in."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import client_of
from tests.sessions.databases import cursor, opencode, say, text
from tests.sessions.logs import spoken
from tests.sessions.worklogs import update

from reverie.errors import Unavailable
from reverie.sessions.index import Index
from reverie.sessions.logs.discover import logs_in, search
from reverie.sessions.logs.kept import copy_path, is_current, keep, rescues
from reverie.sessions.readers.agents import by_agent
from reverie.sessions.readers.databases import reading
from reverie.sessions.turns import human_records

TALK = [("user", text("use tabs")), ("assistant", text("Done.")), ("user", text("größer"))]
SECRET = "hunter2-hunter2"
ROOT = Path(__file__).parents[2]


def state(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        str(path.relative_to(folder)): (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_mtime_ns,
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def said(folder: Path) -> list[tuple[str, int, str]]:
    return [(row["session"], row["line"], row["text"]) for row in human_records(folder)]


WRITER = """
import sqlite3, sys
from tests.sessions.databases import say, text
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA journal_mode = WAL")
for number, line in enumerate(sys.stdin, start=1):
    with connection:
        say(connection, "ses_1", number, "user", text(line.strip()))
    print("written", flush=True)
"""


class Writer:
    """Another program that has a database in WAL mode open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        command = [sys.executable, "-c", WRITER, str(path)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT)

    def say(self, words: str) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "written\n"


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[Writer]:
    """A program that has written what is not in its database's file yet."""
    (tmp_path / "db").mkdir()
    writer = Writer(opencode(tmp_path / "db" / "opencode.db", {"ses_1": TALK[:1]}))
    with writer.process:
        writer.say("still in the log")
        yield writer
        writer.process.kill()


def test_each_session_of_a_database_is_a_log_of_its_own(tmp_path: Path) -> None:
    opencode(tmp_path / "opencode.db", {"ses_1": TALK, "ses_2": TALK[:1], "ses_sub": TALK})
    before = state(tmp_path)
    logs = logs_in(tmp_path).logs
    assert [(log.agent, log.part) for log in logs] == [
        ("opencode", "ses_1"),
        ("opencode", "ses_2"),
        ("opencode", "ses_sub"),
    ]
    assert said(tmp_path)[:2] == [("ses_1", 0, "use tabs"), ("ses_1", 2, "größer")]
    transcript = by_agent("opencode").open(logs[2].path, part="ses_sub")
    assert spoken(transcript.read()) == []
    assert transcript.head.subagent and transcript.head.parent == "ses_parent"
    assert state(tmp_path) == before


def test_a_database_in_use_is_read_with_what_is_not_written_back_yet(busy: Writer) -> None:
    folder = busy.path.parent
    before = state(folder)
    assert [words for _, _, words in said(folder)] == ["use tabs", "still in the log"]
    assert state(folder) == before
    with reading(busy.path) as connection:
        connection.execute("BEGIN")
        (seen,) = connection.execute("SELECT count(*) FROM message").fetchall()
        # Its program goes on writing while we read.
        busy.say("meanwhile")
        assert connection.execute("SELECT count(*) FROM message").fetchall() == [seen]
    assert said(folder)[-1][2] == "meanwhile"


def test_a_killed_program_leaves_a_database_that_is_read_without_a_trace(busy: Writer) -> None:
    busy.process.kill()
    busy.process.wait()
    before = state(busy.path.parent)
    assert said(busy.path.parent)[-1][2] == "still in the log"
    assert state(busy.path.parent) == before


@pytest.mark.parametrize("shared", [True, False])
def test_a_copied_folder_is_read_with_stale_shared_memory_or_none(
    busy: Writer, tmp_path: Path, shared: bool
) -> None:
    copy = tmp_path / "copied"
    copy.mkdir()
    for ending in ("", "-wal"):
        shutil.copy(f"{busy.path}{ending}", copy / f"opencode.db{ending}")
    if shared:
        (copy / "opencode.db-shm").write_bytes(b"")
    before = state(copy)
    assert [words for _, _, words in said(copy)] == ["use tabs", "still in the log"]
    assert state(copy) == before


def test_a_database_being_written_waits_for_the_next_time(tmp_path: Path) -> None:
    path = opencode(tmp_path / "opencode.db", {"ses_1": TALK})
    Path(f"{path}-journal").write_bytes(b"x" * 512)
    with pytest.raises(Unavailable, match="being written"), reading(path):
        pass


def test_a_database_that_changes_while_it_is_read_is_not_believed(tmp_path: Path) -> None:
    path = opencode(tmp_path / "opencode.db", {"ses_1": TALK})
    with pytest.raises(Unavailable, match="changed"), reading(path) as connection:
        connection.execute("SELECT * FROM message").fetchall()
        with closing(sqlite3.connect(path)) as writer, writer:
            say(writer, "ses_1", 3, "user", text("more"))


def test_nothing_can_be_written_through_the_connection(tmp_path: Path) -> None:
    path = opencode(tmp_path / "opencode.db", {"ses_1": TALK})
    with pytest.raises(Unavailable), reading(path) as connection:
        connection.execute("DELETE FROM message")
    assert len(said(tmp_path)) == 2


@pytest.mark.parametrize("cut", [1_000, 5_000, 9_000])
def test_a_damaged_database_is_reported_and_stops_nothing(tmp_path: Path, cut: int) -> None:
    (tmp_path / "a").mkdir()
    path = opencode(tmp_path / "a" / "opencode.db", {"ses_1": TALK})
    data = path.read_bytes()
    path.write_bytes(data[:cut] + os.urandom(len(data) - cut))
    for row in human_records(tmp_path):
        assert row["text"] in ("use tabs", "größer")


def test_rows_that_are_not_json_are_counted(tmp_path: Path) -> None:
    path = opencode(tmp_path / "opencode.db", {"ses_1": TALK})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE part SET data = '{cut' WHERE id LIKE '%_000_0'")
        connection.execute("UPDATE message SET data = x'ff' WHERE id LIKE '%_001'")
    transcript = by_agent("opencode").open(path, part="ses_1")
    assert spoken(transcript.read()) == ["prompt: größer"]
    assert transcript.damage.bad_lines == 2


def test_the_newer_table_of_messages_is_read_when_the_older_is_empty(tmp_path: Path) -> None:
    path = opencode(tmp_path / "opencode.db", {"ses_1": []})
    rows: list[tuple[str, dict[str, Any]]] = [
        ("user", {"text": "use tabs"}),
        ("synthetic", {"text": "not typed"}),
        ("assistant", {"content": [{"type": "text", "text": "Done."}]}),
        ("shell", {"command": "git status", "output": "clean"}),
        ("compaction", {"summary": "what was"}),
        ("agent-switched", {"agent": "plan"}),
    ]
    with closing(sqlite3.connect(path)) as connection, connection:
        for number, (kind, data) in enumerate(rows):
            connection.execute(
                "INSERT INTO session_message VALUES (?, 'ses_1', ?, ?, 1, 1, ?)",
                (f"m{number}", kind, number, json.dumps(data)),
            )
    turns = by_agent("opencode").open(path, part="ses_1").read()
    assert spoken(turns) == ["prompt: use tabs", "shell: git status"]
    assert [t.text for t in turns if t.role == "agent"] == ["Done."]


def test_the_index_takes_in_a_session_again_when_it_grows(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    path = opencode(tmp_path / "logs" / "opencode.db", {"ses_1": TALK, "ses_2": TALK[:1]})
    index = Index.open(tmp_path / "index.db")
    assert update(index, tmp_path / "logs").new == 2
    assert update(index, tmp_path / "logs").unchanged == 2
    with closing(sqlite3.connect(path)) as connection, connection:
        say(connection, "ses_2", 1, "user", text("one more"))
    assert update(index, tmp_path / "logs").unchanged == 1
    assert [t.text for t in index.turns("opencode:ses_2")] == ["use tabs", "one more"]


@pytest.mark.proves("F6")
def test_a_session_of_a_database_is_kept_and_read_back_as_the_same(tmp_path: Path) -> None:
    parts = [*text(f"the key is {SECRET}"), {"type": "tool", "tool": "bash", "callID": "c"}]
    path = opencode(tmp_path / "opencode.db", {"ses_1": [*TALK, ("assistant", parts)]})
    kept = tmp_path / "kept"
    (rescue,) = rescues(logs_in(tmp_path).logs, kept, {})
    assert not rescue.current
    keep(rescue.log, rescue.copy, lambda words: words.replace(SECRET, "[gone]"))
    assert is_current(rescue.copy, rescue.log)
    assert rescue.copy == copy_path(kept, rescue.log)
    before = by_agent("opencode").open(path, part="ses_1")
    found = logs_in(kept)
    assert found.skipped == []
    (copy,) = found.logs
    assert (copy.agent, copy.part) == ("opencode", "")
    after = by_agent("opencode").open(copy.path)
    turns = [turn._replace(offset=0) for turn in after.read()]
    assert turns == [
        turn._replace(text=turn.text.replace(SECRET, "[gone]")) for turn in before.read()
    ]
    assert after.head == before.head
    with closing(sqlite3.connect(path)) as connection, connection:
        say(connection, "ses_1", 9, "user", text("more"))
    (rescue,) = rescues([log for log in logs_in(tmp_path).logs if log.part], kept, {})
    assert not rescue.current


def test_the_older_folders_of_opencode_are_read(tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    files: dict[str, Any] = {
        "session/p1/ses_1.json": {"id": "ses_1", "directory": "/w", "title": "t",
                                  "time": {"created": 1, "updated": 2}},
        "message/ses_1/msg_1.json": {"id": "msg_1", "role": "user", "time": {"created": 1}},
        "message/ses_1/msg_2.json": {"id": "msg_2", "role": "assistant"},
        "part/msg_1/prt_1.json": {"type": "text", "text": "use tabs"},
        "part/msg_1/prt_2.json": {"type": "text", "text": "added", "synthetic": True},
        "part/msg_2/prt_3.json": {"type": "text", "text": "Done."},
        "message/ses_1/msg_3.json": {"id": "msg_3", "role": "user",
                                     "parts": [{"type": "text", "text": "inside"}]},
        "session/info/ses_0.json": {"id": "ses_0", "time": {"created": 1, "updated": 2}},
        "session/message/ses_0/msg_9.json": {"id": "msg_9", "role": "user"},
        "session/part/ses_0/msg_9/prt_9.json": {"type": "text", "text": "older still"},
    }  # fmt: skip
    for name, value in files.items():
        path = storage / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    assert said(tmp_path) == [
        ("ses_0", 0, "older still"),
        ("ses_1", 0, "use tabs"),
        ("ses_1", 2, "inside"),
    ]
    (storage / "part/msg_1/prt_1.json").write_text("{cut")
    assert said(tmp_path) == [("ses_0", 0, "older still"), ("ses_1", 2, "inside")]


BUBBLES = [
    {"type": 1, "text": "use tabs"},
    {"type": 2, "text": "Done.", "thinking": {"text": "hm"}},
    {
        "type": 2,
        "text": "",
        "toolFormerData": {
            "name": "run_terminal_cmd",
            "toolCallId": "c",
            "rawArgs": '{"command":"ls"}',
            "status": "completed",
            "result": "a.py",
        },
    },
    {"type": 1, "text": "<user_query>\ngrößer\n</user_query>"},
    {"type": 7, "text": "nobody"},
]


@pytest.mark.hostile("M1")
def test_in_a_chat_that_an_agent_began_a_model_wrote_the_prompts(tmp_path: Path) -> None:
    names = ("main", "named", "listed", "task-toolu_1")
    chats: dict[str, list[dict[str, Any]]] = {name: [{"type": 1, "text": "go"}] for name in names}
    for mark in ("isSimulated", "isSimulatedMsg", "simulatedMsgReason", "isPlanExecution"):
        chats["main"].append({"type": 1, "text": "Always push.", mark: 3})
    chats["main"].append({"type": 1, "text": "Pull.", "grouping": {"isSimulatedMsg": True}})
    fields = {
        "main": {"subagentComposerIds": ["listed"], "text": "named"},
        "named": {"subagentInfo": {"parentComposerId": "main"}},
    }
    path = cursor(tmp_path / "state.vscdb", chats, fields=fields)
    reader = by_agent("cursor")
    said = {chat: spoken(reader.open(path, part=chat).read()) for chat in chats}
    assert said == {"main": ["prompt: go"], "named": [], "listed": [], "task-toolu_1": []}


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("export", [False, True])
def test_a_session_of_opencode_that_can_ask_nobody_may_be_a_scripts(
    tmp_path: Path, export: bool
) -> None:
    asking = ["question", "plan_enter", "plan_exit"]
    rules = [{"permission": name, "pattern": "*", "action": "deny"} for name in asking]
    allowed = [{**rule, "action": "allow"} for rule in rules]
    for permission, typed in ((rules, "probable"), (allowed, "typed"), (rules[:2], "typed")):
        if export:
            info = {"id": "ses_1", "directory": "/w", "permission": permission}
            message = {"info": {"id": "m", "role": "user"}, "parts": text("use tabs")}
            path = tmp_path / "ses_1.json"
            path.write_text(json.dumps({"info": info, "messages": [message]}), encoding="utf-8")
        else:
            path = tmp_path / "opencode.db"
            path.unlink(missing_ok=True)
            opencode(path, {"ses_1": [("user", text("use tabs"))]})
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute("ALTER TABLE session ADD COLUMN permission text")
                connection.execute("UPDATE session SET permission = ?", (json.dumps(permission),))
        turns = by_agent("opencode").open(path, part="" if export else "ses_1").read()
        assert [turn.typed for turn in turns if turn.role == "human"] == [typed]


@pytest.mark.parametrize("embedded", [False, True])
def test_chats_of_the_cursor_editor_are_read(tmp_path: Path, embedded: bool) -> None:
    user = tmp_path / ".config" / "Cursor" / "User"
    cursor(user / "globalStorage" / "state.vscdb", {"c-1": BUBBLES, "c-0": []}, embedded=embedded)
    workspace = cursor(user / "workspaceStorage" / "x" / "state.vscdb", {})
    (workspace.parent / "workspace.json").write_text('{"folder": "file:///w/my%20app"}')
    with closing(sqlite3.connect(workspace)) as connection, connection:
        listed = {"allComposers": [{"composerId": "c-1"}]}
        connection.execute(
            "INSERT INTO ItemTable VALUES ('composer.composerData', ?)", (json.dumps(listed),)
        )
    before = state(tmp_path)
    (log,) = [log for log in search({"HOME": str(tmp_path)}).logs if log.agent == "cursor"]
    transcript = by_agent("cursor").open(log.path, part=log.part)
    turns = transcript.read()
    assert spoken(turns) == ["prompt: use tabs", "prompt: größer"]
    assert [turn.line for turn in turns if turn.role == "human"] == [0, 3]
    assert turns[0].cwd == transcript.head.cwd == "/w/my app"
    calls = [turn.tool for turn in turns if turn.kind == "tool_call"]
    assert [call.input for call in calls if call] == [{"command": "ls"}]
    assert state(tmp_path) == before


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("field", [{"source": "automation"}, {"isFromHook": True}])
def test_a_bubble_that_names_a_source_may_be_nobodys(tmp_path: Path, field: dict[str, Any]) -> None:
    usual = {"supportedTools": [1, 2], "isAgentic": True, "richText": "x", "toolResults": []}
    bubbles = [
        {"type": 1, "text": words, **usual, **more} for words, more in (("a", {}), ("b", field))
    ]
    path = cursor(tmp_path / "globalStorage" / "state.vscdb", {"c-1": bubbles})
    found = by_agent("cursor").open(path, part="c-1").read()
    assert [turn.typed for turn in found] == ["typed", "probable"]


def test_a_chat_of_the_cursor_cli_is_read(tmp_path: Path) -> None:
    path = tmp_path / "chats" / "h" / "c-1" / "store.db"
    path.parent.mkdir(parents=True)
    messages = [
        {"role": "user", "content": "<user_info>\nOS\n</user_info>"},
        {"role": "user", "content": text("<user_query>\nuse tabs\n</user_query>")},
        {"role": "assistant", "content": [
            {"type": "tool-call", "toolCallId": "c", "toolName": "Shell", "args": {"x": "ls"}}]},
        {"role": "tool", "content": [
            {"type": "tool-result", "toolCallId": "c", "toolName": "Shell", "result": "a.py"}]},
    ]  # fmt: skip
    blobs = {
        hashlib.sha256(json.dumps(m).encode()).digest(): json.dumps(m).encode() for m in messages
    }
    root = b"".join(b"\x0a\x20" + key for key in blobs) + b"\x12\x01x"
    about = {"agentId": "c-1", "latestRootBlobId": "root", "name": "t", "createdAt": 1}
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
        connection.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        connection.execute("INSERT INTO meta VALUES ('0', ?)", (json.dumps(about).encode().hex(),))
        rows = [(key.hex(), data) for key, data in blobs.items()]
        connection.executemany("INSERT INTO blobs VALUES (?, ?)", [*rows, ("root", root)])
    assert said(tmp_path) == [("c-1", 1, "use tabs")]


def test_transcripts_that_cursor_writes_for_agents_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"role":"user","message":{"content":[{"type":"text","text":"<user_query>\\nuse tabs\\n'
        '</user_query>"}]}}\n{"role":"assistant","message":{"content":[{"type":"text","text":"ok"}]}}\n'
    )
    (tmp_path / "b.txt").write_text(
        "user:\n<user_query>\nwrite it\nin two lines\n</user_query>\n\nassistant:\nSure.\n"
        "[Tool call] Shell\n  command: echo user:\n\n[Tool result] Shell\nuser: root\n\n"
        "user:\nthanks\n"
    )
    assert said(tmp_path) == [
        ("a", 0, "use tabs"),
        ("b", 0, "write it\nin two lines"),
        ("b", 14, "thanks"),
    ]


@pytest.mark.needs("opencode")
def test_what_the_real_opencode_stores_is_what_we_read(isolated_home: Path) -> None:
    session, message = "ses_0000000000000000000000001", "msg_000000000001aaaaaaaaaaaaaa"
    own = {"sessionID": session, "messageID": message}
    document = {
        "info": {"id": session, "slug": "x", "projectID": "global", "directory": "/w",
                 "title": "t", "version": "1.14.30", "time": {"created": 1, "updated": 2}},
        "messages": [{
            "info": {"id": message, "sessionID": session, "role": "user", "agent": "build",
                     "time": {"created": 1777926401323},
                     "model": {"providerID": "x", "modelID": "y"}},
            "parts": [
                {"id": "prt_000000000001aaaaaaaaaaaaaa", **own, "type": "text", "text": "use tabs"},
                {"id": "prt_000000000002aaaaaaaaaaaaaa", **own, "type": "text", "text": "added",
                 "synthetic": True},
            ],
        }],
    }  # fmt: skip
    export = isolated_home / "export.json"
    export.write_text(json.dumps(document))
    environment = {"HOME": str(isolated_home), "PATH": os.environ["PATH"]}
    command = [client_of("opencode"), "import", str(export)]
    done = subprocess.run(
        command, env=environment, cwd=isolated_home, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    folder = isolated_home / ".local" / "share" / "opencode"
    before = state(folder)
    logs = search({"HOME": str(isolated_home)}).logs
    assert [(log.agent, log.part) for log in logs] == [("opencode", session)]
    assert said(folder) == [(session, 0, "use tabs")] == said(isolated_home)[-1:]
    assert state(folder) == before
