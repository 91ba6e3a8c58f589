"""What an agent on watch makes of what it sees: the next words and calls, from the results so far.

It knows nothing of who runs its calls: the real client, or `agents.InProcess`. Two agents differ in
how they reach the stores: one over MCP, one in mounted folders with the tools it has anyway.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from reverie.clock import iso

# A text, or the call of a tool with its arguments.
Block = str | tuple[str, dict[str, Any]]

NOTE = "in-flight/queue-backlog.md"
MEMORY, RECALL = "mcp__reverie__memory", "mcp__reverie__recall"
REPAIR = timedelta(hours=4)
LOOK = ("Bash", {"command": "monitor --since 2h", "description": "what the monitor printed"})
ROLL = ("Bash", {"command": "workers roll", "description": "roll the workers"})


class Mind:
    """One watch of one agent. `expects`: only asks what follows on what it sees."""

    def __init__(self, name: str, now: datetime, *, mounted: bool, expects: bool = False) -> None:
        self.name = name
        self.mounted = mounted
        self.note = (
            f"---\nname: queue-backlog\nexpires: {iso(now + REPAIR)}\n---\n"
            f"{name} is rolling the workers since {now:%H:%M}.\n"
        )
        self._steps = [self._look, self._expect, self._known] if expects else [
            self._look, self._read, self._claim, self._act, self._done
        ]  # fmt: skip

    def next(self, results: Sequence[str]) -> Sequence[Block]:
        """What to say and do, when the calls so far came to `results`."""
        return self._steps[min(len(results), len(self._steps) - 1)](results)

    def _look(self, _: Sequence[str]) -> Sequence[Block]:
        return ["Let me see.", LOOK]

    def _read(self, results: Sequence[str]) -> Sequence[Block]:
        if "QueueBacklog" not in results[0]:
            return ["it ended by itself, as the runbook says: nothing to do"]
        if self.mounted:
            return [_shell("cat triage/MEMORY.md runbooks/queue-backlog.md")]
        return [(MEMORY, {"command": "view", "path": "/memories/runbooks/queue-backlog.md"})]

    def _claim(self, _: Sequence[str]) -> Sequence[Block]:
        """Take the place of the note, if nobody has it: of two agents one is told of the other."""
        if not self.mounted:
            path = f"/memories/triage/{NOTE}"
            return [(MEMORY, {"command": "create", "path": path, "file_text": self.note})]
        # The folder is brought up to date, the file made only if there is none, and what stands
        # there after the next sync is what holds.
        return [
            _shell(
                "reverie sync triage; mkdir -p triage/in-flight; set -C;"
                f" cat > triage/{NOTE} <<'END'\n{self.note}END\n"
                f"reverie sync triage; cat triage/{NOTE}"
            )
        ]

    def _act(self, results: Sequence[str]) -> Sequence[Block]:
        mine = self.note.strip() in results[2] if self.mounted else "File created" in results[2]
        if mine:
            return ["nobody is on it: I leave a note and roll the workers", ROLL]
        if self.mounted:
            return self._done([*results, results[2]])
        return [(MEMORY, {"command": "view", "path": f"/memories/triage/{NOTE}"})]

    def _done(self, results: Sequence[str]) -> Sequence[Block]:
        if "rolling 1 of" in results[3]:
            return ["they are being rolled; the note goes by itself when that is over"]
        words = next((line for line in results[3].splitlines() if " is rolling " in line), "?")
        return [f"a fix is in flight (“{words.split(chr(9))[-1].strip()}”): I start no second one"]

    def _expect(self, _: Sequence[str]) -> Sequence[Block]:
        return [(RECALL, {"query": "what follows a CPU spike", "rules": False})]

    def _known(self, results: Sequence[str]) -> Sequence[Block]:
        known = next((line for line in results[1].splitlines() if "” follows “" in line), "")
        if not known:
            return ["nothing is known about it"]
        words = known[known.index("“") :].rstrip(".")
        return [f"{words}. I look at the workers now, not after the alert"]


def _shell(command: str) -> Block:
    return ("Bash", {"command": command, "description": "the notes"})
