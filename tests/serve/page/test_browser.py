"""The page in a real browser: by keyboard, in two tabs, on a phone, in the dark, for everybody."""

import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import client_of
from tests.serve.page.conftest import Page, on_a_port
from tests.serve.page.test_hostile import everywhere, poisoned_home

from reverie.operations.reviewing import Desk
from reverie.serve.page.login import VISIT_HOLDS
from reverie.store.model import Actor, Author

pytestmark = pytest.mark.needs("chromium")

PLACES = (
    "/", "/memories", "/review", "/sessions", "/insight", "/stores", "/doctor",
    "/playground?project=shop-api&prompt=how+do+I+store+money",
)  # fmt: skip
PHONE = {"width": 390, "height": 844}


class Tab:
    """A tab of a browser that is in, and all that it said or asked for."""

    def __init__(self, page: Any, base: str) -> None:
        self.page = page
        self.base = base
        self.said: list[str] = []
        self.asked: set[str] = set()
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.add(request.url))

    def go(self, place: str) -> None:
        self.page.goto(self.base + place)

    def keys(self, *keys: str) -> None:
        self.page.bring_to_front()
        for key in keys:
            self.page.keyboard.press(key)

    def submitted(self, *keys: str) -> None:
        """Press keys, the last of which leads to another page."""
        with self.page.expect_navigation():
            self.keys(*keys)

    def decided(self, *keys: str) -> None:
        """Press keys, the last of which changes how many things wait."""
        before = self.page.locator(".queue li").count()
        self.keys(*keys)
        self.page.wait_for_function(
            "(before) => { const now = document.querySelectorAll('.queue li').length;"
            " return now > 0 && now !== before; }",
            arg=before,
        )
        self.page.wait_for_load_state()

    def words(self, what: str) -> list[str]:
        return [text.strip() for text in self.page.locator(what).all_inner_texts()]

    def sideways(self) -> int:
        return self.page.evaluate("document.documentElement.scrollWidth - innerWidth")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        # As root there is no sandbox to be had; nothing foreign is opened here.
        path = shutil.which("chromium")
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: Any, served: Callable[[], str]) -> Iterator[Callable[..., Tab]]:
    """Opens tabs of browsers that came in by a link of their own."""
    contexts: list[Any] = []

    def opened(**settings: Any) -> Tab:
        context = chromium.new_context(**settings)
        contexts.append(context)
        link = served()
        made = Tab(context.new_page(), link.partition("/login")[0])
        made.page.goto(link)
        with made.page.expect_navigation():
            made.page.locator("button.main").press("Enter")
        return made

    yield opened
    for context in contexts:
        context.close()


