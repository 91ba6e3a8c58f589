"""One call of an engine: the caps before it, the most it may cost on the disk, then what it cost.

Calls that fail are tried again where that may help, each within the caps and with a receipt of its
own.
"""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import floor

from reverie.engines.prices import Usage, most_tokens
from reverie.engines.protocol import Answer, Limits, Prompt
from reverie.engines.receipts import BEGUN, Receipt, Receipts, Spent, check
from reverie.errors import CallFailed, Refused, Unavailable
from reverie.home import Home
from reverie.operations.engines.catalog import LONGEST_CALL, Chosen

ATTEMPTS = 3  # calls for one answer
WAITS = (2.0, 8.0)  # seconds, where the server names none
LONGEST_WAIT = 60.0  # a server that asks for more is left alone
LEAST_USD = 0.02  # with less no client gets far

Keep = Callable[[], None]
Wait = Callable[[float], None]


class Caller:
    """The calls of one run."""

    def __init__(self, home: Home, engine: Chosen, wait: Wait) -> None:
        self._engine = engine
        self._wait = wait
        self._receipts = Receipts(home.config.home, home.clock)
        self._caps = home.settings.engines
        self._spent = Spent()

    def call(self, prompt: Prompt, sessions: Sequence[str], keep: Keep) -> Answer:
        """One answer of the engine, tried again where that may help.

        Args:
            sessions: What the prompt is about, by their keys.
            keep: Called before each try; holds what this one must hold meanwhile.

        Raises:
            Refused: a cap does not allow it.
            Unavailable: there is none.
        """
        failed = 0
        while True:
            keep()
            limits = self.limits()
            begun = replace(self.most(prompt, limits), session=" ".join(sessions))
            self.begin(begun)
            began = time.monotonic()
            try:
                answer = self._engine.engine.answer(prompt, limits)
            except Unavailable as error:
                seconds = round(time.monotonic() - began, 3)
                self.book(replace(self.charged(begun, error), seconds=seconds))
                # A server that was asked for too much in the form is asked for less.
                failed += not _is_form(error)
                self._wait(_delay(error, failed))
                continue
            receipt = self.kept(begun, answer.receipt, "answered")
            self.book(receipt)
            return Answer(answer.text, receipt)

    def begin(self, begun: Receipt) -> None:
        """Keep the receipt of a call as if it cost the most it may.

        Raises:
            Refused: that could break a cap.
        """
        check(self._caps, self._receipts.today(), self._spent, begun)
        self._receipts.add(begun)

    def reserve(self, begun: Receipt) -> None:
        """As `begin`, of one of several calls that go out together."""
        check(self._caps, self._receipts.today(), self._spent, begun)
        self.book(begun)

    def came_to(self, answer: Answer, outcome: str) -> None:
        """Note on a receipt what became of the answer."""
        self._receipts.add(replace(answer.receipt, outcome=outcome))

    def limits(self) -> Limits:
        """What a call may take now."""
        caps, today = self._caps, self._receipts.today()
        left = min(caps.max_usd_per_day - today.usd, caps.max_usd_per_run - self._spent.usd)
        if self._engine.keeps_to_budget and left < LEAST_USD:
            raise Refused(
                f"{max(left, 0.0):.2f} USD are left, and a call needs {LEAST_USD:.2f}",
                hint="raise engines.max_usd_per_day or max_usd_per_run, or wait until tomorrow",
            )
        return Limits(
            usd=floor(min(max(left, 0.0), caps.max_usd_per_call) * 10_000) / 10_000,
            output_tokens=caps.max_output_tokens,
            seconds=min(caps.timeout_seconds, LONGEST_CALL),
            turns=caps.max_turns,
        )

    def most(self, prompt: Prompt, limits: Limits) -> Receipt:
        """The receipt of a call that costs as much as it can."""
        engine = self._engine
        tokens = most_tokens(prompt) + engine.more_tokens
        price = engine.price
        dearest = max(price.input, price.cache_created) if price else 0.0
        usd = dearest * tokens + price.output * limits.output_tokens if price else 0.0
        return Receipt(
            at=self._receipts.now(),
            engine=engine.name,
            purpose=prompt.kind,
            session=prompt.session,
            cost_usd=limits.usd if engine.keeps_to_budget else usd / 1_000_000,
            model=engine.model,
            input_tokens=tokens,
            output_tokens=limits.output_tokens,
            known=False,
            priced=price is not None or engine.keeps_to_budget,
            id=secrets.token_hex(8),
            piece=prompt.id,
            prompt=prompt.version,
            outcome=BEGUN,
        )

    def kept(self, begun: Receipt, reported: Receipt, outcome: str) -> Receipt:
        """What the engine told of its call, or the most it could cost where it told nothing."""
        counts = reported if reported.known or reported.tokens else begun
        return replace(
            begun,
            cost_usd=reported.cost_usd if reported.known else begun.cost_usd,
            model=reported.model or begun.model,
            input_tokens=counts.input_tokens,
            output_tokens=counts.output_tokens,
            cache_read_tokens=counts.cache_read_tokens,
            cache_created_tokens=counts.cache_created_tokens,
            seconds=reported.seconds,
            known=reported.known,
            outcome=outcome,
        )

    def charged(self, begun: Receipt, error: Unavailable) -> Receipt:
        """What a failed call cost."""
        why = f"failed: {error.message}"[:120]
        reported: object = getattr(error, "receipt", None)
        if isinstance(reported, Receipt):
            return self.kept(begun, reported, why)
        used = error.used if isinstance(error, CallFailed) else None
        if used is None:
            return replace(begun, outcome=why)
        usage, price = Usage(*used), self._engine.price
        return replace(
            begun,
            cost_usd=price.of(usage) if price else 0.0,
            input_tokens=usage.input,
            output_tokens=usage.output,
            cache_read_tokens=usage.cache_read,
            cache_created_tokens=usage.cache_created,
            known=True,
            outcome=why,
        )

    def book(self, receipt: Receipt) -> None:
        """Keep what a call of this run came to."""
        self._receipts.add(receipt)
        self._spent = self._spent.plus(receipt)


def _is_form(error: Unavailable) -> bool:
    return isinstance(error, CallFailed) and error.again and error.status in {400, 422}


def _delay(error: Unavailable, failed: int) -> float:
    """How long to wait before the next try.

    Raises:
        Unavailable: there is to be none.
    """
    if not isinstance(error, CallFailed) or not error.again:
        raise error
    if failed >= ATTEMPTS:
        error.whole = True  # so often in a row, it is not the piece
        raise error
    if error.after is not None and error.after > LONGEST_WAIT:
        error.whole = True
        error.hint = f"it asks to be left alone for {error.after:.0f} s"
        raise error
    return WAITS[failed - 1] if error.after is None else error.after
