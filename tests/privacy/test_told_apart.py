"""What tells a secret from what only looks like one: properties of the rules, not cases."""

import random
import string
from collections.abc import Callable
from uuid import UUID

import pytest
from tests import privacy_generator as generator

from reverie.data import sections
from reverie.privacy import Redactor, redact_value
from reverie.privacy.grammar import table
from reverie.privacy.keywords import DATA

UPPER = string.ascii_uppercase + string.digits
MIXED = string.ascii_letters + string.digits
REDACT = Redactor(b"a key of thirty-two bytes for us").redact
WORDS = sections("judgement.txt")
TELLING = frozenset(WORDS["telling"].split())
BUILT_ON = sorted(
    word
    for word in WORDS["filler"].split()
    if len(word) >= 5 and word.isalpha() and not any(telling in word for telling in TELLING)
)
BEGINNINGS = sorted(
    prefix
    for kind in ("prefixes", "base64")
    for prefixes in table()[kind].values()
    for prefix in prefixes
)


def token(size: int, seed: int = 5) -> str:
    """Letters and digits, never only one of them."""
    return "q7Z" + generator.chars(generator.ALNUM, size - 3)(random.Random(seed))


def test_there_are_words_and_beginnings_to_ask_about() -> None:
    assert len(BUILT_ON) > 60
    assert len(BEGINNINGS) > 150


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("built", ["{}7!", "{}2031", "{}@64", "My{}58"])
def test_what_is_built_on_a_word_of_documentation_is_a_password(built: str) -> None:
    for word in BUILT_ON:
        password = built.format(word.capitalize())
        for place in (
            "DB_PASSWORD={}",
            'password = "{}"',
            "mysql -u svc -p{} shop",
            "amqp://svc:{}@mq/",
        ):
            assert password not in REDACT(place.format(password)), (word, place)


@pytest.mark.hostile("X5")
@pytest.mark.parametrize("stand_in", ["{}", "your-{}", "{}-here", "<{}>", "test-{}-1", "my_{}"])
def test_the_word_as_a_whole_stands_for_one(stand_in: str) -> None:
    for word in BUILT_ON:
        text = f"DB_PASSWORD={stand_in.format(word)}"
        assert REDACT(text) == text


@pytest.mark.hostile("X1")
def test_a_key_is_known_by_its_beginning_whatever_its_length() -> None:
    for prefix in BEGINNINGS:
        for size in (24, 40, 90):
            key = prefix + token(size)
            assert token(size)[4:] not in REDACT(f"it printed {key}, then stopped"), prefix


@pytest.mark.hostile("X5")
def test_words_behind_such_a_beginning_are_no_key() -> None:
    for prefix in BEGINNINGS:
        if prefix[-1] in "-_.":
            text = f"see {prefix}settings_for_local_builds in the docs"
            assert REDACT(text) == text


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "name",
    [
        "PARCEL_TOKEN_HARBOUR",
        "parcel.api.key.harbour",
        "parcelSecretHarbour",
        "access-key-harbour-eu",
    ],
)
def test_a_name_may_go_on_behind_its_key_word(name: str) -> None:
    for place in ("{}={}", '"{}": "{}"', "{}: {}", "<td>{}</td><td><code>{}</code></td>"):
        assert token(40) not in REDACT(place.format(name, token(40)))


@pytest.mark.hostile("X5")
@pytest.mark.parametrize(
    "name", ["tokenId", "TOKEN_URL", "secret_name", "api_key_hash", "passwordResetUrl"]
)
def test_a_name_that_goes_on_with_what_is_told_of_a_secret_names_none(name: str) -> None:
    text = f'"{name}": "{token(24)}"'
    assert REDACT(text) == text


