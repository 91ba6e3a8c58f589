"""One frame for every measurement: tables, a document and a page that tell the same."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command

from reverie import __version__
from reverie.measure.page import page
from reverie.measure.plot import plot
from reverie.measure.result import Estimate, Measurement, Row, Run, Table

TABLE = Table(
    "Who is <best>?",
    ("share", "ours better by", "questions"),
    (
        Row("ours", (Estimate(0.8, 0.7, 0.9), None, 12)),
        Row("another with a name that is much longer than any column could ever be & more",
            (Estimate(0.5, 0.4, 0.6), Estimate(0.3, -0.1, 0.5), 12)),
    ),
)  # fmt: skip
FOUND = Measurement("fairness", (TABLE,), data={"a.json": "SHA-256 12"}, notes=("not <much>",))
RUN = Run("reverie measure fairness --seed 7", {"reverie": "1.0", "Python": "3", "SQLite": "3"})


@pytest.fixture
def call(tmp_path: Path) -> tuple[str, ...]:
    dialogue = {
        "context": {"mentor": "Mira", "mentee": "Tom"},
        "instructions": [[[0, 0]]],
        "sessions": [
            {
                "type": ["instruction-add"],
                "topic": ["always add a timeout to queries"],
                "text": 'Mira: "Always add a timeout to your queries."\n\nTom: "I will."',
            }
        ],
    }
    folder = tmp_path / "talks"
    folder.mkdir()
    (folder / "dialogue_1.json").write_text(json.dumps(dialogue), encoding="utf-8")
    return ("measure", "memorycode", "--data", str(folder))


def test_all_three_forms_state_figures_data_seed_versions_and_command(
    call: tuple[str, ...], command: Command, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    printed = command(*call, "--seed", "3").out
    document: dict[str, Any] = json.loads(
        command(*call, "--seed", "3", "--json", "--html", str(file)).out
    )
    written = file.read_text(encoding="utf-8")
    assert document["command"] == "reverie measure memorycode --data talks --seed 3"
    assert document["versions"]["reverie"] == __version__
    assert document["seed"] == 3
    told = [
        document["command"],
        *document["versions"].values(),
        *document["data"].values(),
        "1.000",
        "rules in force that a memory holds",
    ]
    assert len(document["data"]["talks"]) == len("SHA-256 ") + 64
    for text in told:
        assert text in printed
        assert text in written


def test_the_same_seed_gives_the_same_bytes(
    call: tuple[str, ...], command: Command, tmp_path: Path
) -> None:
    first, second = (tmp_path / name for name in ("one.html", "two.html"))
    documents = [command(*call, "--json", "--html", str(file)).out for file in (first, second)]
    assert documents[0] == documents[1]
    assert first.read_bytes() == second.read_bytes()


def test_a_page_needs_nothing_but_itself_and_obeys_nothing_it_tells() -> None:
    written = page(FOUND, RUN)
    assert "<script" not in written
    assert not re.search(r"(?:src|href)=|url\(|@import|https?:", written)
    assert "Who is &lt;best&gt;?" in written
    assert "not &lt;much&gt;" in written
    assert "prefers-color-scheme: dark" in written


def test_a_plot_has_a_dot_and_a_bar_for_every_estimate_inside_its_panel() -> None:
    drawn = ElementTree.fromstring(plot(TABLE))
    dots = drawn.findall(".//circle")
    assert len(dots) == len(drawn.findall(".//path[@class='bar']")) == 3
    assert all(0 <= float(dot.get("cx", "-1")) <= 960 for dot in dots)
    words = ["".join(node.itertext()) for node in drawn.iter("title")]
    assert "ours, share: 0.800 (0.700 to 0.900)" in words
    assert TABLE.rows[1].name in words  # cut where it stands, whole for who asks
    assert len(drawn.findall(".//path[@class='zero']")) == 1


def test_a_table_without_estimates_has_no_plot() -> None:
    assert plot(Table("counts", ("of",), (Row("a", (3,)),))) == ""
