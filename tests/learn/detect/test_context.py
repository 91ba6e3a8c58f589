"""Scenes: what surrounds a human turn."""

from tests.learn.scenes import session

from reverie.learn.detect.context import BEFORE, call_kind, scenes
from reverie.sessions.model import Tool


def edit(path: str) -> Tool:
    return Tool("Edit", "e", {"file_path": path})


def test_a_scene_holds_the_agents_last_words_acts_and_answer() -> None:
    first, second = scenes(
        session(
            ("prompt", "Begin."),
            ("text", "Editing now."),
            ("tool_call", edit("a.py")),
            ("tool_result", Tool("Edit", "e", ok=False)),
            ("interrupt", ""),
            ("prompt", "not that file"),
            ("thinking", "The user is correcting me."),
            ("text", "You're right."),
            ("tool_call", edit("a.py")),
        )
    )
    assert (first.before, first.position) == ("", 0)
    assert first.reply == "Editing now."
    assert (second.before, second.since_text) == ("Editing now.", 3)
    assert (second.calls, second.edits, second.last_failed, second.interrupted) == (
        1,
        1,
        True,
        True,
    )
    assert second.thought == "The user is correcting me."
    assert second.reply == "You're right."
    assert second.re_edited
    assert not second.cut_short


def test_an_unanswered_turn_is_cut_short_and_the_next_still_sees_the_agents_words() -> None:
    found = scenes(
        session(("prompt", "a"), ("text", "Plan."), ("prompt", "no"), ("prompt", "no, use b"))
    )
    assert [scene.cut_short for scene in found] == [False, True, True]
    assert found[2].before == "Plan."


def test_long_agent_text_is_cut_to_its_end() -> None:
    scene = scenes(session(("prompt", "a"), ("text", "x" * 9000 + "end"), ("prompt", "b")))[-1]
    assert len(scene.before) == BEFORE
    assert scene.before.endswith("end")


def test_taking_back_and_writing_rules_down_are_seen_in_the_answer() -> None:
    scene = scenes(
        session(
            ("prompt", "a"),
            ("tool_call", Tool("Bash", "t", {"command": "git checkout -- src"})),
            ("tool_call", edit("docs/CLAUDE.md")),
        )
    )[0]
    assert scene.undoes
    assert scene.noted


def test_calls_are_sorted_by_what_they_do() -> None:
    assert call_kind(None) == "none"
    assert call_kind(Tool("Write", "t")) == "edit"
    assert call_kind(Tool("ExitPlanMode", "t")) == "plan"
    assert call_kind(Tool("Bash", "t")) == "other"