class _Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, told to nobody."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@contextmanager
def served_folder(folder: Path) -> Generator[str]:
    """Another site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def every_place(tab: Tab) -> list[str]:
    """The pages, and the first memory, session and store that is linked."""
    found = list(PLACES)
    for place, what in (("/memories", ".lines a.name"), ("/sessions", ".lines a.name"),
                        ("/stores", "td a.name")):  # fmt: skip
        tab.go(place)
        found.append(tab.page.locator(what).first.get_attribute("href"))
    memory = found[len(PLACES)]
    tab.go("/review")
    edit = tab.page.locator("article a.button").first.get_attribute("href")
    return [*found, f"{memory}/history", f"{memory}/edit", edit, "/run"]


def titles(tab: Tab) -> list[str]:
    """What waits, as the queue shows it."""
    return tab.words(".queue a.name")


def test_no_page_says_an_error_or_asks_anybody_else(tab: Callable[..., Tab]) -> None:
    here = tab()
    for place in every_place(here):
        here.go(place)
    assert here.said == []
    assert {re.match(r"https?://[^/]*", url)[0] for url in here.asked} == {here.base}  # type: ignore[index]


def test_a_review_is_done_by_keys_alone(tab: Callable[..., Tab], page: Page) -> None:
    here = tab()
    here.keys("g")
    here.submitted("r")
    waiting = titles(here)
    here.keys("?")
    assert here.page.locator("dialog[open]").count() == 1
    here.keys("Escape", "j", "j", "k", "k")
    assert here.words(".queue li.here a.name") == waiting[:1]
    here.decided("a")
    rest = titles(here)
    assert set(rest) < set(waiting)  # what says the same went with it
    assert waiting[0] not in rest
    assert here.page.locator(".count").inner_text().split() == [str(len(rest)), "waiting"]
    here.decided("u")
    assert titles(here) == waiting
    # What a key does is done to what the queue shows, however fast it is pressed.
    here.decided("j", "r")
    assert titles(here) == [waiting[0], *waiting[2:]]
    here.keys("k", "e")
    here.page.wait_for_url("**/edit")
    here.page.locator("textarea").focus()
    here.keys("Control+End")
    here.page.keyboard.type("\n\nSaid by keys.\n")
    here.submitted("Control+Enter")
    assert waiting[0] not in titles(here)
    items = page.home.library.documents(everywhere=True)
    assert any("Said by keys." in item.memory.content for item in items)
    assert here.said == []


def test_the_second_of_two_tabs_is_shown_both_changes_and_saves_what_it_makes_of_them(
    tab: Callable[..., Tab], page: Page
) -> None:
    first, second = tab(), tab()
    for one in (first, second):
        one.go("/memories")
        one.keys("j")
        one.submitted("Enter")
        one.submitted("e")
        one.page.locator("textarea").focus()
    for one, words in ((first, "From the first."), (second, "From the second.")):
        one.keys("Control+End")
        one.page.keyboard.type(words)
        one.submitted("Control+Enter")
    assert "changed while you were editing" in second.words(".warn")[0]
    assert "From the first." in " ".join(second.words(".diff .changed code:first-child"))
    assert "From the second." in " ".join(second.words(".diff .changed code:last-child"))
    field = second.page.locator("textarea")
    assert field.input_value().rstrip().endswith("From the second.")
    with second.page.expect_navigation():
        second.page.get_by_role("button", name="Only what is stored").click()
    assert field.input_value().rstrip().endswith("From the first.")
    field.focus()
    second.keys("Control+End")
    second.page.keyboard.type(" And the second.")
    # A third is faster once more: nothing is written over it either.
    first.page.goto(first.page.url.partition("?")[0] + "/edit")
    text = first.page.locator("textarea").input_value()
    first.page.locator("textarea").fill(text.replace("**Said:**", "More.\n\n**Said:**"))
    first.page.locator("#why").fill("again")
    with first.page.expect_navigation():
        first.page.get_by_role("button", name="Save").click()
    second.submitted("Control+Enter")
    assert "Nothing is saved yet" in second.words(".warn")[0]
    assert "More." in second.page.locator("textarea").input_value()  # both fitted together
    second.page.locator("textarea").focus()
    second.submitted("Control+Enter")
    assert "And the second." in second.words(".prose")[0]
    assert "More." in second.words(".prose")[0]


def test_search_answers_while_one_types_and_the_address_can_be_sent(
    tab: Callable[..., Tab],
) -> None:
    here = tab()
    here.go("/memories")
    before = here.words(".lines a.name")
    here.keys("/")
    here.page.keyboard.type("cent")
    here.page.wait_for_url("**/memories?q=cent")
    after = here.words(".lines a.name")
    assert 0 < len(after) < len(before)
    here.page.reload()
    assert here.words(".lines a.name") == after
    here.page.locator("li input[type=checkbox]").first.check()
    here.page.get_by_role("button", name="Pin", exact=True).click()
    here.page.wait_for_selector(".said")
    assert len(here.words(".lines .tag.pin")) == 1
    here.submitted("u")
    assert here.words(".lines .tag.pin") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_never_scrolls_sideways(tab: Callable[..., Tab], scheme: str) -> None:
    here = tab(viewport=PHONE, color_scheme=scheme)
    for place in every_place(here):
        here.go(place)
        assert here.sideways() <= 0, place


def test_the_dark_is_dark(tab: Callable[..., Tab]) -> None:
    shades: dict[str, int] = {}
    for scheme in ("light", "dark"):
        here = tab(color_scheme=scheme, viewport=PHONE)
        color = here.page.evaluate("getComputedStyle(document.body).backgroundColor")
        shades[scheme] = sum(map(int, re.findall(r"\d+", color)[:3]))
    assert shades["dark"] < 150 < 600 < shades["light"]


def test_everything_works_without_script(tab: Callable[..., Tab]) -> None:
    here = tab(java_script_enabled=False)
    here.go("/review")
    waiting = titles(here)
    with here.page.expect_navigation():
        here.page.locator(".queue a.name").nth(1).click()
    assert waiting[1] in here.words("article h2")[0]
    with here.page.expect_navigation():
        here.page.locator("article").get_by_role("button", name="Accept").click()
    assert waiting[1] not in titles(here)
    with here.page.expect_navigation():
        here.page.get_by_role("button", name="Undo the last decision").click()
    assert titles(here) == waiting
    here.go("/memories")
    here.page.get_by_label("Search memories").fill("cents")
    with here.page.expect_navigation():
        here.page.get_by_role("button", name="Search").click()
    assert here.words(".lines a.name")


def test_a_run_is_told_while_it_goes_on_and_its_end_by_itself(tab: Callable[..., Tab]) -> None:
    here = tab()
    here.go("/")
    with here.page.expect_navigation(url="**/run"):
        here.page.get_by_role("button", name="Dream").click()
    here.page.get_by_text("Done.").wait_for()
    assert any(url.endswith("/run/events") for url in here.asked)
    assert here.said == []


def test_a_run_is_seen_without_script_by_asking_again(tab: Callable[..., Tab]) -> None:
    here = tab(java_script_enabled=False)
    here.go("/")
    with here.page.expect_navigation():
        here.page.get_by_role("button", name="Read new sessions").click()
    here.page.get_by_text("Done.").wait_for()


def test_nothing_moves_while_a_page_is_shown(tab: Callable[..., Tab]) -> None:
    here = tab()
    for place in every_place(here):
        here.go(place)
        moved = here.page.evaluate(
            """() => new Promise((told) => {
              const seen = new PerformanceObserver((list) => {}) ;
              seen.observe({ type: "layout-shift", buffered: true });
              requestAnimationFrame(() => requestAnimationFrame(() =>
                told(seen.takeRecords().reduce((sum, one) => sum + one.value, 0))));
            })"""
        )
        assert moved < 0.02, f"{place}: {moved}"


def test_a_visit_that_ended_leads_to_the_door(tab: Callable[..., Tab], page: Page) -> None:
    here = tab()
    here.go("/memories")
    page.clock.pass_by(VISIT_HOLDS)
    here.keys("/")
    here.page.keyboard.type("cent")  # search as you type notices it, too
    here.page.wait_for_url("**/login")
    assert "not any more" in here.words("main")[0]


def test_the_form_of_another_origin_does_nothing(
    tab: Callable[..., Tab], page: Page, tmp_path: Path
) -> None:
    here = tab()
    waiting = [review.id for review in Desk(page.home).pending().reviews]
    evil = tmp_path / "evil.html"
    evil.write_text(
        f"""<form id=f method=post action="{here.base}/review"><input name=deed value=reject>
        <input name=choice value="{waiting[0]}"></form><script>f.submit()</script>""",
        encoding="utf-8",
    )
    with served_folder(tmp_path) as other:
        here.page.goto(f"{other}/evil.html")
        here.page.get_by_text("did not come from this page").wait_for()
        # Nor by the name of this machine that is not the page's own.
        stranger = here.base.replace("127.0.0.1", "localhost")
        here.page.goto(stranger)
        assert "does not answer to that name" in here.page.content()
    assert [review.id for review in Desk(page.home).pending().reviews] == waiting


def test_a_thousand_memories_are_browsed_and_chosen(tab: Callable[..., Tab], page: Page) -> None:
    by = Author(Actor("user"), "made up", "user")
    with page.home.database.atomic():
        for number in range(1_000):
            text = f"---\nname: m{number}\ndescription: Fact number {number}\n---\nFact.\n"
            page.home.store.create("shop-api", f"/m{number}.md", text, by)
    here = tab()
    here.go("/memories?store=shop-api")
    assert re.match(r"10\d\d memories, 1 to 50", here.words(".bar")[0])
    here.page.get_by_role("link", name="Older").click()
    assert "51 to 100" in here.words(".bar")[0]
    for box in range(3):
        here.page.locator("li input[type=checkbox]").nth(box).check()
    with here.page.expect_navigation():
        here.page.get_by_role("button", name="Archive", exact=True).click()
    assert "3 memories put into the archive" in here.words(".said")[0]
    here.submitted("u")
    assert "3 memories brought back" in here.words(".said")[0]


def test_hostile_words_run_nowhere(chromium: Any, tmp_path: Path, learned: Path) -> None:
    """Every page of a home with a probe in each field, as a real browser reads it."""
    with poisoned_home(learned, tmp_path) as page, on_a_port(page) as link:
        context = chromium.new_context()
        here = Tab(context.new_page(), link().partition("/login")[0])
        here.page.on("dialog", lambda dialog: here.said.append(f"dialog {dialog.message}"))
        here.page.goto(link())
        with here.page.expect_navigation():
            here.page.locator("button.main").press("Enter")
        for place in everywhere(page):
            if "part=1" in place:  # no page, but what a page asks for
                continue
            here.go(place)
            assert here.page.locator("x-probe").count() == 0, place
            assert here.said == [], place
        context.close()


@pytest.mark.parametrize("look", ["light", "dark", "phone-light", "phone-dark"])
def test_every_page_has_its_picture_taken(
    tab: Callable[..., Tab], look: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Pictures to be looked at: in the folder that REVERIE_TEST_PICTURES names."""
    folder = Path(os.environ.get("REVERIE_TEST_PICTURES") or tmp_path) / look
    size = PHONE if look.startswith("phone") else {"width": 1280, "height": 860}
    here = tab(color_scheme=look.removeprefix("phone-"), viewport=size)
    for number, place in enumerate(every_place(here)):
        here.go(place)
        name = re.sub(r"[^a-z]+", "-", place.partition("?")[0]).strip("-") or "today"
        picture = folder / f"{number:02}-{name[:40]}.png"
        here.page.screenshot(path=picture, full_page=True)
        assert picture.stat().st_size > 5_000


@pytest.mark.needs("axe")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_the_way_of_anybody(tab: Callable[..., Tab], scheme: str) -> None:
    here = tab(color_scheme=scheme, bypass_csp=True)
    script = Path(client_of("axe")).read_text(encoding="utf-8")
    for place in every_place(here):
        here.go(place)
        here.page.evaluate(script)
        found = here.page.evaluate("axe.run()")["violations"]
        serious = {
            one["id"]: [node["html"][:200] for node in one["nodes"]][:3]
            for one in found
            if one["impact"] in ("serious", "critical")
        }
        assert serious == {}, f"{place}: {json.dumps(serious, indent=1)}"
