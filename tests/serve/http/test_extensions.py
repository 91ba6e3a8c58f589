"""What the server can do besides the contract, for one key and what it may see."""

import threading
from dataclasses import replace

import pytest
from tests.hosting.nights import DAYS, DUPLICATES, lines, transcript
from tests.serve.http.served import Client, Served

from reverie.dream.proposals.proposals import Proposals
from reverie.errors import NotFound
from reverie.hosting.worker import work
from reverie.learn.memories.quotes import Quote, keep_quotes
from reverie.operations.recalling import ledger
from reverie.store.model import Actor, Author

STORES, OURS = "/v1/memory_stores", "/v1/reverie"
RAW = {"content-type": "application/octet-stream"}
ME = Author(Actor("user", "me"), "said over lunch", "user")
SAID = "claude-code:abc#3"
RULE = f"""---
name: run-lint
description: Run the linter before every commit
metadata:
  type: feedback
  trust: user
  evidence: [{SAID}]
---
Run the linter before every commit.
"""


@pytest.fixture
def rule(served: Served, store_id: str) -> str:
    """The id of a memory of the owner's, with the words it rests on."""
    quote = Quote(SAID, "claude-code:abc", 3, "2026-11-01T08:00:00Z", "lint first!", "", "user")
    with served.memory.database.atomic() as tx:
        keep_quotes(tx, [quote])
    return served.memory.store.create(store_id, "/run-lint.md", RULE, ME).id


def other_store(served: Served) -> str:
    """A store with a memory that other keys do not see."""
    made = served.client.post(STORES, {"name": "private"}).json["id"]
    body = {"path": "/linter.md", "content": "The linter of the vault is called obsidian-lint."}
    assert served.client.post(f"{STORES}/{made}/memories", body).status == 200
    return made


@pytest.mark.proves("E4")
def test_search_and_recall_say_what_the_stores_of_the_key_hold(
    served: Served, store_id: str, rule: str
) -> None:
    hidden = other_store(served)
    client = served.another("memory:read", stores=["notes:ro"])
    (hit,) = client.post(f"{OURS}/search", {"query": "linter"}).json["data"]
    assert hit["memory"]["id"] == rule
    assert hit["memory"]["content"] is None
    assert "lint" in hit["snippet"]
    told = client.post(f"{OURS}/recall", {"query": "how do I use the linter?"}).json
    assert "Run the linter before every commit" in told["text"]
    assert "obsidian" not in told["text"]
    assert len(told["text"]) == told["characters"] <= told["budget"]
    for path in ("search", "recall"):
        body = {"query": "linter", "memory_store_ids": [hidden]}
        assert client.post(f"{OURS}/{path}", body).status == 404
        assert client.post(f"{OURS}/{path}", body | {"memory_store_ids": ["notes"]}).status == 404
    assert served.client.post(f"{OURS}/search", {"query": "obsidian"}).json["data"]


def test_a_recall_is_entered_with_the_key_that_asked(served: Served, rule: str) -> None:
    assert served.client.post(f"{OURS}/recall", {"query": "linter"}).status == 200
    (row,) = ledger(served.memory).rows(project=served.key.id)
    assert (row.surface, row.agent, row.tool) == ("http", served.key.id, "recall")
    told = served.client.get(f"{OURS}/stats").json
    assert (told["recalls"], told["corrections"]) == (1, 0)
    assert [one["who"] for one in told["callers"]] == [served.key.id]
    assert served.another(stores=["notes"]).get(f"{OURS}/stats").json["recalls"] == 0


@pytest.mark.parametrize(
    "body", [{"budget_chars": 0}, {"budget_chars": 10**9}, {"types": ["x"]}, {"since": "soon"}]
)
def test_a_recall_that_cannot_be_is_refused(client: Client, body: dict[str, object]) -> None:
    assert client.post(f"{OURS}/recall", body).error["type"] == "invalid_request_error"


