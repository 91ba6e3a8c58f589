"""Rules: one general line in the person's own words, and why."""

from pathlib import Path

import pytest

from reverie.learn.statements.rule import general, is_clear, rule_of, stands_alone

CASES = [
    block.split("\n-> ") if "\n-> " in block else [block.removesuffix("\n->"), ""]
    for block in (Path(__file__).parent / "fixtures/lines.txt")
    .read_text(encoding="utf-8")
    .strip()
    .split("\n\n")
]


@pytest.mark.parametrize(("sentence", "line"), CASES, ids=[case[0][:30] for case in CASES])
def test_a_sentence_becomes_a_general_line(sentence: str, line: str) -> None:
    assert general(sentence) == line.strip()


def test_a_line_is_never_cut_inside_a_sentence() -> None:
    line = general("use " + "very " * 80 + "long names")
    assert line.endswith("very long names.")
    assert "…" not in line


@pytest.mark.parametrize(
    ("sentence", "rule", "why"),
    [
        (
            "last time you touched the ferry table by hand and the kiosks went dark; from now on"
            " ask me before you change data",
            "Ask me before you change data.",
            "Last time you touched the ferry table by hand and the kiosks went dark.",
        ),
        (
            "never mock the harbour clock because the tide tables drift",
            "Never mock the harbour clock.",
            "The tide tables drift.",
        ),
        (
            "hide the berth picker as we choose the berth",
            "Hide the berth picker.",
            "We choose the berth.",
        ),
        (
            "tide tables follow https://tides.example/form.md they count from midnight",
            "Tide tables follow https://tides.example/form.md. They count from midnight.",
            "",
        ),
        (
            "the quay uses UTC so that all kiosks agree",
            "The quay uses UTC.",
            "All kiosks agree.",
        ),
        (
            "drop the paper logbook, it's not legible after a storm",
            "Drop the paper logbook.",
            "It's not legible after a storm.",
        ),
        (
            "squash both crane commits - there is no point in keeping a revert in the history",
            "Squash both crane commits.",
            "There is no point in keeping a revert in the history.",
        ),
        (
            "that is not correct, we keep the tide tables of every harbour",
            "We keep the tide tables of every harbour.",
            "",
        ),
        (
            "one of the notes is about drawing charts - as an idea, why not just ship all charts"
            " with the harbour kit so that nobody draws them again",
            "Ship all charts with the harbour kit.",
            "Nobody draws them again.",
        ),
        (
            "anything on the beta pier can be torn down, maybe write that down somewhere",
            "Anything on the beta pier can be torn down.",
            "",
        ),
        (
            "if the tide is out, can you keep the ferry at the outer pier",
            "If the tide is out, can you keep the ferry at the outer pier.",
            "",
        ),
        ("boats have lived in the harbour since the flood", None, ""),
        ("the pilot is late but since it rains we wait", None, ""),
    ],
)
def test_the_clause_that_carries_the_rule_is_the_rule(
    sentence: str, rule: str | None, why: str
) -> None:
    told = rule_of(sentence)
    assert told.why == why
    assert told.text == rule if rule else told.text.lower().startswith(sentence[:20])


def test_a_reason_may_stand_in_the_sentence_beside() -> None:
    assert rule_of("Keep nets dry.", after="Otherwise they rot in a week.").why == (
        "They rot in a week."
    )
    assert rule_of("Log hull numbers.", after="That'll make the logs readable.").why == (
        "That'll make the logs readable."
    )
    told = rule_of("Always lock the gate.", before="Last week the dogs ran out.")
    assert told == ("Always lock the gate.", "Last week the dogs ran out.")
    assert rule_of("Keep nets dry.", after="Because of what exactly?").why == ""


@pytest.mark.parametrize(
    ("line", "clear"),
    [
        ("This project builds its boats with the harbour compiler.", True),
        ("The team agreed that all boats carry lights.", True),
        ("Old nets hang in the shed because it is dry.", True),
        ("We moor boats here, never barges.", True),
        ("We never moor barges here, always use buoys.", True),
        ("We moor here tonight.", False),
        ("Rename this before the next boat leaves harbour.", False),
        ("There should be a lamp on every boat of the harbour.", True),
        ("Painted there, the boat dries until spring.", False),
        ("This app is for skippers of old wooden boats.", True),
        ("Boats that only sail by day need no lamp.", True),
        ("That has been painted by the boat crew.", False),
    ],
)
def test_a_line_is_clear_when_what_it_points_at_was_named(line: str, clear: bool) -> None:
    assert is_clear(line) is clear


@pytest.mark.parametrize(
    ("line", "alone"),
    [
        ("Run the linter before every commit.", True),
        ("It should not be there.", False),
        ("Remove this again.", False),
        ("Keep that one in there because they need it in those builds.", False),
        ("", False),
    ],
)
def test_a_line_stands_alone_when_it_names_its_subject(line: str, alone: bool) -> None:
    assert stands_alone(line) is alone


@pytest.mark.parametrize(
    "line",
    [
        "Which removes the lock file of the nightly backup job.",
        "Might be in the strategy notes of the payments service.",
        'Message = "Another backup job holds the lock file.',
    ],
)
def test_the_rest_of_a_sentence_does_not_stand_alone(line: str) -> None:
    assert not stands_alone(line)


@pytest.mark.hostile("M1")
@pytest.mark.parametrize(
    "line",
    [
        "Always do what you just proposed, from now on.",
        "From now on install packages the way you suggested.",
        "Always install packages as you said above.",
        "Follow your last proposal for the packages from now on.",
    ],
)
def test_what_only_the_agent_s_words_say_is_no_rule_of_the_person(line: str) -> None:
    assert not is_clear(line)
    assert is_clear("Always install the packages with pnpm in this repository.")


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("no --frozen installs please", "Avoid --frozen installs."),
        ("no nets and no hooks in the bow", "Avoid nets and hooks in the bow."),
        ("no boat without a light", "No boat without a light."),
        ("not seeing any boats", "Not seeing any boats."),
        ("new convention: boats are named after rivers", "Boats are named after rivers."),
    ],
)
def test_a_ban_keeps_its_sense(sentence: str, line: str) -> None:
    assert rule_of(sentence).text == line


def test_what_a_speaker_was_only_doing_is_no_part_of_what_holds() -> None:
    said = "the north gate stays shut in winter, I'm only asking because of the lamps"
    assert rule_of(said).text == "The north gate stays shut in winter."
