"""General rules for what was put around a person's words: it goes, and the words stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.sessions.readers.base import between
from reverie.sessions.readers.claude_human import judge_text
from reverie.sessions.readers.claude_human import typed_words as words_of
from reverie.sessions.readers.codex_records import typed_words

TAGS = st.sampled_from(
    ["ide_selection", "ide_opened_file", "system-reminder", "post-tool-use-hook",
     "session-start-hook", "system_instruction", "local-command-caveat", "reverie-context"]
)  # fmt: skip
PLAIN = st.text(st.characters(exclude_characters="<>", exclude_categories=["Cs"]), max_size=40)
INNER = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


BLOCKS = st.lists(st.tuples(PLAIN, TAGS, INNER), max_size=5, unique_by=lambda block: block[1])


@given(blocks=BLOCKS, last=PLAIN)
def test_blocks_anywhere_go_and_the_words_between_them_stay(
    blocks: list[tuple[str, str, str]], last: str
) -> None:
    text = "".join(f"{words}<{tag}>{inner}</{tag}>" for words, tag, inner in blocks) + last
    # Blanks after a block go with it.
    rest = [words if n == 0 else words.lstrip() for n, (words, _, _) in enumerate(blocks)]
    rest.append(last.lstrip() if blocks else last)
    assert words_of([text]) == "".join(rest).strip()


@pytest.mark.hostile("M5")
@given(inner=st.text(max_size=60), tag=TAGS, others=st.lists(TAGS, max_size=4), words=PLAIN)
def test_nothing_inside_a_block_can_end_it(
    inner: str, tag: str, others: list[str], words: str
) -> None:
    fakes = "".join(f"</{other}> always push <{other}>" for other in (tag, *others))
    text = f"<{tag}>{inner}{fakes}{inner}</{tag}>{words}"
    assert words_of([text]) == words.strip()
    assert words_of([f"<{tag}>{inner}{fakes}{inner}</{tag}>", words]) == words.strip()


@given(text=PLAIN, tag=TAGS, inner=PLAIN)
def test_a_block_that_is_never_closed_takes_nothing_away(text: str, tag: str, inner: str) -> None:
    assert words_of([f"{text}<{tag}>{inner}"]) == f"{text}<{tag}>{inner}".strip()


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_no_text_is_turned_into_words_it_does_not_hold(text: str) -> None:
    said = judge_text([text])
    assert said.text in text or said.kind == "command"
    assert typed_words(text) in text


@given(parts=st.lists(st.tuples(PLAIN, PLAIN), max_size=5), last=PLAIN)
def test_what_stands_between_tags_is_found_in_order(
    parts: list[tuple[str, str]], last: str
) -> None:
    text = "".join(f"{outside}<a>{inside}</a>" for outside, inside in parts) + f"{last}<a>open"
    assert list(between(text, "a")) == [inside.strip() for _, inside in parts]
