"""Which memories deserve a pin by rule, and which do not yet."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from reverie.documents.document import Document
from reverie.forget.life import Life
from reverie.forget.pins import BY_RULE, against, pin_for
from reverie.settings import Forget

FIXTURE = Path(__file__).parent / "fixtures" / "pins.txt"
TODAY = date(2026, 6, 30)


def cases() -> list[tuple[str, str, str]]:
    lines = FIXTURE.read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if line.strip() and not line.startswith("#")]
    return [(facts, claim, wanted) for facts, claim, wanted in rows]


def memory(facts: str, claim: str) -> tuple[Document, Life]:
    sort, support, projects, trust, age, tries, *scope = facts.split(" · ")
    day = (TODAY - timedelta(days=int(age))).isoformat()
    document = Document(
        name="one",
        description=claim,
        type=sort.partition("/")[0],
        kind=sort.partition("/")[2],
        scope=scope[0] if scope else "shop",
        created=day,
        trust=trust,
        body=f"**Rule:** {claim}\n",
    )
    life = Life(
        written=day, seen=day, support=int(support), projects=int(projects), cost=int(tries)
    )
    return document, life


@pytest.mark.proves("B9")
@pytest.mark.parametrize(("facts", "claim", "wanted"), cases())
def test_pins_by_rule_are_as_the_table_says(facts: str, claim: str, wanted: str) -> None:
    document, life = memory(facts, claim)
    pin = pin_for(document, life, TODAY, Forget())
    if wanted.startswith("no: "):
        assert pin is None
        assert against(document, life, TODAY, Forget()) == wanted.removeprefix("no: ")
    else:
        assert (pin.rule if pin else "-") == wanted
        assert against(document, life, TODAY, Forget()) == ""


def test_the_reason_says_that_a_rule_gave_it_and_which() -> None:
    document, life = memory(
        "feedback/error · 3 · 1 · user · 20 · 0", "The cache must be cleared after a change"
    )
    pin = pin_for(document, life, TODAY, Forget())
    assert pin is not None
    assert pin.reason == f"{BY_RULE}hard won, the same mistake in 3 sessions"


def test_a_quote_a_memory_rests_on_is_not_its_claim() -> None:
    document, life = memory("feedback/error · 1 · 1 · user · 20 · 0", "Ask before you push")
    body = (
        "**Rule:** Ask before you push\n\n**Why:** said in a:b\n\n> never drop the main database\n"
    )
    quoted = Document(
        name="one",
        description="Ask before you push",
        type="feedback",
        created="2026-01-01",
        body=body,
    )
    assert pin_for(quoted, life, TODAY, Forget()) is None
    assert pin_for(document, life, TODAY, Forget()) is None


def test_when_fresh_ends_is_a_setting() -> None:
    document, life = memory(
        "feedback/error · 1 · 1 · user · 3 · 0", "Never write to the production database"
    )
    assert pin_for(document, life, TODAY, Forget()) is None
    assert pin_for(document, life, TODAY, Forget(fresh_days=2)) is not None
