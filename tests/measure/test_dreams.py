"""What recurs in the bundled sessions, listed by somebody who read them, and what is proposed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from reverie import sample
from reverie.errors import InvalidInput
from reverie.measure.dreams import Proposed, Theme, measure_dreams, read_themes
from reverie.measure.result import Estimate

CORPUS = Path(sample.__file__).parent / "claude" / "projects"
SHOP = "-srv-code-shop-api"
CENTS: dict[str, Any] = {
    "repo": SHOP,
    "theme": "Amounts are cents, as integers.",
    "turns": ["568703f2-b7e9-5f72-a673-18f134728d56.jsonl#5"],
    "needles": [r"cents?\b", r"int(?:eger)?s?\b"],
    "value": 3,
}
BOATS = CENTS | {"theme": "Boats are blue.", "turns": [], "needles": ["boat"], "value": 1}


def write(folder: Path, *themes: dict[str, Any]) -> Path:
    file = folder / "themes.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in themes), encoding="utf-8")
    return file


def test_a_theme_that_is_proposed_counts_by_its_worth(tmp_path: Path) -> None:
    found = measure_dreams(CORPUS, write(tmp_path, CENTS, BOATS))
    (table,) = found.tables
    cells = dict(zip(table.columns, table.rows[0].cells, strict=True))
    shares = [cells["themes found"], cells["by worth"]]
    assert [share.value for share in shares if isinstance(share, Estimate)] == [0.5, 0.75]
    assert cells["themes"] == "1 of 2"
    assert [row.name for row in table.rows] == ["all projects", f"… {SHOP}"]
    assert found.records[0]["themes"] == [CENTS["theme"]]
    assert found == measure_dreams(CORPUS, write(tmp_path, CENTS, BOATS))


def test_a_pattern_is_about_a_theme_by_words_or_by_the_turns_it_rests_on() -> None:
    needles = (re.compile("cents"), re.compile("floats"))
    theme = Theme("p", "cents", frozenset({"a#1", "b#2", "c#3"}), needles, 1)
    assert Proposed("p", "no floats:\n cents", frozenset()).is_about(theme)
    assert not Proposed("p", "cents", frozenset({"a#1"})).is_about(theme)
    assert Proposed("p", "", frozenset({"a#1", "b#2", "x#1", "x#2", "x#3", "x#4"})).is_about(theme)
    assert not Proposed("p", "", frozenset({"a#1", "b#2", *(f"x#{n}" for n in range(5))})).is_about(
        theme
    )


@pytest.mark.parametrize(
    "wrong",
    [{"value": 4}, {"needles": ["("]}, {"turns": ["no line"]}, {"turns": None}, {"needles": [1]}],
)
def test_a_line_that_is_no_theme_is_named(wrong: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"themes\.jsonl:2"):
        read_themes(write(tmp_path, CENTS, CENTS | wrong))


def test_a_project_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="nowhere"):
        measure_dreams(CORPUS, write(tmp_path, CENTS | {"repo": "nowhere"}))
