"""The page of `reverie serve`: who gets in with which key, what they see, and what they may do."""

import re
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from starlette.testclient import TestClient
from tests.serve.page.conftest import Hands

from reverie.asker import Asker
from reverie.hosting.home import ServerHome
from reverie.memory import Memory
from reverie.operations.recalling import ledger
from reverie.operations.serving import keys
from reverie.serve.http.app import create_app
from reverie.serve.page.login import VISIT_HOLDS
from reverie.store.model import Actor, Author

HOST = "memory.example.com"
ORIGIN = {"origin": f"https://{HOST}"}
BY = Author(Actor("agent", "codex:1"), "said so", "agent")


class Team(NamedTuple):
    """A server over the sample, and whoever makes its keys."""

    home: Memory
    clock: Hands
    client: TestClient

    def key(self, name: str, *, human: bool = True, stores: str = "", scopes: str = "") -> str:
        made = keys.create_key(
            self.home,
            name,
            scopes.split() or ["memory:read", "memory:write"],
            stores=stores.split(),
            all_stores=not stores,
            human=human,
        )
        return made.text

    def enter(self, key: str, status: int = 200) -> str:
        self.client.cookies.clear()
        answer = self.client.post("/login", data={"word": key}, headers=ORIGIN)
        assert answer.status_code == status, answer.text
        return answer.text

    def get(self, place: str, status: int = 200) -> str:
        answer = self.client.get(place)
        assert answer.status_code == status, f"{place}: {answer.text[:400]}"
        return answer.text


