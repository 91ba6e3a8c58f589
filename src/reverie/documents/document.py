"""A memory as a document: frontmatter fields and a body, in any of the four forms found on disk.

    nested   Claude Code's current form and ours: `name`, `description`, `metadata:` with the rest
    flat     its older form: `type` and the rest beside `name`
    bare     no frontmatter: the whole file is the body, the name comes from the path
    (new)    made here, written in the nested form

A document that was read writes back to the identical text until a field changes, and then only
the lines of that field change: unknown keys, comments, line ends and the body stay as they were.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from reverie.documents import frontmatter
from reverie.documents.bodies import headline, shortened, without_quotes
from reverie.documents.frontmatter import Frontmatter, Value
from reverie.documents.vocabulary import GLOBAL, KINDS, SECTIONS, TYPES
from reverie.errors import InvalidDocument, InvalidInput
from reverie.trust import TRUSTS, Trust, lowest

_CHOICES: dict[str, tuple[str, ...]] = {
    "type": TYPES,
    "kind": KINDS,
    "section": SECTIONS,
    "trust": TRUSTS,
}
# Fields that live under `metadata:`, in the order they are written.
METADATA: tuple[str, ...] = (
    *("type", "kind", "scope", "section", "created", "modified", "expires"),
    *("pinned", "pin_reason", "trust", "support", "evidence"),
)
_KNOWN = frozenset({"name", "description", "metadata", *METADATA})
MAX_NAME = 200
MAX_TITLE = 60
MAX_EVIDENCE = 50  # ids kept in a memory; the count goes on in `support`
EVIDENCE = re.compile(r"[a-z0-9][a-z0-9._-]*:[^\s#,\[\]]+#\d+")
_SCOPE = re.compile(r"[^\s/\\,\[\]{}\x00-\x1f][^\s\\,\[\]{}\x00-\x1f]{0,199}")
_PART = re.compile(r"[^\W_]+")
_BEFORE = {"at", "for", "in", "on", "with"}  # what a sentence that goes on begins with
_NULLS = {"", "~", "null", "Null", "NULL"}


@dataclass(frozen=True, slots=True)
class Document:
    """One memory. Empty strings mean: not given."""

    name: str
    description: str = ""
    type: str = ""
    kind: str = ""
    scope: str = ""
    section: str = ""
    created: str = ""
    modified: str = ""
    expires: str = ""  # a moment, or the last day on which it holds
    pinned: bool = False
    pin_reason: str = ""
    trust: str = ""
    support: int = 0
    evidence: tuple[str, ...] = ()
    body: str = ""
    problem: str = field(default="", compare=False)  # why the frontmatter could not be used
    source: "Source | None" = field(default=None, compare=False, repr=False)

    def text(self) -> str:
        """The file: the very text that was read, or with only the changed fields rewritten."""
        if self.source is None:
            return _new_text(self)
        return self.source.rewritten(self)

    def validate(self) -> "Document":
        """Check every field; returns the document itself.

        Raises:
            InvalidDocument: names the field, the value and what would be allowed.
        """
        if not self.name.strip() or len(self.name) > MAX_NAME or "\n" in self.name:
            raise InvalidDocument(f"name must be one line of 1 to {MAX_NAME} characters")
        for key, allowed in _CHOICES.items():
            _check_choice(key, getattr(self, key), allowed)
        if self.scope and not _SCOPE.fullmatch(self.scope):
            raise InvalidDocument(f"scope must be {GLOBAL} or a project's slug, not {self.scope!r}")
        if self.section and self.type not in ("", "user"):
            raise InvalidDocument("section belongs to memories of type user only")
        for key in ("created", "modified", "expires"):
            _check_date(key, getattr(self, key))
        if self.support < 0:
            raise InvalidDocument("support counts sessions and cannot be negative")
        for item in self.evidence:
            if not EVIDENCE.fullmatch(item):
                raise InvalidDocument(
                    f"evidence {item!r} is not of the form agent:session#line",
                    hint="for example claude-code:1f2e3d4c#42",
                )
        return self

    def resting_on(self, evidence: Iterable[str], support: int = 0) -> "Document":
        """The same with more evidence; `support` counts sessions, also of what is kept no more."""
        ids = tuple(dict.fromkeys((*self.evidence, *evidence)))
        sessions = len({item.rpartition("#")[0] for item in ids})
        return replace(
            self, evidence=ids[-MAX_EVIDENCE:], support=max(self.support, support, sessions)
        )

    @property
    def title(self) -> str:
        """The name for people: the description if that is short, or as much of it as stands alone;
        else the words of it that the name stands for, or the name's own."""
        if " " in self.name:
            return self.name
        words = self.name.replace("_", " ").replace("-", " ").strip() or self.name
        phrase = _phrase(words.lower().split(), self.description)
        if _tells_of(words, self.description):
            return headline(self.description) or _capital(phrase) or shortened(self.description)
        words = phrase or _as_written(words, self.description)
        return _capital(words)

    @property
    def shared(self) -> bool:
        """Does it belong to all projects? Type `user` and scope `global` do."""
        return self.type == "user" or self.scope == GLOBAL

    @property
    def dated(self) -> str:
        """The day it was last right, `YYYY-MM-DD`; empty when it has no date."""
        return (self.modified or self.created)[:10]

    @property
    def over_at(self) -> str:
        """The moment from which it no longer holds, ISO; empty when it does not expire."""
        if not self.expires:
            return ""
        from datetime import datetime, time, timedelta

        from reverie.clock import iso, parse_iso

        moment = parse_iso(self.expires)
        if len(self.expires) > len("2026-11-15"):
            return iso(moment)
        try:
            return iso(datetime.combine(moment + timedelta(days=1), time(), moment.tzinfo))
        except OverflowError:
            return ""

    @property
    def origin(self) -> str:
        """The session Claude Code says it came from (`originSessionId`); empty when it does not."""
        return self.extra.get("originSessionId", "")

    @property
    def extra(self) -> dict[str, str]:
        """Keys of the frontmatter that are not ours, text values only."""
        if self.source is None or self.source.front is None:
            return {}
        values = self.source.front.values
        table = values.get("metadata")
        merged = dict(values) | (table if isinstance(table, dict) else {})
        return {k: v for k, v in merged.items() if k not in _KNOWN and isinstance(v, str)}


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document came from: the text, its split form, and the path that may name it."""

    raw: str
    front: Frontmatter | None
    path: str

    @property
    def form(self) -> Literal["nested", "flat", "bare"]:
        if self.front is None:
            return "bare"
        values = self.front.values
        flat = "metadata" not in values and any(key in values for key in METADATA)
        return "flat" if flat else "nested"

    def rewritten(self, now: Document) -> str:
        read = _read(self)
        changed = [
            f.name
            for f in fields(now)
            if f.compare and getattr(now, f.name) != getattr(read, f.name)
        ]
        if not changed:
            return self.raw
        if self.front is None:
            if changed == ["body"]:
                return now.body
            mark = "\ufeff" if now.body.startswith("\ufeff") else ""
            return mark + _new_text(replace(now, body=now.body.removeprefix("\ufeff")))
        front = self.front.with_body(now.body)
        for key in (name for name in ("name", "description", *METADATA) if name in changed):
            front = front.with_value(self._place(key), _rendered(now, key) or None)
        return front.text()

    def _place(self, key: str) -> tuple[str, ...]:
        if key in ("name", "description"):
            return (key,)
        assert self.front is not None
        values = self.front.values
        table = values.get("metadata")
        if isinstance(table, dict) and key in table:
            return ("metadata", key)
        return (key,) if key in values or self.form == "flat" else ("metadata", key)


def parse(text: str, *, path: str = "") -> Document:
    """Read one file, strictly.

    Raises:
        InvalidDocument: the frontmatter cannot be read, or a field of it is not valid.
    """
    try:
        return _read(Source(text, frontmatter.split(text), path)).validate()
    except InvalidDocument as error:
        if path:
            raise InvalidDocument(f"{path}: {error.message}", hint=error.hint) from None
        raise


def load(text: str, *, path: str = "") -> Document:
    """Read one file whatever it holds: one that does not parse is bare, and says its `problem`.

    So one broken file never hides the others, is shown, and is not found by type.
    """
    try:
        return parse(text, path=path)
    except InvalidDocument as error:
        return replace(_bare(Source(text, None, path)), problem=error.message)


def over_at(text: str, *, path: str = "") -> str:
    """The moment from which a file says that it no longer holds; empty when it does not say so."""
    return load(text, path=path).over_at if "expires" in text[: frontmatter.MAX_BYTES] else ""


def without_claims(text: str, trust: Trust, *, path: str = "", before: str = "") -> str:
    """A file by a writer of this trust without what only a person gives: more trust than that,
    and a pin that it had not `before`. What a person writes is theirs, whatever it said."""
    pinned = trust == "user" or load(before, path=path).pinned
    for _ in range(2):  # a field can stand in `metadata` and beside it
        document = load(text, path=path)
        if document.trust in TRUSTS:
            claimed = trust if trust == "user" else lowest(document.trust, trust)
            document = replace(document, trust=claimed)
        if document.pinned and not pinned:
            document = replace(document, pinned=False, pin_reason="")
        text = document.text()
    return text


def without_grounds(text: str, *, path: str = "", before: str = "") -> str:
    """A file without sources that it had not `before`: what was said where, and how often, is found
    by learning and never by whoever writes a file."""
    known = load(before, path=path)
    for _ in range(2):  # a field can stand in `metadata` and beside it
        document = load(text, path=path)
        evidence = tuple(place for place in document.evidence if place in known.evidence)
        support = min(document.support, known.support)
        if (evidence, support) != (document.evidence, document.support):
            document = replace(document, evidence=evidence, support=support)
        text = document.text()
    return text


def is_rewritten(before: Document, after: Document) -> bool:
    """Whether nothing that a memory says was left as it was; what it quotes does not count."""
    old, new = (
        {
            document.description,
            *filter(None, map(str.strip, without_quotes(document.body).split("\n"))),
        }
        for document in (before, after)
    )
    return old.isdisjoint(new)


def with_trust(text: str, trust: Trust, *, path: str = "") -> str:
    """A text that says of itself what its version says; one that says nothing stays as it is."""
    document = load(text, path=path)
    return replace(document, trust=trust).text() if document.trust in TRUSTS else text


def _read(source: Source) -> Document:
    if source.front is None:
        return _bare(source)
    values = source.front.values
    table = values.get("metadata", {})
    if not isinstance(table, dict):
        if isinstance(table, list) or table not in _NULLS:
            raise InvalidDocument(f"metadata must be a table, not {table!r}")
        table = {}
    merged: dict[str, Value] = {**values, **table}
    typed: dict[str, Any] = {}
    for key, value in merged.items():
        if key in METADATA and value and not (isinstance(value, str) and value in _NULLS):
            typed[key] = _typed(key, value)
    name = _text("name", values.get("name", "")) or stem(source.path) or "unnamed"
    description = _text("description", values.get("description", ""))
    body = source.front.body
    return Document(name=name, description=description, body=body, source=source, **typed)


def _bare(source: Source) -> Document:
    lines = source.raw.splitlines()
    first = next((line.strip() for line in lines if line.strip("# \t\ufeff-")), "")
    return Document(
        name=stem(source.path) or "unnamed",
        description=first.lstrip("\ufeff# ").strip()[:MAX_NAME],
        body=source.raw,
        source=source,
    )


def stem(path: str) -> str:
    """`/daily/2026-11-15.md` → `2026-11-15`."""
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def _typed(key: str, value: Value) -> Any:
    if key == "evidence":
        items = value if isinstance(value, list) else [value]
        return tuple(_text(key, item) for item in items)
    text = _text(key, value)
    if key == "pinned":
        lowered = text.lower()
        if lowered not in ("true", "false", "yes", "no"):
            raise InvalidDocument(f"pinned must be true or false, not {text!r}")
        return lowered in ("true", "yes")
    if key == "support":
        if not re.fullmatch(r"\d{1,9}", text):
            raise InvalidDocument(f"support must be a whole number, not {text!r}")
        return int(text)
    return text


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidDocument(f"{key} must be text, not {'a list' if value else 'empty'}")
    return "" if value in _NULLS else value.strip()


def _check_choice(key: str, value: str, allowed: tuple[str, ...]) -> None:
    if not value or value in allowed:
        return
    import difflib

    close = difflib.get_close_matches(value.lower(), allowed, n=1)
    raise InvalidDocument(
        f"{key} must be one of {', '.join(allowed)}, not {value!r}",
        hint=f"did you mean {close[0]}?" if close else None,
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:] if words.partition(" ")[0].isalpha() else words


def _tells_of(name: str, description: str) -> bool:
    """Whether a description has most words of a name: nobody made that up beside it."""
    parts = set(_PART.findall(name.lower()))
    shared = parts & set(_PART.findall(description.lower()))
    return len(parts) > 1 and 3 * len(shared) >= 2 * len(parts)


def _phrase(parts: list[str], description: str) -> str:
    """The stretch of a description that has these words in this order; "" if none or too long.

    Of `prices-integer-cents` "Prices are integer cents", of `with-retries-client` "with_retries in
    client.py".
    """
    begin, end, at = -1, 0, 0
    for word in re.finditer(r"\S+", description):
        before = at
        for part in _PART.findall(word[0].lower()):
            at += at < len(parts) and part == parts[at]
        if at > before:
            begin, end = (word.start() if begin < 0 else begin), word.end()
    if description[:begin].strip().lower() in _BEFORE:
        begin = 0  # "For old boats we keep paper logs", not without its first word
    phrase = description[begin:end].strip("*,.;:!?()\"“”'") if at == len(parts) else ""
    return phrase if len(phrase) <= MAX_TITLE else ""


def _as_written(words: str, description: str) -> str:
    """The words as a description writes them behind its first one: "no PII in storage"."""
    behind = description.partition(" ")[2]
    written = {part.lower(): part for part in _PART.findall(behind)}
    return " ".join(written.get(word, word) for word in words.split())


def _check_date(key: str, value: str) -> None:
    if not value:
        return
    from reverie.clock import parse_iso

    try:
        parse_iso(value)
    except InvalidInput:
        raise InvalidDocument(
            f"{key} must be an ISO date such as 2026-11-15, not {value!r}"
        ) from None


def _rendered(document: Document, key: str) -> str:
    """The YAML of one field; empty when the field is at its default and need not be written."""
    value = getattr(document, key)
    if key == "pinned":
        return "true" if value else ""
    if key == "support":
        return str(value) if value else ""
    if key == "evidence":
        return frontmatter.flow(list(value)) if value else ""
    if key in ("created", "modified", "expires"):
        return value
    return frontmatter.scalar(value) if value else ""


def _new_text(document: Document) -> str:
    metadata = {key: text for key in METADATA if (text := _rendered(document, key))}
    values: dict[str, Any] = {
        "name": frontmatter.scalar(document.name),
        "description": frontmatter.scalar(document.description),
    }
    if metadata:
        values["metadata"] = metadata
    return frontmatter.compose(values, document.body)
