"""MEMORY.md: one line each, two limits, and a warning that names the one that cut."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.documents.document import Document
from reverie.documents.index_file import Limits, Listed, index_line, index_markdown


def listed(name: str, **fields: Any) -> Listed:
    return Listed(f"{name}.md", Document(name=name, description=f"about {name}", **fields))


@pytest.mark.proves("D5")
def test_a_line_is_title_file_and_hook():
    document = Document(name="run-lint-first", description="CI is red\nwithout it")
    line = index_line(Listed("run-lint-first.md", document))
    assert line == "- [Run lint first](run-lint-first.md) — CI is red without it\n"


def test_a_hook_does_not_repeat_its_title():
    document = Document(name="run-lint-first", description="Run lint first.")
    line = index_line(Listed("run-lint-first.md", document))
    assert line == "- [Run lint first](run-lint-first.md)\n"


@pytest.mark.proves("D5")
def test_a_long_hook_is_cut_at_a_word_within_150_characters():
    document = Document(name="a", description="word " * 80)
    line = index_line(Listed("a.md", document))
    assert len(line) <= 151
    assert line.endswith(" word…\n")


@pytest.mark.proves("D5")
def test_pinned_come_first_then_type_then_newest_then_file():
    memories = [
        listed("ref", type="reference", created="2026-01-09"),
        listed("none"),
        listed("old", type="feedback", created="2026-01-01"),
        listed("new", type="feedback", created="2026-01-01", modified="2026-02-01T10:00:00Z"),
        listed("pin", type="project", pinned=True),
        listed("me", type="user"),
        listed("b-undated", type="feedback"),
        listed("a-undated", type="feedback"),
    ]
    order = [line.split("](")[1].split(".md")[0] for line in index_markdown(memories).splitlines()]
    assert order == ["pin", "me", "new", "old", "a-undated", "b-undated", "ref", "none"]


@pytest.mark.proves("D5")
def test_over_200_lines_the_warning_names_the_lines():
    text = index_markdown([listed(f"m{n:03}") for n in range(201)])
    lines = text.splitlines()
    assert len(lines) == 200
    assert lines[-1] == (
        "- WARNING: 2 of 201 memories are not listed: the index is limited to 200 lines."
    )


@pytest.mark.proves("D5")
def test_200_lines_need_no_warning():
    lines = index_markdown([listed(f"m{n:03}") for n in range(200)]).splitlines()
    assert len(lines) == 200
    assert "WARNING" not in lines[-1]


@pytest.mark.proves("D5")
def test_lines_are_cut_before_bytes_and_the_limit_that_cut_last_is_named():
    wide = [
        Listed(f"m{n:03}.md", Document(name=f"m{n:03}", description="記憶" * 60))
        for n in range(300)
    ]
    text = index_markdown(wide)
    assert len(text.encode()) <= 25_000
    assert len(text.splitlines()) < 200
    assert text.splitlines()[-1].endswith("limited to 25,000 bytes.")


@pytest.mark.proves("D5")
def test_lines_are_cut_first_so_that_bytes_need_not_be():
    # All of them are over the bytes, the first 199 are not: only the lines cut.
    many = [listed(f"memory-of-some-length-{n:04}") for n in range(600)]
    assert sum(len(index_line(one).encode()) for one in many) > 25_000
    text = index_markdown(many)
    assert len(text.splitlines()) == 200
    assert text.splitlines()[-1].endswith("the index is limited to 200 lines.")


@given(
    st.lists(
        st.tuples(st.text(max_size=30), st.text(max_size=200), st.integers(1, 300)), max_size=30
    ),
    st.integers(3, 12),
    st.integers(200, 3000),
)
def test_no_limit_is_ever_exceeded(raw, max_lines, max_bytes):
    memories = [
        Listed("f" * width + f"{n}.md", Document(name=name or "x", description=description))
        for n, (name, description, width) in enumerate(raw)
    ]
    limits = Limits(lines=max_lines, bytes=max_bytes)
    text = index_markdown(memories, limits)
    lines = text.split("\n")[:-1]
    assert len(lines) <= max_lines
    assert len(text.encode("utf-8", "replace")) <= max_bytes
    assert all(len(line) <= 150 for line in lines)
    complete = len(lines) == len(memories) and "WARNING" not in text
    assert complete or "WARNING" in lines[-1]


def test_a_path_with_spaces_is_still_a_link():
    assert "](<my notes.md>)" in index_line(Listed("my notes.md", Document(name="x")))
