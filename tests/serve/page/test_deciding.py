"""Changing memories on the page: edit, pin, forget, go back; and the review."""

import re
from datetime import timedelta
from html import unescape

import pytest
from tests.serve.page.conftest import ORIGIN, Page

from reverie.operations import editing
from reverie.operations.serving import keys
from reverie.serve.page.memories import place_of
from reverie.store.library import Item
from reverie.store.model import Actor, Author


def some_memory(page: Page) -> Item:
    return page.home.library.documents("shop-api")[0]


def fresh(page: Page, item: Item) -> Item:
    return page.home.library.find(f"{item.store}:{item.memory.id}")


def field(text: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', text)
    assert found
    return unescape(found[1])


def written(text: str) -> str:
    found = re.search(r"<textarea[^>]*>(.*?)</textarea>", text, re.DOTALL)
    assert found
    return unescape(found[1])


def test_an_edit_is_kept_with_its_reason_and_can_be_gone_back_on(page: Page) -> None:
    item = some_memory(page)
    form = page.get(f"{place_of(item)}/edit")
    text = written(form)
    assert text.rstrip("\n") == item.memory.content.rstrip("\n")
    # Browsers send the ends of lines of typewriters.
    changed = (text.rstrip() + "\n\nAnd always with a test.\n").replace("\n", "\r\n")
    page.post(f"{place_of(item)}/edit", text=changed, why="asked", sha256=field(form, "sha256"))
    now = fresh(page, item)
    assert now.memory.content.endswith("And always with a test.\n")
    assert "\r" not in now.memory.content
    past = page.get(f"{place_of(item)}/history")
    assert "asked" in past
    assert '<div class="row new" role="row">' in past
    page.post(f"{place_of(item)}/history", version=str(item.memory.version))
    assert fresh(page, item).memory.content == item.memory.content


@pytest.mark.proves("F1")
def test_an_edit_after_somebody_elses_shows_both_and_writes_nothing(page: Page) -> None:
    item = some_memory(page)
    form = page.get(f"{place_of(item)}/edit")
    editing.edit(page.home, item, item.memory.content + "\nTheirs.\n")
    theirs = fresh(page, item)
    mine = written(form) + "\nMine.\n"
    shown = page.post(f"{place_of(item)}/edit", text=mine, sha256=field(form, "sha256"), why="")
    assert "was changed while you were editing" in shown
    assert "Theirs." in shown
    assert "Mine." in written(shown)
    assert fresh(page, item).memory.version == theirs.memory.version
    page.post(f"{place_of(item)}/edit", text=mine, sha256=field(shown, "sha256"), why="")
    assert "Mine." in fresh(page, item).memory.content


def test_a_memory_is_shown_as_it_was_on_a_day(page: Page) -> None:
    item = some_memory(page)
    page.clock.pass_by(timedelta(days=5))
    editing.edit(page.home, item, item.memory.content + "\nLater.\n")
    page.post("/login", word=page.visitors.invite())
    past = f"{place_of(item)}/history"
    assert "Later." in page.get(past)
    assert "Later." not in page.get(f"{past}?as_of=2026-03-18")
    assert "Later." in page.get(f"{past}?as_of=2026-03-21")
    page.get(f"{past}?as_of=2020-01-01", 404)


def test_what_cannot_be_kept_is_said_and_not_lost(page: Page) -> None:
    item = some_memory(page)
    form = page.get(f"{place_of(item)}/edit")
    shown = page.post(
        f"{place_of(item)}/edit", text="x" * 200_000, sha256=field(form, "sha256"), why=""
    )
    assert 'role="alert"' in shown
    assert written(shown) == "x" * 200_000
    assert fresh(page, item).memory.version == item.memory.version


def chosen(*items: Item) -> list[str]:
    return [f"{item.store}/{item.memory.id}" for item in items]


def undo(page: Page, shown: str) -> str:
    found = re.search(r"<form[^>]*data-undo>(.*?)</form>", shown, re.DOTALL)
    assert found
    values: dict[str, list[str]] = {}
    for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', found[1]):
        values.setdefault(name, []).append(unescape(value))
    answer = page.client.post("/memories/decide", data=values, headers=ORIGIN)
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def test_many_are_pinned_at_once_and_unpinned_again(page: Page) -> None:
    items = page.home.library.documents("shop-api")[:3]
    shown = page.post("/memories/decide", deed="pin", memory=chosen(*items), back="/memories")
    assert "3 memories pinned" in shown
    assert all(fresh(page, item).document.pinned for item in items)
    undo(page, shown)
    assert not any(fresh(page, item).document.pinned for item in items)


def test_many_are_forgotten_at_once_and_brought_back(page: Page) -> None:
    items = page.home.library.documents("shop-api")[:2]
    shown = page.post("/memories/decide", deed="forget", memory=chosen(*items), back="/memories")
    assert all(fresh(page, item).archived for item in items)
    archive = page.get("/memories?archived=1")
    assert all(item.memory.id in archive for item in items)
    undo(page, shown)
    assert not any(fresh(page, item).archived for item in items)


def test_a_deed_that_is_none_or_of_nothing_is_said(page: Page) -> None:
    page.post("/memories/decide", 400, deed="burn", memory=["global/x"], back="/")
    assert "Nothing was chosen" in page.post("/memories/decide", deed="pin", back="/memories")
    page.post("/memories/decide", 404, deed="pin", memory=["global/none"], back="/memories")
    answer = page.client.post("/memories/decide", content=b"\xff", headers=ORIGIN)
    assert answer.status_code == 400


def offers(shown: str) -> list[str]:
    return re.findall(r'form="many" name="choice" value="([^"]*)"', shown)


def everything(page: Page) -> set[str]:
    return {item.memory.version_id for item in page.home.library.documents(everywhere=True)}


@pytest.mark.proves("F1")
def test_a_proposal_is_accepted_and_waits_again_after_undo(page: Page) -> None:
    before = page.get("/review")
    first = offers(before)[0]
    memories = everything(page)
    names = {item.name for item in page.home.library.documents(everywhere=True)}
    shown = page.post("/review", deed="accept", choice=first)
    assert first not in offers(shown)
    assert 'role="status"' in shown
    assert everything(page) != memories
    shown = page.post("/review", deed="undo")
    assert offers(shown) == offers(before)
    assert {item.name for item in page.home.library.documents(everywhere=True)} == names
    assert "nothing to take back" in page.post("/review", deed="undo").lower()


def test_decisions_are_taken_back_one_by_one_the_last_first(page: Page) -> None:
    before = offers(page.get("/review"))
    page.post("/review", deed="reject", choice=before[0])
    page.post("/review", deed="accept", choice=before[-1])
    assert before[-1] in offers(page.post("/review", deed="undo"))
    assert offers(page.post("/review", deed="undo")) == before


def test_what_is_edited_before_it_is_accepted_is_written_as_edited(page: Page) -> None:
    for one in (offers(page.get("/review"))[0], offers(page.get("/review"))[-1]):
        form = page.get(f"/review/{one}/edit")
        text = written(form).rstrip() + "\n\nSo it was decided on the page.\n"
        shown = page.post(f"/review/{one}/edit", text=text)
        assert one not in offers(shown)
    items = page.home.library.documents(everywhere=True)
    assert len([item for item in items if "decided on the page" in item.memory.content]) == 2


def test_all_that_is_chosen_is_decided_and_what_was_decided_is_left(page: Page) -> None:
    before = offers(page.get("/review"))
    shown = page.post("/review", deed="reject", choice=before)
    assert f"{len(before)} things rejected" in shown
    assert "All decided" in shown
    assert "It was decided already" in page.post("/review", deed="accept", choice=before[0])
    page.post("/review", 400, deed="burn", choice=before[0])
    page.post("/review", 404, deed="accept", choice="nothing-of-the-kind")


def test_the_queue_of_one_project_is_shown_alone(page: Page) -> None:
    everything = offers(page.get("/review"))
    part = offers(page.get("/review?project=feed-loader"))
    assert 0 < len(part) < len(everything)


def test_two_changes_that_fit_together_are_offered_as_one(page: Page) -> None:
    item = some_memory(page)
    form = page.get(f"{place_of(item)}/edit")
    theirs = item.memory.content.replace("**Said:**", "Theirs.\n\n**Said:**")
    editing.edit(page.home, item, theirs)
    mine = written(form).rstrip() + "\n\nMine.\n"
    shown = page.post(
        f"{place_of(item)}/edit", text=mine, why="mine",
        sha256=field(form, "sha256"), base=field(form, "base"),
    )  # fmt: skip
    assert "both changes fit together" in shown
    assert "Theirs." in written(shown)
    assert "Mine." in written(shown)
    assert field(shown, "why") == "mine"
    for begin, has, lacks in (("yours", "Mine.", "Theirs."), ("theirs", "Theirs.", "Mine.")):
        again = page.post(
            f"{place_of(item)}/edit", begin=begin, text="", yours=mine,
            began=field(shown, "began"), base=field(shown, "base"), sha256="", why="",
        )  # fmt: skip
        assert has in written(again)
        assert lacks not in written(again)
    page.post(
        f"{place_of(item)}/edit", text=written(shown), sha256=field(shown, "sha256"), why="mine"
    )
    now = fresh(page, item).memory.content
    assert "Theirs." in now
    assert "Mine." in now


def test_many_are_archived_at_once_and_brought_back(page: Page) -> None:
    items = page.home.library.documents("shop-api")[:2]
    shown = page.post("/memories/decide", deed="archive", memory=chosen(*items), back="/memories")
    assert all(fresh(page, item).archived for item in items)
    undo(page, shown)
    assert not any(fresh(page, item).archived for item in items)
    text = {item.memory.id: item.memory.content for item in items}
    assert {one.memory.id: one.memory.content for one in (fresh(page, i) for i in items)} == text


def test_what_an_agent_wrote_is_accepted_as_ones_own_and_doubted_again(page: Page) -> None:
    by = Author(Actor("agent", "codex:1"), "said so", "agent")
    text = "---\nname: theirs\ndescription: An agent thinks so\n---\nIt thinks so.\n"
    page.home.store.create("shop-api", "/theirs.md", text, by)
    item = page.home.library.find("shop-api:theirs")
    assert "Accept as mine" in page.get(place_of(item))
    shown = page.post("/memories/decide", deed="accept", memory=chosen(item), back="/memories")
    assert "accepted as your own word" in shown
    assert fresh(page, item).memory.trust == "user"
    undo(page, shown)
    assert fresh(page, item).memory.trust == "agent"


def test_many_are_accepted_at_once_and_undone_where_one_was(page: Page) -> None:
    by = Author(Actor("agent", "codex:1"), "said so", "agent")
    for number in range(3):
        text = f"---\nname: theirs-{number}\ndescription: An agent thinks so\n---\nSo.\n"
        page.home.store.create("shop-api", f"/theirs-{number}.md", text, by)
    theirs = [page.home.library.find(f"shop-api:theirs-{number}") for number in range(3)]
    mine = page.home.library.find("shop-api:prices-integer-cents")
    place = "/memories?store=shop-api&trust=agent"
    assert 'value="accept"' in page.get(place)
    # What is one's own already is neither counted nor touched by the undo.
    shown = page.post("/memories/decide", deed="accept", memory=chosen(*theirs, mine), back=place)
    assert "3 memories accepted as your own word" in shown
    assert {fresh(page, item).memory.trust for item in theirs} == {"user"}
    undone = undo(page, shown)
    assert "3 memories as before" in undone
    assert '<option value="agent" selected>' in undone
    assert {fresh(page, item).memory.trust for item in theirs} == {"agent"}
    assert fresh(page, mine).memory == mine.memory
    again = page.post("/memories/decide", deed="accept", memory=chosen(mine), back=place)
    assert "All of that was so already" in again


def test_a_pin_that_was_there_stays_when_pinning_many_is_undone(page: Page) -> None:
    first, second = page.home.library.documents("shop-api")[:2]
    page.post("/memories/decide", deed="pin", memory=chosen(first), back="/memories")
    shown = page.post("/memories/decide", deed="pin", memory=chosen(first, second), back="/")
    assert "1 memory pinned" in shown
    undo(page, shown)
    assert [fresh(page, item).document.pinned for item in (first, second)] == [True, False]


def test_a_memory_draws_what_links_to_it_and_where_it_leads(page: Page) -> None:
    by = Author(Actor("user"), "written down", "user")
    for name, body in (("alpha", "See [[beta]] and [[gone]]."), ("beta", "Done."),
                       ("gamma", "Also [[beta]].")):  # fmt: skip
        text = f"---\nname: {name}\ndescription: About {name}\n---\n{body}\n"
        page.home.store.create("shop-api", f"/{name}.md", text, by)
    beta = page.home.library.find("shop-api:beta")
    text = page.get(place_of(beta))
    drawn = re.search(r'<svg class="links".*?</svg>', text, re.DOTALL)
    assert drawn
    assert 'aria-label="2 link here, 0 are linked from it"' in drawn[0]
    for name in ("alpha", "gamma"):
        other = page.home.library.find(f"shop-api:{name}")
        assert f'href="{place_of(other)}"' in drawn[0]
    alpha = page.get(place_of(page.home.library.find("shop-api:alpha")))
    assert "0 link here, 1 are linked from it" in alpha


def test_bulk_decisions_are_taken_back_together(page: Page) -> None:
    before = offers(page.get("/review"))
    page.post("/review", deed="reject", choice=before[:3])
    shown = page.post("/review", deed="undo")
    assert "3 things wait again" in shown
    assert offers(shown) == before


@pytest.mark.proves("F1")
def test_a_proposal_reads_like_a_pull_request(page: Page) -> None:
    text = page.get(f"/review?at={offers(page.get('/review'))[0]}")
    for words in ("What would change", "it rests on", "Put it to work as well", "Accept", "Reject"):
        assert words in text
    assert '<div class="row new"' in text
    after = page.post("/review", deed="reject", choice=offers(text)[0], project="")
    # The next one is shown at once.
    assert f'<article class="offer" id="{offers(text)[1]}"' in after


def test_a_key_is_revoked_on_the_page(page: Page) -> None:
    made = keys.create_key(page.home, "laptop", ["memory:read"], stores=["shop-api:ro"])
    text = page.get("/stores")
    assert "laptop" in text
    assert "shop-api (read)" in text
    assert "laptop is revoked" in page.post("/stores/revoke", key=made.key.id)
    assert keys.key_of(page.home, made.text) is None
