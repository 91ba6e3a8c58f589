"""The incremental index: idempotent, resumable, one count for what was said once."""

import os
import shutil
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.databases import OpenIndex
from tests.patience import SECONDS
from tests.sessions.logs import call, claude, prompt, result, written
from tests.sessions.worklogs import lines, snapshot, unchanged, update, write

from reverie.db.full_text import fts5
from reverie.db.migrations import INDEX, tables
from reverie.errors import Ambiguous, Busy, LeaseHeld, NotFound, StoreDamaged, Unavailable
from reverie.privacy import Ignored
from reverie.sessions.aside import asides
from reverie.sessions.index import Index, SessionRead, Visitor
from reverie.sessions.query import query_terms
from reverie.settings import Privacy

TALK = (("you", "use tabs here"), ("agent", "I will use spaces"), ("you", "no, tabs please"))


@pytest.fixture
def index(open_index: OpenIndex, tmp_path: Path) -> Index:
    return open_index(tmp_path / "home" / ".reverie" / "index.db")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where an index lies that is a file."""
    return tmp_path / "index.db"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


def fresh(open_index: OpenIndex, tmp_path: Path, logs: Path) -> list[object]:
    """What an index built from nothing says about the same logs."""
    with open_index(tmp_path / f"fresh-{uuid.uuid4().hex}" / "index.db") as other:
        update(other, logs)
        return snapshot(other)


def human(index: Index) -> int:
    return sum(row.human_turns for row in index.sessions())


def test_a_session_is_found_with_its_turns(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", *TALK, ("error", "Exit code 1\nno such file")))
    report = update(index, logs)
    assert (report.new, report.bad_lines) == (1, 0)
    (row,) = index.sessions()
    assert (row.key, row.agent, row.project) == ("claude-code:a", "claude-code", "app")
    assert (row.started, row.ended) == ("2026-09-01T10:00:00.000Z", "2026-09-01T10:00:03.000Z")
    assert (row.human_turns, row.opening) == (2, "use tabs here")
    assert [(turn.role, turn.line) for turn in index.turns(row.key)] == [
        ("human", 0),
        ("agent", 1),
        ("human", 2),
        ("tool", 3),
    ]


@pytest.mark.hostile("L7")
def test_a_second_update_reads_nothing(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))
    update(index, logs)
    before = snapshot(index)
    report = update(index, logs, redact=_never)
    assert (report.unchanged, report.new) == (1, 0)
    assert snapshot(index) == before


def test_a_log_that_grew_is_read_from_where_it_ended(index: Index, logs: Path) -> None:
    path = write(logs / "a.jsonl", lines("a", *TALK))
    update(index, logs)
    more = (("agent", "done"), ("you", "now the tests"))
    write(path, lines("a", *more, begin=3), append=True)
    seen: list[str] = []
    report = update(index, logs, redact=lambda text: seen.append(text) or text)
    assert report.grown == 1
    assert "use tabs here" not in seen
    assert [turn.text for turn in index.turns("claude-code:a")][-2:] == ["done", "now the tests"]
    assert index.sessions()[0].human_turns == 3


@pytest.mark.hostile("L1")
def test_a_cut_last_line_waits_for_more(
    index: Index, open_index: OpenIndex, logs: Path, tmp_path: Path
) -> None:
    path = write(logs / "a.jsonl", lines("a", *TALK))
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    update(index, logs)
    assert human(index) == 1
    path.write_bytes(whole)
    update(index, logs)
    assert human(index) == 2
    assert snapshot(index) == fresh(open_index, tmp_path, logs)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(cuts=st.lists(st.integers(min_value=0, max_value=2000), max_size=4))
def test_growing_by_any_steps_ends_like_one_read(
    open_index: OpenIndex, tmp_path: Path, cuts: list[int]
) -> None:
    folder = tmp_path / uuid.uuid4().hex
    talk = [("you" if n % 3 else "agent", f"words number {n}") for n in range(6)]
    path = write(folder / "logs" / "a.jsonl", lines("a", *talk))
    whole = path.read_bytes()
    with open_index(folder / "home" / "index.db") as index:
        for cut in [*sorted(min(cut, len(whole)) for cut in cuts), len(whole)]:
            path.write_bytes(whole[:cut])
            update(index, folder / "logs")
        assert snapshot(index) == fresh(open_index, folder, folder / "logs")
        assert _full_text_is_whole(index)


@pytest.mark.hostile("L7")
def test_a_replaced_log_replaces_its_session(
    index: Index, open_index: OpenIndex, logs: Path, tmp_path: Path
) -> None:
    path = write(logs / "a.jsonl", lines("a", *TALK))
    update(index, logs)
    path.unlink()
    write(path, lines("b", ("you", "something else entirely"), ("agent", "fine")))
    report = update(index, logs)
    assert report.replaced == 1
    assert [row.key for row in index.sessions()] == ["claude-code:b"]
    assert index.search("tabs") == []
    assert snapshot(index) == fresh(open_index, tmp_path, logs)


@pytest.mark.hostile("L7")
def test_a_shrunk_log_is_read_anew(
    index: Index, open_index: OpenIndex, logs: Path, tmp_path: Path
) -> None:
    path = write(logs / "a.jsonl", lines("a", *TALK))
    update(index, logs)
    write(path, lines("a", *TALK[:2]))
    update(index, logs)
    assert human(index) == 1
    assert snapshot(index) == fresh(open_index, tmp_path, logs)


@pytest.mark.hostile("L7")
def test_an_edit_in_place_with_an_older_mtime_is_noticed(index: Index, logs: Path) -> None:
    path = write(logs / "a.jsonl", lines("a", *TALK))
    update(index, logs)
    path.write_bytes(path.read_bytes().replace(b"no, tabs", b"no, dots"))
    os.utime(path, (1, 1))
    assert update(index, logs).replaced == 1
    assert len(index.search("dots")) == 1


@pytest.mark.hostile("L7")
def test_a_moved_log_keeps_its_session_unread(index: Index, logs: Path) -> None:
    path = write(logs / "old" / "a.jsonl", lines("a", *TALK))
    update(index, logs)
    before = snapshot(index)
    (logs / "new").mkdir()
    target = path.rename(logs / "new" / "a.jsonl")
    report = update(index, logs, redact=_never)
    assert report.moved == 1
    assert snapshot(index) == before
    assert index.sessions()[0].path == str(target)


def test_a_log_that_moved_and_grew_stays_one_session(index: Index, logs: Path) -> None:
    path = write(logs / "old" / "a.jsonl", lines("a", *TALK))
    update(index, logs)
    (logs / "new").mkdir()
    target = path.rename(logs / "new" / "a.jsonl")
    write(target, lines("a", ("you", "and more"), begin=3), append=True)
    update(index, logs)
    (row,) = index.sessions()
    assert (row.key, row.human_turns, row.path) == ("claude-code:a", 3, str(target))


@pytest.mark.hostile("L7")
def test_a_copied_log_counts_once(index: Index, logs: Path) -> None:
    path = write(logs / "a.jsonl", lines("a", *TALK))
    update(index, logs)
    shutil.copy(path, logs / "backup.jsonl")
    report = update(index, logs, redact=_never)
    assert report.copies == 1
    assert human(index) == 2
    assert len(index.search("tabs please")) == 1


def test_the_longer_of_two_copies_is_the_session(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))
    write(logs / "b.jsonl", lines("a", *TALK, ("you", "one more")))
    update(index, logs)
    (row,) = index.sessions()
    assert (row.human_turns, row.path) == (3, str(logs / "b.jsonl"))


def test_a_session_stays_when_its_log_is_gone(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))
    update(index, logs)
    (logs / "a.jsonl").unlink()
    update(index, logs)
    assert human(index) == 2


@pytest.mark.hostile("L8")
def test_two_stories_under_one_session_id_are_both_kept(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("same", *TALK))
    write(logs / "b.jsonl", lines("same", ("you", "another story"), ("agent", "yes"), day=1))
    update(index, logs)
    keys = [row.key for row in index.sessions()]
    assert len(keys) == 2
    assert keys[0] == "claude-code:same"
    assert keys[1].startswith("claude-code:same~")
    assert human(index) == 3
    before = snapshot(index)
    write(logs / "b.jsonl", lines("same", ("you", "goes on"), begin=2, day=1), append=True)
    update(index, logs)
    assert [row.key for row in index.sessions()] == keys
    assert snapshot(index) != before


@pytest.mark.hostile("L8")
def test_a_session_id_is_a_name_and_never_a_path(index: Index, logs: Path, tmp_path: Path) -> None:
    write(logs / "a.jsonl", lines("../../escape", *TALK))
    update(index, logs)
    assert [row.session_id for row in index.sessions()] == ["../../escape"]
    assert not (tmp_path / "escape").exists()


@pytest.mark.hostile("L8")
def test_one_uuid_for_two_different_words_is_not_a_copy(index: Index, logs: Path) -> None:
    first = lines("a", ("you", "keep this"))
    second = lines("b", ("you", "and this"))
    second[0]["uuid"] = first[0]["uuid"]
    write(logs / "a.jsonl", first)
    write(logs / "b.jsonl", second)
    update(index, logs)
    assert human(index) == 2


@pytest.mark.hostile("L9")
def test_the_history_a_fork_begins_with_counts_once(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))
    fork = [record | {"sessionId": "b"} for record in lines("a", *TALK)]
    write(logs / "b.jsonl", [*fork, *lines("b", ("you", "go another way"), begin=3)])
    update(index, logs)
    assert {row.key: row.human_turns for row in index.sessions()} == {
        "claude-code:a": 2,
        "claude-code:b": 1,
    }
    assert [turn.copied for turn in index.turns("claude-code:b")] == [True, True, True, False]
    assert len(index.search("tabs please")) == 1


@pytest.mark.hostile("L9")
def test_a_less_sure_copy_does_not_take_the_place_of_the_original(index: Index, logs: Path) -> None:
    fork = {"sessionId": "b", "forkedFrom": {"sessionId": "z"}}
    write(logs / "a-fork.jsonl", [record | fork for record in lines("z", *TALK)])
    write(logs / "z.jsonl", lines("z", *TALK))
    update(index, logs)
    told = [turn for turn in index.turns("claude-code:z") if turn.role == "human"]
    assert [(turn.typed, turn.copied) for turn in told] == [("typed", False)] * 2


@pytest.mark.hostile("L9")
def test_a_fork_told_with_new_times_counts_once(index: Index, logs: Path) -> None:
    def rollout(
        session: str, times: list[str], said: list[str], **more: str
    ) -> list[dict[str, Any]]:
        meta = {"id": session, "cwd": "/w/app", "cli_version": "0.140.0", "source": "cli", **more}
        return [
            {"timestamp": times[0], "type": "session_meta", "payload": meta},
            *(
                {
                    "timestamp": at,
                    "type": "event_msg",
                    "payload": {"type": "user_message", "message": text},
                }
                for at, text in zip(times, said, strict=True)
            ),
        ]

    old = ["2026-09-01T10:00:00.000Z", "2026-09-01T10:05:00.000Z"]
    new = ["2026-09-02T10:00:00.000Z", "2026-09-02T10:00:00.001Z", "2026-09-02T10:01:00.000Z"]
    write(logs / "rollout-1.jsonl", rollout("p", old, ["first", "second"]))
    forked = rollout("q", new, ["first", "second", "third"], forked_from_id="p")
    write(logs / "rollout-2.jsonl", forked)
    update(index, logs)
    assert {row.session_id: row.human_turns for row in index.sessions()} == {"p": 2, "q": 1}


@pytest.mark.hostile("L9")
def test_a_parent_that_is_its_own_child_ends_no_run(index: Index, logs: Path) -> None:
    records = lines("a", *TALK)
    records[0]["parentUuid"] = records[2]["uuid"]
    write(logs / "a.jsonl", records)
    update(index, logs)
    assert human(index) == 2


def test_when_the_first_teller_goes_the_copy_counts(index: Index, logs: Path) -> None:
    path = write(logs / "a.jsonl", lines("a", *TALK))
    write(logs / "b.jsonl", [record | {"sessionId": "b"} for record in lines("a", *TALK)])
    update(index, logs)
    assert index.session("claude-code:b").human_turns == 0
    path.unlink()
    write(path, lines("c", ("you", "unrelated")))
    update(index, logs)
    assert index.session("claude-code:b").human_turns == 2
    assert len(index.search("tabs please")) == 1
    assert _full_text_is_whole(index)


@pytest.mark.hostile("L10")
@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("0000-00-00T00:00:00.000Z", ""),
        ("not a time", ""),
        ("2026-09-01T10:00:00", "2026-09-01T10:00:00.000Z"),
        ("2026-09-01T12:00:00+02:00", "2026-09-01T10:00:00.000Z"),
        ("2999-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"),
        ("0001-01-01T00:00:00+14:00", ""),
    ],
)
def test_strange_times_neither_stop_nor_sort_wrongly(
    index: Index, logs: Path, written: str, stored: str
) -> None:
    records = lines("a", *TALK)
    records[2]["timestamp"] = written
    write(logs / "a.jsonl", records)
    update(index, logs)
    assert index.turns("claude-code:a")[2].at == stored
    assert human(index) == 2


@pytest.mark.hostile("L10")
def test_lines_out_of_order_give_the_right_span(index: Index, logs: Path) -> None:
    records = lines("a", *TALK)
    records[0]["timestamp"], records[2]["timestamp"] = (
        records[2]["timestamp"],
        records[0]["timestamp"],
    )
    write(logs / "a.jsonl", records)
    update(index, logs)
    (row,) = index.sessions()
    assert (row.started[11:19], row.ended[11:19]) == ("10:00:00", "10:00:02")


def test_everything_stored_and_shown_to_a_visitor_is_redacted(index: Index, logs: Path) -> None:
    secret = "hunter2-hunter2"
    records = lines("a", ("you", f"the key is {secret}"), ("error", f"denied: {secret}"))
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": f"x {secret}"}}
    records.append(
        lines("a", ("agent", ""), begin=2)[0]
        | {"message": {"role": "assistant", "content": [call]}}
    )
    write(logs / "a.jsonl", records)
    reads: list[SessionRead] = []
    update(index, logs, redact=lambda t: t.replace(secret, "[gone]"), visit=told(reads))
    assert secret not in repr(reads)
    stored = [index.database.query(f"SELECT * FROM {name}") for name in tables(INDEX)]
    assert secret not in repr(stored)
    assert len(index.search("gone")) >= 2


def test_a_secret_is_not_cut_in_two_before_it_is_redacted(index: Index, logs: Path) -> None:
    secret = "hunter2-hunter2"
    write(logs / "a.jsonl", lines("a", ("agent", "x" * 7_993 + secret + "y" * 500)))
    update(index, logs, redact=lambda text: text.replace(secret, "[gone]"))
    assert "hunter2" not in index.turns("claude-code:a")[0].text


def test_a_visitor_sees_whole_sessions_once(index: Index, logs: Path) -> None:
    path = write(logs / "a.jsonl", lines("a", *TALK))
    reads: list[SessionRead] = []
    update(index, logs, visit=told(reads))
    update(index, logs, visit=told(reads))
    assert [(read.key, len(read.turns), read.grown) for read in reads] == [
        ("claude-code:a", 3, False)
    ]
    write(path, lines("a", ("you", "more"), begin=3), append=True)
    update(index, logs, visit=told(reads))
    assert (len(reads[1].turns), reads[1].grown) == (4, True)


def test_what_was_only_listed_is_still_new_to_a_visitor(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))
    update(index, logs)
    reads: list[SessionRead] = []
    update(index, logs, visit=told(reads))
    assert [read.key for read in reads] == ["claude-code:a"]
    assert human(index) == 2


def test_a_visitor_is_told_what_a_fork_copied(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))
    fork = [record | {"sessionId": "b"} for record in lines("a", *TALK)]
    write(logs / "b.jsonl", [*fork, *lines("b", ("you", "go another way"), begin=3)])
    seen: list[SessionRead] = []
    update(index, logs, visit=told(seen))
    reads = {read.key: read for read in seen}
    assert reads["claude-code:a"].copied == frozenset()
    assert reads["claude-code:b"].copied == frozenset({0, 1, 2})


def test_a_session_a_visitor_fails_at_is_stored_and_new_to_the_next_visitor(
    index: Index, logs: Path
) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))
    write(logs / "b.jsonl", lines("b", ("you", "a story of its own"), day=1))
    seen: list[str] = []

    def fail() -> None:
        index.database.query("INSERT INTO facts (name, value) VALUES ('half', 'done')")
        raise RuntimeError("no")

    def now(read: SessionRead) -> Callable[[], None]:
        if read.head.session_id == "a":
            raise RuntimeError("no")
        return lambda: seen.append(read.key)

    def later(read: SessionRead) -> Callable[[], None]:
        return fail if read.head.session_id == "a" else lambda: seen.append(read.key)

    for visit in (now, later):
        report = update(index, logs, visit=visit)
        (aside,) = report.aside
        assert (aside.session, aside.step) == ("claude-code:a", "judging")
        assert aside.reason == "RuntimeError: no"
        assert {row.key for row in index.sessions()} == {"claude-code:a", "claude-code:b"}
        assert index.database.query("SELECT 1 FROM facts WHERE name = 'half'") == []
        assert asides(index.database) == [aside]
    assert seen == ["claude-code:b"]

    def visit(read: SessionRead) -> Callable[[], None]:
        return lambda: seen.append(read.key)

    assert update(index, logs, visit=visit).aside == []
    assert seen == ["claude-code:b", "claude-code:a"]
    assert asides(index.database) == []


def test_a_visitor_stopped_by_what_concerns_the_home_leaves_nothing_behind(
    index: Index, logs: Path
) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))

    def fail(*_: object) -> Any:
        raise LeaseHeld("another process learns")

    for visit in (fail, lambda _read: fail):
        with pytest.raises(LeaseHeld):
            update(index, logs, visit=visit)
        assert index.sessions() == []
    assert update(index, logs).new == 1


def test_a_visitor_holds_up_no_other_writer(
    index: Index, open_index: OpenIndex, logs: Path
) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))
    write(logs / "b.jsonl", lines("b", ("you", "a story of its own"), day=1))
    other = open_index(index.path)
    seen: list[str] = []

    def visit(read: SessionRead) -> Callable[[], None]:
        seen.append(read.key)
        if len(seen) == 1:
            update(other, logs)
        return lambda: None

    update(index, logs, visit=visit)
    # What was judged on an index that has changed since is judged again, before it is stored.
    assert seen == ["claude-code:a", "claude-code:b"] * 2
    assert human(index) == 3
    assert update(index, logs, visit=visit).unchanged == 2


def test_what_a_visitor_keeps_is_stored_with_the_session(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))
    inside: list[list[str]] = []

    def visit(_read: SessionRead) -> Callable[[], None]:
        inside.append([row.key for row in index.sessions()])
        return lambda: inside.append([row.key for row in index.sessions()])

    update(index, logs, visit=visit)
    assert inside == [[], ["claude-code:a"]]


def test_ignored_projects_paths_and_turns_are_not_stored(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))
    write(logs / "b.jsonl", lines("b", ("you", "private matters"), cwd="/w/secret"))
    write(logs / "c.jsonl", lines("c", ("you", "journal: dear diary"), ("you", "work"), day=2))
    update(index, logs)
    assert len(index.sessions()) == 3
    privacy = Privacy(ignore_projects=("secret",), ignore_turns=("^journal:",))
    report = update(index, logs, policy=Ignored.load(privacy))
    assert report.ignored == 1
    assert {row.session_id: row.human_turns for row in index.sessions()} == {"a": 2, "c": 1}
    assert index.search("diary") == index.search("private") == []
    update(index, logs, policy=Ignored.load(Privacy(ignore_paths=("/w/*",))))
    assert index.sessions() == []
    update(index, logs)
    assert len(index.sessions()) == 3


def test_words_typed_along_with_an_approval_are_found(index: Index, logs: Path) -> None:
    allowed = result("t1", "ok")
    allowed["message"]["content"].append({"type": "text", "text": "remember the pagination"})
    written(logs, claude(prompt("list them"), call("Bash", "t1", command="ls"), allowed))
    update(index, logs)
    (hit,) = index.search("pagination")
    assert (hit.role, hit.line) == ("human", 2)


def test_search_takes_any_string(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))
    update(index, logs)
    for words in ('"', "a OR", "NEAR(", "tabs*", "-tabs", "^", "col:tabs", "'; DROP", "\0", "é"):
        index.search(words)
    assert len(index.search('tabs "no, tabs')) >= 1
    terms = query_terms('say "two words" now OR')
    assert [term.words for term in terms] == ["two words", "say", "now", "OR"]


@given(st.text())
def test_no_text_is_an_operator(words: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (text)")
    for term in query_terms(words):
        connection.execute("SELECT 1 FROM t WHERE t MATCH ?", (fts5([term]),)).fetchall()
    connection.close()


def test_search_filters_and_falls_back_to_any_word(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", ("you", "the parser is slow")))
    write(logs / "b.jsonl", lines("b", ("you", "the printer is slow"), cwd="/w/other", day=3))
    update(index, logs)
    assert {hit.session for hit in index.search("slow")} == {"claude-code:a", "claude-code:b"}
    assert [hit.session for hit in index.search("slow", project="other")] == ["claude-code:b"]
    assert [hit.session for hit in index.search("slow", until="2026-09-02")] == ["claude-code:a"]
    assert [hit.session for hit in index.search("parser unheard-of")] == ["claude-code:a"]
    assert "parser" in index.search("parsers")[0].snippet


def test_what_is_written_without_spaces_is_found_as_well(index: Index, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", ("you", "本番データベースには git で書き込まないで")))
    write(logs / "b.jsonl", lines("b", ("you", "テスト用のデータを git に入れて")))
    update(index, logs)
    assert [hit.session for hit in index.search("データベース")] == ["claude-code:a"]
    assert {hit.session for hit in index.search("データ git")} == {"claude-code:a", "claude-code:b"}
    assert [hit.session for hit in index.search("git 書く")] == ["claude-code:a"]
    assert [hit.session for hit in index.search('"用のデータ"')] == ["claude-code:b"]
    assert "データベース" in index.search("データベース")[0].snippet
    assert index.search("認証") == []
    index.remove_session("claude-code:a")
    assert [hit.session for hit in index.search("データ")] == ["claude-code:b"]


def test_a_session_is_named_by_an_unambiguous_beginning(index: Index, logs: Path) -> None:
    for session in ("abc-1", "abc-2", "x%"):
        write(logs / f"{session}.jsonl", lines(session, ("you", session)))
    update(index, logs)
    assert index.session("abc-1").key == index.session("claude-code:abc-1").key
    assert index.session("x%").session_id == "x%"
    with pytest.raises(Ambiguous):
        index.session("abc")
    for missing in ("nothing", "%", ""):
        with pytest.raises(NotFound):
            index.session(missing)


def test_a_file_that_is_no_database_is_said_and_not_touched(file: Path) -> None:
    file.write_bytes(b"this is not a database, but somebody's text" * 100)
    before = file.read_bytes()
    with pytest.raises(StoreDamaged) as raised:
        Index.open(file)
    assert "reindex" in (raised.value.hint or "")
    assert file.read_bytes() == before


def test_a_lock_is_never_taken_for_damage(file: Path, logs: Path) -> None:
    write(logs / "a.jsonl", lines("a", *TALK))
    with Index.open(file) as first, Index.open(file) as second, second.database.held():
        second.database.query("PRAGMA busy_timeout = 1")
        with first.atomic(), pytest.raises(Busy):
            update(second, logs)
        assert update(second, logs).new == 1


def test_a_full_disk_ends_in_an_error_and_no_half_session(file: Path, logs: Path) -> None:
    long = [("you", f"{number} " * 5_000) for number in range(30)]
    write(logs / "a.jsonl", lines("a", *long))
    with Index.open(file) as index, index.database.held():
        ((pages,),) = index.database.query("PRAGMA page_count")
        index.database.query(f"PRAGMA max_page_count = {pages + 20}")
        with pytest.raises(Unavailable):
            update(index, logs)
        assert index.sessions() == []
        index.database.query("PRAGMA max_page_count = 100000")
        assert update(index, logs).new == 1


def test_two_processes_at_once_count_everything_once(tmp_path: Path, logs: Path) -> None:
    for number in range(12):
        write(logs / f"{number}.jsonl", lines(f"s{number}", *TALK, day=number))
    script = (
        "import sys; from pathlib import Path; from reverie.sessions.index import Index;"
        "from reverie.sessions.logs.discover import logs_under;"
        "i = Index.open(Path(sys.argv[1]));"
        "i.update(logs_under(Path(sys.argv[2])), redact=str); i.close()"
    )
    file = tmp_path / "shared" / "index.db"
    command = [sys.executable, "-c", script, str(file), str(logs)]
    running = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(timeout=SECONDS) for process in running] == [0, 0]
    with Index.open(file) as index:
        assert human(index) == 24
        assert _full_text_is_whole(index)


def test_lone_surrogates_and_nul_are_stored_as_replacement(index: Index, logs: Path) -> None:
    path = logs / "a.jsonl"
    write(path, lines("a", *TALK, ("you", "MARK")))
    path.write_text(path.read_text().replace("MARK", "a\\ud800b\\u0000c"))
    update(index, logs)
    turn = index.turns("claude-code:a")[-1]
    assert turn.text[0] == "a"
    assert "\0" not in turn.text
    turn.text.encode()


def test_files_are_for_the_user_only(tmp_path: Path) -> None:
    with Index.open(tmp_path / "home" / ".reverie" / "index.db") as index:
        assert index.path.stat().st_mode & 0o077 == 0
        assert index.path.parent.stat().st_mode & 0o077 == 0


def told(reads: list[SessionRead]) -> Visitor:
    """A visitor that only looks."""

    def visit(read: SessionRead) -> Callable[[], None]:
        reads.append(read)
        return lambda: None

    return visit


def _never(_text: str) -> str:
    raise AssertionError("nothing should have been read")


def _full_text_is_whole(index: Index) -> bool:
    """The full text holds exactly the searchable turns."""
    words = "SELECT id FROM turns_fts_docsize ORDER BY id"
    if index.database.dialect == "postgresql":
        words = "SELECT id FROM turns WHERE words IS NOT NULL ORDER BY id"
    wanted = index.database.query(
        "SELECT id FROM turns WHERE searchable = 1 AND copied = 0 ORDER BY id"
    )
    return wanted == index.database.query(words)


def test_unreadable_files_are_named(index: Index, logs: Path) -> None:
    path = write(logs / "a.jsonl", lines("a", *TALK))
    from reverie.sessions.logs.discover import logs_under

    files = logs_under(logs)
    path.unlink()
    report = index.update(files, redact=unchanged)
    assert [(one.session, one.step) for one in report.aside] == [(str(path), "reading")]
