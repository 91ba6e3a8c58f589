"""What the two APIs are asked for, and what is left out where a server does not know it."""

from typing import Any

import pytest
from tests.engines.server import Reply, Server

from reverie.engines.anthropic import Anthropic, fitted
from reverie.engines.api import ApiModel
from reverie.engines.http import Endpoint
from reverie.engines.openai import OpenAI
from reverie.engines.prices import Usage, price_of
from reverie.engines.protocol import Limits, Prompt
from reverie.errors import CallFailed
from reverie.learn.work.answers import SCHEMA

LIMITS = Limits(0.5, 700, 20.0)
PROMPT = Prompt(
    id="work_1",
    kind="session",
    version="session-1",
    instructions="Distil.",
    material="a0 PERSON: Keep it small, please.",
    schema=SCHEMA,
    session="claude-code:one",
)


def anthropic(server: Server) -> Anthropic:
    return Anthropic(Endpoint("the API", server.url, {}, {}), "claude-sonnet-5-5")


def openai(server: Server) -> OpenAI:
    return OpenAI(Endpoint("the server", f"{server.url}/v1", {}, {}), "qwen3:8b")


def test_anthropic_gets_the_instructions_first_and_marked_for_the_cache(server: Server) -> None:
    answer = anthropic(server).answer(PROMPT, LIMITS)
    (sent,) = server.requests
    assert sent["path"] == "/v1/messages"
    assert sent["max_tokens"] == 700
    cached = {"type": "text", "text": "Distil.", "cache_control": {"type": "ephemeral"}}
    assert sent["system"] == [cached]
    assert sent["messages"] == [{"role": "user", "content": PROMPT.material}]
    assert sent["output_config"]["format"]["schema"] == SCHEMA
    assert answer.receipt.cache_created_tokens == 10
    assert answer.receipt.cost_usd == pytest.approx(
        (120 * 2 + 30 * 10 + 50 * 0.1 + 10 * 2.5) / 1_000_000
    )


def test_the_same_piece_is_the_same_request(server: Server) -> None:
    anthropic(server).answer(PROMPT, LIMITS)
    anthropic(server).answer(PROMPT, LIMITS)
    assert server.requests[0] == server.requests[1]


def test_a_schema_is_fitted_to_what_the_api_takes() -> None:
    given = {
        "type": "object",
        "properties": {
            "lessons": {
                "type": "array",
                "minItems": 2,
                "maxItems": 10,
                "items": {"type": "string"},
            },
            "maxItems": {"type": "string", "maxLength": 5, "description": "a name"},
        },
    }
    assert fitted(given) == {
        "type": "object",
        "properties": {
            "lessons": {
                "type": "array",
                "items": {"type": "string"},
                "description": "minItems 2; maxItems 10",
            },
            "maxItems": {"type": "string", "description": "a name; maxLength 5"},
        },
        "additionalProperties": False,
    }
    assert fitted(SCHEMA) == SCHEMA


def asked(engine: ApiModel, tries: int) -> Any:
    for _ in range(tries - 1):
        with pytest.raises(CallFailed) as failed:
            engine.answer(PROMPT, LIMITS)
        assert failed.value.again and failed.value.after == 0
    return engine.answer(PROMPT, LIMITS)


def refusing(*names: str) -> Any:
    """A server that knows nothing of some parameters."""

    def refuses(body: dict[str, Any]) -> Reply | None:
        kinds = str(body.get("response_format", {}).get("type"))
        for name in names:
            if name in body or name == kinds:
                said = f'{{"error": {{"message": "{name} is not supported", "type": "invalid"}}}}'
                return Reply(status=400, body=said.encode())
        return None

    return refuses


def test_anthropic_is_asked_in_words_where_schemas_are_not_known(server: Server) -> None:
    server.refuses = refusing("output_config")
    assert asked(anthropic(server), 2).text
    assert "output_config" not in server.requests[1]
    assert '"lessons"' in server.requests[1]["system"][0]["text"]


@pytest.mark.parametrize(
    ("unknown", "tries", "form"),
    [
        ((), 1, {"type": "json_schema"}),
        (("json_schema",), 2, {"type": "json_object"}),
        (("json_schema", "json_object"), 3, None),
        (("response_format",), 3, None),
    ],
)
def test_a_compatible_server_is_asked_for_as_much_of_a_form_as_it_knows(
    server: Server, unknown: tuple[str, ...], tries: int, form: dict[str, str] | None
) -> None:
    server.refuses = refusing(*unknown)
    engine = openai(server)
    assert asked(engine, tries).text
    assert asked(engine, 1).text  # what was learned holds for the run
    sent = server.requests[-1]
    assert sent.get("response_format", {}).get("type") == (form and form["type"])
    if tries == 1:
        assert sent["response_format"]["json_schema"]["strict"]
    told = '"lessons"' in sent["messages"][0]["content"]
    assert told == (tries > 1)


def test_the_limit_has_another_name_where_the_server_says_so(server: Server) -> None:
    def refuses(body: dict[str, Any]) -> Reply | None:
        said = b'{"error": {"message": "use max_completion_tokens instead of max_tokens"}}'
        return Reply(status=400, body=said) if "max_tokens" in body else None

    server.refuses = refuses
    asked(openai(server), 2)
    assert server.requests[1]["max_completion_tokens"] == 700


def test_tokens_read_from_the_cache_are_counted_once(server: Server) -> None:
    receipt = openai(server).answer(PROMPT, LIMITS).receipt
    assert (receipt.input_tokens, receipt.cache_read_tokens, receipt.tokens) == (120, 50, 200)


@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("claude-sonnet-5-5", 12.0),
        ("claude-haiku-4-5-20251001", 6.0),
        ("anthropic/claude-haiku-4.5", 6.0),
        ("openai/gpt-5.6-luna", 1.4),
        ("gpt-5.6-luna-2026-07-30", 1.4),
        ("llama3.3:70b", None),
        ("claude-sonnet-5-5-turbo", None),
    ],
)
def test_a_list_price_is_that_of_the_model_or_none(model: str, usd: float | None) -> None:
    price = price_of(model, local=False)
    assert (price and price.of(Usage(1_000_000, 1_000_000))) == usd
    at_home = price_of(model, local=True)
    assert at_home is not None and at_home.of(Usage(1_000_000, 1_000_000)) == (usd or 0)
