"""Made-up secrets in made-up places, from a seed: what the redaction tests measure against.

Nothing here is a literal secret: every value is drawn when it is needed, so neither this file nor
a scanner that reads it has anything to report. Places are split in two: `SEEN` was looked at while
the rules were written, `HELD_OUT` was not and is only ever measured.
"""

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"

Rng = random.Random
Maker = Callable[[Rng], str]


@dataclass(frozen=True)
class Kind:
    """One kind of secret: how it looks, what it is called, whether its form alone gives it away."""

    name: str
    make: Maker
    variable: str
    alone: bool = True


@dataclass(frozen=True)
class Sample:
    """A text, the secret in it ("" for innocent ones), and where they come from."""

    kind: str
    place: str
    secret: str
    text: str


def chars(alphabet: str, count: int) -> Maker:
    return lambda rng: "".join(rng.choice(alphabet) for _ in range(count))


def form(*parts: str | Maker) -> Maker:
    return lambda rng: "".join(p if isinstance(p, str) else p(rng) for p in parts)


def one_of(*makers: Maker) -> Maker:
    return lambda rng: rng.choice(makers)(rng)


def uuid(rng: Rng) -> str:
    return "-".join(chars(HEX, n)(rng) for n in (8, 4, 4, 4, 12))


def jwt(rng: Rng) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    claims = {"sub": chars(string.digits, 10)(rng), "iat": rng.randrange(10**9)}
    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}.{chars(URLSAFE, 43)(rng)}"


def pem(label: str, lines: int) -> Maker:
    def make(rng: Rng) -> str:
        body = "\n".join(chars(BASE64, 64)(rng) for _ in range(lines))
        return f"-----BEGIN {label}-----\n{body}\n{chars(BASE64, 22)(rng)}==\n-----END {label}-----"

    return make


WORDS = [
    "copper",
    "meadow",
    "signal",
    "harbor",
    "velvet",
    "lantern",
    "orbit",
    "pepper",
    "glacier",
    "walnut",
    "saffron",
    "tundra",
]


def password(rng: Rng) -> str:
    word = rng.choice(WORDS)
    return rng.choice(
        [
            lambda: word.capitalize() + chars(string.digits, 3)(rng) + rng.choice("!#%*?"),
            lambda: chars(ALNUM, 12)(rng) + rng.choice("!#%^*") + chars(string.digits, 2)(rng),
            lambda: chars(ALNUM + "!#%^*-_", 18)(rng) + "7k",
            lambda: word + "-" + rng.choice(WORDS) + "-" + chars(string.digits, 4)(rng),
        ]
    )()


def seed_phrase(rng: Rng) -> str:
    words = resources.files("reverie") / "data" / "seed_words.txt"
    return " ".join(rng.choices(words.read_text(encoding="ascii").split(), k=12))


def licence(rng: Rng) -> str:
    """Letters alone, in groups of five."""
    return "-".join(chars("BCDFGHJKLMNPQRSTVWXZ", 5)(rng) for _ in range(4))


_PRIVATE = "PRIVATE KEY"

