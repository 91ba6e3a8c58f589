"""The long-term memory of one scope as one document, in fixed sections, under a token budget."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reverie.data import pairs
from reverie.documents import bodies
from reverie.documents.document import Document
from reverie.documents.vocabulary import GLOBAL
from reverie.inert import unframed

MAX_TOKENS = 10_000

_GLOBAL_SECTIONS = (
    *("About Me", "Current Projects", "Technical Environment", "Patterns & Preferences"),
    *("Pinned", "Key Learnings", "Error Patterns to Avoid", "Best Practices"),
)
_PROJECT_SECTIONS = (
    *("Pinned", "Error Patterns", "Best Practices"),
    *("Data Quirks", "Key Decisions", "Useful Commands"),
)
# Kind, else type, else section of the profile → heading.
_GLOBAL_ROUTES = dict(pairs("long-term.txt", "global"))
_PROJECT_ROUTES = dict(pairs("long-term.txt", "project"))
# The profile never decays and is never cut.
PROTECTED: frozenset[str] = frozenset(
    {"About Me", "Current Projects", "Technical Environment", "Patterns & Preferences", "Pinned"}
)


class _Entry(NamedTuple):
    heading: str
    document: Document
    text: str


def long_term(
    scope: str,
    documents: Iterable[Document],
    *,
    max_tokens: int = MAX_TOKENS,
    synthesized: str = "",
    known: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """One Markdown document: every section, also the empty ones, so it serves as the template.

    `known` are lines by heading that stand before the memories: what nobody had to say.

    The last line says on which day a dream last went over it all (`synthesized`; "" is never).

    Over `max_tokens` the entries that go first are not pinned, outside the protected sections,
    with the fewest sessions behind them, and of those the oldest. A line counts them, and the
    files that have no type and so no section.
    """
    sections = _GLOBAL_SECTIONS if scope == GLOBAL else _PROJECT_SECTIONS
    entries: list[_Entry] = []
    untyped = 0
    for document in documents:
        heading = section_of(document, scope)
        if heading is None:
            untyped += 1
        else:
            entries.append(_Entry(heading, document, entry(document, scope)))
    entries.sort(key=_newest_first)
    kept, left_out = _within(entries, max_tokens - 200)
    lines = [f"# Long-term memory: {scope}", ""]
    for heading in sections:
        lines += [f"## {heading}", ""]
        texts = [unframed(line) for line in (known or {}).get(heading, ())]
        texts += [item.text for item in kept if item.heading == heading]
        lines += [*texts, ""] if texts else []
    if left_out:
        lines += [f"_Older entries left out to stay under {max_tokens} tokens: {left_out}._", ""]
    if untyped:
        lines += [f"_Files without a type, not shown: {untyped}._", ""]
    lines += ["---", f"*Last synthesized: {synthesized[:10] or 'never'}*", ""]
    return "\n".join(lines)


def section_of(document: Document, scope: str) -> str | None:
    """The heading a memory belongs under; `None` for one without type and kind."""
    if document.pinned and not document.section:
        return "Pinned"
    routes = _GLOBAL_ROUTES if scope == GLOBAL else _PROJECT_ROUTES
    for key in (document.section, document.kind, document.type):
        if heading := routes.get(key):
            return heading
    return None


def entry(document: Document, scope: str) -> str:
    """`- **Title** [scope/kind] (YYYY-MM-DD): description` and, below it, the lesson."""
    parts = bodies.parts(document.body)
    label = f"{document.scope or scope}/{document.kind or document.type}"
    date = f" ({document.dated})" if document.dated else ""
    description = " ".join((document.description or parts.rule).split())
    title = unframed(" ".join(document.title.split()))
    line = f"- **{title}** [{label}]{date}: {unframed(description)}"
    lesson = parts.how or (parts.rule if parts.rule != description else "")
    # Further lines stay inside the entry, so that no lesson can open a section.
    below = "\n    ".join(unframed(part) for part in lesson.splitlines())
    return f"{line}\n  - Lesson: {below}" if lesson else line


def tokens(text: str) -> int:
    """About how many tokens a model makes of `text`: four Latin letters, or one other, each."""
    wide = sum(1 for char in text if ord(char) > 0x2E7F)
    return wide + (len(text) - wide + 3) // 4


def _newest_first(item: _Entry) -> tuple[tuple[int, ...], str]:
    return tuple(-ord(c) for c in item.document.dated) or (1,), item.document.name


def _within(entries: list[_Entry], budget: int) -> tuple[list[_Entry], int]:
    def cost_of_losing(at: int) -> tuple[bool, int, int]:
        item = entries[at]
        return item.heading not in PROTECTED, -item.document.support, at

    kept: set[int] = set()
    for at in sorted(range(len(entries)), key=cost_of_losing):
        size = tokens(entries[at].text) + 1
        if size <= budget:
            budget -= size
            kept.add(at)
    return [item for at, item in enumerate(entries) if at in kept], len(entries) - len(kept)
