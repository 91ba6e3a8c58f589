"""Edits: what an agent proposes for the memories it was shown, turned into changes.

The verbs are those of a dream but `create`: what is new is a pattern. A refinement may only reword:
if a number, a name or a negation differs it says something else, and has to be called a correction.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from reverie.documents.document import Document
from reverie.dream.model import VERBS, Change, Known, Quoted, Verb, change_of
from reverie.language.compare import relation
from reverie.learn.memories.candidate import reworded
from reverie.learn.work.answers import (
    MAX_LESSON,
    PERHAPS,
    TEXT,
    evidence_reasons,
    one_of,
    rows,
    several,
    unfit,
)
from reverie.trust import Trust, as_trusted, lowest

MOST_CHANGES = 10
MAX_REASON = 300
CONFIDENCE = 0.5  # an agent's reading is neither surer nor less sure than a coin
QUOTES = 5

EDITS = tuple(verb for verb in VERBS if verb != "create")
_NEEDS_TEXT = frozenset({"refine", "correct"})

CHANGES = rows(
    {
        "verb": one_of(EDITS),
        "memory": TEXT,
        "text": PERHAPS,
        "by": PERHAPS,
        "reason": TEXT,
        "evidence": several(TEXT),
    }
)


@dataclass(frozen=True, slots=True)
class Shown:
    """What one piece showed: memories by name, and whose words each id stands for."""

    now: str
    known: Mapping[str, Known]
    sources: Mapping[str, tuple[Quoted, ...]]  # by the name of a memory, or an id


def edits_of(
    items: Sequence[dict[str, Any]], shown: Shown, redact: Callable[[str], str]
) -> tuple[dict[int, Change], list[str]]:
    """The changes of an answer that can be proposed, by number, and why others cannot."""
    reasons: list[str] = []
    touched: list[str] = []
    changes: dict[int, Change] = {}
    for number, item in enumerate(items, 1):
        why = [*_malformed(item, shown), *evidence_reasons(item.get("evidence"), shown.sources)]
        why = why or _unfit(item, shown, redact)
        if item.get("memory") in touched:
            why.append("another change of this answer touches the same memory")
        touched.append(_name(item, "memory"))
        reasons += [f"change {number}: {reason}" for reason in why]
        if not why:
            changes[number] = _change(item, shown)
    return changes, reasons


def _malformed(item: dict[str, Any], shown: Shown) -> list[str]:
    verb = item.get("verb")
    if verb not in EDITS:
        return [f'"verb" must be one of {", ".join(EDITS)}']
    reasons: list[str] = []
    if _name(item, "memory") not in shown.known:
        reasons.append('"memory" must be the name of a memory of this piece')
    if verb == "supersede" and _name(item, "by") not in shown.known:
        reasons.append('"by" must be the name of the memory that holds instead')
    if verb == "supersede" and item.get("by") == item.get("memory"):
        reasons.append("a memory cannot supersede itself")
    if verb in _NEEDS_TEXT and not 0 < len(_name(item, "text").strip()) <= MAX_LESSON:
        reasons.append(f'"text" must have 1 to {MAX_LESSON} characters')
    if not 0 < len(_name(item, "reason").strip()) <= MAX_REASON:
        reasons.append(f'"reason" must have 1 to {MAX_REASON} characters')
    return reasons


def _unfit(item: dict[str, Any], shown: Shown, redact: Callable[[str], str]) -> list[str]:
    reasons = ["the reason holds a secret"] if redact(item["reason"]) != item["reason"] else []
    verb = item["verb"]
    if verb in _NEEDS_TEXT:
        reasons += unfit(item["text"], redact)
    old = shown.known[item["memory"]]
    if verb == "refine" and relation(old.text, item["text"]) != "same":
        reasons.append("says something else than the memory: that is a correction")
    if old.document.pinned and verb != "corroborate":
        reasons.append(f"{item['memory']} is pinned: only a person changes it")
    return reasons


def _change(item: dict[str, Any], shown: Shown) -> Change:
    verb = cast("Verb", item["verb"])
    quotes = _quotes(item["evidence"], shown.sources)
    given: list[Trust] = [quote.trust for quote in quotes]
    old = shown.known[item["memory"]]
    document = old.document
    if verb in {"refine", "correct"}:
        document = _reworded(document, " ".join(item["text"].split()))
    elif verb == "corroborate":
        # Words that are trusted less than the memory would drag it down.
        fit = [q.evidence for q in quotes if as_trusted(q.trust, old.memory.trust)]
        document = document.resting_on(fit)
    change = _made(item, old, document, quotes)
    if verb == "correct":
        return replace(change, trust=lowest("agent", old.memory.trust, *given))
    if verb in {"supersede", "archive"}:
        away = f"/archive/{shown.now[:10]}{old.memory.path}"
        by = shown.known[item["by"]].name if verb == "supersede" else ""
        return replace(change, new_path=away, valid_to=shown.now[:10], superseded_by=by)
    return change


def _made(
    item: dict[str, Any], old: Known, document: Document, quotes: tuple[Quoted, ...]
) -> Change:
    sessions = len({quote.session for quote in quotes})
    return change_of(
        item["verb"],
        old.store,
        old.memory.path,
        old,
        document.text(),
        title=document.description or document.title,
        reason=" ".join(item["reason"].split()),
        support=f"an agent's reading; said in {sessions} session{'s' * (sessions != 1)}",
        sessions=sessions,
        chance=0.0,
        confidence=CONFIDENCE,
        trust=old.memory.trust,
        evidence=quotes[:QUOTES],
    )


def _reworded(document: Document, text: str) -> Document:
    done = reworded(document, replace(document, description=text))
    return done if text in done.body else replace(done, body=f"{text}\n\n{done.body}")


def _quotes(ids: Sequence[str], sources: Mapping[str, tuple[Quoted, ...]]) -> tuple[Quoted, ...]:
    quotes = {quote.evidence: quote for name in ids for quote in sources[name]}
    return tuple(quotes.values())


def _name(item: dict[str, Any], key: str) -> str:
    value = item.get(key)
    return value if isinstance(value, str) else ""
