"""Prompts: what is asked of whoever thinks, as files with versions, and the fence around data."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from reverie.data import FOLDER
from reverie.engines.protocol import Prompt
from reverie.learn.work.assignments import Assignment
from reverie.privacy import unkeyed

FENCE = "material"


class Instructions(NamedTuple):
    """What is asked of whoever thinks."""

    version: str
    text: str


def instructions(kind: str, **values: object) -> Instructions:
    """The prompt of a kind of work."""
    head, _, text = (FOLDER / "prompts" / f"{kind}.md").read_text("utf-8").partition("\n\n")
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return Instructions(head.removeprefix("version:").strip(), text.strip())


def fenced(*parts: str) -> str:
    """Material between two marks, which nothing in it can imitate once it was made inert."""
    return "\n".join([f"<{FENCE}>", *(part for part in parts if part), f"</{FENCE}>"])


def prompt_of(
    assignment: Assignment,
    material: str,
    schema: Mapping[str, Any],
    session: str = "",
    **values: object,
) -> Prompt:
    """A piece of work as it is sent: what is asked for its kind, and what is shown."""
    asked = instructions(assignment.kind, **values)
    return Prompt(
        id=assignment.id,
        kind=assignment.kind,
        version=asked.version,
        instructions=asked.text,
        material=unkeyed(material),
        schema=schema,
        session=session,
    )
