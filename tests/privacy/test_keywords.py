"""The look before the rules are loaded: what it lets pass, no rule would have touched."""

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import privacy_generator as generator

from reverie.privacy.finding import spans_of
from reverie.privacy.keywords import PHRASE, may_hold_secret, signs
from reverie.privacy.rules import rules

PLACES = {**generator.SEEN, **generator.HELD_OUT}
SAMPLES = [sample.text for sample in generator.secrets(seed=12, places=PLACES)]


def test_it_knows_every_keyword_and_guard_of_the_rules() -> None:
    found = signs()
    known = {keyword for some in found.keywords.values() for keyword in some}
    assert known == {keyword for rule in rules() for keyword in rule.keywords}
    for rule in rules():
        assert not rule.guard or rule.guard in found.pattern.pattern, rule.id
    assert PHRASE in found.pattern.pattern


def is_missed(text: str) -> bool:
    return not may_hold_secret(text) and bool(spans_of(text.encode("utf-8", "surrogatepass")))


@pytest.mark.hostile("X1")
def test_no_generated_secret_in_any_place_passes_it() -> None:
    assert len(SAMPLES) > 3_000
    assert [text for text in SAMPLES if is_missed(text)] == []


@pytest.mark.hostile("X1")
@given(st.data())
def test_no_piece_of_a_text_with_a_secret_passes_it_while_a_rule_sees_it(
    data: st.DataObject,
) -> None:
    text = data.draw(st.sampled_from(SAMPLES))
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    change = data.draw(st.sampled_from([str, str.upper, str.lower, str.swapcase]))
    other = data.draw(st.text(max_size=20))
    assert not is_missed(other + change(text[start:stop]) + other)


@given(st.text() | st.text("abcdefgh =:\"'-_.\n0123"))
def test_no_text_at_all_passes_it_while_a_rule_sees_it(text: str) -> None:
    assert not is_missed(text)


def test_plain_words_are_let_pass() -> None:
    assert not may_hold_secret("which port does service 7 use in the night?")


@pytest.mark.parametrize(
    ("text", "loaded"),
    [("which port does service 7 use?", False), ("the passcode of the gate", True)],
)
def test_the_rules_are_loaded_by_the_first_text_that_needs_them(text: str, loaded: bool) -> None:
    program = (
        "import sys; from reverie.privacy import Redactor;"
        f"Redactor(b'k' * 32).redact({text!r});"
        "print('re2' in sys.modules, 'tomllib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split()[0] == str(loaded), done.stderr


def test_a_phrase_of_words_from_the_list_is_a_secret_and_prose_is_none() -> None:
    from reverie.privacy.keywords import DATA
    from reverie.privacy.phrases import phrases

    words = (DATA / "seed_words.txt").read_text(encoding="ascii").split()
    rng = random.Random(4)
    for size in (12, 15, 18, 21, 24):
        for joint in (" ", "\n", ", ", '", "', "\\n"):
            phrase = joint.join(rng.choices(words, k=size))
            for before in ("It is ", "I wrote it down: ", "those many words go down ", "out\\n"):
                text = f"{before}{phrase} I think".encode()
                ((start, stop),) = phrases(text)
                assert phrase.encode() in text[start:stop]
    assert list(phrases(" ".join(words).encode())) == []
    assert list(phrases(" ".join(rng.choices(words, k=11)).encode())) == []
