"""Rules that are stated and updated over many sessions."""

import json
from pathlib import Path
from typing import Any

import pytest

from reverie.cli.root import run
from reverie.errors import InvalidInput
from reverie.measure.memorycode import is_rule, measure_memorycode, spoken
from reverie.measure.result import Estimate


def talk(*turns: str) -> str:
    names = ("Mira", "Tom")
    return "\n\n".join(f'{names[n % 2]}: "{words}"' for n, words in enumerate(turns))


def dialogue() -> dict[str, Any]:
    """Two rules, one of them updated, and a session of small talk."""
    return {
        "context": {"mentor": "Mira", "mentee": "Tom"},
        "instructions": [[[0, 0], [1, 0]], [-1], [[0, 1]]],
        "sessions": [
            {
                "type": ["instruction-add", "instruction-add"],
                "topic": [
                    "always start handler names with 'on_'",
                    "always add a timeout to queries",
                ],
                "text": talk(
                    "Welcome! When naming handlers, I'd like you to use the prefix 'on_'.",
                    "Understood.",
                    "Also, always add a timeout to your queries.",
                    "I will.",
                ),
            },
            {
                "type": ["filler-add"],
                "topic": ["how to plan a picnic"],
                "text": talk("The picnic is on Friday. It's important to have fun.", "Sure!"),
            },
            {
                "type": ["instruction-update"],
                "topic": ["always start handler names with 'do_'"],
                "text": talk("From now on, start all handler names with 'do_'.", "Okay."),
            },
        ],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dialogue_1.json").write_text(json.dumps(dialogue()), encoding="utf-8")
    return tmp_path


def test_what_is_in_force_is_active_and_what_was_replaced_is_retired(folder: Path) -> None:
    found = measure_memorycode(folder)
    (result,) = found.records
    assert [(m["text"], m["session"]) for m in result["memories"]] == [
        ("Always add a timeout to your queries.", 0),
        ("Start handler names with 'do_'.", 2),
    ]
    assert [m["text"] for m in result["retired"]] == ["Start handler names with 'on_'."]
    assert [row.cells for row in found.tables[0].rows] == [
        (Estimate(1.0, 1.0, 1.0), 2),
        (Estimate(1.0, 1.0, 1.0), 2),
        (Estimate(0.0, 0.0, 0.0), 1),
    ]


def test_the_command_writes_what_an_outside_scorer_needs(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "memories.jsonl"
    assert run(["measure", "memorycode", "--data", str(folder), "--memories", str(file)]) == 0
    (record,) = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert record["dialogue"] == "dialogue_1"
    assert record["retired"] == [{"text": "Start handler names with 'on_'.", "session": 0}]
    assert record["superseded"] == ["always start handler names with 'on_'"]


def test_a_memory_is_a_rule_by_names_things_and_most_words() -> None:
    rule = "always start handler names with 'on_'"
    assert is_rule(rule, "Start handler names with 'on_'.")
    assert not is_rule(rule, "Start handler names with 'do_'.")
    assert not is_rule(rule, "Start table names with 'on_'.")
    assert not is_rule("always add a timeout to queries", "Always add comments to your code.")


def test_turns_are_told_apart_by_who_speaks() -> None:
    text = 'Mira: "One."\n\n**Tom:** Two.\nStill two.\n\nMira (smiling): Three.'
    found = list(spoken({"mentor": "Mira", "mentee": "Tom"}, text))
    assert found == [(True, "One."), (False, "Two.\nStill two."), (True, "Three.")]


def test_a_folder_without_dialogues_and_a_broken_one_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no dialogue"):
        measure_memorycode(tmp_path)
    (tmp_path / "dialogue_1.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidInput, match="context"):
        measure_memorycode(tmp_path)
