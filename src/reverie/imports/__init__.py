"""Memories kept by others: one module per source, one table of them."""

from pathlib import Path

from reverie.errors import InvalidInput
from reverie.imports.base import Found, Piece, Skipped, Source, Target
from reverie.imports.basic_memory import BasicMemory
from reverie.imports.claude_code import ClaudeCode
from reverie.imports.codex import Codex
from reverie.imports.items import Items
from reverie.imports.markdown import Instructions, Markdown
from reverie.imports.memory_system import MemorySystem

# The first that recognises a place reads it, so the plain folder comes last.
SOURCES: tuple[Source, ...] = (
    MemorySystem(),
    Instructions(),
    Items(),
    Codex(),
    ClaudeCode(),
    BasicMemory(),
    Markdown(),
)


def source_for(place: Path, kind: str | None = None) -> Source:
    """The source of that kind, else the one that recognises the place.

    Raises:
        InvalidInput: nothing does.
    """
    for source in SOURCES:
        if source.kind == kind or (kind is None and source.recognises(place)):
            return source
    kinds = ", ".join(source.kind for source in SOURCES)
    raise InvalidInput(f"{place} holds no memories that are known here", hint=f"--from {kinds}")


__all__ = ["SOURCES", "Found", "Piece", "Skipped", "Source", "Target", "source_for"]