KINDS: tuple[Kind, ...] = (
    Kind("aws-id", form("AK", "IA", chars(UPPER, 16)), "AWS_ACCESS_KEY_ID"),
    Kind("aws-secret", chars(BASE64, 40), "AWS_SECRET_ACCESS_KEY", alone=False),
    Kind("aws-session", chars(BASE64, 300), "AWS_SESSION_TOKEN", alone=False),
    Kind("gcp", form("AI", "za", chars(URLSAFE, 35)), "GOOGLE_API_KEY"),
    Kind("gcp-oauth", form("GOC", "SPX-", chars(URLSAFE, 28)), "GOOGLE_CLIENT_SECRET"),
    Kind("gcp-access", form("ya", "29.", chars(URLSAFE, 120)), "GOOGLE_TOKEN"),
    Kind("azure-client", form(chars(ALNUM, 3), "8Q~", chars(ALNUM, 34)), "AZURE_CLIENT_SECRET"),
    Kind("azure-storage", form(chars(BASE64, 86), "=="), "AZURE_STORAGE_KEY", alone=False),
    Kind("azure-openai", chars(HEX, 32), "AZURE_OPENAI_API_KEY", alone=False),
    Kind("github", form("gh", one_of(*map(form, "pousr")), "_", chars(ALNUM, 36)), "GITHUB_TOKEN"),
    Kind("github-fine", form("github", "_pat_", chars(ALNUM, 22), "_", chars(ALNUM, 59)), "GH_PAT"),
    Kind("gitlab", form("gl", "pat-", chars(URLSAFE, 20)), "GITLAB_TOKEN"),
    Kind("gitlab-runner", form("gl", "rt-", chars(URLSAFE, 20)), "RUNNER_TOKEN"),
    Kind(
        "slack-bot",
        form(
            "xo",
            "xb-",
            chars(string.digits, 12),
            "-",
            chars(string.digits, 12),
            "-",
            chars(ALNUM, 24),
        ),
        "SLACK_BOT_TOKEN",
    ),
    Kind(
        "slack-app",
        form("xa", "pp-1-A", chars(UPPER, 10), "-", chars(string.digits, 13), "-", chars(HEX, 64)),
        "SLACK_APP_TOKEN",
    ),
    Kind(
        "slack-webhook",
        form(
            "https://hooks.",
            "slack.com/services/T",
            chars(UPPER, 8),
            "/B",
            chars(UPPER, 8),
            "/",
            chars(ALNUM, 24),
        ),
        "SLACK_WEBHOOK",
    ),
    Kind("stripe", form("sk", "_live_", chars(ALNUM, 24)), "STRIPE_SECRET_KEY"),
    Kind("stripe-restricted", form("rk", "_live_", chars(ALNUM, 99)), "STRIPE_KEY"),
    Kind("stripe-webhook", form("wh", "sec_", chars(ALNUM, 32)), "STRIPE_WEBHOOK_SECRET"),
    Kind(
        "openai",
        form("sk", "-proj-", chars(URLSAFE, 74), "T3Blbk", "FJ", chars(URLSAFE, 74)),
        "OPENAI_API_KEY",
    ),
    Kind(
        "openai-old",
        form("sk", "-", chars(ALNUM, 20), "T3Blbk", "FJ", chars(ALNUM, 20)),
        "OPENAI_API_KEY",
    ),
    Kind("anthropic", form("sk", "-ant-", "api03-", chars(URLSAFE, 93), "AA"), "ANTHROPIC_API_KEY"),
    Kind("huggingface", form("h", "f_", chars(string.ascii_letters, 34)), "HF_TOKEN"),
    Kind("groq", form("gs", "k_", chars(ALNUM, 52)), "GROQ_API_KEY"),
    Kind("replicate", form("r", "8_", chars(ALNUM, 37)), "REPLICATE_API_TOKEN"),
    Kind("openrouter", form("sk", "-or-", "v1-", chars(HEX, 64)), "OPENROUTER_API_KEY"),
    Kind("npm", form("np", "m_", chars(ALNUM, 36)), "NPM_TOKEN"),
    Kind("pypi", form("py", "pi-", "AgEIcHlwaS5vcmc", chars(URLSAFE, 150)), "TWINE_PASSWORD"),
    Kind("rubygems", form("ruby", "gems_", chars(HEX, 48)), "GEM_HOST_API_KEY"),
    Kind("docker", form("dckr", "_pat_", chars(URLSAFE, 27)), "DOCKER_TOKEN"),
    Kind("twilio", form("S", "K", chars(HEX, 32)), "TWILIO_API_KEY"),
    Kind("twilio-auth", chars(HEX, 32), "TWILIO_AUTH_TOKEN", alone=False),
    Kind(
        "sendgrid", form("S", "G.", chars(URLSAFE, 22), ".", chars(URLSAFE, 43)), "SENDGRID_API_KEY"
    ),
    Kind("mailgun", form("ke", "y-", chars(HEX, 32)), "MAILGUN_API_KEY"),
    Kind("mailchimp", form(chars(HEX, 32), "-us", "12"), "MAILCHIMP_API_KEY"),
    Kind(
        "telegram",
        form(chars("123456789", 10), ":A", "A", chars(URLSAFE, 32), "x"),
        "TELEGRAM_BOT_TOKEN",
    ),
    Kind(
        "discord",
        form("M", chars(ALNUM, 23), ".", chars(URLSAFE, 6), ".", chars(URLSAFE, 37), "w"),
        "DISCORD_TOKEN",
    ),
    Kind("jwt", jwt, "SUPABASE_SERVICE_KEY"),
    Kind("pem-rsa", pem(f"RSA {_PRIVATE}", 12), "TLS_KEY"),
    Kind("pem-ssh", pem(f"OPENSSH {_PRIVATE}", 6), "DEPLOY_KEY"),
    Kind("pem-pgp", pem(f"PGP {_PRIVATE} BLOCK", 9), "SIGNING_KEY"),
    Kind("age", form("AGE-", "SECRET-KEY-1", chars(UPPER, 58)), "SOPS_AGE_KEY"),
    Kind("heroku", uuid, "HEROKU_API_KEY", alone=False),
    Kind("digitalocean", form("do", "p_v1_", chars(HEX, 64)), "DIGITALOCEAN_TOKEN"),
    Kind("cloudflare", chars(URLSAFE, 40), "CLOUDFLARE_API_TOKEN", alone=False),
    Kind("datadog", chars(HEX, 32), "DD_API_KEY", alone=False),
    Kind("vault", form("hv", "s.", chars(URLSAFE, 90)), "VAULT_TOKEN"),
    Kind("terraform", form(chars(ALNUM, 14), ".atlas", "v1.", chars(URLSAFE, 67)), "TFE_TOKEN"),
    Kind("databricks", form("da", "pi", chars(HEX, 32)), "DATABRICKS_TOKEN"),
    Kind("supabase", form("sb", "p_", chars(HEX, 40)), "SUPABASE_ACCESS_TOKEN"),
    Kind("vercel", chars(ALNUM, 24), "VERCEL_TOKEN", alone=False),
    Kind("linear", form("lin", "_api_", chars(ALNUM, 40)), "LINEAR_API_KEY"),
    Kind("notion", form("nt", "n_", chars(ALNUM, 46)), "NOTION_TOKEN"),
    Kind("notion-old", form("secret", "_", chars(ALNUM, 43)), "NOTION_KEY"),
    Kind("figma", form("fig", "d_", chars(URLSAFE, 40)), "FIGMA_TOKEN"),
    Kind("square", form("sq0", "atp-", chars(URLSAFE, 22)), "SQUARE_ACCESS_TOKEN"),
    Kind("shopify", form("shp", "at_", chars(HEX, 32)), "SHOPIFY_TOKEN"),
    Kind("sentry", form("sntry", "u_", chars(HEX, 64)), "SENTRY_AUTH_TOKEN"),
    Kind("newrelic", form("NR", "AK-", chars(UPPER, 27)), "NEW_RELIC_API_KEY"),
    Kind("grafana", form("gl", "sa_", chars(ALNUM, 32), "_", chars(HEX, 8)), "GRAFANA_TOKEN"),
    Kind("airtable", form("pa", "t", chars(ALNUM, 14), ".", chars(HEX, 64)), "AIRTABLE_TOKEN"),
    Kind("postman", form("PM", "AK-", chars(HEX, 24), "-", chars(HEX, 34)), "POSTMAN_API_KEY"),
    Kind("doppler", form("dp", ".pt.", chars(ALNUM, 43)), "DOPPLER_TOKEN"),
    Kind("pulumi", form("pu", "l-", chars(HEX, 40)), "PULUMI_ACCESS_TOKEN"),
    Kind("clojars", form("CLOJ", "ARS_", chars(HEX, 60)), "CLOJARS_PASSWORD"),
    Kind("razorpay", form("rzp", "_live_", chars(ALNUM, 14)), "RAZORPAY_KEY"),
    Kind("flutterwave", form("FLWS", "ECK-", chars(HEX, 32), "-X"), "FLUTTERWAVE_KEY"),
    Kind("mnemonic", seed_phrase, "WALLET_MNEMONIC"),
    Kind("generic-token", chars(ALNUM, 32), "SERVICE_API_TOKEN", alone=False),
    Kind("generic-hex", chars(HEX, 64), "JWT_SECRET", alone=False),
    Kind("generic-base64", form(chars(BASE64, 43), "="), "SESSION_SECRET", alone=False),
    Kind("django", chars(ALNUM + "!@#%^&*-_=+", 50), "SECRET_KEY", alone=False),
    Kind("password", password, "DB_PASSWORD", alone=False),
    Kind("aws-sts", form("IQoJb3JpZ2lu", chars(BASE64, 200)), "STS_TOKEN"),
    Kind("okta", form("00", chars(ALNUM, 40)), "OKTA_TOKEN"),
    Kind(
        "asana",
        form("2/", chars("123456789", 16), "/", chars("123456789", 16), ":", chars(HEX, 32)),
        "ASANA_PAT",
    ),
    Kind("convex", form("prod:shy-heron-417|", chars(BASE64, 80)), "CONVEX_DEPLOY_KEY"),
    Kind("newrelic-licence", form(chars(HEX, 36), "FFFFNRAL"), "NEW_RELIC_LICENSE_KEY"),
    Kind("honeycomb", form("hcaik_01", chars(string.ascii_lowercase, 56)), "HONEYCOMB_API_KEY"),
    Kind("infracost", form("ico-", chars(ALNUM, 32)), "INFRACOST_API_KEY"),
    Kind("checkly", form("cu_", chars(HEX, 32)), "CHECKLY_API_KEY"),
    Kind("licence", licence, "SUITE_API_KEY", alone=False),
)

