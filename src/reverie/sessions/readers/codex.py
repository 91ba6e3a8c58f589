"""Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl`, plain or compressed, legacy and paginated."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from reverie.sessions.readers.base import SingleSession, files_matching, head_lines, home
from reverie.sessions.readers.codex_records import AGENT
from reverie.sessions.readers.codex_turns import CodexParser
from reverie.sessions.transcript import Resume, Transcript

_NAME = r"rollout-[^/]+\.jsonl(?:\.zst)?"


class Codex(SingleSession):
    """The reader of rollouts."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("CODEX_HOME")
        return [Path(given) if given else home(env) / ".codex"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield from files_matching(root / "sessions", rf"\d{{4}}/\d\d/\d\d/{_NAME}")
        yield from files_matching(root / "archived_sessions", _NAME)

    def recognises(self, path: Path, head: bytes) -> bool:
        for line in head_lines(head):
            if b'"payload"' in line and any(
                kind in line for kind in (b'"session_meta"', b'"response_item"', b'"event_msg"')
            ):
                return True
            # The oldest files have no envelope; their first line holds the instructions.
            if path.name.startswith("rollout-") and b'"instructions"' in line:
                return True
        return False

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        return Transcript(AGENT, path, CodexParser(path, resume), resume)
