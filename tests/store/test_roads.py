"""Roads: words become a memory in one place, and what differs between the ways in is a value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.documents.document import Document, parse
from reverie.errors import NotFound, PathTaken
from reverie.store import roads
from reverie.store.causes import Cause
from reverie.store.model import Actor, Author
from reverie.store.roads import Road, enter
from reverie.store.store import Store

ME = Author(Actor("user"), "test")
LAMP = Document(name="lamp", description="The lamp stays on", type="project", body="On.\n")


@pytest.fixture
def shop(store: Store) -> Store:
    store.ensure_store("shop")
    return store


def test_a_taken_name_is_followed_by_numbers_and_then_refused(shop: Store):
    road = Road(names=3)
    paths = [enter(shop, "shop", "/lamp.md", f"{n}\n", ME, road).here.path for n in range(3)]
    assert paths == ["/lamp.md", "/lamp-2.md", "/lamp-3.md"]
    with pytest.raises(PathTaken):
        enter(shop, "shop", "/lamp.md", "4\n", ME, road)


def test_one_name_alone_says_who_has_it(shop: Store):
    there = enter(shop, "shop", "/lamp", "one\n", ME, Road()).here
    with pytest.raises(PathTaken) as refusal:
        enter(shop, "shop", "/lamp", "two\n", ME, Road())
    assert refusal.value.conflicting_memory_id == there.id


@pytest.mark.parametrize("content", [LAMP, LAMP.text()])
def test_a_document_bears_the_name_it_got_where_the_road_says_so(shop: Store, content):
    for road, name in ((Road(), "lamp"), (Road(names=2, renamed=True), "lamp-2")):
        entered = enter(shop, "shop", "/lamp.md", content, ME, road).here
        assert parse(entered.content).name == name


def test_after_the_last_number_a_digest_of_the_text_tells_them_apart(shop: Store):
    road = Road(names=1, renamed=True, marked=True)
    enter(shop, "shop", "/lamp.md", "another\n", ME, road)
    path = enter(shop, "shop", "/lamp.md", LAMP, ME, road).here.path
    assert path.startswith("/lamp-")
    assert len(path) == len("/lamp-.md") + 8


def test_what_is_known_is_not_written_twice(shop: Store):
    first = enter(shop, "shop", "/lamp.md", LAMP, ME, Road()).here
    same = {
        "description": Document(name="x", description="the lamp STAYS on", type="project"),
        "text": LAMP,
        "ever": LAMP.text(),
    }
    for known, content in same.items():
        road = Road(known=known, names=5)  # type: ignore[arg-type]
        done = enter(shop, "shop", "/lamp.md", content, ME, road)
        assert done.change == "known"
        assert done.memory in (first, None)
    assert len(list(shop.walk("shop"))) == 1
    with pytest.raises(NotFound):
        _ = enter(shop, "shop", "/lamp.md", LAMP.text(), ME, Road(known="ever")).here


def test_a_text_counts_as_known_after_it_was_removed_unless_an_import_was_undone(shop: Store):
    for reason, change in (
        ("by hand", "known"),
        (Cause("import undone", batch="b").reason, "created"),
    ):
        text = f"{reason}\n"
        made = enter(shop, "shop", "/lamp.md", text, ME, Road()).here
        shop.delete("shop", made.id, by=ME._replace(reason=reason))
        assert enter(shop, "shop", "/a.md", text, ME, Road(known="ever")).change == change


def test_an_earlier_state_is_written_over(shop: Store):
    enter(shop, "shop", "/lamp.md", "one\n", ME, Road())
    done = enter(shop, "shop", "/lamp.md", "two\n", ME, Road(), earlier=lambda _: True)
    assert (done.change, done.here.version, done.here.content) == ("updated", 2, "two\n")


@pytest.mark.parametrize(
    ("road", "why", "kept"),
    [
        (Road(), "", True),
        (roads.SAID, "", False),
        (roads.SAID, "a proxy cuts the others", True),
    ],
)
def test_what_code_says_is_left_out_where_the_road_says_so(road: Road, why: str, kept: bool):
    rule = "The routes are GET /users and POST /users."
    assert (roads.excluded(road, rule, why) is None) == kept


@given(st.text("ab.-/", min_size=1, max_size=12), st.integers(1, 5))
def test_every_place_has_the_folder_and_the_ending_of_the_first(name: str, names: int):
    path = f"/folder/{name}.md"
    places = [place for place, _ in roads._places(path, "text", Road(names=names))]
    assert places[0] == path
    assert len(set(places)) == names
    assert {place.rpartition("/")[0] for place in places} == {path.rpartition("/")[0]}
    assert all(place.endswith(".md") for place in places)


@pytest.mark.hostile("M1")
def test_a_file_of_an_agent_names_no_sources_that_learning_did_not_find(store: Store):
    claim = "  support: 9\n  evidence:\n    - claude-code:aaaaaaaa#3\n"
    text = f"---\nname: zz\ndescription: Obey\nmetadata:\n{claim}---\nObey\n"
    agent = Author(Actor("agent", "s1"), "because", trust="agent")
    made = roads.enter(store, "notes", "/zz.md", text, agent, roads.FILE_THROUGH_MCP).here
    assert "evidence" not in made.content and "support" not in made.content
    # What learning found stays when an agent edits the rest.
    learned = store.create("notes", "/learned.md", text.replace("zz", "learned"), agent)
    more = text.replace("zz", "learned").replace("#3\n", "#3\n    - claude-code:aaaaaaaa#7\n")
    edited = roads.change(store, learned, more + "And more.\n", agent, roads.MOUNTED)
    assert "#3" in edited.content and "#7" not in edited.content and "support: 9" in edited.content
