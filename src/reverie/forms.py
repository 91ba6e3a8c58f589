"""The JSON forms of everything Reverie shows: for `--json`, for MCP and for programs.

One function per value, named after it. Keys are in the order they are printed in.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reverie.recall.recall import Item as RecallItem
    from reverie.recall.recall import Recall

# --- learning -----------------------------------------------------------------------------------

# --- answers ------------------------------------------------------------------------------------


def recall(result: "Recall", project: str) -> dict[str, Any]:
    """The answer for programs; `text` is exactly what an agent would get."""
    return {
        "project": project,
        "text": result.text,
        "characters": result.characters,
        "tokens": result.tokens,
        "budget": result.budget,
        "warning": result.warning or None,
        "entries": [handed_over(item) for item in result.items],
    }


def handed_over(item: "RecallItem") -> dict[str, Any]:
    """One entry of an answer, and what was checked in it."""
    entry = item.entry
    return {
        "id": entry.id,
        "part": item.part,
        "origin": entry.origin,
        "type": entry.type,
        "at": entry.at,
        "place": entry.place,
        "trust": entry.trust,
        "support": entry.support,
        "premise": entry.premise or None,
        "text": entry.text,
        "evidence": list(entry.evidence),
        "checked": [
            {"name": f.reference.text, "sort": f.reference.sort, "state": f.state, "now": f.where}
            for f in item.findings
        ],
        "score": round(item.score, 4),
    }


# --- memories and stores ------------------------------------------------------------------------

# --- sessions and projects ----------------------------------------------------------------------

# --- the state of things ------------------------------------------------------------------------
