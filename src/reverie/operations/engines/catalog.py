"""Engines of a home: who can do the thinking, what each needs, and what their calls cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.engines.prices import price_of
from reverie.errors import InvalidInput, NotFound, ReverieError
from reverie.home import Home

if TYPE_CHECKING:
    from reverie.engines.prices import Price
    from reverie.engines.protocol import Engine, Limits, Prompt
    from reverie.engines.receipts import Receipt, Spent

LONGEST_CALL = 600  # seconds: less than any lease lasts
CLIENTS = {"claude-code": "claude", "codex": "codex"}
APIS = ("anthropic", "openai")
NAMES = (*CLIENTS, *APIS)
# What a client sends beside the piece, at most: its own instructions and tools, for each turn.
CLIENT_TOKENS = 30_000


@dataclass(frozen=True, slots=True)
class Chosen:
    """An engine, ready to be asked, and what is known of its price."""

    engine: "Engine"
    model: str
    price: "Price | None"  # None: nobody knows it
    keeps_to_budget: bool = False  # it is told what it may cost, and tells what it did
    more_tokens: int = 0  # that it may send beside the piece

    @property
    def name(self) -> str:
        return self.engine.name

    def request(self, prompt: "Prompt", limits: "Limits") -> dict[str, Any]:
        """What leaves this machine, as far as it is ours to say."""
        from reverie.engines.api import ApiModel

        if isinstance(self.engine, ApiModel):
            return {"url": self.engine.endpoint.url + self.engine.path} | self.engine.request(
                prompt, limits
            )
        return {
            "client": CLIENTS[self.name],
            "instructions": prompt.instructions,
            "material": prompt.material,
            "schema": dict(prompt.schema),
        }


class Ready(NamedTuple):
    """Who can do the thinking."""

    engine: str
    available: bool
    default: bool  # for new sessions
    model: str
    costs: str
    how: str


class Day(NamedTuple):
    """The calls of one day to one model of one engine."""

    day: str
    engine: str
    model: str
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    usd: float
    known: bool  # False: some of it is the most it may have cost
    priced: bool  # False: for some of it there is no price


@dataclass(frozen=True, slots=True)
class Costs:
    """The receipts that were asked for, and what is left for today."""

    receipts: "list[Receipt]"
    today: "Spent"
    cap_usd_per_day: float

    @property
    def total_usd(self) -> float:
        return sum(receipt.cost_usd for receipt in self.receipts)

    @property
    def days(self) -> list[Day]:
        """By day, engine and model."""
        groups: dict[tuple[str, str, str], list[Receipt]] = {}
        for receipt in self.receipts:
            groups.setdefault((receipt.at[:10], receipt.engine, receipt.model), []).append(receipt)
        return [
            Day(
                *key,
                calls=len(group),
                input_tokens=sum(
                    receipt.input_tokens + receipt.cache_created_tokens for receipt in group
                ),
                cached_tokens=sum(receipt.cache_read_tokens for receipt in group),
                output_tokens=sum(receipt.output_tokens for receipt in group),
                usd=sum(receipt.cost_usd for receipt in group),
                known=all(receipt.known for receipt in group),
                priced=all(receipt.priced for receipt in group),
            )
            for key, group in sorted(groups.items())
        ]


def chosen(home: Home, name: str, environ: Mapping[str, str] | None = None) -> Chosen:
    """The engine of that name, as settings and environment describe it.

    Raises:
        InvalidInput: there is none of that name.
        ConfigError: its settings are wrong.
        Unavailable: it needs something that is not there.
    """
    settings = home.settings.engines
    env = home.config.environ if environ is None else environ
    if name == "anthropic":
        from reverie.engines import anthropic

        made = anthropic.made(settings, env)
        return Chosen(made, made.model, made.price)
    if name == "openai":
        from reverie.engines import openai

        model = openai.made(settings, env)
        return Chosen(model, model.model, model.price)
    if name in CLIENTS:
        return _client(home, name, env)
    raise InvalidInput(f"there is no engine {name!r}", hint=f"one of {', '.join(NAMES)}")


def _client(home: Home, name: str, env: Mapping[str, str]) -> Chosen:
    """A client of the user's, which answers with the account it is logged in with."""
    from reverie.engines import claude_code, codex

    settings = home.settings.engines
    scratch = home.config.home / "engine"
    if home.config.home.is_dir():
        scratch.mkdir(mode=0o700, exist_ok=True)
    if name == "codex":
        engine = codex.made(settings, env, scratch)
        price = price_of(settings.codex_model, local=False)
        return Chosen(engine, settings.codex_model, price, more_tokens=CLIENT_TOKENS)

    def conversation(session: str) -> "claude_code.Conversation | None":
        try:
            log = Path(home.index.session(session).path)
        except NotFound:
            return None  # it is about several
        return claude_code.still_cached(log, home.clock())

    forking = claude_code.made(settings, env, scratch, conversation)
    model = settings.claude_code_model
    return Chosen(forking, model, None, keeps_to_budget=True, more_tokens=CLIENT_TOKENS)


def thinks_about(home: Home, agent: str) -> str:
    """Which engine thinks about a new session of an agent; "" for none but the rules."""
    default = home.settings.engines.default
    if default == "own":
        return agent if agent in CLIENTS else ""
    if default in CLIENTS:
        return default if default == agent else ""
    return "" if default == "rules" else default


def engines(home: Home, environ: Mapping[str, str] | None = None) -> list[Ready]:
    """Who can do the thinking, whether it is ready, and what it costs. Nothing is asked."""
    from reverie.engines.prices import listed_on

    chosen_one = home.settings.engines.default
    defaults = set(CLIENTS) if chosen_one == "own" else {chosen_one}
    ready = [
        Ready("rules", True, "rules" in defaults, "", "nothing", "always: no model, no network"),
        Ready(
            "agent",
            True,
            False,
            "",
            "what your agent costs anyway",
            "`reverie work next` in a session, or /reverie:synthesize",
        ),
    ]
    for name in NAMES:
        try:
            made = chosen(home, name, environ)
        except ReverieError as error:
            how = error.message + (f": {error.hint}" if error.hint else "")
            ready.append(Ready(name, False, name in defaults, "", "", how))
            continue
        price = made.price
        if made.name in CLIENTS:
            costs, how = "your plan or bill", f"{CLIENTS[name]} is on the PATH"
        elif price is None:
            costs, how = "unknown: no list price", _address(made)
        else:
            dear = f"{price.input:g} in, {price.output:g} out a million tokens, {listed_on()}"
            costs, how = (dear if any(price) else "nothing: on this machine"), _address(made)
        ready.append(Ready(name, True, name in defaults, made.model, costs, how))
    return ready


def _address(made: Chosen) -> str:
    from reverie.engines.api import ApiModel

    return made.engine.endpoint.url if isinstance(made.engine, ApiModel) else ""


def costs(home: Home, since: str = "") -> Costs:
    """The receipts of calls that cost money, since a moment (ISO), and what today has used."""
    from reverie.engines.receipts import Receipts

    kept = Receipts(home.config.home, home.clock)
    return Costs(list(kept.all(since)), kept.today(), home.settings.engines.max_usd_per_day)
