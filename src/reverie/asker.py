"""Asker: who speaks to a memory, through which surface, and whose word that is."""

from typing import TYPE_CHECKING, NamedTuple

from reverie.trust import Trust

if TYPE_CHECKING:
    from reverie.store.model import Author


class Asker(NamedTuple):
    """Who asks. Without one, whoever holds a `Memory` writes with the trust of an agent.

    With `agent` every access is made as the project (and as that agent, unless it is ""), checked
    by the store; without, as the owner, who may look into any store.
    """

    surface: str = "python"  # "cli", "mcp", "hook", "python", "http"
    session: str = ""
    trust: Trust = "agent"
    agent: str | None = None

    def author(self, reason: str) -> "Author":
        """Who stands in the history of what is written now."""
        from reverie.store.model import Actor, Author

        person = self.trust == "user"
        return Author(Actor("user") if person else Actor("agent", self.session), reason, self.trust)


# The person at a terminal.
OWNER = Asker("cli", trust="user")