Place = Callable[[Kind, str, Rng], str | None]


def _camel(variable: str) -> str:
    head, *rest = variable.lower().split("_")
    return head + "".join(word.capitalize() for word in rest)


def _one_line(secret: str) -> bool:
    return "\n" not in secret


def _escaped(secret: str) -> str:
    return json.dumps(secret)[1:-1]


def _bare(template: str) -> Place:
    """The secret in words that name nothing: only for kinds whose form gives them away."""
    return lambda kind, secret, _: template.replace("@", secret, 1) if kind.alone else None


def _named(template: str) -> Place:
    """`$` is the variable's name, `@` the secret; one line only."""

    def place(kind: Kind, secret: str, _: Rng) -> str | None:
        if not _one_line(secret):
            return None
        return template.replace("$", kind.variable).replace("@", secret, 1)

    return place


def _json_depth(depth: int) -> Place:
    def place(kind: Kind, secret: str, _: Rng) -> str | None:
        text = json.dumps({"env": {kind.variable: secret}, "ok": True})
        for _level in range(depth):
            text = json.dumps({"output": text})
        return f"tool said: {text}"

    return place


def _encoded(kind: Kind, secret: str, rng: Rng) -> str | None:
    if kind.name.startswith("pem"):
        return None
    wrapped = base64.b64encode(f"{kind.variable}={secret}\n".encode()).decode()
    return f"the file holds {wrapped} as a blob"


