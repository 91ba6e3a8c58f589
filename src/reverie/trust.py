"""Trust: whose word something is. It can be lowered by anybody, and raised only by a person."""

from typing import Literal

Trust = Literal["user", "agent", "tool", "web"]

TRUSTS: tuple[Trust, ...] = ("user", "agent", "tool", "web")


def lowest(*trusts: Trust) -> Trust:
    """The trust of something made from several sources."""
    return max(trusts, key=TRUSTS.index)


def as_trusted(trust: Trust, other: Trust) -> bool:
    """Whether one word is trusted at least as much as the other."""
    return TRUSTS.index(trust) <= TRUSTS.index(other)
