"""Where words and keys may be sent, by which way, and what a message repeats of an answer."""

import socket
import threading
from collections.abc import Mapping

import pytest
from tests.engines.server import Reply, Server

from reverie.engines.http import Endpoint, checked, is_local
from reverie.errors import CallFailed, ConfigError


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com",
        "https://api.example.com/v1/",
        "http://127.0.0.1:11434/v1",
        "http://localhost:8080",
        "http://[::1]:8080",
    ],
)
def test_other_machines_by_https_and_this_one_by_any(url: str) -> None:
    assert checked(url, "engines.openai_base_url") == url.rstrip("/")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://models.example/v1", "another machine"),
        ("http://127.0.0.1.example/v1", "another machine"),
        ("http://localhost.example", "another machine"),
        ("https://user:word@models.example", "name or password"),
        ("file:///etc/passwd", "no address"),
        ("models.example", "no address"),
        ("https://models.example/?to=x", "no address"),
        ("https://models.example:99999", "no address"),
    ],
)
def test_what_is_no_place_for_a_key_is_a_wrong_setting(url: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why) as refused:
        checked(url, "engines.openai_base_url")
    assert "word" not in refused.value.message.replace("password", "")


def test_only_loopback_is_this_machine() -> None:
    assert is_local("http://127.8.9.1/")
    assert not is_local("http://10.0.0.1/")
    assert not is_local("https://0.0.0.0/")


def endpoint(url: str, environ: Mapping[str, str] | None = None) -> Endpoint:
    return Endpoint("the server", url, {"authorization": "Bearer abc-secret"}, environ or {})


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_a_server_that_is_not_there_is_an_error_that_names_it() -> None:
    port = closed_port()
    with pytest.raises(CallFailed, match=f"127.0.0.1:{port} cannot be reached") as failed:
        endpoint(f"http://127.0.0.1:{port}").post("/x", {}, 5)
    assert failed.value.whole and not failed.value.again
    assert failed.value.used == (0, 0, 0, 0)


def test_a_proxy_is_used_for_other_machines_and_not_for_this_one(server: Server) -> None:
    through: list[bytes] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def proxy() -> None:
        client, _ = listening.accept()
        with client:
            through.append(client.recv(4_096))
            client.sendall(b"HTTP/1.1 502 no\r\n\r\n")

    thread = threading.Thread(target=proxy, daemon=True)
    thread.start()
    env = {"HTTPS_PROXY": f"http://me:pw@127.0.0.1:{listening.getsockname()[1]}"}
    with pytest.raises(CallFailed, match="cannot be reached") as failed:
        endpoint("https://models.example/v1", env).post("/x", {}, 5)
    thread.join(10)
    listening.close()
    assert through[0].startswith(b"CONNECT models.example:443 ")
    assert b"Proxy-Authorization: Basic bWU6cHc=" in through[0]
    assert b"abc-secret" not in through[0]
    assert "pw" not in failed.value.message
    endpoint(server.url, env).post("/v1/messages", {"model": "m", "messages": [_SAID]}, 5)
    assert len(server.requests) == 1


_SAID = {"role": "user", "content": "a0 PERSON: Keep it small, please."}


@pytest.mark.parametrize("name", ["no_proxy", "NO_PROXY"])
@pytest.mark.parametrize("value", ["*", "models.invalid", ".invalid", "a.example, models.invalid"])
def test_what_needs_no_proxy_is_asked_directly(name: str, value: str) -> None:
    env = {"https_proxy": f"http://127.0.0.1:{closed_port()}", name: value}
    with pytest.raises(CallFailed, match="no such host"):
        endpoint("https://models.invalid/v1", env).post("/x", {}, 5)


def test_no_message_repeats_a_key_or_a_flood(server: Server) -> None:
    said = b"Incorrect key: Bearer abc-secret, sk-proj-abcdef123456. " + b"x" * 5_000
    server.plan = [Reply(status=401, body=said)]
    with pytest.raises(CallFailed) as failed:
        endpoint(server.url).post("/v1/messages", {}, 5)
    assert "abc-secret" not in failed.value.message
    assert "abcdef123456" not in failed.value.message
    assert len(failed.value.message) < 300
    assert "abc-secret" not in repr(endpoint(server.url))


def test_an_answer_without_end_is_cut_off(server: Server) -> None:
    server.plan = [Reply(body=b"[" * 4_100_000)]
    with pytest.raises(CallFailed, match="more than 4,000,000 bytes"):
        endpoint(server.url).post("/v1/messages", {}, 30)


def test_when_money_is_over_waiting_does_not_help(server: Server) -> None:
    server.plan = [Reply(status=429, body=b'{"error": {"type": "insufficient_quota"}}')]
    with pytest.raises(CallFailed) as failed:
        endpoint(server.url).post("/v1/messages", {}, 5)
    assert (failed.value.again, failed.value.whole) == (False, True)
