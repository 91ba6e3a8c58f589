"""Kept copies: redacted, compressed, line for line, and enough to rebuild the index from."""

import json
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sessions.worklogs import lines, snapshot, unchanged, update, write

from reverie.privacy import Redactor
from reverie.sessions.index import Index
from reverie.sessions.logs.ahead import read_log
from reverie.sessions.logs.discover import logs_under
from reverie.sessions.logs.kept import (
    copy_path,
    deletion_days,
    drop,
    is_current,
    keep,
    redacted_line,
    rescues,
)
from reverie.sessions.logs.lines import open_log

SECRET = "hunter2-hunter2"
TALK = (("you", f"the key is {SECRET}"), ("agent", "noted"), ("you", "now run it"))


def hide(text: str) -> str:
    return text.replace(SECRET, "[gone]")


def content(path: Path) -> bytes:
    with open_log(path) as stream:
        return stream.read()


@pytest.mark.proves("F6")
def test_a_copy_has_every_line_and_no_secret(tmp_path: Path) -> None:
    path = write(tmp_path / "logs" / "-w-app" / "a.jsonl", lines("a", *TALK))
    with path.open("ab") as file:
        file.write(b'{"broken": \n\n\x00\x00\xff' + SECRET.encode() + b'\n{"cut')
    (log,) = logs_under(tmp_path / "logs")
    copy = copy_path(tmp_path / "kept", log)
    keep(log, copy, hide)
    kept = content(copy)
    assert SECRET.encode() not in kept
    assert kept.count(b"\n") == path.read_bytes().count(b"\n")
    assert copy.suffix == ".zst"
    assert SECRET.encode() in path.read_bytes(), "the log itself is never changed"
    for place in (copy, *copy.parents):
        if place.is_relative_to(tmp_path / "kept"):
            assert place.stat().st_mode & 0o077 == 0


@pytest.mark.proves("F6")
def test_the_index_is_rebuilt_from_kept_copies_alone(tmp_path: Path) -> None:
    logs, kept = tmp_path / "logs", tmp_path / "home" / "kept"
    write(logs / "-w-app" / "a.jsonl", lines("a", *TALK))
    write(logs / "-w-app" / "b.jsonl", lines("b", ("you", "another"), ("error", "failed"), day=1))
    with Index.open(tmp_path / "before" / "index.db") as index:
        update(index, logs, redact=hide)
        before = snapshot(index)
    for log in logs_under(logs):
        keep(log, copy_path(kept, log), hide)
    shutil.rmtree(logs)
    with Index.open(tmp_path / "home" / "index.db") as index:
        update(index, kept, redact=hide)
        assert snapshot(index) == before


def test_a_copy_beside_its_log_counts_once_and_takes_over_when_the_log_goes(tmp_path: Path) -> None:
    logs, home = tmp_path / "logs", tmp_path / "home"
    path = write(logs / "a.jsonl", lines("a", *TALK))
    (log,) = logs_under(logs)
    copy = copy_path(home / "kept", log)
    keep(log, copy, hide)
    with Index.open(home / "index.db") as index:
        both = [*logs_under(home / "kept"), *logs_under(logs)]
        index.update(both, redact=hide)
        (row,) = index.sessions()
        assert (row.path, row.human_turns) == (str(path), 2)
        path.unlink()
        index.forget_files()
        index.update(logs_under(home / "kept"), redact=hide)
        (row,) = index.sessions()
        assert (row.path, row.human_turns) == (str(copy), 2)


