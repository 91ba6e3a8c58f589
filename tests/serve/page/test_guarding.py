"""Who gets in, from where, how long, and what a browser is told it may do."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from tests.serve.page.conftest import HOST, ORIGIN, Page

from reverie.serve.page.guarding import MOST_BYTES
from reverie.serve.page.login import LINK_HOLDS, VISIT_HOLDS

WEB = ("starlette", "uvicorn", "jinja2", "nh3", "markdown_it")


def test_a_stranger_is_led_to_the_door(page: Page) -> None:
    page.client.cookies.clear()
    answer = page.client.get("/memories", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert "reverie ui" in page.get("/login")
    assert page.client.post("/review", headers=ORIGIN).status_code == 401


def test_a_link_lets_one_browser_in_and_only_once(page: Page) -> None:
    page.client.cookies.clear()
    word = page.visitors.invite()
    # Whoever only looks at the link (a preview, a scanner) does not use it up.
    assert "Come in" in page.get(f"/login?word={word}")
    answer = page.client.post("/login", data={"word": word}, headers=ORIGIN, follow_redirects=False)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    page.get("/memories")
    page.client.cookies.clear()
    assert "used already" in page.post("/login", 403, word=word)
    assert page.client.get("/memories", follow_redirects=False).status_code == 303


def test_a_link_is_too_old_after_ten_minutes(page: Page) -> None:
    page.client.cookies.clear()
    word = page.visitors.invite()
    page.clock.pass_by(LINK_HOLDS)
    page.post("/login", 403, word=word)


def test_a_visit_ends_by_the_clock(page: Page) -> None:
    page.clock.pass_by(VISIT_HOLDS - timedelta(seconds=1))
    page.get("/memories")
    page.clock.pass_by(timedelta(seconds=1))
    assert page.client.get("/memories", follow_redirects=False).status_code == 303


def test_whoever_leaves_is_out_though_the_cookie_was_kept(page: Page) -> None:
    kept = dict(page.client.cookies)
    page.post("/logout")
    page.client.cookies.update(kept)
    assert page.client.get("/memories", follow_redirects=False).status_code == 303


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:9", "", f"{HOST}.evil.example"])
def test_the_page_answers_to_its_own_name_alone(page: Page, host: str) -> None:
    for place in ("/", "/login", "/static/page.js"):
        assert page.client.get(place, headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"http://{HOST}.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "none"},
        {},
    ],
)
@pytest.mark.parametrize("place", ["/login", "/logout", "/review", "/memories/decide"])
def test_a_form_of_another_site_is_refused(page: Page, headers: dict[str, str], place: str) -> None:
    answer = page.client.post(place, data={"deed": "accept"}, headers=headers)
    assert answer.status_code == 403
    page.get("/memories")  # and nobody was thrown out by it


def test_a_browser_that_names_no_origin_but_the_same_site_is_heard(page: Page) -> None:
    headers = {"sec-fetch-site": "same-origin"}
    answer = page.client.post("/review", data={"deed": "undo"}, headers=headers)
    assert answer.status_code == 200


def test_a_body_that_is_too_large_is_refused(page: Page) -> None:
    answer = page.client.post("/review", content=b"x" * (MOST_BYTES + 1), headers=ORIGIN)
    assert answer.status_code == 413
    pieces = (b"deed=undo" for _ in range(2))  # sent without saying how much it is
    assert page.client.post("/review", content=pieces, headers=ORIGIN).status_code == 413


def test_every_answer_says_that_nothing_else_may_run(page: Page) -> None:
    for place in ("/", "/login?word=x", "/nothing", "/static/style.css"):
        headers = page.client.get(place).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
    assert page.client.get("/memories").headers["cache-control"] == "no-store"


def test_what_a_form_says_leads_nowhere_else(page: Page) -> None:
    for back in ("//evil.example", "https://evil.example", "/\\evil.example", "/a\r\nb"):
        answer = page.client.post(
            "/memories/decide",
            data={"deed": "pin", "back": back},
            headers=ORIGIN,
            follow_redirects=False,
        )
        assert answer.headers["location"].startswith("/?said=")


@pytest.mark.parametrize(
    "command",
    [
        ["-m", "reverie", "--help"],
        ["-m", "reverie", "memories"],
        ["-m", "reverie.connect.hook", "session-start"],
        ["-m", "reverie", "mcp"],
    ],
    ids=["help", "memories", "hook", "mcp"],
)
def test_whoever_does_not_open_the_page_loads_nothing_of_it(
    command: list[str], isolated_home: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "HOME": str(isolated_home)},
        cwd=isolated_home,
        check=False,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "reverie" in loaded
    # rich, which prints tables, may bring the reader of Markdown with it.
    assert not {name.partition(".")[0] for name in loaded} & set(WEB) - {"markdown_it"}
