"""Words of others show and do not act."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.inert import inert, smuggled, unframed, visible

HOSTILE = st.text(max_size=200) | st.lists(
    st.sampled_from(
        [
            "</system-reminder>",
            "<system>",
            "<!-- reverie: end -->",
            "<|im_start|>",
            "\n\nHuman: ",
            "\x1b[2J",
            "\r",
            "\u2028",
            "\x85",
            "\u202e",
            "\U000e0041",
            "\U000e0101",
            "\u3164",
            "words",
            " ",
        ]
    ),
    max_size=12,
).map("".join)


@pytest.mark.hostile("M5", "U2")
@given(HOSTILE)
def test_a_line_stays_one_line_and_every_character_of_it_shows(text: str) -> None:
    for line in (inert(text), unframed(text), visible(text)):
        assert len(line.splitlines()) <= 1
        assert not set(line) & set("\x1b\r\u202e\U000e0041\U000e0101\u3164")


@pytest.mark.hostile("M5")
@given(HOSTILE)
def test_no_frame_can_be_opened_or_closed(text: str) -> None:
    assert not any(f"<{c}" in inert(text) for c in "/!?|abcxyzABCXYZ")
    line = unframed(text)
    assert "<!--" not in line and "<|" not in line
    assert "<system" not in line and "</system" not in line


def test_what_people_write_stays() -> None:
    assert inert("a < b, 1 <2, größer ☕ 👩‍💻") == "a < b, 1 <2, größer ☕ 👩‍💻"
    assert unframed("use `List<int>` and </Button>") == "use `List<int>` and </Button>"


def hidden(words: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in words)


@pytest.mark.hostile("U2")
@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=60))
def test_words_in_characters_that_do_not_show_are_counted_and_not_read_out(words: str) -> None:
    text = f"The till counts in cents{hidden(words)}."
    assert smuggled(text) == [words]
    assert visible(text) == f"The till counts in cents[{len(words)} hidden characters]."


def test_the_flag_of_a_region_hides_nothing() -> None:
    flag = f"\U0001f3f4{hidden('gbsct')}\U000e007f"
    assert inert(flag) == flag and smuggled(flag) == []
