"""A dream for which a model is named: the settings say which engine that is."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.databases import PATIENT
from tests.dream.desks import GOLDEN, RULE, found, write_session
from tests.engines.server import Reply, Server, serving
from tests.hosting.test_dreams import dreamt, heads

from reverie.asker import Asker
from reverie.clock import fixed
from reverie.config import load
from reverie.hosting import dreams, reading
from reverie.hosting.guests import Guest
from reverie.hosting.home import ServerHome
from reverie.hosting.jobs import Job

ANSWER = json.dumps({"patterns": [found(RULE, "1.2", "2.2", "3.2")]})


@pytest.fixture
def engine() -> Iterator[Server]:
    with serving() as made:
        yield made


@pytest.fixture
def home(tmp_path: Path, engine: Server) -> Iterator[ServerHome]:
    config = load(
        {
            "HOME": str(tmp_path),
            "REVERIE_HOME": str(tmp_path / "home"),
            "REVERIE_STORE_BUSY_TIMEOUT_MS": str(PATIENT.busy_timeout_ms),
            "REVERIE_ENGINES_OPENAI_MODEL": "m",
            "REVERIE_ENGINES_OPENAI_BASE_URL": f"{engine.url}/v1",
            "REVERIE_SERVER_MODELS": '{"claude-opus-5" = "openai"}',
        }
    )
    now = fixed("2026-11-20T12:00:00Z")
    with ServerHome(config, folder=str(tmp_path), asker=Asker("http"), clock=now) as opened:
        yield opened


@pytest.fixture
def job(home: ServerHome, tmp_path: Path) -> Job:
    guest = Guest("", home.store)
    ids: list[str] = []
    for number, turns in enumerate(GOLDEN, 1):
        write_session(tmp_path / "logs", f"s{number}", tmp_path / "shop", number, turns)
        data = (tmp_path / "logs" / f"s{number}.jsonl").read_bytes()
        ids += [one.id for one in reading.imported(home, guest, io.BytesIO(data), "s.jsonl")]
    store = home.store.create_store("notes").id
    return dreams.ask(home, guest, store=store, session_ids=ids, model="claude-opus-5")


def test_the_engine_of_the_settings_dreams_and_its_tokens_are_told(
    home: ServerHome, engine: Server, job: Job
) -> None:
    engine.plan.append(Reply(text=ANSWER, tokens=(120, 30, 0, 0)))
    done = dreamt(home, job)
    assert (done.status, done.message) == ("completed", None)
    assert len(engine.requests) == 1
    assert done.usage[:2] == (120, 30)
    assert done.output is not None
    (path,) = heads(home, done.output)
    memory = home.store.get(done.output, path)
    assert RULE in memory.content
    assert memory.trust == "agent"


def test_an_engine_that_does_not_answer_fails_the_dream_with_what_it_cost(
    home: ServerHome, engine: Server, job: Job
) -> None:
    engine.plan.append(Reply(status=529, headers=(("retry-after", "3600"),)))
    done = dreamt(home, job)
    assert (done.status, done.error, done.output) == ("failed", "internal_error", None)
    assert (done.message or "").startswith("the model: ")


def test_a_model_that_is_mapped_no_longer_fails_the_dream(home: ServerHome, job: Job) -> None:
    bare = replace(home.settings.server, models={})
    home.config = replace(home.config, settings=replace(home.settings, server=bare))
    done = dreamt(home, job)
    assert (done.status, done.error) == ("failed", "internal_error")
