"""A dream that asks a model: its patterns take the place of the rules', within caps, once."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.dream.desks import GOLDEN, RULE, Desk, found, write_session
from tests.engines.server import Reply, Server, serving

from reverie.asker import OWNER
from reverie.dream.proposals import material
from reverie.engines.receipts import Receipts
from reverie.errors import Refused, Unavailable
from reverie.memory import Memory
from reverie.operations.dreaming import Thinker
from reverie.operations.engines import catalog as engines

# No time is lost with waiting.
GIVES_UP = Reply(status=529, headers=(("retry-after", "3600"),))
ANSWER = json.dumps({"patterns": [found(RULE, "1.2", "2.2", "3.2")]})


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        made.plan.append(Reply(text=ANSWER))
        yield made


@pytest.fixture
def opened(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("REVERIE_ENGINES_OPENAI_MODEL", "m")
    monkeypatch.setenv("REVERIE_ENGINES_OPENAI_BASE_URL", f"{server.url}/v1")
    desk = Desk(tmp_path)
    for number, turns in enumerate(GOLDEN, 1):
        write_session(desk.logs, f"s{number}", desk.project, number, turns)
    yield desk.memory
    desk.close()


def reads_along(memory: Memory, **more: Any) -> Thinker:
    return Thinker(engines.chosen(memory, "openai"), **more)


def receipts(memory: Memory) -> list[tuple[str, str, str]]:
    kept = Receipts(memory.config.home, memory.clock).all()
    return [(one.purpose, one.prompt, one.outcome) for one in kept]


@pytest.mark.proves("A3")
@pytest.mark.proves("F7")
def test_what_a_model_finds_is_offered_and_is_asked_for_once(
    opened: Memory, server: Server, tmp_path: Path
) -> None:
    told: list[Any] = []
    run = opened.dream(tmp_path / "logs", jobs=1, thinker=reads_along(opened, before=told.append))
    assert run.proposal is not None
    assert [change.title for change in run.proposal.changes] == [RULE]
    assert "as a model reads them" in run.proposal.changes[0].support
    assert receipts(opened) == [("dream", "dream-6", "taken")]
    (expected,) = told
    assert (expected.pieces, expected.sessions) == (1, 3)
    assert expected.output_tokens > len(ANSWER) / 4, "and what may come back once"
    again = opened.dream(tmp_path / "logs", jobs=1, thinker=reads_along(opened))
    assert again.night.patterns[0].text == RULE
    assert len(server.requests) == 1, "what was answered is kept"


def test_over_logs_alone_only_what_it_cost_is_kept(
    opened: Memory, server: Server, tmp_path: Path
) -> None:
    run = opened.dream(tmp_path / "logs", jobs=1, dry_run=True, thinker=reads_along(opened))
    (pattern,) = [one for one in run.night.patterns if one.status == "pattern"]
    assert pattern.text == RULE
    assert [one.evidence for one in pattern.group.members] == [
        f"claude-code:s{number}#2" for number in (1, 2, 3)
    ]
    assert receipts(opened) == [("dream", "dream-6", "taken")]
    assert not opened.index.sessions()


def test_what_the_rules_found_and_a_model_passed_over_is_no_pattern(
    opened: Memory, server: Server, tmp_path: Path
) -> None:
    server.plan[:] = [Reply(text='{"patterns": []}')]
    without = opened.dream(tmp_path / "logs", jobs=1, dry_run=True)
    run = opened.dream(tmp_path / "logs", jobs=1, dry_run=True, thinker=reads_along(opened))
    assert {one.status for one in run.night.patterns} <= {"candidate"}
    assert len(run.night.patterns) == len(without.night.patterns)


def test_what_was_refused_is_asked_for_again_with_the_reason(
    opened: Memory, server: Server, tmp_path: Path
) -> None:
    bad = json.dumps({"patterns": [found(RULE, "1.2", "2.2")]})
    server.plan.insert(0, Reply(text=bad))
    run = opened.dream(tmp_path / "logs", jobs=1, dry_run=True, thinker=reads_along(opened))
    whole, about = (json.dumps(request) for request in server.requests)
    assert "2 sessions on 2 days" in about
    assert "Speed up the reader" in whole
    assert "Speed up the reader" not in about, "only the lines that it is about"
    assert [one[1] for one in receipts(opened)] == ["dream-6", "dream-again-3"]
    assert [one.text for one in run.night.patterns if one.reader] == [RULE]


@pytest.mark.parametrize("must", [True, False])
def test_a_model_that_does_not_answer_ends_only_a_dream_that_was_to_have_it(
    opened: Memory, server: Server, tmp_path: Path, must: bool
) -> None:
    server.plan[:] = [GIVES_UP]
    told: list[str] = []
    thinker = reads_along(opened, must=must, tell=told.append)
    if must:
        with pytest.raises(Unavailable):
            opened.dream(tmp_path / "logs", jobs=1, thinker=thinker)
    else:
        run = opened.dream(tmp_path / "logs", jobs=1, thinker=thinker)
        assert run.night.patterns is not None
        assert told and "without a model" in told[-1]


def test_a_dream_with_some_of_the_answers_says_so(
    opened: Memory, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(material, "PORTION", 300)
    server.plan[:] = [Reply(text='{"patterns": []}'), GIVES_UP]
    told: list[str] = []
    opened.dream(tmp_path / "logs", jobs=1, thinker=reads_along(opened, tell=told.append))
    assert "with the answers to 1 of 2 pieces only" in told[-1]


def test_whoever_minds_the_cost_is_asked_before_anything_is_sent(
    opened: Memory, server: Server, tmp_path: Path
) -> None:
    def no(_: object) -> None:
        raise Refused("too dear")

    with pytest.raises(Refused, match="too dear"):
        opened.dream(tmp_path / "logs", jobs=1, thinker=reads_along(opened, must=True, before=no))
    assert server.requests == []


def test_a_cap_holds_before_the_call(
    opened: Memory, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_ENGINES_MAX_TOKENS_PER_RUN", "100")
    with (
        Memory.open(opened.config.home, asker=OWNER, clock=opened.clock) as capped,
        pytest.raises(Refused, match="tokens"),
    ):
        capped.dream(tmp_path / "logs", jobs=1, thinker=reads_along(capped, must=True))
    assert server.requests == []


def test_projects_that_are_kept_from_engines_are_not_sent(
    opened: Memory, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_ENGINES_IGNORE_PROJECTS", "shop")
    with Memory.open(opened.config.home, asker=OWNER, clock=opened.clock) as memory:
        memory.dream(tmp_path / "logs", jobs=1, thinker=reads_along(memory, must=True))
    assert server.requests == []
