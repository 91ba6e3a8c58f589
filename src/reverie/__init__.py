"""Reverie: a memory for coding agents.

    import reverie

    with reverie.Memory.open() as memory:
        print(memory.recall("how are migrations run?").text)

Names are loaded when they are first used, so that a hook which needs none of them pays for none.
"""

# `typing` takes longer to load than a hook may take in all.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from reverie.asker import OWNER, Asker
    from reverie.documents.document import Document
    from reverie.dream.model import Change
    from reverie.dream.proposals.proposals import Offer, Proposal
    from reverie.dream.run import Run
    from reverie.errors import (
        Ambiguous,
        Archived,
        Busy,
        CallFailed,
        ConfigError,
        Conflict,
        Full,
        HoldsSecret,
        Interrupted,
        InvalidDocument,
        InvalidInput,
        InvalidPath,
        LeaseHeld,
        NotFound,
        NotWorthKeeping,
        PathTaken,
        PreconditionFailed,
        ReadOnly,
        Refused,
        RemoteAway,
        ReverieError,
        StoreDamaged,
        TooLarge,
        Unavailable,
    )
    from reverie.learn.due import Due
    from reverie.learn.memories.queue import Review
    from reverie.learn.report import LearnReport
    from reverie.memory import Memory
    from reverie.operations.remembering import Remembered
    from reverie.operations.reviewing import Desk
    from reverie.recall.entry import Entry
    from reverie.recall.recall import Recall
    from reverie.store.library import Item
    from reverie.store.model import Actor, Author, Principal, StoreInfo, Version
    from reverie.store.store import Store
    from reverie.trust import Trust

__version__ = "0.2.0"

__all__ = [
    "OWNER", "Actor", "Ambiguous", "Archived", "Asker", "Author", "Busy", "CallFailed",
    "Change", "ConfigError", "Conflict", "Desk", "Document", "Due", "Entry", "Full",
    "HoldsSecret", "Interrupted", "InvalidDocument", "InvalidInput", "InvalidPath", "Item",
    "LearnReport", "LeaseHeld", "Memory", "NotFound", "NotWorthKeeping", "Offer", "PathTaken",
    "PreconditionFailed", "Principal", "Proposal", "ReadOnly", "Recall", "Refused",
    "Remembered", "RemoteAway", "ReverieError", "Review", "Run", "Store", "StoreDamaged",
    "StoreInfo", "TooLarge", "Trust", "Unavailable", "Version", "__version__",
]  # fmt: skip

# Where a name lives, if not among the errors.
_HOMES = {
    "asker": ("OWNER", "Asker"),
    "documents.document": ("Document",),
    "dream.model": ("Change",),
    "dream.proposals.proposals": ("Offer", "Proposal"),
    "dream.run": ("Run",),
    "learn.due": ("Due",),
    "learn.memories.queue": ("Review",),
    "learn.report": ("LearnReport",),
    "memory": ("Memory",),
    "operations.remembering": ("Remembered",),
    "operations.reviewing": ("Desk",),
    "recall.entry": ("Entry",),
    "recall.recall": ("Recall",),
    "store.library": ("Item",),
    "store.model": ("Actor", "Author", "Principal", "StoreInfo", "Version"),
    "store.store": ("Store",),
    "trust": ("Trust",),
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    place = next((place for place, names in _HOMES.items() if name in names), "errors")
    value = getattr(import_module(f"{__name__}.{place}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
