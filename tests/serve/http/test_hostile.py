"""What a hostile reviewer sends to the server (the cases H of tests/requirements.toml)."""

import gzip
import json
import logging
import resource
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.commands import Command
from tests.serve.http.served import Answer, Client, Served, serving

from reverie.memory import Memory
from reverie.operations.serving import keys
from reverie.serve.http.app import ROUTES
from reverie.store.keys import SCOPES, well_formed

STORES = "/v1/memory_stores"
JSON = {"content-type": "application/json"}


def memory_in(client: Client, store_id: str, path: str = "/a.md", content: str = "one") -> Answer:
    return client.post(f"{STORES}/{store_id}/memories", {"path": path, "content": content})


class Watch:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.mark.hostile("H1")
def test_whoever_has_no_key_that_counts_gets_one_answer(database_url: str) -> None:
    watch = Watch()
    with Memory.open(database_url, clock=watch) as memory, serving(memory) as served:
        revoked = keys.create_key(memory, "r", SCOPES, all_stores=True)
        expired = keys.create_key(memory, "e", SCOPES, all_stores=True, expires="2026-03-02")
        sent = [served.text, revoked.text, expired.text]
        assert [Client(served.port, text).get(STORES).status for text in sent] == [200] * 3
        keys.revoke_key(memory, revoked.key.id)
        watch.now += timedelta(days=1)
        unknown = served.text[:-8] + ("a" if served.text[-8] != "a" else "b") + served.text[-7:]
        other = keys.create_key(memory, "o", SCOPES).text
        memory.database.query("DELETE FROM api_keys WHERE name = 'o'")
        wrong = [
            "",
            "x",
            "sk-ant-x",
            unknown,
            other,
            revoked.text,
            expired.text,
            served.text + " x",
        ]
        answers = [Client(served.port, text).get(STORES) for text in wrong]
        assert {answer.status for answer in answers} == {401}
        assert {json.dumps(answer.error) for answer in answers} == {json.dumps(answers[0].error)}
        assert answers[0].error["type"] == "authentication_error"
        dates = [{k for k in answer.headers if k != "date"} for answer in answers]
        assert all(names == dates[0] for names in dates)
        assert served.client.get(STORES).status == 200


@pytest.mark.hostile("H1")
def test_a_key_of_another_store_sees_none_and_a_small_scope_changes_none(served: Served) -> None:
    client = served.client
    store_id = client.post(STORES, {"name": "notes"}).json["id"]
    memory = memory_in(client, store_id).json
    one = f"{STORES}/{store_id}"
    mine = f"{one}/memories/{memory['id']}"
    version = f"{one}/memory_versions/{memory['memory_version_id']}"
    stranger = served.another()
    assert stranger.get(STORES).json["data"] == []
    unknown = stranger.get(f"{STORES}/memstore_unknown").error
    for path in (one, f"{one}/memories", mine, f"{one}/memory_versions", version):
        answer = stranger.get(path)
        assert (answer.status, answer.error["type"]) == (404, unknown["type"])
    for path in (one, f"{one}/archive", mine, f"{version}/redact"):
        assert stranger.post(path, {"name": "x", "content": "x"}).status == 404
    assert stranger.delete(one).status == 404
    assert stranger.delete(mine).status == 404
    reader = served.another("memory:read", stores=["notes"])
    assert reader.get(mine).json["content"] == "one"
    writes = [reader.post(STORES, {"name": "x"}), reader.post(mine, {"content": "x"})]
    writes += [reader.delete(mine), reader.delete(one), reader.post(f"{one}/archive")]
    attached = served.another(stores=["notes:ro"])
    writes += [attached.post(mine, {"content": "x"}), attached.delete(one)]
    for answer in writes:
        assert (answer.status, answer.error["type"]) == (403, "permission_error")
    assert client.get(mine).json["memory_version_id"] == memory["memory_version_id"]


@pytest.mark.hostile("H2")
@pytest.mark.parametrize(
    "host",
    [
        "evil.com",
        "evil.com:{port}",
        "localhost.evil.com",
        "127.0.0.1.evil.com",
        "localhost.",
        "127.1",
        "[::ffff:127.0.0.1]",
        "[::1",
        "127.0.0.1@evil.com",
        "127.0.0.1:{port}:1",
        "0.0.0.0",
        "",
    ],
)
def test_another_name_for_the_server_is_no_way_in(hasty: Served, host: str) -> None:
    name = host.format(port=hasty.port)
    request = (
        f"GET {STORES} HTTP/1.1\r\nHost: {name}\r\nAuthorization: Bearer {hasty.text}\r\n"
        "Connection: close\r\n\r\n"
    )
    answer = hasty.raw(request.encode())
    assert answer.split()[1] in (b"421", b"400"), answer
    assert b'"data"' not in answer


