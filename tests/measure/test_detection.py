"""Training and measuring on a made-up corpus; what the shipped model file must be."""

import json
from pathlib import Path

import pytest
from bench.train import main
from tests.measure.corpus import made_up_corpus

from reverie.cli.root import run
from reverie.errors import InvalidInput, NotFound
from reverie.language.cues import human_cues
from reverie.learn.detect.features import features
from reverie.learn.detect.judge import FILE, load
from reverie.learn.statements.lasting import deciding_features, marked
from reverie.learn.statements.utterance import hear
from reverie.measure.detection import measure_detection
from reverie.measure.folds import HEADS, examples, read_labels
from reverie.measure.result import Estimate


def test_training_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    corpus = made_up_corpus(tmp_path / "corpus")
    main(corpus, tmp_path / "a.json")
    main(corpus, tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert set(load(tmp_path / "a.json")) == {*HEADS, "durable"}


def test_every_labelled_turn_is_found_with_its_features(tmp_path: Path) -> None:
    corpus = made_up_corpus(tmp_path)
    labels = read_labels(corpus / "labels.jsonl")
    found = examples(corpus, labels)
    assert len(found) == len(labels) == 36
    assert all(example.row for example in found)


def test_ours_beats_the_keyword_list_on_what_it_has_not_seen(tmp_path: Path) -> None:
    corpus = made_up_corpus(tmp_path)
    found = measure_detection(corpus, corpus / "labels.jsonl", rounds=20)
    correction, _, written = found.tables
    auc = {row.name: row.cells[correction.columns.index("AUC")] for row in correction.rows}
    ours, keywords = auc["ours, projects held out"], auc["keyword list"]
    assert isinstance(ours, Estimate)
    assert isinstance(keywords, Estimate)
    assert ours.value > keywords.value
    assert ours.low <= ours.value <= ours.high
    assert found.notes[0].startswith("36 of 36 labelled turns read: 12 corrections")
    assert [row.name for row in written.rows] == [
        "ours, projects held out",
        "the shipped model, as it is",
    ]


def test_the_table_and_the_document_tell_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = made_up_corpus(tmp_path)
    call = ["measure", "detection", "--corpus", str(corpus)]
    call += ["--labels", str(corpus / "labels.jsonl")]
    assert run(call) == 0
    printed = capsys.readouterr().out
    assert run([*call, "--json"]) == 0
    for table in json.loads(capsys.readouterr().out)["tables"]:
        for row in table["rows"]:
            (line,) = [one for one in printed.split(table["title"])[1].splitlines()
                       if one.startswith(row["name"])][:1]  # fmt: skip
            assert all(f"{cell['value']:.3f}" in line for cell in row["cells"].values())


def test_a_label_file_that_is_none_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text('{"transcript": "a"}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"labels\.jsonl:1"):
        read_labels(file)
    with pytest.raises(NotFound):
        read_labels(tmp_path / "none.jsonl")


def test_the_shipped_model_knows_the_features_and_keeps_to_the_directions() -> None:
    from tests.learn.scenes import session

    from reverie.learn.detect.context import scenes

    words = "we should always use the wiki, it is installed, the page fails and shows every option"
    scene = scenes(session(("prompt", words)))[0]
    parts = [marked(sentence, human_cues()) for sentence in hear(words).sentences]
    row, _ = features(scene, hear(words), human_cues(), parts)
    # Of what a sentence may hold, a row has only what this one does.
    held = {name for head in HEADS.values() for name in head.names if name[:4] in {"say:", "ask:"}}
    sentence = {name for head in HEADS.values() for name in head.names if name.startswith("s:")}
    known = {*deciding_features(0.0, 0), *row, *held, *sentence}
    assert FILE.stat().st_size <= 300_000
    for name, head in load(FILE).items():
        if name == "durable":
            assert set(head.weights) == {"worth"}
            continue
        direction = HEADS[name]
        assert set(head.weights) <= direction.names <= known
        assert not direction.speaks_for & direction.speaks_against
        for feature, weight in head.weights.items():
            assert weight >= 0 or feature in direction.speaks_against, (name, feature)
            assert weight <= 0 or feature in direction.speaks_for, (name, feature)


def test_a_model_of_another_form_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_text('{"form": 0}', encoding="utf-8")
    with pytest.raises(InvalidInput, match="form 0"):
        load(file)
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(InvalidInput, match="not a detector model"):
        load(file)
