"""Taking secrets out of text before anything is stored.

A secret becomes `[redacted:<rule>:<hmac8>]`. The mark is keyed: equal secrets get equal marks, so a
reader still sees that two places held the same one, and nobody without the key can try guesses.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from reverie.privacy.documents import inside_json, within_text
from reverie.privacy.keywords import may_hold_secret
from reverie.privacy.structured import redact_value

if TYPE_CHECKING:
    from reverie.privacy.finding import Span

_PRIVATE = re.compile(r"<(/?)private>", re.IGNORECASE)
_PRIVATE_MARK = "[private]"
_MARK = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{8}\]|\[private\]")
_KEYED = re.compile(r"(?<=\[redacted:)([a-z0-9-]+):[0-9a-f]{8}(?=\])")

# What one pass leaves beside a mark may look like a secret only now; it never takes many passes.
_PASSES = 10

_loaded: "list[Callable[[bytes], list[Span]]]" = []

# Up to this size a look for keywords is cheaper than loading the rules.
_QUICK = 4_000

# Short texts come again and again: paths, names of tools, messages.
_SHORT = 256
_REMEMBERED = 4_096


class Key(Protocol):
    """What makes marks; asked for the first time when the first secret is found."""

    def read(self) -> bytes: ...


class Finding(NamedTuple):
    """One secret in a text: which rule saw it, and where (in characters)."""

    rule: str
    start: int
    end: int


class Redactor:
    """Replaces secrets and `<private>` parts. Holds no secret; safe to share and to pickle.

    The rules are loaded by the first text that could hold a secret, the key is read (or made) by
    the first that does. Short texts in which there is none are remembered.
    """

    def __init__(self, key: bytes | Key, *, enabled: bool = True) -> None:
        self._key = key
        self._enabled = enabled
        self._clean: set[str] = set()

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self._key, self._enabled)

    def redact(self, text: str) -> str:
        """`text` without secrets; the same object if there are none. Doing it twice is the same."""
        if text in self._clean:
            return text
        if "private>" in text or "PRIVATE>" in text:
            text = without_private(text)
        if not self._enabled:
            return text
        if not _loaded and len(text) <= _QUICK and not may_hold_secret(text):
            return text
        clean = inside_json(text, self._walked) if text[:1] in ("{", "[") else text
        if clean is text:
            clean = within_text(text, self._walked)
        clean = self._searched(clean)
        if len(text) <= _SHORT and clean == text:
            if len(self._clean) >= _REMEMBERED:
                self._clean.clear()
            self._clean.add(text)
        return clean

    def _walked(self, document: Any) -> Any:
        return redact_value(document, self.redact)

    def _searched(self, text: str) -> str:
        spans_of = _loaded[0] if _loaded else _load()
        data = _bytes(text)
        for _ in range(_PASSES):
            spans = spans_of(data)
            if not spans:
                break
            data = self._replaced(data, spans)
            text = ""
        return text or data.decode("utf-8", "surrogatepass")

    def __call__(self, text: str) -> str:
        return self.redact(text)

    def findings(self, text: str) -> list[Finding]:
        """The secrets of `text`, first to last, not overlapping."""
        data = _bytes(text)
        return [
            Finding(span.rule, _characters(data, span.start), _characters(data, span.stop))
            for span in _load()(data)
        ]

    def _replaced(self, data: bytes, spans: "list[Span]") -> bytes:
        pieces: list[bytes] = []
        at = 0
        for span in spans:
            pieces += (data[at : span.start], self._mark(span.rule, span.secret))
            at = span.stop
        pieces.append(data[at:])
        return b"".join(pieces)

    def _mark(self, rule: str, secret: bytes) -> bytes:
        import hashlib  # OpenSSL's 3 MB, for the few texts that hold a secret
        import hmac

        if not isinstance(self._key, bytes):
            self._key = self._key.read()
        digest = hmac.new(self._key, secret, hashlib.sha256).hexdigest()
        return f"[redacted:{rule}:{digest[:8]}]".encode()


def has_mark(text: str) -> bool:
    """Whether something was taken out of `text`."""
    return "[redacted:" in text or _PRIVATE_MARK in text


def marks_in(text: str) -> list[str]:
    """The rules whose marks stand in `text`; `private` for what was said to be that."""
    return [mark[1:-1].split(":")[-2] if ":" in mark else "private" for mark in _MARK.findall(text)]


def without_marks(text: str) -> str:
    """`text` without what stands for secrets, for the names that are made of it."""
    return _MARK.sub(" ", text)


def unkeyed(text: str) -> str:
    """`text` with marks that are the same in every home: whom it is sent to learns no more."""
    return _KEYED.sub(r"\1", text)


def _restored(key: bytes | Key, enabled: bool) -> Redactor:
    return Redactor(key, enabled=enabled)


def without_private(text: str) -> str:
    """`text` with everything between `<private>` and its `</private>` replaced.

    A tag without its partner stays as it is: it is more often prose or code than a wish.
    """
    pieces: list[str] = []
    at = depth = opened = 0
    for tag in _PRIVATE.finditer(text):
        if not tag.group(1):
            opened = tag.start() if depth == 0 else opened
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                pieces += (text[at:opened], _PRIVATE_MARK)
                at = tag.end()
    pieces.append(text[at:])
    return "".join(pieces)


def _load() -> "Callable[[bytes], list[Span]]":
    """The rules, for the rest of the process."""
    from reverie.privacy.finding import spans_of

    _loaded.append(spans_of)
    return spans_of


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _characters(data: bytes, offset: int) -> int:
    return len(data[:offset].decode("utf-8", "surrogatepass"))
