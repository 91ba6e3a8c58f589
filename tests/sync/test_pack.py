"""Packs: what is not whole, not signed or not sane is refused before it is believed."""

import msgspec
import pytest
import zstandard

from reverie.store.arrivals import Change
from reverie.sync import pack
from reverie.sync.keys import Signer
from reverie.sync.pack import Body, Damaged, decoded, encoded, file_name, place_of

MINE, OTHER = Signer(b"1" * 32), Signer(b"2" * 32)
CHANGE = Change(
    "memver_1", "mem_1", (), "created", "/n.md", "words\n", ("user", ""), "typed", "user",
    None, None, "2026-03-01T09:00:00Z",
)  # fmt: skip


def body(*changes: Change) -> Body:
    return Body("a" * 16, "global", "global", "", "", changes)


def test_a_pack_comes_back_as_it_was():
    read = decoded(encoded(body(CHANGE), MINE), MINE)
    assert (read.body, read.whose) == (body(CHANGE), "mine")


def test_a_pack_of_another_key_is_somebody_elses():
    assert decoded(encoded(body(CHANGE), OTHER), MINE).whose == "theirs"


def test_a_pack_that_claims_my_key_without_having_it_is_refused():
    data = encoded(body(CHANGE), OTHER).replace(OTHER.person.encode(), MINE.person.encode(), 1)
    with pytest.raises(Damaged, match="not signed with your key"):
        decoded(data, MINE)


def test_a_changed_byte_is_seen():
    data = bytearray(encoded(body(CHANGE), MINE))
    data[-3] ^= 1
    with pytest.raises(Damaged):
        decoded(bytes(data), MINE)


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pack, "MAX_BODY_BYTES", 10_000)
    with pytest.raises(Damaged, match="too large"):
        decoded(encoded(body(CHANGE._replace(content="a" * 100_000)), OTHER), MINE)


@pytest.mark.parametrize(
    "change",
    [
        CHANGE._replace(id="../x"),
        CHANGE._replace(memory=""),
        CHANGE._replace(parents=("no id",)),
        CHANGE._replace(actor=("nobody", "")),
        CHANGE._replace(content=None),
        CHANGE._replace(path=None),
        CHANGE._replace(operation="deleted"),
        CHANGE._replace(created_at="x" * 100),
    ],
)
def test_a_version_that_cannot_be_is_refused(change: Change):
    with pytest.raises(Damaged):
        decoded(encoded(body(change), OTHER), MINE)


@pytest.mark.parametrize("text", [b"[]", b'{"home": 1}', b"{", b'{"home": "\\ud800"}', b"\xff"])
def test_what_is_no_pack_inside_is_refused(text: bytes):
    packed = zstandard.compress(text)
    data = f"reverie-pack 1 {OTHER.person} {OTHER.sign(packed)}\n".encode() + packed
    with pytest.raises(Damaged):
        decoded(data, MINE)


def test_a_pack_with_unknown_fields_is_refused():
    text = msgspec.json.encode(msgspec.to_builtins(body(CHANGE)) | {"more": 1})
    packed = zstandard.compress(text)
    data = f"reverie-pack 1 {MINE.person} {MINE.sign(packed)}\n".encode() + packed
    with pytest.raises(Damaged):
        decoded(data, MINE)


def test_a_file_that_is_half_copied_does_not_fit_its_name():
    data = encoded(body(CHANGE), MINE)
    place = place_of(f"journals/{'a' * 16}/{'b' * 16}/{file_name(1, 2, data)}")
    assert place is not None
    assert (place.epoch, place.number) == (1, 2)
    assert place.fits(data)
    assert not place.fits(data[:-1])


@pytest.mark.parametrize("path", ["journals/x/y/z.pack", "a/b/c/d", "journals/../b/c", "x.pack"])
def test_a_path_that_is_no_packs_is_none(path: str):
    assert place_of(path) is None
