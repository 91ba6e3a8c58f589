"""Path rules, by a text file of cases and by rules that hold for any text."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import InvalidPath, PathTaken
from reverie.settings import Store as Limits
from reverie.store import paths
from reverie.store.model import Author
from reverie.store.store import Store

LINES = (Path(__file__).parent / "fixtures" / "paths.txt").read_text(encoding="utf-8").splitlines()
CASES = [
    (verdict, json.loads(text))
    for verdict, text in (line.split(" ", 1) for line in LINES if not line.startswith("#"))
]
LIMITS = Limits()


@pytest.mark.hostile("P1", "P2", "P3", "P4", "P10", "U1", "U2", "U3")
@pytest.mark.parametrize(("verdict", "path"), CASES, ids=[ascii(path) for _, path in CASES])
def test_a_path_is_used_exactly_as_written_or_refused(verdict: str, path: str):
    if verdict == "good":
        assert paths.checked(path, LIMITS) == path
        return
    with pytest.raises(InvalidPath) as caught:
        paths.checked(path, LIMITS)
    assert caught.value.message.isascii()
    assert caught.value.message.isprintable()


@pytest.mark.hostile("P1", "P4")
def test_a_refused_path_writes_nothing(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "x", me)
    for verdict, path in CASES:
        if verdict == "bad":
            with pytest.raises(InvalidPath):
                store.create("notes", path, "x", me)
            with pytest.raises(InvalidPath):
                store.put("notes", path, "x", me)
            with pytest.raises(InvalidPath):
                store.update("notes", memory.id, path=path, by=me)
    assert store.find_store("notes").versions == 1


@pytest.mark.hostile("P3", "P7", "P10", "U3")
def test_every_good_path_can_be_stored_listed_and_read_back(store: Store, me: Author):
    good = [path for verdict, path in CASES if verdict == "good" and path != "/a"]
    for path in good:
        store.create("notes", path, path, me)
    assert [m.path for m in store.walk("notes")] == sorted(good, key=str.encode)
    assert all(store.get("notes", path).content == path for path in good)


@pytest.mark.hostile("P5")
def test_a_path_has_at_most_1024_bytes_wherever_the_boundary_falls():
    assert paths.checked("/" + "x" * 1_023, LIMITS)
    assert paths.checked("/x" + "é" * 511, LIMITS)
    for over in ("/" + "x" * 1_024, "/" + "é" * 512, "/" + "🧠" * 256):
        with pytest.raises(InvalidPath, match="1024 bytes"):
            paths.checked(over, LIMITS)


@pytest.mark.hostile("P6")
def test_a_path_cannot_lie_above_or_below_another(store: Store, me: Author):
    store.create("notes", "/a", "x", me)
    with pytest.raises(PathTaken):
        store.create("notes", "/a/b", "x", me)
    store.create("notes", "/c/d/e", "x", me)
    for path in ("/c", "/c/d", "/c/d/e/f"):
        with pytest.raises(PathTaken):
            store.create("notes", path, "x", me)


@pytest.mark.hostile("P7")
def test_letter_case_distinguishes_paths(store: Store, me: Author):
    store.create("notes", "/A", "upper", me)
    store.create("notes", "/a", "lower", me)
    assert store.get("notes", "/A").content == "upper"
    assert store.get("notes", "/a").content == "lower"


@given(st.text())
def test_what_passes_has_only_safe_whole_segments(text: str):
    try:
        path = paths.checked(text, LIMITS)
    except InvalidPath:
        return
    assert path == text
    assert unicodedata.normalize("NFC", path) == path
    assert len(path.encode()) <= 1_024
    assert not {"", ".", ".."} & set(path[1:].split("/"))
    assert not any(unicodedata.category(char) in {"Cc", "Cf", "Cs"} for char in path)


@given(st.lists(st.text("ab/.\u0301", min_size=1, max_size=4), min_size=1, max_size=4))
def test_below_covers_exactly_the_descendants(parts: list[str]):
    path = "/" + "/".join(parts)
    first, end = paths.below("/a/")
    assert (first <= path < end) == path.startswith("/a/")
