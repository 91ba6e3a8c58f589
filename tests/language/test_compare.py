"""How two lessons relate."""

from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.language.compare import Relation, covers, ends, is_ending, is_same, relation
from reverie.language.neighbours import Neighbours

FIXTURE = Path(__file__).parent / "fixtures" / "sameness.txt"
WORDINGS = Path(__file__).parent / "fixtures" / "wordings.txt"
CASES = [
    tuple(part.strip() for part in line.replace(" -> ", " | ").split(" | "))
    for line in FIXTURE.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
ENDINGS = [
    line
    for line in (FIXTURE.parent / "endings.txt").read_text(encoding="utf-8").splitlines()
    if line and line[0] != "#"
]
WORDS = (
    "use never don't always the database tests port 8080 8443 npm pnpm commit push before after"
    " run lint function method names start end with 'a_' '_b' instead of not in is broken fixed"
    " real mock , . and please for code"
).split()
lessons = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)


@pytest.mark.proves("B7")
@pytest.mark.parametrize(("one", "other", "expected"), CASES)
def test_two_lessons_relate_as_a_reader_would_say(one: str, other: str, expected: Relation) -> None:
    assert relation(one, other) == expected
    assert relation(other, one) == expected


def test_the_fixture_has_enough_cases_of_every_kind() -> None:
    counts = {kind: sum(case[2] == kind for case in CASES) for kind in ("same", "updates")}
    assert len(CASES) >= 40
    assert min(counts.values()) >= 10


@pytest.mark.proves("B7")
def test_many_wordings_of_one_rule_are_mostly_one_and_never_another() -> None:
    blocks = WORDINGS.read_text(encoding="utf-8").split("\n\n")[1:]
    groups = [block.strip().splitlines() for block in blocks]
    for group in groups:
        pairs = list(combinations(group, 2))
        assert sum(relation(*pair) == "same" for pair in pairs) >= len(pairs) / 2, group
        assert not [pair for pair in pairs if relation(*pair) in {"updates", "contradicts"}]
    crossed = [(a, b) for one, other in combinations(groups, 2) for a, b in product(one, other)]
    assert [pair for pair in crossed if relation(*pair) != "different"] == []


@given(lessons)
def test_a_lesson_is_the_same_as_itself(lesson: str) -> None:
    assert relation(lesson, lesson) == "same"


@given(lessons, lessons)
def test_the_order_of_two_lessons_does_not_matter(one: str, other: str) -> None:
    assert relation(one, other) == relation(other, one)


@given(st.integers(1, 99_999), st.integers(1, 99_999))
def test_two_numbers_never_merge(one: int, other: int) -> None:
    found = relation(f"The gateway listens on port {one}", f"The gateway listens on port {other}")
    assert found == ("same" if one == other else "updates")


@given(st.sampled_from(["tabs", "the staging cluster", "generated files", "feature flags"]))
def test_a_negation_never_merges(thing: str) -> None:
    assert relation(f"Use {thing} in reviews", f"Don't use {thing} in reviews") == "contradicts"


@given(lessons)
def test_politeness_and_case_do_not_matter(lesson: str) -> None:
    assert relation(f"Rotate tokens {lesson}", f"Please rotate tokens {lesson.upper()}") == "same"


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_can_be_compared(one: str, other: str) -> None:
    assert relation(one, other) in {"same", "updates", "contradicts", "different"}


def test_neighbours_share_telling_words_and_the_nearest_comes_first() -> None:
    near = Neighbours()
    near.add("lint", "Run the linter before every commit")
    near.add("port", "The dev server listens on port 8080")
    near.add("hook", "The commit hook runs the linter")
    assert near.near("Lint before you commit")[0] in {"lint", "hook"}
    assert "port" not in near.near("Lint before you commit")
    near.discard("lint")
    assert near.near("Lint before you commit") == ["hook"]
    assert len(near) == 2


def test_a_word_of_all_lessons_brings_no_more_than_the_cap() -> None:
    near = Neighbours(cap=5)
    for number in range(50):
        near.add(number, f"The deploy job {chr(97 + number % 26)}x{number} needs a token")
    assert len(near.near("deploy job token", limit=100)) <= 15


def test_a_new_value_finds_the_rule_it_replaces() -> None:
    near = Neighbours()
    near.add("old", "Use npm")
    assert near.near("Use pnpm") == ["old"]


@pytest.mark.proves("B7")
@pytest.mark.parametrize("line", ENDINGS)
def test_a_statement_ends_what_it_names_and_nothing_else(line: str) -> None:
    pair, _, fate = line.rpartition(" -> ")
    new, _, old = pair.partition(" | ")
    assert ends(new, old) == (fate == "ends")


@pytest.mark.parametrize(
    "text", ["Use tabs", "Run the tests", "Never push to main", "No emojis any more", ""]
)
def test_rules_and_bans_are_no_endings(text: str) -> None:
    assert not is_ending(text)
    assert not ends(text, "Use tabs")


@given(
    st.sampled_from(["push to", "restart", "mock", "log", "cache", "rebase onto", "delete"]),
    st.sampled_from(["main", "the ferry queue", "the tide service", "secrets", "`harbour.toml`"]),
    st.sampled_from(["", " before every release", " in tests", " without asking me"]),
    st.sampled_from(
        ["Never", "Do not", "Don't", "Please do not", "We must not", "You should never"]
    ),
)
def test_a_rule_and_its_denial_are_never_the_same(
    verb: str, thing: str, when: str, denied: str
) -> None:
    rule = f"{verb} {thing}{when}"
    assert relation(f"{rule[0].upper()}{rule[1:]}.", f"{denied} {rule}.") != "same"


@given(lessons, lessons)
def test_saying_the_same_is_told_as_the_relation_tells_it(one: str, other: str) -> None:
    assert is_same(one, other) == (relation(one, other) == "same")


@pytest.mark.parametrize(("one", "other", "expected"), CASES)
def test_few_that_say_the_same_are_found_among_many(one: str, other: str, expected: str) -> None:
    assert is_same(one, other) == (expected == "same")


@pytest.mark.parametrize(
    ("whole", "part", "expected"),
    [
        ("Oil the winch, then hoist the blue flag.", "Hoist the blue flag.", True),
        ("Hoist the blue flag.", "Oil the winch, then hoist the blue flag.", False),
        ("Oil the winch, then never hoist the blue flag.", "Hoist the blue flag.", False),
        ("Oil the winch and hoist the red flag.", "Hoist the blue flag.", False),
        ("Oil the winch, then hoist 3 blue flags.", "Hoist 4 blue flags.", False),
        ("Oil the winch.", "Oil.", False),
    ],
)
def test_one_lesson_covers_another_if_it_asks_for_all_of_it(
    whole: str, part: str, expected: bool
) -> None:
    assert covers(whole, part) is expected
