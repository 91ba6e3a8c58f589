"""The key by which a person's machines know each other."""

from pathlib import Path

import pytest

from reverie.errors import InvalidInput
from reverie.sync.keys import FILE, join, parsed, signer_of


def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path):
    signer = signer_of(tmp_path)
    assert signer_of(tmp_path) == signer
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_another_machine_joins_with_what_is_shown(tmp_path: Path):
    signer = signer_of(tmp_path / "one")
    assert join(tmp_path / "two", signer.shown + "\n")
    assert signer_of(tmp_path / "two") == signer
    assert not join(tmp_path / "two", signer.shown)


def test_a_slip_of_the_pen_is_no_key(tmp_path: Path):
    shown = signer_of(tmp_path).shown
    other = ("0" if shown[20] != "0" else "1").join((shown[:20], shown[21:]))
    for text in ("", "key", shown[:-1], other):
        with pytest.raises(InvalidInput, match="no key"):
            parsed(text)


def test_the_name_of_a_key_does_not_hold_it(tmp_path: Path):
    signer = signer_of(tmp_path)
    assert signer.person not in signer.key.hex()
