"""The rule file: valid, ordered, in gitleaks' form."""

import re
import tomllib
from importlib import resources
from pathlib import Path

import pytest
from tests import privacy_generator as generator

from reverie.privacy.automaton import expression
from reverie.privacy.judgement import TESTS
from reverie.privacy.rules import Rule, gate, names_a_field, rules


def test_every_rule_compiles_and_has_a_gate() -> None:
    for rule in rules():
        expression(rule.regex)
        assert rule.keywords or rule.guard, rule.id


def test_there_are_rules_for_at_least_forty_kinds() -> None:
    assert len({rule.id for rule in rules()}) >= 40


def test_ids_fit_a_mark_and_keywords_are_lower_case() -> None:
    for rule in rules():
        assert re.fullmatch(r"[a-z0-9-]+", rule.id)
        assert all(keyword == keyword.lower() for keyword in rule.keywords)


def test_the_file_uses_only_known_fields_and_tags() -> None:
    source = resources.files("reverie") / "data" / "secrets.toml"
    for entry in tomllib.loads(source.read_text(encoding="utf-8"))["rules"]:
        known = {
            "id",
            "description",
            "regex",
            "keywords",
            "guard",
            "secretGroup",
            "entropy",
            "tags",
            "lines",
            "where",
            "words",
        }
        assert set(entry) <= known, entry["id"]
        assert set(entry.get("tags", ())) <= set(TESTS)


def test_the_gate_opens_only_for_rules_whose_keyword_is_there() -> None:
    assert gate().look(b"plain words about nothing").rules == []
    assert "npm-token" in {rule.id for rule in gate().look(b"see NPM_ in the text").rules}


def test_a_value_that_ends_its_regex_is_the_only_group() -> None:
    """It is found by where the match ends, without asking for groups."""
    for rule in rules():
        if rule.group and re.search(r"\{\d+,\d+\}\)$", rule.regex):
            assert re.compile(rule.regex.encode()).groups == rule.group == 1, rule.description


FIXTURES = Path(__file__).parent / "fixtures"
PLACES = {**generator.SEEN, **generator.HELD_OUT}
SAMPLES = [sample.text.encode() for sample in generator.secrets(seed=21, places=PLACES)]
TOLD = (FIXTURES / "secrets.txt").read_bytes().split(b"\n== ")


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "rule", [r for r in rules() if r.where or r.guard], ids=lambda rule: f"{rule.id}-{rule.rank}"
)
def test_the_look_before_a_rule_passes_over_nothing_that_it_would_take(rule: Rule) -> None:
    for text in (*SAMPLES, *TOLD):
        if rule not in gate().look(text).rules:
            assert list(rule.spans(text)) == [], text


@pytest.mark.hostile("X1")
def test_a_guard_opens_the_gate_whichever_others_are_in_the_text() -> None:
    guarded = [rule for rule in rules() if rule.guard and not rule.where]
    for text in (*SAMPLES, *TOLD, b"\n".join(SAMPLES[:200])):
        passed = gate().look(text).rules
        missed = [r.id for r in guarded if expression(r.guard).search(text) and r not in passed]
        assert missed == [], text


@pytest.mark.parametrize("name", ["db_password", "seedPhrase", "colour", "session_id", "a\nb", ""])
def test_a_name_is_that_of_a_field_if_a_rule_for_fields_knows_it(name: str) -> None:
    heads = (rule.regex.partition('": "')[0] for rule in rules() if rule.is_field)
    shown = f'\x1e"{name}"'.encode()
    assert names_a_field(name) == any(expression(f'{head}"').search(shown) for head in heads)
