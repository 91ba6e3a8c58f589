"""Edits: what an agent proposes for the memories it was shown, turned into changes.

The six verbs are those of a dream. A refinement may only reword: if a number, a name or a negation
differs it says something else, and has to be called a correction.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from reverie.documents.bodies import compose
from reverie.documents.document import Document
from reverie.documents.vocabulary import KINDS, type_of_kind
from reverie.dream.model import VERBS, Change, Known, Quoted, Verb, change_of
from reverie.language.compare import relation
from reverie.learn.memories.candidate import name_from, reworded
from reverie.learn.work.answers import (
    MAX_LESSON,
    answer_schema,
    evidence_reasons,
    read_answer,
    refuse,
    unfit,
)
from reverie.trust import Trust, as_trusted, lowest

MOST_CHANGES = 10
MAX_REASON = 300
CONFIDENCE = 0.5  # an agent's reading is neither surer nor less sure than a coin
QUOTES = 5

_NEEDS_TEXT = frozenset({"create", "refine", "correct"})

SCHEMA = answer_schema(
    "changes",
    MOST_CHANGES,
    ["verb", "reason"],
    {
        "verb": {"enum": list(VERBS)},
        "memory": {"type": "string", "description": "its name; not for create"},
        "text": {"type": "string", "maxLength": MAX_LESSON},
        "kind": {"enum": list(KINDS), "description": "for create"},
        "by": {"type": "string", "description": "supersede: the memory that holds"},
        "reason": {"type": "string", "maxLength": MAX_REASON},
    },
)


@dataclass(frozen=True, slots=True)
class Shown:
    """What one piece showed: memories by name, and whose words each id stands for."""

    store: str
    now: str
    known: Mapping[str, Known]
    sources: Mapping[str, tuple[Quoted, ...]]  # a memory's id, or an evidence id
    trusts: Mapping[str, Trust]


def changes_of(text: str, shown: Shown, redact: Callable[[str], str]) -> list[Change]:
    """The changes of an answer.

    Raises:
        InvalidInput: the answer has not the form that was asked for.
        Refused: a change cannot be proposed; the message has every reason.
    """
    items = read_answer(text, "changes", MOST_CHANGES)
    reasons: list[str] = []
    touched: list[str] = []
    for number, item in enumerate(items, 1):
        found = [*_malformed(item, shown), *evidence_reasons(item.get("evidence"), shown.sources)]
        found = found or _unfit(item, shown, redact)
        if item.get("memory") in touched:
            found.append("another change of this answer touches the same memory")
        touched += [item["memory"]] if "memory" in item else []
        reasons += [f"change {number}: {why}" for why in found]
    refuse(reasons)
    return [_change(item, shown) for item in items]


def _malformed(item: dict[str, Any], shown: Shown) -> list[str]:
    verb = item.get("verb")
    if verb not in VERBS:
        return [f'"verb" must be one of {", ".join(VERBS)}']
    reasons: list[str] = []
    if verb != "create" and _name(item, "memory") not in shown.known:
        reasons.append('"memory" must be the name of a memory of this piece')
    if verb == "supersede" and _name(item, "by") not in shown.known:
        reasons.append('"by" must be the name of the memory that holds instead')
    if verb == "supersede" and item.get("by") == item.get("memory"):
        reasons.append("a memory cannot supersede itself")
    if verb == "create" and item.get("kind") not in KINDS:
        reasons.append(f'"kind" must be one of {", ".join(KINDS)}')
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
    if verb == "create":
        same = [n for n, k in shown.known.items() if relation(k.text, item["text"]) == "same"]
        reasons += [f"{name} says it already: corroborate that" for name in same[:1]]
        return reasons
    old = shown.known[item["memory"]]
    if verb == "refine" and relation(old.text, item["text"]) != "same":
        reasons.append("says something else than the memory: that is a correction")
    if old.document.pinned and verb != "corroborate":
        reasons.append(f"{item['memory']} is pinned: only a person changes it")
    return reasons


def _change(item: dict[str, Any], shown: Shown) -> Change:
    verb = cast("Verb", item["verb"])
    quotes = _quotes(item["evidence"], shown.sources)
    given: list[Trust] = [shown.trusts[one] for one in item["evidence"]]
    trust = lowest("agent", *given)
    if verb == "create":
        document = _created(item, shown, trust, quotes)
        return _made(item, shown, None, document, trust, quotes)
    old = shown.known[item["memory"]]
    document = old.document
    if verb in {"refine", "correct"}:
        document = _reworded(document, " ".join(item["text"].split()))
    elif verb == "corroborate":
        # Words that are trusted less than the memory would drag it down.
        fit = [q.evidence for q in quotes if as_trusted(q.trust, old.memory.trust)]
        document = document.resting_on(fit)
    change = _made(item, shown, old, document, old.memory.trust, quotes)
    if verb == "correct":
        return replace(change, trust=lowest(trust, old.memory.trust))
    if verb in {"supersede", "archive"}:
        away = f"/archive/{shown.now[:10]}{old.memory.path}"
        by = shown.known[item["by"]].name if verb == "supersede" else ""
        return replace(change, new_path=away, valid_to=shown.now[:10], superseded_by=by)
    return change


def _made(
    item: dict[str, Any],
    shown: Shown,
    old: Known | None,
    document: Document,
    trust: Trust,
    quotes: tuple[Quoted, ...],
) -> Change:
    sessions = len({quote.session for quote in quotes})
    return change_of(
        item["verb"],
        shown.store,
        old.memory.path if old else f"/{document.name}.md",
        old,
        document.text(),
        title=document.description or document.title,
        reason=" ".join(item["reason"].split()),
        support=f"an agent's reading; said in {sessions} session{'s' * (sessions != 1)}",
        sessions=sessions,
        chance=0.0,
        confidence=CONFIDENCE,
        trust=trust,
        evidence=quotes[:QUOTES],
    )


def _created(
    item: dict[str, Any], shown: Shown, trust: Trust, quotes: tuple[Quoted, ...]
) -> Document:
    text = " ".join(item["text"].split())
    name = name_from(text)
    while name in shown.known:
        name += "-2"
    return Document(
        name=name,
        description=text,
        type=type_of_kind(item["kind"]) or "project",
        kind=item["kind"],
        scope=shown.store,
        created=shown.now[:10],
        trust=trust,
        support=len({quote.session for quote in quotes}),
        evidence=tuple(quote.evidence for quote in quotes),
        body=compose(text, " ".join(item["reason"].split())),
    )


def _reworded(document: Document, text: str) -> Document:
    done = reworded(document, replace(document, description=text))
    return done if text in done.body else replace(done, body=f"{text}\n\n{done.body}")


def _quotes(ids: Sequence[str], sources: Mapping[str, tuple[Quoted, ...]]) -> tuple[Quoted, ...]:
    found = {quote.evidence: quote for one in ids for quote in sources[one]}
    return tuple(found.values())


def _name(item: dict[str, Any], key: str) -> str:
    value = item.get(key)
    return value if isinstance(value, str) else ""
