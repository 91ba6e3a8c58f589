"""Memories that name something which changed: against a real repository with a real history."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.commands import Answer
from tests.patience import SECONDS

from reverie.forget.history import History
from reverie.forget.life import WorkedDays, past
from reverie.forget.stale import definition
from reverie.operations.forgetting import stale_in
from reverie.store.library import Library
from reverie.store.store import Store

BEFORE, AFTER = "2026-03-01T12:00:00Z", "2026-03-20T12:00:00Z"


def git(root: Path, *arguments: str, at: str = BEFORE) -> str:
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    who |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
    done = subprocess.run(
        ["git", "-C", str(root), *arguments],
        env={**os.environ, **who, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def commit(root: Path, files: dict[str, str | None], subject: str, at: str = BEFORE) -> None:
    for name, text in files.items():
        file = root / name
        if text is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", subject, at=at)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Git is given up on for a person who waits, not for a busy machine.
    monkeypatch.setattr("reverie.forget.history.TIMEOUT", SECONDS)
    monkeypatch.setattr("reverie.operations.forgetting.SECONDS", SECONDS)
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q")
    commit(
        root,
        {
            "src/orders.py": "def total_of(order):\n    return sum(order)\n",
            "src/rates.py": "RATE = 2\n",
            "src/export_csv.py": "def rows():\n    return []\n" + "# padding\n" * 20,
            "src/same.py": "def steady():\n    return 1\n",
            "package.json": '{"scripts": {"lint": "eslint .", "test": "jest"}}\n',
            "Makefile": "check:\n\truff check\n\tpyright\n",
        },
        "begin",
    )
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def reverie(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> Answer:
    monkeypatch.setenv("REVERIE_NOW", "2026-03-10T08:00:00Z")
    return answer


def remember(reverie: Answer, text: str) -> str:
    return reverie("remember", text, "--type", "feedback", "--json")["name"]


def stale(reverie: Answer) -> dict[str, list[str]]:
    found = reverie("memories", "--stale", "--json", now="2026-03-25T08:00:00Z")
    return {one["name"]: one["stale"] for one in found}


@pytest.mark.proves("F4")
@pytest.mark.parametrize(
    ("claim", "change", "what"),
    [
        (
            "Never round by hand, go through src/rates.py instead",
            {"src/rates.py": "RATE = 3\n"},
            "changed once since, last by",
        ),
        (
            "Never round by hand, go through src/rates.py instead",
            {"src/rates.py": None},
            "deleted by",
        ),
        (
            "Always take amounts from `total_of()`, never add them up",
            {"src/orders.py": "def total_of(order, currency):\n    return 0\n"},
            "its definition was changed by",
        ),
        (
            "Always take amounts from `total_of()`, never add them up",
            {"src/orders.py": "def sum_of(order):\n    return sum(order)\n"},
            "taken out by",
        ),
        (
            "Run `npm run lint` before each commit",
            {"package.json": '{"scripts": {"lint": "biome check", "test": "jest"}}\n'},
            "package.json now defines it as `biome check`, before `eslint .`",
        ),
        (
            "Run `npm run lint` before each commit",
            {"package.json": '{"scripts": {"test": "jest"}}\n'},
            "no longer in package.json, last changed by",
        ),
    ],
)
def test_what_changed_since_a_memory_was_right_is_said_with_the_commit(
    repository: Path, reverie: Answer, claim: str, change: dict[str, str | None], what: str
) -> None:
    name = remember(reverie, claim)
    assert stale(reverie) == {}
    commit(repository, change, "change it", at=AFTER)
    found = stale(reverie)
    assert list(found) == [name]
    assert what in found[name][0]
    if "`" not in what:
        assert "“change it”" in found[name][0]


@pytest.mark.proves("D12", "F4")
def test_what_is_of_an_outside_tool_is_never_stale_and_what_the_repository_had_is(
    repository: Path, reverie: Answer
) -> None:
    commit(repository, {"src/cli.py": "add('--fast')\n"}, "a flag", at=BEFORE)
    remember(reverie, "Push with `git push --force-with-lease` and never plainly")
    name = remember(reverie, "Always start the import with --fast, it is slow otherwise")
    commit(repository, {"src/cli.py": "x = 1\n"}, "no flag", at=AFTER)
    found = stale(reverie)
    assert list(found) == [name]
    assert "taken out by" in found[name][0]


@pytest.mark.proves("D12", "F4")
def test_a_version_that_the_manifest_left_behind_is_stale(
    repository: Path, reverie: Answer
) -> None:
    name = remember(reverie, "We are on React 18 until the charts library is ported")
    commit(repository, {"package.json": '{"dependencies": {"react": "^19.0"}}'}, "19", at=AFTER)
    assert "now ^19.0 in package.json" in stale(reverie)[name][0]


@pytest.mark.proves("F4")
def test_a_file_that_moved_is_followed(repository: Path, reverie: Answer) -> None:
    name = remember(reverie, "Ask before you touch src/export_csv.py, accounting reads it")
    git(repository, "mv", "src/export_csv.py", "src/csv_rows.py")
    git(repository, "commit", "-q", "-m", "rename", at=AFTER)
    assert "moved to src/csv_rows.py by" in stale(reverie)[name][0]


def test_what_did_not_change_is_not_flagged(repository: Path, reverie: Answer) -> None:
    remember(reverie, "Always call `steady()` of src/same.py first")
    commit(repository, {"src/rates.py": "RATE = 4\n"}, "something else", at=AFTER)
    assert stale(reverie) == {}


@pytest.mark.proves("F4")
def test_a_stale_memory_is_offered_for_review_and_never_dropped(
    repository: Path, reverie: Answer
) -> None:
    name = remember(reverie, "Never round by hand, go through src/rates.py instead")
    other = remember(reverie, "Always take amounts from `total_of()`, never add them up")
    commit(repository, {"src/rates.py": None, "src/orders.py": "x = 1\n"}, "gone", at=AFTER)
    report = reverie("decay", "--json", now="2026-03-25T08:00:00Z")
    assert {one["name"] for one in report["stale"]} == {name, other}
    assert report["steps"] == []
    assert {one["name"] for one in reverie("memories", "--json")} == {name, other}
    waiting = reverie("review", "--stale", "--json")
    assert {one["name"] for one in waiting} == {name, other}
    left = reverie("review", "--stale", "--accept", name, "--reject", other, "--json")
    assert [one["name"] for one in left] == [name]  # the file is gone for good, whoever says what
    assert {one["name"] for one in reverie("memories", "--json")} == {name}
    assert {one["name"] for one in reverie("memories", "--archived", "--json")} == {other}


def test_still_right_clears_the_flag_of_a_change(repository: Path, reverie: Answer) -> None:
    name = remember(reverie, "Never round by hand, go through src/rates.py instead")
    commit(repository, {"src/rates.py": "RATE = 9\n"}, "other rate", at=AFTER)
    assert list(stale(reverie)) == [name]
    assert reverie("review", "--stale", "--accept", name, "--json") == []
    assert stale(reverie) == {}


def test_without_git_what_is_gone_is_still_seen(
    tmp_path: Path, isolated_home: Path, reverie: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = remember(reverie, "Never round by hand, go through src/rates.py instead")
    with Store.open(f"sqlite:///{isolated_home}/.reverie/memory.db") as store:
        items = Library(store).documents("global")
        (tmp_path / "plain").mkdir()
        found = stale_in(
            str(tmp_path / "plain"), items, past(store.database, items, {}, {}, WorkedDays({}))
        )
    assert not History(str(tmp_path / "plain")).available
    assert [one.item.name for one in found] == [name]
    assert found[0].changes[0].what == "not in the working tree"


@pytest.mark.hostile("M7")
def test_nothing_a_repository_configures_is_run(repository: Path, reverie: Answer) -> None:
    proof = repository.parent / "ran"
    trap = repository.parent / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {proof}\ncat\n", encoding="utf-8")
    trap.chmod(0o755)
    commit(repository, {".gitattributes": "*.py diff=trap filter=trap\n"}, "trap")
    for key in (
        *("core.fsmonitor", "core.pager", "diff.external", "diff.trap.textconv", "gpg.program"),
        *("diff.trap.command", "filter.trap.clean", "filter.trap.smudge", "core.sshCommand"),
    ):
        git(repository, "config", key, str(trap))
    git(repository, "config", "log.showSignature", "true")
    proof.unlink(missing_ok=True)
    hooks = repository / ".git" / "hooks"
    for hook in ("post-index-change", "reference-transaction"):
        (hooks / hook).write_text(trap.read_text(encoding="utf-8"), encoding="utf-8")
        (hooks / hook).chmod(0o755)
    remember(reverie, "Go through src/rates.py and `total_of()`, then run `npm run lint`")
    (repository / "src/rates.py").write_text("RATE = 7\n", encoding="utf-8")
    history = History(str(repository))
    assert history.available
    history.changes("src/rates.py", BEFORE)
    history.removed("src/rates.py", BEFORE)
    history.touched("def", BEFORE)
    history.dropped("total_of", BEFORE)
    history.content("package.json", AFTER)
    reverie("decay", "--json")
    assert not proof.exists()
    git(repository, "status")
    assert proof.exists()  # the traps are live


def test_a_path_that_looks_like_an_option_or_a_pattern_is_only_a_path(repository: Path) -> None:
    history = History(str(repository))
    since = "2026-01-01T00:00:00Z"
    for path in ("--output=/tmp/x", ":(exclude)src", "*", "src/*.py", "-n1"):
        assert history.changes(path, since) == []
        assert history.content(path, AFTER) == ""


@pytest.mark.parametrize(
    ("text", "target", "found"),
    [
        ('{"scripts": {"lint": "eslint ."}}', "lint", "eslint ."),
        ('{"scripts": {"lint": "a \\"b\\""}}', "lint", 'a \\"b\\"'),
        ("check:\n\truff check\n\tpyright\n", "check", "ruff check && pyright"),
        ("check: deps\n\truff check\nother:\n\tno\n", "check", "ruff check"),
        ("build:\n\tx\n", "check", ""),
        ("", "check", ""),
    ],
)
def test_what_a_target_runs(text: str, target: str, found: str) -> None:
    assert definition(text, target) == found
