"""A run of forgetting on a real store: every step is a version with its reason."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from tests.databases import BOTH, PATIENT

from reverie.clock import iso, parse_iso
from reverie.documents.document import Document
from reverie.documents.long_term import long_term
from reverie.forget.archive import archived, last_run, listing
from reverie.forget.life import WorkedDays, past
from reverie.forget.run import Forgetter, Plan
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue, Status
from reverie.settings import Forget
from reverie.store import roads
from reverie.store.causes import Cause
from reverie.store.library import Item, Library
from reverie.store.model import Actor, Author
from reverie.store.store import Store

AGENT = Author(Actor("agent", "claude-code:s1"), "learned", "agent")
USER = Author(Actor("user"), "by hand", "user")


class Calendar:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = parse_iso("2026-03-01T12:00:00Z")

    def __call__(self) -> datetime:
        return self.now

    def wait(self, days: int) -> None:
        self.now += timedelta(days=days)


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


@pytest.fixture(params=BOTH)
def store(request: pytest.FixtureRequest, tmp_path: Path, calendar: Calendar) -> Iterator[Store]:
    url = f"sqlite:///{tmp_path}/memory.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    with Store.open(url, clock=calendar, limits=PATIENT) as opened:
        opened.create_store("global")
        opened.create_store("shop")
        yield opened


def remember(store: Store, name: str, by: Author = AGENT, **values: object) -> Item:
    document = Document(
        **{
            "name": name,
            "description": f"{name} is so",
            "type": "feedback",
            "kind": "best-practice",
            "scope": "shop",
            "created": iso(store.context.clock())[:10],
            "trust": "agent",
            "support": 1,
            "body": f"**Rule:** {name} is so\n",
        }
        | values  # type: ignore[arg-type]
    )
    target = "global" if document.shared else "shop"
    road = roads.Road(made=True)
    return Item(target, roads.enter(store, target, f"/{name}.md", document, by, road).here)


def items(store: Store) -> list[Item]:
    library = Library(store)
    return [
        item
        for name in ("global", "shop")
        for gone in (False, True)
        for item in library.documents(name, archived=gone)
    ]


# Somebody works every day, unless a test says otherwise.
EVERY_DAY = WorkedDays.of(
    ("shop", (date(2026, 3, 1) + timedelta(days=day)).isoformat()) for day in range(900)
)


def planned(
    store: Store,
    settings: Forget | None = None,
    worked: WorkedDays = EVERY_DAY,
    digest: frozenset[tuple[str, str]] = frozenset(),
) -> tuple[Forgetter, Plan]:
    found = items(store)
    known = past(store.database, found, {}, {}, worked, digest)
    forgetter = Forgetter(store, settings or Forget(), store.context.clock())
    return forgetter, forgetter.plan(found, known)


def run(store: Store, settings: Forget | None = None) -> Plan:
    forgetter, plan = planned(store, settings)
    assert forgetter.carry_out(plan) == []
    return plan


def deeds(plan: Plan) -> list[tuple[str, str]]:
    return [(step.deed, step.item.name) for step in plan.steps]


def reviewed(
    store: Store,
    item: Item,
    *,
    status: Status = "written",
    standing: bool = False,
    trust: str = "user",
) -> None:
    """The queue knows a memory: how it was said, and what became of it."""
    said = Candidate(
        lesson=item.document.description,
        type="feedback",
        kind="",
        scope="project",
        project="shop",
        session="claude-code:s1",
        evidence=f"claude-code:s1#{len(item.name)}",
        at="2024-01-01T00:00:00Z",
        quote="q",
        premise="",
        standing=standing,
        trust=trust,
        score=1.0,
    )
    queue = Queue(store.database, store.context.clock)
    assert queue.add(said, why="said", status=status, memory_id=item.memory.id)


def recalled(store: Store, name: str, at: str, part: str = "found", project: str = "shop") -> None:
    with store.database.atomic() as tx:
        identity = f"recall_{name}_{at}_{part}"
        tx.execute(
            "INSERT INTO recalls (id, at, surface, project, session, query, strategy, budget,"
            " characters, tokens) VALUES (?, ?, 'cli', ?, '', 'how', 'ours', 1, 1, 1)",
            (identity, at, project),
        )
        tx.execute(
            "INSERT INTO recall_entries (recall_id, place, part, entry, evidence, characters)"
            " VALUES (?, 0, ?, ?, '[]', 1)",
            (identity, part, name),
        )


@pytest.mark.proves("B8")
def test_after_thirty_days_a_memory_lies_in_the_archive_of_that_day_with_its_source(
    store: Store, calendar: Calendar
) -> None:
    before = remember(store, "use-tabs")
    calendar.wait(30)
    assert run(store).steps == ()
    calendar.wait(1)
    assert deeds(run(store)) == [("archive", "use-tabs")]
    gone = archived(store, items(store), Forget())
    assert [(one.day, one.source) for one in gone] == [("2026-04-01", "shop:/use-tabs.md")]
    assert gone[0].item.memory.id == before.memory.id
    assert gone[0].reason == (
        "decayed from shop:/use-tabs.md (Best Practices): dated 2026-03-01,"
        " nothing spoke for it in 31 days of work (decay_20260401T120000Z)"
    )
    assert "## Archived 2026-04-01" in listing(gone)
    assert "from shop:/use-tabs.md" in listing(gone)
    assert run(store).steps == ()


@pytest.mark.proves("B8")
def test_after_a_year_in_the_archive_it_is_purged_and_its_history_stays(
    store: Store, calendar: Calendar
) -> None:
    item = remember(store, "use-tabs")
    calendar.wait(31)
    run(store)
    calendar.wait(365)
    assert run(store).steps == ()
    calendar.wait(1)
    assert deeds(run(store)) == [("purge", "use-tabs")]
    assert items(store) == []
    last = store.versions("shop", item.memory.id).items[0]
    assert last.operation == "deleted"
    assert last.reason == "purged: in the archive since 2026-04-01, longer than 365 days"
    brought_back = store.restore("shop", item.memory.id, item.memory.version_id, USER)
    assert brought_back.content == item.memory.content


@pytest.mark.proves("B8")
def test_one_without_a_date_is_dated_not_archived(store: Store, calendar: Calendar) -> None:
    remember(store, "use-tabs", created="")
    calendar.wait(300)
    assert deeds(run(store)) == [("date", "use-tabs")]
    assert items(store)[0].document.created == "2026-12-26"
    assert run(store).steps == ()
    calendar.wait(31)
    assert deeds(run(store)) == [("archive", "use-tabs")]


@pytest.mark.proves("B8")
def test_the_profile_and_what_is_pinned_never_decay(store: Store, calendar: Calendar) -> None:
    remember(store, "who-i-am", type="user", kind="", scope="global", section="about-me")
    remember(store, "prefers-tables", kind="decision", scope="global", type="project")
    remember(store, "must-stay", pinned=True, pin_reason="by hand")
    remember(store, "a-file-of-mine", type="", kind="")
    remember(store, "may-go")
    calendar.wait(500)
    assert deeds(run(store)) == [("archive", "may-go")]


def test_further_sections_can_be_protected(store: Store, calendar: Calendar) -> None:
    remember(store, "we-chose-sqlite", type="project", kind="decision")
    calendar.wait(40)
    assert planned(store, Forget(protected_sections=("Key Decisions",)))[1].steps == ()
    assert deeds(planned(store)[1]) == [("archive", "we-chose-sqlite")]


@pytest.mark.proves("B8")
def test_said_again_told_at_the_start_or_recalled_as_an_answer_it_stays(
    store: Store, calendar: Calendar
) -> None:
    said = remember(store, "said-again", evidence=("claude-code:s1#4", "claude-code:s2#9"))
    remember(store, "asked-for")
    remember(store, "only-shown")
    remember(store, "in-the-digest")
    remember(store, "asked-elsewhere")
    with store.database.atomic() as tx:
        for evidence, at in zip(said.document.evidence, ("2026-03-01", "2026-03-25"), strict=True):
            tx.execute(
                "INSERT INTO evidence (id, session, line, at, quote, premise, trust)"
                " VALUES (?, 's', 1, ?, 'q', '', 'user')",
                (evidence, at),
            )
    recalled(store, "asked-for", "2026-03-25T10:00:00Z")
    recalled(store, "only-shown", "2026-03-25T10:00:00Z", part="rule")
    recalled(store, "in-the-digest", "2026-03-25T10:00:00Z", part="digest")
    recalled(store, "asked-elsewhere", "2026-03-25T10:00:00Z", project="other")
    calendar.wait(40)
    plan = run(store)
    assert deeds(plan) == [("archive", "asked-elsewhere")]
    assert plan.next_leaves_in == 15


def test_a_recall_that_did_harm_keeps_nothing_alive(store: Store, calendar: Calendar) -> None:
    item = remember(store, "asked-for")
    text = item.memory.content.replace("metadata:\n", "metadata:\n  harmful: 2\n")
    store.update("shop", item.memory.id, content=text, by=AGENT)
    recalled(store, "asked-for", "2026-03-25T10:00:00Z")
    calendar.wait(40)
    assert deeds(run(store)) == [("archive", "asked-for")]


def test_what_a_person_restores_is_not_taken_away_again_the_next_day(
    store: Store, calendar: Calendar
) -> None:
    remember(store, "use-tabs")
    calendar.wait(40)
    run(store)
    library = Library(store, "shop")
    library.unarchive(library.find("use-tabs"), USER)
    calendar.wait(30)
    assert run(store).steps == ()
    calendar.wait(1)
    assert deeds(run(store)) == [("archive", "use-tabs")]


@pytest.mark.proves("B9")
def test_a_preference_is_pinned_only_if_a_person_stated_it(
    store: Store, calendar: Calendar
) -> None:
    for name, by in (("claimed", AGENT), ("stated", USER)):
        remember(store, name, by, description="I prefer tabs over spaces", trust="user")
    calendar.wait(10)
    assert deeds(run(store)) == [("pin", "stated")]


@pytest.mark.proves("B9")
def test_a_pin_by_rule_keeps_its_reason_and_a_hand_that_unpins_is_not_overruled(
    store: Store, calendar: Calendar
) -> None:
    remember(store, "guard", description="Never write to the production database", trust="user")
    calendar.wait(10)
    assert deeds(run(store)) == [("pin", "guard")]
    pinned = items(store)[0]
    assert pinned.document.pinned
    assert pinned.document.pin_reason.startswith("by rule: safety-critical")
    assert pinned.memory.trust == "agent"
    calendar.wait(300)
    assert run(store).steps == ()
    Library(store).unpin(items(store)[0], USER._replace(reason="unpinned: not any more"))
    assert run(store).steps == ()
    calendar.wait(40)
    assert deeds(run(store)) == [("archive", "guard")]
    assert deeds(planned(store, Forget(pin_by_rule=False))[1]) == []


@pytest.mark.proves("B7")
def test_a_page_over_its_budget_is_pruned_and_each_prune_says_why(
    store: Store, calendar: Calendar
) -> None:
    for number in range(20):
        remember(store, f"note-{number:02}", description=f"note {number} " + "word " * 40)
        calendar.wait(1)
    small = Forget(long_term_tokens=1_000)
    plan = run(store, small)
    gone = [name for _, name in deeds(plan)]
    assert gone == [f"note-{number:02}" for number in range(len(gone))]
    assert {deed for deed, _ in deeds(plan)} == {"prune"}
    page = long_term("shop", [item.document for item in Library(store, "shop").documents()])
    assert "note 19" in page
    assert "note 0 " not in page
    reason = store.versions("shop", plan.steps[0].item.memory.id).items[0].reason
    assert "long-term memory of shop is over 1,000 tokens" in reason
    assert run(store, small).steps == ()


def test_an_edit_made_meanwhile_wins(store: Store, calendar: Calendar) -> None:
    item = remember(store, "use-tabs")
    calendar.wait(40)
    forgetter, plan = planned(store)
    edited = replace(item.document, description="use-tabs is still so")
    Library(store).rewrite(item, edited, USER)
    void = forgetter.carry_out(plan)
    assert [step.item.name for step in void] == ["use-tabs"]
    assert items(store)[0].document.description == "use-tabs is still so"
    assert not items(store)[0].archived


def test_two_runs_of_the_same_day_plan_the_same_in_the_same_order(
    store: Store, calendar: Calendar
) -> None:
    for name in ("c", "a", "b"):
        remember(store, name)
    calendar.wait(40)
    first, second = planned(store)[1], planned(store)[1]
    assert deeds(first) == deeds(second) == [("archive", "a"), ("archive", "b"), ("archive", "c")]


def test_names_taken_in_the_archive_of_the_day_do_not_stop_the_run(
    store: Store, calendar: Calendar
) -> None:
    remember(store, "same")
    calendar.wait(31)
    run(store)
    again = remember(store, "same")
    Library(store).archive(again, AGENT)
    assert [(one.day, one.item.name) for one in archived(store, items(store), Forget())] == [
        ("2026-04-01", "same"), ("2026-04-01", "same-2")
    ]  # fmt: skip


AGENTS_WORD = "what-an-agent-noted"


@pytest.mark.proves("B8")
def test_what_a_person_wrote_edited_accepted_or_said_as_a_rule_never_leaves_by_age(
    store: Store, calendar: Calendar
) -> None:
    remember(store, AGENTS_WORD)
    remember(store, "by-hand", by=USER)
    edited = remember(store, "put-right")
    Library(store).rewrite(edited, replace(edited.document, description="put right by me"), USER)
    accepted, standing = remember(store, "accepted"), remember(store, "standing")
    reviewed(store, accepted, status="accepted")
    reviewed(store, standing, standing=True)
    from_a_tool = remember(store, "a-tool-said-always")
    reviewed(store, from_a_tool, standing=True, trust="tool")
    calendar.wait(800)
    left = [("archive", "a-tool-said-always"), ("archive", AGENTS_WORD)]
    assert deeds(planned(store)[1]) == left
    small = Forget(long_term_tokens=200)
    assert deeds(run(store, small)) == left
    assert run(store, Forget(clock="calendar")).steps == ()


def test_what_a_person_only_looked_at_renamed_or_imported_is_not_their_word(
    store: Store, calendar: Calendar
) -> None:
    library = Library(store)
    library.rename(remember(store, "old-name"), "new-name", USER)
    imported = Cause("imported", "notes.md", "a folder", "import_1").reason
    remember(store, "from-elsewhere", by=USER._replace(reason=imported))
    calendar.wait(31)
    assert deeds(run(store)) == [("archive", "from-elsewhere"), ("archive", "new-name")]


@pytest.mark.proves("B8")
def test_harm_and_a_hand_that_unpins_end_what_a_person_kept(
    store: Store, calendar: Calendar
) -> None:
    item = remember(store, "led-astray", by=USER)
    text = item.memory.content.replace("metadata:\n", "metadata:\n  harmful: 2\n")
    store.update("shop", item.memory.id, content=text, by=AGENT)
    library = Library(store)
    pinned = library.pin(remember(store, "let-go", by=USER), "for now", USER)
    library.unpin(pinned, USER._replace(reason="unpinned"))
    calendar.wait(31)
    assert deeds(run(store)) == [("archive", "led-astray"), ("archive", "let-go")]


@pytest.mark.proves("B8")
def test_what_the_digest_holds_is_not_archived(store: Store, calendar: Calendar) -> None:
    remember(store, "told")
    remember(store, "untold")
    calendar.wait(60)
    _, plan = planned(store, digest=frozenset({("shop", "told")}))
    assert deeds(plan) == [("archive", "untold")]


@pytest.mark.proves("B8")
def test_five_weeks_away_and_the_first_run_on_old_logs_take_nothing(
    store: Store, calendar: Calendar
) -> None:
    remember(store, "learned-late", created="2024-01-01")
    assert planned(store)[1].steps == ()
    calendar.wait(35)
    assert planned(store, worked=WorkedDays.of([("shop", "2026-03-01")]))[1].steps == ()
    assert deeds(run(store)) == [("archive", "learned-late")]


@pytest.mark.proves("B8")
def test_learning_it_again_starts_its_days_anew(store: Store, calendar: Calendar) -> None:
    item = remember(store, "said-in-old-logs-too")
    calendar.wait(20)
    reviewed(store, item)
    calendar.wait(30)
    assert run(store).steps == ()
    calendar.wait(1)
    assert deeds(run(store)) == [("archive", "said-in-old-logs-too")]


@pytest.mark.proves("B8")
def test_what_only_the_calendar_took_from_a_person_is_not_purged(
    store: Store, calendar: Calendar
) -> None:
    library = Library(store)
    old = "decayed from shop:/{0}.md (Best Practices): dated 2026-03-01, nothing spoke for it"
    for name, by in (("mine", USER), ("an-agents", AGENT)):
        item = remember(store, name, by=by)
        library.archive(item, AGENT._replace(reason=old.format(name) + " in 31 days"))
    assert all(one.by_calendar for one in archived(store, items(store), Forget()))
    calendar.wait(400)
    assert deeds(run(store)) == [("purge", "an-agents")]


def test_the_last_run_is_known_by_what_it_wrote(store: Store, calendar: Calendar) -> None:
    remember(store, "first")
    calendar.wait(31)
    run(store)
    remember(store, "second")
    calendar.wait(31)
    run(store)
    lying = archived(store, items(store), Forget())
    assert [one.item.name for one in last_run(lying)] == ["second"]
    assert not any(one.by_calendar for one in lying)
    library = Library(store, "shop")
    library.unarchive(library.find("second"), USER)
    lying = archived(store, items(store), Forget())
    assert [one.item.name for one in last_run(lying)] == ["first"]
    assert last_run([]) == []
