"""Keys: kept as a hash, found in constant time, ended at once."""

from pathlib import Path
from typing import Any

import pytest
from tests.databases import TickingClock

from reverie.errors import InvalidInput, NotFound, Refused
from reverie.privacy import passing_redactor
from reverie.store import keys
from reverie.store.model import Author, Principal
from reverie.store.store import Store


def made(store: Store, **given: Any) -> keys.NewKey:
    return keys.create(store.context, "ci", ["memory:read"], **given)


def test_a_key_is_found_by_its_text_and_only_its_hash_is_kept(store: Store) -> None:
    new = made(store)
    assert keys.well_formed(new.text)
    found = keys.find(store.context, new.text)
    assert found is not None
    assert (found.id, found.name, found.scopes) == (new.key.id, "ci", ("memory:read",))
    rows = store.database.query("SELECT * FROM api_keys")
    secret = new.text.rpartition("_")[2]
    assert not any(secret[:12] in str(value) for row in rows for value in row)


def test_a_slip_of_the_pen_is_no_key(store: Store) -> None:
    text = made(store).text
    for place in range(len(text)):
        wrong = text[:place] + ("y" if text[place] == "x" else "x") + text[place + 1 :]
        assert not keys.well_formed(wrong), place
        assert keys.find(store.context, wrong) is None
    for wrong in ("", text[:-1], text + "0", text.upper(), " " + text, text + "\n", "é" * 80):
        assert not keys.well_formed(wrong)


def test_a_revoked_and_an_expired_key_count_no_more(store: Store, clock: TickingClock) -> None:
    revoked, ending = made(store), made(store, expires="2026-03-02")
    assert keys.usable(store.context)
    first = keys.revoke(store.context, revoked.key.id)
    assert keys.revoke(store.context, revoked.key.id).revoked_at == first.revoked_at
    assert keys.find(store.context, revoked.text) is None
    assert keys.find(store.context, ending.text) is not None
    clock.now = clock.now.replace(day=3)
    assert keys.find(store.context, ending.text) is None
    assert not keys.usable(store.context)
    listed = keys.all_keys(store.context)
    assert {key.id for key in listed} == {revoked.key.id, ending.key.id}


def test_the_last_use_is_noted_once_an_hour(store: Store, clock: TickingClock) -> None:
    new = made(store)

    def last_use() -> str | None:
        return keys.all_keys(store.context)[0].last_used_at

    assert last_use() is None
    keys.find(store.context, new.text)
    first = last_use()
    assert first is not None
    keys.find(store.context, new.text)
    assert last_use() == first
    clock.now = clock.now.replace(hour=14)
    keys.find(store.context, new.text)
    assert last_use() != first


@pytest.mark.parametrize(
    "given",
    [
        {"name": ""},
        {"name": "a\nb"},
        {"name": "n" * 101},
        {"scopes": []},
        {"scopes": ["memory:read", "all"]},
        {"expires": "2020-01-01"},
        {"expires": "soon"},
    ],
)
def test_what_makes_no_key_is_refused(store: Store, given: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"name": "ci", "scopes": ["admin"]} | given
    with pytest.raises(InvalidInput):
        keys.create(store.context, **arguments)
    assert keys.all_keys(store.context) == []


def test_keys_are_the_owners_alone(store: Store) -> None:
    context = store.acting_as(Principal("key", "apikey_1")).context
    with pytest.raises(Refused):
        keys.create(context, "x", ["admin"])
    with pytest.raises(Refused):
        keys.all_keys(context)
    with pytest.raises(Refused):
        keys.revoke(context, "apikey_1")
    with pytest.raises(NotFound):
        keys.revoke(store.context, "apikey_1")


def test_a_backup_neither_brings_keys_nor_takes_them(
    store: Store, tmp_path: Path, me: Author
) -> None:
    store.create("notes", "/a.md", "x", me)
    revoked, gone = made(store), made(store)
    store.backup(f"{tmp_path}/copy.db")
    keys.revoke(store.context, revoked.key.id)
    store.database.query("DELETE FROM api_keys WHERE id = ?", (gone.key.id,))
    later = made(store)
    store.restore_backup(f"{tmp_path}/copy.db", replace=True)
    assert keys.find(store.context, revoked.text) is None
    assert keys.find(store.context, gone.text) is None
    assert keys.find(store.context, later.text) is not None
    with Store.open(f"sqlite:///{tmp_path}/other.db") as other:
        store.copy_to(other)
        assert other.get("notes", "/a.md").content == "x"
        assert keys.all_keys(other.context) == []


def test_a_key_in_a_text_is_a_secret(store: Store) -> None:
    text = made(store).text
    assert passing_redactor()(f"use {text} for it").startswith("use [redacted:reverie-key:")
