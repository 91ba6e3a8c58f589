"""List prices of models, and what a call cost or may cost at most."""

import json
import re
from functools import cache
from typing import NamedTuple

from reverie.data import lines, pairs
from reverie.engines.protocol import Prompt
from reverie.engines.receipts import Receipt

MILLION = 1_000_000
CHARACTERS_PER_TOKEN = 4  # of English and code, for estimates
# What a server puts around a request: the form of the conversation, and of the answer.
FRAME_TOKENS = 1_000

_DATED = re.compile(r"-\d{8}$|-\d{4}-\d{2}-\d{2}$|-latest$")


class Usage(NamedTuple):
    """Tokens of one call; `input` without what was read from or put into the cache."""

    input: int
    output: int
    cache_read: int = 0
    cache_created: int = 0


class Price(NamedTuple):
    """US dollars for a million tokens."""

    input: float
    output: float
    cache_read: float
    cache_created: float

    def of(self, usage: Usage) -> float:
        """What so many tokens cost."""
        return sum(count * rate for count, rate in zip(usage, self, strict=True)) / MILLION


FREE = Price(0, 0, 0, 0)


def receipt_of(
    engine: str, model: str, prompt: Prompt, used: Usage | None, seconds: float, price: Price | None
) -> Receipt:
    """What a call took; whoever keeps it knows when."""
    count = used or Usage(0, 0)
    return Receipt(
        at="",
        engine=engine,
        purpose=prompt.kind,
        session=prompt.session,
        cost_usd=price.of(count) if price else 0.0,
        model=model,
        input_tokens=count.input,
        output_tokens=count.output,
        cache_read_tokens=count.cache_read,
        cache_created_tokens=count.cache_created,
        seconds=round(seconds, 3),
        known=used is not None,
        priced=price is not None,
    )


@cache
def _listed() -> dict[str, Price]:
    return {
        model: Price(*(float(number) for number in rates.split()))
        for model, rates in pairs("prices.txt", "models")
    }


def listed_on() -> str:
    """The day of the list."""
    return lines("prices.txt", "date")[0]


def price_of(model: str, *, local: bool) -> Price | None:
    """The list price of a model; of one that is not listed, nothing on this machine, else None."""
    name = model.rpartition("/")[2].lower()
    listed = _listed()
    for spelling in (name, _DATED.sub("", name), _DATED.sub("", name).replace(".", "-")):
        if spelling in listed:
            return listed[spelling]
    return FREE if local else None


def estimated_tokens(prompt: Prompt) -> int:
    """About how many tokens a prompt has."""
    return characters(prompt) // CHARACTERS_PER_TOKEN


def most_tokens(prompt: Prompt) -> int:
    """No tokenizer makes more of it: a token is a byte at least."""
    text = prompt.text + json.dumps(dict(prompt.schema))
    return len(text.encode()) + FRAME_TOKENS


def characters(prompt: Prompt) -> int:
    """All that is sent for a piece."""
    return len(prompt.text) + len(json.dumps(dict(prompt.schema)))
