"""Counts with their words."""


def several(count: int, noun: str) -> str:
    """`1 memory`, `2 memories`: a count with its word."""
    if count == 1:
        return f"1 {noun}"
    many = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeo" else f"{noun}s"
    return f"{count} {many}"
