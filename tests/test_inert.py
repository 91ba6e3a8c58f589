"""Words of others show and do not act."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.inert import inert, unframed, visible

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
