"""What a person had forgotten comes back from nowhere, whatever is read, made or brought anew."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.durability import shop
from tests.operations import homes
from tests.sessions.logs import as_bytes, codex, meta

from reverie.memory import Memory
from reverie.operations import projects, sessions, stores, transfer

RULE = "From now on always write commit messages in the imperative."
OTHER = "From now on always run the linter before a commit."
VALUE = "No, the till counts in cents, not in euros."
UNSURE = "the parcels go out at noon I think, because the van leaves then"
FIRST = (
    ("you", RULE),
    ("agent", "I will. The till counts in euros."),
    ("you", VALUE),
    ("agent", "Understood."),
    ("you", UNSURE),
    ("agent", "Noted."),
    ("you", OTHER),
)
QUESTIONS = (
    "how are commit messages written?",
    "what does the till count in?",
    "when do the parcels go out?",
    "what runs before a commit?",
)
# What is forgotten: a memory, a turn with a correction, what waits for review.
SUBJECTS = {"memory": "imperative", "turn": "cents", "candidate": "noon"}


class Scene(NamedTuple):
    """A shop that learned one session, with all that was made of it beside it."""

    memory: Memory
    home: Path
    folder: Path

    @property
    def root(self) -> Path:
        return homes.shop(self.folder)


@pytest.fixture
def scene(isolated_home: Path, tmp_path: Path) -> Iterator[Scene]:
    shop.log(isolated_home, "aaaa-1", FIRST, cwd=homes.shop(tmp_path))
    with shop.opened(tmp_path) as memory:
        memory.learn()
        stores.mount(memory, "shop", str(tmp_path / "mounted"))
        transfer.export(memory, tmp_path / "before.tar.gz")
        transfer.export(memory, tmp_path / "folder")
        yield Scene(memory, isolated_home, tmp_path)


def forget(memory: Memory, kind: str) -> str:
    """Forget one thing of each sort; returns the word it is known by."""
    word = SUBJECTS[kind]
    if kind == "memory":
        (found,) = [one for one in memory.memories() if word in one.document.description]
        memory.forget(f"{found.store}:{found.name}")
    elif kind == "turn":
        memory.forget("claude-code:aaaa-1#2")
    else:
        (waiting,) = [
            one for one in memory.review().pending().reviews if word in one.candidate.lesson
        ]
        memory.forget(waiting.id)
    return word


def relearned(scene: Scene) -> None:
    scene.memory.learn()


def reindexed(scene: Scene) -> None:
    projects.reindex(scene.memory)
    scene.memory.learn()


def lost_index(scene: Scene) -> None:
    file = scene.memory.config.index_db
    scene.memory.close()
    for suffix in ("", "-wal", "-shm"):
        Path(f"{file}{suffix}").unlink(missing_ok=True)
    scene.memory.learn()


def copied_log(scene: Scene) -> None:
    shop.log(scene.home, "bbbb-2", FIRST, cwd=scene.root, day=1)
    scene.memory.learn()


def other_client(scene: Scene) -> None:
    said = [text for who, text in FIRST if who == "you"]
    lines = [{"type": "event_msg", "payload": {"type": "user_message", "message": t}} for t in said]
    folder = scene.home / ".codex" / "sessions" / "2026" / "09" / "02"
    folder.mkdir(parents=True)
    log = as_bytes(codex(meta(cwd=str(scene.root)), *lines))
    (folder / "rollout-2026-09-02T10-00-00-cccc.jsonl").write_bytes(log)
    assert scene.memory.learn().sessions == 1


def kept_copy(scene: Scene) -> None:
    sessions.keep_logs(scene.memory)
    for log in (scene.home / ".claude").rglob("*.jsonl"):
        log.unlink()
    lost_index(scene)


def dreamt(scene: Scene) -> None:
    for day in (1, 2, 3):
        shop.log(scene.home, f"dddd-{day}", FIRST, cwd=scene.root, day=day)
    scene.memory.dream(apply=True)


def decayed(scene: Scene) -> None:
    scene.memory.decay()
    scene.memory.learn()


def imported_archive(scene: Scene) -> None:
    transfer.import_memories(scene.memory, scene.folder / "before.tar.gz")
    scene.memory.learn()


def imported_folder(scene: Scene) -> None:
    transfer.import_memories(scene.memory, scene.folder / "folder")
    scene.memory.learn()


def synced(scene: Scene) -> None:
    scene.memory.sync()
    scene.memory.learn()


def mounted(scene: Scene) -> str:
    """What the files of the store say, but for the archive."""
    files = sorted((scene.folder / "mounted").rglob("*.md"))
    return "".join(f.read_text(encoding="utf-8") for f in files if "archive" not in f.parts)


WAYS = [
    relearned, reindexed, lost_index, copied_log, other_client, kept_copy, dreamt, decayed,
    imported_archive, imported_folder, synced,
]  # fmt: skip


@pytest.mark.proves("B8")
@pytest.mark.parametrize("kind", SUBJECTS)
@pytest.mark.parametrize("way", WAYS)
def test_what_is_forgotten_comes_back_from_nowhere(
    scene: Scene, kind: str, way: Callable[[Scene], None]
) -> None:
    before = shop.telling(shop.told(scene.memory, *QUESTIONS), SUBJECTS[kind])
    assert {"digest", "diaries", "dream", "an agent"} <= set(before)
    word = forget(scene.memory, kind)
    assert shop.telling(shop.told(scene.memory, *QUESTIONS), word) == []
    way(scene)
    assert shop.telling(shop.told(scene.memory, *QUESTIONS), word) == []
    assert word not in mounted(scene)
    # What was not forgotten is there still.
    assert "linter" in mounted(scene) and "linter" in scene.memory.digest().text
