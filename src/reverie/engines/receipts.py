"""What calls of models cost: one receipt per call, and the caps that hold before the next one.

A receipt is written before the call with the most it may cost, and again when the call has ended:
of lines with the same id the last counts. So a process that dies in a call has paid for it.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple, cast

from reverie.clock import Clock, iso
from reverie.errors import Refused
from reverie.settings import Engines

_DUST = 1e-9  # of sums of floats
SENT = "sent"  # the outcome of a call that is answered some time later
BEGUN = "begun"  # the outcome of a call that has not ended, or whose process died


@dataclass(frozen=True, slots=True)
class Receipt:
    """One call. `known` is False when nobody told its cost: the most it may have cost counts."""

    at: str
    engine: str
    purpose: str
    session: str  # by their keys, if it is about several
    cost_usd: float
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_created_tokens: int = 0
    seconds: float = 0.0
    known: bool = True
    priced: bool = True  # False: there is no price for the model, and `cost_usd` says nothing
    id: str = ""
    piece: str = ""
    prompt: str = ""  # the version of the instructions
    outcome: str = ""
    batch: str = ""  # that it was sent with

    @property
    def tokens(self) -> int:
        """All that went in or came out, from wherever it was read."""
        cached = self.cache_read_tokens + self.cache_created_tokens
        return self.input_tokens + cached + self.output_tokens


class Spent(NamedTuple):
    """What a day or a run has used up."""

    usd: float = 0.0
    tokens: int = 0
    sessions: frozenset[str] = frozenset()

    def plus(self, receipt: Receipt) -> "Spent":
        return Spent(
            self.usd + receipt.cost_usd,
            self.tokens + receipt.tokens,
            self.sessions | set(receipt.session.split()),
        )


class Receipts:
    """The receipts of a home, oldest first."""

    def __init__(self, home: Path, clock: Clock) -> None:
        self._path = home / "receipts.jsonl"
        self._clock = clock

    def add(self, receipt: Receipt) -> None:
        """Keep a receipt; it is on the disk when this returns."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        line = json.dumps(asdict(receipt), sort_keys=True) + "\n"
        descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            # What a crash has cut short must not swallow the next line.
            end = os.lseek(descriptor, 0, os.SEEK_END)
            if (
                end
                and os.lseek(descriptor, end - 1, os.SEEK_SET)
                and os.read(descriptor, 1) != b"\n"
            ):
                line = "\n" + line
            os.write(descriptor, line.encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def all(self, since: str = "") -> Iterator[Receipt]:
        """Receipts from a time on; a line that cannot be read (a cut write) is passed over."""
        receipts: dict[str, Receipt] = {}
        for number, receipt in enumerate(self._lines()):
            receipts[receipt.id or f"line {number}"] = receipt
        return (receipt for receipt in receipts.values() if receipt.at >= since)

    def _lines(self) -> Iterator[Receipt]:
        known = {field.name for field in fields(Receipt)}
        if not self._path.exists():
            return
        with self._path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    values = cast("dict[str, Any]", json.loads(line))
                    yield Receipt(**{key: values[key] for key in values if key in known})
                except (ValueError, TypeError, KeyError):
                    continue

    def today(self) -> Spent:
        """What was used up since midnight UTC."""
        spent = Spent()
        for receipt in self.all(since=self.now()[:10]):
            spent = spent.plus(receipt)
        return spent

    def left_open(self) -> list[Receipt]:
        """Calls that never ended: whoever made them is gone."""
        return [receipt for receipt in self.all() if receipt.outcome == BEGUN]

    def sent(self) -> list[Receipt]:
        """Calls that were sent together and whose answers nobody has fetched."""
        return [receipt for receipt in self.all() if receipt.outcome == SENT]

    def now(self) -> str:
        return iso(self._clock())


def check(caps: Engines, today: Spent, run: Spent, most: Receipt) -> None:
    """Let a call begin only if it cannot break a cap, whatever it will cost.

    Args:
        today, run: What was used up before it.
        most: Its receipt if it costs as much as it can.

    Raises:
        Refused: it could.
    """
    day, now = today.plus(most), run.plus(most)
    if day.sessions != today.sessions and len(day.sessions) > caps.max_sessions_per_day:
        raise _reached(
            f"{len(today.sessions)} sessions were thought about today", "sessions_per_day"
        )
    for used, could, cap, name in (
        (today.tokens, day.tokens, caps.max_tokens_per_day, "tokens_per_day"),
        (run.tokens, now.tokens, caps.max_tokens_per_run, "tokens_per_run"),
    ):
        if could > cap:
            raise _reached(
                f"{used:,} tokens were used, and the next call may take {could - used:,}"
                f" (cap {cap:,})",
                name,
            )
    for used, could, cap, name in (
        (today.usd, day.usd, caps.max_usd_per_day, "usd_per_day"),
        (run.usd, now.usd, caps.max_usd_per_run, "usd_per_run"),
    ):
        if could > cap + _DUST:
            raise _reached(
                f"{used:.2f} USD were spent, and the next call may cost {could - used:.2f}"
                f" (cap {cap:.2f})",
                name,
            )


def _reached(what: str, cap: str) -> Refused:
    wait = ", or wait until tomorrow (UTC)" if cap.endswith("day") else ", or run it again"
    return Refused(what, hint=f"raise engines.max_{cap}{wait}")
