"""Packs that whoever keeps the remote cannot read."""

from pathlib import Path

import pytest
from tests.sync.homes import BY, opened, texts

from reverie.errors import InvalidInput, Refused
from reverie.operations import syncing
from reverie.operations.syncing import Wish

pytest.importorskip("pyrage")
CLOSED = Wish(encrypt=True)


def test_nobody_reads_in_an_encrypted_remote(tmp_path: Path):
    remote = tmp_path / "remote"
    with opened(tmp_path / "one") as one, opened(tmp_path / "two") as two:
        one.store.ensure_store("harbour")
        one.store.create("harbour", "/crane.md", "the lever is on the left\n", BY)
        syncing.sync_with(one, str(remote), CLOSED)
        files = [file for file in remote.rglob("*") if file.is_file()]
        assert all(b"age-encryption.org" in file.read_bytes()[:40] for file in files[1:])
        assert not any(b"lever" in file.read_bytes() or "harbour" in str(file) for file in files)
        key = syncing.key_of(one)
        with pytest.raises(Refused, match="encrypted"):
            syncing.sync_with(two, str(remote), key=key)
        syncing.sync_with(two, str(remote), CLOSED)
        assert texts(two, "harbour") == {"/crane.md": "the lever is on the left\n"}


def test_what_was_plain_is_gone_once_it_is_encrypted(tmp_path: Path):
    remote = tmp_path / "remote"
    with opened(tmp_path / "one") as one:
        one.store.ensure_store("harbour")
        one.store.create("harbour", "/crane.md", "the lever is on the left\n", BY)
        syncing.sync_with(one, str(remote))
        assert list(remote.rglob("*.pack"))
        syncing.sync_with(one, str(remote), CLOSED)
        assert not list(remote.rglob("*.pack"))
        assert list(remote.rglob("*.pack.age"))


def test_a_recipient_that_is_none_is_refused(tmp_path: Path):
    with opened(tmp_path / "one") as one, pytest.raises(InvalidInput, match="age recipient"):
        syncing.sync_with(one, str(tmp_path / "remote"), Wish(recipients=("mallory",)))
