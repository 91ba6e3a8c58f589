"""Gemini CLI: `tmp/<project>/chats/session-*.json`, newer `.jsonl`; subagents in folders below."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from reverie.sessions.readers.base import SingleSession, files_matching, home
from reverie.sessions.readers.gemini_turns import AGENT, GeminiParser
from reverie.sessions.readers.objects import opened
from reverie.sessions.transcript import Resume, Transcript

# Chats, and those of subagents in a folder named after the session.
_LAYOUTS = (r"[^/]+/chats/session-[^/]+\.jsonl?", r"[^/]+/chats/[^/]+/[^/]+\.jsonl?")
_MARKS = (b'"sessionId"', b'"projectHash"')


class Gemini(SingleSession):
    """The reader of recorded chats."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("GEMINI_CLI_HOME")
        return [(Path(given) if given else home(env)) / ".gemini"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield from files_matching(root / "tmp", *_LAYOUTS)

    def recognises(self, path: Path, head: bytes) -> bool:
        return all(mark in head for mark in _MARKS) and b'"uuid"' not in head[:2_000]

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        return opened(path, GeminiParser(path, resume), ("messages",), resume)
