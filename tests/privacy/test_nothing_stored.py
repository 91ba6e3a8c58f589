"""Secrets through the whole program: no byte of them reaches the disk."""

import json
import random
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from click.testing import CliRunner
from tests import privacy_generator as generator
from tests.sessions.logs import SESSION, claude, codex, meta, written

from reverie.cli.root import root, run
from reverie.connect import spool
from reverie.errors import InvalidInput
from reverie.mounts.transfer import export
from reverie.store.model import Actor, Author
from reverie.store.store import Store

PLACES = (
    "sentence",
    "env dump",
    "diff",
    "json in json",
    "base64 alone",
    "password is",
    "postgres url",
)


def reverie(*arguments: str) -> str:
    result = CliRunner().invoke(root, arguments, prog_name="reverie")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def data(*arguments: str) -> Any:
    return json.loads(reverie(*arguments, "--json"))


def said(text: str) -> dict[str, Any]:
    return {
        "type": "user",
        "message": {"role": "user", "content": text},
        "origin": {"kind": "human"},
    }


def replied(text: str) -> dict[str, Any]:
    return {
        "type": "assistant",
        "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
    }


def ran(number: int, command: str, output: str, *, failed: bool = False) -> list[dict[str, Any]]:
    call = {
        "type": "tool_use",
        "id": f"toolu_{number}",
        "name": "Bash",
        "input": {"command": command},
    }
    result = {
        "type": "tool_result",
        "tool_use_id": f"toolu_{number}",
        "content": output,
        "is_error": failed,
    }
    return [
        {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
        {"type": "user", "message": {"role": "user", "content": [result]}},
    ]


def write_log(home: Path, *records: dict[str, Any], session: str = SESSION) -> None:
    file = home / ".claude" / "projects" / "-w-app" / f"{session}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps(record | {"sessionId": session, "uuid": f"{session}-{number}"})
        for number, record in enumerate(claude(*records))
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def stored(home: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file below the home, decompressed, except the key of the marks."""
    for file in sorted((home / ".reverie").rglob("*")):
        if stat.S_ISREG(file.lstat().st_mode) and file.name != "redaction.key":
            content = file.read_bytes()
            if file.suffix == ".zst":
                content = zstandard.ZstdDecompressor().stream_reader(content).read()
            yield file, content


def pieces(secret: str) -> set[bytes]:
    """Parts of a secret long enough to be of use, none of them its public beginning."""
    lines = [line for line in secret.splitlines() if "KEY" not in line]
    return {line[-12:].encode() for line in lines if len(line) >= 8}


@pytest.mark.hostile("X1")
def test_no_byte_of_a_secret_is_on_disk_after_learning_and_keeping(isolated_home: Path) -> None:
    rng = random.Random(11)
    secrets: list[str] = []
    for number, kind in enumerate(generator.KINDS):
        records: list[dict[str, Any]] = []
        for place in PLACES:
            secret = kind.make(rng)
            text = generator.SEEN[place](kind, secret, rng)
            if text is None:
                continue
            secrets.append(secret)
            records.append(said(f"no, {place} {number} is wrong: {text}"))
            records.append(replied(f"I see: {text}"))
            records += ran(number, f"echo '{text}'", text, failed=number % 2 == 0)
        session = f"00000000-0000-4000-8000-{number:012x}"
        write_log(isolated_home, *records, session=session)
    reverie("learn")
    reverie("sessions", "keep", "--all")
    assert "redacted" in reverie("sessions", "search", "redacted")
    assert len(data("sessions", "list")) == len(generator.KINDS)
    files = list(stored(isolated_home))
    assert any(file.suffix == ".zst" for file, _ in files)
    found = [
        (file.name, piece)
        for file, content in files
        for secret in secrets
        for piece in pieces(secret)
        if piece in content
    ]
    assert found == []


@pytest.mark.hostile("X2")
def test_a_secret_in_a_title_a_command_or_an_error_is_not_stored(isolated_home: Path) -> None:
    rng = random.Random(5)
    kinds = {kind.name: kind.make for kind in generator.KINDS}
    title, command, error = (kinds[name](rng) for name in ("github", "stripe", "npm"))
    write_log(
        isolated_home,
        said("deploy it"),
        *ran(1, f"deploy --token {command}", f"Exit code 1\nbad token {error}", failed=True),
        {"type": "ai-title", "aiTitle": f"Deploy with {title}"},
    )
    shown = (
        reverie("learn") + reverie("sessions", "list") + reverie("sessions", "show", SESSION[:12])
    )
    for secret in (title, command, error):
        assert secret not in shown
        assert [file for file, content in stored(isolated_home) if secret.encode() in content] == []


@pytest.mark.hostile("X2")
def test_a_secret_in_a_folder_a_branch_or_a_remote_is_not_stored(isolated_home: Path) -> None:
    rng = random.Random(6)
    kinds = {kind.name: kind.make for kind in generator.KINDS}
    folder, branch, remote = (kinds[name](rng) for name in ("github", "npm", "gitlab"))
    write_log(
        isolated_home, said("always use tabs") | {"cwd": f"/w/{folder}/a", "gitBranch": branch}
    )
    thread = "019f05f8-7f53-7492-a941-83098e16765c"
    rollout = isolated_home / ".codex" / "sessions" / "2026" / "09" / "01"
    rollout.mkdir(parents=True)
    url = f"https://oauth2:{remote}@git.example.com/team/lib.git"
    meta = {"id": thread, "cwd": "/w/lib", "source": "cli", "git": {"repository_url": url}}
    spoken = {"type": "user_message", "message": "never use spaces", "images": []}
    records = [{"type": "session_meta", "payload": meta}, {"type": "event_msg", "payload": spoken}]
    lines = [json.dumps({"timestamp": "2026-09-01T10:00:00.000Z", **record}) for record in records]
    log = rollout / f"rollout-2026-09-01T10-00-00-{thread}.jsonl"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    shown = reverie("learn") + reverie("projects") + reverie("sessions", "list")
    assert "git.example.com/team/lib" in shown
    for secret in (folder, branch, remote):
        assert secret not in shown
        assert [file for file, content in stored(isolated_home) if secret.encode() in content] == []


@pytest.mark.hostile("X2")
def test_a_secret_in_a_memory_is_not_stored(isolated_home: Path) -> None:
    secret = next(kind for kind in generator.KINDS if kind.name == "gitlab").make(random.Random(1))
    reverie("remember", f"The registry of the shop wants the token {secret} in every job")
    assert [file for file, content in stored(isolated_home) if secret.encode() in content] == []


def test_words_that_were_ignored_or_unlearned_are_in_no_byte_of_the_index(
    isolated_home: Path,
) -> None:
    home = isolated_home / ".reverie"
    home.mkdir()
    (home / "config.toml").write_text('[privacy]\nignore_turns = ["walrus"]\n', encoding="utf-8")
    spoken = ("the walrus is asleep", "the pelican is awake")
    events = [{"type": "user_message", "message": text} for text in spoken]
    lines = [meta(), *codex(*({"type": "event_msg", "payload": event} for event in events))]
    folder = isolated_home / ".codex" / "sessions" / "2026" / "09" / "01"
    folder.mkdir(parents=True)
    written(folder, lines, f"rollout-2026-09-01T00-00-00-{SESSION}.jsonl")

    def stored() -> bytes:
        return b"".join(file.read_bytes() for file in sorted(home.glob("index.db*")))

    reverie("learn")
    assert b"pelican" in stored()
    assert b"asleep" not in stored()
    reverie("unlearn", SESSION, "--yes")
    assert b"pelican" not in stored()


# A word that only its place makes a secret; drawn, so that no file of the project holds it.
WORD = "".join(random.Random(8).choices("bcdfghjklmnpqrstvwxz", k=11))
ARGUMENTS: tuple[dict[str, Any], ...] = (
    {"password": WORD},
    {"connection": {"user": "svc", "password": {"value": WORD}}},
    {"env": {"DB_PASSWORD": WORD}},
    {"env": [f"SMTP_PASS={WORD} {WORD}"]},
    {"variables": [{"name": "PGPASSWORD", "value": WORD}]},
    {"headers": {"Authorization": f"Bearer {WORD}"}},
    {"argv": ["deploy", "--password", f"{WORD} {WORD}"]},
    {"command": "mysql", "args": ["-u", "svc", f"-p{WORD}"]},
    {"auth": ["svc", WORD]},
    {"payload": json.dumps({"passphrase": f"{WORD} {WORD}"})},
    {"body": json.dumps({"inner": json.dumps({"dbPassword": WORD})})},
    {"rows": [{"passwd": WORD}, {"passwd": f"{WORD}!"}]},
)


def leaks(home: Path, word: str) -> list[str]:
    return [file.name for file, content in stored(home) if word.encode() in content]


@pytest.mark.hostile("X1")
def test_a_secret_among_the_arguments_of_a_tool_is_neither_indexed_nor_kept(
    isolated_home: Path,
) -> None:
    calls = [
        {"type": "tool_use", "id": f"toolu_{number}", "name": "Deploy", "input": given}
        for number, given in enumerate(ARGUMENTS)
    ]
    message = {"role": "assistant", "content": calls}
    write_log(isolated_home, said("deploy it"), {"type": "assistant", "message": message})
    reverie("learn")
    reverie("sessions", "keep", "--all")
    assert any(file.suffix == ".zst" for file, _ in stored(isolated_home))
    assert leaks(isolated_home, WORD) == []


ASKED = (
    f"DB_PASSWORD={WORD}",
    f"mysql -u svc -p{WORD} app",
    f"machine example.com login svc password {WORD}",
    f"password: '{WORD}'",
    f"curl -u svc:{WORD} https://example.com",
    f'variable "db_password" {{ default = "{WORD}" }}',
)


@pytest.mark.hostile("X1")
def test_no_word_that_its_place_makes_a_secret_is_stored_through_mcp(isolated_home: Path) -> None:
    project = isolated_home / "app"
    project.mkdir()
    notes = "/memories/app/notes.md"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("memory", {"command": "create", "path": notes, "file_text": "DB_PASSWORD=MARK\n"}),
        ("memory", {"command": "str_replace", "path": notes, "old_str": "MARK", "new_str": WORD}),
        ("memory", {"command": "insert", "path": notes, "insert_line": 0, "insert_text": "pwd="}),
    ]
    for number, text in enumerate(ASKED):
        calls += [
            ("recall", {"query": text}),
            ("remember", {"text": f"The build wants {text} in every job", "why": text}),
            ("memory", {"command": "create", "path": f"/memories/app/{number}", "file_text": text}),
        ]
    messages: list[dict[str, Any]] = [
        {"method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}}
    ]
    for name, arguments in calls:
        messages.append({"method": "tools/call", "params": {"name": name, "arguments": arguments}})
    sent = "".join(
        json.dumps({"jsonrpc": "2.0", "id": number, **message}) + "\n"
        for number, message in enumerate(messages)
    )
    server = [sys.executable, "-P", "-m", "reverie", "mcp", "--agent", "claude-code"]
    done = subprocess.run(server, input=sent, capture_output=True, text=True, cwd=project)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(messages)
    assert [one for one in answers if one["result"].get("isError")] == []
    assert leaks(isolated_home, WORD) == []
    assert (isolated_home / ".reverie" / "audit.jsonl").read_text().count("[redacted:") >= 5


@pytest.mark.hostile("X2")
def test_no_name_reason_or_instruction_is_stored_with_a_secret(isolated_home: Path) -> None:
    secret = f"DB_PASSWORD={WORD}"
    write_log(isolated_home, said("always use tabs"))
    reverie("learn")
    reverie("remember", "Run the linter before every commit", "--name", "run-lint")
    for command in (["projects", "rename", "app"], ["stores", "create"]):
        refused = CliRunner().invoke(root, [*command, secret])
        assert isinstance(refused.exception, InvalidInput), command
    reverie("forget", "run-lint", "--why", secret)
    reverie("dream", "--instructions", secret)
    assert leaks(isolated_home, WORD) == []


@pytest.mark.hostile("X2")
def test_what_is_only_shown_holds_no_secret_either(
    isolated_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_log(isolated_home, said(f"no, don't use that, the db password is {WORD}"))
    assert WORD not in reverie("learn", "--dry-run", "--json")
    logs = str(isolated_home / ".claude")
    assert WORD not in reverie("sessions", "turns", "--logs", logs, "--json")
    assert run(["why", f"DB_PASSWORD={WORD}"]) != 0
    assert WORD not in capsys.readouterr().err


@pytest.mark.hostile("X2")
def test_a_failure_of_a_hook_is_written_down_without_secrets(isolated_home: Path) -> None:
    home = isolated_home / ".reverie"
    spool.log(str(home), "Stop", f"cannot read DB_PASSWORD={WORD}")
    assert "[redacted:" in (home / "hooks.log").read_text(encoding="utf-8")
    assert leaks(isolated_home, WORD) == []


@pytest.mark.hostile("X1")
def test_an_export_with_a_secret_in_it_is_taken_over_without(
    isolated_home: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.db"
    with Store.open(f"sqlite:///{other}") as store:
        store.create_store("theirs")
        by = Author(Actor("user"), "test")
        store.create("theirs", "/a.md", f"first DB_PASSWORD={WORD}\n", by)
        store.update("theirs", "/a.md", content=f"second DB_PASSWORD={WORD}\n", by=by)
        store.create("theirs", "/b.md", "nothing here\n", by)
        export(store, tmp_path / "out")
    reverie("import", str(tmp_path / "out"))
    assert leaks(isolated_home, WORD) == []
    reverie("doctor")
    shown = data("memories", "--store", "theirs")
    assert len(shown) == 2
