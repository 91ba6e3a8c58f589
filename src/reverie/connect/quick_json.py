"""JSON for the hot path of hooks: the C parts of the standard library without the package.

`import json` loads `re` and `enum`, which takes most of an interpreter's start once more; its
scanner and its string encoder are C and need neither. Where `_json` is missing (not CPython) the
package is used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BLANK = " \t\n\r"


class _Plain:
    """What the scanner asks of a decoder: no hooks, plain numbers."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def loads(text: str) -> "Any":
    """Parse JSON.

    Raises:
        ValueError: it is not JSON.
    """
    try:
        from _json import make_scanner

        scan = make_scanner(_Plain())  # pyright: ignore[reportArgumentType]  (any such object will do)
        value, end = scan(text, len(text) - len(text.lstrip(_BLANK)))
        if not text[end:].strip(_BLANK):
            return value
    except (ImportError, StopIteration, SystemError):
        pass  # the scanner cannot say what is wrong unless the package is loaded
    import json

    return json.loads(text)


def dumps(value: "Any") -> str:
    """Write JSON; dictionaries with text keys, lists, texts, whole numbers, truth values, null."""
    if isinstance(value, str):
        return _quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        pairs = value.items()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return "{" + ", ".join(f"{_quoted(key)}: {dumps(part)}" for key, part in pairs) + "}"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return "[" + ", ".join(dumps(part) for part in value) + "]"


def _quoted(text: str) -> str:
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import encode_basestring_ascii
    return encode_basestring_ascii(text)
