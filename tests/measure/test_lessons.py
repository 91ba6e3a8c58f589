"""Lessons against what a careful reader wrote down, on a corpus of two small sessions."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command, Reverie
from tests.sessions.logs import claude, prompt, reply

from reverie.engines.protocol import Prompt
from reverie.errors import InvalidInput
from reverie.measure.fidelity.judged import Thinker
from reverie.measure.lessons import measure_lessons
from reverie.measure.references import read_references, same_fact, same_sentence
from reverie.measure.result import Estimate, Measurement

RULE = "From now on, always run the linter before every commit."
OTHER = "The staging server is at https://staging.example.org/orders."
NAMES = ("11111111-0000-4000-8000-000000000000", "22222222-0000-4000-8000-000000000000")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """`corpus/` with logs, and what a reader made of them."""
    folder = tmp_path / "corpus" / "team+shop" / "claude-code"
    folder.mkdir(parents=True)
    memories: list[dict[str, Any]] = []
    sentences: list[dict[str, Any]] = []
    for name, words in zip(NAMES, (RULE, OTHER), strict=True):
        lines = claude(prompt("please go on with the orders"), reply("I did."), prompt(words))
        text = "".join(json.dumps({**line, "sessionId": name}) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
        turn = {"transcript": f"team+shop/claude-code/{name}.jsonl", "line": 2, "turn": "prompt"}
        sentences.append({**turn, "sentence": 0, "text": words, "act": "rule", "keep": "project"})
        memory = {"text": words, "kind": "best-practice", "from": [0], "correction": "none"}
        memories.append(turn | memory)
    memories.append({**memories[0], "line": 0, "text": "Nobody said this.", "from": []})
    for file, records in (("memories.jsonl", memories), ("sentences.jsonl", sentences)):
        text = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / "corpus" / file).write_text(text, encoding="utf-8")
    return tmp_path / "corpus"


def values(found: Measurement, table: int, row: str) -> dict[str, float | str]:
    (cells,) = [one.cells for one in found.tables[table].rows if one.name == row]
    both = zip(found.tables[table].columns, cells, strict=True)
    return {
        name: cell.value if isinstance(cell, Estimate) else cell
        for name, cell in both
        if cell is not None
    }


def test_what_was_learned_is_found_by_turn_by_sentence_and_by_words(corpus: Path) -> None:
    found = measure_lessons(corpus, corpus / "memories.jsonl")
    held = values(found, 0, "written or asked about")
    assert held["same turn"] == held["same sentence"] == held["same words"] == pytest.approx(2 / 3)
    assert held["of"] == 3
    written = values(found, 1, "written")
    assert written["same turn"] == written["same words"] == 1.0
    assert written["duplicates"] == 0.0
    assert {record["verdict"] for record in found.records} == {None}
    assert RULE in [quote for record in found.records for quote in record["quotes"]]


def test_a_readers_verdicts_are_read_back(
    corpus: Path, tmp_path: Path, reverie: Reverie, command: Command
) -> None:
    file = tmp_path / "lessons.jsonl"
    call = ["measure", "lessons", "--corpus", str(corpus)]
    call += ["--memories", str(corpus / "memories.jsonl")]
    reverie(*call, "--export", str(file))
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert command(*call, "--verdicts", str(file)).code == 2  # nobody judged yet
    for number, record in enumerate(records):
        record["verdict"] = "reword" if number == 0 else "keep"
    file.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    document = json.loads(reverie(*call, "--verdicts", str(file), "--json"))
    told = document["tables"][2]["rows"]
    counts = [(row["cells"]["reword"]["value"], row["cells"]["of"]) for row in told]
    assert sum(share * of for share, of in counts) == pytest.approx(1)
    assert document["data"]["lessons.jsonl"] == f"{len(records)} verdicts"


def test_verdicts_of_another_run_are_refused(corpus: Path, tmp_path: Path) -> None:
    file = tmp_path / "verdicts.jsonl"
    file.write_text('{"id": "nowhere", "verdict": "keep"}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match="not learned now: nowhere"):
        measure_lessons(corpus, corpus / "memories.jsonl", verdicts=file)


def test_memories_of_other_logs_and_files_of_another_form_are_errors(corpus: Path) -> None:
    file = corpus / "memories.jsonl"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("team+shop", "team+inn"), encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"team\+inn"):
        measure_lessons(corpus, file)
    file.write_text('{"transcript": "a", "line": 1}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"memories\.jsonl:1"):
        read_references(file)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (RULE, "Run the linter before each commit.", True),
        ("Never store tokens in local storage of the browser.",
         "Given our focus, never store any tokens in local storage.", True),
        ("The nightly import reads the orders of all shops.",
         "The nightly import never reads the orders of closed shops.", False),
        ("Use port 8080 for the staging gateway.", "Use port 9090 for the staging gateway.", False),
        (RULE, OTHER, False),
        ("", RULE, False),
    ],
)  # fmt: skip
def test_texts_say_the_same_by_their_words_or_not_at_all(one: str, other: str, same: bool) -> None:
    assert same_fact(one, other) is same
    assert same_fact(other, one) is same


def test_a_sentence_is_the_same_by_more_than_half_of_its_words() -> None:
    assert same_sentence("always run the linter", "run the linter first, please, and then commit")
    assert not same_sentence("always run the linter", "run a race")


def test_a_judge_says_which_lessons_say_what_the_reader_wrote_down(corpus: Path) -> None:
    shown: list[str] = []

    def ask(prompt: Prompt) -> str:
        shown.append(prompt.material)
        given = [json.loads(line) for line in prompt.material.splitlines() if line[:1] == "{"]
        verdicts = [
            {"id": one["id"], "verdict": "right" if "linter" in one["answer"] else "wrong"}
            for one in given
        ]
        return json.dumps({"verdicts": verdicts})

    found = measure_lessons(corpus, corpus / "memories.jsonl", judge=Thinker("made", "up", ask))
    table = found.tables[2]
    assert table.title == "What says the same by made:up (up)"
    shares = [
        (cell.value, of)
        for row in table.rows
        for cell, of in [row.cells]
        if isinstance(cell, Estimate) and isinstance(of, int)
    ]
    assert sum(share * of for share, of in shares) == 1
    assert sum(of for _, of in shares) == 2
    assert len(shown) == 1
    assert "Nobody said this." not in shown[0]
