"""Cursor, as far as it can be read: the editor's `state.vscdb`, the CLI's `store.db`, and the
transcripts it writes for agents (`.jsonl`, before that `.txt`)."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from reverie.sessions.lines import DamageCount
from reverie.sessions.readers import cursor_sources as sources
from reverie.sessions.readers import neutral
from reverie.sessions.readers.base import Part, files_matching, head_lines, home
from reverie.sessions.readers.cursor_turns import AGENT, CursorParser
from reverie.sessions.readers.databases import MAGIC, has_tables
from reverie.sessions.transcript import Resume, Transcript, WholeTranscript

# A chat, alone or in a folder with its subagents.
_LAYOUTS = (
    r"[^/]+\.(?:txt|jsonl?)",
    r"([^/]+)/\1\.(?:txt|jsonl?)",
    r"[^/]+/subagents/[^/]+\.(?:txt|jsonl?)",
)
_EDITOR, _CLI = ".vscdb", "store.db"


class Cursor:
    """The reader of the editor's and the CLI's chats."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        base = home(env)
        config = Path(env.get("XDG_CONFIG_HOME") or base / ".config")
        editor = [config / "Cursor", base / "Library" / "Application Support" / "Cursor"]
        if roaming := env.get("APPDATA"):
            editor.append(Path(roaming) / "Cursor")
        return [*(place / "User" for place in editor), base / ".cursor"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield root / "globalStorage" / "state.vscdb"
        yield from sorted((root / "chats").glob(f"*/*/{_CLI}"))
        for folder in sorted((root / "projects").glob("*/agent-transcripts")):
            yield from files_matching(folder, *_LAYOUTS)

    def recognises(self, path: Path, head: bytes) -> bool:
        if head.startswith(MAGIC):
            if path.name == _CLI:
                return has_tables(path, "blobs", "meta")
            return path.suffix == _EDITOR and has_tables(path, "cursorDiskKV")
        if path.suffix == ".txt":
            return sources.is_text_transcript(head)
        return neutral.written_for(AGENT, head) or any(
            b'"role"' in line and b'"message"' in line and b'"content"' in line
            for line in head_lines(head, 3)
            if b'"sessionId"' not in line and b'"timestamp"' not in line
        )

    def parts(self, path: Path) -> list[Part] | None:
        if path.suffix == _EDITOR:
            return sources.composers(path)
        return [sources.cli_part(path)] if path.name == _CLI else None

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        if part:
            parser = CursorParser(part, tagged=path.suffix != _EDITOR)

            def rows(damage: DamageCount) -> Iterator[tuple[int, object]]:
                if path.suffix == _EDITOR:
                    return sources.bubbles(path, part, parser.describe, damage)
                return sources.cli_messages(path, parser.describe, damage)

            return WholeTranscript(AGENT, path, parser, rows)
        if path.suffix == ".txt":
            # Nothing but a line `user:` says who speaks, and a tool can print one.
            parser = CursorParser(path.stem, subagent=_of_a_subagent(path), typed="probable")

            def blocks(damage: DamageCount) -> Iterator[tuple[int, object]]:
                return sources.text_messages(path, damage)

            return WholeTranscript(AGENT, path, parser, blocks)
        if neutral.is_neutral(path):
            return neutral.opened(AGENT, path, resume)
        parser = CursorParser(path.name.partition(".")[0], resume, subagent=_of_a_subagent(path))
        return Transcript(AGENT, path, parser, resume)


def _of_a_subagent(path: Path) -> bool:
    """`agent-transcripts/<chat>/subagents/<id>.jsonl`: a model wrote the prompts."""
    names = [folder.name for folder in path.parents]
    return "subagents" in names and "agent-transcripts" in names[names.index("subagents") :]
