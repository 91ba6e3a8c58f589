"""A store of a real server, used from another home: cached, written back, without the network."""

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.patience import SECONDS
from tests.serve.http.served import Client

from reverie import OWNER
from reverie.errors import Ambiguous, ConfigError, Conflict, NotFound, Refused, RemoteAway
from reverie.memory import Memory
from reverie.operations.serving import distant, keys
from reverie.store.keys import SCOPES
from reverie.store.model import Actor, Author, Principal

STORES = "/v1/memory_stores"
ME = Author(Actor("user", "me"), "said", "user")
AGENT = Author(Actor("agent", "a"), "wrote", "agent")


class There(NamedTuple):
    """A `reverie serve` in a process of its own, and a store of it."""

    port: int
    home: Path
    key: str
    store: str
    process: "subprocess.Popen[bytes]"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def client(self) -> Client:
        return Client(self.port, self.key)

    @property
    def folder(self) -> str:
        return f"{STORES}/{self.store}/memories"

    def add(self, path: str, content: str) -> str:
        answer = self.client.post(self.folder, {"path": path, "content": content})
        assert answer.status == 200, answer.text
        return answer.json["id"]

    def change(self, path: str, content: str) -> None:
        (found,) = [one for one in self.listed() if one["path"] == path]
        answer = self.client.post(f"{self.folder}/{found['id']}", {"content": content})
        assert answer.status == 200, answer.text

    def listed(self) -> list[dict[str, Any]]:
        return self.client.get(f"{self.folder}?limit=20&view=full").json["data"]

    def texts(self) -> dict[str, str]:
        return {one["path"]: one["content"] for one in self.listed()}


def started(home: Path, port: int) -> "subprocess.Popen[bytes]":
    environ = dict(os.environ) | {"REVERIE_HOME": str(home)}
    command = [sys.executable, "-m", "reverie", "serve", "--port", str(port), "--dreamers", "0"]
    process = subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL)
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        try:
            if Client(port).get("/healthz").status == 200:
                return process
        except OSError:
            assert process.poll() is None
            time.sleep(0.05)
    raise AssertionError("the server did not start")


