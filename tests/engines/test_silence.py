"""Nobody is asked who was not chosen: no connection is tried, and no engine is even loaded."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.connect.logs import LOGS

PROGRAM = """
import sys
tried = []
def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        tried.append((event, str(args[1:])))
sys.addaudithook(watch)
from reverie.cli.root import run
code = run(sys.argv[1:])
engines = ("reverie.engines", "http.client", "ssl")
loaded = [name for name in sys.modules if name.startswith(engines)]
print(repr((code, tried, sorted(loaded))), file=sys.stderr)
"""


@pytest.mark.proves("E6")
@pytest.mark.hostile("DO7")
@pytest.mark.parametrize(
    "arguments",
    [["learn", "--logs"], ["dream"], ["recall", "small commits"], ["digest"], ["mcp"], ["engines"]],
    ids=lambda arguments: arguments[0],
)
def test_without_being_asked_for_no_engine_is_loaded_and_no_connection_tried(
    arguments: list[str], project: Path, learned: Path
) -> None:
    keys = {"ANTHROPIC_API_KEY": "sk-test", "OPENAI_API_KEY": "sk-test"}
    where = [str(learned / LOGS)] if arguments[0] == "learn" else []
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, *arguments, *where],
        env={**os.environ, **keys},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    code, tried, loaded = ast.literal_eval(done.stderr.splitlines()[-1])
    assert (code, tried) == (0, [])
    assert arguments[0] == "engines" or loaded == []