@pytest.fixture
def team(learned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    folder = tmp_path / "reverie"
    shutil.copytree(learned / ".reverie", folder)
    monkeypatch.setenv("REVERIE_SERVER_HOSTS", HOST)
    clock = Hands()
    home = Memory.open(folder, folder=tmp_path, asker=Asker("http"), clock=clock)
    with TestClient(create_app(home), base_url=f"https://{HOST}") as client:
        yield Team(home, clock, client)


def sections(text: str) -> list[str]:
    return re.findall(r'<a href="(/\w*)"[^>]*><svg', text)


def test_only_a_persons_key_opens_the_page(team: Team) -> None:
    assert "Key" in team.get("/login")
    assert team.client.get("/memories", follow_redirects=False).headers["location"] == "/login"
    assert "no key of this server" in team.enter("rvk_wrong", 403)
    assert "an agent’s" in team.enter(team.key("robot", human=False), 403)
    assert "may not read" in team.enter(team.key("dreamer", scopes="dream:run"), 403)
    assert "Today" in team.enter(team.key("laptop"))
    cookie = team.client.cookies.jar
    assert [one.secure for one in cookie] == [True]
    assert "laptop" in team.get("/")


def test_a_key_sees_its_stores_and_no_others(team: Team) -> None:
    team.enter(team.key("narrow", stores="shop-api"))
    text = team.get("/memories")
    assert "Prices are integer cents" in text
    assert "SQLite for the loader" not in text
    assert "Lint before committing" not in text
    assert sections(text) == ["/", "/memories", "/playground", "/stores"]
    for place in ("/review", "/sessions", "/insight", "/doctor"):
        team.get(place, 404)
    assert "feed-loader" not in team.get("/stores")
    (loader,) = (
        item
        for item in team.home.library.documents("feed-loader")
        if "SQLite" in item.document.description
    )
    team.get(f"/memories/feed-loader/{loader.memory.id}", 404)
    team.get("/memories?store=feed-loader", 404)
    shop = team.home.library.find("shop-api:prices-integer-cents")
    assert "“" not in re.sub(r"<blockquote>.*?</blockquote>", "", team.get(
        f"/memories/shop-api/{shop.memory.id}"), flags=re.DOTALL)  # fmt: skip


def test_a_key_for_all_stores_sees_what_waits_but_no_session_of_the_owner(team: Team) -> None:
    team.enter(team.key("wide"))
    text = team.get("/review")
    listed = ["/", "/review", "/memories", "/sessions", "/playground", "/insight", "/stores"]
    assert sections(text) == listed
    assert "trust of an agent" in text
    assert "No session was read yet" in team.get("/sessions")
    row = Memory.open(team.home.config.home).index.sessions()[0]
    team.get(f"/sessions/{row.key.replace(':', '%3A')}", 404)
    assert "Keys of the server" not in team.get("/stores")
    for place in ("/run", "/doctor"):
        assert team.client.get(place).status_code in (401, 404)


def test_a_key_tries_what_its_agents_would_be_told_and_is_told_nothing_else(team: Team) -> None:
    told = ledger(team.home).length()
    prompt = "prompt=is+SQLite+right+for+the+loader+and+are+prices+integer+cents"
    team.enter(team.key("narrow", stores="shop-api"))
    text = team.get(f"/playground?{prompt}&left=1")
    assert "integer cents" in text
    assert "SQLite for the loader" not in text
    assert "feed-loader" not in text
    assert "Try how your last sessions began" not in text
    # A store that the key does not see is none that it can name.
    assert "SQLite for the loader" not in team.get(f"/playground?{prompt}&project=feed-loader")
    team.enter(team.key("wide"))
    text = team.get(f"/playground?{prompt}&project=feed-loader&left=1")
    assert "SQLite for the loader" in text
    assert "integer cents" not in text.partition("Word for word")[2]
    assert ledger(team.home).length() == told


def test_whoever_comes_in_finds_the_kinds_of_memories_known_already(team: Team) -> None:
    hosted = ServerHome.beside(team.home)
    known = "SELECT count(DISTINCT store) FROM memory_facts"
    team.enter(team.key("laptop"))
    assert hosted.index_database.query(known) == [(len(team.home.store.stores()),)]
    hosted.index_database.close()


def test_the_health_of_the_server_is_for_those_who_administer_it(team: Team) -> None:
    team.enter(team.key("operator", scopes="memory:read admin"))
    text = team.get("/doctor")
    assert "every hash and link checked" in text
    # Logs and projects of whoever runs it are no part of the server.
    assert "sessions on disk" not in text
    assert "claude-code" not in text
    team.enter(team.key("some", stores="shop-api", scopes="memory:read admin"))
    team.get("/doctor", 404)


def test_what_is_written_with_a_key_is_the_keys_and_a_persons_words_stay(team: Team) -> None:
    team.home.store.create("shop-api", "/theirs.md", "---\nname: theirs\n---\nOnce.\n", BY)
    text = team.key("laptop")
    team.enter(text)
    item = team.home.library.find("shop-api:theirs")
    place = f"/memories/shop-api/{item.memory.id}"
    form = {"text": "---\nname: theirs\n---\nTwice.\n", "sha256": item.memory.content_sha256}
    team.client.post(f"{place}/edit", data=form, headers=ORIGIN)
    now = team.home.library.find("shop-api:theirs")
    assert "Twice." in now.memory.content
    assert now.memory.trust == "agent"
    last = team.home.store.versions(now.memory.store_id, now.memory.id).items[0]
    assert last.actor.kind == "key"
    mine = team.home.library.find("shop-api:prices-integer-cents")
    form = {"text": mine.memory.content + "\nNo.\n", "sha256": mine.memory.content_sha256}
    answer = team.client.post(
        f"/memories/shop-api/{mine.memory.id}/edit", data=form, headers=ORIGIN
    )
    assert 'role="alert"' in answer.text
    assert team.home.library.find("shop-api:prices-integer-cents").memory == mine.memory


def test_a_key_that_only_reads_writes_nothing(team: Team) -> None:
    team.enter(team.key("reader", scopes="memory:read"))
    item = team.home.library.find("shop-api:prices-integer-cents")
    chosen = f"shop-api/{item.memory.id}"
    form = {"deed": "archive", "memory": chosen}
    assert team.client.post("/memories/decide", data=form, headers=ORIGIN).status_code == 403
    assert not team.home.library.find("shop-api:prices-integer-cents").archived


def test_a_revoked_key_is_out_at_once_and_a_visit_ends(team: Team) -> None:
    text = team.key("laptop")
    team.enter(text)
    team.clock.pass_by(VISIT_HOLDS - timedelta(seconds=1))
    team.get("/memories")
    team.clock.pass_by(timedelta(seconds=2))
    assert team.client.get("/memories", follow_redirects=False).status_code == 303
    team.enter(text)
    keys.revoke_key(team.home, "laptop")
    assert team.client.get("/memories", follow_redirects=False).status_code == 303
    team.enter(text, 403)


def test_a_cookie_cannot_be_made_up(team: Team) -> None:
    team.enter(team.key("laptop"))
    (cookie,) = team.client.cookies.jar
    said, _, sign = (cookie.value or "").rpartition(".")
    forged = said.replace(said.split(".")[1], "99999999999")
    for value in (f"{forged}.{sign}", said, "", "a.b.c.d", f"{said}.{'0' * 64}"):
        team.client.cookies.clear()
        answer = team.client.get(
            "/memories", headers={"cookie": f"reverie={value}"}, follow_redirects=False
        )
        assert answer.status_code == 303
    team.client.cookies.clear()
    team.client.cookies.set("reverie", cookie.value or "")
    team.client.post("/logout", headers=ORIGIN)
    team.client.cookies.set("reverie", cookie.value or "")
    assert team.client.get("/memories", follow_redirects=False).status_code == 303


def test_other_names_and_other_origins_get_nothing_and_the_api_stays_the_api(team: Team) -> None:
    assert team.client.get("/login", headers={"host": "evil.example"}).status_code == 421
    text = team.key("laptop")
    for headers in ({"origin": "https://evil.example"}, {}):
        answer = team.client.post("/login", data={"word": text}, headers=headers)
        assert answer.status_code == 403
    assert team.client.get("/healthz").json() == {"status": "ok"}
    assert team.client.get("/v1/memory_stores").status_code == 401
    listed = team.client.get("/v1/memory_stores", headers={"x-api-key": text})
    assert listed.status_code == 200
    # A visit opens no route of the API.
    team.enter(text)
    assert team.client.get("/v1/memory_stores").status_code == 401
