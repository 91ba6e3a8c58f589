"""Claude Code: `projects/<key>/<session>.jsonl` and the subagents' files below.

`history.jsonl` beside `projects/` stands in for sessions whose log is gone.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from reverie.sessions.readers import claude_history as history
from reverie.sessions.readers import claude_records as records
from reverie.sessions.readers.base import Part, files_under, head_lines, home
from reverie.sessions.readers.claude_records import AGENT
from reverie.sessions.readers.claude_turns import ClaudeParser
from reverie.sessions.transcript import Resume, Transcript


class ClaudeCode:
    """The reader of main and subagent logs."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("CLAUDE_CONFIG_DIR")
        return [Path(given) if given else home(env) / ".claude"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield root / history.NAME
        yield from files_under(root / "projects", (".jsonl", ".jsonl.zst"))

    def recognises(self, path: Path, head: bytes) -> bool:
        if history.is_history(path):
            return history.recognises(head)
        return any(map(records.looks_like_a_line, head_lines(head)))

    def parts(self, path: Path) -> list[Part] | None:
        return history.parts(path) if history.is_history(path) else None

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        if history.is_history(path):
            # It is small and its sessions interleave: always read from the start.
            return Transcript(AGENT, path, history.HistoryParser(part))
        return Transcript(AGENT, path, ClaudeParser(path, resume), resume)
