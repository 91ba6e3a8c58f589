"""How often a key may ask."""

import pytest
from tests.serve.http.served import Served

from reverie.serve.http.auth import Buckets
from reverie.serve.http.errors import Failed


def test_a_key_has_a_burst_and_then_a_rate() -> None:
    now = 100.0
    buckets = Buckets(2.0, 3, lambda: now)
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(Failed) as refused:
        buckets.take("a")
    assert refused.value.status == 429
    assert refused.value.headers == {"retry-after": "1", "retry-after-ms": "501"}
    buckets.take("b")
    now += 0.5
    buckets.take("a")
    with pytest.raises(Failed):
        buckets.take("a")
    now += 1_000
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(Failed):
        buckets.take("a")


def test_no_rate_is_no_limit() -> None:
    buckets = Buckets(0, 0)
    for _ in range(1_000):
        buckets.take("a")


def test_too_many_requests_are_told_in_the_envelope(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: Buckets, key_id: str) -> None:
        raise Failed(429, f"too many with {key_id}", {"retry-after": "1"})

    monkeypatch.setattr(Buckets, "take", refuse)
    answer = served.client.get("/v1/memory_stores")
    assert (answer.status, answer.error["type"]) == (429, "rate_limit_error")
    assert answer.headers["retry-after"] == "1"
