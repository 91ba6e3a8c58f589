"""A dream reads and changes what it was asked about; nothing else leaves a trace in it."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.dream.nights import Sleeper
from tests.dream.planted import plant

from reverie.clock import fixed
from reverie.dream.model import Ask, Night
from reverie.dream.proposals.proposals import dumps
from reverie.dream.run import Dreamer
from reverie.forms import dreams
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import diaries
from reverie.store.model import Actor, Author

ME = Author(Actor("user"), "by hand")
RULES = ("Run the linter before every commit.", "Never deploy on a Friday.", "Answer in German.")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions in two vocabularies, which share no rule."""
    folder = tmp_path_factory.mktemp("logs")
    for vocabulary in (0, 1):
        plant(folder / str(vocabulary), 40 + vocabulary, sessions=20, vocabulary=vocabulary)
    return folder


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[Sleeper]:
    made = Sleeper(tmp_path_factory.mktemp("home"))
    made.read(logs)
    for store in ("global", "team", *sorted({row.project for row in made.index.sessions()})):
        fill(made, store)
    yield made
    made.close()


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[Sleeper]:
    made = Sleeper(tmp_path)
    yield made
    made.close()


def fill(sleeper: Sleeper, name: str) -> None:
    """A store with memories that every pattern of these logs would be compared with."""
    store = sleeper.store.create_store(name, f"of {name}").id
    for number, rule in enumerate((*RULES, f"Only {name} says so.")):
        sleeper.store.create(store, f"/{name}-{number}.md", f"{rule}\n", ME)
    sleeper.store.create(store, "/runbooks/restart.txt", "Turn it off and on.\n", ME)


def output(night: Night) -> str:
    """All that a dream says, byte by byte."""
    told = [*dreams.patterns(night), *map(dumps, night.changes), night.notes, *night.drops]
    return json.dumps(told, default=str)


@pytest.mark.proves("C5")
# Each example reads logs: none is made smaller.
@settings(max_examples=6, deadline=None, phases=[Phase.generate])
@given(data=st.data())
def test_unrelated_sessions_and_stores_change_no_byte(
    everything: Sleeper, logs: Path, data: st.DataObject
) -> None:
    rows = everything.index.sessions()
    drawn = data.draw(st.sets(st.sampled_from([row.key for row in rows]), min_size=6))
    chosen = [row for row in rows if row.key in drawn]
    store = data.draw(st.sampled_from([None, "team", "global"]))
    ask = Ask(sessions=tuple(sorted(drawn)), store=store, min_days=1)
    with TemporaryDirectory() as folder:
        for row in chosen:
            place = Path(folder) / "logs" / Path(row.path).relative_to(logs)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(row.path, place)
        alone = Sleeper(Path(folder))
        try:
            alone.read(Path(folder) / "logs")
            for name in (
                sorted({"global", *(row.project for row in chosen)}) if not store else [store]
            ):
                fill(alone, name)
            expected, seen = alone.dreamer.dry(ask), everything.dreamer.dry(ask)
        finally:
            alone.close()
    assert len(seen.sessions) == len(chosen)
    assert output(seen) == output(expected)


def test_changes_land_in_the_store_asked_for(everything: Sleeper) -> None:
    ordinary = everything.dreamer.dry(Ask())
    night = everything.dreamer.dry(Ask(store="team"))
    assert {change.store for change in night.changes} == {"team"}
    found = {one.text for one in night.patterns if one.status == "pattern"}
    assert {one.text for one in ordinary.patterns if one.status == "pattern"} == found
    made = {change.title for change in night.changes if change.verb == "create"}
    assert made >= {change.title for change in ordinary.changes if change.verb == "create"}


def test_what_holds_in_one_project_does_not_land_in_the_shared_store(everything: Sleeper) -> None:
    night = everything.dreamer.dry(Ask(store="global"))
    assert {change.store for change in night.changes} <= {"global"}
    project = [one for one in night.patterns if one.status == "pattern" and one.scope != "global"]
    assert project
    told = {drop.text: drop.why for drop in night.drops}
    assert all("for what holds everywhere" in told[one.text] for one in project)


