"""What a model is shown: ids that stand for one thing, words with their day, and no noise."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dream.desks import GOLDEN, Desk, Said

from reverie.dream.proposals import material
from reverie.dream.proposals.digests import tells_something
from reverie.dream.proposals.material import both_ends

FAILING = ("call", "make check", "Error: port 4100 is in use by another program")
WORKING = ("call", "make check PORT=4200")
LOST = ("call", "./tools/pack.sh", "Error: the depot is locked by somebody else")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()


def sessions(count: int) -> list[list[Said]]:
    # What is mended in each session is a finding of the rules; what is not, a call that failed.
    return [[f"Run the checks, part {n}.", FAILING, WORKING, LOST, "thanks"] for n in range(count)]


def lines(desk: Desk) -> list[str]:
    return next(desk.work.waiting()).prompt.material.splitlines()


def test_each_finding_has_a_number_of_its_own(desk: Desk) -> None:
    desk.learn(
        *sessions(4), *[["Look.", ("call", f"./run{n}.sh", f"Error: odd {n}")] for n in "ab"]
    )
    named = Counter(line.split()[0] for line in lines(desk) if line.startswith("T"))
    numbers = sorted(int(name[1:]) for name in named if name[1:].isdigit())
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) > 1
    assert max(named.values()) == 1


def test_a_turn_has_its_day_and_a_finding_its_last(desk: Desk) -> None:
    desk.learn(*sessions(3), *[["Tell me more about the export please."] for _ in range(4)])
    shown = lines(desk)
    assert any("1.0 11-02 Run the checks, part 0." in line for line in shown)
    assert any(
        line.startswith("T") and "3 sessions: 1, 2, 3; last 11-04, not in the 4 after)" in line
        for line in shown
    )


def test_findings_are_shown_with_all_words_and_these_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(material, "PORTION", 800)
    wishes = [[f"Please paint the {n} door of the {n} hall in {n} colours."] for n in range(12)]
    desk.learn(*sessions(4), *wishes)
    portions = [task.portion for task in desk.work.waiting()]
    assert [one.place for one in portions] == [*range(1, portions[0].of + 1)] and len(portions) > 1
    findings = {e.text for e in portions[0].entries if e.everywhere}
    assert findings and all(findings <= {e.text for e in one.entries} for one in portions)
    others = [e.text for one in portions for e in one.entries if not e.everywhere]
    assert len(others) == len(set(others))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("yeah please", False),
        ("1 does seem like a decent path forward, though I may change that", False),
        ("3 - 1 yeah, 2 - definitely, go for it.", False),
        ("(chose) The user wants to clarify these questions.", False),
        ("ok lets get back to main", True),
        ("3 but apply the changes to this branch", True),
        ("yes, but never push the golden files", True),
        ("no emojis in the log messages", True),
        ("tldr", True),
        ("shorter.", True),
        ("thanks!", False),
    ],
)
def test_an_answer_says_nothing_without_the_question(text: str, kept: bool) -> None:
    assert tells_something(text) == kept


def test_of_a_long_turn_the_end_is_told_too() -> None:
    text = f"Please do this. {'Many words in between. ' * 40}But never push the migrations."
    shown = both_ends(text, 200)
    assert len(shown) <= 205
    assert shown.startswith("Please do this.") and shown.endswith("never push the migrations.")
    assert both_ends("short", 200) == "short"


def test_groups_of_too_few_sessions_are_not_pointed_out(desk: Desk) -> None:
    twice = ["leave the golden files alone"], ["please leave the golden files alone"]
    desk.learn(*twice, ["Add the export to the reader."], ["Speed up the parser."])
    assert not [line for line in lines(desk) if line.startswith("G")]
    desk.learn(*twice, ["leave the golden files alone, I said"], ["Speed up the parser."])
    assert [line for line in lines(desk) if line.startswith("G")]


def test_one_failure_of_one_session_is_not_shown_but_what_was_refused(desk: Desk) -> None:
    once = [["Pack it now.", ("call", "./pack.sh", "Error: the depot is locked")]]
    desk.learn(*GOLDEN, *once)
    assert not [line for line in lines(desk) if "./pack.sh" in line]


def test_a_failing_call_is_one_finding_whatever_its_argument(desk: Desk) -> None:
    desk.learn(
        *[
            [
                "Try the belt.",
                ("call", f"belt runs test {name}", f"Error: run {name} is not in the depot"),
                ("call", f"BELT_HOME=. belt runs test {name}"),
                ("agent", "Passed."),
            ]
            for name in ("oats", "oats", "rye", "corn")
        ]
    )
    found = [line for line in lines(desk) if line.startswith("T") and "is not in the" in line]
    assert len(found) == 1
    assert "4 sessions: 1, 2, 3, 4;" in found[0] and "`belt runs test …` fails" in found[0]


def test_of_a_group_each_line_is_shown_whole_once_and_courtesy_is_none(desk: Desk) -> None:
    wish = "Please leave the golden files alone in the depot"
    desk.learn(
        *[
            [f"That was helpful. {wish}, part {part} is the {part}st crane. Nice work so far."]
            for part in ("oats", "rye", "corn")
        ]
    )
    shown = lines(desk)
    assert not [line for line in shown if line.strip().endswith(("That was helpful.", "so far"))]
    assert all(
        any(wish in line and f"part {n} " in line for line in shown) for n in ("oats", "rye")
    )