@pytest.mark.hostile("T5")
def test_why_shows_no_words_of_sessions_that_the_key_does_not_see(
    served: Served, store_id: str, rule: str
) -> None:
    path = f"{OURS}/memory_stores/{store_id}/memories/{rule}/why"
    for client in (served.client, served.another("memory:read", stores=["notes"])):
        answer = client.get(path)
        assert (answer.json["quotes"], answer.json["elsewhere"]) == ([], 1)
        assert answer.json["description"] == "Run the linter before every commit"
        assert "lint first" not in answer.text
        assert "lunch" not in answer.text
    assert served.another("memory:read").get(path).status == 404


def dreamt(served: Served, client: Client) -> tuple[str, list[str]]:
    """A dream in place over a store with a duplicate and watches with a lag; with its sessions."""
    store = client.post(STORES, {"name": "watch"}).json["id"]
    for path, text in DUPLICATES.items():
        body = {"path": path, "content": text}
        assert client.post(f"{STORES}/{store}/memories", body).status == 200
    ids: list[str] = []
    for day in range(DAYS):
        sent = client.send("POST", f"{OURS}/sessions/import", lines(transcript(day)), RAW)
        ids += [one["id"] for one in sent.json["data"]]
    inputs = [
        {"type": "memory_store", "memory_store_id": store},
        {"type": "sessions", "session_ids": ids},
    ]
    target = {"type": "update_existing", "memory_store_id": store}
    body = {"inputs": inputs, "model": "rules", "output_behavior": target}
    dream = client.post("/v1/dreams", body).json["id"]
    assert work(served.memory.config, threading.Event(), once=True) == 1
    assert client.get(f"/v1/dreams/{dream}").json["status"] == "completed"
    return store, ids


@pytest.mark.proves("F1")
def test_what_a_dream_offered_is_accepted_in_part_and_taken_back(served: Served) -> None:
    client = served.another("memory:read", "memory:write", "dream:run")
    store, _ = dreamt(served, client)
    (proposal,) = client.get(f"{OURS}/proposals").json["data"]
    one = f"{OURS}/proposals/{proposal['id']}"
    assert client.get(one).json == proposal
    assert {each["store"] for each in proposal["changes"]} == {store}
    assert {each["status"] for each in proposal["changes"]} == {"accepted"}
    # Another key sees neither the dream nor what it offered, though it sees the store.
    other = served.another("memory:read", "memory:write", "dream:run", stores=[store])
    assert other.get(f"{OURS}/proposals").json["data"] == []
    for deed in ("accept", "reject", "undo"):
        assert other.post(f"{one}/{deed}", {}).status == 404
    first, *rest = [each["id"] for each in proposal["changes"]]
    (undone,) = client.post(f"{one}/undo", {"changes": [first]}).json["data"]
    assert (undone["change"], undone["outcome"]) == (first, "done")
    assert {each["outcome"] for each in client.post(f"{one}/undo", {}).json["data"]} == {"done"}
    assert {memory.path for memory in served.memory.store.walk(store)} == set(DUPLICATES)
    assert client.post(f"{one}/undo", {}).status == 400
    # All of it waits again, one because it rests on tools alone.
    kept = Proposals(served.memory.database, served.memory.clock)
    for offer in kept.find(proposal["id"]).offers:
        change = replace(offer.change, quarantined=offer.id == first)
        kept.decide(offer, "pending", change=change, applied={})
    assert client.post(f"{one}/accept", {"changes": [first]}).error["type"] == "permission_error"
    assert client.post(f"{one}/accept", {"changes": ["x"]}).status == 404
    # The served key is one for all stores that a person holds.
    (done,) = served.client.post(f"{one}/accept", {"changes": [first]}).json["data"]
    assert (done["change"], done["outcome"]) == (first, "done")
    assert served.client.post(f"{one}/accept", {"changes": [first]}).status == 400
    (turned_down,) = client.post(f"{one}/reject", {"changes": rest[:1]}).json["data"]
    assert turned_down == {"change": rest[0], "outcome": "done", "words": "rejected"}
    versions = served.memory.store.versions(store, limit=100).items
    assert {version.trust for version in versions} <= {"agent", "tool"}
    assert Actor("key", served.key.id) in {version.actor for version in versions}
    assert served.memory.store.verify(store) == []


