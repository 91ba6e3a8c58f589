"""Home folders of whoever worked there are not told."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.learn.scripts import FIXTURES
from tests.sessions.logs import call, claude, prompt, reply, result, written

from reverie.cli.root import run
from reverie.learn.traffic.failures import failure_of
from reverie.learn.traffic.homes import tilde
from reverie.memory import Memory

NAME = "somebody"
LINES = (FIXTURES / "homes.txt").read_text(encoding="utf-8").split("\n\n", 1)[1].splitlines()
CASES = list(zip(LINES[::2], [line.removeprefix("-> ") for line in LINES[1::2]], strict=True))


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_home_folder_is_told_as_a_tilde(text: str, expected: str) -> None:
    assert tilde(text) == expected


@given(st.text())
def test_levelling_twice_is_levelling_once(text: str) -> None:
    assert tilde(tilde(text)) == tilde(text)


@given(st.from_regex(r"[a-z]{3,12}", fullmatch=True), st.sampled_from(["/", "\\"]))
def test_the_name_is_in_neither_message_nor_signature(name: str, slash: str) -> None:
    root = f"/home/{name}" if slash == "/" else f"C:\\Users\\{name} {name}"
    path = f"{root}{slash}q1{slash}q2.q3"
    failure = failure_of("qq", f"error: cannot open {path}")
    assert name not in failure.message.replace("cannot open", "").replace("error", "")
    assert failure.signature == "qq: error: cannot open PATH"


def test_lessons_and_diaries_name_nobodys_home_and_quotes_stay_verbatim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = f"From now on always put builds below /Users/{NAME}/out/builds."
    log = claude(
        prompt(f"Please build it, the error is in /Users/{NAME}/app/log.txt."),
        reply(f"I'll look at /Users/{NAME}/app/log.txt first."),
        call("Bash", "t1", command=f"make -C /home/{NAME}/app"),
        result("t1", f"Exit code 2\nfatal: /home/{NAME}/app/log.txt: No such file", failed=True),
        call("Bash", "t2", command=f"ls /home/{NAME}/app"),
        result("t2", "README"),
        reply("There is no log."),
        prompt(rule),
    )
    (tmp_path / "app").mkdir()
    monkeypatch.chdir(tmp_path / "app")
    written(tmp_path / "logs", [{**line, "cwd": str(tmp_path / "app")} for line in log])
    assert run(["learn", "--logs", str(tmp_path / "logs")]) == 0
    opened = Memory.open()
    texts = {memory.path: memory.content for memory in opened.store.walk("app")}
    opened.close()
    capsys.readouterr()
    (diary,) = (text for path, text in texts.items() if path.startswith("/diary/"))
    assert NAME not in diary
    assert "~/app/log.txt: No such file" in diary
    (memory,) = (text for path, text in texts.items() if not path.startswith("/diary/"))
    assert f"> {rule}" in memory
    assert "description: Always put builds below ~/out/builds." in memory
    assert memory.count(NAME) == 1
