"""Changing one value of a TOML file somebody else wrote: comments, order and spacing stay."""

from collections.abc import MutableMapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable

from reverie.errors import InvalidInput


def parsed(text: str) -> dict[str, Any]:
    """The plain values of a TOML text.

    Raises:
        InvalidInput: it is not TOML.
    """
    return _document(text).unwrap()


def with_value(text: str, path: Sequence[str], value: Any) -> str:
    """`text` with `value` at `path`; the tables on the way are made where they are missing.

    Raises:
        InvalidInput: it is not TOML, or something on the way is not a table.
    """
    document = _document(text)
    *above, name = path
    table: Any = document
    for number, step in enumerate(above, 1):
        if step not in table:
            # A table that only leads to others has no header of its own.
            leads_on = number < len(above) or isinstance(value, dict)
            table[step] = tomlkit.table(is_super_table=leads_on)
        table = table[step]
        if not _is_table(table):
            raise InvalidInput(f"{'.'.join(above[:number])} is not a table")
    if isinstance(value, dict):
        made: Any = tomlkit.inline_table() if isinstance(table, InlineTable) else tomlkit.table()
        made.update(value)
        table[name] = made
    else:
        table[name] = value
    return tomlkit.dumps(document)


def without_value(text: str, path: Sequence[str]) -> str:
    """`text` without what is at `path`; unchanged when nothing is there.

    Raises:
        InvalidInput: it is not TOML.
    """
    document = _document(text)
    table: Any = document
    for step in path[:-1]:
        table = table.get(step)
        if not _is_table(table):
            return text
    if path[-1] not in table:
        return text
    del table[path[-1]]
    return tomlkit.dumps(document)


def _is_table(value: Any) -> bool:
    return isinstance(value, MutableMapping)


def _document(text: str) -> Any:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise InvalidInput(f"the settings are not TOML that can be added to: {error}") from None
