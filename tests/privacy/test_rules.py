"""The rule file: valid, ordered, in gitleaks' form."""

import re
import tomllib
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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
            "outline",
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


OUTLINED = [rule for rule in rules() if rule.outline]


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("rule", OUTLINED, ids=lambda rule: f"{rule.id}-{rule.rank}")
@settings(max_examples=300)
@given(data=st.data())
def test_whatever_a_rule_takes_has_its_outline(rule: Rule, data: st.DataObject) -> None:
    drawn = data.draw(st.from_regex(rule.regex)).encode("utf-8", "surrogatepass")
    for text in (drawn, drawn.swapcase(), b"the\n" + drawn.replace(b"\n", b"\r\n") + b"\nend"):
        if expression(rule.regex).search(text):
            assert expression(rule.outline).search(text)


def test_the_outlines_hold_for_all_that_is_generated_and_leave_out_most_of_it() -> None:
    for rule in OUTLINED:
        passed = [text for text in (*SAMPLES, *TOLD) if expression(rule.outline).search(text)]
        assert all(
            text in passed for text in (*SAMPLES, *TOLD) if expression(rule.regex).search(text)
        )
        assert len(passed) < len(SAMPLES) / 2, rule.description


@pytest.mark.parametrize("rule", [rule for rule in rules() if rule.is_framed])
def test_no_name_of_a_field_holds_what_joins_it_to_its_value(rule: Rule) -> None:
    head, link, _ = rule.regex.partition('": "')
    assert link
    assert head.startswith(('(?s)^\\x1e"[^"]*?', '(?is)^\\x1e"[^"]*?'))
    # A sign of any kind is no three of them, and what is no space is no quote, colon and space.
    plain = re.sub(r"\[(?:\\.|[^\]])+\]", "", head)
    assert not re.search(r"\\[WD]|(?<!\\)\.[*+{]", plain)
    assert all('"' in taken for taken in re.findall(r"\[\^(?:\\.|[^\]])+\]", head))


@pytest.mark.hostile("X1")
@given(st.text('\n"\\_: aekpstwy') | st.text(max_size=30), st.text(max_size=30))
def test_a_rule_for_fields_is_left_out_only_where_the_name_is_none_of_its(
    name: str, value: str
) -> None:
    for shown in (name, f"{name}password", f"{name} session id", f"api_key{name}", f"card{name}"):
        for text in (
            f'\x1e"{shown}": "{value}"\x1f',
            f'\x1e"{shown}: "{value}", "{name}": "x"\x1f',
        ):
            data = text.encode("utf-8", "surrogatepass")
            seen = gate().look(data)
            assert seen.is_announced
            fields = [rule for rule in rules() if rule.is_framed]
            assert not [r for r in fields if r not in seen.rules and list(r.spans(data))]


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
