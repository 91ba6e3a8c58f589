"""A value that takes the place of a mark: in edits, by programs that replace, and told."""

import json
import random
import string

import pytest

from reverie.privacy import Redactor, redact_value
from reverie.privacy.invented import is_invented, is_joined_phrase

REDACT = Redactor(b"k" * 32).redact
RNG = random.Random(5)
TOKEN = "".join(RNG.choices(string.ascii_letters + string.digits, k=18)) + "9q"
WORD = "".join(RNG.choice("bdklmnprst") + RNG.choice("aeiou") for _ in range(5))
MARKS = [
    "@@DB_PASSWORD@@", "__DB_PASSWORD__", "{{DB_PASSWORD}}", "${DB_PASSWORD}", "<DB_PASSWORD>",
    "%DB_PASSWORD%", "CHANGEME_DB_PASSWORD", "DB_PASSWORD_PLACEHOLDER", "YOUR_DB_PASSWORD",
    "<your password>", "[password]", "TODO_PASSWORD",
]  # fmt: skip
KEYS = [
    ("old_string", "new_string"), ("old_str", "new_str"), ("oldText", "newText"),
    ("search", "replace"), ("find", "replace"), ("pattern", "replacement"), ("from", "to"),
]  # fmt: skip


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("value", [TOKEN, WORD])
@pytest.mark.parametrize("old", MARKS)
def test_an_edit_puts_a_secret_in_the_place_of_its_mark(old: str, value: str) -> None:
    for before, after in KEYS:
        arguments = {"file_path": "/w/.env", before: old, after: value}
        assert value not in str(redact_value(arguments, REDACT))
        assert value not in REDACT(json.dumps(arguments))


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("value", [TOKEN, WORD])
@pytest.mark.parametrize(
    "text",
    [
        "sed -i 's/@@JWT_SECRET@@/{}/' app.conf",
        "sed -i 's|<DB_PASSWORD>|{}|g' a.yml",
        "perl -pi -e 's#CHANGEME_API_TOKEN#{}#' f",
        's = s.replace("<COHERE_API_KEY>", "{}")',
        "awk '{gsub(/@@DB_PASSWORD@@/, \"{}\")}1' f",
        'strings.ReplaceAll(s, "{{DB_PASSWORD}}", "{}")',
        "-@@DB_PASSWORD@@\n+{}",
        "replaced <JWT_SECRET> with {}",
        "Ersetze <DB_PASSWORD> durch {}",
        "old_string: <DB_PASSWORD>\nnew_string: {}",
    ],
)
def test_so_does_whatever_replaces(text: str, value: str) -> None:
    assert value not in REDACT(text.replace("{}", value))


