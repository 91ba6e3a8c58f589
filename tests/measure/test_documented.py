"""What the page on measurement tells people to type, run as it stands on made-up data."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command
from tests.measure.corpus import LASTING, made_up_corpus
from tests.measure.test_dialogues import locomo, longmemeval
from tests.measure.test_memorycode import dialogue
from tests.measure.test_retrieval import KETTLE

import reverie
from reverie.cli.measure import measure

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "measurement.md"
CALLS = re.findall(r"^\$ reverie (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
SUMMARY = {"intent": "Work on a part of the server and change its port"}
THEME = {"repo": "team+p0", "theme": "boats", "turns": [], "needles": ["boat"], "value": 2}
BENCH = 'import json; print(json.dumps({"ratios": {"a": 2.0}, "ratio": {"a": 2.0}}))'


def write_lines(file: Path, *records: dict[str, Any]) -> None:
    file.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data of every kind that the page names."""
    folder = tmp_path_factory.mktemp("measured")
    corpus = made_up_corpus(folder / "corpus")
    lines = (corpus / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    labels: list[dict[str, Any]] = [json.loads(line) for line in lines]
    kept = [one for one in labels if one["durable"] != "none"]
    kept[0] |= {"question": "What do we pass instead of a global?", "answer": "the client"}
    kept[0] |= {"text": LASTING, "span": "we pass the client instead"}
    write_lines(corpus / "labels.jsonl", *labels)
    memory = {"text": LASTING, "kind": "best-practice", "from": [0], "correction": "explicit"}
    write_lines(corpus / "memories.jsonl", *(one | memory for one in kept))
    spoken = {"sentence": 0, "text": LASTING, "act": "rule", "keep": "project"}
    write_lines(corpus / "sentences.jsonl", *(one | spoken for one in kept))
    for log in corpus.rglob("*0000.jsonl"):
        meta = {"_summaries": [{"summary": SUMMARY}]}
        log.with_suffix("").with_suffix(".meta.json").write_text(json.dumps(meta), encoding="utf-8")
    (folder / "locomo10.json").write_text(json.dumps(locomo([KETTLE])), encoding="utf-8")
    (folder / "longmemeval_s.json").write_text(json.dumps([longmemeval()]), encoding="utf-8")
    (folder / "memorycode").mkdir()
    talk = folder / "memorycode" / "dialogue_1.json"
    talk.write_text(json.dumps(dialogue()), encoding="utf-8")
    write_lines(folder / "themes.jsonl", THEME)
    (folder / "bench").mkdir()
    for name in ("start", "hooks", "store"):
        (folder / "bench" / f"{name}.py").write_text(BENCH, encoding="utf-8")
    return folder


def written_files(call: str) -> Iterator[str]:
    """What a call writes: the values of options that name an output."""
    yield from re.findall(
        r"--(?:html|rankings|contexts|export|memories|patterns|misses) (\w+\.\w+)", call
    )


@pytest.mark.parametrize("call", CALLS)
def test_a_command_of_the_page_runs_and_writes_what_it_says(
    call: str, place: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    # The benches of the tree are slow, and tested by themselves.
    monkeypatch.setattr(reverie, "__file__", str(place / "src" / "reverie" / "__init__.py"))
    if "--verdicts" in call:
        assert command(*shlex.split(call.replace("--verdicts", "--export"))).code == 0
        records = map(json.loads, (place / "lessons.jsonl").read_text().splitlines())
        write_lines(place / "lessons.jsonl", *(one | {"verdict": "keep"} for one in records))
    for name in written_files(call):
        (place / name).unlink(missing_ok=True)
    ran = command(*shlex.split(call))
    assert ran.code == 0, ran.err
    assert "SQLite" in ran.out
    for name in written_files(call):
        assert (place / name).is_file()


@pytest.mark.parametrize("name", sorted(measure.commands))
def test_every_measurement_has_a_section_on_the_page(name: str) -> None:
    headings = re.findall(r"^## (\w+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert any(heading.lower().startswith(name) for heading in headings)
