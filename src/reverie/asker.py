"""Asker: who speaks to a memory, through which surface, and whose word that is."""

from typing import TYPE_CHECKING, Literal, NamedTuple

from reverie.trust import Trust

if TYPE_CHECKING:
    from reverie.store.model import Actor, Author


class Asker(NamedTuple):
    """Who asks. Without one, whoever holds a `Memory` writes with the trust of an agent.

    With `agent` every access is made as the project (and as that agent, unless it is ""), checked
    by the store; without, as the owner, who may look into any store.
    """

    # "cli", "shell" (an agent's), "script", "mcp", "hook", "python", "http"
    surface: str = "python"
    session: str = ""
    trust: Trust = "agent"
    agent: str | None = None
    client: str = ""  # NAME/VERSION as a program says it: for the record, never a right
    # Comes from elsewhere with a key, whose id is `agent`: a program, or a person who may look at
    # what waits for one. Neither has a word of their own; the home they get shows their stores.
    guest: Literal["", "program", "person"] = ""

    @property
    def actor(self) -> "Actor":
        """Whose name stands in the history of what is written now."""
        from reverie.store.model import Actor

        if self.trust == "user":
            return Actor("user")
        if self.guest:
            return Actor("key", self.agent or "")
        # As sessions are named everywhere: two agents are told apart, and so are two sessions.
        name = self.agent or self.client.rpartition("/")[0]
        return Actor("agent", ":".join(filter(None, (name, self.session))))

    def author(self, reason: str) -> "Author":
        """Who stands in the history of what is written now, and why."""
        from reverie.store.model import Author

        return Author(self.actor, reason, self.trust)


# The person at a terminal.
OWNER = Asker("cli", trust="user")
