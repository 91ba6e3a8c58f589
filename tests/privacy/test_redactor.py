"""Taking secrets out of text: each kind in its place, nothing else, the same way twice."""

import base64
import json
import pickle
import random
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import privacy_generator as generator

from reverie.privacy import Redactor, has_mark
from reverie.privacy.rules import rules

FIXTURES = Path(__file__).parent / "fixtures"
MARK = re.compile(r"\[redacted:([a-z0-9-]+):[0-9a-f]{8}\]")
MAKERS = {kind.name: kind.make for kind in generator.KINDS}


def redactor() -> Redactor:
    return Redactor(b"a key of thirty-two bytes for us")


def test_only_what_holds_no_secret_is_remembered() -> None:
    remembering = redactor()
    secret = MAKERS["github"](random.Random(3))
    for _ in range(2):
        assert secret not in remembering.redact(f"export GITHUB_TOKEN={secret}")
        assert remembering.redact("plain words") == "plain words"
    assert "plain words" in str(vars(remembering))
    assert secret not in str(vars(remembering))


def blocks() -> list[tuple[str, str, str]]:
    text = (FIXTURES / "secrets.txt").read_text(encoding="utf-8")
    found: list[tuple[str, str, str]] = []
    for block in re.split(r"(?m)^== ", text)[1:]:
        name, _, rest = block.partition("\n")
        given_text, expected = rest.rstrip("\n").split("\n--\n")
        found.append((name, given_text, expected))
    return found


# What people choose, which no form gives away.
PEOPLES = {
    "plain": "Copper417!",
    "letters": "tumboferade",
    "digits": "48151623",
    "words": "tundra.saffron.orbit.walnut",
    "camel": "TundraSaffronOrbit",
    "inside": "k7Qexamplez9Lw",
    "signs": "?+=#(_#~?%#&",
    "brackets": "{uV9u8w}Oztl",
    "phrase": "tundra saffron orbit walnut",
    "odd": "Our walrus ate 7 green acorns!",
    "ideographs": "東京天空",
    "unreadable": "vbntndcmlmayfmhw",
    "joined": "tundra-saffron-orbit",
}


def filled(template: str) -> str:
    """`template` with every `{kind}` drawn, the same one for the same name."""
    rng = random.Random(7)
    drawn: dict[str, str] = {}

    def draw(match: re.Match[str]) -> str:
        name, *forms = match.group(1).split("|")
        if name not in drawn:
            chosen = [PEOPLES[form] for form in forms if form in PEOPLES]
            drawn[name] = chosen[0] if chosen else MAKERS[name](rng)
        value = drawn[name]
        for form in forms:
            match form:
                case "escaped":
                    value = json.dumps(value)[1:-1]
                case "line":
                    value = f"TOKEN={value}\n"
                case "base64":
                    value = base64.b64encode(value.encode()).decode()
                case "tail":
                    value = "\n".join(value.splitlines()[3:])
                case "wrapped":
                    value = f"{value[:14]}\n{value[14:]}"
                case _:
                    pass
        return value

    return re.sub(r"\{([a-z0-9-]+(?:\|[a-z0-9]+)*)\}", draw, template)


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    ("template", "expected"), [b[1:] for b in blocks()], ids=[b[0] for b in blocks()]
)
def test_a_secret_is_replaced_by_its_mark_and_the_rest_stays(template: str, expected: str) -> None:
    text = filled(template)
    redacted = redactor().redact(text)
    assert MARK.sub(r"[redacted:\1]", redacted) == expected


PREFIXES = ("# ", "// ", "> ", "- ", "; ", " * ", "-", "+", "1→")


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("kind", sorted(name for name in MAKERS if "key" in name or "pem" in name))
def test_a_key_in_a_block_is_found_behind_what_stands_before_its_lines(
    kind: str, prefix: str
) -> None:
    block = MAKERS[kind](random.Random(9))
    body = max(block.splitlines(), key=len)
    text = "\n".join(prefix + line for line in block.splitlines())
    assert body[8:40] not in redactor().redact(text)


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_private_lines_of_a_putty_key_are_found_behind_a_prefix(prefix: str) -> None:
    body = generator.chars(generator.BASE64, 64)(random.Random(9))
    text = f"Public-Lines: 1\nAAAAB3NzaC1yc2E=\nPrivate-Lines: 1\n{body}\nPrivate-MAC: 0\n"
    shown = "\n".join(prefix + line for line in text.splitlines())
    assert body[8:40] not in redactor().redact(shown)


@pytest.mark.hostile("X1")
def test_the_fixture_covers_enough_kinds_of_secret() -> None:
    marks = {
        rule
        for _, _, expected in blocks()
        for rule in re.findall(r"\[redacted:([a-z0-9-]+)\]", expected)
    }
    assert len(marks) >= 25


