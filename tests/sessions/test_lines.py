"""The byte-level reader: what it makes of every kind of dirty file."""

import json
import os
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from tests.sessions.logs import SESSION, as_bytes, claude, prompt, reply, spoken, written

from reverie.errors import Unavailable
from reverie.sessions.logs import lines as lines_module
from reverie.sessions.logs.lines import open_log
from reverie.sessions.model import Damage
from reverie.sessions.readers.agents import by_agent

FIRST, SECOND, THIRD = (
    as_bytes([line])[:-1]
    for line in claude(prompt("the first"), prompt("the second"), prompt("the third"))
)


def read(path: Path, data: bytes) -> tuple[list[str], Damage]:
    path.mkdir(exist_ok=True)
    file = path / f"{SESSION}.jsonl"
    file.write_bytes(data)
    transcript = by_agent("claude-code").open(file)
    return [text.removeprefix("prompt: ") for text in spoken(transcript.read())], transcript.damage


ALL = ["the first", "the second", "the third"]


@pytest.mark.hostile("L1")
def test_a_cut_last_line_waits_for_more(tmp_path: Path) -> None:
    file = tmp_path / f"{SESSION}.jsonl"
    file.write_bytes(FIRST + b"\n" + SECOND[:40])
    transcript = by_agent("claude-code").open(file)
    assert spoken(transcript.read()) == ["prompt: the first"]
    assert transcript.damage == Damage()
    assert transcript.end_offset == transcript.resume.offset == len(FIRST) + 1
    file.write_bytes(FIRST + b"\n" + SECOND + b"\n")
    later = by_agent("claude-code").open(file, transcript.resume)
    assert spoken(later.read()) == ["prompt: the second"]


@pytest.mark.hostile("L2")
def test_two_records_on_one_line_are_both_read(tmp_path: Path) -> None:
    found, damage = read(tmp_path, FIRST + SECOND + b"\n" + THIRD + b"\n")
    assert found == ALL
    assert damage == Damage(1, 0, {"glued records": 1})


@pytest.mark.hostile("L2")
@pytest.mark.parametrize("cut", [1, 30, 120, 200])
def test_half_a_record_and_a_whole_one_recover_the_second(cut: int, tmp_path: Path) -> None:
    found, damage = read(tmp_path, FIRST[:cut] + SECOND + b"\n" + THIRD + b"\n")
    assert found == ALL[1:]
    assert damage == Damage(1, cut, {"not JSON": 1})


@pytest.mark.hostile("L2")
def test_a_whole_record_and_half_of_the_next_keep_the_first(tmp_path: Path) -> None:
    found, damage = read(tmp_path, FIRST + SECOND[:100] + b"\n" + THIRD + b"\n")
    assert found == ["the first", "the third"]
    assert damage.bad_bytes == 100


@pytest.mark.hostile("L3")
@pytest.mark.parametrize("run", [200, 143_000])
@pytest.mark.parametrize("newline", [b"", b"\n"], ids=["same line", "own line"])
def test_a_run_of_nul_bytes_is_skipped_and_counted(
    run: int, newline: bytes, tmp_path: Path
) -> None:
    data = FIRST + b"\n" + b"\0" * run + newline + SECOND + b"\n" + THIRD + b"\n"
    found, damage = read(tmp_path, data)
    assert found == ALL
    assert damage == Damage(1, run, {"NUL bytes": 1})


