"""The patterns and lists of words in `reverie/data`: code asks for no part that is not there."""

import ast
import re
from pathlib import Path

import pytest

from reverie.data import FOLDER, patterns, sections, word_sets

SOURCES = sorted(FOLDER.parent.rglob("*.py"))
MADE = {"patterns": patterns, "word_sets": word_sets}


def _asked_for(source: Path) -> list[tuple[str, str, str, str]]:
    """(maker, file, module, name) of what a module takes from the data files."""
    text = source.read_text(encoding="utf-8")
    found: list[tuple[str, str, str, str]] = []
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if not isinstance(node.value.func, ast.Name) or node.value.func.id not in MADE:
            continue
        file, module = (ast.literal_eval(given) for given in node.value.args)
        variable = ast.unparse(node.targets[0])
        names = set(re.findall(rf"\b{variable}\.([a-z_]+)\b(?!\()", text))
        found += [(node.value.func.id, file, module, name) for name in sorted(names)]
    return found


def test_what_modules_ask_for_is_there() -> None:
    asked = [part for source in SOURCES for part in _asked_for(source)]
    assert len(asked) > 100
    for maker, file, module, name in asked:
        assert getattr(MADE[maker](file, module), name), f"{file}: {module}.{name}"


def test_a_pattern_may_name_another_one_which_loses_its_flags() -> None:
    opening = patterns("statements.txt", "directives").opening
    assert opening.match("Also, from now on: use tabs")
    assert "{" not in opening.pattern.replace("{0,", "")


def test_nothing_is_read_before_it_is_asked_for() -> None:
    sections.cache_clear()
    lists = word_sets("traffic.txt", "commands")
    assert sections.cache_info().currsize == 0
    assert "cat" in lists.readers
    assert sections.cache_info().currsize == 1


def test_a_part_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError):
        _ = patterns("traffic.txt", "commands").no_such_part