@pytest.mark.hostile("X5")
@pytest.mark.parametrize(
    "line",
    [
        line
        for line in (FIXTURES / "innocent.txt").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ],
)
def test_an_innocent_look_alike_stays(line: str) -> None:
    assert redactor().redact(line) == line


@pytest.mark.hostile("X1")
def test_no_more_than_two_in_a_hundred_secrets_survive_in_places_not_tuned_on() -> None:
    redact = redactor().redact
    samples = list(generator.secrets(seed=20_261_115, places=generator.HELD_OUT))
    missed = [s for s in samples if generator.survives(s, redact(s.text))]
    assert len(missed) <= 0.02 * len(samples), [(s.kind, s.place) for s in missed]


@pytest.mark.hostile("X5")
def test_no_more_than_one_in_a_hundred_innocent_texts_is_touched() -> None:
    redact = redactor().redact
    samples = list(generator.innocents(seed=20_261_115, each=8))
    touched = [s for s in samples if redact(s.text) != s.text]
    assert len(touched) <= 0.01 * len(samples), [s.kind for s in touched]


@pytest.mark.hostile("X7")
def test_equal_secrets_have_equal_marks_and_other_keys_give_other_marks() -> None:
    secret = MAKERS["github"](random.Random(3))
    first, second = (redactor().redact(f"{before} {secret}") for before in ("one", "two"))
    assert first.split()[1] == second.split()[1]
    other = Redactor(b"another key, also thirty-two long").redact(f"one {secret}")
    assert other != first
    assert MARK.sub("", other) == MARK.sub("", first)


def test_text_without_secrets_is_handed_back_as_it_is() -> None:
    text = "nothing to see, only a token of thanks — naïve ☕ and a lone \ud800 surrogate"
    assert redactor().redact(text) is text


def test_findings_are_counted_in_characters() -> None:
    secret = MAKERS["npm"](random.Random(1))
    text = f"größer ☕ {secret}!"
    (finding,) = redactor().findings(text)
    assert text[finding.start : finding.end] == secret
    assert finding.rule == "npm-token"


def test_private_parts_go_whatever_is_in_them() -> None:
    redact = redactor().redact
    assert redact("keep <private>my diary\nof two lines</private> this") == "keep [private] this"
    assert redact("<PRIVATE>a<private>b</private>c</PRIVATE>d") == "[private]d"
    assert redact("a List<private> is no wish") == "a List<private> is no wish"


def test_switched_off_it_still_respects_private_parts() -> None:
    off = Redactor(b"k" * 32, enabled=False)
    secret = MAKERS["stripe"](random.Random(1))
    assert off.redact(f"{secret} <private>x</private>") == f"{secret} [private]"


def test_it_can_be_sent_to_another_process() -> None:
    one = redactor()
    text = f"use {MAKERS['gitlab'](random.Random(5))}"
    assert pickle.loads(pickle.dumps(one)).redact(text) == one.redact(text)


PIECES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["password=", "token: ", '"', "\\n", "\n", "://u:", "@h", "[redacted:x:", "]", "<private>"]
    ),
    st.sampled_from([kind.name for kind in generator.KINDS]).flatmap(
        lambda name: st.integers(0, 99).map(lambda seed: MAKERS[name](random.Random(seed)))
    ),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redactor().redact(text)
    assert redactor().redact(once) == once


@pytest.mark.hostile("X6")
@pytest.mark.parametrize(
    "unit",
    [
        "token=",
        "password is a ",
        "?token=a&",
        "password=a1b;user=",
        "QUJDREVGR0hJSktMTU5P",
        "-----BEGIN RSA PRIVATE " + "KEY-----\n",
        "://a:b",
        "eyJaaaaaaaaa.",
        "abcdefgh1\nabcdefgh1",
        "<private>",
        "a1b2c3d4",
        "[redacted:a:12345678]",
    ],
)
def test_the_cost_of_hostile_text_grows_with_its_size_and_no_faster(unit: str) -> None:
    assert grows_linearly(unit)


@pytest.mark.hostile("X6")
def test_every_rule_is_linear_on_its_own_keywords() -> None:
    for keyword in sorted({keyword for rule in rules() for keyword in rule.keywords}):
        assert grows_linearly(keyword), keyword


