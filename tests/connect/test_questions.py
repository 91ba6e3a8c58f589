"""Which engine thinks about new sessions, as clients are allowed to and no longer."""

from pathlib import Path

import pytest

from reverie.connect.questions import (
    AGENT_MEMORY,
    DIGEST,
    ENGINE,
    answered,
    answering,
    unanswering,
    with_client,
    without_client,
)


@pytest.mark.parametrize(
    ("before", "client", "after"),
    [
        ("rules", "codex", "codex"),
        ("codex", "codex", "codex"),
        ("claude-code", "codex", "own"),
        ("codex", "claude-code", "own"),
        ("own", "codex", "own"),
    ],
)
def test_a_client_is_allowed_besides_the_other(before: str, client: str, after: str) -> None:
    assert with_client(before, client) == after


@pytest.mark.parametrize(
    ("before", "client", "after"),
    [
        ("rules", "codex", "rules"),
        ("codex", "codex", "rules"),
        ("claude-code", "codex", "claude-code"),
        ("own", "codex", "claude-code"),
        ("own", "claude-code", "codex"),
        ("anthropic", "codex", "anthropic"),
    ],
)
def test_taking_it_back_from_one_leaves_the_other(before: str, client: str, after: str) -> None:
    assert without_client(before, client) == after


def test_answers_are_kept_beside_each_other_and_go_without_a_trace(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    for question, answer in ((DIGEST, True), (AGENT_MEMORY, False), (ENGINE, "codex")):
        change = answering(file, answer, question)
        assert change.after is not None
        file.write_bytes(change.after)
    asked = (DIGEST, AGENT_MEMORY, ENGINE)
    assert [answered(file, question) for question in asked] == [True, False, "codex"]
    left = unanswering(file, ENGINE).after
    assert left is not None and b"codex" not in left and b"digest = true" in left
    assert unanswering(file, *asked).after is None
