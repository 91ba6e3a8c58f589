"""What is known, pending and next, without a command line."""

from pathlib import Path

from tests.operations.homes import memory
from tests.sessions.worklogs import lines, write

from reverie.operations import learning


def log(isolated_home: Path) -> None:
    folder = isolated_home / ".claude" / "projects" / "-w-app"
    write(folder / "aaaa-1.jsonl", lines("aaaa-1", ("you", "use tabs here")))


def test_looking_at_an_empty_home_makes_nothing(tmp_path: Path):
    with memory(tmp_path) as opened:
        found = opened.status()
        assert (found.memories, found.sessions, found.logs) == (0, 0, 0)
        assert [finding.level for finding in opened.check() if finding.level == "error"] == []
        assert not opened.config.home.exists()


def test_the_status_counts_what_is_kept_and_says_what_comes_next(
    tmp_path: Path, isolated_home: Path
):
    log(isolated_home)
    with memory(tmp_path) as opened:
        assert (opened.status().unread_logs, opened.status().sessions) == (1, 0)
        learning.read(opened)
        opened.remember("The till counts in cents", name="till")
        found = opened.status()
        assert (found.unread_logs, found.sessions, found.pending_days) == (0, 1, 1)
        assert (found.memories, found.database) == (1, "sqlite")
        assert any("reverie connect claude-code" in step for step in found.next)
        told = opened.status(["claude-code"])
        assert told.connected == ["claude-code"]
        assert not any("lets your agent ask" in step for step in told.next)
        opened.forget("till")
        assert opened.status().memories == 0
