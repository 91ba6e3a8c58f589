"""Every page answers, with nothing in the home and with the sample in it."""

import re
from datetime import timedelta

import pytest
from tests.serve.page.conftest import Page

from reverie.operations.reviewing import Desk
from reverie.serve.page.memories import place_of
from reverie.serve.page.sessions import place_of as session_place
from reverie.serve.page.site import SECTIONS

NAMES = [label for _, label, _ in SECTIONS]
PLACES = [place for _, _, place in SECTIONS]


@pytest.mark.parametrize("place", PLACES)
def test_an_empty_home_says_on_every_page_what_to_do(empty: Page, place: str) -> None:
    text = empty.get(place)
    assert f"<title>{NAMES[PLACES.index(place)]} · Reverie</title>" in text
    assert not empty.home.exists  # looking makes nothing


@pytest.mark.parametrize("place", PLACES)
def test_every_page_shows_the_sample(page: Page, place: str) -> None:
    text = page.get(place)
    assert text.count('aria-current="page"') >= 1
    assert '<div class="empty">' not in text


def test_the_first_page_counts_what_was_learned_and_what_waits(page: Page) -> None:
    waiting = Desk(page.home).pending()
    assert waiting.reviews and waiting.offers
    text = page.get("/")
    tiles = re.findall(r'class="tile[^>]*><b>(\d+)</b><span>([^<]*)', text)
    assert {words: int(count) for count, words in tiles} == {
        "learned or changed today": 8,
        "waiting for your decision": len(waiting.reviews) + len(waiting.offers),
        "answer to agents today": 1,
        "memories in all": 8,
    }


def test_unknown_addresses_are_told_in_a_page(page: Page) -> None:
    for place in ("/nothing", "/memories/global/nothing", "/stores/nothing", "/sessions/no:such",
                  "/review/nothing/edit", "/memories/no/such/history"):  # fmt: skip
        text = page.get(place, 404)
        assert "That did not work" in text
        assert "<nav" in text


def test_what_makes_no_sense_in_an_address_is_no_crash(page: Page) -> None:
    for place in ("/memories?from=-1&age=x&trust=zzz&author=q&type=no", "/memories?from=99999999",
                  "/sessions?from=abc", "/playground?budget=-5&project=none&prompt=x",
                  "/memories?q=%22%28*"):  # fmt: skip
        page.get(place)
    page.get("/memories?store=none", 404)
    page.get("/insight?project=none", 404)
    page.get("/insight?agent=none", 400)
    page.get("/sessions?since=yesterday-ish")


def listed(text: str) -> list[str]:
    return re.findall(r'<a class="name" href="/memories/[^"]*/([^"]*)"', text)


def test_filters_narrow_what_is_shown(page: Page) -> None:
    everything = listed(page.get("/memories"))
    assert len(everything) == 8
    for asked in ("store=global", "type=feedback", "trust=user", "author=agent", "q=cents"):
        some = listed(page.get(f"/memories?{asked}"))
        assert set(some) <= set(everything)
    assert listed(page.get("/memories?store=global")) != everything
    assert "Nothing fits" in page.get("/memories?trust=web")
    page.clock.pass_by(timedelta(days=3))
    page.post("/login", word=page.visitors.invite())
    assert "Nothing fits" in page.get("/memories?age=1")
    assert listed(page.get("/memories?age=7")) == everything


def test_search_finds_by_the_beginning_of_a_word_and_asks_for_a_part_alone(page: Page) -> None:
    assert listed(page.get("/memories?q=cen")) == listed(page.get("/memories?q=cents"))
    part = page.get("/memories?q=cents&part=1")
    assert "<html" not in part
    assert listed(part) == listed(page.get("/memories?q=cents"))


def test_a_memory_shows_its_evidence_which_opens_the_session_at_the_turn(page: Page) -> None:
    for item in page.home.library.documents("shop-api"):
        text = page.get(place_of(item))
        for place in re.findall(r'href="(/sessions/[^"]*)"', text):
            session = page.get(place)
            line = place.partition("#")[2]
            assert f'class="turn human correction chosen" id="{line}"' in session or (
                f' chosen" id="{line}"' in session
            )


def test_a_session_marks_human_turns_corrections_and_failures(page: Page) -> None:
    seen: set[str] = set()
    for row in page.home.index.sessions():
        text = page.get(session_place(row.key))
        turns = re.findall(r'class="turn (human|failure)( correction)?[^"]*" id="line-(\d+)"', text)
        marks = re.findall(r'line=(\d+)#line-\1" aria-label="[^"]*"><rect class="(\w+)"', text)
        assert {(line, name.strip() or sort) for sort, name, line in turns} == {*marks}
        seen |= {sort for _, sort in marks}
    assert seen == {"human", "correction", "failure"}


def test_the_playground_shows_the_exact_text_and_enters_nothing(page: Page) -> None:
    from reverie.operations import recalling

    before = len(recalling.ledger(page.home).rows())
    text = page.get("/playground?project=shop-api&prompt=how+do+I+store+money%3F")
    assert "Word for word" in text
    assert "Always told" in text
    assert len(recalling.ledger(page.home).rows()) == before


def test_the_playground_says_what_was_left_out(page: Page) -> None:
    asked = "/playground?project=shop-api&prompt=commit"
    handed = page.get(asked)
    assert "Left out" not in handed
    left = page.get(f"{asked}&left=1").partition('id="left"')[2]
    ids = re.findall(r"line=\d+#line-\d+", left) + re.findall(r'"slug">([^<]*)<', left)
    shown = handed.partition("Word for word")[0]
    assert ids
    assert not [one for one in ids if one in shown]


def test_a_session_has_its_diary_beside_it(page: Page) -> None:
    texts = [page.get(session_place(row.key)) for row in page.home.index.sessions()]
    assert sum("<summary>Read it" in text for text in texts) == len(texts)


def test_a_store_shows_its_latest_changes_which_open_the_history(page: Page) -> None:
    stores = re.findall(r'href="(/stores/[^"]+)"', page.get("/stores"))
    assert len(stores) == 3
    for store in stores:
        for place in re.findall(r'href="(/memories/[^"]*version=[^"]*)"', page.get(store)):
            page.get(place)
