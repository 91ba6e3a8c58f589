"""The Model Context Protocol over HTTP: the official client, and others."""

import json
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client.client import Client as Official
from mcp.client.streamable_http import streamable_http_client
from tests.serve.http.served import Answer, Client, Served

from reverie.operations.recalling import ledger
from reverie.store.model import Actor, Author

STORES = "/v1/memory_stores"
ME = Author(Actor("user", "me"), "said", "user")
BOTH = "application/json, text/event-stream"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def send(client: Client, message: Any, **headers: str) -> Answer:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.send("POST", "/mcp", message, {"accept": BOTH} | given)


def called(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool answers, and whether that is an error."""
    params = {"name": tool, "arguments": arguments}
    told = send(client, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    assert told.status == 200, told.text
    return told.json["result"]["content"][0]["text"], told.json["result"]["isError"]


async def used(url: str, key: str, mode: Any) -> tuple[list[str], str, str, str]:
    headers = {"authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        async with Official(transport, mode=mode) as client:
            tools = await client.list_tools()
            said = await client.call_tool(
                "remember", {"text": "Deploys to the harbour cluster need a second reviewer"}
            )
            told = await client.call_tool("recall", {"query": "who reviews deploys?"})
            seen = await client.call_tool("memory", {"command": "view", "path": "/memories/notes"})
    texts = [getattr(one.content[0], "text", "") for one in (said, told, seen)]
    return [tool.name for tool in tools.tools], *texts  # type: ignore[return-value]


@pytest.mark.proves("E4")
@pytest.mark.hostile("T8")
@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_official_client_remembers_and_recalls(
    served: Served, store_id: str, mode: str
) -> None:
    key = served.another("memory:read", "memory:write", stores=["notes"])
    names, said, told, seen = anyio.run(used, served.url, key.key, mode)
    assert names == ["recall", "remember", "why", "memory"]
    assert said.startswith("Remembered as notes/")
    assert "second reviewer" in told
    (memory,) = served.memory.store.walk(store_id)
    assert memory.path in seen
    assert memory.trust == "agent"
    (version,) = served.memory.store.versions(store_id).items
    assert version.actor == Actor("key", "apikey_" + key.key.split("_")[1])


@pytest.mark.hostile("T4", "T5")
def test_a_tool_reaches_what_the_key_may_and_nothing_else(served: Served, store_id: str) -> None:
    store = served.memory.store
    rule = store.create(store_id, "/rule.md", "Always run the linter.", ME)
    hidden = store.create_store("vault")
    store.create(hidden.id, "/door.md", "The door of the vault is green.", ME)
    reader = served.another("memory:read", stores=["notes"])
    writer = served.another("memory:read", "memory:write", stores=["notes:ro"])
    both = served.another("memory:read", "memory:write", stores=["notes"])
    for client in (reader, writer, both):
        assert "vault" not in called(client, "memory", command="view", path="/memories")[0]
        assert called(client, "memory", command="view", path="/memories/vault/door.md")[1]
        assert called(client, "why", memory="vault/door.md")[1]
        assert "green" not in called(client, "recall", query="which colour has the door?")[0]
        assert called(client, "memory", command="delete", path="/memories/notes/rule.md")[1]
    for client in (reader, writer):
        assert called(client, "remember", text="Lunch is at noon in the harbour")[1]
        create = {"command": "create", "path": "/memories/notes/x.md", "file_text": "x"}
        assert called(client, "memory", **create)[1]
    # Neither its own project nor one named like the owner's comes into being.
    for name in ("vault", "global", "new", both.key.split("_")[1]):
        create = {"command": "create", "path": f"/memories/{name}/x.md", "file_text": "x"}
        assert called(both, "memory", **create)[1]
        assert called(both, "remember", text="Lunch is at noon in the harbour", store=name)[1]
    assert {info.name for info in store.stores()} == {"notes", "vault"}
    assert store.get(store_id, "/rule.md").version_id == rule.version_id
    assert len(store.versions(store_id).items) == 1
    for tool in ("search_sessions", "read_session"):
        params = {"name": tool, "arguments": {}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        assert send(both, body).status == 400


def test_what_is_remembered_needs_a_store_where_there_are_several(served: Served) -> None:
    client = served.another()
    for name in ("first", "second"):
        client.post(STORES, {"name": name})
    text, failed = called(client, "remember", text="Lunch is at noon in the harbour")
    assert failed
    assert "first, second" in text
    said = called(client, "remember", text="Lunch is at noon in the harbour", store="second")
    assert said[0].startswith("Remembered as second/")


@pytest.mark.hostile("T7")
def test_the_transport_turns_strangers_and_wrong_requests_away(served: Served) -> None:
    client = served.client
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert send(client, ping).json["result"] == {}
    for headers, status in (
        ({"host": "evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"authorization": "Bearer " + "eyJhbGciOiJSUzI1NiJ9.e30.c2ln"}, 401),
        ({"authorization": ""}, 401),
        ({"accept": "application/json"}, 406),
        ({"accept": "text/html"}, 406),
        ({"content-type": "text/plain"}, 415),
        ({"mcp-protocol-version": "1999-01-01"}, 400),
        ({"mcp-method": "tools/list"}, 400),
        ({"mcp-name": "=?base64?!?="}, 400),
    ):
        assert client.send("POST", "/mcp", ping, {"accept": BOTH} | headers).status == status
    assert Client(served.port).send("POST", "/mcp", ping, {"accept": BOTH}).status == 401
    no_accept = client.send("POST", "/mcp", ping, {"accept": ""})
    assert no_accept.error["type"] == "invalid_request_error"
    large = served.raw(
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Authorization: Bearer " + served.text.encode() + b"\r\nContent-Length: 4194305\r\n\r\n"
    )
    assert large.startswith(b"HTTP/1.1 413")
    for method in ("GET", "DELETE"):
        assert client.send(method, "/mcp", headers={"accept": BOTH}).status == 405
    for wrong in (b"{", b"[]", b"null", b'{"jsonrpc":"2.0"', b"[" * 10_000):
        assert client.send(
            "POST", "/mcp", wrong, {"accept": BOTH, "content-type": "application/json"}
        ).status == 400  # fmt: skip


@pytest.mark.hostile("T1")
def test_messages_that_are_none_get_an_error_and_the_server_goes_on(served: Served) -> None:
    client = served.client
    assert send(client, {"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
    modern = {"jsonrpc": "2.0", "id": 1, "method": "nope", "params": {"_meta": ENVELOPE}}
    assert send(client, modern).status == 404
    for params in (None, [], {"name": 1}, {"name": "recall", "arguments": {"query": 1}}):
        told = send(client, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        assert told.status in (200, 400)
        assert "error" in told.json or told.json["result"]["isError"]
    deep = json.loads("[" * 500 + "]" * 500)
    assert called(client, "recall", query="x", types=deep)[1]
    assert send(client, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status == 200


def test_a_call_is_entered_with_its_key(served: Served, store_id: str) -> None:
    called(served.client, "recall", query="anything?")
    (row,) = ledger(served.memory).rows(project=served.key.id)
    assert (row.surface, row.agent, row.tool) == ("http", served.key.id, "recall")
