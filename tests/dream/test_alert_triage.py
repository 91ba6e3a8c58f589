"""The example of two agents on watch runs, and tells the story it promises."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from examples.claude_offline import find_client

EXAMPLE = Path(__file__).parents[2] / "examples" / "alert-triage" / "run.py"
CLIENT = find_client()  # before tests have a home of their own


@pytest.mark.proves("C1", "C2", "C3", "C6")
@pytest.mark.parametrize(
    "real", [False, pytest.param(True, marks=pytest.mark.needs("claude"))], ids=["played", "real"]
)
def test_one_agent_repairs_the_other_sees_it_and_the_dream_finds_the_delay(
    real: bool, tmp_path: Path
) -> None:
    prefix = Path(CLIENT).parents[3] if real and CLIENT else tmp_path / "nowhere"
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "REVERIE_TEST_CLAUDE": str(prefix)}
    if not real:
        kept = [
            p for p in os.environ["PATH"].split(os.pathsep) if not (Path(p) / "claude").exists()
        ]
        environment["PATH"] = os.pathsep.join(kept)
    done = subprocess.run(
        [sys.executable, str(EXAMPLE)], env=environment, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout
    assert ("two Claude Code clients" if real else "Claude Code is not installed here") in told
    assert told.count("the workers were rolled once\n") == 2
    assert "the workers were rolled 6 times" in told
    for agent in ("dawn", "dusk"):
        assert f"{agent} was told: “A note in in-flight/ says" in told
    assert re.search(r"(dawn|dusk): a fix is in flight .*since 09:36.*I start no second one", told)
    assert re.search(r"“ALERT QueueBacklog” follows “CPU spike” after about 3[0-3] minutes", told)
    assert re.search(r"in [67] of 9 sessions on 6 days", told)
    assert told.rstrip().endswith("I look at the workers now, not after the alert")
