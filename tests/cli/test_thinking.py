"""After a session an engine thinks about it, if the user chose one; the rules learn it anyway."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.connect.logs import LOGS, write_log
from tests.dream.desks import GOLDEN, found, write_session
from tests.dream.desks import RULE as LEFT
from tests.engines.server import Reply, Server, serving

from reverie.connect import spool
from reverie.connect.stretches import OVER, troubles
from reverie.handover import project_key
from reverie.sessions.logs.vouching import roots_in, write_roots

RULE = "From now on always run make lint before you commit anything."
# No time is lost with waiting.
GIVES_UP = Reply(status=529, headers=(("retry-after", "3600"),))


@pytest.fixture
def project(tmp_path: Path, isolated_home: Path) -> Path:
    """A repository in which a session ended just now."""
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    turns = (("user", "Please fix the check."), ("assistant", "Fixed."), ("user", RULE))
    log = write_log(isolated_home / LOGS, "one", root, *turns)
    staged = {"session": "one", "transcript": str(log), "event": OVER}
    spool.stage(str(isolated_home / ".reverie"), project_key(str(root)), staged)
    # As `connect` does: hooks believe what lies in places that a person named.
    write_roots(isolated_home / ".reverie", roots_in({"HOME": str(isolated_home)}))
    return root


def worked(project: Path, server: Server, engine: str) -> str:
    """What is remembered when the worker is done."""
    env = {
        **os.environ,
        "ANTHROPIC_BASE_URL": server.url,
        "REVERIE_INSIDE": "1",
        "REVERIE_ENGINES_DEFAULT": engine,
    }
    key = project_key(str(project))
    subprocess.run([sys.executable, "-P", "-m", "reverie.connect.worker", key], env=env, check=True)
    listed = [sys.executable, "-P", "-m", "reverie", "memories", "--json"]
    found = subprocess.run(listed, cwd=project, env=env, check=True, capture_output=True, text=True)
    return found.stdout


@pytest.mark.proves("D7")
@pytest.mark.parametrize(("engine", "asked"), [("rules", 0), ("anthropic", 1)])
def test_after_a_session_an_engine_thinks_only_if_the_user_chose_it(
    engine: str, asked: int, project: Path, isolated_home: Path
) -> None:
    with serving() as server:
        kept = worked(project, server, engine)
        assert len(server.requests) == asked
    assert "make lint" in kept
    assert troubles(isolated_home / ".reverie") == []


@pytest.mark.proves("D10")
def test_an_engine_that_fails_loses_nothing_the_rules_learned(
    project: Path, isolated_home: Path
) -> None:
    with serving() as server:
        server.plan = [GIVES_UP]
        assert "make lint" in worked(project, server, "anthropic")
    assert any("529" in trouble for trouble in troubles(isolated_home / ".reverie"))


def dreamt(folder: Path, server: Server, *more: str) -> subprocess.CompletedProcess[str]:
    """A dry dream over logs in a home that knows nothing, with a model as the default."""
    env = {
        **os.environ,
        "REVERIE_ENGINES_DEFAULT": "openai",
        "REVERIE_ENGINES_OPENAI_BASE_URL": f"{server.url}/v1",
        "REVERIE_ENGINES_OPENAI_MODEL": "m",
    }
    for number, turns in enumerate(GOLDEN, 1):
        write_session(folder / "logs", f"s{number}", folder / "shop", number, turns)
    asked = ["dream", "--logs", str(folder / "logs"), "--dry-run", "--json", *more]
    command = [sys.executable, "-P", "-m", "reverie", *asked]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.proves("F7")
def test_a_dry_dream_asks_the_default_model_by_variables_alone(
    tmp_path: Path, isolated_home: Path
) -> None:
    with serving() as server:
        server.plan = [Reply(text=json.dumps({"patterns": [found(LEFT, "1.2", "2.2", "3.2")]}))]
        done = dreamt(tmp_path, server)
        assert (done.returncode, len(server.requests)) == (0, 1), done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    (row,) = [row for row in rows if not row.get("candidate")]
    assert row["text"] == LEFT
    assert row["evidence"] == [f"claude-code:s{number}#2" for number in (1, 2, 3)]
    kept = (isolated_home / ".reverie" / "receipts.jsonl").read_text(encoding="utf-8")
    assert '"purpose": "dream"' in kept


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (["--engine", "rules"], 0, ""),
        (["--engine", "openai"], 5, "nobody is here to answer"),
        (["--engine", "openai", "--yes"], 8, "529"),
        ([], 0, "without a model"),
    ],
)
def test_only_a_dream_that_was_to_have_a_model_fails_without(
    tmp_path: Path, isolated_home: Path, more: list[str], code: int, said: str
) -> None:
    with serving() as server:
        server.plan = [GIVES_UP]
        done = dreamt(tmp_path, server, *more)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
