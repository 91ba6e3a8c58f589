"""What a dream gathers is what a person let stand: forgotten turns and denied ones show nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dream.nights import Sleeper
from tests.sessions.worklogs import lines, write

from reverie.dream.model import Ask
from reverie.dream.steps.gather import gather
from reverie.sessions.labels import Labels

RULE = "please run the linter before the commit"


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[Sleeper]:
    """Two sessions that say the same."""
    for day, name in enumerate(("one", "two")):
        talk = [("you", "add the parser"), ("agent", "done"), ("you", RULE), ("agent", "I will")]
        write(tmp_path / "logs" / "-w-app" / f"{name}.jsonl", lines(name, *talk, day=day))
    made = Sleeper(tmp_path / "home")
    made.read(tmp_path / "logs")
    yield made
    made.close()


def lasting(sleeper: Sleeper) -> dict[str, float]:
    """Where the rule was seen, and how lasting it reads there."""
    seen = gather(sleeper.dreamer.night(Ask())).observations
    return {one.evidence: one.lasting for one in seen if "linter" in one.text}


@pytest.mark.proves("E2")
def test_a_label_counts_in_a_dream(sleeper: Sleeper) -> None:
    one, two = lasting(sleeper)
    assert max(lasting(sleeper).values()) < 1.0
    labels = Labels(sleeper.store.database)
    labels.put(one, one.partition("#")[0], "none", "none")
    labels.put(two, two.partition("#")[0], "none", "project")
    assert lasting(sleeper) == {two: 1.0}
