"""What every engine is: it gets one assignment as words and a form, and answers with JSON.

There is one set of prompts: what an engine is sent is what `reverie work next` hands to an agent.
Whoever runs one (`operations/engines/thinking.py`) checks the caps before and keeps the receipt.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from reverie.engines.receipts import Receipt

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One assignment as it leaves this machine; nothing else of the home does."""

    id: str  # of the piece of work
    kind: str  # session, day, dream, triage
    version: str  # of the instructions; a receipt keeps it
    instructions: str  # the same for every piece of a kind: the part a provider can cache
    material: str  # redacted, and fenced as data
    schema: Mapping[str, Any]  # of the answer, as JSON schema
    session: str = ""  # the key of the session it is about, for engines that can fork it

    @property
    def text(self) -> str:
        """Instructions and material as one text."""
        return f"{self.instructions}\n\n{self.material}"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one answer may take."""

    usd: float
    output_tokens: int
    seconds: float
    turns: int = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said, and what it cost."""

    text: str  # JSON of the schema, not yet checked
    receipt: Receipt


class Engine(Protocol):
    """Somebody who thinks."""

    @property
    def name(self) -> str: ...

    def answer(self, prompt: Prompt, limits: Limits) -> Answer:
        """Think about one assignment.

        Raises:
            Unavailable: it cannot be reached, is too slow, refuses, or says something else.
        """
        ...


def only_json(text: str) -> str:
    """The JSON of an answer, which models like to wrap in a fence; "" when there is none."""
    match = _OBJECT.search(text)
    return match.group() if match else ""
