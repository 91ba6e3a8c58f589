"""The rule file: valid, ordered, in gitleaks' form."""

import re
import tomllib
from importlib import resources

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.privacy.automaton import expression
from reverie.privacy.judgement import TESTS
from reverie.privacy.rules import Rule, gate, rules


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


# Rules whose guard or `where` stands for names that are in many texts: what their regex finds, the
# look before it must not miss. Line ends and odd spaces inside of sentences are left out.
GUARDED = [
    rule
    for rule in rules()
    if rule.id in {"secret-assignment", "secret-said"} and (rule.guard or rule.where)
]


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("rule", GUARDED, ids=lambda rule: f"{rule.id}-{rule.rank}")
@given(data=st.data())
@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
def test_the_look_before_a_rule_lets_pass_what_its_regex_finds(
    rule: Rule, data: st.DataObject
) -> None:
    alphabet = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])
    pattern = re.compile(rule.regex.replace(r"\x", r"\\x"))
    text = data.draw(st.from_regex(pattern, fullmatch=True, alphabet=alphabet))
    found = text.encode()
    if expression(rule.regex).search(found):
        assert rule in gate().look(found).rules
