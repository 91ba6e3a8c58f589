"""Running a client: told on standard input, ended with all it started, and no recursion."""

import os
import signal
import sys
from pathlib import Path

import pytest
from tests.patience import SECONDS, eventually

from reverie.engines.process import NOTHING, Ran, find_program, run_client
from reverie.engines.protocol import only_json
from reverie.errors import CallFailed


def run_code(code: str, folder: Path, seconds: float = SECONDS, given: str = "") -> Ran:
    """Run Python in a client's place."""
    command = [sys.executable, "-c", f"import os, sys, time\n{code}"]
    return run_client("It", command, given, folder=folder, env={"SET": "yes"}, seconds=seconds)


def test_it_is_told_on_standard_input_and_knows_that_it_is_inside(tmp_path: Path) -> None:
    code = "print(sys.stdin.read(), os.environ['SET'], os.environ['REVERIE_INSIDE'], os.getcwd())"
    ran = run_code(code, tmp_path, given="a — b")
    assert (ran.code, ran.out.split()) == (0, ["a", "—", "b", "yes", "1", str(tmp_path)])


def test_one_that_does_not_listen_is_none_the_worse(tmp_path: Path) -> None:
    assert run_code("os.close(0); print('done')", tmp_path, given="x" * 1_000_000).out == "done\n"


@pytest.mark.hostile("R5")
def test_one_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    code = "child = os.fork()\nopen('pids', 'a').write(f'{os.getpid()} ')\ntime.sleep(10_000)"
    for pid in left_hanging(code, 2, tmp_path):
        assert eventually(lambda pid=pid: not Path(f"/proc/{pid}/cwd").exists())


@pytest.mark.hostile("R5")
def test_what_left_one_that_hangs_keeps_nobody_waiting(tmp_path: Path) -> None:
    code = """
if not os.fork():
    os.setsid()
    open("pids", "a").write(f"{os.getpid()} ")
time.sleep(10_000)
"""
    (pid,) = left_hanging(code, 1, tmp_path)
    os.kill(int(pid), signal.SIGKILL)


def left_hanging(code: str, processes: int, tmp_path: Path) -> list[str]:
    """Have a client ended that hangs; the processes that had put themselves down in `pids`."""
    pids = tmp_path / "pids"
    # On a slow machine a second may be over before the client has begun.
    for seconds in (1, 10, 100):
        pids.write_text("", encoding="utf-8")
        with pytest.raises(CallFailed, match="longer") as failed:
            run_code(code, tmp_path, seconds)
        assert failed.value.used is None
        if len(found := pids.read_text(encoding="utf-8").split()) == processes:
            return found
    raise AssertionError("no client ever began")


def test_a_missing_one_is_said_and_costs_nothing(tmp_path: Path) -> None:
    with pytest.raises(CallFailed, match="cannot be started") as failed:
        run_client("It", [str(tmp_path / "none")], "", folder=tmp_path, env={}, seconds=1)
    assert (failed.value.used, failed.value.whole) == (NOTHING, True)
    with pytest.raises(CallFailed, match="not on the PATH") as failed:
        find_program("claude", "It", {"PATH": str(tmp_path)})
    assert (failed.value.used, failed.value.whole) == (NOTHING, True)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ('{"lessons": []}', '{"lessons": []}'),
        ('Here it is:\n```json\n{"lessons": [{}]}\n```\n', '{"lessons": [{}]}'),
        ("I would rather not.", ""),
        ("", ""),
    ],
)
def test_json_is_found_in_what_models_put_around_it(said: str, found: str) -> None:
    assert only_json(said) == found
