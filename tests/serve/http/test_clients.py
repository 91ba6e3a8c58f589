"""The official clients, old and new, against a running server on each database."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.serve.http.sdks import node, python_of
from tests.serve.http.served import Served

from reverie.hosting.worker import workers

CLIENTS = Path(__file__).parent / "clients"


def told_by(*command: str, least: int = 15) -> dict[str, str]:
    """What went wrong, by check; nothing but what fits is left out."""
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=900, check=False, env=dict(os.environ)
    )
    assert ran.returncode == 0, ran.stderr
    told: dict[str, str] = json.loads(ran.stdout)
    assert len(told) > least
    return {name: why for name, why in told.items() if why}


@pytest.mark.proves("C7")
@pytest.mark.hostile("U5")
@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize(
    "version",
    [
        pytest.param(version, marks=pytest.mark.needs(f"anthropic-{version}"))
        for version in ("2.8.0", "1.17.0", "0.100.0")
    ],
)
def test_the_python_client_finds_the_contract_kept(served: Served, version: str, kind: str) -> None:
    script = str(CLIENTS / "checks.py")
    assert told_by(python_of(version), script, served.url, served.text, kind) == {}


@pytest.mark.proves("C5", "C7")
@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize(
    "version",
    [
        pytest.param(version, marks=pytest.mark.needs(f"anthropic-{version}"))
        for version in ("2.8.0", "1.17.0")
    ],
)
def test_the_python_client_has_dreams_dreamt(served: Served, version: str, kind: str) -> None:
    script = str(CLIENTS / "dream_checks.py")
    command = (python_of(version), script, served.url, served.text, kind)
    with workers(served.memory.config, 1):
        assert told_by(*command, least=10) == {}


@pytest.mark.proves("C7")
@pytest.mark.needs("anthropic-js")
def test_the_javascript_client_finds_the_contract_kept(served: Served) -> None:
    assert told_by(*node(CLIENTS / "checks.mjs"), served.url, served.text) == {}


@pytest.mark.proves("C3", "C7")
@pytest.mark.needs("anthropic-2.8.0")
def test_two_sync_workers_lose_no_write_and_come_to_rest(served: Served, tmp_path: Path) -> None:
    for name in ("a", "b", "reader"):
        (tmp_path / "workers" / name).mkdir(parents=True)
    script, folder = str(CLIENTS / "sync_worker.py"), str(tmp_path / "workers")
    command = [python_of("2.8.0"), script, served.url, served.text, folder, "200"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    held: dict[str, str] = told["held"]
    assert held.pop("shared.md").startswith("shared 2 by ")
    assert held == told["wrote"]
    assert len(held) == 197
    assert all(mount == {**held, "shared.md": mount["shared.md"]} for mount in told["mounts"])
    assert told["steady_writes"] == 0
    assert told["reader_writes"] == 0
    assert served.memory.store.verify(told["store"]) == []


@pytest.mark.proves("C5", "C7")
@pytest.mark.needs("anthropic-js")
def test_the_javascript_client_has_dreams_dreamt(served: Served) -> None:
    command = (*node(CLIENTS / "dream_checks.mjs"), served.url, served.text)
    with workers(served.memory.config, 1):
        assert told_by(*command, least=2) == {}