@pytest.mark.hostile("H2")
@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost", "LOCALHOST:1", "[::1]:{port}"])
def test_loopback_has_its_names(hasty: Served, host: str) -> None:
    headers = {"host": host.format(port=hasty.port)}
    assert hasty.client.send("GET", STORES, headers=headers).status == 200


@pytest.mark.hostile("H2")
def test_a_request_without_a_name_is_refused(hasty: Served) -> None:
    for version in ("1.0", "1.1"):
        request = f"GET {STORES} HTTP/{version}\r\nAuthorization: Bearer {hasty.text}\r\n\r\n"
        answer = hasty.raw(request.encode())
        assert answer.split()[1] in (b"421", b"400"), answer
    twice = (
        f"GET {STORES} HTTP/1.1\r\nHost: localhost\r\nHost: evil.com\r\n"
        f"Authorization: Bearer {hasty.text}\r\nConnection: close\r\n\r\n"
    )
    assert hasty.raw(twice.encode()).split()[1] in (b"421", b"400")


@pytest.mark.hostile("H2")
@pytest.mark.parametrize(
    "origin", ["http://evil.com", "null", "https://localhost.evil.com", "file://", "localhost", ""]
)
def test_a_web_page_of_somebody_else_gets_no_answer(hasty: Served, origin: str) -> None:
    answer = hasty.client.send("GET", STORES, headers={"origin": origin})
    assert (answer.status, answer.error["type"]) == (403, "permission_error")
    made = hasty.client.send("POST", STORES, {"name": "x"}, {"origin": origin})
    assert made.status == 403
    assert hasty.memory.store.stores() == []


@pytest.mark.hostile("H3")
def test_only_json_by_the_right_method_changes_anything(hasty: Served) -> None:
    client = hasty.client
    store_id = client.post(STORES, {"name": "notes"}).json["id"]
    memory = memory_in(client, store_id).json
    one = f"{STORES}/{store_id}/memories/{memory['id']}"
    before = hasty.memory.store.versions(store_id).items
    body = b'{"path": "/x", "content": "x", "name": "x"}'
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json-patch+json",
    ):
        for path in (STORES, f"{STORES}/{store_id}", f"{STORES}/{store_id}/memories", one):
            answer = client.send("POST", path, body, {"content-type": kind})
            assert (answer.status, answer.error["type"]) == (415, "invalid_request_error")
    for method in ("PUT", "PATCH", "HEAD"):
        answer = client.send(method, f"{STORES}/{store_id}/archive", body, JSON)
        assert answer.status == 405
    for query in ("_method=DELETE", "x-http-method-override=DELETE"):
        client.get(f"{one}?{query}")
    for header in ("x-http-method-override", "x-method-override", "x-http-method"):
        client.send("GET", one, headers={header: "DELETE"})
    client.send("HEAD", one)
    client.get(f"{STORES}/{store_id}/archive")
    assert hasty.memory.store.versions(store_id).items == before
    assert [info.name for info in hasty.memory.store.stores()] == ["notes"]


@pytest.mark.hostile("H4")
@pytest.mark.parametrize("origin", ["http://evil.com", "http://localhost", "null"])
def test_no_origin_is_ever_allowed(hasty: Served, origin: str) -> None:
    asked = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
    }
    for answer in (
        hasty.client.send("OPTIONS", STORES, headers=asked),
        hasty.client.send("GET", STORES, headers={"origin": origin}),
        hasty.client.send("OPTIONS", "/healthz", headers=asked),
    ):
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert hasty.client.send("OPTIONS", STORES, headers=asked).status in (403, 405)


