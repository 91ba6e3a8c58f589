"""Paths as file names: every path has one, no two share one, and it leads back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import InvalidPath
from reverie.mounts.names import Names, decoded, encoded, folded
from reverie.settings import Store as Limits
from reverie.store import paths


def good(path: str) -> bool:
    try:
        paths.checked(path, Limits())
    except InvalidPath:
        return False
    return True


segments = st.text(min_size=1, max_size=40).filter(lambda s: "/" not in s and good(f"/{s}"))


@given(segments)
def test_an_encoded_name_leads_back_to_its_segment(segment: str):
    name = encoded(segment)
    if len(segment.encode()) <= 60:
        assert decoded(name) == segment
    assert "/" not in name
    assert len(name.encode()) <= 255


@pytest.mark.hostile("P3")
@pytest.mark.parametrize(
    "segment",
    ["%2e%2e%2f", "..\\x", "..;", "C:", "C:x", "\\\\srv\\share", "CON", "con.md", "a:stream", "x."],
)
def test_names_another_system_would_obey_are_escaped(segment: str):
    name = encoded(segment)
    assert not set(name) & set('\\:*?"<>|')
    assert name.partition(".")[0].upper() != "CON"
    assert not name.endswith((".", " "))
    assert not name.startswith(".")
    assert decoded(name) == segment


@pytest.mark.hostile("P5")
def test_a_segment_longer_than_a_file_system_allows_is_cut_and_told_apart():
    names = Names()
    first = names.file_of("/" + "ä" * 300 + ".md")
    second = names.file_of("/" + "ä" * 301 + ".md")
    assert len(first.encode()) <= 255
    assert first != second
    assert first.endswith(".md")


@pytest.mark.hostile("P7", "U1")
def test_names_that_differ_only_in_case_do_not_meet():
    names = Names()
    files = [names.file_of(path) for path in ("/A.md", "/a.md", "/B/x.md", "/b/x.md", "/É.md")]
    assert len({folded(file) for file in files}) == len(files)
    assert files[0] == "A.md"


@pytest.mark.hostile("P6")
def test_a_file_and_a_folder_of_one_folded_name_do_not_meet():
    names = Names()
    file, below = names.file_of("/A"), names.file_of("/a/b")
    assert folded(below.split("/")[0]) != folded(file)


@given(st.lists(st.lists(segments, min_size=1, max_size=3), max_size=12))
def test_all_files_of_a_tree_differ_even_where_case_is_ignored(places: list[list[str]]):
    wanted = sorted({"/" + "/".join(place) for place in places})
    above = {ancestor for path in wanted for ancestor in paths.ancestors(path)}
    wanted = [path for path in wanted if path not in above]
    names = Names()
    files = {path: names.file_of(path) for path in wanted}
    assert len({folded(file) for file in files.values()}) == len(wanted)
    again = Names(files.items())
    assert {path: again.file_of(path) for path in wanted} == files
    assert {again.path_of(file): file for file in files.values()} == files


def test_a_new_file_in_a_folder_with_a_cut_name_gets_the_folders_path():
    names = Names()
    long = "/" + "x" * 300
    folder = names.file_of(f"{long}/a.md").rpartition("/")[0]
    again = Names([(f"{long}/a.md", f"{folder}/a.md")])
    assert again.path_of(f"{folder}/new.md") == f"{long}/new.md"


@pytest.mark.parametrize("segment", ["HEAD", "head", "CLAUDE.md", "Claude.local.md", "AGENTS.md"])
def test_a_memory_never_gets_a_name_that_git_or_agents_obey(segment: str):
    name = encoded(segment)
    assert name.startswith("%")
    assert decoded(name) == segment
