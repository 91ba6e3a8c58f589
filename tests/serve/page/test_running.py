"""Learning and dreaming begun on the page, and how they are watched."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.serve.page.conftest import ORIGIN, Page, shown

from reverie.sample import place


@pytest.fixture
def unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """The page of somebody whose agents left logs that nobody read yet."""
    code = place(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    with shown(tmp_path / ".reverie", code / "shop-api") as page:
        yield page


def told(page: Page) -> list[tuple[str, dict[str, object]]]:
    """What the server says of a run until it ends."""
    with page.client.stream("GET", "/run/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        text = "".join(answer.iter_text())
    found = re.findall(r"event: (\w+)\ndata: (.*)\n\n", text)
    return [(name, json.loads(data)) for name, data in found]


def test_logs_are_read_from_the_page_and_progress_is_told(unread: Page) -> None:
    assert "Nothing was read yet" in unread.get("/")
    assert "Reading new sessions" in unread.post("/run", deed="learn")
    events = told(unread)
    assert events[-1][0] == "end"
    shares = [data["share"] for _, data in events if data["share"] is not None]
    assert shares == sorted(shares)  # type: ignore[type-var]
    done = unread.get("/run")
    assert "16 sessions read" in done
    assert "data-events" not in done
    assert re.search(r"Review \d+ waiting", done)
    unread.post("/run", deed="dream")
    told(unread)
    assert "proposed" in unread.get("/run")


def test_what_was_read_is_nothing_new(page: Page) -> None:
    assert "Nothing is running" in page.get("/run")
    page.post("/run", deed="learn")
    told(page)
    assert "Done." in page.get("/run")


def test_only_one_thing_goes_on_at_a_time_and_only_what_there_is(page: Page) -> None:
    assert page.client.post("/run", data={"deed": "burn"}, headers=ORIGIN).status_code == 400
    assert page.client.post("/run", data={"deed": "learn"}).status_code == 403
    page.post("/run", deed="dream")
    again = page.post("/run", deed="learn")
    assert "goes on already" in again or "Done." in again
    told(page)


def test_a_run_that_fails_says_why(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from reverie.errors import Unavailable
    from reverie.operations import learning

    def away(*_: object, **__: object) -> None:
        raise Unavailable("the disk is away", hint="fetch it")

    monkeypatch.setattr(learning, "learn", away)
    page.post("/run", deed="learn")
    told(page)
    text = page.get("/run")
    assert 'role="alert"' in text
    assert "The disk is away (fetch it)" in text
