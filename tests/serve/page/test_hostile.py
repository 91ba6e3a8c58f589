"""What others wrote stays text: no field of any source becomes a tag or an address."""

import shutil
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.dream.desks import write_session
from tests.serve.page.conftest import Page, shown

from reverie.documents.document import Document
from reverie.dream.proposals.proposals import Proposals
from reverie.learn.memories.queue import Queue
from reverie.operations.serving import keys
from reverie.serve.page.memories import place_of
from reverie.serve.page.rendering import inline, markdown
from reverie.serve.page.sessions import place_of as session_place
from reverie.serve.page.site import SECTIONS
from reverie.store.model import Actor, Author, Principal

PROBE = "\"'></textarea></title></pre><x-probe onload=alert(1)><script>alert(2)</script>"
# Columns of other programs' words; those that hold names of a fixed few stay as they are.
SAID = {
    "sessions": ("title", "branch", "version"),
    "turns": ("text", "tool"),
    "corrections": ("text", "span", "premise", "lesson"),
    "diaries": ("title", "outcome"),
    "fixes": ("failed", "fix", "message"),
}
TOLD = {"recalls": ("query", "surface", "agent", "client"), "evidence": ("quote", "premise")}


class Strict(HTMLParser):
    """Takes a page apart and notes whatever the page itself would not have written."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        own = values.get("src", "").startswith("/static/")
        if tag in {"x-probe", "iframe", "object", "embed", "base", "style"} or (
            tag in {"script", "img"} and not own
        ):
            self.wrong.append(f"<{tag}>")
        self.wrong += [name for name in values if name.startswith("on") or name == "style"]
        for name in ("href", "action", "src", "formaction"):
            if (
                values.get(name, "")
                .strip()
                .lower()
                .startswith(("javascript:", "data:", "vbscript:"))
            ):
                self.wrong.append(f"{name}={values[name]}")


def wrong_in(text: str) -> list[str]:
    reader = Strict()
    reader.feed(text)
    reader.close()
    return reader.wrong


@pytest.fixture
def poisoned(learned: Path, tmp_path: Path) -> Iterator[Page]:
    """The sample with a probe in every field that somebody else fills."""
    with poisoned_home(learned, tmp_path) as page:
        yield page


@contextmanager
def poisoned_home(learned: Path, tmp_path: Path) -> Generator[Page]:
    folder = tmp_path / "reverie"
    shutil.copytree(learned / ".reverie", folder)
    for file, tables in (("index.db", SAID), ("memory.db", TOLD)):
        with sqlite3.connect(folder / file) as database:
            for table, columns in tables.items():
                change = ", ".join(f"{name} = {name} || ?" for name in columns)
                database.execute(f"UPDATE {table} SET {change}", [PROBE] * len(columns))
    with shown(folder, learned / "code" / "shop-api") as page:
        by = Author(Actor("agent", PROBE), PROBE)
        document = Document(
            name="probe", description=PROBE, type="feedback", trust="agent",
            body=f"# {PROBE}\n\n{PROBE}\n\n[[{PROBE}]] [[probe]]\n", created="2026-03-01",
        )  # fmt: skip
        page.home.store.create("shop-api", "/probe.md", document.text(), by)
        page.home.store.create("shop-api", "/broken.md", f"---\nname: [{PROBE}\n---\n{PROBE}", by)
        keys.create_key(page.home, PROBE[:90], ["memory:read"], stores=["shop-api:ro"])
        project = Principal("project", PROBE[:60])
        page.home.store.attach("shop-api", project, "read_only", instructions=PROBE)
        page.home.store.create_store("probe-store", description=PROBE)
        poison_review(page)
        yield page


def poison_review(page: Page) -> None:
    database, clock = page.home.database, page.home.clock
    queue, proposals = Queue(database, clock), Proposals(database, clock)
    said = queue.asked()[0].candidate
    queue.add(
        replace(said, lesson=PROBE, quote=PROBE, premise=PROBE, why=PROBE, kind=PROBE,
                session=PROBE, evidence=f"{PROBE}#1"),
        why=PROBE,
    )  # fmt: skip
    change = proposals.pending()[0].change
    quote = replace(change.evidence[0], quote=PROBE, session=PROBE, evidence=f"{PROBE}#1")
    form = replace(change.forms[0], content=PROBE, path=PROBE)
    with database.atomic() as tx:
        proposals.add(tx, "work_1", [
            replace(change, id="chg_probe", title=PROBE, reason=PROBE, support=PROBE, before=PROBE,
                    after=PROBE, store="shop-api", path=f"/{PROBE}.md", evidence=(quote,),
                    forms=(form,)),
        ])  # fmt: skip


def everywhere(page: Page) -> list[str]:
    """Every page there is, with words of the probe in the address as well."""
    places = [place for _, _, place in SECTIONS]
    for item in page.home.library.documents(everywhere=True):
        places += [place_of(item), f"{place_of(item)}/history", f"{place_of(item)}/edit"]
    places += [session_place(row.key) for row in page.home.index.sessions()]
    places += [f"/stores/{info.id}" for info in page.home.store.stores()]
    places += ["/review?at=chg_probe", "/review?at=chg_probe&part=1", "/run"]
    places += [f"/review?at={one.id}" for one in Queue(page.home.database, page.home.clock).asked()]
    places += ["/review/chg_probe/edit", "/sessions?q=alert", "/memories?q=alert"]
    return places


@pytest.mark.hostile("H8")
def test_no_field_of_any_source_becomes_more_than_text(poisoned: Page) -> None:
    seen: set[str] = set()
    for place in everywhere(poisoned):
        text = poisoned.get(place)
        assert wrong_in(text) == [], place
        if "&lt;x-probe" in text:
            seen.add(place.split("/")[1].split("?")[0])
    # The probe was there to be seen, or nothing was proved.
    assert seen >= {"", "memories", "review", "sessions", "insight", "playground", "stores"}


@pytest.mark.hostile("H8")
def test_what_an_address_holds_stays_text(page: Page) -> None:
    for place in ("/", "/memories", "/sessions", "/playground", "/review", "/login"):
        for name in ("q", "said", "undo", "word", "prompt", "store", "project", "agent", "since"):
            answer = page.client.get(place, params={name: PROBE})
            assert wrong_in(answer.text) == [], (place, name)
    assert wrong_in(page.get(f"/{PROBE}", 404)) == []


@pytest.mark.hostile("H8")
def test_a_project_with_a_hostile_name_is_a_name(tmp_path: Path) -> None:
    project = tmp_path / "<img src=x onerror=alert(1)>"
    (project / ".git").mkdir(parents=True)
    logs = tmp_path / "logs"
    write_session(logs, "5f0c1c3e-0000-4000-8000-000000000001", project, 0, [
        f"{PROBE} always use tabs here", ("agent", PROBE), ("call", PROBE, PROBE),
        "no, never spaces, always tabs",
    ])  # fmt: skip
    with shown(tmp_path / "reverie", project) as page:
        page.home.learn(logs, jobs=1)
        for place in everywhere(page):
            if "chg_probe" not in place:
                assert wrong_in(page.get(place)) == [], place


@pytest.mark.hostile("H8")
@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "![x](https://evil.example/a.png)",
        '<a href="javascript:alert(1)">x</a>',
        '[x](https://a.example "onmouseover=alert(1)")',
        "<javascript:alert(1)>",
        "| a |\n|---|\n| <svg onload=alert(1)> |",
        "```<script>\nalert(1)\n```",
    ],
)
def test_markdown_makes_neither_script_nor_image_nor_address_that_runs(text: str) -> None:
    html = str(markdown(text))
    assert wrong_in(html) == []
    assert "<img" not in html
    assert wrong_in(str(inline(f"`{text}` {text}"))) == []


def test_links_between_memories_lead_where_they_should() -> None:
    html = str(markdown("see [[one]] and [[none]]", {"one": "/memories/a/one?x=1&y=2"}.get))
    assert '<a href="/memories/a/one?x=1&amp;y=2" rel="noopener noreferrer">one</a>' in html
    assert "<em>none</em>" in html
