"""Tidy: memories that say the same, or cannot both hold, without anything new having been said."""

from collections.abc import Iterator
from dataclasses import replace

from reverie.dream.model import Change, Known, Night, Verb, change_of
from reverie.language.compare import relation
from reverie.language.meaning import stems
from reverie.language.neighbours import Alike
from reverie.plural import several
from reverie.trust import TRUSTS, as_trusted

NEAREST = 8


def tidied(night: Night) -> list[Change]:
    """Changes that merge duplicates and retire the older of two that exclude each other."""
    live = [known for known in night.known if not known.memory.path.startswith("/archive/")]
    index = Alike[int]()
    done: set[tuple[str, str]] = set()
    changes: list[Change] = []
    for number, known in enumerate(live):
        for near in index.near(stems(known.text), NEAREST):
            other = live[near]
            pair = {(known.store, known.memory.path), (other.store, other.memory.path)}
            if known.store != other.store or pair & done or known.document.problem:
                continue
            made = list(_between(night, other, known))
            if made:
                done |= pair
                changes += made
        index.add(number, stems(known.text))
    return changes


def _between(night: Night, a: Known, b: Known) -> Iterator[Change]:
    verdict = relation(a.text, b.text)
    if verdict == "same":
        kept, gone = sorted((a, b), key=_worth)
        if gone.document.pinned:
            return
        merged = _merged(kept, gone)
        if merged is not None:
            yield merged
        yield _retired(night, gone, kept, "says the same as")
    elif verdict in {"updates", "contradicts"}:
        older, newer = sorted((a, b), key=_since)
        dated = _since(older)[0] and _since(older)[0] < _since(newer)[0]
        if (
            dated
            and not older.document.pinned
            and as_trusted(newer.memory.trust, older.memory.trust)
        ):
            yield _retired(night, older, newer, "is older than")


def _worth(known: Known) -> tuple[bool, int, int, str, str]:
    """The one to keep sorts first: pinned, trusted, supported, older."""
    return (
        not known.document.pinned,
        TRUSTS.index(known.memory.trust),
        -known.document.support,
        known.document.created,
        known.memory.path,
    )


def _since(known: Known) -> tuple[str, str]:
    return (known.memory.valid_from or known.document.created)[:10], known.memory.path


def _merged(kept: Known, gone: Known) -> Change | None:
    """`kept` with the evidence of `gone`; None when it has all of it, or would be trusted less."""
    new = [item for item in gone.document.evidence if item not in kept.document.evidence]
    if not new or not as_trusted(gone.memory.trust, kept.memory.trust):
        return None
    richer = kept.document.resting_on(new).text()
    return unchanged("refine", kept, f"takes the evidence of {gone.document.name}", richer)


def _retired(night: Night, gone: Known, kept: Known, why: str) -> Change:
    change = unchanged("supersede", gone, f"{why} {kept.document.name}")
    return replace(
        change,
        superseded_by=kept.name,
        new_path=f"/archive/{night.now[:10]}{gone.memory.path}",
        valid_to=_since(kept)[0] or night.now[:10],
        replaces=(),
    )


def unchanged(verb: Verb, known: Known, reason: str, after: str = "") -> Change:
    """A change of one memory that rests on what is known already, not on new evidence."""
    return change_of(
        verb,
        known.store,
        known.memory.path,
        known,
        after or known.memory.content,
        title=known.text,
        reason=reason,
        support=several(known.document.support, "session"),
        sessions=known.document.support,
        chance=0.0,
        confidence=0.9,
        trust=known.memory.trust,
        evidence=(),
    )
