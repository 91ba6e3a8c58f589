"""JSON forms of engines: what they would take, what they did, and what it cost."""

from typing import TYPE_CHECKING

from reverie.forms import Form, plain, taken

if TYPE_CHECKING:
    from reverie.operations.engines.catalog import Costs
    from reverie.operations.engines.thinking import Thought


def costs(found: "Costs") -> Form:
    """Receipts, by day and one by one, and what is left for today."""
    return {
        "total_usd": round(found.total_usd, 6),
        "today_usd": round(found.today.usd, 6),
        "today_tokens": found.today.tokens,
        "today_sessions": len(found.today.sessions),
        "cap_usd_per_day": found.cap_usd_per_day,
        "days": [plain(day) | {"usd": round(day.usd, 6)} for day in found.days],
        "receipts": [plain(one) for one in found.receipts],
    }


def thought(found: "Thought") -> Form:
    """What became of one piece that an engine thought about."""
    error = found.error.message if found.error else None
    return {
        "sessions": found.sessions,
        "piece": found.piece,
        "error": error,
        **({"taken": taken(found.taken)} if found.taken else {}),
    }
