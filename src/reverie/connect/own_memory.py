"""Whether an agent's shell command wrote into the memory folder of an agent."""

from typing import Any, cast

from reverie.data import patterns

_RE = patterns("traffic.txt", "own_memory")
_KEYS = ("command", "cmd", "script", "code")
_READ = 20_000  # characters


def writes_memory(given: dict[str, Any]) -> bool:
    """Whether what a shell tool was called with writes a file of memory; reading one is not it."""
    return any(
        _RE.place.search(text[:_READ]) and _RE.writes.search(text[:_READ])
        for key in _KEYS
        for text in _texts(given.get(key))
    )


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):  # Codex: `["bash", "-lc", "…"]`
        return [word for word in cast("list[Any]", value) if isinstance(word, str)]
    return [value] if isinstance(value, str) else []
