"""OpenCode: its database, the folders of JSON files before 2026, and `opencode export`."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from reverie.sessions.document import messages_of
from reverie.sessions.lines import DamageCount
from reverie.sessions.readers import neutral
from reverie.sessions.readers import opencode_sources as sources
from reverie.sessions.readers.base import Part, files_matching, home
from reverie.sessions.readers.databases import MAGIC, has_tables
from reverie.sessions.readers.opencode_turns import AGENT, OpenCodeSession
from reverie.sessions.transcript import Resume, Transcript, WholeTranscript


class OpenCode:
    """The reader of sessions in all three places."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("XDG_DATA_HOME")
        data = Path(given) if given else home(env) / ".local" / "share"
        return [data / "opencode"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield from sorted(root.glob("opencode*.db"))
        yield from files_matching(root / "storage" / "session", r"[^/]+/ses_[^/]+\.json")
        # Before projects shared one folder each had its own.
        for project in sorted(root.glob("project/*/storage/session/info")):
            yield from files_matching(project, r"ses_[^/]+\.json")

    def recognises(self, path: Path, head: bytes) -> bool:
        if head.startswith(MAGIC):
            return has_tables(path, "session", "message", "part")
        if neutral.written_for(AGENT, head):
            return True
        if sources.is_stored_session(path, head):
            return True
        return (
            b'"info"' in head[:2_000]
            and b'"ses_' in head
            and (b'"messages"' in head or b'"directory"' in head)
        )

    def parts(self, path: Path) -> list[Part] | None:
        if path.suffix == ".db":
            return sources.database_parts(path)
        stored = sources.stored_session(path)
        return [sources.stored_part(path, stored)] if stored else None

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        if path.name.endswith((".jsonl", ".jsonl.zst")):
            return neutral.opened(AGENT, path, resume)
        session = OpenCodeSession(part or path.name.partition(".")[0])

        def records(damage: DamageCount) -> Iterator[tuple[int, object]]:
            if path.suffix == ".db":
                return sources.database_messages(path, part, session.describe, damage)
            if part:
                return sources.stored_messages(path, session.describe, damage)
            return messages_of(path, ("messages",), session.whole, session.describe, damage)

        return WholeTranscript(AGENT, path, session, records)
