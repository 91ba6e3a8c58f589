"""`reverie keys`: made and shown once, listed, revoked."""

import json

import pytest
from tests.commands import Answer, Command

from reverie.store.keys import well_formed


def test_a_key_is_shown_once(answer: Answer, command: Command) -> None:
    answer("stores", "create", "notes")
    made = answer(
        "keys", "create", "--name", "ci", "--scopes", "memory:read,dream:run",
        "--stores", "notes:ro", "--expires", "30d", "--json", now="2026-11-01T00:00:00Z",
    )  # fmt: skip
    assert well_formed(made["key"])
    assert made["expires_at"] == "2026-12-01T00:00:00.000Z"
    (listed,) = answer("keys", "list", "--json")
    assert listed["id"] == made["id"]
    assert listed["stores"] == [{"name": "notes", "access": "read_only"}]
    assert "key" not in listed
    shown = command("keys", "create", "--name", "other").out.strip()
    assert well_formed(shown)
    told = command("keys", "list").out
    assert "notes:ro" in told
    assert "no stores" in told
    assert shown not in told


def test_a_key_is_revoked_by_its_name_or_id(answer: Answer, command: Command) -> None:
    made = answer("keys", "create", "--name", "ci", "--json")
    assert answer("keys", "revoke", "ci", "--json")["revoked_at"]
    assert answer("keys", "revoke", made["id"], "--json")["revoked_at"]
    assert "revoked" in command("keys", "list").out
    assert command("keys", "revoke", "nothing").code == 3
    command("keys", "create", "--name", "ci")
    assert command("keys", "revoke", "ci").code == 2


def test_wrong_calls_make_no_key(command: Command, answer: Answer) -> None:
    assert command("keys", "create", "--name", "x", "--scopes", "all").code == 2
    assert command("keys", "create", "--name", "x", "--stores", "nothing").code == 3
    assert command("keys", "create", "--name", "x", "--expires", "yesterday-ish").code == 2
    answer("stores", "create", "notes")
    assert command("keys", "create", "--name", "x", "--all-stores", "--stores", "notes").code == 2
    assert answer("keys", "list", "--json") == []


def test_only_a_person_at_a_terminal_makes_a_persons_key(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert json.loads(command("keys", "create", "--name", "p", "--human", "--json").out)["human"]
    monkeypatch.setattr("reverie.cli.speaker.at_a_terminal", lambda: False)
    assert command("keys", "create", "--name", "q", "--human").code == 5
    assert command("keys", "create", "--name", "q").code == 0
    monkeypatch.setenv("CLAUDECODE", "1")
    assert command("keys", "create", "--name", "r").code == 5
    assert command("keys", "revoke", "q").code == 5
