"""Pins by rule: what deserves to stay whatever its age, and what does not yet.

Reasons for a pin, the first that fits: safety-critical, about the user, a preference they stated,
across projects, hard won, infrastructure, fundamental. Against one: bound to a version, temporary,
fresh, or nobody a person trusts has said it. A pin by hand needs no rule, and a hand that unpins is
not overruled.
"""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from reverie.data import patterns
from reverie.documents import bodies
from reverie.documents.document import Document
from reverie.documents.vocabulary import GLOBAL
from reverie.forget.life import Life
from reverie.settings import Forget

Rule = Literal[
    "safety-critical", "about the user", "preference", "across projects", "hard won",
    "infrastructure", "fundamental",
]  # fmt: skip
BY_RULE = "by rule: "  # how a reason begins that no hand wrote
MANY_SESSIONS = 5
SEVERAL_SESSIONS = 3
MANY_TRIES = 4

_RE = patterns("pins.txt", "pins")


@dataclass(frozen=True, slots=True)
class Pin:
    """A rule that fits and the sentence that is kept with the memory."""

    rule: Rule
    reason: str


def pin_for(document: Document, life: Life, today: date, settings: Forget) -> Pin | None:
    """The pin a memory deserves by rule; `None` when it has one, or when it should just age."""
    if document.pinned or against(document, life, today, settings):
        return None
    text = claim(document)
    reasons: tuple[tuple[Rule, str], ...] = (
        ("safety-critical", "what it guards against cannot be undone" if _unsafe(text) else ""),
        ("about the user", "it says who the user is" if _about_user(document, text) else ""),
        ("preference", "you said that you prefer it" if _preference(document, text) else ""),
        ("across projects", _across(document, life)),
        ("hard won", _hard_won(document, life)),
        ("infrastructure", _infrastructure(document, life)),
        ("fundamental", _fundamental(document, life)),
    )
    for rule, why in reasons:
        if why:
            return Pin(rule, f"{BY_RULE}{rule}, {why}")
    return None


def against(document: Document, life: Life, today: date, settings: Forget) -> str:
    """Why a memory is not pinned by rule; empty when nothing speaks against it."""
    text = claim(document)
    if document.trust in ("tool", "web"):
        return f"only a {document.trust} said it"
    if _RE.temporary.search(text):
        return "temporary"
    if _RE.version.search(text):
        return "bound to a version"
    since = min(day for day in (life.written, life.seen) if day) if life.written else ""
    if not since or _age(document.created or since, today) < settings.fresh_days:
        return "fresh"
    return ""


def claim(document: Document) -> str:
    """What a memory states, in its own words; the quotes it rests on are not its claim."""
    parts = bodies.parts(document.body)
    return ". ".join(part for part in (document.description, parts.rule, parts.how) if part)


def _unsafe(text: str) -> bool:
    return bool(_RE.safety.search(text))


def _about_user(document: Document, text: str) -> bool:
    return document.type == "user" or bool(_RE.about_user.search(text))


def _preference(document: Document, text: str) -> bool:
    return document.trust == "user" and bool(_RE.preference.search(text))


def _across(document: Document, life: Life) -> str:
    if life.projects < 2 or not (document.shared or document.scope == GLOBAL):
        return ""
    return f"it was said in {life.projects} projects"


def _hard_won(document: Document, life: Life) -> str:
    reason = bodies.parts(document.body).why
    if _RE.hard_won.search(claim(document)) or _RE.hard_won.search(reason):
        return "by its own words"
    if life.cost >= MANY_TRIES:
        return f"the mistake took {life.cost} tries"
    if document.kind == "error" and life.support >= SEVERAL_SESSIONS:
        return f"the same mistake in {life.support} sessions"
    return ""


def _infrastructure(document: Document, life: Life) -> str:
    if life.support < 2 or not _RE.infrastructure.search(claim(document)):
        return ""
    return f"said in {life.support} sessions"


def _fundamental(document: Document, life: Life) -> str:
    text = claim(document)
    if _RE.fundamental.search(text):
        return "by its own words"
    if _RE.standing.search(text) and life.support >= SEVERAL_SESSIONS:
        return f"a standing rule, said in {life.support} sessions"
    return f"said in {life.support} sessions" if life.support >= MANY_SESSIONS else ""


def _age(day: str, today: date) -> int:
    try:
        return (today - date.fromisoformat(day[:10])).days
    except ValueError:
        return 0
