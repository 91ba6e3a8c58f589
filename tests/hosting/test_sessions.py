"""Sessions that a server holds: what is kept of what guests send and bring."""

import io
import json
from collections.abc import Callable
from itertools import count
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hosting.nights import brought, lines, transcript

from reverie.errors import InvalidInput, NotFound
from reverie.hosting import events, reading, sessions
from reverie.hosting.guests import Guest, Window
from reverie.hosting.home import ServerHome
from reverie.hosting.sessions import Event, Wanted
from reverie.sessions.model import Kind, Role, Tool, Turn

SECRET = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"[:36]
KINDS: dict[Role, tuple[Kind, ...]] = {
    "human": ("prompt", "steer", "reject_feedback", "reject", "command", "shell", "interrupt"),
    "agent": ("text", "thinking", "tool_call"),
    "tool": ("tool_result",),
    "harness": ("summary", "boundary", "title", "plan", "outcome", "injected", "note"),
}
WORDLESS = {"interrupt", "reject", "thinking", "tool_call"}


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    role = draw(st.sampled_from(sorted(KINDS)))
    kind = draw(st.sampled_from(KINDS[role]))
    text = "" if kind in WORDLESS else draw(st.text(min_size=1, max_size=40))
    tool = None
    if kind in {"tool_call", "tool_result"}:
        given_ = draw(st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=2))
        ok = None if kind == "tool_call" else draw(st.booleans())
        tool = Tool("Bash", draw(st.text(max_size=5)), given_ if kind == "tool_call" else {}, ok)
    return Turn(
        draw(st.integers(0, 99)), 0, role, kind, "2026-09-01T09:00:00.000Z", text,
        event_id=draw(st.text(max_size=5)), cwd="/w", branch="main", typed="probable", tool=tool,
        undone=draw(st.booleans()), tokens=draw(st.integers(0, 9)),
    )  # fmt: skip


@given(st.lists(turns(), max_size=8))
def test_a_turn_that_became_an_event_is_read_back_as_it_was(said: list[Turn]) -> None:
    names = (f"sevt_{number}" for number in count())
    bodies = list(events.events_of(said, names, "2026-09-01T10:00:00.000Z"))
    kept = [json.loads(json.dumps(body)) for body in bodies]
    back = [
        events.turn_of(Event(seq, body["type"], "", body), body[events.KEPT])
        for seq, body in enumerate(kept)
    ]
    assert back == [turn._replace(line=seq, offset=seq) for seq, turn in enumerate(said)]


@pytest.mark.hostile("X1")
def test_no_secret_of_a_session_is_kept(home: ServerHome, guest: Guest) -> None:
    record = transcript(0)[0]
    record["message"]["content"] = f"the token is {SECRET}"
    (one,) = reading.imported(home, guest, io.BytesIO(lines([record])), "a.jsonl")
    said = {"type": "user.message", "content": [{"type": "text", "text": f"use {SECRET}"}]}
    reading.send(home, guest, one.id, [said])
    made = reading.created(
        home, guest, agent={"id": "a"}, environment_id="e", title=f"with {SECRET}"
    )
    everything = home.database.query("SELECT body FROM hosted_events")
    everything += home.database.query("SELECT title, agent, metadata FROM hosted_sessions")
    assert SECRET not in repr(everything)
    assert made.title is not None
    assert "redacted" in repr(everything)


def test_a_session_is_seen_by_its_key_and_by_keys_for_all_stores(
    home: ServerHome, guest_of: Callable[..., Guest], notes: str
) -> None:
    mine, other, all_of_them = guest_of(notes), guest_of(notes), guest_of(all_stores=True)
    (one,) = brought(home, mine, days=1)
    assert sessions.find(home.database, one.id, mine) == one
    assert sessions.find(home.database, one.id, all_of_them) == one
    with pytest.raises(NotFound):
        sessions.find(home.database, one.id, other)
    assert sessions.page(home.database, other, Wanted(), Window()).items == ()
    with pytest.raises(NotFound):
        reading.send(home, other, one.id, [{"type": "user.interrupt"}])
    with pytest.raises(NotFound):
        reading.deleted(home, other, one.id)