def stopped(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    process.wait(SECONDS)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[There]:
    home = tmp_path / "there"
    with Memory.open(home) as memory:
        made = keys.create_key(memory, "laptop", SCOPES)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = started(home, port)
    client = Client(port, made.text)
    store = client.post(STORES, {"name": "team"}).json["id"]
    yield There(port, home, made.text, store, process)
    if process.poll() is None:
        stopped(process)


@pytest.fixture
def here(tmp_path: Path, there: There) -> Iterator[Memory]:
    folder = tmp_path / "shop"
    folder.mkdir()
    environ = dict(os.environ) | {
        "REVERIE_HOME": str(tmp_path / "here"),
        "REVERIE_REMOTE_KEY": there.key,
        "REVERIE_SYNC_SERVER_SECONDS": "0",
    }
    with Memory.open(asker=OWNER, folder=folder, environ=environ) as memory:
        yield memory


def attached(here: Memory, there: There, **given: Any) -> distant.Attached:
    principal = Principal("project", here.here.slug)
    source = "variable REVERIE_REMOTE_KEY"
    return distant.attach(here, there.url, principal, key_source=source, **given)


def texts(here: Memory, store: str = "team") -> dict[str, str]:
    return {memory.path: memory.content for memory in here.store.walk(store)}


def synced(here: Memory) -> distant.Looked:
    (looked,) = distant.sync(here)
    assert looked.exchange is not None, looked.trouble
    return looked


def note(text: str) -> str:
    return f"---\nname: n\ndescription: {text}\ntype: project\n---\n{text}\n"


@pytest.mark.proves("C2")
def test_a_store_of_a_server_is_recalled_mounted_and_written_back(
    here: Memory, there: There, tmp_path: Path
) -> None:
    there.add("/deploys.md", note("Deploys to the harbour cluster need a second reviewer"))
    done = attached(here, there)
    assert (done.name, done.exchange.pulled) == ("team", ["/deploys.md"])
    assert "second reviewer" in here.recall("who reviews deploys?").text
    (memory,) = here.store.walk("team")
    assert memory.trust == "agent"
    from reverie.operations import stores

    folder = tmp_path / "mounted"
    stores.mount(here, "team", str(folder))
    assert "second reviewer" in (folder / "deploys.md").read_text()
    (folder / "lunch.md").write_text(note("Lunch is at noon"))
    here.sync()
    there.add("/tea.md", note("Tea is at four"))
    looked = synced(here).exchange
    assert looked is not None
    assert (looked.pulled, looked.pushed) == (["/tea.md"], ["/lunch.md"])
    here.sync()
    assert "Tea is at four" in (folder / "tea.md").read_text()
    assert set(there.texts()) == {"/deploys.md", "/lunch.md", "/tea.md"}
    assert not synced(here).exchange.changed  # type: ignore[union-attr]


@pytest.mark.proves("C3")
def test_changes_of_both_sides_are_merged_or_both_kept(here: Memory, there: There) -> None:
    for name in ("merged", "apart", "gone", "deleted", "moved"):
        there.add(f"/{name}.md", "one\ntwo\nthree\nfour\n")
    attached(here, there)
    store = here.store
    for name, text in (("merged", "1\ntwo\nthree\nfour\n"), ("apart", "here\ntwo\nthree\nfour\n")):
        store.update("team", store.get("team", f"/{name}.md").id, content=text, by=AGENT)
    store.delete("team", store.get("team", "/gone.md").id, by=AGENT)
    store.update("team", store.get("team", "/moved.md").id, path="/new/place.md", by=AGENT)
    there.change("/merged.md", "one\ntwo\nthree\n4\n")
    there.change("/apart.md", "there\ntwo\nthree\nfour\n")
    (deleted,) = [one for one in there.listed() if one["path"] == "/deleted.md"]
    there.client.delete(f"{there.folder}/{deleted['id']}")
    looked = synced(here)
    assert looked.exchange is not None
    (beside,) = looked.exchange.beside
    assert texts(here)[beside] == "here\ntwo\nthree\nfour\n"
    expected = {
        "/merged.md": "1\ntwo\nthree\n4\n",
        "/apart.md": "there\ntwo\nthree\nfour\n",
        "/new/place.md": "one\ntwo\nthree\nfour\n",
    }
    assert there.texts() == expected
    assert texts(here) == expected | {beside: "here\ntwo\nthree\nfour\n"}
    assert not synced(here).exchange.changed  # type: ignore[union-attr]
    assert here.store.verify() == []


def test_what_a_person_said_here_stays_and_goes_without_its_claims(
    here: Memory, there: There
) -> None:
    attached(here, there)
    said = here.remember("Never deploy the harbour cluster on a Friday", store="team")
    looked = synced(here).exchange
    assert looked is not None
    assert looked.pushed == [said.path]
    assert "trust: user" not in there.texts()[said.path]
    there.change(said.path, note("Deploy the harbour cluster on Fridays"))
    looked = synced(here).exchange
    assert looked is not None
    (beside,) = looked.beside
    kept = here.store.get("team", said.path)
    assert kept.trust == "user"
    assert "Never deploy" in kept.content
    assert here.store.get("team", beside).trust == "agent"
    assert not synced(here).exchange.changed  # type: ignore[union-attr]
    (found,) = there.listed()
    there.client.delete(f"{there.folder}/{found['id']}")
    synced(here)
    assert here.store.get("team", said.path).trust == "user"
    assert there.texts() == {}


def test_a_read_only_copy_writes_nothing_there(here: Memory, there: There) -> None:
    there.add("/a.md", "one\n")
    attached(here, there, read_only=True, name="theirs")
    store = here.store
    store.update("theirs", store.get("theirs", "/a.md").id, content="mine\n", by=AGENT)
    store.create("theirs", "/b.md", "own\n", AGENT)
    there.change("/a.md", "two\n")
    looked = synced(here).exchange
    assert looked is not None
    assert looked.pushed == []
    assert there.texts() == {"/a.md": "two\n"}
    assert texts(here, "theirs")["/a.md"] == "two\n"
    assert "mine\n" in texts(here, "theirs").values()
    agent = store.acting_as(Principal("project", here.here.slug))
    with pytest.raises(Exception, match="read-only"):
        agent.create("theirs", "/c.md", "x", AGENT)


@pytest.mark.hostile("DO7")
def test_without_the_server_the_copy_is_used_and_catches_up(
    here: Memory, there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    there.add("/deploys.md", note("Deploys to the harbour cluster need a second reviewer"))
    attached(here, there)
    stopped(there.process)
    here.store.create("team", "/offline.md", "written on a train\n", AGENT)
    assert "second reviewer" in here.recall("who reviews deploys?").text
    (looked,) = distant.sync(here)
    assert looked.exchange is None
    assert "cannot be reached" in looked.trouble
    again = started(there.home, there.port)
    try:
        assert synced(here).exchange.pushed == ["/offline.md"]  # type: ignore[union-attr]
        assert there.texts()["/offline.md"] == "written on a train\n"
        (link,) = distant.links(here)
        assert link.trouble == ""
    finally:
        stopped(again)


def test_a_kill_between_writing_there_and_noting_it_repeats_nothing(
    here: Memory, there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reverie.distant import exchange

    attached(here, there)
    here.remember("Never deploy the harbour cluster on a Friday", store="team")
    here.store.create("team", "/b.md", "b\n", AGENT)

    class Killed(BaseException):
        pass

    def kill(point: str) -> None:
        raise Killed

    for _ in range(3):
        with monkeypatch.context() as patched:
            patched.setattr(exchange, "reached", kill)
            with pytest.raises(Killed):
                distant.sync(here)
        for memory in list(here.store.walk("team")):
            if memory.path == "/b.md":
                here.store.update("team", memory.id, content=f"{memory.content}b\n", by=AGENT)
    assert not synced(here).exchange.beside  # type: ignore[union-attr]
    assert len(there.texts()) == 2
    assert there.texts()["/b.md"] == texts(here)["/b.md"]
    assert not synced(here).exchange.changed  # type: ignore[union-attr]


@pytest.mark.hostile("X2")
def test_the_key_is_in_no_byte_of_the_home(here: Memory, there: There, tmp_path: Path) -> None:
    there.add("/a.md", "one\n")
    attached(here, there)
    here.close()
    secret = there.key.encode()
    for file in (tmp_path / "here").rglob("*"):
        assert not file.is_file() or secret not in file.read_bytes(), file
    assert hashlib.sha256(secret).hexdigest()  # the server keeps no more than this


def test_a_file_that_others_can_read_is_no_place_for_a_key(
    here: Memory, there: There, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text(there.key + "\n")
    file.chmod(0o644)
    whom = Principal("project", here.here.slug)
    with pytest.raises(Refused, match="others can read"):
        distant.attach(here, there.url, whom, key_source=f"file {file}")
    file.chmod(0o600)
    assert distant.attach(here, f"{there.url}/team", whom, key_source=f"file {file}").name == "team"
    with pytest.raises(Conflict):
        distant.attach(here, f"{there.url}{STORES}/{there.store}", whom, key_source=f"file {file}")


def test_addresses_and_keys_that_cannot_be_are_refused(here: Memory, there: There) -> None:
    whom = Principal("project", here.here.slug)
    source = "variable REVERIE_REMOTE_KEY"
    for url, error in (
        ("http://memory.example/team", ConfigError),
        ("ftp://127.0.0.1/team", ConfigError),
        ("https://me:word@memory.example", ConfigError),
        (f"{there.url}/nobody", NotFound),
        ("http://127.0.0.1:1/team", RemoteAway),
    ):
        with pytest.raises(error):
            distant.attach(here, url, whom, key_source=source)
    with pytest.raises(RemoteAway):
        distant.attach(here, there.url, whom, key_source="variable NOT_SET")
    there.client.post(STORES, {"name": "second"})
    with pytest.raises(Ambiguous):
        distant.attach(here, there.url, whom, key_source=source)
    assert here.store.stores() == []
    assert distant.links(here) == []


def test_the_commands_attach_sync_and_detach(there: There, tmp_path: Path) -> None:
    there.add("/deploys.md", note("Deploys to the harbour cluster need a second reviewer"))
    (folder := tmp_path / "shop").mkdir(exist_ok=True)
    environ = dict(os.environ) | {
        "REVERIE_HOME": str(tmp_path / "commands"),
        "TEAM_KEY": there.key,
    }

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "reverie", *words],
            cwd=folder,
            env=environ,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    done = run("stores", "attach", there.url, "--key-variable", "TEAM_KEY")
    assert done.returncode == 0, done.stderr
    assert "1 memory came" in done.stderr
    assert "second reviewer" in run("recall", "who reviews deploys?").stdout
    there.add("/tea.md", note("Tea is at four"))
    (told,) = json.loads(run("sync", "--json").stdout)
    assert (told["store"], told["pulled"]) == ("team", ["/tea.md"])
    assert "the copy stays" in run("stores", "detach", "team", "server").stderr
    assert json.loads(run("stores", "list", "--json").stdout)[0]["memories"] == 2
