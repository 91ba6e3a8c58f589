"""Three-way merge by lines."""

from hypothesis import given
from hypothesis import strategies as st

from reverie.mounts.merge import merge

BASE = "one\ntwo\nthree\nfour\nfive\n"


def test_changes_in_different_lines_are_joined():
    mine = BASE.replace("one", "ONE")
    theirs = BASE.replace("five", "FIVE") + "six\n"
    merged = merge(BASE, mine, theirs)
    assert merged.clean
    assert merged.text == "ONE\ntwo\nthree\nfour\nFIVE\nsix\n"


def test_the_same_change_on_both_sides_counts_once():
    both = BASE.replace("three", "3")
    assert merge(BASE, both, both).text == both
    assert merge(BASE, both + "mine\n", both).text == both + "mine\n"


def test_a_line_changed_by_both_keeps_both_sides():
    merged = merge(
        BASE, BASE.replace("two", "2"), BASE.replace("two", "II"), names=("edited", "stored")
    )
    assert merged.conflicts == 1
    assert merged.text == (
        "one\n<<<<<<< edited\n2\n=======\nII\n>>>>>>> stored\nthree\nfour\nfive\n"
    )


def test_a_deletion_and_a_change_of_the_same_line_conflict():
    assert not merge(BASE, BASE.replace("two\n", ""), BASE.replace("two", "II")).clean


def test_line_ends_and_a_missing_final_newline_survive():
    base = "a\r\nx\r\nb"
    merged = merge(base, base.replace("a", "A"), base.replace("b", "B"))
    assert merged.text == "A\r\nx\r\nB"


texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8).map(
    lambda lines: "".join(line + "\n" for line in lines)
)


@given(texts, texts)
def test_one_sided_changes_always_win(base, changed):
    assert merge(base, changed, base).text == changed
    assert merge(base, base, changed).text == changed


@given(texts, texts, texts)
def test_a_clean_merge_does_not_depend_on_the_side(base, mine, theirs):
    merged, mirrored = merge(base, mine, theirs), merge(base, theirs, mine)
    assert merged.clean == mirrored.clean
    if merged.clean:
        assert merged.text == mirrored.text


@given(texts, texts, texts)
def test_no_line_of_either_side_is_lost_in_a_conflict(base, mine, theirs):
    merged = merge(base, mine, theirs)
    if not merged.clean:
        lines = merged.text.splitlines()
        for side in (mine, theirs):
            new = [line for line in side.splitlines() if line not in base.splitlines()]
            assert all(line in lines for line in new)
