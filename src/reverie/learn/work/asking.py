"""Work of the kinds `answer`, `judge` and `summary`: for measuring how much of a history is left.

Nothing of it is handed out by `reverie work next` or kept: whoever measures asks and counts.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from reverie.engines.protocol import Prompt, only_json
from reverie.errors import InvalidInput
from reverie.inert import inert
from reverie.learn.work.answers import MAX_NOTE, TEXT, converted, decoded, form, read_answer, rows
from reverie.learn.work.prompts import fenced, instructions
from reverie.privacy import unkeyed

UNKNOWN = "unknown"
MOST_JUDGED = 20  # answers of one piece

_ANSWER = form({"answer": TEXT})
_SUMMARY = form({"summary": TEXT})
_VERDICTS = form({"verdicts": rows({"id": TEXT, "verdict": {"enum": ["right", "wrong"], **TEXT}})})


class Given(NamedTuple):
    """An answer that is to be judged."""

    question: str
    right: str
    answer: str


class _Reply(msgspec.Struct, frozen=True):
    answer: Annotated[str, msgspec.Meta(max_length=5 * MAX_NOTE)]


class _Summary(msgspec.Struct, frozen=True):
    summary: str


class _Verdict(msgspec.Struct, frozen=True):
    id: str
    verdict: Literal["right", "wrong"]


def answer_prompt(question: str, context: str) -> Prompt:
    """A question that is to be answered from a context alone, which may be empty."""
    lines = [inert(line) for line in context.splitlines()] or ["(there are no notes)"]
    return _prompt("answer", fenced(*lines) + f"\nQuestion: {inert(question)}", _ANSWER)


def read_reply(text: str) -> str:
    """The answer that was given; "" for `unknown`.

    Raises:
        InvalidInput: it has not the form that was asked for.
    """
    said = decoded(only_json(text) or text, _Reply).answer.strip()
    return "" if said.strip(" .\"'").lower() in ("", UNKNOWN) else said


def judge_prompt(given: Sequence[Given]) -> Prompt:
    """Answers that are to be judged; who gave them, and from what, is not told."""
    lines = [
        json.dumps({"id": f"a{number}", **answer._asdict()}, ensure_ascii=False)
        for number, answer in enumerate(given, 1)
    ]
    return _prompt("judge", fenced(*map(inert, lines)), _VERDICTS)


def read_verdicts(text: str, count: int) -> list[bool]:
    """Which of so many answers are right, in their order.

    Raises:
        InvalidInput: it has not the form that was asked for, or leaves one out.
    """
    verdicts: dict[str, bool] = {}
    for item in read_answer(only_json(text) or text, "verdicts", count):
        verdict, why = converted(item, _Verdict)
        if verdict is None:
            raise InvalidInput(f"a verdict is not of the form: {why}")
        verdicts[verdict.id] = verdict.verdict == "right"
    names = [f"a{number}" for number in range(1, count + 1)]
    if missing := [name for name in names if name not in verdicts]:
        raise InvalidInput(f"no verdict on {', '.join(missing)}")
    return [verdicts[name] for name in names]


def summary_prompt(history: Sequence[str], budget: int) -> Prompt:
    """A history that is to be told in so many characters."""
    material = fenced(*(inert(" ".join(part.split())) for part in history))
    return _prompt("summary", material, _SUMMARY, budget=budget)


def read_summary(text: str) -> str:
    """The summary that was given.

    Raises:
        InvalidInput: it has not the form that was asked for.
    """
    return decoded(only_json(text) or text, _Summary).summary


def _prompt(kind: str, material: str, schema: dict[str, Any], **values: object) -> Prompt:
    asked = instructions(kind, **values)
    name = hashlib.sha256(f"{asked.text}\0{material}".encode("utf-8", "replace")).hexdigest()[:16]
    return Prompt(f"{kind}_{name}", kind, asked.version, asked.text, unkeyed(material), schema)
