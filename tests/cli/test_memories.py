"""The commands for memories, from the outside: what they print, write and refuse."""

import json
import stat
import sys
from pathlib import Path

import pytest
from tests.commands import Command, let_scripts_speak

from reverie import config
from reverie.asker import Asker
from reverie.memory import Memory
from reverie.serve.tools import Tools

NOW = "2026-11-18T09:30:00Z"  # a Wednesday


@pytest.fixture(autouse=True)
def project(shop: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository named `shop` as the working directory, and a clock that stands."""
    monkeypatch.setenv("REVERIE_NOW", NOW)
    monkeypatch.setenv("TZ", "UTC")
    return shop


@pytest.fixture
def reverie(command: Command) -> Command:
    return command


def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Makes `$EDITOR` a small program; `body` has `text` and must set it."""
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, sys\nfile = pathlib.Path(sys.argv[1])\n"
        f"text = file.read_text(encoding='utf-8')\n{body}\n"
        "file.write_text(text, encoding='utf-8')\n"
        # An editor is noticed to have saved by the file's time.
        "import os\nos.utime(file, (2_000_000_000, 2_000_000_000))\n",
        encoding="utf-8",
    )
    launcher = tmp_path / "editor"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$1"\n', encoding="utf-8")
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("VISUAL", str(launcher))


@pytest.mark.proves("D2", "D4")
def test_remember_writes_a_typed_dated_memory_with_reason_and_absolute_dates(reverie: Command):
    code, _, err = reverie(
        *("remember", "Never merge to the release branch before next Tuesday"),
        *("--why", "the audit is tomorrow", "--how", "open a draft instead", "--pin"),
    )
    name = "never-merge-to-release-branch"
    assert (code, err) == (0, f"remembered as shop:{name} (feedback)\n")
    code, out, _ = reverie("show", "never")
    assert out == (
        "---\n"
        f"name: {name}\n"
        "description: Never merge to the release branch before 2026-11-24\n"
        "metadata:\n"
        "  type: feedback\n"
        "  scope: shop\n"
        "  created: 2026-11-18\n"
        "  pinned: true\n"
        "  trust: user\n"
        "---\n"
        "Never merge to the release branch before 2026-11-24\n"
        "\n"
        "**Why:** the audit is 2026-11-19\n"
        "\n"
        "**How to apply:** open a draft instead\n"
    )


