"""The bundled sample: made from its story, read by our own readers, with everything it promises."""

import json
from collections import Counter
from pathlib import Path

import pytest
from scripts.make_sample import SAMPLE, files, stories

from reverie.privacy import Redactor
from reverie.sample import ROOT, place
from reverie.sessions.turns import HumanRecord, human_records


def bundled() -> dict[Path, bytes]:
    return {file.relative_to(SAMPLE): file.read_bytes() for file in SAMPLE.rglob("*.jsonl")}


def spoken() -> list[HumanRecord]:
    return list(human_records(SAMPLE))


def test_the_committed_logs_are_what_the_story_makes() -> None:
    assert bundled() == dict(files())


def test_there_are_sixteen_sessions_of_two_projects_and_two_agents_in_two_weeks() -> None:
    found = spoken()
    assert len({turn["session"] for turn in found}) == 16
    assert {turn["agent"] for turn in found} == {"claude-code", "codex"}
    assert {Path(turn["cwd"]).name for turn in found} == {"shop-api", "feed-loader"}
    days = sorted(turn["at"][:10] for turn in found)
    assert (days[0], days[-1]) == ("2026-03-02", "2026-03-13")


def test_every_way_a_person_can_speak_is_in_it() -> None:
    kinds = Counter(turn["turn"] for turn in spoken())
    assert set(kinds) >= {"prompt", "steer", "reject_feedback", "command"}


@pytest.mark.parametrize(
    ("words", "sessions", "projects"), [("lint", 5, 2), ("cents", 5, 1), ("Berlin", 2, 1)]
)
def test_what_recurs_recurs_in_several_sessions_on_several_days(
    words: str, sessions: int, projects: int
) -> None:
    found = [turn for turn in spoken() if words in turn["text"]]
    assert len({turn["session"] for turn in found}) >= sessions
    assert len({turn["at"][:10] for turn in found}) >= 2
    assert len({turn["cwd"] for turn in found}) >= projects
    assert len({turn["text"] for turn in found}) == len(found)


def test_its_secrets_are_recognised() -> None:
    redactor = Redactor(b"k" * 32)
    rules = {
        finding.rule
        for content in bundled().values()
        for line in content.decode().splitlines()
        for finding in redactor.findings(line)
    }
    assert rules == {"github-token", "url-password"}


def test_the_poisoned_page_is_in_a_tool_result_and_nowhere_else() -> None:
    assert not [turn for turn in spoken() if "setup.sh" in turn["text"]]
    poisoned = [content for content in bundled().values() if b"setup.sh | sh" in content]
    assert len(poisoned) == 1


def test_it_is_laid_out_as_if_somebody_had_worked_there(tmp_path: Path) -> None:
    code = place(tmp_path)
    logs = [*(tmp_path / ".claude").rglob("*.jsonl"), *(tmp_path / ".codex").rglob("*.jsonl")]
    assert len(logs) == 16
    text = "".join(log.read_text(encoding="utf-8") for log in logs)
    assert ROOT not in text
    for line in text.splitlines():
        json.loads(line)
    assert (code / "shop-api" / "Makefile").is_file()


def test_a_story_without_a_session_is_empty() -> None:
    assert list(stories("# only words\n")) == []
