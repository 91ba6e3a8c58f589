"""The contract of memory stores, as plain HTTP."""

import pytest
from tests.serve.http.served import Client

STORES = "/v1/memory_stores"


def test_a_store_is_made_read_changed_archived_and_deleted(client: Client) -> None:
    made = client.post(STORES, {"name": "Demo", "metadata": {"team": "shop"}}).json
    assert made["id"].startswith("memstore_")
    assert made == {
        "type": "memory_store",
        "id": made["id"],
        "name": "Demo",
        "description": "",
        "metadata": {"team": "shop"},
        "created_at": made["created_at"],
        "updated_at": made["created_at"],
        "archived_at": None,
    }
    one = f"{STORES}/{made['id']}"
    assert client.get(one).json == made
    changes = {"name": None, "description": "d", "metadata": {"team": None, "x": "y"}}
    changed = client.post(one, changes).json
    assert changed["name"] == "Demo"
    assert changed["description"] == "d"
    assert changed["metadata"] == {"x": "y"}
    assert client.post(one, {"description": "", "metadata": None}).json["description"] == ""
    archived = client.send("POST", f"{one}/archive", headers={"content-type": "application/json"})
    assert archived.json["archived_at"]
    assert client.post(f"{one}/archive").json == archived.json
    refused = client.post(one, {"name": "other"})
    assert (refused.status, refused.error["type"]) == (400, "invalid_request_error")
    assert client.delete(one).json == {"type": "memory_store_deleted", "id": made["id"]}
    assert client.get(one).status == 404
    assert client.delete(one).error["type"] == "not_found_error"


def test_stores_are_listed_newest_first_page_by_page(client: Client) -> None:
    ids = [client.post(STORES, {"name": f"s{n}"}).json["id"] for n in range(5)]
    client.post(f"{STORES}/{ids[0]}/archive")
    seen: list[str] = []
    page = ""
    while True:
        answer = client.get(f"{STORES}?limit=2&beta=true&order=asc{page}").json
        seen += [one["id"] for one in answer["data"]]
        if answer["next_page"] is None:
            break
        page = f"&page={answer['next_page']}"
    assert seen == ids[:0:-1]
    everything = client.get(f"{STORES}?include_archived=true").json["data"]
    assert [one["id"] for one in everything] == ids[::-1]
    moments = {one["id"]: one["created_at"].replace(":", "%3A") for one in everything}
    low, high = moments[ids[1]], moments[ids[3]]
    bounds = f"created_at%5Bgte%5D={low}&created_at%5Blte%5D={high}"
    within = client.get(f"{STORES}?{bounds}").json["data"]
    assert {ids[1], ids[2], ids[3]} <= {one["id"] for one in within}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": None},
        {"name": "x" * 256},
        {"name": "a\nb"},
        {"name": "x", "description": "d" * 1_025},
        {"name": "x", "metadata": {str(n): "" for n in range(17)}},
        {"name": "x", "metadata": {"k" * 65: ""}},
        {"name": "x", "metadata": {"k": "v" * 513}},
        {"name": "x", "metadata": {"k": 1}},
        {"name": "x", "description": "a\0b"},
        [],
        b"{",
        b"",
        b"\xff",
    ],
)
def test_what_makes_no_store_is_refused(client: Client, body: object) -> None:
    headers = {"content-type": "application/json"}
    answer = client.send("POST", STORES, body, headers)
    assert (answer.status, answer.error["type"]) == (400, "invalid_request_error")
    assert client.get(STORES).json["data"] == []


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "page=zz", "limit="])
def test_a_wrong_question_is_refused(client: Client, query: str) -> None:
    assert client.get(f"{STORES}?{query}").error["type"] == "invalid_request_error"


def test_a_store_is_found_by_its_id_alone(client: Client, store_id: str) -> None:
    assert client.get(f"{STORES}/{store_id}").status == 200
    assert client.get(f"{STORES}/notes").status == 404
