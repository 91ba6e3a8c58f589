"""Dailies: what a day came to, within 4 KB, with a person's notes kept through every rewrite."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.commands import Answer

from reverie.cli.root import run
from reverie.clock import fixed
from reverie.db.database import Database
from reverie.documents.document import Document
from reverie.learn.daily.dailies import BEGIN, END, STORE, Chronicler, DailyPage, Written, split
from reverie.learn.daily.daily import Daily, Learned, Point, Stretch, daily, final_commits, topics
from reverie.learn.daily.text import LARGE, SHAPES, WIDE, fitted, grade, markdown, size_of
from reverie.learn.diary.diary import Diary, Line
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue
from reverie.sample import NOW, place
from reverie.sessions.diaries import DiaryRow, replace_diaries
from reverie.store.model import Actor, Author
from reverie.store.store import Store

FIXTURES = Path(__file__).parent / "fixtures"
DAY = "2026-03-02"
USER = Author(Actor("user"), "a note", "user")


def diary(session: str = "claude-code:s1", **values: Any) -> Diary:
    empty = Diary(
        session=session, project="shop", number=1, tasks=1, day=DAY, started=f"{DAY}T09:00:00Z",
        ended=f"{DAY}T09:30:00Z", title="Add the export", begins=(), task=(), approaches=(),
        worked=(), mistakes=(), errors=(), edge_cases=(), patterns=(), commits=(),
        links=(), outcome="working", refused=(), cancelled=(), empty=(),
    )  # fmt: skip
    return replace(empty, **values)


def agent(text: str) -> Line:
    return Line(f"“{text}”", (1,), "agent")


def lines(*texts: str) -> tuple[Line, ...]:
    return tuple(Line(text, (1,)) for text in texts)


def table(name: str) -> list[tuple[str, str]]:
    rows = (FIXTURES / name).read_text(encoding="utf-8").splitlines()
    told = [row.split(None, 1) for row in rows if row.strip() and not row.startswith("#")]
    return [(first, second.strip()) for first, second in told]


# What is told


@pytest.mark.proves("B2")
@pytest.mark.parametrize(("wanted", "said"), table("daily_points.txt"))
def test_only_what_stands_at_the_end_is_a_key_point(wanted: str, said: str) -> None:
    found = daily(DAY, [diary(worked=(agent(said),))], []).points
    assert [point.text for point in found] == ([said] if wanted == "yes" else [])


@pytest.mark.proves("B2")
def test_what_failed_was_refused_or_broken_off_leaves_no_key_point() -> None:
    said = agent("The export now streams rows, so memory stays small.")
    for outcome in ("failing", "refused", "interrupted"):
        assert daily(DAY, [diary(worked=(said,), outcome=outcome)], []).points == ()
    assert len(daily(DAY, [diary(worked=(said,), outcome="committed")], []).points) == 1


def test_what_a_person_decided_when_asked_is_told_with_its_answer() -> None:
    asked = Line(
        'asked: "Which format do we export?"="CSV (Recommended)", "Should I go on?"="yes please"',
        (3,),
        "human",
    )
    points = daily(DAY, [diary(task=(asked,))], []).points
    assert [point.text for point in points] == ["Which format do we export? → decided: CSV"]


@pytest.mark.proves("B2")
def test_of_amended_and_reverted_commits_only_the_final_ones_are_told() -> None:
    first = diary(commits=lines("aaaaaaa1 Add export", "bbbbbbb1 Add import", "ccccccc1 Fix typo"))
    then = diary(commits=lines("aaaaaaa2 Add export", 'ddddddd1 Revert "Fix typo"'))
    assert final_commits([first, then]) == [
        ("shop", "bbbbbbb Add import"),
        ("shop", "aaaaaaa Add export"),
    ]


def test_the_same_wish_in_session_after_session_is_told_once() -> None:
    rows = [diary(f"claude-code:s{n}", started=f"{DAY}T09:0{n}:00Z") for n in range(3)]
    text = markdown(daily(DAY, rows, []), WIDE)
    assert text.count("Add the export") == 1
    assert "(in 3 sessions)" in text


@pytest.mark.proves("B2")
def test_topics_are_what_several_tasks_share() -> None:
    rows = [
        diary(title="Stream the invoice export"),
        diary(title="Invoice export loses a column"),
        diary(title="Rename the login page"),
    ]
    assert topics(rows) == ["invoice export"]


@pytest.mark.proves("B4")
def test_projects_are_tagged_the_busiest_first() -> None:
    rows = [
        diary("claude-code:a", project="feed"),
        diary("claude-code:b", project="shop"),
        diary("claude-code:c", project="shop", title="Other"),
    ]
    assert "Projects: #shop #feed" in markdown(daily(DAY, rows, []), WIDE)


def test_a_task_past_midnight_is_told_on_both_days_and_its_result_on_the_second() -> None:
    night = diary(
        started=f"{DAY}T23:10:00Z",
        ended="2026-03-03T00:40:00Z",
        commits=lines("aaaaaaa1 Stream the rows"),
    )
    first, second = (daily(day, [night], []) for day in (DAY, "2026-03-03"))
    assert (first.commits, len(second.commits)) == ((), 1)
    assert "- 23:10–: Add the export" in markdown(first, WIDE)
    assert "- –00:40: Add the export" in markdown(second, WIDE)


# Size


@pytest.mark.proves("B3")
@pytest.mark.parametrize(("size", "wanted"), table("daily_sizes.txt"))
def test_sizes_mean_what_the_table_says(size: str, wanted: str) -> None:
    assert grade(int(size)) == wanted


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=40)
HUGE = ["word " * 200, "字" * 400, "x" * 900, "a. " * 300, "# no\n## heading\n", BEGIN, END]
LONG = st.one_of(WORDS, st.sampled_from(HUGE))
DAILIES = st.builds(
    Daily,
    day=st.just(DAY),
    projects=st.lists(st.text("abc-", min_size=1, max_size=40), max_size=30, unique=True).map(
        tuple
    ),
    stretches=st.lists(
        st.builds(
            Stretch,
            project=st.text("abc-", max_size=40),
            session=st.text("abc", max_size=5),
            started=st.just(f"{DAY}T09:00:00Z"),
            ended=st.just(f"{DAY}T09:30:00Z"),
            tasks=st.lists(st.tuples(LONG, LONG), max_size=6).map(tuple),
            outcome=st.sampled_from(["working", "committed", "pull request"]),
            result=LONG,
        ),
        max_size=40,
    ).map(tuple),
    topics=st.lists(st.text("abc ", max_size=40), max_size=9).map(tuple),
    points=st.lists(
        st.builds(Point, st.text("abc", max_size=9), LONG, st.just(1)), max_size=30
    ).map(tuple),
    learned=st.lists(
        st.builds(
            Learned,
            document=st.builds(
                Document,
                name=st.text("abc-", min_size=1, max_size=60),
                description=LONG,
                type=st.just("feedback"),
                kind=st.just("error"),
                scope=st.just("shop"),
                created=st.just(DAY),
                body=LONG,
            ),
            occasion=LONG,
            waiting=st.booleans(),
        ),
        max_size=20,
    ).map(tuple),
    commits=st.lists(st.tuples(st.text("abc", max_size=9), LONG), max_size=40).map(tuple),
    links=st.lists(LONG, max_size=20).map(tuple),
)


@pytest.mark.proves("B3")
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a found day is not worth shrinking
)
@given(DAILIES)
def test_a_daily_fits_whatever_the_day_held(one: Daily) -> None:
    fit = fitted(lambda shape: markdown(one, shape), 400)
    assert size_of(fit.text) + 400 <= LARGE
    assert BEGIN not in fit.text
    assert END not in fit.text
    headings = [line for line in fit.text.splitlines() if line.startswith("#")]
    assert all(line in {f"# {DAY}"} or line.removeprefix("## ") in SECTIONS for line in headings), (
        headings
    )


SECTIONS = {"Sessions", "Topics", "Key points", "Learnings", "Commits"}


@pytest.mark.proves("B3")
@pytest.mark.parametrize(
    ("size", "widest", "told"),
    [
        (3_000, 3_000, ""),
        (4_000, 6_000, "would have been 5.9 KB: compacted to 3.9 KB"),
        (4_000, 9_000, "would have been 8.8 KB: redone, now 3.9 KB"),
        (5_000, 9_000, "is 4.9 KB, over its limit"),
    ],
)
def test_a_warning_says_what_was_done_about_a_size(size: int, widest: int, told: str) -> None:
    done = Written(DAY, "written", size, widest)
    assert done.warning == (f"daily {DAY} {told}" if told else "")


@pytest.mark.proves("B3")
def test_a_full_day_is_compacted_and_an_overfull_one_redone() -> None:
    def shown(sessions: int) -> int:
        rows = [
            diary(
                f"claude-code:s{n:02}", title=f"Task {n}", task=lines(f"Task {n} " + "word " * 60)
            )
            for n in range(sessions)
        ]
        return fitted(lambda shape: markdown(daily(DAY, rows, []), shape)).widest

    assert [grade(shown(n)) for n in (1, 4, 14, 60)] == ["short", "good", "large", "too large"]


def test_every_shape_is_narrower_than_the_one_before() -> None:
    for wide, narrow in pairwise(SHAPES):
        assert all(a >= b for a, b in zip(wide, narrow, strict=True))


# In the store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/memory.db", clock=fixed(NOW)) as opened:
        opened.create_store(STORE)
        opened.create_store("shop")
        yield opened


@pytest.fixture
def index(index_database: Database) -> Database:
    return index_database


def keep(index: Database, *rows: Diary) -> None:
    for session in {row.session for row in rows}:
        own = [row for row in rows if row.session == session]
        replace_diaries(
            index,
            session,
            [
                DiaryRow(
                    session, n, row.project, f"/diary/{n}.md", row.day, row.started, row.title,
                    row.outcome, 1, 0, "", json.dumps(row.as_data()),
                )
                for n, row in enumerate(own, 1)
            ],
        )  # fmt: skip


def write(store: Store, index: Database) -> Any:
    queue = Queue(store.database, fixed(NOW))
    return Chronicler(store, queue).write(index, [DAY])[0]


def text_of(store: Store) -> str:
    return store.get(STORE, f"/daily/{DAY}.md").content


def edit(store: Store, text: str) -> None:
    store.update(STORE, f"/daily/{DAY}.md", content=text, by=USER)


@pytest.mark.proves("B4")
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    before=st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=200),
    after=st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=200),
)
def test_notes_outside_the_marks_survive_every_rewrite_to_the_byte(
    store: Store, index: Database, before: str, after: str
) -> None:
    index.query("DELETE FROM diaries")
    keep(index, diary())
    write(store, index)
    front, _, rest = text_of(store).partition(BEGIN)
    ours = rest.partition(END)[0]
    edit(store, f"{front}\n{before}\n{BEGIN}{ours}{END}\n{after}\n")
    keep(index, diary(), diary("claude-code:s2", title="And the import", ended=f"{DAY}T12:00:00Z"))
    assert write(store, index).action == "written"
    kept = text_of(store)
    assert f"\n{before}\n{BEGIN}" in kept
    assert kept.endswith(f"{END}\n{after}\n")
    assert "And the import" in kept
    assert write(store, index).action == "unchanged"


def page_of(store: Store) -> DailyPage:
    memory = store.get(STORE, f"/daily/{DAY}.md")
    return DailyPage(DAY, memory.content, memory)


@pytest.mark.proves("B4")
def test_a_line_put_between_the_marks_is_moved_below_them_and_kept(
    store: Store, index: Database
) -> None:
    keep(index, diary())
    write(store, index)
    edit(store, text_of(store).replace("## Sessions\n", "## Sessions\n\n- ask Ines about it\n"))
    keep(index, diary(title="Add the import"))
    write(store, index)
    notes = page_of(store).notes
    assert notes == "## Notes\n\n- ask Ines about it"
    keep(index, diary(title="Add both"))
    write(store, index)
    assert page_of(store).notes == notes
    assert "Add both" in text_of(store)


@pytest.mark.proves("B4")
def test_a_file_without_our_marks_is_the_persons_and_ours_is_added(
    store: Store, index: Database
) -> None:
    store.create(STORE, f"/daily/{DAY}.md", "Only my own words.\n", USER)
    keep(index, diary())
    write(store, index)
    assert "Only my own words." in page_of(store).notes
    assert "Add the export" in text_of(store)


def test_keys_a_person_added_to_the_frontmatter_stay(store: Store, index: Database) -> None:
    keep(index, diary())
    write(store, index)
    edit(store, text_of(store).replace("metadata:\n", "mood: good\nmetadata:\n"))
    keep(index, diary(title="Add the import"))
    write(store, index)
    assert "mood: good\n" in text_of(store)


def test_nothing_new_makes_no_version(store: Store, index: Database) -> None:
    keep(index, diary())
    assert write(store, index).action == "written"
    assert write(store, index).action == "unchanged"
    assert store.get(STORE, f"/daily/{DAY}.md").version == 1


@pytest.mark.proves("B3")
def test_notes_do_not_count_against_the_size_of_our_part(store: Store, index: Database) -> None:
    keep(index, diary())
    write(store, index)
    edit(store, text_of(store) + "my words\n" * 2000)
    keep(index, diary(title="Add the import"))
    done = write(store, index)
    assert done.size <= LARGE
    assert text_of(store).count("my words") == 2000


# Learnings


def candidate(lesson: str, session: str = "claude-code:s1", line: int = 4) -> Candidate:
    return Candidate(
        lesson=lesson, type="feedback", kind="best-practice", scope="project", project="shop",
        session=session, evidence=f"{session}#{line}", at=f"{DAY}T09:10:00Z", quote=lesson,
        premise="", standing=True, trust="user", score=0.9,
    )  # fmt: skip


def remember(store: Store, one: Candidate, created: str = DAY, status: Any = "written") -> None:
    document = replace(one.document(), created=created)
    memory = store.put("shop", f"/{document.name}.md", document.text(), USER)
    Queue(store.database, fixed(NOW)).add(one, why="sure", status=status, memory_id=memory.id)


@pytest.mark.proves("B2", "B5")
def test_learnings_have_the_one_form_and_each_concept_is_told_once(
    store: Store, index: Database
) -> None:
    keep(index, diary())
    remember(store, candidate("Always run the linter before a commit"))
    again = candidate("Before a commit always run the linter, please", line=9)
    remember(store, replace(again, at=f"{DAY}T11:00:00Z"))
    write(store, index)
    part = text_of(store).partition("## Learnings\n\n")[2].partition("\n<!--")[0]
    (told,) = part.strip().split("\n- ")
    assert f"[shop/best-practice] ({DAY}): " in told
    assert told.endswith("\n  - Lesson: Always run the linter before a commit")


@pytest.mark.proves("B2")
def test_what_long_term_memory_had_before_that_day_is_not_told_again(
    store: Store, index: Database
) -> None:
    known = "The export now streams rows in chunks of a thousand."
    keep(index, diary(worked=(agent(known),)))
    remember(store, candidate("Always run the linter before a commit"), created="2026-02-01")
    remember(store, candidate(known, session="claude-code:s0"), created="2026-02-01")
    write(store, index)
    assert "## Learnings" not in text_of(store)
    assert "streams rows" not in text_of(store)


def test_what_waits_for_a_person_says_so_and_what_was_rejected_is_left_out(
    store: Store, index: Database
) -> None:
    keep(index, diary())
    queue = Queue(store.database, fixed(NOW))
    queue.add(candidate("Prefer small commits over one large one"), why="not sure")
    refused = candidate("Never write comments in tests", line=8)
    queue.add(refused, why="not sure")
    queue.decide(refused.id, "rejected")
    write(store, index)
    assert "(to be reviewed)" in text_of(store)
    assert "small commits" in text_of(store)
    assert "comments in tests" not in text_of(store)


# The command


@pytest.fixture
def learned(
    isolated_home: Path, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> list[dict[str, Any]]:
    """The sample, learned; the list of its dailies."""
    monkeypatch.setenv("REVERIE_NOW", NOW)
    monkeypatch.chdir(place(isolated_home) / "shop-api")
    answer("learn")
    return answer("daily", "--list", "--json")


@pytest.mark.proves("B2", "B3", "B4")
def test_learning_the_sample_writes_a_daily_for_every_day_with_sessions(
    learned: list[dict[str, Any]], answer: Answer
) -> None:
    days = {day["day"] for day in learned}
    worked = {row["started"][:10] for row in answer("sessions", "list", "--json")}
    assert days == worked
    assert all(day["bytes"] <= LARGE for day in learned)
    for day in sorted(days):
        shown = answer("daily", day)
        assert shown.startswith(f"# {day}\n")
        told = shown.partition("## Sessions\n")[2].partition("\n## ")[0].strip().splitlines()
        assert told
        for line in told:
            words = line.partition(": ")[2].rpartition(" → ")[0]
            assert words and len(re.findall(r"[.!?](?= |$)", words)) <= 2, line
        assert "Projects: #" in shown
        assert "<!--" not in shown


def test_the_newest_daily_is_shown_and_a_day_without_one_is_an_error(
    learned: list[dict[str, Any]], answer: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer("daily").startswith(f"# {learned[-1]['day']}")
    assert answer("daily", "--json")["data"]["projects"]
    assert run(["daily", "2020-01-01"]) == 3
    assert "no daily of 2020-01-01" in capsys.readouterr().err
    assert run(["daily", "someday"]) == 2


@pytest.mark.proves("B4")
def test_dailies_are_filtered_by_project(learned: list[dict[str, Any]], answer: Answer) -> None:
    rows = answer("sessions", "list", "--json")
    days = {row["started"][:10] for row in rows if row["project"] == "feed-loader"}
    listed = answer("daily", "--list", "--project", "feed-loader", "--json")
    assert {one["day"] for one in listed} == days < {one["day"] for one in learned}
    shared = next(
        day
        for day in sorted(days)
        if {row["project"] for row in rows if row["started"][:10] == day} > {"feed-loader"}
    )
    for name in ("feed-loader", str(Path.cwd().parent / "feed-loader")):
        part = answer("daily", shared, "--project", name, "--json")
        assert part["data"]["projects"] == ["feed-loader"]
        assert {one["project"] for one in part["data"]["sessions"]} == {"feed-loader"}
        assert "shop-api" not in part["text"]
    assert answer("daily", shared, "--project", "feed-loader").startswith(f"# {shared}\n")
    newest = answer("daily", "--project", "feed-loader", "--json")
    assert newest["day"] == max(days)


def test_a_day_on_which_a_project_rested_is_an_error(
    learned: list[dict[str, Any]], answer: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = answer("daily", "--list", "--project", "feed-loader", "--json")
    without = sorted({one["day"] for one in learned} - {one["day"] for one in listed})[-1]
    assert run(["daily", without, "--project", "feed-loader"]) == 3
    assert f"no daily of feed-loader on {without}" in capsys.readouterr().err
    assert run(["daily", "--project", "nowhere"]) == 3


@pytest.mark.proves("B12")
def test_a_projects_memory_comes_with_the_dailies_of_its_last_worked_days(
    learned: list[dict[str, Any]],
    answer: Answer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = str(Path.cwd())
    monkeypatch.chdir(tmp_path)  # from anywhere
    days = answer("projects", "show", "shop-api", "--json")["days"]
    for reference in ("shop-api", root):
        shown = answer("projects", "show", reference, "--days", "2", "--json")
        assert [one["day"] for one in shown["recent"]] == days[-2:]
        for one in shown["recent"]:
            assert (
                one["daily"]
                == answer("daily", one["day"], "--project", "shop-api", "--json")["text"]
            )
    monkeypatch.setenv("REVERIE_PROJECTS_WORKED_DAYS", "3")
    text = answer("projects", "show", "shop-api")
    assert [line[2:] for line in text.splitlines() if line.startswith("# ")] == days[-3:][::-1]
    assert "## Sessions" in text and "claude-code:" not in text


def test_learning_again_changes_no_daily(learned: list[dict[str, Any]], answer: Answer) -> None:
    before = {d["day"]: answer("daily", d["day"], "--json")["version"] for d in learned}
    answer("reindex")
    answer("learn")
    after = {d["day"]: answer("daily", d["day"], "--json")["version"] for d in learned}
    assert after == before


def test_unlearning_a_session_takes_it_out_of_its_daily_and_of_older_versions(
    learned: list[dict[str, Any]], answer: Answer, isolated_home: Path
) -> None:
    session = answer("sessions", "list", "--json")[0]
    day = session["started"][:10]
    title = answer("daily", day, "--json")["data"]["sessions"][0]["tasks"][0][0]
    before = answer("daily", day)
    assert title in before
    answer("unlearn", session["key"], "--yes")
    if day in {d["day"] for d in answer("daily", "--list", "--json")}:
        assert title not in answer("daily", day)
    assert title.encode() not in (isolated_home / ".reverie" / "memory.db").read_bytes()


def test_marks_are_split_only_where_both_stand() -> None:
    assert split("mine") == ("", "", "mine")
    assert split(f"a{BEGIN}b{END}c") == ("a", "b", "c")
    assert split(f"a{END}b{BEGIN}c") == ("", "", f"a{END}b{BEGIN}c")


def test_lessons_of_a_night_stand_in_the_daily_of_the_day_they_were_said(
    store: Store, index: Database
) -> None:
    keep(index, diary(started=f"{DAY}T23:10:00Z", ended="2026-03-03T00:40:00Z"))
    queue = Queue(store.database, fixed(NOW))
    late = replace(candidate("Stream what is large"), at="2026-03-03T00:20:00Z")
    queue.add(late, why="waits")
    chronicler = Chronicler(store, queue)
    (today, tomorrow) = chronicler.write(index, [DAY, "2026-03-03"])
    assert (today.day, tomorrow.day) == (DAY, "2026-03-03")
    assert "## Learnings" not in text_of(store)
    assert "## Learnings" in store.get(STORE, "/daily/2026-03-03.md").content


def test_a_lesson_that_is_accepted_later_reaches_the_daily(store: Store, index: Database) -> None:
    keep(index, diary())
    queue = Queue(store.database, fixed("2026-03-02T18:00:00Z"))
    waiting = replace(candidate("Quote every path"), score=0.1)
    queue.add(waiting, why="not sure")
    chronicler = Chronicler(store, queue)
    chronicler.write(index, [DAY])
    assert "Quote every path" not in text_of(store)
    memory = store.put("shop", "/quote.md", waiting.document().text(), USER)
    later = Queue(store.database, fixed("2026-03-05T09:00:00Z"))
    later.decide(waiting.id, "accepted", memory.id)
    fresh = Chronicler(store, later)
    page = fresh.page(index, DAY)
    assert page is not None and "Quote every path" in page.text
    assert fresh.decided_since("2026-03-03T00:00:00Z") == {DAY}
    assert fresh.decided_since("2026-03-06T00:00:00Z") == set()
    fresh.write(index, [DAY])
    assert "Quote every path" in text_of(store)
