"""Published formats, read strictly, on small files made up in them."""

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from reverie.errors import InvalidInput
from reverie.measure.dialogues import pooled, read_dialogues

DAY = "2026/03/0{} (Mon) 09:00"


def locomo(questions: Sequence[Mapping[str, Any]], name: str = "one") -> list[dict[str, Any]]:
    def turn(place: str, text: str) -> dict[str, str]:
        return {"speaker": "Kim", "dia_id": place, "text": text}

    return [
        {
            "sample_id": name,
            "conversation": {
                "session_1": [turn("D1:1", "The kettle is blue."), turn("D1:2", "Nice weather.")],
                "session_2": [turn("D2:1", "We moved to the harbour street.")],
                "session_1_date_time": "noon",
            },
            "qa": questions,
        }
    ]


def longmemeval(name: str = "q1", category: str = "single-session-user") -> dict[str, Any]:
    """A question about a kettle; its history has two sessions."""
    return {
        "question_id": name,
        "question_type": category,
        "question": "Which colour has my kettle?",
        "answer": "blue",
        "question_date": DAY.format(9),
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": [DAY.format(1), DAY.format(2)],
        "haystack_sessions": [
            [
                {"role": "user", "content": "My kettle is blue.", "has_answer": True},
                {"role": "assistant", "content": "A fine colour.", "has_answer": False},
            ],
            [{"role": "user", "content": "We moved to the harbour street."}],
        ],
        "answer_session_ids": ["s1"],
    }


def write(folder: Path, value: object) -> Path:
    file = folder / "data.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


def test_questions_without_answer_or_evidence_are_left_out(tmp_path: Path) -> None:
    questions = [
        {"question": "Which colour has the kettle?", "evidence": ["D1:1; D2:1"], "category": 4},
        {"question": "Unanswerable?", "evidence": ["D1:1"], "category": 5},
        {"question": "No such turn?", "evidence": ["D7:1"], "category": 1},
    ]
    (dialogue,) = read_dialogues(write(tmp_path, locomo(questions)))
    (question,) = dialogue.questions
    assert question.turns == {"one/D1:1", "one/D2:1"}
    assert question.sessions == {"one/1", "one/2"}
    assert question.category == "single-hop"


def test_a_question_of_longmemeval_has_a_history_of_its_own(tmp_path: Path) -> None:
    samples = [longmemeval(), longmemeval("q2_abs"), longmemeval("q3", "multi-session")]
    first, second = read_dialogues(write(tmp_path, samples))
    assert [unit.name for unit in first.units] == ["s1/0", "s1/1", "s2/0"]
    assert first.units[0].text == "user: My kettle is blue."
    assert first.questions[0].turns == {"s1/0"}
    assert first.questions[0].sessions == {"s1"}
    assert second.questions[0].category == "multi-session"


def test_what_several_histories_share_is_pooled_once(tmp_path: Path) -> None:
    samples = [longmemeval(), longmemeval("q3")]
    together = pooled(read_dialogues(write(tmp_path, samples)))
    assert (len(together.units), len(together.questions)) == (3, 2)


def without(key: str) -> Callable[[dict[str, Any]], object]:
    return lambda entry: entry.pop(key)


@pytest.mark.parametrize(
    "spoil",
    [
        without("question_type"),
        without("answer"),
        without("haystack_dates"),
        without("answer_session_ids"),
        lambda entry: entry.update(question_type="riddle"),
        lambda entry: entry.update(question_date="yesterday"),
        lambda entry: entry.update(answer_session_ids=["s9"]),
        lambda entry: entry["haystack_session_ids"].append("s3"),
        lambda entry: entry["haystack_sessions"][0][0].update(role="system"),
        lambda entry: entry["haystack_sessions"][0][0].update(content=None),
        lambda entry: entry["haystack_sessions"][0][0].update(has_answer="yes"),
    ],
)
def test_what_is_nearly_of_the_format_is_refused_with_its_place(
    spoil: Callable[[dict[str, Any]], object], tmp_path: Path
) -> None:
    wrong = deepcopy(longmemeval("q2"))
    spoil(wrong)
    with pytest.raises(InvalidInput, match="entry 1 is not of LongMemEval"):
        read_dialogues(write(tmp_path, [longmemeval(), wrong]))


@pytest.mark.parametrize("value", ["text", [], [1], [{"qa": []}], {"a": 1}, [[]]])
def test_another_file_is_an_error_and_no_score(tmp_path: Path, value: object) -> None:
    with pytest.raises(InvalidInput):
        read_dialogues(write(tmp_path, value))


def test_a_file_without_an_answerable_question_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no question"):
        read_dialogues(write(tmp_path, [longmemeval("q_abs")]))