@pytest.mark.hostile("X5")
@pytest.mark.parametrize(
    "variable", ["$T", "$HARBOUR_TOKEN", "${HARBOUR_TOKEN_OF_THE_NORTH_QUAY}", "%TOKEN%"]
)
@pytest.mark.parametrize(
    "place", ["Authorization: Bearer {}", "Cookie: sid={}", "https://h/?token={}"]
)
def test_a_variable_is_no_value_however_long_its_name(place: str, variable: str) -> None:
    assert REDACT(place.format(variable)) == place.format(variable)


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("width", [48, 64, 80, 100])
def test_a_value_goes_on_where_a_terminal_broke_its_line(width: int) -> None:
    line = f"export PARCEL_TOKEN={token(160)} # rotate"
    text = "\n".join(line[at : at + width] for at in range(0, len(line), width))
    assert token(160)[-30:-10] not in REDACT(text).replace("\n", "")


@pytest.mark.hostile("X1")
def test_the_cells_of_a_table_in_html_are_named_by_its_head() -> None:
    row = f"<tr><td>svc</td><td>{token(14)}</td></tr>"
    text = f"<table><tr><th>User</th><th>Password</th></tr>\n{row}</table>"
    assert token(14) not in REDACT(text)


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("signs", ["k(7^q)w#2(z!x)v9m@(4)", "#q7)w(z2^x!v9m(k4)$e"])
def test_brackets_in_a_key_are_its_own(signs: str) -> None:
    for place in ("APP_SECRET_KEY={}", "SECRET_KEY = '{}'", '"secretKey": "{}"'):
        assert signs not in REDACT(place.format(signs))


def test_calls_below_the_name_of_a_key_are_none() -> None:
    for text in (
        "let signing_key = keys::SigningKey::generate(&mut rng);",
        "let root_key = vault::derive(&seed_bytes);",
        "secret_key: Sealed::new(folder_key),",
    ):
        assert REDACT(text) == text


def test_zeros_between_the_letters_hide_nothing() -> None:
    text = "\0".join(f"password={token(20)}")
    assert token(20) not in REDACT(text).replace("\0", "")


NAMED = sorted(
    "password passphrase client_secret apiToken jwt_secret SMTP_PASS signing_key".split()
)


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("name", NAMED)
def test_a_value_that_holds_a_word_of_its_name_is_one_all_the_same(name: str) -> None:
    for word in ("secret", "password", "token", "jwt", "auth", "key"):
        for value in (f"marigold-bramble-{word}-822", f"kestrel-{word}-4715", f"lichen.{word}.733"):
            for place in ("{}={}", '{}: "{}"', "const {} = '{}';", "setenv('{}', '{}')"):
                assert value not in REDACT(place.format(name, value)), (place, name, value)


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "place",
    [
        "password: {}",
        "password={}",
        "the password is {}",
        "I changed the password to {}, update the docs",
        "le mot de passe est {}",
        "DB_PASSWORD={}",
    ],
)
@pytest.mark.parametrize("groups", ["7121 1569", "qxzk wvbn hjtr plmd", "k7q2z m3x9w 8fhd2"])
def test_a_value_in_groups_goes_to_its_last_group(place: str, groups: str) -> None:
    left = REDACT(place.format(groups))
    assert not any(group in left for group in groups.split())


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("vendor", ["Pinecone", "AssemblyAI", "ElevenLabs", "Mistral"])
@pytest.mark.parametrize(
    "place",
    [
        "the {} key is {}",
        "- {} key – {}",
        "## {} key\n\n    {}\n",
        "{} key -> {}",
        "uses the {} key {} now",
    ],
)
def test_the_key_of_a_vendor_is_one_whatever_its_form(vendor: str, place: str) -> None:
    rng = random.Random(7)
    for value in (str(UUID(int=rng.getrandbits(128), version=4)), rng.randbytes(16).hex()):
        assert value not in REDACT(place.format(vendor, value))


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "place",
    [
        "SEGMENTWRITEKEY='{}' ./run.sh",
        "curl -H 'Authorization: Bearer {}=' https://x.example",
        "<key>COOKIE</key><string>PHPSESSID={}</string>",
        "bwSession: '{}=='",
        "BW_SESSION:\n  {}==\n",
        'export BW_SESSION="{}=="',
        '{{ "bw_session": "{}==" }}',
        "*** Variables ***\n${{DEPLOY_TOKEN}}    {}",
        "printf '%s' {} > ~/.config/shop/deploy-token",
    ],
)
def test_what_a_machine_made_is_found_where_its_name_is_written_otherwise(place: str) -> None:
    for seed in range(20):
        assert (value := token(44, seed)) not in REDACT(place.format(value))