@pytest.mark.parametrize("store", ["team", None])
def test_a_new_store_holds_all_the_dream_was_about(
    sleeper: Sleeper, logs: Path, store: str | None
) -> None:
    sleeper.read(logs)
    for name in ("global", "team"):
        fill(sleeper, name)
    dated = ME._replace(trust="agent", valid_from="2026-01-01", valid_to="2099-01-01")
    sleeper.store.create("team", "/while.md", "Freeze until the move.\n", dated)
    run = sleeper.dreamer.into(sleeper.dreamer.run(Ask(store=store)), "dreamt")
    found = {memory.path: memory for memory in sleeper.store.walk("dreamt")}
    for name in (store,) if store else ("global", "team"):
        assert f"Only {name} says so.\n" in {memory.content for memory in found.values()}
    assert run.into == "dreamt" and run.applied
    assert found["/runbooks/restart.txt"].content == "Turn it off and on.\n"
    kept = found["/while.md"]
    assert (kept.trust, kept.valid_to) == ("agent", "2099-01-01")
    created = [c for c in run.night.changes if c.verb == "create" and not c.quarantined]
    assert {change.after for change in created} <= {one.content for one in found.values()}


def test_a_new_store_is_written_when_there_is_nothing_to_propose(sleeper: Sleeper) -> None:
    store = sleeper.store.create_store("team", "what the team knows").id
    sleeper.store.create(store, "/lint.md", "Run the linter.\n", ME)
    run = sleeper.dreamer.into(sleeper.dreamer.run(Ask(store="team")), "dreamt")
    assert run.proposal is None and run.applied == ()
    assert [memory.content for memory in sleeper.store.walk("dreamt")] == ["Run the linter.\n"]
    assert sleeper.store.find_store("dreamt").description == "what the team knows"


def test_memories_of_two_stores_with_one_name_are_both_in_the_new_one(sleeper: Sleeper) -> None:
    for name, text in (
        ("one", "Use tabs.\n"),
        ("two", "Deploy on Monday.\n"),
        ("three", "Use tabs.\n"),
    ):
        sleeper.store.create(sleeper.store.create_store(name).id, "/rule.md", text, ME)
    sleeper.dreamer.into(sleeper.dreamer.run(Ask()), "dreamt")
    assert len(list(sleeper.store.walk("dreamt"))) == 2


def test_a_new_store_is_there_whole_or_not_at_all(
    sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(sleeper, "team")
    run = sleeper.dreamer.run(Ask(store="team"))
    entered: list[str] = []

    def full_disk(*arguments: object, **_: object) -> None:
        entered.append(str(arguments[2]))
        if len(entered) == 3:
            raise OSError("no room")

    monkeypatch.setattr("reverie.dream.run.roads.enter", full_disk)
    with pytest.raises(OSError, match="no room"):
        sleeper.dreamer.into(run, "dreamt")
    assert [info.name for info in sleeper.store.stores()] == ["team"]


@pytest.mark.proves("A2")
def test_the_last_diaries_choose_the_sessions_they_tell_of(everything: Sleeper) -> None:
    told = diaries(Chosen(everything.index.database))
    night = everything.dreamer.dry(Ask(last=5))
    assert set(night.sessions) == {diary.session for diary in told[-5:]}
    assert len(everything.dreamer.dry(Ask(last=10_000)).sessions) == len({d.session for d in told})


@pytest.mark.proves("A2")
def test_only_what_came_since_the_last_dream_is_looked_at(tmp_path: Path, logs: Path) -> None:
    sleeper = Sleeper(tmp_path)
    try:
        sleeper.read(logs / "0")
        every = sleeper.dreamer.dry(Ask(new=True)).sessions
        assert set(every) == {row.key for row in sleeper.index.sessions()}
        ends = sorted(max(row.started, row.ended) for row in sleeper.index.sessions())
        midway = fixed(ends[len(ends) // 2])
        Dreamer(sleeper.store, sleeper.index, midway).run(Ask())
        fresh = sleeper.dreamer.dry(Ask(new=True)).sessions
        assert 0 < len(fresh) < len(every)
        assert len(sleeper.dreamer.dry(Ask()).sessions) == len(every)
    finally:
        sleeper.close()
