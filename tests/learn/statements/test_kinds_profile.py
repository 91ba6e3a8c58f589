"""Facts about the user and their sections."""

import pytest

from reverie.learn.statements.kinds import profile_section


@pytest.mark.proves("B10")
@pytest.mark.parametrize(
    ("fact", "section"),
    [
        ("I'm a data engineer in Lisbon.", "about-me"),
        ("My timezone is UTC+2.", "about-me"),
        ("I'm working on the billing migration.", "current-projects"),
        ("My current project is the new ingest.", "current-projects"),
        ("I use fish on macOS.", "technical-environment"),
        ("My editor is Helix.", "technical-environment"),
        ("I prefer short answers.", "preferences"),
        ("I hate emojis in commit messages.", "preferences"),
    ],
)
def test_a_fact_about_the_user_goes_to_its_section(fact: str, section: str) -> None:
    assert profile_section(fact) == section