@pytest.mark.proves("D6")
def test_what_is_about_the_user_goes_to_the_shared_store(
    reverie: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    reverie("remember", "I am a data engineer and new to Rust")
    reverie("remember", "The till counts in cents")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    _, out, _ = reverie("memories", "--json")
    assert [(m["store"], m["type"]) for m in json.loads(out)] == [("global", "user")]


@pytest.mark.proves("D3")
def test_a_derivable_fact_is_kept_for_a_person_with_what_would_be_worth_more(reverie: Command):
    code, out, err = reverie("remember", "The project uses React 18.2.0")
    assert (code, out) == (0, "")
    kept, hint = err.splitlines()
    assert kept.startswith("remembered as shop:")
    assert hint.startswith("hint: the manifest and the lock file say")
    assert "Save why a version is held back" in hint
    why = ("--why", "the table breaks on 18")
    _, _, err = reverie("remember", "The project uses React 17.0", *why)
    assert "hint" not in err, "with its reason it is a decision"


def test_what_an_agent_saved_is_found_where_its_answer_says(
    reverie: Command, project: Path, isolated_home: Path
):
    reverie("remember", "Never use floats for money")
    agent = Asker("mcp", "s-1", "agent", "claude-code")
    with Memory.open(isolated_home / ".reverie", asker=agent, folder=project) as memory:
        answer = Tools(memory).call("remember", {"text": "The till counts in cents"})
    command = answer.partition("`reverie ")[2].partition("`")[0]
    code, out, err = reverie(*command.split())
    assert (code, out.split()[:3]) == (0, ["shop:till-counts-in-cents", "agent", "project"])
    assert len(out.splitlines()) == 1
    assert "makes one your word" in err
    _, _, err = reverie("remember", "The till counts in cents")
    assert err == "shop:till-counts-in-cents says this already, and is your word from now on\n"
    assert reverie("memories", "--by", "agent")[1] == ""
    assert "till-counts-in-cents" in reverie("memories", "--by", "user")[1]


@pytest.mark.proves("D3")
def test_what_claude_md_says_is_refused(reverie: Command, project: Path):
    rule = "Run make check before every commit and fix what it says"
    (project / "CLAUDE.md").write_text(f"- {rule}.\n", encoding="utf-8")
    code, _, err = reverie("remember", rule)
    assert code == 5
    assert "CLAUDE.md already says this" in err


def test_a_secret_is_never_stored(reverie: Command):
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"
    reverie("remember", f"Never print the token {secret} in CI logs")
    _, out, _ = reverie("show", "never-print-token-in-ci-logs")
    assert secret not in out
    assert "[redacted:" in out


def test_the_same_thing_is_not_remembered_twice(reverie: Command):
    reverie("remember", "The till counts in cents")
    code, _, err = reverie("remember", "the till counts in cents")
    assert (code, err) == (0, "shop:till-counts-in-cents says this already\n")
    assert len(json.loads(reverie("memories", "--json")[1])) == 1


def test_memories_are_filtered(reverie: Command):
    reverie("remember", "The till counts in cents", "--kind", "data-quirk", "--pin")
    reverie("remember", "Never use floats for money", "--kind", "best-practice")
    reverie("remember", "Prefer short answers", "--scope", "global")

    def names(*options: str) -> list[str]:
        return [m["name"] for m in json.loads(reverie("memories", "--json", *options)[1])]

    assert names() == ["never-use-floats-for-money", "till-counts-in-cents", "prefer-short-answers"]
    assert names("--type", "project") == ["till-counts-in-cents"]
    assert names("--kind", "best-practice") == ["never-use-floats-for-money"]
    assert names("--scope", "global") == ["prefer-short-answers"]
    assert names("--pinned") == ["till-counts-in-cents"]
    assert names("--archived") == []
    assert names("--store", "global") == ["prefer-short-answers"]


@pytest.mark.proves("F4")
def test_stale_lists_what_names_a_lost_file(reverie: Command, project: Path):
    (project / "till.py").write_text("x = 1\n", encoding="utf-8")
    reverie("remember", "Always read `till.py` before changing prices")
    reverie("remember", "Always read `gone/money.py` before changing taxes")
    found = json.loads(reverie("memories", "--stale", "--json")[1])
    assert [m["name"] for m in found] == ["read-money-before-changing-taxes"]
    assert "gone/money.py" in found[0]["stale"][0]


@pytest.mark.proves("C4")
def test_forget_archives_and_restore_brings_back(reverie: Command):
    reverie("remember", "The till counts in cents")
    assert reverie("forget", "till", "--why", "sold the till")[0] == 0
    assert json.loads(reverie("memories", "--json")[1]) == []
    (archived,) = json.loads(reverie("memories", "--archived", "--json")[1])
    assert archived["path"] == "/archive/2026-11-18/till-counts-in-cents.md"
    assert reverie("forget", "till")[0] == 2
    assert reverie("restore", "till")[0] == 0
    log = json.loads(reverie("log", "till", "--json")[1])
    assert [v["reason"] for v in log] == [
        "restored from the archive",
        "sold the till",
        "remembered by hand",
    ]


@pytest.mark.proves("C4")
def test_history_can_be_read_compared_restored_and_redacted(reverie: Command):
    reverie("remember", "The till counts in cents")
    reverie("pin", "till", "--why", "hard won")
    _, out, _ = reverie("diff", "till")
    assert "+  pinned: true" in out.splitlines()
    assert "--- till-counts-in-cents v1" in out
    assert json.loads(reverie("diff", "till", "1", "2", "--json")[1])["to"]["number"] == 2
    assert reverie("restore", "till", "1")[0] == 0
    assert "pinned: true" not in reverie("show", "till")[1]
    assert reverie("redact", "till@2", "--yes")[0] == 0
    code, _, err = reverie("diff", "till", "2", "3")
    assert (code, err) == (2, "error: version 2 is redacted: its text is gone\n")
    numbers = [v["number"] for v in json.loads(reverie("log", "shop", "--json")[1])]
    assert numbers == [3, 2, 1]
    code, _, err = reverie("restore", "till", "9")
    assert code == 3
    assert "it has versions 1 to 3" in err


def test_redact_asks_first(reverie: Command, monkeypatch: pytest.MonkeyPatch):
    reverie("remember", "The till counts in cents")
    reverie("pin", "till")
    import io

    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    assert reverie("redact", "till@1")[0] == 5
    assert all(v["redacted"] is None for v in json.loads(reverie("log", "till", "--json")[1]))


def test_rename_keeps_the_history_and_tells_who_still_links(reverie: Command):
    reverie("remember", "The till counts in cents")
    reverie("remember", "Prices follow [[till-counts-in-cents]] by policy")
    code, _, err = reverie("rename", "till", "money-in-cents")
    assert code == 0
    assert "still links to [[till-counts-in-cents]]" in err
    assert len(json.loads(reverie("log", "money", "--json")[1])) == 2


@pytest.mark.proves("C3")
def test_edit_keeps_what_the_editor_saved(
    reverie: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    reverie("remember", "The till counts in cents")
    editor(tmp_path, monkeypatch, "text = text.replace('cents', 'pence')")
    code, _, err = reverie("edit", "till", "--why", "moved to London")
    assert (code, err) == (0, "shop:till-counts-in-cents is now version 2\n")
    assert "The till counts in pence\n" in reverie("show", "till")[1]
    editor(tmp_path, monkeypatch, "pass")
    assert "nothing changed" in reverie("edit", "till")[2]


MEANWHILE = """
import os, subprocess, sys
subprocess.run([sys.executable, '-c',
    "from reverie.cli.root import run; run(['pin', 'till', '--why', 'meanwhile'])"], check=True)
"""


@pytest.mark.proves("C3")
def test_an_edit_during_somebody_elses_change_is_merged(
    reverie: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    let_scripts_speak(config.load().home)
    reverie("remember", "The till counts in cents", "--how", "divide by 100")
    editor(tmp_path, monkeypatch, MEANWHILE + "text = text.replace('by 100', 'by one hundred')")
    code, _, err = reverie("edit", "till")
    assert code == 0, err
    assert "both changes are merged" in err
    _, out, _ = reverie("show", "till")
    assert "divide by one hundred" in out
    assert "pin_reason: meanwhile" in out


@pytest.mark.proves("C3")
def test_an_edit_that_cannot_be_merged_is_kept_beside(
    reverie: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolated_home: Path
):
    let_scripts_speak(config.load().home)
    reverie("remember", "The till counts in cents")
    clash = "text = text.replace('  trust: user\\n', '  trust: user\\n  pinned: false\\n')"
    editor(tmp_path, monkeypatch, MEANWHILE + clash)
    code, _, err = reverie("edit", "till")
    assert code == 4
    kept = isolated_home / ".reverie" / "unsaved" / "till-counts-in-cents.md"
    assert str(kept) in err
    text = kept.read_text(encoding="utf-8")
    assert "pinned: false" in text
    assert "pin_reason: meanwhile" in text


@pytest.mark.proves("D1")
def test_an_edit_with_a_wrong_type_is_refused_and_not_lost(
    reverie: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    reverie("remember", "The till counts in cents")
    editor(tmp_path, monkeypatch, "text = text.replace('type: project', 'type: fact')")
    code, _, err = reverie("edit", "till")
    assert code == 2
    assert "type must be one of user, feedback, project, reference, not 'fact'" in err
    assert "hint: your text is in " in err
    assert "type: project" in reverie("show", "till")[1]


def test_an_unknown_name_gets_a_suggestion(reverie: Command):
    reverie("remember", "The till counts in cents")
    code, out, err = reverie("show", "til-count")
    assert (code, out) == (3, "")
    assert err == (
        "error: there is no memory 'til-count'\nhint: did you mean till-counts-in-cents?\n"
    )


@pytest.mark.hostile("H11")
def test_stored_escapes_are_shown_not_obeyed(reverie: Command):
    reverie("remember", "Never print \x1b[31mred\x1b[0m in logs")
    _, out, _ = reverie("show", "never")
    assert "\x1b" not in out


def test_a_misspelt_scope_or_store_makes_no_new_store(reverie: Command):
    assert reverie("remember", "Ask before touching billing tables", "--why", "audits")[0] == 0
    for wrong in (("--scope", "shpo"), ("--store", "shpo"), ("--scope", "../shpo")):
        code, out, err = reverie("remember", "Ask before touching tax tables", *wrong)
        assert (code, out) == (3, "")
        assert err.startswith("error: ")
    stores = json.loads(reverie("stores", "list", "--json")[1])
    assert [store["name"] for store in stores] == ["shop"]
    assert reverie("remember", "Ask before touching tax tables", "--store", "shop")[0] == 0


def test_what_is_known_already_is_given_back_as_data_too(reverie: Command):
    first = reverie("remember", "Ask before touching billing tables", "--json")
    again = reverie("remember", "Ask before touching billing tables", "--json")
    assert (again[0], json.loads(again[1])) == (0, json.loads(first[1]))


def test_a_memory_cannot_be_renamed_to_nothing(reverie: Command):
    reverie("remember", "Ask before touching billing tables", "--name", "ask")
    assert reverie("rename", "ask", " ") == (2, "", "error: a memory has a name\n")
    assert reverie("show", "ask")[0] == 0


def test_an_archived_store_takes_nothing_and_gets_no_namesake(reverie: Command):
    reverie("stores", "create", "old")
    reverie("stores", "archive", "old", "--yes")
    code, _, err = reverie("remember", "Ask before touching tax tables", "--store", "old")
    assert (code, err.splitlines()[0]) == (5, "error: the store old is archived")
    assert json.loads(reverie("stores", "list", "--json")[1]) == []


def test_an_editor_that_fails_leaves_what_was_typed_for_the_user_alone(
    reverie: Command, isolated_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    reverie("remember", "Ask before touching billing tables", "--name", "ask")
    kept = isolated_home / ".reverie" / "unsaved" / "ask.md"
    monkeypatch.setenv("VISUAL", '"never closed')
    code, _, err = reverie("edit", "ask")
    assert (code, err.splitlines()[1]) == (8, "hint: set $EDITOR")
    assert not kept.exists(), "nothing was typed"
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/billing/tax/' \"$1\"\nexit 1\n")
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))
    code, _, err = reverie("edit", "ask")
    assert (code, err.splitlines()[1]) == (8, f"hint: what you typed is in {kept}")
    assert "tax tables" in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert "tax" not in reverie("show", "ask")[1]


def test_an_edit_of_the_description_is_an_edit_of_the_rule(
    reverie: Command, monkeypatch: pytest.MonkeyPatch
):
    reverie("remember", "Ask before touching billing tables", "--name", "ask")
    monkeypatch.setenv("VISUAL", "sed -i '/^description/s/billing/tax/'")
    assert reverie("edit", "ask")[0] == 0
    assert reverie("show", "ask")[1].count("touching tax tables") == 2


@pytest.mark.hostile("X2")
def test_a_secret_cannot_be_a_name(reverie: Command):
    secret = "gh" + "p_" + "h4Qz8Lw2Rk7Vt1Xc9Nb5Mj3Fd6Gs0Pa4Ye8U"
    code, _, err = reverie("remember", "Prefer small commits.", "--name", f"by-{secret}")
    assert code == 2
    assert secret not in err
    reverie("remember", "Prefer small commits.", "--name", "commits")
    assert reverie("rename", "commits", f"by-{secret}")[0] == 2
