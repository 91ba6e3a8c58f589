"""The measurement of search, on a dialogue small enough to check by hand."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from reverie.errors import InvalidInput
from reverie.measure.retrieval import read_dialogues, score_dialogues


def sample(questions: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    def turn(name: str, text: str) -> dict[str, str]:
        return {"speaker": "Kim", "dia_id": name, "text": text}

    return [
        {
            "sample_id": "one",
            "conversation": {
                "session_1": [turn("D1:1", "The kettle is blue."), turn("D1:2", "Nice weather.")],
                "session_2": [turn("D2:1", "We moved to the harbour street.")],
                "session_1_date_time": "noon",
            },
            "qa": questions,
        }
    ]


def write(tmp_path: Path, value: object) -> Path:
    file = tmp_path / "data.json"
    file.write_text(json.dumps(value))
    return file


def test_a_found_turn_counts_and_a_missed_one_does_not(tmp_path: Path) -> None:
    questions = [
        {"question": "Which colour has the kettle?", "evidence": ["D1:1"], "category": 4},
        {"question": "Any zebras?", "evidence": ["D2:1"], "category": 1},
    ]
    score = score_dialogues(read_dialogues(write(tmp_path, sample(questions))))
    assert score.questions == 2
    assert score.turn_recall_10 == score.session_recall_5 == score.recall_2000_characters == 0.5


def test_questions_without_answer_or_evidence_are_left_out(tmp_path: Path) -> None:
    questions = [
        {"question": "Which colour has the kettle?", "evidence": ["D1:1; D2:1"], "category": 4},
        {"question": "Unanswerable?", "evidence": ["D1:1"], "category": 5},
        {"question": "No such turn?", "evidence": ["D7:1"], "category": 1},
    ]
    assert score_dialogues(read_dialogues(write(tmp_path, sample(questions)))).questions == 1


@pytest.mark.parametrize("value", ["text", [1], [{"qa": []}], {"a": 1}])
def test_another_file_is_an_error_and_no_score(tmp_path: Path, value: object) -> None:
    with pytest.raises(InvalidInput):
        read_dialogues(write(tmp_path, value))
