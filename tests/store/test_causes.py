"""The cause of a version as fields, and the sentence it is kept as."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.store.causes import BEGINS, NONE, Cause, cause_of

BATCH = "import_01KM54490XTs"
SENTENCES = [
    ("diary of claude-code:s1", Cause("diary", "claude-code:s1")),
    ("daily of 2026-11-15", Cause("daily", "2026-11-15")),
    ("superseded by codex:s2#14", Cause("superseded", "codex:s2#14")),
    ("unpinned", Cause("unpinned")),
    ("unpinned: it was a trial", Cause("unpinned", "it was a trial")),
    (
        f"imported from claude-code: notes/a: b (old).md ({BATCH})",
        Cause("imported", "notes/a: b (old).md", "claude-code", BATCH),
    ),
    (
        f"imported from codex: a.md ({BATCH}) (moved from shop)",
        Cause("imported", "a.md", "codex", BATCH, " (moved from shop)"),
    ),
    (f"import undone ({BATCH})", Cause("import undone", batch=BATCH)),
    (
        "gone from claude-code /u/memory: notes/a: b.md",
        Cause("gone", "notes/a: b.md", "claude-code /u/memory"),
    ),
    (
        "decayed from shop:/a.md (Best Practices): dated 2026-03-01, nothing in 31 days",
        Cause("decayed", "shop:/a.md (Best Practices): dated 2026-03-01, nothing in 31 days"),
    ),
    (
        "decayed from shop:/a.md: quiet (decay_20260401T120000Z) (moved from shop)",
        Cause("decayed", "shop:/a.md: quiet", "", "decay_20260401T120000Z", " (moved from shop)"),
    ),
    (
        "pruned from shop:/a.md: too long (decay_20260401T120000Z)",
        Cause("pruned", "shop:/a.md: too long", batch="decay_20260401T120000Z"),
    ),
]


@pytest.mark.parametrize(("reason", "cause"), SENTENCES)
def test_a_sentence_and_its_fields_are_the_same(reason: str, cause: Cause) -> None:
    assert cause_of(reason) == cause
    assert cause.reason == reason


@pytest.mark.parametrize("reason", ["", "edited", "my diary of today", "imported from somewhere"])
def test_what_a_person_or_an_agent_said_has_no_cause(reason: str) -> None:
    assert cause_of(reason) == NONE


@given(st.sampled_from(["diary", "daily", "superseded"]), st.text())
def test_whatever_it_is_about_comes_back(kind: str, subject: str) -> None:
    cause = Cause(kind, subject)  # type: ignore[arg-type]
    assert cause_of(cause.reason) == cause


def test_every_cause_is_known_by_how_its_sentence_begins() -> None:
    assert {cause.kind for _, cause in SENTENCES} == set(BEGINS)
    for reason, cause in SENTENCES:
        assert reason.startswith(BEGINS[cause.kind])
