"""Numbers of cards, what keeps somebody logged in, and what is shown in groups."""

import random
from uuid import UUID

import pytest
from tests import privacy_generator as generator

from reverie.privacy import Redactor, redact_value
from reverie.privacy.codes import is_card
from reverie.privacy.keywords import DATA
from reverie.privacy.places import Place

REDACT = Redactor(b"a key of thirty-two bytes for us").redact
NOWHERE = Place("", quoted=False, after="")
LETTERS = "abcdefghijkmnpqrstuvwxyz234567"


def card(seed: int, *, size: int = 16) -> str:
    """A number with the check digit of a card."""
    digits = "4" + generator.chars("0123456789", size - 2)(random.Random(seed))
    return next(digits + last for last in "0123456789" if is_card(digits + last, NOWHERE))


def grouped(number: str, by: str) -> str:
    return by.join(number[at : at + 4] for at in range(0, len(number), 4))


def session(seed: int = 3) -> str:
    return "q7" + generator.chars("0123456789abcdefghijklmnopqrstuv", 30)(random.Random(seed))


def groups(seed: int = 4, count: int = 8) -> str:
    """What an authenticator is set up with, as it is shown."""
    return grouped("7k2" + generator.chars(LETTERS, 4 * count - 3)(random.Random(seed)), " ")


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "place",
    [
        "CARD_NUMBER={}",
        'const cardNumber = "{}";',
        '{{"creditCardNumber": "{}", "x": 1}}',
        "the debit card number is {}, cvv on the back",
        "pay --card-number={} --amount 3",
        "- name: CARD_NO\n  value: '{}'",
        "pan: {}",
        "Nimm die Kreditkarte {} dafür",
        "use {} as the card number",
        "| name | card_number |\n|---|---|\n| 1 shop | {} |",
    ],
)
def test_the_number_of_a_card_is_found_under_its_name(place: str) -> None:
    for seed in range(5):
        for number in (card(seed), grouped(card(seed), " "), grouped(card(seed), "-")):
            assert number not in REDACT(place.format(number)), number


def test_a_number_of_other_check_digits_or_without_a_name_stays() -> None:
    number = card(1)
    other = number[:-1] + str((int(number[-1]) + 1) % 10)
    for text in (
        f"card_number={other}",
        f"discard {number}",
        f"order {number} shipped",
        "card 4242 4242 4242 4242",
        "the card was made at 1731900000000",
    ):
        assert REDACT(text) == text


@pytest.mark.hostile("X1")
def test_a_card_is_found_in_arguments_also_as_a_number() -> None:
    number = card(2)
    shown = str(
        redact_value({"cardNumber": int(number), "args": [f"--card-number={number}"]}, REDACT)
    )
    assert number not in shown


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "place",
    [
        "SESSION_COOKIE={}",
        'sessionid: "{}"',
        "session_id: {}",
        '<conn sessionCookie="{}"/>',
        "our session cookie is {}",
        'Die Sessionid lautet "{}"',
        "Take `{}` as the session cookie for now.",
        '{{"env": {{"SESSIONID": "{}"}}}}',
    ],
)
def test_what_keeps_somebody_logged_in_is_found_by_its_name(place: str) -> None:
    for seed in range(5):
        assert session(seed) not in REDACT(place.format(session(seed)))


@pytest.mark.parametrize("name", ["sessionId", "session_id", "sessionid"])
def test_what_only_names_a_session_stays(name: str) -> None:
    rng = random.Random(9)
    base62 = generator.chars(generator.ALNUM, 26)(rng)
    names = (
        str(UUID(int=rng.getrandbits(128), version=4)),
        f"{rng.getrandbits(128):032x}",
        f"ses_{base62}",
        f"session_{base62}",
        "01" + generator.chars("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24)(rng),
    )
    for value in names:
        for text in (f'{{"{name}": "{value}"}}', f"{name}: {value}", f"resume {name} {value}"):
            assert REDACT(text) == text
        assert redact_value({name: value}, REDACT) == {name: value}
    assert (
        REDACT("SESSION_COOKIE=bookshop_frontend_session")
        == "SESSION_COOKIE=bookshop_frontend_session"
    )


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "place",
    [
        'totp_secret = "{}"',
        "TWO_FACTOR_SECRET: '{}'",
        "const setupKey = '{}';",
        "config set ['mfa_seed'] => '{}'",
        'if form["totp_secret"] == "{}":',
    ],
)
def test_groups_in_quotes_are_one_secret(place: str) -> None:
    for seed in range(5):
        assert groups(seed).split()[-1] not in REDACT(place.format(groups(seed)))


def test_words_of_one_length_are_no_groups() -> None:
    text = 'secret_key = "this that from have when"'
    assert REDACT(text) == text


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "place",
    [
        'I changed the recovery codes to "{}" today',
        'cfg {{ backup_codes: Some("{}") }}',
        'setx RECOVERY_CODES "{}"',
        "backup codes: {}",
    ],
)
def test_all_codes_of_a_list_are_taken(place: str) -> None:
    rng = random.Random(6)
    for count in (5, 8, 10):
        half = generator.chars("0123456789abcdef", 5)
        codes = [f"{half(rng)}-{half(rng)}" for _ in range(count)]
        shown = REDACT(place.format(" ".join(codes)))
        assert not [code for code in codes if code in shown]


@pytest.mark.hostile("X1")
def test_a_seed_is_taken_with_the_words_that_another_list_has() -> None:
    words = (DATA / "seed_words.txt").read_text(encoding="utf-8").split()
    phrase = [*random.Random(8).sample(words, 13), *("ketchup bagpipe teapot".split() * 4)[:11]]
    shown = REDACT(f'variable "seed_phrase" {{\n  default = "{" ".join(phrase)}"\n}}\n')
    assert "bagpipe" not in shown


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("SNMP_COMMUNITY={}", "kilkennyr4w"),
        ('snmp_community = "{}"', "abbeyq81x"),
        ("snmp-community: {}", "riverk20p"),
        ("aws configure set snmp_community {}", "stonez77q"),
        ('get(url, headers={{"Authorization": f"Bearer {}"}})', "Kq3vT9xWb2LmPz"),
        (
            "Hello,\n\nhere is your new shop auth token:\n\n    {}\n\nBye",
            "0c9d" * 3 + "81fe2a6b7d3f4e5061",
        ),
        ("ann: what is the card pin?\nben: {}\n", "7304"),
        ("ann: what's the cvv?\nben: {}\n", "604"),
        ("admin_password='{}'", "w<+R!)=:t?mqd"),
        ("Use `{}` as the backup code.", "7c1b8-9ac25"),
        ("Use `{}` as the backup codes.", "7c1b8-9ac25 3e9d0-aa14c 5b8f2-01d7e"),
        ("Use `{}` as the totp secret.", "hq4m 2xkd wp6n tjzy bvrg 5clu"),
        ("A=1\nPASSWORD={}\nB=2\n", "a7fq(<Qd+.m2>{z]9"),
        ("Here is the shelf pin for the depot: {}", "730481"),
    ],
)
def test_other_names_and_places(place: str, value: str) -> None:
    assert value not in REDACT(place.format(value))


@pytest.mark.parametrize(
    "text",
    [
        '<PasswordInput v-model="form.password" :rules="passwordRules" @submit="login" />',
        '<PasswordField bind:value="user.password" :hint="passwordHint" />',
        "snmp_community: public",
        "DB_PASSWORD=<your-password-2>",
        "DB_PASSWORD=$(cat </run/pw2)",
    ],
)
def test_the_next_attribute_of_a_tag_is_no_password(text: str) -> None:
    assert REDACT(text) == text