def _encoded_alone(kind: Kind, secret: str, rng: Rng) -> str | None:
    return f"data: {base64.b64encode(secret.encode()).decode()}\n" if kind.alone else None


def _url(scheme: str) -> Place:
    def place(kind: Kind, secret: str, _: Rng) -> str | None:
        if kind.name != "password" or any(c in secret for c in "#?%/"):
            return None
        return f"connect to {scheme}://svc:{secret}@db.example.com:5432/app?sslmode=require now"

    return place


def _only(*names: str) -> Callable[[str], Place]:
    def build(template: str) -> Place:
        def place(kind: Kind, secret: str, _: Rng) -> str | None:
            return template.replace("@", secret, 1) if kind.name in names else None

        return place

    return build


_password = _only("password")
_opaque = _only("generic-token", "generic-hex", "jwt", "github", "openai", "gitlab", "npm")


def _camel_code(kind: Kind, secret: str, _: Rng) -> str | None:
    return f'const {_camel(kind.variable)} = "{secret}";\n' if _one_line(secret) else None


def _split(kind: Kind, secret: str, rng: Rng) -> str | None:
    if not kind.alone or not _one_line(secret) or len(secret) < 36 or "://" in secret:
        return None
    cut = rng.randrange(len(secret) // 2, len(secret) - 8)
    return f"the terminal wrapped it:\n{secret[:cut]}\n{secret[cut:]}\nand went on"


SEEN: dict[str, Place] = {
    "alone": _bare("@"),
    "sentence": _bare("ok, use @ for the staging run please"),
    "in quotes": _bare('it prints "@" and stops'),
    "after escaped newline": _bare("first line\\n@\\nlast line"),
    "export": _named("export $=@"),
    "env dump": _named("HOME=/root\nLANG=C.UTF-8\n$=@\nSHELL=/bin/bash\n"),
    "env quoted": _named('$="@"\n'),
    "typed constant": _named('const $: &str = "@";'),
    "property list": _named("<key>$</key>\n<string>@</string>"),
    "bold name": _named("- **$**: `@`"),
    "two columns": _named("$                   @"),
    "drawn table": _named("│ $ │ @ │"),
    "asked for in a shell": _named(">>> config['$']\n'@'"),
    "should be": _named("the $ should be @ from now on"),
    "told to set": _named("set $ to @ in the config"),
    "store of secrets": _named('gh secret set $ --body "@"'),
    "diff": _named(
        "--- a/.env\n+++ b/.env\n@@ -1,2 +1,2 @@\n-$=\n+$=@\n".replace("@@ ", "%% ").replace(
            " @@", " %%"
        )
    ),
    "yaml": _named("services:\n  web:\n    environment:\n      $: @\n"),
    "python": _named('$ = "@"\n'),
    "javascript": _camel_code,
    "json": _json_depth(0),
    "json in json": _json_depth(1),
    "json in json in json": _json_depth(2),
    "dict literal": _named("{'$': '@', 'debug': True}"),
    "base64 line": _encoded,
    "base64 alone": _encoded_alone,
    "split": _split,
    "postgres url": _url("postgresql"),
    "mongo url": _url("mongodb+srv"),
    "password is": _password("the admin password is @ by the way"),
    "password colon": _password("host: db1\nuser: svc\npassword: @\n"),
    "connection string": _password("Server=db;User Id=svc;Password=@;Encrypt=yes"),
    "bearer": _opaque("curl -H 'Authorization: Bearer @' https://api.example.com/v1/me"),
    "header": _opaque("x-api-key: @\naccept: */*\n"),
    "basic": lambda kind, secret, _: (
        "Authorization: Basic " + base64.b64encode(f"svc:{secret}".encode()).decode()
        if kind.name == "password"
        else None
    ),
    "dockerfile": _named("FROM debian\nENV $ @\nRUN make\n"),
    "docker run": _named("docker run --rm -e $=@ -p 80:80 app:latest"),
    "powershell": _named("$env:$ = '@'".replace("$env", "%env")),
    "toml": _named('[deploy]\n$ = "@"\nregion = "eu"\n'),
    "ini": _named("[default]\n$ = @\n"),
    "github actions": _named("      env:\n        $: @\n      run: make deploy\n"),
    "inline": _named("$=@ python manage.py migrate"),
    "kubectl": _named("kubectl create secret generic app --from-literal=$=@"),
    "grep output": _named("config/prod.env:14:$=@"),
    "xml": _named('<add key="$" value="@" />'),
    "terraform vars": _named('variable "x" {}\n$ = "@" # do not commit\n'),
    "log line": _bare("2026-03-02T10:11:12Z ERROR request failed token=@ status=401"),
    "markdown": _bare("Run it with `@` and report back."),
    "comment": _bare("# old one, rotate: @"),
    "url query": _only("jwt", "github", "generic-token")(
        "GET https://api.example.com/v1?access_token=@&page=2"
    ),
    "list": _bare("- first\n- @\n- third"),
    "brackets": _bare("values: [@, 12, true]"),
    "colour": _bare("\x1b[32m@\x1b[0m done"),
    "redis url": _url("redis"),
    "amqp url": _url("amqps"),
    "cli flag": _password("deploy --user svc --password @ --region eu"),
    "mysql flag": _password("mysql -h db.example.com -u svc -p@ app"),
    "curl user": _password("curl -u svc:@ https://example.com/api"),
    "said": _password("log in with user svc and password: @ then check the page"),
    "xml element": _password("<password>@</password>"),
    "netrc": _password("machine example.com login svc password @"),
    "sql": _password("CREATE USER svc WITH PASSWORD '@';"),
    "form": _password("username=svc&password=@&submit=1"),
    "keyword argument": _password('connect(host="db", user="svc", password="@")'),
}

HELD_OUT: dict[str, Place] = {
    "helm": _named("helm upgrade app ./chart --set env.$=@ --wait"),
    "html": _named('<input type="hidden" name="$" value="@">'),
    "csv": _named("name,value\nREGION,eu\n$,@\n"),
    "table": _named("| name | value |\n|---|---|\n| $ | @ |\n"),
    "tuples": _named("[('REGION', 'eu'), ('$', '@')]"),
    "history": _named("  412  export $=@ && make deploy\n"),
    "systemd": _named('[Service]\nEnvironment="$=@"\nExecStart=/usr/bin/app\n'),
    "ruby": _named("ENV['$'] = '@'\n"),
    "go": _named('os.Setenv("$", "@")\n'),
    "java": _named('System.setProperty("$", "@");\n'),
    "hcl": _named('environment = { $ = "@", REGION = "eu" }'),
    "echo": _named('echo "$=@" >> .env.local'),
    "traceback": _bare("ValueError: server rejected @ (line 3)"),
    "percent": _bare("redirect=%22@%22&x=1"),
    "chat": _bare("here is the one from the console:\n\n@\n\nthanks"),
    "angle": _bare("Connected as <@>."),
    "assert": _bare("assert client.header == '@'\nE   AssertionError"),
    "psql": _password('psql "host=db.example.com user=svc password=@ dbname=app"'),
    "pgpassword": _password("PGPASSWORD=@ psql -h db.example.com app"),
    "jdbc": _password("jdbc:mysql://db.example.com/app?user=svc&password=@"),
    "ftp": _password("sync to ftp://svc:@@files.example.com/in"),
    "pw": _password("pw is @ until monday"),
    "spring": _password("spring.datasource.username=svc\nspring.datasource.password=@\n"),
    "yaml quoted": _password("database:\n  user: svc\n  password: '@'\n"),
    "escaped json": lambda kind, secret, _: (
        json.dumps(json.dumps({"login": {"passwd": secret}})) if kind.name == "password" else None
    ),
}

Innocent = Callable[[Rng], str]

INNOCENT: dict[str, Innocent] = {
    "git sha": form("commit ", chars(HEX, 40), "\nAuthor: dev\n"),
    "short sha": form("merged in ", chars(HEX, 7), " yesterday"),
    "sha256": form("sha256:", chars(HEX, 64), "  dist/app.whl"),
    "uuid": form("request id ", uuid, " failed with 500"),
    "session id": form('{"sessionId": "', uuid, '", "cwd": "/srv/app"}'),
    "npm lock": form('"integrity": "sha512-', chars(BASE64, 86), '=="'),
    "cargo lock": form('checksum = "', chars(HEX, 64), '"'),
    "go sum": form("example.com/mod v1.2.3 h1:", chars(BASE64, 43), "="),
    "pip hash": form("--hash=sha256:", chars(HEX, 64), " \\"),
    "poetry lock": form('{file = "a-1.0.whl", hash = "sha256:', chars(HEX, 64), '"}'),
    "image": form("![x](data:image/png;base64,iVBORw0KGgo", chars(BASE64, 600), "=)"),
    "tool id": form('{"type": "tool_use", "id": "toolu_01', chars(ALNUM, 22), '", "name": "Bash"}'),
    "call id": form('{"call_id": "call_', chars(ALNUM, 24), '"}'),
    "message id": form('"id": "msg_01', chars(ALNUM, 22), '"'),
    "etag": form('etag: W/"', chars(HEX, 32), '"'),
    "cache key": form("key: deps-linux-", chars(HEX, 64)),
    "asset": form("assets/index-", chars(ALNUM, 8), ".js  120 kB"),
    "docker digest": form("FROM python@sha256:", chars(HEX, 64)),
    "public key": form("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI", chars(BASE64, 43), " dev@host"),
    "certificate": form(
        "-----BEGIN CERTIFICATE-----\n", chars(BASE64, 64), "\n-----END CERTIFICATE-----"
    ),
    "timestamp": form("1", chars(string.digits, 12), " ms since the epoch"),
    "trace id": form("traceparent: 00-", chars(HEX, 32), "-", chars(HEX, 16), "-01"),
    "nonce": form("script-src 'nonce-", chars(BASE64, 22), "=='"),
    "commit url": form("https://example.com/org/repo/commit/", chars(HEX, 40)),
    "account sid": form("account AC", chars(HEX, 32), " is active"),
    "publishable": form("pk_live_", chars(ALNUM, 24), " is public by design"),
    "aws arn": form("arn:aws:iam::", chars(string.digits, 12), ":role/deploy"),
    "thinking": form('"signature": "', chars(BASE64, 344), '"'),
}

# Texts that need no variation.
INNOCENT_TEXTS: tuple[str, ...] = (
    "def login(username: str, password: str, token: str | None = None) -> Session:",
    "async function signIn(password: string, apiKey?: string): Promise<Token> {",
    "export OPENAI_API_KEY=YOUR_API_KEY",
    "export OPENAI_API_KEY=sk-...",
    'api_key = "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
    "GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }}",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "curl -H 'x-api-key: {{api_key}}' https://example.com",
    "password = os.environ['DB_PASSWORD']",
    "const token = process.env.API_TOKEN;",
    "postgres://user:password@localhost:5432/app",
    "postgresql://${DB_USER}:${DB_PASSWORD}@${DB_HOST}/app",
    "https://user:pass@example.com/path",
    "AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    "max_tokens: 4096, total_tokens=128000, token_count = 5321",
    "the password is required and must be at least 12 characters",
    "the token is invalid or expired, so the key was rotated",
    "secret = get_secret('db/password')",
    "token = tokenizer.encode(text2)[0]",
    "primary_key=True, foreign_key='orders.id'",
    "the key is to use a smaller batch size of 128",
    "password: <set in vault>",
    "PASSWORD=changeme",
    "DB_PASSWORD=********",
    "the login is at https://example.com/login?next=/dashboard/settings2",
    "import { authToken } from './lib/auth-token-v2.js'",
    "tests/test_password_reset.py::test_token_expires_after_2_hours PASSED",
    "secretName: web-tls-cert-2026",
    "pass 12 of 14 tests, 2 tokens left",
)


def secrets(seed: int, places: dict[str, Place], each: int = 1) -> Iterator[Sample]:
    """Every kind in every place that fits it."""
    rng = random.Random(seed)
    for kind in KINDS:
        for name, place in places.items():
            for _ in range(each):
                secret = kind.make(rng)
                text = place(kind, secret, rng)
                if text is not None:
                    yield Sample(kind.name, name, secret, text)


def innocents(seed: int, each: int = 20) -> Iterator[Sample]:
    """Look-alikes: nothing in them may be redacted."""
    rng = random.Random(seed)
    for name, make in INNOCENT.items():
        for _ in range(each):
            yield Sample(name, "innocent", "", make(rng))
    for text in INNOCENT_TEXTS:
        yield Sample("text", "innocent", "", text)


def survives(sample: Sample, redacted: str) -> bool:
    """Whether a usable part of the secret is still there, plain, escaped or encoded."""
    # The address of a webhook may stay: what lets somebody post there is its end.
    secret = sample.secret.rpartition("slack.com/services/")[2]
    forms = [secret, _escaped(secret), base64.b64encode(secret.encode()).decode()[:-4]]
    for one in forms:
        size = min(len(one), 12)
        if any(one[i : i + size] in redacted for i in range(max(1, len(one) - size + 1))):
            return True
    return False
