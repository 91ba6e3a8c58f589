"""The guide "use it from Python", every block of it run."""

import re
from pathlib import Path
from typing import Any

import pytest

from reverie.operations import reach

GUIDE = Path(__file__).parents[1] / "docs" / "guides" / "python.md"


def sections() -> dict[str, list[str]]:
    """The blocks of code under each heading."""
    found: dict[str, list[str]] = {}
    code = re.compile(r"^```python\n(.*?)^```", re.S | re.M)
    for section in GUIDE.read_text(encoding="utf-8").split("\n## ")[1:]:
        found[section.partition("\n")[0]] = code.findall(section)
    return found


def follow(heading: str) -> None:
    names: dict[str, Any] = {}
    for block in sections()[heading]:
        exec(compile(block, str(GUIDE), "exec"), names)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop-api"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_a_newcomer_needs_ten_lines() -> None:
    (block,) = sections()["In ten lines"]
    code = block.partition("\n\nwith ")[2].splitlines()
    assert len(code) <= 10


@pytest.mark.proves("F14")
def test_the_first_ten_lines(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    follow("In ten lines")
    shown = capsys.readouterr().out
    assert "> Answer in short sentences" in shown
    assert "\n16 sessions learned\n" in shown
    assert "corroborate: global/" in shown


def test_answers(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from reverie import OWNER, Memory

    with Memory.open(asker=OWNER) as memory:
        reach.make_store(memory, "shop-api")
        memory.remember("The dev server listens on port 8443.", scope="shop-api", name="port")
    follow("Answers")
    assert capsys.readouterr().out == "port user The dev server listens on port 8443.\n"


def test_who_asks(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    follow("Who asks")
    assert capsys.readouterr().out == "agent user\n['shop-api']\n"


def test_several_homes(project: Path) -> None:
    follow("Several homes")
    assert (project / "mine" / "memory.db").exists() and (project / "theirs").exists()


def test_stores(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    follow("Stores")
    reasons = "['pinned: asked for twice a week', 'remembered by hand']"
    assert capsys.readouterr().out == f"{reasons}\n[]\n"


def test_threads(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    follow("Threads")
    assert capsys.readouterr().out.split() == ["1", "1", "1"]


def test_errors(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    follow("Errors")
    first, hint, second = capsys.readouterr().out.splitlines()
    assert first.startswith("not kept: ") and hint and "no-such-memory" in second


def test_every_section_is_followed_here() -> None:
    here = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in sections() if f'follow("{name}")' not in here] == []


def test_the_memory_tool(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("anthropic")
    follow("With Anthropic's SDK")
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "File created successfully at: /memories/tea.md"
    assert shown[-1] == "12B\t/memories/tea.md"
