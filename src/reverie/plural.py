"""Counts with their words."""


def several(count: int, one: str) -> str:
    """`1 memory`, `2 memories`: a count with its word."""
    if count == 1:
        return f"1 {one}"
    many = f"{one[:-1]}ies" if one.endswith("y") and one[-2] not in "aeo" else f"{one}s"
    return f"{count} {many}"
