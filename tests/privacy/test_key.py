"""The key file: made once, private, the same for everybody who asks."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from reverie.errors import ConfigError
from reverie.privacy import KEY_FILE, redactor_for
from reverie.settings import Privacy

SECRET = "the password is " + "Copper417!"


@pytest.mark.hostile("X7")
def test_the_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = redactor_for(home, Privacy()).redact(SECRET)
    again = redactor_for(home, Privacy()).redact(SECRET)
    assert first == again != SECRET
    assert stat.S_IMODE((home / KEY_FILE).stat().st_mode) == 0o600
    assert [file.name for file in home.iterdir()] == [KEY_FILE]


@pytest.mark.hostile("X7")
def test_two_homes_give_two_marks_for_one_secret(tmp_path: Path) -> None:
    marks = {redactor_for(tmp_path / name, Privacy()).redact(SECRET) for name in ("a", "b")}
    assert len(marks) == 2


def test_starting_at_once_ends_with_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        marks = set(pool.map(lambda _: redactor_for(tmp_path, Privacy()).redact(SECRET), range(16)))
    assert len(marks) == 1


def test_a_damaged_key_file_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).write_text("not a key", encoding="ascii")
    with pytest.raises(ConfigError, match="does not hold a key") as caught:
        redactor_for(tmp_path, Privacy())
    assert caught.value.hint and "delete" in caught.value.hint