@pytest.mark.hostile("H6")
def test_a_body_that_is_too_large_is_refused_unread(hasty: Served) -> None:
    most = hasty.memory.settings.server.max_body_bytes
    head = (
        f"POST {STORES} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {hasty.text}\r\n"
        "Content-Type: application/json\r\n"
    )
    answer = hasty.raw(f"{head}Content-Length: {most + 1}\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"invalid_request_error" in answer
    exact = json.dumps({"name": "x"}).encode().ljust(most)
    assert hasty.client.send("POST", STORES, exact, JSON).status == 200
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with socket.create_connection(("127.0.0.1", hasty.port)) as connection:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        try:
            for _ in range(1 + 2 * most // 0x10000):
                connection.sendall(chunk)
        except OSError:
            pass  # it hung up
        answer = _until_end(connection)
    assert answer.startswith(b"HTTP/1.1 413") or not answer
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def _until_end(connection: socket.socket) -> bytes:
    parts: list[bytes] = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except OSError:
        pass
    return b"".join(parts)


@pytest.mark.hostile("H6")
@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET ",
        b"GET /v1/memory_stores HTTP/1.1\r\nHost: localhost\r\nX-A",
    ],
)
def test_who_does_not_send_their_headers_is_hung_up_on(hasty: Served, sent: bytes) -> None:
    answer = hasty.raw(sent)
    assert b"408" in answer
    assert b"timeout_error" in answer


@pytest.mark.hostile("H6")
def test_who_does_not_send_their_next_headers_is_hung_up_on(hasty: Served) -> None:
    with socket.create_connection(("127.0.0.1", hasty.port), timeout=60) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = b""
        while b'"ok"' not in answer:  # head and body may come apart
            answer += connection.recv(65_536)
        connection.sendall(b"GET /healthz HT")
        assert b"408" in _until_end(connection)


@pytest.mark.hostile("H6")
def test_who_does_not_send_their_body_is_hung_up_on(hasty: Served) -> None:
    head = (
        f"POST {STORES} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {hasty.text}\r\n"
        "Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{"
    )
    answer = hasty.raw(head.encode())
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"timeout_error" in answer


@pytest.mark.hostile("H6")
def test_too_many_headers_are_refused(hasty: Served) -> None:
    many = "".join(f"X-{n}: y\r\n" for n in range(10_000))
    answer = hasty.raw(f"GET {STORES} HTTP/1.1\r\nHost: localhost\r\n{many}\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 431")
    assert b"invalid_request_error" in answer
    endless = hasty.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Y: " + b"y" * 100_000)
    assert endless.startswith(b"HTTP/1.1 400")


@pytest.mark.hostile("H6")
def test_nothing_is_unpacked(hasty: Served) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    for encoding in ("gzip", "deflate", "br", "identity, gzip"):
        headers = JSON | {"content-encoding": encoding}
        assert hasty.client.send("POST", STORES, bomb, headers).status == 415


@pytest.mark.hostile("H6")
def test_deep_json_is_refused(hasty: Served) -> None:
    for deep in (b"[" * 200_000, b'{"name": "x", "more": ' + b"[" * 200_000, b'{"a":' * 200_000):
        answer = hasty.client.send("POST", STORES, deep, JSON)
        assert (answer.status, answer.error["type"]) == (400, "invalid_request_error")


@pytest.mark.hostile("H7")
def test_a_cursor_is_good_for_its_own_question_alone(client: Client) -> None:
    first, second = (client.post(STORES, {"name": name}).json["id"] for name in "ab")
    for n in range(3):
        for store_id in (first, second):
            memory_in(client, store_id, f"/m{n}")
    for folder in ("memories", "memory_versions"):
        page = client.get(f"{STORES}/{first}/{folder}?limit=1").json["next_page"]
        wrong = [
            f"{STORES}/{second}/{folder}?page={page}",
            f"{STORES}/{first}/{folder}?page={page[:-2]}",
            f"{STORES}/{first}/{folder}?page={page.swapcase()}",
            f"{STORES}/{first}/{folder}?page=page_{'A' * 5_000}",
            f"{STORES}/{first}/{folder}?page=%00",
            f"{STORES}/{first}/{folder}?page=page_WyIvIiwgMF0",
            f"{STORES}?page={page}",
        ]
        for path in wrong:
            assert client.get(path).error["type"] == "invalid_request_error", path
        for limit in ("-1", "0", "101", "1000000000", "9" * 400, "1.5", "true", "%00"):
            path = f"{STORES}/{first}/{folder}?limit={limit}"
            assert client.get(path).error["type"] == "invalid_request_error", limit


XSS = "<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1))"


