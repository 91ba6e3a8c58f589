"""Anthropic's memory tool over a store: the answers of the SDK's own file tool, word for word."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from tests.serve.http.sdks import PYTHON, python_of

from reverie.memory import Memory
from reverie.serve.memory_tool import AsyncMemoryTool, MemoryTool
from reverie.store.model import Actor, Author

ME = Author(Actor("user", "me"), "said", "user")
# What a folder takes on a disk depends on the disk.
FOLDER = re.compile(r"^[0-9.]+[BKMG](?=\t/memories(?:.*/)?$)", re.MULTILINE)


def do(command: str, path: str = "", **given: Any) -> dict[str, Any]:
    return {"command": command} | ({"path": path} if path else {}) | given


SCRIPT = [
    do("view", "/memories"),
    do("view", "/memories/"),
    do("create", "/memories/a.md", file_text="one\ntwo\nthree\n"),
    do("create", "/memories/a.md", file_text="again"),
    do("view", "/memories/a.md"),
    do("view", "/memories/a.md", view_range=[2, 3]),
    do("view", "/memories/a.md", view_range=[2, -1]),
    do("view", "/memories/a.md", view_range=[0, 1]),
    do("view", "/memories/a.md", view_range=[9, 12]),
    do("create", "/memories/empty.md", file_text=""),
    do("view", "/memories/empty.md"),
    do("create", "/memories/big.md", file_text="x" * 1536),
    do("create", "/memories/round.md", file_text="x" * 4096),
    do("create", "/memories/.hidden/x.md", file_text="h"),
    do("create", "/memories/folder/sub/deep/x.md", file_text="deep"),
    do("create", "/memories/folder/y.md", file_text="é\r\nü"),
    do("create", "/memories/folder-2/z.md", file_text="z"),
    do("view", "/memories"),
    do("view", "/memories/folder"),
    do("view", "/memories/folder/"),
    do("view", "/memories/folder/y.md"),
    do("view", "/memories/./folder//sub/../y.md"),
    do("create", "/memories/folder", file_text="x"),
    do("view", "/memories/none.md"),
    do("view", "/elsewhere"),
    do("view", "/memories/../etc/passwd"),
    do("view", "/memories/a/../../x"),
    do("str_replace", "/memories/a.md", old_str="two", new_str="zwei"),
    do("str_replace", "/memories/a.md", old_str="nowhere", new_str=""),
    do("str_replace", "/memories/a.md", old_str="e", new_str="E"),
    do("str_replace", "/memories/a.md", old_str="", new_str="E"),
    do("str_replace", "/memories/folder", old_str="e", new_str="E"),
    do("str_replace", "/memories/none.md", old_str="e", new_str="E"),
    do("str_replace", "/memories/a.md", old_str="one\nzwei", new_str="1\n2\n2b"),
    do("view", "/memories/a.md"),
    do("insert", "/memories/a.md", insert_line=0, insert_text="first\n\n"),
    do("insert", "/memories/a.md", insert_line=5, insert_text="last"),
    do("insert", "/memories/a.md", insert_line=99, insert_text="no"),
    do("insert", "/memories/a.md", insert_line=-1, insert_text="no"),
    do("insert", "/memories/empty.md", insert_line=0, insert_text="now"),
    do("insert", "/memories/folder", insert_line=0, insert_text="no"),
    do("insert", "/memories/none.md", insert_line=0, insert_text="no"),
    do("view", "/memories/a.md"),
    do("rename", old_path="/memories/a.md", new_path="/memories/b/c.md"),
    do("rename", old_path="/memories/a.md", new_path="/memories/d.md"),
    do("rename", old_path="/memories/b/c.md", new_path="/memories/folder"),
    do("rename", old_path="/memories", new_path="/memories/d"),
    do("rename", old_path="/memories/folder", new_path="/memories/moved"),
    do("view", "/memories/moved"),
    do("delete", "/memories/moved/sub"),
    do("delete", "/memories/none.md"),
    do("delete", "/memories"),
    do("delete", "/memories/b/c.md"),
    do("view", "/memories/moved"),
]


def told(tool: Any, given: dict[str, Any]) -> str:
    try:
        answer = tool.call(given)
        return str(asyncio.run(answer) if asyncio.iscoroutine(answer) else answer)
    except ToolError as error:
        return f"failed: {error}"


def comparable(text: str) -> str:
    return FOLDER.sub("SIZE", text)


@pytest.fixture
def memory(database_url: str) -> Any:
    with Memory.open(database_url) as opened:
        yield opened


@pytest.mark.proves("C7")
@pytest.mark.hostile("P2")
@pytest.mark.parametrize("kind", [MemoryTool, AsyncMemoryTool])
def test_every_answer_is_that_of_the_official_tool(
    memory: Memory, tmp_path: Path, kind: type[MemoryTool] | type[AsyncMemoryTool]
) -> None:
    official = BetaLocalFilesystemMemoryTool(str(tmp_path / "official"))
    ours = kind(memory, "assistant")
    assert ours.to_dict() == official.to_dict()
    for given in SCRIPT:
        assert comparable(told(ours, given)) == comparable(told(official, given)), given
    versions = memory.store.versions("assistant", limit=100).items
    assert {version.trust for version in versions} == {"agent"}
    assert {version.actor for version in versions} == {Actor("agent", "memory-tool")}
    assert memory.store.verify("assistant") == []


def test_what_a_person_said_stays(memory: Memory) -> None:
    info = memory.store.ensure_store("assistant")
    memory.store.create(info.id, "/rules/lint.md", "Always run the linter.", ME)
    memory.store.create(info.id, "/rules/free.md", "x", Author(Actor("agent", "a"), trust="agent"))
    tool = MemoryTool(memory, "assistant")
    for given in (
        do("delete", "/memories/rules/lint.md"),
        do("delete", "/memories/rules"),
        do("str_replace", "/memories/rules/lint.md", old_str="Always", new_str="Never"),
        do("rename", old_path="/memories/rules", new_path="/memories/old"),
    ):
        assert "only a person" in told(tool, given)
    assert len(list(memory.store.walk(info.id))) == 2
    assert tool.clear_all_memory() == "All memory cleared"
    assert [one.path for one in memory.store.walk(info.id)] == ["/rules/lint.md"]


def test_two_agents_lose_no_edit(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = MemoryTool(memory, "assistant")
    tool.call(do("create", "/memories/a.md", file_text="one\ntwo\n"))
    from reverie.store import roads

    change, other = roads.change, iter([True])

    def overtaken(*args: Any, **given: Any) -> Any:
        if next(other, False):
            head = memory.store.get("assistant", "/a.md")
            by = Author(Actor("agent", "b"), "edited", "agent")
            memory.store.update("assistant", head.id, content=f"{head.content}three\n", by=by)
        return change(*args, **given)

    monkeypatch.setattr(roads, "change", overtaken)
    tool.call(do("str_replace", "/memories/a.md", old_str="one", new_str="1"))
    assert memory.store.get("assistant", "/a.md").content == "1\ntwo\nthree\n"


@pytest.mark.parametrize(
    "version", [pytest.param(v, marks=pytest.mark.needs(f"anthropic-{v}")) for v in PYTHON]
)
def test_the_tool_works_with_every_version_of_the_sdk(version: str, tmp_path: Path) -> None:
    script = """
import sys
sys.path += sys.argv[1:3]
import asyncio, reverie
from reverie.serve.memory_tool import AsyncMemoryTool, MemoryTool
create = {"command": "create", "path": "/memories/a.md", "file_text": "one"}
with reverie.Memory.open(sys.argv[3]) as memory:
    print(MemoryTool(memory, "x").call(create))
    print(asyncio.run(AsyncMemoryTool(memory, "x").call({"command": "view", "path": "/memories"})))
"""
    source = Path(__file__).parents[2] / "src"
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    command = [python_of(version), "-c", script, str(source), packages, str(tmp_path / "home")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[0] == "File created successfully at: /memories/a.md"
    assert ran.stdout.splitlines()[-1] == "3B\t/memories/a.md"
