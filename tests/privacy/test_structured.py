"""Values with names: what a key, an option or a program says of what follows it."""

import json
import random
import re
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.privacy import Redactor, redact_parts, redact_value
from reverie.privacy.structured import BEGIN, END

FIXTURE = Path(__file__).parent / "fixtures" / "structured.txt"
MARK = re.compile(r"\[redacted:([a-z0-9-]+):[0-9a-f]{8}\]")
REDACT = Redactor(b"a key of thirty-two bytes for us")


def cases() -> list[tuple[str, str]]:
    lines = FIXTURE.read_text(encoding="utf-8").splitlines()
    pairs = [line.split(" -> ") for line in lines if line and not line.startswith("#")]
    return [(given, given if expected == "same" else expected) for given, expected in pairs]


def letters(size: int = 9) -> str:
    return "".join(random.Random(5).choices(string.ascii_lowercase, k=size))


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(("document", "expected"), cases())
def test_a_value_is_judged_by_its_name(document: str, expected: str) -> None:
    value = json.loads(document.replace("*", letters()))
    redacted = json.dumps(redact_value(value, REDACT), ensure_ascii=False)
    assert MARK.sub(r"[redacted:\1]", redacted) == expected


def wrapped(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Somewhere in other data: in objects, in lists, in strings of JSON."""
    return st.one_of(
        inner.map(lambda value: {"input": value, "ok": True}),
        inner.map(lambda value: ["first", value]),
        inner.map(lambda value: {"arguments": json.dumps(value)}),
        inner.map(lambda value: {"arguments": json.dumps(value, ensure_ascii=False, indent=1)}),
    )


SECRETS = st.text(string.ascii_letters + " ä\"'\\<", min_size=1, max_size=12).map(
    lambda text: f"qzw{text.strip()}xvk"
)
KEYS = st.sampled_from(["password", "dbPassword", "DB_PASSWORD", "passphrase", "smtp_pass"])


@pytest.mark.hostile("X1")
@given(st.recursive(st.builds(lambda k, v: {k: v}, KEYS, SECRETS), wrapped, max_leaves=4))
def test_a_password_is_found_however_deep_it_lies_and_whatever_it_is_made_of(value: Any) -> None:
    assert "xvk" not in json.dumps(redact_value(value, REDACT))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(max_value=99_999) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text("abcdef", min_size=1), inner),
        max_leaves=8,
    )
)
def test_data_without_secrets_stays_what_it_is(value: Any) -> None:
    text = json.dumps(value)
    unmarked = json.loads(text.replace("\\u001e", " ").replace("\\u001f", " "))
    redacted = redact_value(unmarked, str)
    assert redacted == unmarked
    assert BEGIN not in json.dumps(redacted) and END not in json.dumps(redacted)


@given(st.recursive(st.builds(lambda k, v: {k: v}, KEYS, SECRETS), wrapped, max_leaves=3))
def test_doing_it_twice_is_doing_it_once(value: Any) -> None:
    once = redact_value(value, REDACT)
    assert redact_value(once, REDACT) == once


def test_what_a_caller_does_with_a_text_sees_how_it_is_redacted() -> None:
    def short(text: str, redact: Any) -> str:
        return redact(text)[:12]

    password = letters(40)
    assert redact_value({"password": password}, REDACT, short) == {"password": "[redacted:pa"}


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("The staging password", "it is *"),
        ("The database password is", "*"),
        ("password:", "*"),
        ("Wachtwoord van de server", "*"),
    ],
)
def test_parts_that_belong_together_are_seen_together(name: str, value: str) -> None:
    parts = redact_parts([name, value.replace("*", letters()), ""], REDACT)
    assert [parts[0], MARK.sub("*", parts[1]), parts[2]] == [name, value, ""]


def test_parts_without_a_secret_stay() -> None:
    parts = ["Rotate the password every month", "Compliance asks for it.", "Use the vault."]
    assert redact_parts(parts, REDACT) == parts


@pytest.mark.hostile("X1")
def test_a_numbered_argument_is_called_what_the_one_before_it_says() -> None:
    shown = redact_value({"field": "root_password", "arg1": "blue harbour"}, REDACT)
    assert MARK.fullmatch(shown["arg1"])
    plain = {"field": "root_colour", "arg1": "blue harbour"}
    assert redact_value(plain, REDACT) == plain
    apart = {"field": "root_password", "size": 3, "arg1": "blue harbour"}
    assert redact_value(apart, REDACT) == apart


CHANGED = [
    "smtp_password: |\n  @\nport: 25",
    '- name: ADMIN_PASSWORD\n  value: "@"\n- name: TZ',
    "<key>AccessToken</key>\n<string>@</string>",
    "# the passphrase:\n@",
]


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("text", CHANGED)
@pytest.mark.parametrize("sign", ["+", "-", " "])
def test_the_lines_of_a_change_are_judged_as_one_text(text: str, sign: str) -> None:
    secret = "mirobatuze"
    lines = [sign + line for line in text.replace("@", secret).split("\n")]
    hunk = redact_value({"hunks": [{"start": 3, "lines": lines}]}, REDACT)["hunks"][0]["lines"]
    assert secret not in "".join(hunk)
    assert len(hunk) == len(lines)


def test_the_lines_of_a_notebook_are_too() -> None:
    source = ["import db\n", "PASSWORD = (\n", "    'mirobatuze'\n", ")\n"]
    assert "mirobatuze" not in str(redact_value({"source": source}, REDACT))


def test_what_one_field_of_a_record_gives_away_is_taken_out_of_all() -> None:
    record = {
        "newString": "DB_PASSWORD=mirobatuze",
        "originalFile": None,
        "lines": ["+mirobatuze"],
        "note": "postgres knows mirobatuze now",
    }
    assert "mirobatuze" not in str(redact_value(record, REDACT))
    plain = {"password": "postgres", "image": "postgres:16"}
    assert redact_value(plain, REDACT)["image"] == "postgres:16"


@pytest.mark.parametrize(
    "name",
    ["door_password_list", "ftp-password-list", "adminPasswordArray", "wifi_psk_set", "tokens"],
)
def test_each_of_several_is_called_as_all_of_them(name: str) -> None:
    values = redact_value({name: ["k8mirobat", "z4luvekop"]}, REDACT)[name]
    assert all(map(MARK.fullmatch, values))


@pytest.mark.parametrize(
    ("path", "is_secret"),
    [
        ("/srv/secrets-of-the-sea/web/colours.txt", False),
        ("/work/token2/web/colours.txt", False),
        ("/run/secrets/web", True),
        ("/srv/web/smtp_password", True),
    ],
)
def test_a_file_is_a_secret_by_its_name_or_the_folder_of_secrets(
    path: str, is_secret: bool
) -> None:
    written = redact_value({"file_path": path, "content": "vessel-9c1f07d2"}, REDACT)["content"]
    assert (written != "vessel-9c1f07d2") == is_secret


@pytest.mark.parametrize("text", ["auth-token-header: X-Auth", "KEY=$(pass show web)"])
def test_a_text_does_not_describe_itself(text: str) -> None:
    assert redact_value({"type": "text", "text": text}, REDACT)["text"] == text
