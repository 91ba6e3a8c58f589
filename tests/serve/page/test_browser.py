"""The page in a real browser: by keyboard, in two tabs, on a phone, in the dark, for everybody."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import client_of
from tests.serve.page.conftest import Page

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


def every_place(tab: Tab) -> list[str]:
    """The pages, and the first memory, session and store that is linked."""
    found = list(PLACES)
    for place, what in (("/memories", ".lines a.name"), ("/sessions", ".cards a.name"),
                        ("/stores", "td a.name")):  # fmt: skip
        tab.go(place)
        found.append(tab.page.locator(what).first.get_attribute("href"))
    memory = found[len(PLACES)]
    tab.go("/review")
    edit = tab.page.locator("article a.button").first.get_attribute("href")
    return [*found, f"{memory}/history", f"{memory}/edit", edit]


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
    titles = here.words("article h3")
    here.keys("?")
    assert here.page.locator("dialog[open]").count() == 1
    here.keys("Escape", "j", "j", "k")
    assert here.words("article.here h3") == titles[:1]
    here.submitted("a")
    rest = here.words("article h3")
    assert set(rest) < set(titles)  # what says the same went with it
    assert titles[0] not in rest
    assert here.words(".count") == [str(len(rest))]
    here.submitted("u")
    assert here.words("article h3") == titles
    here.keys("j", "j")
    here.submitted("r")
    assert here.words("article h3") == [titles[0], *titles[2:]]
    here.keys("j")
    here.submitted("e")
    here.page.locator("textarea").focus()
    here.keys("Control+End")
    here.page.keyboard.type("\n\nSaid by keys.\n")
    here.submitted("Control+Enter")
    assert titles[0] not in here.words("article h3")
    items = page.home.library.documents(everywhere=True)
    assert any("Said by keys." in item.memory.content for item in items)
    assert here.said == []


def test_the_second_of_two_tabs_sees_what_the_first_wrote(tab: Callable[..., Tab]) -> None:
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
    assert "From the first." in " ".join(second.words(".diff"))
    assert second.page.locator("textarea").input_value().rstrip().endswith("From the second.")
    second.page.locator("textarea").focus()
    second.submitted("Control+Enter")
    assert "From the second." in second.words(".prose")[0]


def test_search_answers_while_one_types_and_the_address_can_be_sent(
    tab: Callable[..., Tab],
) -> None:
    here = tab()
    here.go("/memories")
    before = here.words(".lines .slug")
    here.keys("/")
    here.page.keyboard.type("cent")
    here.page.wait_for_url("**/memories?q=cent")
    after = here.words(".lines .slug")
    assert 0 < len(after) < len(before)
    here.page.reload()
    assert here.words(".lines .slug") == after
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
    titles = here.words("article h3")
    with here.page.expect_navigation():
        here.page.get_by_role("button", name="Accept").nth(1).click()
    with here.page.expect_navigation():
        here.page.get_by_role("button", name="Take the last decision back").click()
    assert here.words("article h3") == titles
    here.go("/memories")
    here.page.get_by_label("Search memories").fill("cents")
    with here.page.expect_navigation():
        here.page.get_by_role("button", name="Search").click()
    assert here.words(".lines .slug")


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
