"""Asker: who speaks to a memory, through which surface, and whose word that is."""

from typing import NamedTuple

from reverie.trust import Trust


class Asker(NamedTuple):
    """Who asks. Without one, whoever holds a `Memory` writes with the trust of an agent.

    With `agent` every access is made as the project (and as that agent, unless it is ""), checked
    by the store; without, as the owner, who may look into any store.
    """

    surface: str = "python"  # "cli", "mcp", "hook", "python", "http"
    session: str = ""
    trust: Trust = "agent"
    agent: str | None = None


# The person at a terminal.
OWNER = Asker("cli", trust="user")
