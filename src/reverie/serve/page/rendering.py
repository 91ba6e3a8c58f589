"""Values as HTML: the templates with their words for times, sizes and trust; Markdown made safe."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, urlencode

import nh3
from jinja2 import (
    BytecodeCache,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    select_autoescape,
)
from jinja2.bccache import Bucket
from markdown_it import MarkdownIt
from markupsafe import Markup

from reverie.clock import Clock
from reverie.plural import several
from reverie.serve.page.wording import word
from reverie.sync.addresses import shown

FOLDER = Path(__file__).parent
_LINK = re.compile(r"\[\[([^\[\]\n|]{1,200})\]\]")
_SESSION = re.compile(r"([\w-]+:[0-9a-zA-Z_]{4,8})[0-9a-zA-Z_-]{6,}")
_EVIDENCE = 4
_POINTED = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\n]{1,400}\)")  # [words](place)
_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li",
    "ol", "p", "pre", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_SECONDS = (("year", 31_557_600), ("month", 2_629_800), ("day", 86_400), ("hour", 3_600))


class _InProcess(BytecodeCache):
    """Templates are compiled once in a process, however many look through them."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._compiled:
            bucket.bytecode_from_string(self._compiled[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._compiled[bucket.key] = bucket.bytecode_to_string()


_KEPT = _InProcess()


class Pages:
    """Fills templates; the same values give the same bytes but for "two hours ago"."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._templates = Environment(
            loader=FileSystemLoader(FOLDER / "templates"),
            autoescape=select_autoescape(default=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            bytecode_cache=_KEPT,
        )
        words: Mapping[str, Callable[..., object]] = {
            "ago": self.ago,
            "day": day,
            "minute": minute,
            "several": several,
            "markdown": markdown,
            "inline": inline,
            "segment": segment,
            "query": query,
            "word": word,
            "short": short,
            "brief": brief,
            "waits": waits,
            "shown": shown,
        }
        filters = cast("dict[str, Any]", self._templates.filters)
        filters.update(words)

    def warm(self) -> None:
        """Compile every template, so that the first look at a page is no slower than the next."""
        for name in self._templates.list_templates():
            self._templates.get_template(name)

    def page(self, name: str, **values: Any) -> str:
        """The whole of one page, or a part of one."""
        return self._templates.get_template(name).render(**values)

    def ago(self, at: str | None) -> str:
        """How long ago that was, in a word or two."""
        moment = parsed(at)
        if moment is None:
            return "at an unknown time"
        seconds = (self._clock() - moment).total_seconds()
        if seconds < 0:
            return day(at)
        for unit, length in _SECONDS:
            if seconds >= length:
                return f"{several(int(seconds / length), unit)} ago"
        minutes = int(seconds / 60)
        return f"{several(minutes, 'minute')} ago" if minutes else "just now"


def parsed(at: str | None) -> datetime | None:
    """A time as it is written everywhere; None for what is none."""
    try:
        moment = datetime.fromisoformat((at or "").replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def day(at: str | None) -> str:
    """The day of a time, as people write it: 3 March 2026."""
    moment = parsed(at)
    return f"{moment.day} {moment:%B %Y}" if moment else "unknown"


def minute(at: str | None) -> str:
    """Day and time, for whoever wants to know exactly."""
    moment = parsed(at)
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else "unknown"


def segment(text: str) -> str:
    """A text as one part of an address, whatever is in it."""
    return quote(text, safe="")


def query(values: Mapping[str, str | int | None]) -> str:
    """What follows the question mark; nothing for what is empty."""
    filled = {name: value for name, value in values.items() if value not in ("", None)}
    return f"?{urlencode(filled)}" if filled else ""


def brief(line: str) -> str:
    """A line of a memory's file with ids cut, and of a long list of evidence its beginning."""
    line = short(line)
    if "evidence: [" not in line or line.count(",") < _EVIDENCE:
        return line
    first = ",".join(line.split(",")[:_EVIDENCE])
    return f"{first}, … {line.count(',') + 1} in all]"


def short(reason: str) -> str:
    """A reason with the ids of sessions cut to what tells them apart."""
    return _SESSION.sub(r"\1", reason)


def waits(why: str) -> str:
    """Why a lesson was not written at once, as the rest of a sentence."""
    return why if why.startswith("not ") else f"not sure: {why}"


def markdown(text: str, linked: Callable[[str], str | None] | None = None) -> Markup:
    """Markdown as HTML that can do nothing; `[[name]]` leads where `linked` says."""
    html = _reader().render(text)
    if linked is not None:
        html = _LINK.sub(lambda match: _link(match[1], linked), html)
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href", "title", "class"}, "code": {"class"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
    )
    return Markup(clean)  # noqa: S704  (cleaned in the line above)


def inline(text: str) -> Markup:
    """One line with what stands between backquotes as code, and of links their words."""
    parts = _POINTED.sub(r"\1", text).split("`")
    if len(parts) % 2 == 0:  # one of them stands alone
        return Markup(escape("`".join(parts)))  # noqa: S704
    marked = [
        f"<code>{escape(part)}</code>" if n % 2 else escape(part) for n, part in enumerate(parts)
    ]
    return Markup("".join(marked))  # noqa: S704  (escaped part by part)


def _link(name: str, linked: Callable[[str], str | None]) -> str:
    place = linked(name)
    if place is None:
        return f"<em>{name}</em>"
    return f'<a href="{escape(place)}">{name}</a>'


@cache
def _reader() -> MarkdownIt:
    # HTML in a memory is shown as the text it is.
    return MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
