"""Edits: what an agent proposes for the memories it was shown, turned into changes.

The verbs are those of a dream but `create`: what is new is a pattern. A refinement may only reword:
if a number, a name or a negation differs it says something else, and has to be called a correction.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import msgspec

from reverie.documents.document import Document
from reverie.dream.model import VERBS, Change, Known, Quoted, change_of
from reverie.language.compare import relation
from reverie.learn.memories.candidate import reworded
from reverie.learn.work.answers import (
    MAX_LESSON,
    PERHAPS,
    TEXT,
    converted,
    evidence_reasons,
    one_of,
    rows,
    several,
    unfit,
)
from reverie.plural import several as counted
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


class Edit(msgspec.Struct, frozen=True):
    """One change of an answer."""

    verb: Literal["corroborate", "refine", "correct", "supersede", "archive"]
    memory: str
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_REASON)]
    evidence: tuple[str, ...]
    text: Annotated[str, msgspec.Meta(max_length=MAX_LESSON)] | None = None
    by: str | None = None


def edits_of(
    items: Sequence[dict[str, Any]], shown: Shown, redact: Callable[[str], str]
) -> tuple[dict[int, Change], list[str]]:
    """The changes of an answer that can be proposed, by number, and why others cannot."""
    reasons: list[str] = []
    touched: set[str] = set()
    changes: dict[int, Change] = {}
    for number, item in enumerate(items, 1):
        edit, malformed = converted(item, Edit)
        why = [malformed] if edit is None else _unfit(edit, shown, redact)
        if edit is not None and edit.memory in touched:
            why.append("another change of this answer touches the same memory")
        touched.add(str(item.get("memory")))
        reasons += [f"change {number}: {reason}" for reason in why]
        if edit is not None and not why:
            changes[number] = _change(edit, shown)
    return changes, reasons


def _unfit(edit: Edit, shown: Shown, redact: Callable[[str], str]) -> list[str]:
    """Why a change cannot be proposed."""
    reasons = evidence_reasons(list(edit.evidence), shown.sources)
    old, text = shown.known.get(edit.memory), (edit.text or "").strip()
    if redact(edit.reason) != edit.reason:
        reasons.append("the reason holds a secret")
    if old is None:
        reasons.append('"memory" must be the name of a memory of this piece')
    if edit.verb == "supersede" and (edit.by not in shown.known or edit.by == edit.memory):
        reasons.append('"by" must be the name of another memory, which holds instead')
    if edit.verb in _NEEDS_TEXT:
        reasons += unfit(text, redact) if text else ['"text" must say it']
        if edit.verb == "refine" and old and relation(old.text, text) != "same":
            reasons.append("says something else than the memory: that is a correction")
    if old and old.document.pinned and edit.verb != "corroborate":
        reasons.append(f"{edit.memory} is pinned: only a person changes it")
    return reasons


def _change(edit: Edit, shown: Shown) -> Change:
    quotes = tuple({q.evidence: q for name in edit.evidence for q in shown.sources[name]}.values())
    given: list[Trust] = [quote.trust for quote in quotes]
    old = shown.known[edit.memory]
    document = old.document
    if edit.verb in _NEEDS_TEXT:
        document = _reworded(document, " ".join((edit.text or "").split()))
    elif edit.verb == "corroborate":
        # Words that are trusted less than the memory would drag it down.
        fit = [q.evidence for q in quotes if as_trusted(q.trust, old.memory.trust)]
        document = document.resting_on(fit)
    sessions = len({quote.session for quote in quotes})
    change = change_of(
        edit.verb,
        old.store,
        old.memory.path,
        old,
        document.text(),
        title=document.description or document.title,
        reason=" ".join(edit.reason.split()),
        support=f"an agent's reading; said in {counted(sessions, 'session')}",
        sessions=sessions,
        chance=0.0,
        confidence=CONFIDENCE,
        trust=old.memory.trust,
        evidence=quotes[:QUOTES],
    )
    if edit.verb == "correct":
        return replace(change, trust=lowest("agent", old.memory.trust, *given))
    if edit.verb in {"supersede", "archive"}:
        away = f"/archive/{shown.now[:10]}{old.memory.path}"
        by = shown.known[edit.by].name if edit.by and edit.verb == "supersede" else ""
        return replace(change, new_path=away, valid_to=shown.now[:10], superseded_by=by)
    return change


def _reworded(document: Document, text: str) -> Document:
    done = reworded(document, replace(document, description=text))
    return done if text in done.body else replace(done, body=f"{text}\n\n{done.body}")
