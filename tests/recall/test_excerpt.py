"""Of a long text the sentences that answer, as they stand in it."""

from hypothesis import given
from hypothesis import strategies as st

from reverie.recall.excerpt import excerpt

LONG = "The pier is old. The crane lifts ten tons. It was painted in May. Nobody knows by whom."


def test_a_short_text_stays_as_it_is() -> None:
    assert excerpt("  The crane lifts ten tons. ", len, 40) == "The crane lifts ten tons."


def test_the_sentence_that_is_worth_most_is_kept_with_what_fits_beside_it() -> None:
    def worth(text: str) -> float:
        return float("crane" in text)

    assert excerpt(LONG, worth, 30) == "…The crane lifts ten tons.…"
    assert excerpt(LONG, worth, 60) == "…The crane lifts ten tons. It was painted in May.…"


def test_a_sentence_longer_than_the_limit_is_cut_between_words() -> None:
    assert excerpt("alpha beta gamma delta epsilon", len, 20) == "alpha beta gamma…"


@given(st.text(max_size=400), st.integers(5, 200))
def test_no_excerpt_is_longer_than_its_limit(text: str, limit: int) -> None:
    cut = excerpt(text, len, limit)
    assert len(cut) <= limit
    assert cut.strip("…") in text
