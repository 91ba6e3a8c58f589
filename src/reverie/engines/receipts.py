"""What runs of paid models cost: one line per run, and the caps that hold before the next one."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, cast

from reverie.clock import Clock, iso
from reverie.errors import Refused


@dataclass(frozen=True, slots=True)
class Receipt:
    """One run. `known` is False when the client died without telling: the cap is charged then."""

    at: str
    engine: str
    purpose: str
    session: str
    cost_usd: float
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    seconds: float = 0.0
    known: bool = True


class Receipts:
    """The receipts of a home, oldest first."""

    def __init__(self, home: Path, clock: Clock) -> None:
        self._path = home / "receipts.jsonl"
        self._clock = clock

    def add(self, receipt: Receipt) -> None:
        """Keep a receipt; it is on the disk when this returns."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        line = json.dumps(asdict(receipt), sort_keys=True) + "\n"
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line.encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def all(self, since: str = "") -> Iterator[Receipt]:
        """Receipts from a time on; a line that cannot be read (a cut write) is passed over."""
        known = {field.name for field in fields(Receipt)}
        if not self._path.exists():
            return
        with self._path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    given = cast("dict[str, Any]", json.loads(line))
                    receipt = Receipt(**{key: given[key] for key in given if key in known})
                except (ValueError, TypeError, KeyError):
                    continue
                if receipt.at >= since:
                    yield receipt

    def spent_today(self) -> float:
        """US dollars since midnight UTC."""
        return sum(receipt.cost_usd for receipt in self.all(since=self.now()[:10]))

    def check(self, run_usd: float, day_usd: float) -> None:
        """Let a run begin only if it cannot take the day above its cap.

        Raises:
            Refused: it could.
        """
        spent = self.spent_today()
        if spent + run_usd > day_usd:
            raise Refused(
                f"today's runs cost {spent:.2f} USD, and this one may cost {run_usd:.2f}"
                f" (cap {day_usd:.2f})",
                hint="raise engines.max_usd_per_day, or wait until tomorrow (UTC)",
            )

    def now(self) -> str:
        return iso(self._clock())
