"""The checker of syncs can fail: each loss that it looks for is made by hand, and it is seen."""

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import zstandard
from bench import sync_checks as checks
from bench.sync_checks import Snapshot
from bench.sync_deeds import CLAIMS, Deed, Person, claims_in, marks, read_log
from bench.sync_machines import Machine
from bench.sync_remotes import Late

from reverie.language.compare import relation

DEEDS = ("remember", "remember", "put", "edit", "edit", "delete", "remember", "edit", "redact")
SEED = 7


class Scene:
    """A home in which things happened, and a second one that has heard of all of it."""

    def __init__(self, root: Path) -> None:
        self.log = root / "deeds.log"
        self.machines = [Machine(name, "ada", root / name) for name in ("ada0", "ada1")]
        first, second = self.machines
        first.set_up(random.Random(SEED))
        person = Person(first, self.log, SEED)
        for kind in (*DEEDS, *DEEDS):
            person.act(kind)
        while not list(checks.forgotten_claims(self.deeds)):
            person.work(2, ("remember", "forget"))
        shutil.copytree(first.home, second.home)

    @property
    def deeds(self) -> list[Deed]:
        return read_log(self.log)

    def found(self) -> list[Snapshot]:
        return [checks.snapshot(machine) for machine in self.machines]

    def change(self, sql: str, *values: object) -> int:
        """Tamper with the second home; how many rows it touched."""
        with closing(sqlite3.connect(self.machines[1].home / "memory.db")) as database:
            touched = database.execute(sql, values).rowcount
            database.commit()
        return touched

    def a_live_head(self) -> checks.Head:
        """One that says a claim, and is not archived."""
        heads = (head for head in self.found()[1].every_head() if head.live)
        return next(head for head in heads if claims_in(head.content))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("scene")
    Scene(root)
    return root


@pytest.fixture
def scene(played: Path, tmp_path: Path) -> Scene:
    shutil.copytree(played, tmp_path / "scene")
    copied = Scene.__new__(Scene)
    copied.log = tmp_path / "scene" / "deeds.log"
    copied.machines = [Machine(name, "ada", tmp_path / "scene" / name) for name in ("ada0", "ada1")]
    return copied


def violations(scene: Scene) -> list[str]:
    found, deeds = scene.found(), scene.deeds
    gone = checks.redacted_marks(found, deeds)
    wrong = [
        *checks.heads_differ(found),
        *checks.versions_differ(found),
        *checks.acknowledged_lost(found, deeds),
        *checks.duplicates(found, deeds),
        *checks.words_lost(found, deeds),
        *checks.came_back(found, deeds),
        *checks.redaction_undone(found, deeds),
    ]
    for machine, one in zip(scene.machines, found, strict=True):
        wrong += checks.unhealthy(machine)
        wrong += checks.still_told(machine, one, deeds)
        wrong += checks.bytes_left(machine.name, checks.files_of(machine.home), gone)
        wrong += checks.words_indexed(machine.home, gone)
    return wrong


def test_two_homes_that_know_the_same_break_no_promise(scene: Scene) -> None:
    assert violations(scene) == []
    deeds = scene.deeds
    assert {"remember", "edit", "delete", "redact", "forget"} <= {d.kind for d in deeds if d.done}
    assert checks.redacted_marks(scene.found(), deeds)
    assert list(checks.forgotten_claims(deeds))


def lose_a_version(scene: Scene) -> int:
    version = next(deed for deed in scene.deeds if deed.kind == "delete" and deed.done).versions[0]
    return scene.change("DELETE FROM versions WHERE id = ?", version)


def alter_a_text(scene: Scene) -> int:
    head = scene.a_live_head()
    text = head.content + "Nobody said this.\n"
    return scene.change("UPDATE versions SET content = ? WHERE id = ?", text, head.version)


def lose_a_memory(scene: Scene) -> int:
    return scene.change("DELETE FROM memories WHERE id = ?", scene.a_live_head().memory)


def raise_trust(scene: Scene) -> int:
    version = scene.a_live_head().version
    return scene.change("UPDATE versions SET trust = 'tool' WHERE id = ?", version)


def say_it_twice(scene: Scene) -> int:
    head = scene.a_live_head()
    with scene.machines[1].opened() as memory:
        store = scene.found()[1].versions[head.version]["store"]
        names = {v: k for k, v in checks.keys_of(scene.machines[1].home).items()}
        by = memory.asker.author("copied")
        memory.store.create(names[store], "/once-more.md", head.content, by)
    return 1


