"""Sessions and dreams as plain HTTP: who may, and what no client library would send."""

import pytest
from tests.hosting.nights import lines, transcript
from tests.serve.http.served import Client, Served

SESSIONS, DREAMS = "/v1/sessions", "/v1/dreams"
IMPORT = "/v1/reverie/sessions/import"


def session_of(client: Client) -> str:
    return client.post(SESSIONS, {"agent": "a", "environment_id": "e"}).json["id"]


def dream_over(store: str, session: str) -> dict[str, object]:
    inputs = [
        {"type": "memory_store", "memory_store_id": store},
        {"type": "sessions", "session_ids": [session]},
    ]
    return {"inputs": inputs, "model": "rules"}


@pytest.mark.hostile("H1")
def test_a_small_scope_dreams_and_writes_nothing(served: Served, store_id: str) -> None:
    session = session_of(served.client)
    body = dream_over(store_id, session)
    reader = served.another("memory:read", all_stores=True)
    assert reader.get(f"{SESSIONS}/{session}").status == 200
    for method, path, sent in (
        ("POST", SESSIONS, {"agent": "a", "environment_id": "e"}),
        ("POST", f"{SESSIONS}/{session}/events", {"events": [{"type": "user.interrupt"}]}),
        ("DELETE", f"{SESSIONS}/{session}", None),
        ("POST", DREAMS, body),
        ("GET", DREAMS, None),
    ):
        assert reader.send(method, path, sent).status == 403, path
    dreamer = served.another("dream:run", all_stores=True)
    made = dreamer.post(DREAMS, body)
    assert made.status == 200
    target = {"output_behavior": {"type": "update_existing", "memory_store_id": store_id}}
    assert dreamer.post(DREAMS, body | target).error["type"] == "permission_error"


def test_sessions_and_dreams_of_another_key_do_not_exist(served: Served, store_id: str) -> None:
    session = session_of(served.client)
    dream = served.client.post(DREAMS, dream_over(store_id, session)).json["id"]
    other = served.another("memory:read", "memory:write", "dream:run", stores=[store_id])
    for method, path in (
        ("GET", f"{SESSIONS}/{session}"),
        ("GET", f"{SESSIONS}/{session}/events"),
        ("DELETE", f"{SESSIONS}/{session}"),
        ("POST", f"{SESSIONS}/{session}/archive"),
        ("GET", f"{DREAMS}/{dream}"),
        ("POST", f"{DREAMS}/{dream}/cancel"),
        ("POST", f"{DREAMS}/{dream}/archive"),
    ):
        assert other.send(method, path).status == 404, path
    assert other.get(SESSIONS).json["data"] == []
    assert other.get(DREAMS).json["data"] == []
    assert other.post(DREAMS, dream_over(store_id, session)).status == 404
    assert served.client.get(f"{DREAMS}/{dream}").json["status"] == "pending"


def test_a_dream_that_waits_holds_its_store_and_is_not_archived(
    served: Served, store_id: str
) -> None:
    """No worker runs here, so that what waits goes on waiting."""
    client = served.client
    body = dream_over(store_id, session_of(client))
    target = {"output_behavior": {"type": "update_existing", "memory_store_id": store_id}}
    first = client.post(DREAMS, body | target).json["id"]
    second = client.post(DREAMS, body | target)
    assert (second.status, second.error["type"]) == (409, "conflict_error")
    assert second.headers["x-should-retry"] == "false"
    assert first in second.error["message"]
    # A new store is in nobody's way.
    assert client.post(DREAMS, body).status == 200
    refused = client.post(f"{DREAMS}/{first}/archive")
    assert (refused.status, refused.error["type"]) == (400, "invalid_request_error")
    assert client.post(f"{DREAMS}/{first}/cancel").json["status"] == "canceled"
    assert client.post(f"{DREAMS}/{first}/archive").json["archived_at"]
    assert client.post(DREAMS, body | target).status == 200


def test_a_transcript_of_a_known_agent_comes_in_and_nothing_else(
    served: Served, store_id: str
) -> None:
    data = lines(transcript(0))
    raw = {"content-type": "application/octet-stream"}
    path = f"{IMPORT}?filename=watch.jsonl&memory_store_ids[]={store_id}"
    (one,) = served.client.send("POST", path, data, raw).json["data"]
    assert one["resources"][0]["memory_store_id"] == store_id
    listed = served.client.get(f"{SESSIONS}?memory_store_id={store_id}").json["data"]
    assert [each["id"] for each in listed] == [one["id"]]
    for wrong in (b"", b"words\n", b"SQLite format 3\0" + data):
        assert served.client.send("POST", IMPORT, wrong, raw).status == 400
    assert served.client.send("POST", f"{path}x", data, raw).status == 404


@pytest.mark.parametrize(
    "event", [{}, {"type": 1}, {"type": "user.message", "content": [[]]}, {"type": "session.error"}]
)
def test_a_wrong_event_adds_nothing(client: Client, event: dict[str, object]) -> None:
    session = session_of(client)
    good = {"type": "user.message", "content": [{"type": "text", "text": "hello"}]}
    assert client.post(f"{SESSIONS}/{session}/events", {"events": [good, event]}).status == 400
    assert client.get(f"{SESSIONS}/{session}/events").json == {"data": [], "next_page": None}