@pytest.mark.hostile("X1")
def test_a_secret_is_taken_wherever_the_same_text_has_it_again() -> None:
    text = "otherwise kestrel7634thistle is rejected; INTERNAL_API_KEY=kestrel7634thistle"
    assert "kestrel7634thistle" not in REDACT(text)
    plain = "DB_PASSWORD=harbour\nthe harbour is closed"
    assert REDACT(plain).endswith("the harbour is closed")


def drawn(rng: random.Random, signs: str, count: int) -> str:
    return "".join(rng.choices(signs, k=count))


NEAR = [
    "the router password became @ on Monday",
    "you want the passphrase @ for the second disk",
    "it's @, the guest password",
    "did the password @ ever work?",
    "replace the admin password with @ in every file",
    "a fresh token, @, is in use for the mirror",
    "use token @ for the mirror",
    "the shared secret of both gateways is @ now",
    "the backup password is @ since the move",
    "we moved on, so the vpn password is now @ by the way",
    "Trag bitte @ als Mailpasswort ein",
    "Als Kennwort bitte @ eintragen",
    "Das Kennwort @ klappt nicht",
    "das Passwort ist seit Montag @ auf beiden Rechnern",
    "the password that we share with the printers (@) is due",
    "the signing secret they mount everywhere (@) leaked",
    "The mail token has run out, take @ for the mirror until Monday",
    "there is a new mail password: take @ for our gateways",
    "Mail password\n@\n",
    "STOREPASS @",
    "storepass @ alias mirror",
    "enter @ (that is the mirror password)",
    "not the previous mail password! Take @",
    "the mail token is refused, it has to be @",
    "keep @ as our mirror authtoken",
    "the mirror password equals @ today",
    "MIRROR_SECRET has the value @",
    "swap the mail password for @",
    "write @ into MIRROR_TOKEN",
    "@ <- mirror password",
    "@ = mail access token",
    "ada / @ (mirror password)",
    "LDAP bind password> @",
]


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("sentence", NEAR)
@pytest.mark.parametrize("value", ["mirobatuze", "MirobaTuzelk", "Zk3vQ81mLp0x"])
def test_what_no_language_has_is_the_value_of_the_name_it_stands_near(
    sentence: str, value: str
) -> None:
    assert value not in REDACT(sentence.replace("@", value))


@pytest.mark.parametrize(
    "sentence",
    [
        "the password became longer then",
        "the keycloak password expired, so the nextcloud token did too",
        "the token huggingface sent has no scopes",
        "our password rehasher misbehaves for reimported users",
        "it's optional, the guest password",
        "replace the admin password with a passkey in every file",
        "self.connect(user, password, usesocket)",
        "Das Passwort brauchst du dafür nicht",
        "das Passwort mindestens einmal im Jahr wechseln",
        "Passwort bitte nirgends zwischenspeichern",
        "the token cl100k_base is an encoding",
        "the token they return (access_token) is opaque",
        "the key you pass (apiVersion) says which one",
        "about the keys: take camelCase for the names",
        "Password\nstrength\n",
        "storepass is required",
        "the token must be base64url encoded",
        "the token count is off, it must be max_tokens=512",
        "take actions/checkout@v4 (the token is implied)",
        "it's 5d2bd0f1a94c7e3388aa01b2c3d4e5f60718293a, the commit before the token fix",
        "the session cookie must be SameSite=Lax",
        "userId = primary key",
        "the password was RequiredFieldValidatorError",
        "PASS (`mirror/5d2bd0f`) | metadata",
        "was read (**the lookup key**) | `5d2bd0f1a94c7e3388aa01b2c3d4e5f60718293a` |",
        "usage:·{·input_tokens:·700,·output_tokens:·300",
        "restored from key 'lint.cache-Linux-31-5d2bd0f1a94c7e3388aa01b2c3d4e5f60718293a'",
        "00000-5d2bd0f1-a94c-4e33-88aa-01b2c3d4e5f6",
    ],
)
def test_words_and_the_names_of_programs_near_it_stay(sentence: str) -> None:
    assert REDACT(sentence) == sentence