def test_a_key_that_may_only_read_decides_nothing(served: Served) -> None:
    client = served.another("memory:read", "memory:write", "dream:run")
    store, _ = dreamt(served, client)
    (proposal,) = client.get(f"{OURS}/proposals").json["data"]
    principal = next(
        one.principal
        for one in served.memory.store.attachments(store)
        if one.principal.kind == "key"
    )
    served.memory.store.attach(store, principal, "read_only")
    before = served.memory.store.sequences()
    for deed in ("accept", "reject", "undo"):
        answer = client.post(f"{OURS}/proposals/{proposal['id']}/{deed}", {})
        assert answer.status in (400, 403), deed
    assert served.memory.store.sequences() == before
    assert client.get(f"{OURS}/proposals").json["data"] == [proposal]


def test_corrections_are_those_of_the_keys_own_sessions(served: Served) -> None:
    told = ["Install it with npm.", "no, always install with pnpm, never with npm"]
    events = [
        {
            "type": "agent.message" if place % 2 == 0 else "user.message",
            "content": [{"type": "text", "text": text}],
        }
        for place, text in enumerate(["I will run npm install now.", told[1]])
    ]
    client = served.another("memory:read", "memory:write")
    first = {"type": "user.message", "content": [{"type": "text", "text": "set it up please"}]}
    made = client.post("/v1/sessions", {"agent": "a", "environment_id": "e"}).json["id"]
    sent = client.post(f"/v1/sessions/{made}/events", {"events": [first, events[1]]})
    assert sent.status == 200
    path = f"{OURS}/corrections?session_ids[]={made}"
    found = client.get(path).json["data"]
    assert [one["text"] for one in found] == [told[1]]
    assert client.get(f"{OURS}/corrections").json["data"] == found
    assert client.get(f"{OURS}/stats").json["corrections"] == len(found)
    other = served.another("memory:read")
    assert other.get(path).status == 404
    assert other.get(f"{OURS}/corrections").json["data"] == []
    assert other.get(f"{OURS}/stats").json["corrections"] == 0
    # The person at this home learns nothing from guests.
    with pytest.raises(NotFound):
        served.memory.projects.find("elsewhere")


@pytest.mark.proves("F7")
def test_receipts_are_those_of_the_keys_own_sessions(served: Served) -> None:
    from reverie.engines.receipts import Receipt, Receipts

    made = served.client.post("/v1/sessions", {"agent": "a", "environment_id": "e"}).json["id"]
    kept = Receipts(served.memory.config.home, served.memory.clock)
    for session in (f"managed-agent:{made}", "claude-code:mine"):
        kept.add(Receipt(served.memory.now, "anthropic", "dream", session, 0.25, id=session))
    told = served.client.get(f"{OURS}/receipts").json
    assert [one["session"] for one in told["receipts"]] == [f"managed-agent:{made}"]
    assert (told["total_usd"], told["today_usd"]) == (0.25, 0.25)
    assert served.another(stores=[]).get(f"{OURS}/receipts").json["receipts"] == []


@pytest.mark.hostile("H10")
def test_health_and_metrics_are_for_keys(served: Served) -> None:
    told = served.client.get(f"{OURS}/health").json
    assert told["status"] == "ok"
    assert told["database"] == served.memory.database.dialect
    for path in ("health", "metrics"):
        assert Client(served.port).get(f"{OURS}/{path}").status == 401
    assert served.another("memory:read", all_stores=True).get(f"{OURS}/metrics").status == 403
    assert served.another("admin").get(f"{OURS}/metrics").status == 403
    answer = served.client.get(f"{OURS}/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines_ = answer.text.splitlines()
    assert (
        'reverie_http_requests_total{method="GET",route="/v1/reverie/health",status="200"} 1'
        in (lines_)
    )
    assert "reverie_stores 0" in lines_
    assert 'reverie_dreams{status="pending"} 0' in lines_
    assert served.text not in answer.text


def test_a_key_without_stores_is_told_nothing(served: Served, rule: str) -> None:
    client = served.another("memory:read")
    assert client.post(f"{OURS}/search", {"query": "linter"}).json["data"] == []
    assert client.post(f"{OURS}/recall", {"query": "linter"}).json["text"] == ""