@pytest.mark.hostile("L3")
@pytest.mark.parametrize("rest", [b"", b"]}}", b', {"more": 1}]}}'])
def test_a_record_behind_nul_bytes_may_be_part_of_another_one(rest: bytes, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(FIRST + b"\n" + b"\0" * 500 + SECOND + rest + b"\n" + THIRD + b"\n")
    said = [turn for turn in by_agent("claude-code").open(path) if turn.role == "human"]
    assert [turn.typed for turn in said] == ["typed", "probable", "typed"]


@pytest.mark.hostile("L3")
@pytest.mark.parametrize("rest", [b"]}}", b', {"more": 1}]}}', b"  , 4]"])
def test_a_record_at_the_start_of_a_line_may_be_the_end_of_another_one(
    rest: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(FIRST + b"\n" + SECOND + rest + b"\n" + THIRD + b"\n")
    said = [turn for turn in by_agent("claude-code").open(path) if turn.role == "human"]
    assert [turn.typed for turn in said] == ["typed", "probable", "typed"]


@pytest.mark.hostile("L3")
def test_nul_bytes_inside_a_record_cost_that_record(tmp_path: Path) -> None:
    hurt = SECOND.replace(b"the second", b"the\0\0\0\0\0nd")
    found, damage = read(tmp_path, FIRST + b"\n" + hurt + b"\n" + THIRD + b"\n")
    assert found == ["the first", "the third"]
    assert damage.reasons == {"NUL bytes": 1}


@pytest.mark.hostile("L4")
def test_a_byte_order_mark_and_windows_line_ends_are_nothing(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + FIRST + b"\r\n" + SECOND + b"\r\n\r\n" + THIRD + b"\r\n"
    found, damage = read(tmp_path, data)
    assert found == ALL
    assert damage == Damage()


@pytest.mark.hostile("L4")
def test_invalid_utf8_costs_its_record_and_is_counted(tmp_path: Path) -> None:
    hurt = SECOND.replace(b"the second", b"the \xff second")
    found, damage = read(tmp_path, FIRST + b"\n" + hurt + b"\n" + THIRD + b"\n")
    assert found == ["the first", "the third"]
    assert damage.reasons == {"not UTF-8": 1}


@pytest.mark.hostile("L4")
@pytest.mark.parametrize("data", [b"", b"\n\n", (FIRST + b"\n").decode().encode("utf-16")])
def test_an_empty_file_and_another_encoding_give_nothing(data: bytes, tmp_path: Path) -> None:
    found, _ = read(tmp_path, data)
    assert found == []


@pytest.mark.hostile("U4")
def test_lone_surrogates_are_replaced(tmp_path: Path) -> None:
    hurt = SECOND.replace(b"the second", b"the \\ud800 second")
    found, _ = read(tmp_path, FIRST + b"\n" + hurt + b"\n" + THIRD + b"\n")
    assert found == ["the first", "the � second", "the third"]
    assert "".join(found).encode()


SHAPES = {
    "list": b"[1,2]",
    "number": b"7",
    "null": b"null",
    "text": b'"text"',
    "no type": b'{"a":1}',
    "type is a number": b'{"type":1}',
    "unknown type": b'{"type":"from-the-future","x":[{}]}',
    "message is a list": b'{"type":"user","message":[1]}',
    "content is a number": b'{"type":"user","message":{"content":5}}',
    "huge integer": b'{"type":"user","x":' + b"9" * 6_000 + b"}",
    "huge integer as input": b'{"type":"assistant","message":{"content":[{"type":"tool_use",'
    + b'"input":{"x":'
    + b"9" * 6_000
    + b"}}]}}",
    "not a number": b'{"type":"user","x":NaN}',
    "same key twice": b'{"type":"user","type":"user"}',
    "deep lists": b'{"type":"user","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep and broken": b'{"a":' * 100_000,
    "many starts": b'{"' * 100_000,
}


@pytest.mark.hostile("L5")
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_valid_json_of_the_wrong_shape_costs_nothing_else(shape: bytes, tmp_path: Path) -> None:
    found, _ = read(tmp_path, FIRST + b"\n" + shape + b"\n" + SECOND + b"\n" + THIRD + b"\n")
    assert found == ALL


@pytest.mark.hostile("L5")
def test_what_is_not_a_record_is_counted(tmp_path: Path) -> None:
    data = FIRST + b"\n[1]\n" + SHAPES["deep lists"] + b"\nhello\n" + SECOND + b"\n"
    _, damage = read(tmp_path, data)
    wrong = {"nested too deep": 1, "not JSON": 1, "not a record": 1}
    if sys.version_info >= (3, 14) and damage.bad_lines == 2:
        # From there on the size of the stack decides, and such a record may be read.
        del wrong["nested too deep"]
    assert damage.reasons == wrong
    assert damage.bad_lines == len(wrong)


@pytest.mark.hostile("L6")
def test_a_line_that_is_too_long_is_counted_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_module, "MAX_LINE", 5_000)
    long = as_bytes(claude(prompt("x" * 9_000)))
    found, damage = read(tmp_path, FIRST + b"\n" + long + SECOND + b"\n" + THIRD + b"\n")
    assert found == ALL
    assert damage == Damage(1, len(long), {"too long": 1})


def peak_of_reading(path: Path) -> tuple[int, int]:
    """Turns of a log and the most memory that was in use at once."""
    tracemalloc.start()
    try:
        count = sum(1 for _ in by_agent("claude-code").open(path))
        return count, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.hostile("L6")
def test_memory_stays_bounded_when_one_line_has_500_megabytes(tmp_path: Path) -> None:
    path = tmp_path / f"{SESSION}.jsonl"
    with open(path, "wb") as file:
        file.write(FIRST + b"\n" + b'{"type":"user","x":"')
        file.seek(500_000_000, os.SEEK_CUR)  # a hole: 500 MB that cost no disk
        file.write(b'"}\n' + SECOND + b"\n")
    count, peak = peak_of_reading(path)
    assert count == 2
    assert peak < 2 * lines_module.MAX_LINE + 8_000_000


@pytest.mark.hostile("L6")
def test_turns_of_a_long_file_stream(tmp_path: Path) -> None:
    path = written(tmp_path, claude(*(reply("x" * 10_000) for _ in range(2_000))))
    count, peak = peak_of_reading(path)
    assert count == 2_000
    assert peak < 12_000_000 < path.stat().st_size


@pytest.mark.hostile("S2")
def test_a_fifo_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.jsonl")
    with pytest.raises(Unavailable, match="not a regular file"), open_log(tmp_path / "x.jsonl"):
        pass


@pytest.mark.hostile("L4")
def test_a_folder_named_like_a_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").mkdir()
    with pytest.raises(Unavailable), open_log(tmp_path / "x.jsonl"):
        pass


def test_a_log_is_never_changed(tmp_path: Path) -> None:
    path = written(tmp_path, claude(prompt("hello")))
    path.chmod(0o400)
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    by_agent("claude-code").open(path).read()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_a_nested_record_look_alike_is_not_taken_for_one(tmp_path: Path) -> None:
    """The prompt of a subagent inside a progress line that lost its beginning or its end."""
    nested: dict[str, Any] = {
        "type": "user",
        "message": {"role": "user", "content": "Explore the code"},
        "uuid": "n-1",
        "timestamp": "2026-02-01T10:00:00.000Z",
    }
    (line,) = claude({"type": "progress", "data": {"message": nested, "type": "agent_progress"}})
    whole = as_bytes([line])[:-1]
    end = whole.index(json.dumps(nested, separators=(",", ":")).encode()) + len(
        json.dumps(nested, separators=(",", ":"))
    )
    for data in (whole[5:], whole[:end], whole[:end] + FIRST):
        found, _ = read(tmp_path, data + b"\n" + SECOND + b"\n")
        assert "Explore the code" not in found
        assert found[-1] == "the second"