@pytest.mark.parametrize(
    "form",
    [
        lambda rng: "pk_10293847_" + drawn(rng, UPPER, 32),
        lambda rng: "sl.u.A" + drawn(rng, MIXED, 110),
        lambda rng: "sha256~" + drawn(rng, MIXED, 43),
        lambda rng: "00D" + drawn(rng, MIXED, 12) + "!AQ" + drawn(rng, MIXED, 80),
        lambda rng: "live_" + drawn(rng, MIXED, 30),
        lambda rng: "xoxd-" + drawn(rng, MIXED, 20) + "%2F" + drawn(rng, MIXED, 20) + "%3D",
        lambda rng: "{AQAAABAAAAAQ" + drawn(rng, MIXED, 43) + "=}",
        lambda rng: '"ada" "md5' + drawn(rng, "0123456789abcdef", 32) + '"',
    ],
)
def test_a_vendors_form_needs_no_name(form: Callable[[random.Random], str]) -> None:
    secret = form(random.Random(4))
    tail = secret.rstrip('"')[-12:]
    assert tail not in REDACT(f"see {secret} there")


@pytest.mark.parametrize(
    "place",
    [
        "auth=BearerAuth('@')",
        'Mirror(base, bearer="@", timeout=3)',
        'Mirror(token="@")',
        "mirror.example\tFALSE\t/\tTRUE\t1893456000\tsid\t@",
        "#HttpOnly_.mirror.example\tTRUE\t/app\tFALSE\t0\tlogin_hint\t@",
    ],
)
def test_an_argument_of_a_client_and_a_line_of_a_cookie_jar_name_their_value(place: str) -> None:
    for secret in ("5b1f0c2e-7a94-4d1b-8e36-c0a9d27f6b18", "Zk3vQ81mLp0xTr5Bn2Wd"):
        assert secret not in REDACT(place.replace("@", secret))


def test_what_a_call_names_its_tokens_stays() -> None:
    for call in ('lexer(token="open_paren")', 'page(token="next-page")', "Bearer(token)"):
        assert REDACT(call) == call


def test_a_colour_hides_nothing_of_a_text_without_names() -> None:
    words = (DATA / "seed_words.txt").read_text(encoding="ascii").split()
    phrase = " ".join(random.Random(8).sample(words, 12))
    assert phrase not in REDACT(f"\x1b[32m{phrase}\x1b[0m done")


@pytest.mark.parametrize(
    "slot",
    [
        "the vault passphrase is @",
        "I changed the backup passphrase to @",
        "use @ as the backup passphrase, please",
        "backup_passphrase: @\n",
        "tool --backup-passphrase @",
        "curl -H 'Authorization: Bearer @' https://mirror.example",
        "Set-Cookie: session=@; HttpOnly",
    ],
)
@pytest.mark.parametrize("joint", [".", "-", "_"])
def test_words_written_as_a_name_of_code_are_a_phrase_where_only_one_can_stand(
    slot: str, joint: str
) -> None:
    phrase = joint.join(("gather", "public", "meadow", "always"))
    assert phrase not in REDACT(slot.replace("@", phrase))


def test_the_way_to_a_phrase_is_none() -> None:
    for way in ("config.backup.crypt.phrase", "get_user_default_value", "your-own-words-here"):
        assert REDACT(f"passphrase: {way}\n") == f"passphrase: {way}\n"


def test_a_selector_of_a_field_for_passwords_is_no_password() -> None:
    chosen = {"passwordField": "#login-password"}
    assert redact_value(chosen, REDACT) == chosen
