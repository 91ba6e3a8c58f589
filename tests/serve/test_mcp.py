"""The protocol, spoken to the loop itself."""

import io
import json
from typing import Any

import pytest

from reverie.errors import NotFound
from reverie.serve.desk import Confirm
from reverie.serve.mcp import HANDSHAKE_VERSIONS, MAX_MESSAGE_BYTES, Server

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Echo:
    """A toolbox without memory."""

    instructions = "Say it."

    def listed(self) -> list[dict[str, Any]]:
        return [{"name": "echo", "description": "Says it.", "inputSchema": {"type": "object"}}]

    def meet(self, client: str) -> None:
        pass

    def call(self, name: str, arguments: dict[str, Any], confirm: Confirm) -> str:
        if name != "echo":
            raise KeyError(name)
        match arguments.get("say"):
            case "missing":
                raise NotFound("no such thing", hint="look elsewhere")
            case "broken":
                raise ZeroDivisionError
            case other:
                return str(other)


def talk(*messages: bytes | object) -> list[Any]:
    lines = [m if isinstance(m, bytes) else json.dumps(m).encode() for m in messages]
    sink, log = io.BytesIO(), io.StringIO()
    Server(Echo(), io.BytesIO(b"\n".join(lines) + b"\n"), sink, log).run()
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def request(method: str, params: object = None, number: object = 1) -> dict[str, object]:
    message: dict[str, object] = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else {**message, "params": params}


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_every_known_version_is_agreed_to(version: str) -> None:
    (answer,) = talk(request("initialize", {"protocolVersion": version}))
    assert answer["result"]["protocolVersion"] == version
    assert answer["result"]["serverInfo"]["name"] == "reverie"


def test_an_unknown_version_is_answered_with_the_newest_of_the_handshake() -> None:
    (answer,) = talk(request("initialize", {"protocolVersion": "1999-01-01"}))
    assert answer["result"]["protocolVersion"] == HANDSHAKE_VERSIONS[-1]


def test_a_request_with_the_envelope_gets_a_complete_stamped_result() -> None:
    (answer,) = talk(request("server/discover", {"_meta": ENVELOPE}))
    result = answer["result"]
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "reverie"


def test_an_envelope_of_an_unknown_version_names_those_that_are_served() -> None:
    meta = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    (answer,) = talk(request("tools/list", {"_meta": meta}))
    assert answer["error"]["code"] == -32022
    assert answer["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}


def test_discover_without_the_envelope_is_unknown() -> None:
    (answer,) = talk(request("server/discover", {}))
    assert answer["error"]["code"] == -32601


def test_notifications_and_stray_answers_are_not_answered() -> None:
    assert (
        talk(
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
            {"jsonrpc": "2.0", "id": 9, "result": {}},
        )
        == []
    )


def test_a_failing_tool_is_a_result_the_model_can_read() -> None:
    (answer,) = talk(request("tools/call", {"name": "echo", "arguments": {"say": "missing"}}))
    result = answer["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"] == "error: no such thing\nhint: look elsewhere"
    assert result["_meta"]["reverie/error"] == {"type": "NotFound", "code": -32002}


def test_a_broken_tool_says_nothing_about_itself_and_the_server_lives() -> None:
    broken, after = talk(
        request("tools/call", {"name": "echo", "arguments": {"say": "broken"}}),
        request("ping", number=2),
    )
    assert broken["error"] == {"code": -32603, "message": "internal error"}
    assert after["result"] == {}


@pytest.mark.hostile("T1")
@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"not json", -32700),
        (b"[" * 200_000, -32700),
        (b"\xff\xfe", -32700),
        (b"7", -32600),
        (b"[]", -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 3}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}', -32602),
    ],
)
def test_a_bad_message_gets_its_code_and_the_next_one_an_answer(message: bytes, code: int) -> None:
    bad, good = talk(message, request("ping", number="next"))
    assert bad["error"]["code"] == code
    assert good == {"jsonrpc": "2.0", "id": "next", "result": {}}


@pytest.mark.hostile("T1")
def test_a_message_beyond_the_limit_is_skipped_not_kept() -> None:
    bad, good = talk(b'"' + b"x" * (2 * MAX_MESSAGE_BYTES) + b'"', request("ping", number=2))
    assert bad["error"]["code"] == -32600
    assert good["id"] == 2


def test_a_batch_is_answered_as_a_batch() -> None:
    (answers,) = talk([request("ping", number=1), {"jsonrpc": "2.0", "method": "x"}, 5])
    assert [answer["id"] for answer in answers] == [1, None]


@pytest.mark.hostile("T3")
def test_a_client_that_hangs_up_in_the_middle_ends_the_server_quietly() -> None:
    class Gone(io.BytesIO):
        def write(self, data: Any) -> int:
            raise BrokenPipeError

    source = io.BytesIO(json.dumps(request("ping")).encode() + b"\n" * 3)
    Server(Echo(), source, Gone(), io.StringIO()).run()
    assert source.read() == b"\n\n"
