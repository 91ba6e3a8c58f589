"""Claude Code: `projects/<key>/<session>.jsonl` and the subagents' files below.

`history.jsonl` beside `projects/` stands in for sessions whose log is gone.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from reverie.errors import Unavailable
from reverie.sessions.logs.lines import open_log
from reverie.sessions.logs.transcript import Resume, Transcript
from reverie.sessions.readers import claude_history as history
from reverie.sessions.readers import claude_records as records
from reverie.sessions.readers.base import HEAD_BYTES, UUID, Part, files_matching, head_lines, home
from reverie.sessions.readers.claude_records import AGENT
from reverie.sessions.readers.claude_turns import ClaudeParser

# The main log, subagents before 2.1.2, and subagents below the session they belong to.
_LAYOUTS = (r"[^/]+/[^/]+\.jsonl", rf"[^/]+/{UUID.pattern}/subagents/.+\.jsonl")


class ClaudeCode:
    """The reader of main and subagent logs."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("CLAUDE_CONFIG_DIR")
        return [Path(given) if given else home(env) / ".claude"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield root / history.NAME
        for path in files_matching(root / "projects", *_LAYOUTS):
            if path.parent.parent.parent != root or _named_by_the_agent(path):
                yield path

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


def _named_by_the_agent(path: Path) -> bool:
    """Whether a file has a name that the agent gives: its session's id, or a subagent's."""
    if UUID.fullmatch(path.stem) or records.SUBAGENT_FILE.match(path.name):
        return True
    try:
        with open_log(path, HEAD_BYTES) as stream:
            return records.names_its_session(path.name, stream.read(HEAD_BYTES))
    except (OSError, Unavailable):
        return False
