"""Questions that a person answers; they stand in `printing` now."""

from reverie.cli.printing import agree, key

__all__ = ["agree", "key"]
