"""What one record of a session says about another: calls and results, questions and answers."""

import json
import random
import string

import pytest

from reverie.privacy import Redactor, Told
from reverie.sessions.hearing import hear
from reverie.sessions.model import Turn

REDACT = Redactor(b"k" * 32).redact
RNG = random.Random(12)
TOKEN = "".join(RNG.choices(string.ascii_letters + string.digits, k=20)) + "7x"
WORD = "".join(RNG.choice("bdklmnprst") + RNG.choice("aeiou") for _ in range(5))


def after(command: str, result: str) -> Told:
    told = Told(REDACT)
    told.call("1", "Bash", {"command": command})
    told.result("1", result)
    return told


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("value", [TOKEN, WORD])
@pytest.mark.parametrize(
    "command",
    [
        "cat /run/secrets/db_password",
        "ssh web01 cat /etc/app/api_key",
        "type secrets\\token.txt",
        "pass show prod/db",
        "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d",
        'echo "$DB_PASSWORD"',
        "docker exec db printenv POSTGRES_PASSWORD",
        "node -p process.env.JWT_SECRET",
        "grep DB_PASSWORD .env | cut -d= -f2",
        "sed -n 's/^DB_PASSWORD=//p' .env",
        "openssl rand -base64 24 | tee secrets/jwt_secret",
        "vault kv get -field=password secret/app",
        "aws secretsmanager get-secret-value --secret-id prod/db --query SecretString",
        "terraform output -raw db_password",
        "gcloud secrets versions access latest --secret=db",
        "op read op://team/db/password",
        "security find-generic-password -w -s db",
        "redis-cli config get requirepass",
        "gopass show -o team/mail",
    ],
)
def test_what_a_command_prints_is_the_secret_that_it_names(command: str, value: str) -> None:
    told = after(command, f"{value}\n")
    assert value not in told.redact(f"it printed {value}, as expected")


@pytest.mark.parametrize(
    ("command", "result"),
    [
        ("echo $PATH", "/usr/bin:/bin"),
        ("echo $TOKEN_COUNT", "120000"),
        ("cat tests/password_test.py", "import"),
        ("cat compat.txt", "linux64x"),
        ("git log --grep password", "abc1234def"),
        ("ls secrets", "db_password"),
        ("cat secrets/db_password", "cat: secrets/db_password: No such file or directory"),
        ("npm config get registry", "https://registry.npmjs.org/"),
    ],
)
def test_other_results_are_no_secrets(command: str, result: str) -> None:
    assert after(command, result).redact(f"it was {result}") == REDACT(f"it was {result}")


def test_a_file_that_is_read_says_what_it_holds() -> None:
    told = Told(REDACT)
    told.call("7", "Read", {"file_path": "/w/secrets/db_password.txt"})
    told.result("7", f"     1→{WORD}")
    assert WORD not in told.redact(f"     1→{WORD}")


def test_lines_of_a_private_key_are_known_by_its_file() -> None:
    lines = ["".join(RNG.choices(string.ascii_letters + string.digits, k=64)) for _ in range(2)]
    told = after("sed -n 2,3p /w/tls/server.key", "\n".join(lines))
    assert not any(line in told.redact("\n".join(lines)) for line in lines)


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("answer", ["{}", "it is {}", "{}, thanks", "sure: {}"])
@pytest.mark.parametrize(
    "question",
    [
        "What is the database password?",
        "Please give me the admin password.",
        "Bitte nenne mir das Passwort.",
        "I can't log in without the root password. Can you share it?",
        "Quel est le mot de passe ?",
    ],
)
def test_what_the_agent_asks_for_is_what_the_person_answers(question: str, answer: str) -> None:
    told = Told(REDACT)
    told.said(question)
    told.answered(answer.format(WORD))
    assert WORD not in told.redact(answer.format(WORD))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Should I store the password in the keychain?", "keychain"),
        ("I replaced the placeholder path data.", "commi"),
        ("What's the token?", "I'll set it myself later"),
        ("Which file has the password?", "config.yml"),
    ],
)
def test_other_answers_are_no_secrets(question: str, answer: str) -> None:
    told = Told(REDACT)
    told.said(question)
    told.answered(answer)
    assert told.redact(answer) == answer


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("db:\n  password: FILL_LATER_17\n", {"old_string": "FILL_LATER_17", "new_string": "{}"}),
        ("DB_PASSWORD=@@17@@", {"command": "sed -i 's/@@17@@/{}/' c.env"}),
        ("api_key: changeme", {"command": "sed -i 's/changeme/{}/' c.yml"}),
    ],
)
def test_a_mark_is_called_what_it_stood_for(first: str, later: dict[str, str]) -> None:
    told = Told(REDACT)
    told.call("1", "Write", {"file_path": "/w/c", "content": first})
    told.call("2", "Edit", {key: text.replace("{}", TOKEN) for key, text in later.items()})
    assert TOKEN not in told.redact(f"now it is {TOKEN}")


