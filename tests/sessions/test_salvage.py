"""What is found in a damaged line, and what it may cost to look."""

from typing import Any

import pytest

from reverie.sessions.logs.salvage import reason_of, salvage, size_of


def any_object(value: dict[str, Any]) -> dict[str, Any] | None:
    return value


def found(text: str) -> list[dict[str, Any]]:
    return [value for _, _, value in salvage(text, any_object)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":1}{"b":2}', [{"a": 1}, {"b": 2}]),
        ('{"a":"cut{"b":2}', [{"b": 2}]),
        ('{"a":{"x":{"b":2}', [{"b": 2}]),
        ('{"a":1}{"b":', [{"a": 1}]),
        ('{"a":"cut{"b":2}{"c":', [{"b": 2}]),
        ('\0\0{"a":1}\0\0{"b":2}', [{"a": 1}, {"b": 2}]),
        ('"x":{"nested":1},"y":2}', []),
        ('[{"nested":1},', []),
        ("no object here", []),
        ("", []),
    ],
)
def test_whole_objects_are_found_and_nested_ones_are_not(text: str, expected: list[Any]) -> None:
    assert found(text) == expected


def test_places_are_exact_in_bytes_whatever_the_encoding_damage() -> None:
    data = 'ü{"a":'.encode() + b"\xff\xfe" + '日{"b":"é"}'.encode()
    text = data.decode("utf-8", "surrogateescape")
    ((start, stop, _),) = salvage(text, any_object)
    assert data[size_of(text[:start]) : size_of(text[:stop])] == '{"b":"é"}'.encode()


@pytest.mark.hostile("L5")
@pytest.mark.parametrize(
    "broken",
    ['{"a":' * 900 + "1" * 200_000, '{"a":"' + '{"' * 300_000, '{"a":[' + '{"b":1},' * 100_000],
    ids=["deep", "many starts", "many objects"],
)
def test_looking_into_a_hostile_line_gives_up_in_the_end(broken: str) -> None:
    assert found(broken) == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\0{}", "NUL bytes"),
        (b"\xff{}", "not UTF-8"),
        (b"{", "not JSON"),
        (b"[" * 100_000, "nested too deep"),
        (b"[1]", "not a record"),
        (b"1" * 6_000, "number too long"),
    ],
)
def test_the_reason_is_named(data: bytes, reason: str) -> None:
    assert reason_of(data) == reason
