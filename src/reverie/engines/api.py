"""A model behind an HTTP API: what is the same whoever serves it."""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, cast

from reverie.engines.http import Endpoint, is_local
from reverie.engines.prices import Price, Usage, price_of, receipt_of
from reverie.engines.protocol import Answer, Limits, Prompt
from reverie.errors import CallFailed


class Said(NamedTuple):
    """What a reply holds."""

    text: str
    end: Literal["done", "refusal", "too long"]
    used: Usage | None  # None: the server does not count


@dataclass(slots=True)
class ApiModel(ABC):
    """One model at one address."""

    endpoint: Endpoint
    model: str

    path: ClassVar[str]

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    def price(self) -> Price | None:
        """The list price; nothing for what runs here and is not listed; None when unknown."""
        return price_of(self.model, local=is_local(self.endpoint.url))

    @abstractmethod
    def request(self, prompt: Prompt, limits: Limits) -> dict[str, Any]:
        """Exactly what is sent for an assignment."""

    @abstractmethod
    def read(self, reply: Mapping[str, Any]) -> Said:
        """What the server answered."""

    @abstractmethod
    def asks_for_less(self, refusal: str) -> bool:
        """Leave out of the next request what the server said it does not know; False: nothing."""

    def answer(self, prompt: Prompt, limits: Limits) -> Answer:
        """Think about one assignment.

        Raises:
            CallFailed: no answer, or one that cannot be used; it says whether to try again.
        """
        began = time.monotonic()
        body = self.request(prompt, limits)
        try:
            reply = self.read(self.endpoint.post(self.path, body, limits.seconds))
        except CallFailed as error:
            if error.status in {400, 422} and self.asks_for_less(error.message):
                error.again, error.after = True, 0.0
            raise
        return self.usable(prompt, reply, limits, time.monotonic() - began)

    def usable(self, prompt: Prompt, reply: Said, limits: Limits, seconds: float = 0.0) -> Answer:
        """An answer with its receipt.

        Raises:
            CallFailed: it is none that can be used.
        """
        if reply.end == "refusal":
            raise CallFailed("the model refuses to answer", used=reply.used)
        if reply.end == "too long":
            raise CallFailed(
                f"the answer is longer than {limits.output_tokens:,} tokens",
                hint="engines.max_output_tokens may be raised",
                used=reply.used,
            )
        if not reply.text.strip():
            raise CallFailed("the model says nothing", again=True, used=reply.used)
        receipt = receipt_of(self.name, self.model, prompt, reply.used, seconds, self.price)
        return Answer(reply.text, receipt)


def in_words(schema: Mapping[str, Any]) -> str:
    """The form of the answer, for models that are told it in the instructions."""
    form = json.dumps(dict(schema), ensure_ascii=False)
    return f"\n\nAnswer with one JSON object of this schema and nothing else:\n{form}"


def fields(value: Any) -> dict[str, Any]:
    """`value` if it is an object, else one without fields."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [fields(item) for item in cast("list[Any]", value)] if isinstance(value, list) else []


def anthropic_usage(value: Any) -> Usage | None:
    """Tokens as Anthropic's API and client tell them; None where they tell none."""
    names = "input_tokens output_tokens cache_read_input_tokens cache_creation_input_tokens"
    usage = fields(value)
    return Usage(*(counted(usage, name) for name in names.split())) if usage else None


def counted(usage: Mapping[str, Any], name: str) -> int:
    """A number of tokens as a server tells it."""
    value = usage.get(name)
    return max(0, value) if isinstance(value, int) else 0
