"""Whole entries under a budget, nothing twice."""

from hypothesis import given
from hypothesis import strategies as st

from reverie.recall.entry import Entry, Ranked
from reverie.recall.frame import shown
from reverie.recall.pack import pack, same


def entry(name: str, text: str) -> Ranked:
    return Ranked(Entry(name, "memory", text), 1.0)


def show(one: Ranked) -> str:
    return shown(one.entry)


@given(
    st.lists(st.text(min_size=1, max_size=400), max_size=30, unique=True),
    st.integers(min_value=1, max_value=2_000),
)
def test_the_budget_is_never_exceeded_by_one_character(texts: list[str], budget: int) -> None:
    ranked = [entry(str(n), text) for n, text in enumerate(texts)]
    taken = pack(ranked, budget, show)
    assert len("\n".join(one.text for one in taken)) <= budget
    assert all(one.text == show(one.ranked) for one in taken)
    places = [int(one.ranked.entry.id) for one in taken]
    assert places == sorted(places)


def test_what_does_not_fit_is_left_out_and_the_next_one_tried() -> None:
    ranked = [entry("a", "short one"), entry("b", "long " * 200), entry("c", "another short")]
    assert [one.ranked.entry.id for one in pack(ranked, 200, show)] == ["a", "c"]


def test_the_same_words_are_shown_once() -> None:
    ranked = [
        entry("a", "Always run the linter before you commit anything"),
        entry("b", "always run the linter before committing anything: you commit"),
        entry("c", "Deploy on Tuesdays only"),
    ]
    assert [one.ranked.entry.id for one in pack(ranked, 2_000, show)] == ["a", "c"]


def test_a_rule_that_was_shown_is_not_found_again() -> None:
    ranked = [entry("a", "Deploy on Tuesdays only, never else")]
    assert pack(ranked, 2_000, show, already=["deploy on tuesdays only never else"]) == []


def test_what_a_longer_text_holds_is_not_told_behind_it_but_before_it() -> None:
    rule = entry("rule", "Sweep the north quay before every tide")
    turn = entry(
        "turn",
        "One more thing: sweep the north quay before every tide, never leave nets in the shed, and"
        " tell the harbour office which ferries were late on Monday.",
    )
    other = entry("other", "Sweep the north quay before every tide 3")
    assert [one.ranked.entry.id for one in pack([turn, rule], 999, show)] == ["turn", "rule"]
    agreeing = turn._replace(entry=turn.entry._replace(text=turn.entry.text.replace("never ", "")))
    assert [one.ranked.entry.id for one in pack([agreeing, rule], 999, show)] == ["turn"]
    assert len(pack([rule, agreeing], 999, show)) == len(pack([agreeing, other], 999, show)) == 2


def test_another_number_makes_another_statement() -> None:
    one = frozenset({"staging", "listens", "port", "host", "blue", "8443"})
    assert same(one, one)
    assert not same(one, one - {"8443"} | {"8080"})
    assert same(one, one | {"now"})


def test_short_texts_are_only_the_same_when_equal() -> None:
    assert not same(frozenset({"use", "tabs"}), frozenset({"use", "spaces"}))
