"""What a candidate would become."""

from dataclasses import replace

import pytest

from reverie.learn.memories.candidate import Candidate

SAID = Candidate(
    lesson="Indent with tabs",
    type="feedback",
    kind="",
    scope="project",
    project="yard",
    session="codex:0b",
    evidence="codex:0b#3",
    at="2026-11-01T10:00:00Z",
    quote="no, tabs, as in the crane's driver",
    premise="I indent the crane with spaces.",
    standing=True,
    trust="user",
    score=0.9,
)


@pytest.mark.proves("D6")
def test_only_a_memory_of_the_project_itself_quotes_it():
    assert "> no, tabs, as in the crane's driver" in SAID.document().body
    for shared in (replace(SAID, scope="global"), replace(SAID, type="user")):
        document = shared.document()
        assert document.scope == "global"
        assert "crane" not in document.text()
        assert document.evidence == ("codex:0b#3",)
