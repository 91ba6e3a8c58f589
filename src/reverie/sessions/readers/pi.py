"""Pi: `sessions/--<path>--/<time>_<id>.jsonl`, a tree of entries in the order of writing."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from reverie.config import expanded
from reverie.sessions.readers.base import SingleSession, files_matching, head_lines, home
from reverie.sessions.readers.pi_turns import AGENT, PiParser
from reverie.sessions.transcript import Resume, Transcript


class Pi(SingleSession):
    """The reader of session files."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("PI_CODING_AGENT_DIR")
        return [expanded(given, env) if given else home(env) / ".pi" / "agent"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield from files_matching(root / "sessions", r"--[^/]*--/[^/]+_[^/]+\.jsonl")

    def recognises(self, path: Path, head: bytes) -> bool:
        for line in head_lines(head):
            if b'"type":"session_start"' in line:
                return False  # another agent's, whose messages look the same
            if b'"type":"session"' in line.replace(b" ", b"") and b'"cwd"' in line:
                return True
            if b'"type":"message"' in line and b'"message":{"role":' in line and b'"id"' in line:
                return True
        return False

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        return Transcript(AGENT, path, PiParser(path, resume), resume)
