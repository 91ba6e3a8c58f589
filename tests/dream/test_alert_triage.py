"""The example of two agents on watch runs, and tells the story it promises."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "alert-triage" / "run.py"


@pytest.mark.proves("C6")
def test_the_second_agent_sees_the_fix_and_the_dream_finds_the_delay() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLE)], env=environment, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout
    assert "I cannot change the runbook: the store runbooks is attached read-only" in told
    assert re.search(r"dusk: a fix is in flight until 13:36 .*I start no second one", told)
    assert "its note expired on 2026-09-07 13:36" in told
    assert "“ALERT QueueBacklog” follows “CPU spike” after about 31 minutes" in told
    assert "in 6 sessions on 6 days" in told
    assert told.rstrip().endswith("I look at the workers now, not after the alert")
