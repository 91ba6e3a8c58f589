"""JSON forms of engines: what they would take, what they did, and what it cost."""

from typing import TYPE_CHECKING

from reverie.forms import Form, plain, taken

if TYPE_CHECKING:
    from reverie.operations.engines.catalog import Costs
    from reverie.operations.engines.thinking import Thought


def costs(bill: "Costs") -> Form:
    """Receipts, by day and one by one, and what is left for today."""
    return {
        "total_usd": round(bill.total_usd, 6),
        "today_usd": round(bill.today.usd, 6),
        "today_tokens": bill.today.tokens,
        "today_sessions": len(bill.today.sessions),
        "cap_usd_per_day": bill.cap_usd_per_day,
        "days": [plain(day) | {"usd": round(day.usd, 6)} for day in bill.days],
        "receipts": [plain(receipt) for receipt in bill.receipts],
    }


def thought(outcome: "Thought") -> Form:
    """What became of one piece that an engine thought about."""
    error = outcome.error.message if outcome.error else None
    return {
        "sessions": outcome.sessions,
        "piece": outcome.piece,
        "error": error,
        **({"taken": taken(outcome.taken)} if outcome.taken else {}),
    }