def test_two_owners_may_bring_the_same_transcript(
    home: ServerHome, guest_of: Callable[..., Guest]
) -> None:
    first, second = guest_of(), guest_of()
    ours, theirs = brought(home, first, days=1), brought(home, second, days=1)
    assert ours[0].id != theirs[0].id
    assert brought(home, first, days=1)[0].id == ours[0].id


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no transcript"),
        (b"just some words\n", "no transcript"),
        (b"SQLite format 3\0" + b"x" * 100, "a database is not taken"),
    ],
)
def test_what_is_no_transcript_is_refused(
    home: ServerHome, guest: Guest, data: bytes, why: str
) -> None:
    with pytest.raises(InvalidInput, match=why):
        reading.imported(home, guest, io.BytesIO(data), "../../etc/x.jsonl")
    assert sessions.page(home.database, guest, Wanted(), Window()).items == ()


@pytest.mark.parametrize(
    "event",
    [
        "words",
        {},
        {"type": "agent.message", "content": []},
        {"type": "user.message"},
        {"type": "user.message", "content": "words"},
        {"type": "user.message", "content": [{"type": "text"}]},
        {"type": "user.tool_confirmation", "tool_use_id": "x", "result": "perhaps"},
        {"type": "user.tool_result"},
        {"type": "user.define_outcome"},
    ],
)
def test_what_may_not_be_sent_is_refused(event: object) -> None:
    with pytest.raises(InvalidInput):
        events.checked(event)


def test_a_client_cannot_say_how_its_event_is_to_be_read() -> None:
    said = {"type": "user.message", "content": [], "reverie": {"role": "human", "kind": "prompt"}}
    assert events.KEPT not in events.checked(said)


@pytest.mark.hostile("DO3")
def test_a_deleted_session_is_in_no_table_of_either_database(
    home: ServerHome, guest: Guest
) -> None:
    record = transcript(0)[0]
    record["message"]["content"] = "always deploy the zeppelin before the harbour"
    (one,) = reading.imported(home, guest, io.BytesIO(lines([record])), "a.jsonl")
    reading.read_into_index(home, [one.id], lambda: None)
    assert home.index.search("zeppelin")
    reading.deleted(home, guest, one.id)
    assert home.index.search("zeppelin") == []
    for database, names in (
        (home.database, ("hosted_sessions", "hosted_events", "hosted_stores")),
        (home.index_database, ("sessions", "turns", "statements", "corrections", "files")),
    ):
        for name in names:
            assert "zeppelin" not in repr(database.query(f"SELECT * FROM {name}")), name
            assert one.id not in repr(database.query(f"SELECT * FROM {name}")), name


def test_pages_of_sessions_and_events_stay_right_while_others_are_added(
    home: ServerHome, guest: Guest
) -> None:
    ids = [one.id for one in brought(home, guest, days=5)]
    window = Window(limit=2, newest_first=False)
    seen: list[str] = []
    while True:
        part = sessions.page(home.database, guest, Wanted(), window)
        seen += [one.id for one in part.items]
        reading.created(home, guest, agent={"id": "later"}, environment_id="e")
        if part.next_page is None or len(seen) >= 5:
            break
        window = window._replace(page=part.next_page)
    assert set(seen[:4]) <= {*ids, *seen}
    assert len(set(seen)) == len(seen)
    with pytest.raises(InvalidInput):
        sessions.page(home.database, guest, Wanted(archived=True), window)
    for page in ("page_x", "nothing", cast("Any", window.page)[:-3]):
        with pytest.raises(InvalidInput):
            sessions.page(home.database, guest, Wanted(), window._replace(page=page))
    for limit in (0, -1, 101, 10**9):
        with pytest.raises(InvalidInput):
            sessions.page(home.database, guest, Wanted(), Window(limit))
