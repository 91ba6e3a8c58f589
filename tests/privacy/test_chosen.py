"""What people choose for keys and tokens: nothing about it is random, so its name must tell."""

import random
import string
from collections.abc import Callable

import pytest

from reverie.privacy import Redactor

REDACTOR = Redactor(b"k" * 32)
WORDS = "marigold bramble juniper cobalt thistle quartz lichen kestrel".split()

Rng = random.Random
Form = Callable[[str, str], str]


def _drawn(alphabet: str, count: int) -> Callable[[Rng], str]:
    return lambda rng: "".join(rng.choice(alphabet) for _ in range(count))


SHAPES: dict[str, Callable[[Rng], str]] = {
    "word and digits": lambda rng: rng.choice(WORDS) + _drawn("23456789", 5)(rng),
    "title and digits": lambda rng: rng.choice(WORDS).title() + _drawn("23456789", 4)(rng),
    "digits": lambda rng: "7" + _drawn(string.digits, 13)(rng),
    "capitals": _drawn("BCDFGHJKLMNPQRSTVWXZ", 12),
    "letters": _drawn("bcdfghjklmnpqrstvwxz", 12),
    "short": lambda rng: _drawn("BDFHJKMP", 3)(rng) + _drawn("cfgkqvxz", 3)(rng) + "K7",
    "joined words": lambda rng: "-".join(rng.sample(WORDS, 4)),
}
NAMES = (
    "secret_key signing_key encryption_key decryption_key jwt_secret api_key client_secret"
    " access_token refresh_token auth_token webhook_secret session_secret license_key oauth_token"
).split()


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(map(str.title, rest))


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _header(name: str) -> str:
    return "X-" + name.replace("_", "-").title()


FORMS: dict[str, Form] = {
    "shell": lambda n, v: f"export {n.upper()}={v}",
    "fish": lambda n, v: f"set -gx {n.upper()} {v}",
    "environment": lambda n, v: f"PORT=80\n{n.upper()}={v}\nDEBUG=1\n",
    "yaml": lambda n, v: f"app:\n  {n}: {v}\n  debug: true\n",
    "yaml with an anchor": lambda n, v: f"{n}: &shared {v}\n",
    "ini": lambda n, v: f"[app]\n{n} = {v}\n",
    "toml": lambda n, v: f'[app]\n{n} = "{v}"\n',
    "properties": lambda n, v: f"app.{n.replace('_', '.')}={v}",
    "terraform": lambda n, v: f'variable "{n}" {{\n  type = string\n  default = "{v}"\n}}',
    "kubernetes": lambda n, v: f'env:\n- name: {n.upper()}\n  value: "{v}"\n- name: A\n',
    "cloudformation": lambda n, v: f"  {_camel(n)}:\n    Type: String\n    Default: {v}\n",
    "header": lambda n, v: f'curl -H "{_header(n)}: {v}" https://a.example',
    "header of a request": lambda n, v: f'req.Header.Set("{_header(n)}", "{v}")',
    "define": lambda n, v: f'#define {n.upper()} "{v}"',
    "typed": lambda n, v: f'Dim {_camel(n)} As String = "{v}"',
    "property": lambda n, v: f'public string {_camel(n)} {{ get; set; }} = "{v}";',
    "keyword": lambda n, v: f'{{:{n.replace("_", "-")} "{v}"}}',
    "lisp": lambda n, v: f'(setq {n.replace("_", "-")} "{v}")',
    "atom": lambda n, v: f'Application.put_env(:app, :{n}, "{v}")',
    "row": lambda n, v: f"| {n} | {v} |",
    "row in backticks": lambda n, v: f"| `{n.upper()}` | `{v}` |",
    "column": lambda n, v: f" id | {n} \n----+------\n  1 | {v}\n",
    "csv": lambda n, v: f"user,{n}\nann,{v}\n",
    "set command": lambda n, v: f"aws configure set {n} {v} --profile ci",
    "git config": lambda n, v: f"git config --global svc.{_camel(n)} {v}",
    "put": lambda n, v: f"consul kv put app/{n} {v}",
    "secret store": lambda n, v: f'dotnet user-secrets set "{_camel(n)}" "{v}"',
    "option": lambda n, v: f"tool --{n.replace('_', '-')} {v} run",
    "address": lambda n, v: f"https://a.example/x?a=1&{n}={v}",
    "element": lambda n, v: f"<server><id>x</id><{_camel(n)}>{v}</{_camel(n)}></server>",
    "attribute": lambda n, v: f'<conn {_camel(n)}="{v}" host="a"/>',
    "content of a meta tag": lambda n, v: f'<meta name="{n}" content="{v}">',
    "property list": lambda n, v: f"<key>{_camel(n)}</key>\n\t<string>{v}</string>",
    "title": lambda n, v: f"{_spoken(n).title()}: {v}",
    "in brackets": lambda n, v: f"the {_spoken(n)} ({v}) works",
    "told": lambda n, v: f"The {_spoken(n)} is {v}, keep it.",
    "told now": lambda n, v: f"The new {_spoken(n)} is now {v}.",
    "changed": lambda n, v: f"I changed the {_spoken(n)} from x to {v}.",
}


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("form", FORMS)
def test_what_somebody_chose_is_a_secret_under_a_name_that_leaves_no_doubt(form: str) -> None:
    rng = Rng(form)
    for shape, draw in SHAPES.items():
        for name in NAMES:
            value = draw(rng)
            text = FORMS[form](name, value)
            assert value not in REDACTOR.redact(text), (shape, text)


