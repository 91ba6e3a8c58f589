"""Shared by the tests of proposals: the real client, where it is installed."""

import os
import pwd
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from examples.claude_offline import Api, Client, find_client


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """The client with a model that runs every command it is told to: "Run `make one`."."""
    with monkeypatch.context() as real:
        real.setenv("HOME", pwd.getpwuid(os.getuid()).pw_dir)
        program = find_client()
    if program is None:
        pytest.skip("no client is installed")

    def runs(said: str) -> list[Any]:
        return [("Bash", {"command": command}) for command in re.findall(r"Run `([^`…]+)`\.", said)]

    api = Api((r"Run `", runs))
    yield Client(program, tmp_path, api)
    api.shutdown()
    api.server_close()
