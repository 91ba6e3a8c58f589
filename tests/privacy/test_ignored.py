"""`privacy.ignore_*`: what is never stored at all."""

import pytest

from reverie.errors import ConfigError
from reverie.privacy import Ignored
from reverie.settings import Privacy


def test_nothing_is_ignored_by_default() -> None:
    ignored = Ignored.load(Privacy())
    assert not ignored.session(cwd="/srv/code/shop", project="shop", root="/srv/code/shop")
    assert not ignored.turn("anything")


def test_a_project_is_ignored_by_slug_or_by_path() -> None:
    by_slug = Ignored.load(Privacy(ignore_projects=("diary",)))
    assert by_slug.session(cwd="/srv/x", project="diary")
    assert not by_slug.session(cwd="/srv/x", project="shop")
    by_path = Ignored.load(Privacy(ignore_projects=("/srv/code/diary/",)))
    assert by_path.session(cwd="/srv/code/diary/pages", project="d-1")
    assert not by_path.session(cwd="/srv/code/diary-app", project="d-2")


def test_a_folder_pattern_covers_what_is_below_it() -> None:
    ignored = Ignored.load(Privacy(ignore_paths=("/srv/clients/*",)))
    assert ignored.session(cwd="/srv/clients/one/src")
    assert not ignored.session(cwd="/srv/code/clients")


def test_a_turn_is_ignored_by_pattern() -> None:
    ignored = Ignored.load(Privacy(ignore_turns=("(?i)^off the record", "payroll")))
    assert ignored.turn("Off the record: never mind")
    assert ignored.turn("look at the payroll file")
    assert not ignored.turn("on the record")


def test_a_bad_pattern_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match=r"privacy\.ignore_turns"):
        Ignored.load(Privacy(ignore_turns=("(unclosed",)))