@pytest.mark.hostile("X1")
def test_a_signature_for_shared_access_is_found_without_its_address() -> None:
    signature = _drawn(string.ascii_letters + string.digits, 43)(Rng(1))
    assert signature not in REDACTOR.redact(f"export TOKEN=sig={signature}%3D")


ORDINARY = (
    "required optional string primary rotated generated unchanged expired provided users42 nightly"
    " mandatory nullable placeholder deprecated refreshing 4096 86400 20261116 v1.2.3 None"
).split()
INNOCENT_FORMS: tuple[Form, ...] = (
    lambda n, v: f"{n}: {v}",
    lambda n, v: f"{n} = {v}",
    lambda n, v: f"{n.upper()}={v}",
    lambda n, v: f"| {n} | {v} |",
    lambda n, v: f"the {_spoken(n)} is {v}",
    lambda n, v: f"{_spoken(n).title()}: {v}",
    lambda n, v: f"{n}_name: {v}",
    lambda n, v: f"{n}_expires_in: {v}",
    lambda n, v: f'describe("{_spoken(n)} {v}", () => {{',
)


@pytest.mark.parametrize("value", ORDINARY)
def test_a_word_about_a_secret_or_a_small_number_is_none(value: str) -> None:
    for name in NAMES:
        for form in INNOCENT_FORMS:
            text = form(name, value)
            assert REDACTOR.redact(text) == text


@pytest.mark.parametrize(
    "line",
    [
        "cache_key=users4821",
        'sort_key = "orders73925"',
        "idempotency_key: marigold48263",
        "next_page_token: marigold48263",
        "CONTINUATION_TOKEN=marigold48263",
        "existingSecret: marigold-credentials",
        "secretName: marigold-tls-42",
        "secret: kubernetes-dashboard",
        "max_tokens: 4096000000",
        "keyId: marigold48263",
        "    privateKey: ed25519Seed,",
        "| IPNS signing key | `ipnsPrivateKey` | Ed25519 |",
        "| Azure OpenAI | `AZURE_OPENAI_API_KEY` | `azure-openai-responses` |",
        "access_token: AccessTokenProvider",
        "connect(api_key=userkey, timeout=3)",
        "the id token is RFC7519 compliant",
        "- [ ] signing key rotation 2026",
        "aws configure set region marigold-west-1",
        "const CHECKPOINT_ID_PATTERN = /^[0-9a-f]{12}$/;",
    ],
)
def test_what_only_finds_counts_or_names_something_stays(line: str) -> None:
    assert REDACTOR.redact(line) == line
