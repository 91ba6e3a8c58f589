"""Long output loses its middle, never half a secret."""

import base64

import pytest

from reverie.sessions.readers.clip import LIMIT, clip

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_short_output_stays_as_it_is() -> None:
    assert clip("x" * LIMIT) == "x" * LIMIT


@pytest.mark.parametrize("place", range(2_460, 2_505, 3))
def test_a_token_at_the_cut_is_whole_or_gone(place: int) -> None:
    for text in ("a " * (place // 2) + TOKEN + " b" * 4_000, "b " * 4_000 + TOKEN + " a" * 680):
        kept = clip(text)
        assert len(kept) <= LIMIT
        assert TOKEN in kept or TOKEN[:8] not in kept
        assert TOKEN in kept or TOKEN[-8:] not in kept


def test_the_end_of_a_key_does_not_stay_without_its_beginning() -> None:
    body = "\n".join(base64.b64encode(bytes([n] * 48)).decode() for n in range(40))
    head, foot = (f"-----{word} RSA PRIV" + "ATE KEY-----" for word in ("BEGIN", "END"))
    kept = clip("word " * 1_000 + f"{head}\n{body}\n{foot}\nbye")
    assert body[-64:] not in kept
    assert kept.endswith("bye")
