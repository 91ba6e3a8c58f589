"""The page over an empty home and over the sample, asked by a program or by a real browser."""

import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
import uvicorn
from starlette.testclient import TestClient

from reverie.asker import Asker
from reverie.clock import parse_iso
from reverie.memory import Memory
from reverie.sample import NOW, place
from reverie.serve.page.app import application
from reverie.serve.page.login import Visitors

HOST = "127.0.0.1:8000"
ORIGIN = {"origin": f"http://{HOST}"}


class Hands:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = parse_iso(NOW)

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, time: timedelta) -> None:
        self.now += time


class Page(NamedTuple):
    """A page, the home behind it, its door and its clock."""

    home: Memory
    visitors: Visitors
    clock: Hands
    client: TestClient  # of somebody who is in, unless a test lets them out

    def get(self, place: str, status: int = 200) -> str:
        answer = self.client.get(place)
        assert answer.status_code == status, f"{place}: {answer.status_code} {answer.text[:500]}"
        return answer.text

    def post(self, place: str, status: int = 200, **form: str | list[str]) -> str:
        answer = self.client.post(place, data=form, headers=ORIGIN)
        assert answer.status_code == status, f"{place}: {answer.status_code} {answer.text[:500]}"
        return answer.text


@contextmanager
def shown(folder: Path, works_in: Path) -> Generator[Page]:
    clock = Hands()
    asker = Asker("page", trust="user")
    with Memory.open(folder, folder=works_in, asker=asker, clock=clock) as home:
        visitors = Visitors(clock)
        app = application(home, visitors, [HOST])
        with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=True) as client:
            page = Page(home, visitors, clock, client)
            page.post("/login", word=visitors.invite())
            yield page


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a person whose sample was read and dreamt about; not to be changed."""
    folder = tmp_path_factory.mktemp("person")
    code = place(folder)
    settings = folder / ".reverie" / "config.toml"
    settings.parent.mkdir(mode=0o700)
    settings.write_text('[trust]\nscripts = "user"\n', encoding="utf-8")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "REVERIE_NOW": NOW,
        "REVERIE_RECALL_VERIFY_MS": "600000",
    }
    for command in (["learn"], ["dream"], ["recall", "how do I store money?"]):
        subprocess.run(
            [sys.executable, "-m", "reverie", *command],
            env=environment,
            cwd=code / "shop-api",
            check=True,
            capture_output=True,
        )
    return folder


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Page]:
    """The page before anything was read."""
    with shown(tmp_path / "nothing", tmp_path) as page:
        yield page


@pytest.fixture
def page(learned: Path, tmp_path: Path) -> Iterator[Page]:
    """The page over the sample, which a test may change."""
    folder = tmp_path / "reverie"
    shutil.copytree(learned / ".reverie", folder)
    with shown(folder, learned / "code" / "shop-api") as made:
        yield made


@contextmanager
def on_a_port(page: Page) -> Generator[Callable[[], str]]:
    """A page on a real port; each call gives a link that lets one browser in."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        name = f"127.0.0.1:{listener.getsockname()[1]}"
        app = application(page.home, page.visitors, [name])
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield lambda: f"http://{name}/login?word={page.visitors.invite()}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def served(page: Page) -> Iterator[Callable[[], str]]:
    """The same page on a real port."""
    with on_a_port(page) as link:
        yield link
