"""What says the same on two machines, and how that is found among many."""

import pytest

from reverie.documents import bodies
from reverie.documents.document import Document
from reverie.sync.sameness import Claims, say_the_same, says_more

LONG = "It was decided after the outage of March, when the disks were full. "


def memory(rule: str, why: str = "", how: str = "", description: str = "") -> str:
    body = bodies.compose(rule, why, how)
    said = description or bodies.describe(rule)
    return Document(name="n", description=said, type="project", body=body).text()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            memory("Run the linter before every commit."),
            memory("Before each commit, run the linter"),
        ),
        (
            memory("The payment sandbox resets at midnight."),
            memory("The payment sandbox resets at midnight.\n\nSee also the log book."),
        ),
        (
            memory("The payment sandbox resets at midnight.", why=LONG * 5),
            memory("The payment sandbox resets at midnight.", how=LONG * 6),
        ),
        (memory(LONG * 8), memory(LONG * 8 + " ", description="The disks")),
    ],
    ids=["other words", "one line more", "long reasons", "a long text in the same words"],
)
def test_what_claims_the_same_is_the_same(one: str, other: str):
    assert say_the_same(one, other)
    assert say_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (memory("Deploy on Mondays"), memory("Never deploy on Mondays")),
        (
            memory("Use make deploy", description="How we deploy"),
            memory("Copy the files by hand", description="How we deploy"),
        ),
        (memory(LONG * 8), memory(LONG * 8 + "Buy larger ones.")),
        (
            memory("Deploy on Mondays.", description="Deploy"),
            memory("Deploy from the release branch.", description="Deploy"),
        ),
        ("one\ntwo\nthree\n", "one\ntwo\nfour apples\n"),
    ],
    ids=[
        "the contrary",
        "one description, other rules",
        "a longer text that says more",
        "a description that is half a sentence",
        "files that begin alike",
    ],
)
def test_what_claims_something_else_is_not(one: str, other: str):
    assert not say_the_same(one, other)


def test_another_wording_adds_nothing_and_a_reason_does():
    plain, other = memory("Use pnpm, not npm"), memory("Always use pnpm instead of npm.")
    assert not says_more(other, plain)
    assert says_more(memory("Use pnpm, not npm", why="of the lockfile"), plain)
    assert not says_more(plain, memory("Use pnpm, not npm", why="of the lockfile"))


OTHERS = {
    f"m{number}": memory(f"Check lever {number} before hull {number % 7}", why=f"zz{number} yy")
    for number in range(50)
}


@pytest.mark.parametrize(
    "text",
    [
        memory("The payment sandbox resets at midnight.\n\nSee zz1 zz2 zz3 zz4 zz5 zz6 zz7."),
        memory(
            "The payment sandbox resets at midnight.",
            description="Check lever 1 before hull 1, lever 2, lever 3",
        ),
    ],
    ids=["rare words follow it", "it is described by the words of others"],
)
def test_it_is_found_by_the_words_of_what_it_claims(text: str):
    claims = Claims(
        [*OTHERS.items(), ("sandbox", memory("The payment sandbox resets at midnight"))]
    )
    assert "sandbox" in claims.near(text)


def test_what_was_left_out_is_not_found():
    claims = Claims([("sandbox", memory("The payment sandbox resets at midnight"))])
    claims.discard("sandbox")
    assert claims.near(memory("The payment sandbox resets at midnight")) == []
