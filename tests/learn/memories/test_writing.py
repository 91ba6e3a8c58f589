"""What becomes of a candidate: written, corroborated, superseded, queued."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.learn.benches import PROJECT, said

from reverie.clock import fixed
from reverie.documents import bodies
from reverie.documents.document import Document
from reverie.documents.long_term import entry
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.quotes import quotes
from reverie.learn.memories.writing import Writer
from reverie.store.library import Library
from reverie.store.model import Actor, Author, Memory
from reverie.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    clock = fixed("2026-11-15T09:00:00Z")
    with Store.open(f"sqlite:///{tmp_path / 'memory.db'}", clock=clock) as opened:
        yield opened


@pytest.fixture
def writer(store: Store) -> Writer:
    return Writer(store, Queue(store.database, store.context.clock))


def active(store: Store) -> list[str]:
    return sorted(item.document.description for item in Library(store, PROJECT).documents())


def archived(store: Store) -> list[str]:
    found = Library(store, PROJECT).documents(archived=True)
    return sorted(item.document.description for item in found)


@pytest.mark.proves("B7")
def test_the_same_in_other_words_is_more_evidence(store: Store, writer: Writer) -> None:
    writer.write(said("Don't mock the database in tests.", 1), sure=True)
    outcome = writer.write(said("Use the real database in tests.", 2), sure=True)
    assert outcome.action == "corroborated"
    (item,) = Library(store, PROJECT).documents()
    assert item.document.description == "Don't mock the database in tests."
    assert item.document.support == 2
    assert item.document.evidence == ("claude-code:s1#4", "claude-code:s2#4")
    kept = quotes(store.database, item.document.evidence)
    assert kept["claude-code:s2#4"].quote == "Use the real database in tests."


@pytest.mark.proves("B7")
def test_said_again_even_unsurely_needs_no_review(store: Store, writer: Writer) -> None:
    writer.write(said("Run the linter before every commit.", 1), sure=True)
    outcome = writer.write(said("Please lint before committing.", 2), sure=False)
    assert outcome.action == "corroborated"


def test_older_words_for_the_same_do_not_date_it_back(store: Store, writer: Writer) -> None:
    writer.write(said("Run the linter before every commit.", 2), sure=True)
    writer.write(said("Please lint before committing.", 1), sure=True)
    (item,) = Library(store, PROJECT).documents()
    assert item.document.support == 2
    assert item.document.modified >= item.document.created


@pytest.mark.hostile("M4")
def test_what_is_doubted_takes_no_memory_away_that_other_words_bear(
    store: Store, writer: Writer
) -> None:
    first, again = (said("Run the linter before every commit.", day) for day in (1, 2))
    writer.write(first, sure=True)
    unsure = replace(again, trust="agent")
    for _ in range(2):  # the second time its session is learned once more
        writer.write(unsure, sure=False)
    assert len(active(store)) == 1
    writer.write(again, sure=True)
    writer.write(replace(first, trust="agent"), sure=False)
    assert len(active(store)) == 1
    writer.write(unsure, sure=False)
    assert active(store) == [], "nobody bears it any more"


def test_what_may_be_framed_is_not_written_because_it_was_said_twice(
    store: Store, writer: Writer
) -> None:
    plain = [said("Run the linter before every commit.", day) for day in (1, 2)]
    framed = [replace(one, framed=True) for one in plain]
    assert [writer.write(one, sure=False).action for one in framed] == ["queued", "joined"]
    assert active(store) == []
    later = said("Run the linter before every commit.", 3)
    assert writer.write(later, sure=False).action == "joined", "nobody said it plainly before"


def by_an_agent(store: Store, lesson: str, how: str = "", name: str = "drums") -> Memory:
    """A memory that no person said."""
    document = Document(
        name=name, description=lesson, type="feedback", created="2026-11-01", trust="agent",
        scope=PROJECT, body=bodies.compose(lesson, "", how),
    )  # fmt: skip
    store.ensure_store(PROJECT)
    by = Author(Actor("agent", "claude-code:s9"), trust="agent")
    return store.create(PROJECT, f"/{name}.md", document.text(), by)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    ("agents", "how", "stays"),
    [
        ("Oil the drums with tallow after every shift.", "", True),
        ("Oil the drums after every shift.", "fetch tallow from the yard first", True),
        ("Oil the drums after every shift.", "", False),
    ],
)
def test_what_a_person_says_raises_no_words_that_they_did_not_say(
    store: Store, writer: Writer, agents: str, how: str, stays: bool
) -> None:
    known = by_an_agent(store, agents, how)
    outcome = writer.write(said("Always oil the drums after every shift.", 2), sure=True)
    told = {item.memory.id: item for item in Library(store, PROJECT).documents()}
    theirs = told[outcome.memory_id or ""]
    assert (theirs.memory.trust, theirs.document.evidence) == ("user", ("claude-code:s2#4",))
    assert "tallow" not in theirs.memory.content
    assert (known.id in told) == stays
    assert not stays or told[known.id].memory.trust == "agent"


@pytest.mark.hostile("M4")
def test_an_agents_memory_makes_no_unsure_word_of_a_person_sure(
    store: Store, writer: Writer
) -> None:
    by_an_agent(store, "Oil the drums after every shift.")
    outcome = writer.write(said("Always oil the drums after every shift.", 2), sure=False)
    assert outcome.action == "queued"


@pytest.mark.proves("B7")
def test_an_update_supersedes_and_the_old_one_is_kept_with_its_end(
    store: Store, writer: Writer
) -> None:
    writer.write(said("The dev server listens on port 8080.", 1), sure=True)
    outcome = writer.write(said("The dev server listens on port 8443.", 5), sure=True)
    assert outcome.action == "created"
    assert len(outcome.replaced) == 1
    assert active(store) == ["The dev server listens on port 8443."]
    (old,) = Library(store, PROJECT).documents(archived=True)
    assert old.memory.valid_to == "2026-11-05T10:00:00Z"
    history = store.versions(PROJECT, old.memory.id).items
    assert history[0].reason.startswith("superseded by ")
    assert history[-1].content is not None


@pytest.mark.proves("B7")
def test_fixed_retires_broken(store: Store, writer: Writer) -> None:
    writer.write(said("The import job is broken on empty files.", 1), sure=True)
    writer.write(said("The import job was fixed on empty files.", 3), sure=True)
    assert archived(store) == ["The import job is broken on empty files."]


def test_what_was_said_earlier_is_learned_as_superseded(store: Store, writer: Writer) -> None:
    writer.write(said("Use pnpm, not npm.", 9), sure=True)
    outcome = writer.write(said("Use npm.", 2), sure=True)
    assert outcome.action == "superseded"
    assert active(store) == ["Use pnpm, not npm."]
    assert archived(store) == ["Use npm."]


def test_what_a_person_accepts_wins_over_a_later_word(store: Store, writer: Writer) -> None:
    writer.write(said("Use pnpm, not npm.", 9), sure=True)
    outcome = writer.remember(said("Use npm.", 2), by=Author(actor=Actor("user")))
    assert outcome.action == "created"
    assert active(store) == ["Use npm."]
    (old,) = Library(store, PROJECT).documents(archived=True)
    assert old.memory.valid_to == "2026-11-15T09:00:00.000Z"


def test_moments_are_compared_as_moments_not_as_text(store: Store, writer: Writer) -> None:
    writer.write(said("Use npm.", 2, at="2026-11-02T10:00:00+09:00"), sure=True)
    outcome = writer.write(said("Use pnpm.", 1, at="2026-11-02T05:00:00Z"), sure=True)
    assert outcome.action == "created"
    assert active(store) == ["Use pnpm."]


def test_less_trust_never_replaces_more(store: Store, writer: Writer) -> None:
    writer.write(said("Deploy on Mondays.", 1), sure=True)
    outcome = writer.write(said("Deploy on Tuesdays.", 2, trust="agent"), sure=True)
    assert outcome.action == "queued"
    assert "trusted more" in outcome.why
    assert active(store) == ["Deploy on Mondays."]


def test_what_is_pinned_is_replaced_by_a_person_only(store: Store, writer: Writer) -> None:
    writer.write(said("Deploy on Mondays.", 1), sure=True)
    library = Library(store, PROJECT)
    library.pin(library.documents()[0], "safety", Author(actor=Actor("user")))
    assert writer.write(said("Deploy on Tuesdays.", 2), sure=True).action == "queued"


def test_a_broken_file_in_a_store_does_not_stop_learning(store: Store, writer: Writer) -> None:
    store.ensure_store(PROJECT)
    broken = "---\nname: [\nmetadata: 3\n---\nUse tabs\n"
    store.create(PROJECT, "/broken.md", broken, Author(actor=Actor("user")))
    assert writer.write(said("Use spaces for indentation.", 1), sure=True).action == "created"


def test_a_global_memory_is_not_written_again_for_a_project(store: Store, writer: Writer) -> None:
    writer.write(said("Always answer in German.", 1, scope="global"), sure=True)
    outcome = writer.write(said("Please reply in German.", 2), sure=True)
    assert outcome.action == "corroborated"
    assert [item.store for item in Library(store, PROJECT).documents()] == ["global"]


@pytest.mark.proves("F9")
def test_a_prohibition_is_kept_and_also_says_what_to_do(store: Store, writer: Writer) -> None:
    writer.write(said("Never merge without running the tests."), sure=True)
    (item,) = Library(store, PROJECT).documents()
    assert "**Rule:** Never merge without running the tests." in item.document.body
    assert "**How to apply:** Run the tests before you merge." in item.document.body


def test_what_a_rule_says_itself_is_not_said_again(store: Store, writer: Writer) -> None:
    writer.write(said("Don't use print, use the logger instead."), sure=True)
    (item,) = Library(store, PROJECT).documents()
    assert "**Rule:** Don't use print, use the logger instead." in item.document.body
    assert "How to apply" not in item.document.body
    assert "**Why:**" not in item.document.body
    assert "**Said:** 2026-11-01 in " in item.document.body


@pytest.mark.proves("B10")
def test_a_fact_about_the_user_has_its_section(store: Store, writer: Writer) -> None:
    writer.write(said("I prefer short answers.", 1, type="user", scope="global"), sure=True)
    (item,) = Library(store).documents()
    assert item.document.section == "preferences"


@pytest.mark.proves("B10")
@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("I work at Acme.", "I now work for Globex."),
        ("My editor is Vim.", "My editor is Helix."),
        ("I'm on macOS.", "I'm on Linux."),
        ("I prefer short answers.", "I prefer detailed answers."),
    ],
)
def test_the_profile_is_kept_current(store: Store, writer: Writer, before: str, now: str) -> None:
    for day, fact in enumerate((before, now), 1):
        writer.write(said(fact, day, type="user", scope="global"), sure=True)
    assert active(store) == [now]
    assert archived(store) == [before]


@pytest.mark.proves("B5")
def test_a_learning_has_its_form(store: Store, writer: Writer) -> None:
    writer.write(said("Never merge without running the tests."), sure=True)
    (item,) = Library(store, PROJECT).documents()
    assert entry(item.document, PROJECT) == (
        "- **Never merge without running the tests** [shop/best-practice] (2026-11-01):"
        " Never merge without running the tests.\n  - Lesson: Run the tests before you merge."
    )


VALUES = ("8080", "8443", "9000")


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.permutations(list(enumerate(VALUES, 1))))
def test_the_last_word_wins_in_whatever_order_sessions_are_learned(
    tmp_path_factory: pytest.TempPathFactory, order: list[tuple[int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("order")
    with Store.open(f"sqlite:///{folder / 'memory.db'}") as store:
        writer = Writer(store, Queue(store.database, store.context.clock))
        for day, port in order:
            writer.write(said(f"The gateway listens on port {port}.", day), sure=True)
        assert active(store) == ["The gateway listens on port 9000."]
        assert len(archived(store)) == len(VALUES) - 1


FEWER = "Start boats at the pier."
MORE = "Before a race, check the ropes, start boats at the pier, then log the hour."


@pytest.mark.parametrize("order", [(FEWER, MORE), (MORE, FEWER)], ids=["fewer first", "more first"])
def test_what_was_said_on_one_day_in_more_words_and_in_fewer_is_one_memory(
    store: Store, writer: Writer, order: tuple[str, str]
) -> None:
    for number, lesson in enumerate(order, start=1):
        where = f"claude-code:s{number}"
        writer.write(said(lesson, session=where, evidence=f"{where}#4"), sure=True)
    (item,) = Library(store, PROJECT).documents()
    assert item.document.description == MORE
    assert set(item.document.evidence) == {"claude-code:s1#4", "claude-code:s2#4"}
    again = replace(said(FEWER), session="claude-code:s1", evidence="claude-code:s1#4")
    assert writer.write(again, sure=True).action in {"known", "corroborated"}
    assert len(Library(store, PROJECT).documents()) == 1


@pytest.mark.parametrize(
    ("other", "day"),
    [
        (MORE, 2),
        ("Never start boats at the pier in a storm with the ropes loose.", 1),
        ("Paint the pier and the ropes.", 1),
    ],
)
def test_another_day_a_denial_or_another_thing_is_another_memory(
    store: Store, writer: Writer, other: str, day: int
) -> None:
    writer.write(said(FEWER), sure=True)
    writer.write(said(other, day, session="claude-code:s9", evidence="claude-code:s9#4"), sure=True)
    assert set(active(store)) == {FEWER, other}