def test_what_is_carried_over_holds_names_and_no_secrets() -> None:
    told = Told(REDACT)
    told.call("1", "Write", {"content": f"DB_PASSWORD={TOKEN}\nAPI_TOKEN=@@TO_COME@@ x"})
    told.call("2", "Bash", {"command": "cat /run/secrets/db_password"})
    told.said("What is the admin password?")
    assert TOKEN not in str(told.noted)
    later = Told(REDACT, told.noted)
    later.result("2", TOKEN)
    later.answered(WORD)
    assert TOKEN not in later.redact(TOKEN)
    assert WORD not in later.redact(WORD)


@pytest.mark.parametrize("value", [TOKEN, WORD])
@pytest.mark.parametrize(
    "shown",
    [
        "Exit code: 0\nWall time: 0.2 seconds\nOutput:\n{}\n",
        "Session ID: 7\nCommand finished with status 0\nTime: 1.5 s\nOutput:\n{}",
        "<bash-stdout>{}</bash-stdout><bash-stderr></bash-stderr>",
        "{}\n\n<system-reminder>\nMind the style guide.\n</system-reminder>",
        "{}\n[exit code: 0]",
    ],
)
def test_what_a_client_puts_around_an_output_is_not_part_of_it(shown: str, value: str) -> None:
    told = after("cat /run/secrets/mail_password", shown.format(value))
    assert value not in told.redact(shown.format(value))


@pytest.mark.parametrize("value", [TOKEN, WORD])
@pytest.mark.parametrize(
    "command",
    [
        "vault token create -field=token",
        "cd infra && k3s token create",
        "bin/rails secret",
        "wg genpsk",
        "nomad operator gossip keyring generate-key",
        "heroku auth:token",
        "npm token create --read-only",
        "cat deploy/signing.key",
        "rg -o 'api_key: (.+)' app.yml",
    ],
)
def test_a_command_that_makes_a_secret_or_hands_one_out_prints_it(command: str, value: str) -> None:
    assert value not in after(command, value).redact(f"now {value} is set")


@pytest.mark.parametrize(
    "command",
    ["git commit -qm 'rotate the signing key' && git rev-parse HEAD", "pytest tests/token_create"],
)
def test_what_a_command_only_speaks_of_is_not_printed_by_it(command: str) -> None:
    assert after(command, "4f1c09a7bde2").redact("at 4f1c09a7bde2") == "at 4f1c09a7bde2"


@pytest.mark.parametrize("answer", ["MAX_TOKENS=4096", 'password = form["password"]'])
def test_code_is_no_answer_to_a_question_for_a_secret(answer: str) -> None:
    told = Told(REDACT)
    told.said("Please paste the API token.")
    told.answered(answer)
    assert told.redact(answer) == answer


@pytest.mark.parametrize("value", [TOKEN, WORD])
def test_what_was_printed_is_found_in_the_record_of_a_client(value: str) -> None:
    told = after("pass show team/mail", json.dumps({"output": value, "exitCode": 0}))
    assert value not in told.redact(f"it printed {value}")


@pytest.mark.parametrize("value", [TOKEN, WORD])
def test_what_a_command_of_the_person_prints_needs_no_id(value: str) -> None:
    told = Told(REDACT)
    for role, kind, text in (
        ("human", "shell", "pass show team/mail"),
        ("tool", "tool_result", value),
    ):
        hear(told, Turn(0, 0, role, kind, "", text))  # type: ignore[arg-type]
    assert value not in told.redact(f"it printed {value}")
