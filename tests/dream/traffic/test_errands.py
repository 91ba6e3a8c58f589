"""What people ask for in other words each time, known by what is done then."""

import pytest
from tests.dream.weeks import seen, weeks

COUNT = ("edit: notes/COUNT.md", "ok: done")
TRACK = ("edit: notes/backlog/one.md", "ok: done", *COUNT)
WORDINGS = (
    "put that on the backlog for later",
    "not now, backlog it please",
    "add an entry to the backlog",
    "hmm. that belongs on the backlog",
    "yes, and one more for the backlog",
)


def day(number: int, *then: str) -> str:
    work = ("human: build the report", f"edit: src/part{number}.py", "ok: done")
    check = ("human: looks fine, does it pass?", "run: make check", "ok: passed")
    return "\n".join((*work, *check, *then))


@pytest.mark.proves("A2")
def test_a_request_is_known_by_its_deeds_however_it_is_worded() -> None:
    scripts = [
        day(n, f"human: {said}", f"edit: notes/backlog/{n}.md", "ok: done", *COUNT)
        for n, said in enumerate(WORDINGS)
    ]
    ((text, rows),) = seen(weeks(*scripts), "ask").items()
    assert text == (
        "People ask “add an entry to the backlog”, which means to write a file in"
        " `notes/backlog/`, then to edit `notes/COUNT.md`: make it one command"
    )
    assert len({one.session for one in rows}) == len(WORDINGS)
    assert rows[0].wording == "add an entry to the backlog"


def test_what_several_sessions_ask_for_in_the_same_breath_is_a_step() -> None:
    calls = ("run: gh api repos/x/y/pulls/1/comments --jq .[]", "ok: []", "run: git push", "ok: ")
    said = (
        "the reviewer has left remarks. Answer each of them.",
        "new remarks from the reviewer",
        "remarks of the reviewer again. Answer each of them.",
        "look at the remarks of the reviewer",
    )
    scripts = [day(n, f"human: {text}", *calls) for n, text in enumerate(said)]
    ((text, rows),) = seen(weeks(*scripts), "ask").items()
    assert "then to answer each of them, then `git push`" in text
    assert rows[0].steps[-2:] == ("Answer each of them", "git push")


def test_a_document_that_is_asked_for_with_the_work_is_kept_unasked() -> None:
    history = ("edit: HISTORY.md", "ok: done")
    said = ("the history too", "update the history", "what about the history file", "history!")
    scripts = [day(n, f"human: {text}", *history) for n, text in enumerate(said)]
    (text,) = seen(weeks(*scripts), "ask")
    assert text.endswith(": edit `HISTORY.md` with the work, without being asked")


@pytest.mark.parametrize(
    "then",
    [
        ("run: git checkout main", "ok: ", "run: git pull", "ok: "),  # any repository has these
        ("run: make ship", "ok: done"),  # as short as asking for it
    ],
)
def test_what_is_as_short_as_asking_is_no_errand(then: tuple[str, ...]) -> None:
    scripts = [day(n, f"human: {said}", *then) for n, said in enumerate(WORDINGS)]
    assert not any("backlog" in text for text in seen(weeks(*scripts), "ask"))


def test_what_follows_whatever_is_said_is_meant_by_no_word() -> None:
    asked = ("rename the header", "sort the table", "speed up the query", "fix the footer")
    scripts = [
        "\n".join((f"human: {asked[n % 4]}", *TRACK, f"human: {asked[n // 2]}", *TRACK))
        for n in range(8)
    ]
    assert seen(weeks(*scripts), "ask") == {}