def test_a_copy_is_made_again_when_the_log_goes_on(tmp_path: Path) -> None:
    path = write(tmp_path / "logs" / "a.jsonl", lines("a", *TALK))
    (log,) = logs_under(tmp_path / "logs")
    copy = copy_path(tmp_path / "kept", log)
    assert not is_current(copy, log)
    keep(log, copy, unchanged)
    assert is_current(copy, log)
    write(path, lines("a", ("you", "more"), begin=3), append=True)
    os.utime(path, ns=(log.mtime_ns + 1, log.mtime_ns + 1))
    (grown,) = logs_under(tmp_path / "logs")
    assert not is_current(copy, grown)
    keep(grown, copy, unchanged)
    assert content(copy).count(b"\n") == 4
    assert [p.name for p in copy.parent.iterdir()] == ["a.jsonl.zst"]


@pytest.mark.proves("F6")
def test_the_most_urgent_log_comes_first(tmp_path: Path) -> None:
    now = datetime(2026, 11, 15, tzinfo=UTC)
    for name, age in (("young", 2), ("old", 27), ("due", 40)):
        path = write(tmp_path / "logs" / f"{name}.jsonl", lines(name, *TALK))
        stamp = (now - timedelta(days=age)).timestamp()
        os.utime(path, (stamp, stamp))
    found = rescues(logs_under(tmp_path / "logs"), tmp_path / "kept", {"HOME": str(tmp_path)})
    assert [(r.log.path.stem, r.days_left(now)) for r in found] == [
        ("due", 0),
        ("old", 3),
        ("young", 28),
    ]


def test_the_users_own_cleanup_period_counts(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    assert deletion_days("codex", env) is None
    assert deletion_days("claude-code", env) == 30
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    for written, days in (('{"cleanupPeriodDays": 90}', 90), ("{", 30), ("[]", 30)):
        settings.write_text(written)
        assert deletion_days("claude-code", env) == days
    env["CLAUDE_CONFIG_DIR"] = str(tmp_path / "other")
    assert deletion_days("claude-code", env) == 30


def test_drop_deletes_copies_and_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path / "logs" / "deep" / "a.jsonl", lines("a", *TALK))
    (log,) = logs_under(tmp_path / "logs")
    kept = tmp_path / "kept"
    copy = copy_path(kept, log)
    keep(log, copy, unchanged)
    assert drop([path, copy, kept / "missing"], kept) == 1
    assert path.exists()
    assert list(kept.iterdir()) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(JSON)
def test_a_line_without_secrets_stays_the_same_value(value: object) -> None:
    kept = redacted_line(json.dumps(value).encode() + b"\n", unchanged)
    assert json.loads(kept) == value


@given(st.binary())
def test_any_bytes_stay_one_line(data: bytes) -> None:
    line = data.replace(b"\n", b"") + b"\n"
    assert redacted_line(line, lambda text: f"{text}\n").count(b"\n") == 1


@pytest.mark.proves("F6")
def test_what_one_line_says_of_another_is_known_in_copies_and_in_the_index(tmp_path: Path) -> None:
    """A command names the secret, its result is nothing but that; a question, and its answer."""
    word, token = "bupagipire", "hK7wQz31LmPv9Tx4"
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pass show a/db"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": token}
    path = write(
        tmp_path / "logs" / "-w-app" / "a.jsonl", lines("a", ("agent", "What is the password?"))
    )
    with path.open("a") as file:
        for role, said in (("user", word), ("assistant", [call]), ("user", [result])):
            record = {"type": role, "sessionId": "a", "message": {"role": role, "content": said}}
            if isinstance(said, str):
                record |= {"origin": {"kind": "human"}, "promptSource": "typed"}
            record |= {"uuid": f"u-{role}-{len(str(said))}", "timestamp": "2026-09-01T10:00:00Z"}
            file.write(json.dumps(record) + "\n")
    (log,) = logs_under(tmp_path / "logs")
    copy = copy_path(tmp_path / "kept", log)
    keep(log, copy, Redactor(b"k" * 32).redact)
    assert word.encode() not in content(copy)
    assert token.encode() not in content(copy)
    reading = read_log(log, None, Redactor(b"k" * 32).redact, None)
    assert not any(word in turn.text or token in turn.text for turn in reading.turns)
    assert len(reading.turns) >= 4
