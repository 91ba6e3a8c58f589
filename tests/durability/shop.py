"""A shop whose sessions taught something, and all the places where that could be told."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.operations import homes
from tests.sessions.worklogs import lines, write

from reverie.asker import OWNER, Asker
from reverie.errors import ReverieError
from reverie.memory import Memory
from reverie.operations import diaries, dreaming, recalling, transfer
from reverie.operations.starts import digesting
from reverie.serve.tools import Tools

Said = Sequence[tuple[str, str]]


def log(home: Path, session: str, said: Said, *, cwd: Path, day: int = 0) -> Path:
    """A session of Claude Code in its own place."""
    folder = home / ".claude" / "projects" / str(cwd).replace("/", "-")
    return write(folder / f"{session}.jsonl", lines(session, *said, cwd=str(cwd), day=day))


@contextmanager
def opened(tmp_path: Path, folder: Path | None = None, asker: Asker = OWNER) -> Generator[Memory]:
    """The memory of the shop, or of another folder, at a day after all sessions."""
    with homes.memory(tmp_path, asker, folder=folder) as memory:
        yield memory


def told(memory: Memory, *questions: str) -> dict[str, str]:
    """Everything that anybody is told without looking into a log: by surface."""
    found = {f"recall {q}": memory.recall(q, sessions=True, budget=20_000).text for q in questions}
    found["rules"] = memory.recall().text
    found["digest"] = memory.digest(budget=9_000).text
    found["lines at a prompt"] = "\n".join(recalling.few_lines(memory, q) for q in questions)
    found["memories"] = "\n".join(item.memory.content for item in memory.memories())
    found["queue"] = "\n".join(str(one.candidate) for one in memory.review().pending().reviews)
    found["proposals"] = "\n".join(str(one) for one in memory.review().pending().offers)
    night = dreaming.dream_dry(memory, dreaming.asked(memory)).night
    found["dream"] = "\n".join(observation.text for observation in night.observations)
    found["dailies"] = "\n".join(page.text for page in diaries.dailies(memory))
    found["diaries"] = "\n".join(page.text for page in diaries.diaries(memory))
    found["could be told"] = "\n".join(digesting.every_id(memory))
    found["long term"] = transfer.long_term(memory).text
    found["an agent"] = "\n".join(_agents(memory, *questions))
    return found


def _agents(memory: Memory, *questions: str) -> list[str]:
    with memory.at(asker=Asker("mcp", agent="claude-code")) as there:
        tools = Tools(there)
        calls: list[tuple[str, dict[str, Any]]] = [("memory", {"command": "view"})]
        for store in tools.call("memory", {"command": "view"}).splitlines()[1:]:
            path = store.partition(" ")[0].partition(":")[0]
            files = tools.call("memory", {"command": "view", "path": path}).splitlines()[1:]
            calls += [("memory", {"command": "view", "path": file}) for file in files]
        calls += [("recall", {"query": q, "sessions": True}) for q in questions]
        return [_answer(tools, *call) for call in calls if "/archive/" not in str(call)]


def _answer(tools: Tools, name: str, arguments: dict[str, Any]) -> str:
    try:
        return tools.call(name, arguments)
    except ReverieError:
        return ""


def telling(found: dict[str, str], word: str) -> list[str]:
    """The surfaces on which a word stands."""
    return [surface for surface, text in found.items() if word in text]
