"""Copilot CLI: `session-state/<id>/events.jsonl`, before that `session-state/<id>.jsonl`."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from reverie.sessions.readers.base import SingleSession, files_matching, head_lines, home
from reverie.sessions.readers.copilot_turns import AGENT, CopilotParser
from reverie.sessions.transcript import Resume, Transcript

_FIRST = (b'"session.start"', b'"session.resume"', b'"user.message"', b'"assistant.message"')


class Copilot(SingleSession):
    """The reader of event logs."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("COPILOT_HOME")
        return [Path(given) if given else home(env) / ".copilot"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield from files_matching(root / "session-state", r"[^/]+/events\.jsonl", r"[^/]+\.jsonl")

    def recognises(self, path: Path, head: bytes) -> bool:
        return any(
            b'"data"' in line
            and b'"type"' in line
            and any(kind in line for kind in _FIRST)
            # An event of a managed agent has these names too, but its fields at the top.
            and b'"timestamp"' in line
            for line in head_lines(head)
        )

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        return Transcript(AGENT, path, CopilotParser(path, resume), resume)