@pytest.mark.parametrize(
    "text",
    [
        "sed -i 's/password/passphrase/g' docs/*.md",
        "sed -i 's/{{PASSWORD}}/${DB_PASSWORD}/' a.yml",
        'name.replace("secret_", "public_")',
        'html.replace("{{token}}", escapeHtml(token))',
        "replace {{TOKEN}} with the value from the vault",
        "Replace `API_KEY` with your key.",
        '{"old_string":"user_token","new_string":"session_token"}',
        '{"old_string":"API_KEY","new_string":"SERVICE_API_KEY"}',
        '{"old_string":"{{password}}","new_string":"{{ user.password }}"}',
        '{"find":"TOKEN","replace":"getToken()"}',
        "-TOKEN\n+IDENT",
        "docs/password-policy-autumn-armed.md",
        "password: ****dM9x",
        '"secret": "Geheimnis"',
        '$password = $_POST["password"];',
        'password = self.cleaned_data["password1"]',
        "Das Passwort sowieso nicht speichern.",
        "Der API key ist abgelaufen.",
        "The JWT secret is mandatory.",
        "enable secret scanning in the repo settings",
    ],
)
def test_a_name_that_gets_another_one_stays(text: str) -> None:
    assert REDACT(text) == text


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "text",
    [
        "der alte Datadog API key war {}, bitte nicht mehr benutzen",
        "Ich habe den database password auf {} gesetzt",
        "Der Mistral key für das NAS ist „{}“",
        "nimm den JWT secret {}",
        "snmp-server community {} RO",
        "why does this fail: enable secret 0 {}",
        "% enable secret 0 {}",
        "set snmp community {} authorization read-only",
        "│ JWT_SECRET │ {} │",
        "REM machine git.acme.de\nREM   login deploy\nREM   password {}",
        " * env:\n *   - name: DB_PASSWORD\n *     value: {}",
        "admin:{PLAIN}{}",
    ],
)
def test_every_noun_has_the_verbs_of_every_language(text: str) -> None:
    assert TOKEN not in REDACT(text.replace("{}", TOKEN))


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "text",
    [
        "pass={}",
        "PW {}",
        "bitte nimm das Passwort {}",
        "melde dich mit admin und dem Passwort {} an",
        "SMTP: mail.acme.de, noreply@acme.de, password {}",
        "rotate because the Postgres password {} leaked",
        "/* Postgres password: {} */",
        "shop (KEYSTORE_PASSWORD={})",
        "The JWT secret is {}.",
        "fix: remove jwt_secret: {} from repo",
    ],
)
def test_a_word_that_nobody_knows_is_one_under_a_clear_name(text: str) -> None:
    assert WORD not in REDACT(text.replace("{}", WORD))


@pytest.mark.hostile("X1")
def test_a_phrase_of_ordinary_words_is_one_under_a_clear_name() -> None:
    phrase = "change-bronze-cake-brain"
    for text in (
        f"'backup_passphrase' => '{phrase}'",
        f'#define BACKUP_PASSPHRASE "{phrase}"',
        f"id,user,backup_passphrase\n1,jan,{phrase}",
        f"Enter password: {phrase}\nConfirm password: {phrase}",
    ):
        assert phrase not in REDACT(text)


def test_words_are_not_invented() -> None:
    assert is_invented(WORD)
    known = ("password", "rotation", "verschickt", "configurable", "nirgends", "keystore", "short")
    assert not any(map(is_invented, known))
    assert not is_joined_phrase("must-be-at-least-eight")
    assert is_joined_phrase("acorn-lantern-copper-tide")


SEED = "avoid audit address bargain august bitter balcony brand approve apple assist auction"


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "arguments",
    [
        {"mnemonic": SEED.split()},
        {"type": "seed phrase", "words": SEED.split()},
        {"recovery_phrase": {"words": SEED.split()}},
    ],
)
def test_the_words_of_a_seed_are_one_in_a_list(arguments: dict[str, object]) -> None:
    assert "balcony" not in str(redact_value(arguments, REDACT))


@pytest.mark.hostile("X1")
def test_the_lines_of_a_key_are_one_in_a_list_and_in_its_file() -> None:
    body = ["".join(RNG.choices(string.ascii_letters + string.digits, k=64)) for _ in range(4)]
    whole = ["-----BEGIN RSA " + "PRIVATE KEY-----", *body, "-----END RSA " + "PRIVATE KEY-----"]
    for arguments in (
        {"lines": whole},
        {"command": "insert", "path": "/w/server.key", "insert_text": "\n".join(body)},
        {"old_string": "@@PRIVATE_KEY@@", "new_string": "\n".join(body)},
    ):
        assert not any(line in str(redact_value(arguments, REDACT)) for line in body)


@pytest.mark.hostile("X1")
def test_a_row_and_a_group_name_their_value() -> None:
    for arguments in (
        {"sql": "INSERT INTO s (name, value) VALUES ('smtp_pass', ?)", "params": [TOKEN]},
        {"key": "THING", "value": TOKEN, "secured": True},
        {"group": "password", "item": {"name": "db", "value": TOKEN}},
    ):
        assert TOKEN not in str(redact_value(arguments, REDACT))
