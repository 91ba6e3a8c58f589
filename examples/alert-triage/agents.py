"""Who runs the calls of a watch: the real Claude Code client offline, or this process in its place.

Both leave the same things behind: a session log where Claude Code puts it, and what the calls did.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from watch import MEMORY, RECALL, Block, Mind

from reverie.clock import fixed, iso

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from examples.claude_offline import Api, Client, find_client


class World(NamedTuple):
    """The scratch folder: the home and the project that both agents share, and their commands."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / ".reverie"

    @property
    def project(self) -> Path:
        return self.folder / "mail-service"

    def environ(self, now: datetime) -> dict[str, str]:
        """What a program of this world sees, at a moment of the story."""
        path = (str(self.folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"])
        return {
            "HOME": str(self.folder),
            "PATH": os.pathsep.join(path),
            "LANG": "C.UTF-8",
            "PYTHONIOENCODING": "utf-8",
            "REVERIE_HOME": str(self.home),
            "REVERIE_NOW": iso(now),
            "TRIAGE": str(self.folder),
        }

    def commands(self) -> None:
        """`monitor` prints what an incident printed; `workers` counts how often it is called."""
        scripts = {
            "monitor": 'cat "$TRIAGE/monitor.txt"',
            "workers": 'echo "$1" >> "$TRIAGE/rolls.txt"; echo "rolling 1 of 12"',
        }
        (self.folder / "bin").mkdir()
        for name, text in scripts.items():
            file = self.folder / "bin" / name
            file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            file.chmod(0o755)

    def rolls(self) -> int:
        """How often the workers were rolled."""
        file = self.folder / "rolls.txt"
        return len(file.read_text().splitlines()) if file.exists() else 0


class Agent(Protocol):
    """Somebody who can keep a watch."""

    name: str

    def watch(self, mind: Mind, prompt: str, now: datetime) -> str:
        """One session; the last words of it."""
        ...

    def was_told(self, words: str) -> bool:
        """Whether these words came before its eyes in any watch."""
        ...


class _Model(Api):
    """The scripted model behind one client: what its mind says to the results so far."""

    mind: Mind

    def says(self, body: dict[str, Any]) -> Sequence[Block]:
        if not body.get("tools"):
            return ("OK.",)
        blocks: list[Any] = [
            block
            for message in body["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
        ]
        results = [_words(one["content"]) for one in blocks if one["type"] == "tool_result"]
        return self.mind.next(results)


def _words(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(one["text"] for one in content)


class RealClient:
    """Claude Code itself; only the model is a script."""

    def __init__(self, program: str, name: str, world: World) -> None:
        self.name = name
        self.api = _Model()
        self._world = world
        self._client = Client(program, world.folder / name, self.api, project=world.project)

    def watch(self, mind: Mind, prompt: str, now: datetime) -> str:
        self.api.mind = mind
        environ = self._world.environ(now)
        self._client.env |= {key: text for key, text in environ.items() if key != "HOME"}
        flags = ["--allowedTools", "Bash", MEMORY, RECALL, "--strict-mcp-config"]
        if not mind.mounted:
            server = {"command": "reverie", "args": ["mcp", "--agent", self.name], "env": environ}
            config = json.dumps({"mcpServers": {"reverie": server}})
            flags = [*flags, "--mcp-config", config]
        return str(self._client.ask(prompt, *flags)["result"])

    def was_told(self, words: str) -> bool:
        return words in json.dumps(self.api.bodies, ensure_ascii=False)


class InProcess:
    """The same watch without a client: calls are carried out here, and the log is written here."""

    def __init__(self, name: str, world: World) -> None:
        self.name = name
        self._world = world
        self._seen: list[str] = []

    def was_told(self, words: str) -> bool:
        return words in "\n".join(self._seen)

    def watch(self, mind: Mind, prompt: str, now: datetime) -> str:
        log = _Log(self._world, self.name, now)
        log.add("user", prompt)
        results: list[str] = []
        while True:
            words = ""
            for block in mind.next(results):
                if isinstance(block, str):
                    words = block
                    log.add("assistant", [{"type": "text", "text": block}])
                    continue
                call = f"toolu_{log.session}_{len(results)}"
                given = {"type": "tool_use", "id": call, "name": block[0], "input": block[1]}
                log.add("assistant", [given])
                results.append(self._carried_out(*block, now))
                self._seen.append(results[-1])
                result = {"type": "tool_result", "tool_use_id": call, "content": results[-1]}
                log.add("user", [result])
                words = ""
            if words:
                return words

    def _carried_out(self, tool: str, arguments: dict[str, Any], now: datetime) -> str:
        environ = self._world.environ(now)
        if tool == "Bash":
            done = subprocess.run(
                ["/bin/sh", "-c", arguments["command"]],
                cwd=self._world.project, env=environ | {"CLAUDECODE": "1"},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
            )  # fmt: skip
            return done.stdout
        from reverie import Memory
        from reverie.asker import Asker
        from reverie.errors import ReverieError
        from reverie.serve.tools import Tools

        asker = Asker("mcp", "", agent=self.name)
        with Memory.open(
            self._world.home,
            asker=asker,
            folder=self._world.project,
            environ=environ,
            clock=fixed(iso(now)),
        ) as memory:
            tools = Tools(memory)
            self._seen.append(tools.instructions)
            try:
                return tools.call(tool.rpartition("__")[2], arguments)
            except ReverieError as refused:
                return str(refused)


class _Log:
    """A session log as Claude Code writes it."""

    def __init__(self, world: World, name: str, now: datetime) -> None:
        self.session = f"{name.encode().hex():0>8.8}-{now:%m%d}-{now:%H%M}-8000-000000000000"
        folder = world.folder / name / "home" / ".claude" / "projects" / "-srv-mail-service"
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / f"{self.session}.jsonl"
        self._more = {
            "sessionId": self.session, "timestamp": iso(now), "cwd": str(world.project),
            "version": "2.1.240", "userType": "external", "isSidechain": False,
        }  # fmt: skip

    def add(self, role: str, content: Any) -> None:
        record = {"type": role, "message": {"role": role, "content": content}, **self._more}
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def on_watch(world: World, *names: str) -> tuple[list[Agent], str]:
    """The agents, and who they are."""
    world.project.mkdir()
    program = find_client()
    if program is None:
        why = "Claude Code is not installed here: its part is played in this process"
        return [InProcess(name, world) for name in names], why
    real: list[Agent] = [RealClient(program, name, world) for name in names]
    return real, "two Claude Code clients, offline, with a scripted model"