@pytest.mark.hostile("H8")
def test_markup_in_any_field_is_text_that_no_browser_runs(hasty: Served) -> None:
    client = hasty.client
    given = {"name": XSS, "description": XSS, "metadata": {XSS[:60]: XSS}}
    store = client.post(STORES, given).json
    memory = memory_in(client, store["id"], "/" + XSS.replace("/", "_"), XSS).json
    answers = [
        client.get(f"{STORES}/{store['id']}"),
        client.get(f"{STORES}/{store['id']}/memories?view=full"),
        client.get(f"{STORES}/{store['id']}/memory_versions?view=full"),
        client.get(f"{STORES}/{XSS.replace('/', '%2F').replace(' ', '%20')}"),
        client.get(f"{STORES}?limit=%3Cscript%3E"),
        memory_in(client, store["id"], memory["path"]),
    ]
    for answer in answers:
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        json.loads(answer.text)
    assert answers[0].json["description"] == XSS


@pytest.mark.hostile("H9")
def test_no_route_tells_a_key_or_takes_a_place(hasty: Served) -> None:
    client = hasty.client
    store_id = client.post(STORES, {"name": "notes"}).json["id"]
    memory_in(client, store_id)
    paths = ["/openapi.json", STORES, f"{STORES}/{store_id}/memory_versions?view=full"]
    for path in paths:
        assert hasty.text.rpartition("_")[2][:20] not in client.get(path).text
    for path in ("/config", "/v1/config", "/v1/settings", "/v1/keys", "/v1/organizations/api_keys"):
        for method in ("GET", "POST"):
            assert client.send(method, path, b"{}", JSON).status == 404
    fields = {
        field
        for route in ROUTES
        for kind in (route.query, route.body)
        if isinstance(kind, type)
        for field in getattr(kind, "__struct_fields__", ())
    }
    # What an upload was called tells its form; every sign of a path is taken out of it.
    fields -= {"filename"}
    assert not [name for name in fields if "url" in name or "host" in name or "file" in name]


@pytest.mark.hostile("H10")
def test_a_stranger_learns_nothing(hasty: Served) -> None:
    stranger = Client(hasty.port)
    health = stranger.get("/healthz")
    assert (health.status, health.text) == (200, '{"status":"ok"}')
    paths = ("/", "/openapi.json", "/docs", "/v1/reverie/health", "/health", STORES, "/v1/../etc")
    for answer in (health, *map(stranger.get, paths)):
        home = str(hasty.memory.config.home)
        text = answer.text + json.dumps(answer.headers)
        for word in ("Traceback", "File ", "uvicorn", "starlette", "python", "sqlite", home):
            assert word.lower() not in text.lower(), (word, text)
        assert "server" not in answer.headers


@pytest.mark.hostile("H10")
def test_a_fault_is_told_without_its_words(
    hasty: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("/secret/path of somebody")

    monkeypatch.setattr("reverie.store.catalog.page_of", fail)
    monkeypatch.setattr("reverie.store.access.visible_page", fail)
    answer = hasty.client.get(STORES)
    assert (answer.status, answer.error["type"]) == (500, "api_error")
    assert "secret" not in answer.text
    assert answer.headers["request-id"] in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.hostile("H11")
def test_nothing_that_was_sent_is_in_the_log(
    hasty: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "reverie.http")
    evil = "x\r\nfaked line \x1b[31mred"
    quoted = "x%0D%0Afaked%20line%1B%5B31mred"
    client = hasty.client
    store_id = client.post(STORES, {"name": "notes"}).json["id"]
    memory_in(client, store_id, "/a.md", evil)
    for path in (f"/{quoted}", f"{STORES}/{quoted}", f"{STORES}?page={quoted}"):
        client.get(path)
    client.send("GET", STORES, headers={"x-api-key": "rvk_\x1b[31m", "user-agent": "\x1b[31m"})
    hasty.raw(b"EVIL\x1b[31m / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    lines = [record.getMessage() for record in caplog.records if record.name == "reverie.http"]
    assert len(lines) >= 6
    assert all(line.isprintable() and "faked" not in line for line in lines)
    assert not any(hasty.text in line for line in lines)


@pytest.mark.hostile("H12")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_nobody_listens_elsewhere_without_a_key(command: Command, host: str) -> None:
    ran = command("serve", "--host", host)
    assert ran.code == 5
    assert "key" in ran.err
    made = command("keys", "create", "--name", "gone", "--json")
    assert well_formed(json.loads(made.out)["key"])
    assert command("keys", "revoke", "gone").code == 0
    assert command("serve", "--host", host).code == 5


def test_the_home_of_a_test_is_its_own(tmp_path: Path, hasty: Served) -> None:
    assert str(hasty.memory.config.home).startswith(str(tmp_path))
