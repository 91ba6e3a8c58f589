"""JSON exports of mem0 and LangMem: a list of items, each a sentence or a small record.

mem0      {"results": [{"memory": …, "created_at": …, "categories": […]}]}, or the list itself
LangMem   [{"namespace": […], "key": …, "value": {"kind": …, "content": …}, "created_at": …}]
"""

import json
from pathlib import Path
from typing import Any, cast

from reverie.documents.document import Document
from reverie.errors import InvalidInput
from reverie.imports.base import Found, Piece, Target, one_line, slug, text_of, unique

_LISTS = ("results", "memories", "items", "data")
_TEXTS = ("memory", "content", "text", "data", "value")
_MOST = 100_000_000


class Items:
    """One JSON or JSON Lines file."""

    kind = "json"
    about = "a JSON export of mem0 or LangMem"

    def recognises(self, place: Path) -> bool:
        if not place.is_file() or place.suffix not in (".json", ".jsonl"):
            return False
        try:
            return any(_said(item) for item in items(text_of(place, _MOST)))
        except InvalidInput:
            return False

    def read(self, place: Path, target: Target) -> Found:
        contents = Found()
        taken: set[str] = set()
        for number, item in enumerate(items(text_of(place, _MOST)), 1):
            source = f"{place.name}, item {number}"
            text = target.redact(_said(item))
            if not text:
                contents.skip(source, "holds no text")
                continue
            created = item.get("created_at") or item.get("createdAt") or ""
            document = Document(
                name=unique(slug(" ".join(text.split()[:8])) or f"item-{number}", taken),
                description=one_line(text),
                type=_type(item),
                created=str(created)[:10],
                trust="agent",
                body=text.strip() + "\n",
            )
            store = target.store_for(document, target.project)
            contents.pieces.append(Piece(store, f"/{document.name}.md", document.text(), source))
        return contents


def items(text: str) -> list[dict[str, Any]]:
    """The items of an export, whatever they are wrapped in.

    Raises:
        InvalidInput: not JSON, or nothing in it is a list of items.
    """
    try:
        data: Any = json.loads(text)
    except RecursionError:
        raise InvalidInput("the JSON is nested too deep") from None
    except ValueError:
        data = _lines(text)
    if isinstance(data, dict):
        table = cast("dict[str, Any]", data)
        data = next((table[key] for key in _LISTS if isinstance(table.get(key), list)), [table])
    if not isinstance(data, list):
        raise InvalidInput("the file holds no list of items")
    return [
        cast("dict[str, Any]", item) for item in cast("list[Any]", data) if isinstance(item, dict)
    ]


def _lines(text: str) -> list[Any]:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        raise InvalidInput("the file is not JSON") from None


def _said(item: dict[str, Any]) -> str:
    """The text of an item, also where it is wrapped once or twice."""
    for key in _TEXTS:
        value = item.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, dict) and (inner := _said(cast("dict[str, Any]", value))):
            return inner
    return ""


def _type(item: dict[str, Any]) -> str:
    """A profile, or what belongs to a user and no project, is about the person."""
    value: Any = item.get("value")
    kind = str(cast("dict[str, Any]", value).get("kind", "")) if isinstance(value, dict) else ""
    if "profile" in kind.lower():
        return "user"
    return "feedback" if "preference" in kind.lower() else "project"
