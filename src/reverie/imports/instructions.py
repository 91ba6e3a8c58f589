"""CLAUDE.md, AGENTS.md and their like: quoted as context, never copied as memory.

Every session of the agent starts with these words already. Kept beside the memories they can be
searched and cited, with the trust of a file of a repository; nobody takes them for a rule that a
person gave to Reverie.
"""

from pathlib import Path

from reverie.imports.base import Found, Piece, Target, read_or_skip

NAMES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules")


class Instructions:
    """One instruction file."""

    kind = "instructions"
    about = "a CLAUDE.md or AGENTS.md, as quoted context"

    def recognises(self, place: Path) -> bool:
        return place.is_file() and place.name in NAMES

    def read(self, place: Path, target: Target) -> Found:
        found = Found()
        text = read_or_skip(place, place.name, found)
        if text is not None:
            path = f"/context/{place.name.lstrip('.')}.txt"
            quoted = "".join(f"> {line}".rstrip() + "\n" for line in text.splitlines())
            words = f"Quoted from {place.name} as of {target.today}; not a memory.\n\n{quoted}"
            found.pieces.append(
                Piece(target.project, path, words, place.name, trust="tool", checked=False)
            )
            found.notes.append(f"{place.name} is kept as quoted context at {path}")
        return found