def bring_back_what_was_redacted(scene: Scene) -> int:
    deed = next(deed for deed in scene.deeds if deed.redacted and deed.done)
    text = f"{deed.before[0]}\n"
    return scene.change(
        "UPDATE versions SET path = '/back.md', content = ? WHERE id = ?", text, deed.redacted
    )


def leave_redacted_bytes(scene: Scene) -> int:
    gone = sorted(checks.redacted_marks(scene.found(), scene.deeds))
    left = scene.machines[1].home / "left-behind"
    return left.write_text(gone[0], encoding="utf-8")


def bring_back_what_was_forgotten(scene: Scene) -> int:
    deed, _ = next(iter(checks.forgotten_claims(scene.deeds)))
    return scene.change("UPDATE memories SET path = '/again.md' WHERE id = ?", deed.memories[0])


LOSSES: dict[str, Callable[[Scene], int]] = {
    "lacks memver": lose_a_version,
    "has other text": alter_a_text,
    "is only in ada0": lose_a_memory,
    "differs in ada0 and ada1: ['trust']": raise_trust,
    "say the same": say_it_twice,
    "has its text": bring_back_what_was_redacted,
    "in left-behind": leave_redacted_bytes,
    "says what was forgotten": bring_back_what_was_forgotten,
}


@pytest.mark.parametrize("words", LOSSES)
def test_a_loss_is_seen(scene: Scene, words: str) -> None:
    assert LOSSES[words](scene)
    assert any(words in sentence for sentence in violations(scene))


def test_words_that_nobody_took_out_must_stand_somewhere(scene: Scene) -> None:
    found, deeds = scene.found(), scene.deeds
    made = next(
        deed
        for deed in deeds
        if deed.done and deed.kind == "put" and {*deed.after} <= {*_marks_in(found[0])}
    )
    assert scene.change("UPDATE versions SET content = 'empty' WHERE id = ?", made.versions[0])
    assert any(made.after[0] in sentence for sentence in checks.words_lost(scene.found(), deeds))


def test_the_word_of_somebody_else_may_not_be_trusted_as_mine(scene: Scene) -> None:
    people = {"ada0": "bea", "ada1": "ada"}
    assert checks.foreign_trusted(scene.found()[1], scene.deeds, people)
    scene.change("UPDATE versions SET trust = 'agent'")
    scene.change("UPDATE memories SET trust = 'agent'")
    assert checks.foreign_trusted(scene.found()[1], scene.deeds, people) == []


def test_words_are_found_in_what_is_packed() -> None:
    whole = zstandard.compress(b"qux")
    packed = {"plain": b"a qux b", "zstd": whole, "headed": b"reverie-pack x\n" + whole}
    found = checks.bytes_left("remote", packed | {"other": b"nothing"}, ["qux"])
    assert found == [f"remote: qux in {name}" for name in packed]


def _marks_in(one: Snapshot) -> list[str]:
    return [mark for head in one.every_head() for mark in marks(head.content)]


def test_no_two_claims_are_related_and_the_wordings_of_one_are() -> None:
    for number, forms in enumerate(CLAIMS):
        assert all(relation(forms[0], form) == "same" for form in forms)
        for others in CLAIMS[number + 1 :]:
            assert {relation(one, other) for one in forms for other in others} == {"different"}


def test_the_late_folder_brings_everything_at_last_and_halves_before(tmp_path: Path) -> None:
    machines = [Machine(name, "ada", tmp_path / name) for name in ("a", "b", "c")]
    late = Late(tmp_path / "late", machines)
    texts = {f"journals/{n}.pack": bytes([n]) * 100 for n in range(20)}
    for file, data in texts.items():
        place = late.copies["a"] / file
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
    chance, halves = random.Random(3), 0
    for _ in range(6):
        late.stir(chance)
        halves += len([*late.copies["b"].rglob(".syncthing.*")])
    assert halves
    (late.copies["a"] / "journals/0.pack").unlink()
    del texts["journals/0.pack"]
    while late.deliver():
        continue
    for copy in late.copies.values():
        whole = {str(f.relative_to(copy)): f.read_bytes() for f in copy.rglob("*.pack")}
        assert whole == texts


def test_a_file_that_two_machines_made_is_kept_as_both(tmp_path: Path) -> None:
    machines = [Machine(name, "ada", tmp_path / name) for name in ("a", "b")]
    late = Late(tmp_path / "late", machines)
    for name, copy in late.copies.items():
        (copy / "made.json").write_text(name, encoding="utf-8")
    while late.deliver():
        continue
    for copy in late.copies.values():
        assert {file.read_text(encoding="utf-8") for file in copy.iterdir()} == {"a", "b"}
