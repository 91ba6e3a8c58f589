"""Gemini CLI: `tmp/<project>/chats/session-*.json`, newer `.jsonl`; subagents in folders below."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from reverie.sessions.document import messages_of
from reverie.sessions.lines import DamageCount
from reverie.sessions.readers.base import Part, files_under, home
from reverie.sessions.readers.gemini_turns import AGENT, GeminiParser
from reverie.sessions.transcript import Resume, Transcript, WholeTranscript

_MARKS = (b'"sessionId"', b'"projectHash"')


class Gemini:
    """The reader of recorded chats."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("GEMINI_CLI_HOME")
        return [(Path(given) if given else home(env)) / ".gemini"]

    def candidates(self, root: Path) -> Iterator[Path]:
        for path in files_under(root / "tmp", (".json", ".jsonl", ".jsonl.zst")):
            if "chats" in path.parts:
                yield path

    def recognises(self, path: Path, head: bytes) -> bool:
        return all(mark in head for mark in _MARKS) and b'"uuid"' not in head[:2_000]

    def parts(self, path: Path) -> list[Part] | None:
        return None

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        parser = GeminiParser(path, resume)
        if ".jsonl" in path.name:
            return Transcript(AGENT, path, parser, resume)

        def records(damage: DamageCount) -> Iterator[tuple[int, object]]:
            return messages_of(path, ("messages",), parser.is_message, parser.describe, damage)

        return WholeTranscript(AGENT, path, parser, records)