def grows_linearly(unit: str) -> bool:
    """Whether eight times the text costs about eight times as much; squared growth costs 64.

    A busy machine makes single measurements far too large and none too small, so one good pair
    is enough, and growth that is really faster never gives one.
    """
    redact = redactor().redact

    def cost(size: int) -> float:
        text = (unit * (size // len(unit) + 1))[:size]
        start = time.process_time()
        redact(text)
        return time.process_time() - start

    cost(1_000)
    part = cost(25_000)
    for _ in range(30):
        if cost(200_000) <= 24 * part + 0.01:
            return True
        part = min(part, cost(25_000))
    return False


def test_a_text_tells_that_something_was_taken_out() -> None:
    redact = redactor().redact
    assert has_mark(redact(f"use {MAKERS['npm'](random.Random(1))}"))
    assert has_mark(redact("<private>x</private>"))
    assert not has_mark("a word [in brackets]")


@pytest.mark.hostile("X7")
def test_a_secret_has_one_mark_however_it_is_wrapped() -> None:
    secret = MAKERS["gitlab"](random.Random(4))
    encoded = base64.b64encode(secret.encode()).decode()
    texts = (
        secret,
        f"data: {encoded}\n",
        f"data: {encoded}",
        f"{secret[:14]}\n{secret[14:]}",
        f"TOKEN={secret}",
    )
    marks = [match.group() for text in texts for match in MARK.finditer(redactor().redact(text))]
    assert len(marks) == len(texts)
    assert len(set(marks)) == 1


@pytest.mark.parametrize("number", ["{:6}\t", "{:6}\u2192", "{:05}| "])
def test_numbers_of_lines_hide_nothing(number: str) -> None:
    lines = ["array(1) {", '  ["smtp_password"]=>', '  string(10) "mirobatuze"', "}"]
    text = "\n".join(number.format(at + 1) + line for at, line in enumerate(lines))
    clean = redactor().redact(text)
    assert "mirobatuze" not in clean
    assert clean.count("\n") == text.count("\n")


def test_what_is_put_in_the_place_of_a_mark_is_seen_again() -> None:
    redact = redactor().redact
    sentence = "The nightly job logs in with password=miro8batuze on the mirror"
    mark = MARK.search(redact(sentence))
    assert mark
    assert "with password=[" in redact(sentence)
    for value in ("lavonekipu", "x7Tq2Lm9"):
        assert value not in redact(redact(sentence).replace(mark[0], value))


def test_letters_that_make_no_word_are_found_again_in_the_same_text() -> None:
    clean = redactor().redact("password: mirobatuze\n\nSo I typed mirobatuze and it let me in.")
    assert "mirobatuze" not in clean
    plain = "password: administrator\n\nThe administrator is away."
    assert "The administrator is away." in redactor().redact(plain)


def test_the_bytes_of_a_key_pair_need_no_name() -> None:
    drawn = random.Random(8)
    key = ",".join(str(drawn.randrange(256)) for _ in range(64))
    table = ",".join(map(str, range(64)))
    assert key not in redactor().redact(f"[{key}]")
    assert table in redactor().redact(f"[{table}]")


@pytest.mark.parametrize(
    "command",
    [
        "curl -s -u :@ https://git.example.org/api",
        "kubectl -n web create secret generic pay --from-literal=main=@",
        "vault kv put secret/pay main=@",
        "dbtool -h db1 -u ada --quiet -p @",
        "printf %s '@' > /run/secrets/mailer",
        "<bash-input>printf '%s' '@' > /run/secrets/mailer</bash-input>",
    ],
)
@pytest.mark.parametrize("value", ["mirobatuze", "Zk3vQ81mLp0x"])
def test_a_command_says_by_its_place_that_a_value_is_secret(command: str, value: str) -> None:
    assert value not in redactor().redact(command.replace("@", value))


@pytest.mark.parametrize(
    "text",
    [
        "sudo -u ada mkdir -p mirobatuze",
        "docker run -u 1000 -p 8080:80 web",
        "ssh -l ada -p 2222 db1",
        "kubectl create configmap web --from-literal=theme=mirobatuze",
        "Sec-WebSocket-Key: eDhxN3BMbTJUdlI5a1F6YQ==",
        "SENTRY_DSN=https://5b1f0c9ad2e34786b0c1d2e3f4a59687@o77.ingest.sentry.io/12",
    ],
)
def test_places_that_only_look_alike_keep_their_values(text: str) -> None:
    assert redactor().redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "disk_passphrases:\n  - @\n  - %\n",
        "ftp_password_list = ['@', '%']",
        "the passwords are @ and %",
        "try the password @ instead of %",
    ],
)
def test_each_of_several_values_is_found(text: str) -> None:
    clean = redactor().redact(text.replace("@", "mirobatuze").replace("%", "lavonekipu"))
    assert "mirobatuze" not in clean
    assert "lavonekipu" not in clean


@pytest.mark.parametrize(
    "text", ["secrets:\n  - db_password\n  - webhookkeys\n", "const passwords = [first, second]"]
)
def test_a_list_of_names_is_none_of_values(text: str) -> None:
    assert redactor().redact(text) == text
