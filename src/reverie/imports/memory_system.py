"""A claude-memory-system folder (`~/.claude/memory`): long-term files, dailies, archive, settings.

Each learning becomes a memory of its own with its date, kind and scope. One without a date gets
the day its file was last brought up to date. If a person takes it over, what stood under Pinned
stays pinned, and what the rules of `reverie forget` would pin is pinned with their reason. The
folder itself is not touched.
"""

import json
import re
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, cast

from reverie.data import pairs
from reverie.documents import bodies
from reverie.documents.document import Document
from reverie.documents.vocabulary import GLOBAL, KINDS, type_of_kind
from reverie.errors import InvalidInput
from reverie.forget.life import Life
from reverie.forget.pins import pin_for
from reverie.imports.base import (
    Found,
    Piece,
    Target,
    day_of,
    one_line,
    read_or_skip,
    slug,
    text_of,
    unique,
)
from reverie.settings import Forget

GLOBAL_FILE = "global-long-term-memory.md"
_OLDER_GLOBAL = "LONG_TERM.md"
_PROJECT_FILE = re.compile(r"(?P<project>.+)-long-term-memory\.md$")
_ARCHIVE = ".decay-archive.md"

_HEADING = re.compile(r"^## +(.+?)\s*$")
_ARCHIVED = re.compile(r"(?:Archived|Audited) (\d{4}-\d\d-\d\d)")
_TITLED = re.compile(
    r"^[-*] \*\*(?P<title>.+?)\*\*(?P<tags>(?: *\[[^\]]+\]| *\(\d{4}-\d\d-\d\d\))*)"
    r" *[:—-]? *(?P<text>.*)$"
)
_PLAIN = re.compile(r"^[-*] (?P<tags>(?:\(\d{4}-\d\d-\d\d\) *|\[[^\]]+\] *)*)(?P<text>.+)$")
_TAG = re.compile(r"\[(?:(?P<scope>[^\]/]+)/)?(?P<kind>[^\]/]+)\]")
_DATE = re.compile(r"\((\d{4}-\d\d-\d\d)\)")
_LESSON = re.compile(r"^\s+[-*] \*{0,2}Lesson:?\*{0,2}:? *(.+)$", re.I)
_FROM = re.compile(r"^\s+[-*] \*Source: *(.+?)\*$")
_UPDATED = re.compile(r"Last (?:synthesized|updated): *(\d{4}-\d\d-\d\d)")
_COMMENT = re.compile(r"<!--.*?-->", re.S)

# What the old system's own tags come to here.
_KIND_OF_TAG = {
    **{kind: kind for kind in KINDS},
    **dict.fromkeys(("gotcha", "pitfall", "bug"), "error"),
    **dict.fromkeys(("pattern", "tip", "insight", "workaround", "lesson"), "best-practice"),
    **dict.fromkeys(("design", "tradeoff", "scope"), "decision"),
}
_KIND_OF_HEADING, _SECTION_OF_HEADING = (
    {heading: value for value, heading in pairs("long-term.txt", part)}
    for part in ("kinds of headings", "sections of headings")
)
_DECAY = {"ageDays": "forget.archive_after_days", "archiveRetentionDays": "forget.purge_after_days"}


@dataclass(frozen=True, slots=True)
class Learning:
    """One entry of a long-term file."""

    heading: str
    title: str
    text: str
    lesson: str = ""
    kind: str = ""
    scope: str = ""
    day: str = ""
    archived: str = ""
    source: str = ""


class MemorySystem:
    """The folder with `global-long-term-memory.md` and `project-memory/`."""

    kind = "memory-system"
    about = "a claude-memory-system folder"

    def __init__(self, forget: Forget | None = None) -> None:
        self.forget = forget or Forget()

    def recognises(self, place: Path) -> bool:
        return place.is_dir() and any(
            (place / name).exists() for name in (GLOBAL_FILE, _OLDER_GLOBAL, "project-memory")
        )

    def read(self, place: Path, target: Target) -> Found:
        contents = Found()
        taken: dict[str, set[str]] = {}
        for file, project in _long_term_files(place, target):
            text = read_or_skip(file, file.name, contents, target)
            if text is None:
                continue
            updated = _UPDATED.search(text)
            day = updated[1] if updated else day_of(file)
            for learning in learnings(text):
                self._add(contents, learning, file.name, project, day, target, taken)
        self._archive(place, target, contents, taken)
        _dailies(place, contents, target)
        _settings(place, contents)
        return contents

    def _archive(
        self, place: Path, target: Target, contents: Found, taken: dict[str, set[str]]
    ) -> None:
        file = place / _ARCHIVE
        text = read_or_skip(file, _ARCHIVE, contents, target) if file.exists() else None
        for learning in learnings(text or ""):
            match = _PROJECT_FILE.match(learning.source)
            named = match["project"] if match else learning.scope
            project = GLOBAL if named in ("", GLOBAL) else target.slug_of(named)
            self._add(
                contents,
                learning,
                _ARCHIVE,
                project,
                learning.archived or day_of(file),
                target,
                taken,
            )

    def _add(
        self,
        contents: Found,
        learning: Learning,
        source: str,
        project: str,
        day: str,
        target: Target,
        taken: dict[str, set[str]],
    ) -> None:
        where = f"{source}, {learning.title or one_line(learning.text, 40)}"
        if learning.heading.lower() == "key actions":
            contents.skip(where, "what was done; the sessions and git tell it")
            return
        document = self._document(learning, project, day, target)
        if document.pinned and not target.pins:
            document = replace(document, pinned=False, pin_reason="")
            contents.notes.append(f"not pinned, since only a person pins: {where}")
        store = target.store_for(document, project)
        name = unique(document.name, taken.setdefault(store, set()))
        document = replace(document, name=name)
        folder = f"/archive/{learning.archived}" if learning.archived else ""
        contents.pieces.append(
            Piece(store, f"{folder}/{name}.md", document.text(), where, claims=True)
        )

    def _document(self, learning: Learning, project: str, day: str, target: Target) -> Document:
        heading = learning.heading.lower()
        section = "" if learning.archived else _SECTION_OF_HEADING.get(heading, "")
        kind = "" if section else learning.kind or _KIND_OF_HEADING.get(heading, "")
        words = learning.text or learning.title
        # A tag's own scope decides only within the shared file.
        scope = project if project != GLOBAL or learning.scope in ("", GLOBAL) else learning.scope
        scope = scope if scope in (GLOBAL, project) else target.slug_of(scope)
        document = Document(
            name=slug(learning.title or " ".join(words.split()[:8])) or "learning",
            description=one_line(words),
            type="user" if section else type_of_kind(kind) or "project",
            kind=kind,
            scope=GLOBAL if section else scope,
            section=section,
            created=learning.day or day,
            trust="agent",
            body=bodies.compose(
                f"{learning.title}: {learning.text}" if learning.title and learning.text else words,
                how=learning.lesson,
            ),
        )
        if heading == "pinned":
            return replace(document, pinned=True, pin_reason="pinned in claude-memory-system")
        if learning.archived:
            return document
        life = Life(written=document.created)
        pin = pin_for(document, life, date.fromisoformat(target.today), self.forget)
        return replace(document, pinned=True, pin_reason=pin.reason) if pin else document


def learnings(text: str) -> list[Learning]:
    """The entries of a long-term or archive file, in order; further lines belong to the entry."""
    entries: list[Learning] = []
    heading = archived = ""
    for line in _COMMENT.sub("", text).splitlines():
        if match := _HEADING.match(line):
            heading = match[1]
            dated = _ARCHIVED.match(heading)
            archived = dated[1] if dated else ""
        elif line[:2] in ("- ", "* "):
            entries.append(replace(_entry(line), heading=heading, archived=archived))
        elif not entries or entries[-1].heading != heading or not line.strip():
            if heading and line.strip() and line[0] not in "#-*" and not line.startswith("---"):
                entries.append(Learning(heading, "", line.strip(), archived=archived))
        elif line[0] in " \t":
            entries[-1] = _more(entries[-1], line)
    return entries


def _entry(line: str) -> Learning:
    match = _TITLED.match(line) or _PLAIN.match(line)
    if match is None:
        return Learning("", "", line[2:].strip())
    parts = match.groupdict()
    tags = parts["tags"] or ""
    tag, day = _TAG.search(tags), _DATE.search(tags)
    kind = _KIND_OF_TAG.get(tag["kind"].strip().lower(), "") if tag else ""
    scope = (tag["scope"] or "").strip() if tag else ""
    title = (parts.get("title") or "").rstrip(":").strip()
    return Learning("", title, parts["text"].strip(), "", kind, scope, day[1] if day else "")


def _more(entry: Learning, line: str) -> Learning:
    if lesson := _LESSON.match(line):
        return replace(entry, lesson=lesson[1].strip())
    if source := _FROM.match(line):
        return replace(entry, source=source[1])
    return replace(entry, text=f"{entry.text} {line.strip().removeprefix('- ')}".strip())


def _long_term_files(place: Path, target: Target) -> list[tuple[Path, str]]:
    files = [(place / name, GLOBAL) for name in (GLOBAL_FILE, _OLDER_GLOBAL)]
    for file in sorted((place / "project-memory").glob("*.md")):
        match = _PROJECT_FILE.match(file.name)
        files.append((file, target.slug_of(match["project"] if match else file.stem)))
    return [(file, project) for file, project in files if file.exists()]


def _dailies(place: Path, contents: Found, target: Target) -> None:
    store = target.project if target.fixed else GLOBAL
    for file in sorted((place / "daily").glob("*.md")):
        name = f"daily/{file.name}"
        if not re.fullmatch(r"\d{4}-\d\d-\d\d\.md", file.name):
            contents.skip(name, "not named after a day")
            continue
        text = read_or_skip(file, name, contents, target)
        if text is not None:
            contents.pieces.append(Piece(store, f"/{name}", text, name, checked=False))


def _settings(place: Path, contents: Found) -> None:
    """Settings are the user's to set; what differs from ours is said in our words."""
    file = place / "settings.json"
    if file.exists():
        try:
            data: Any = json.loads(text_of(file))
        except (InvalidInput, ValueError, RecursionError):
            contents.skip("settings.json", "not readable as JSON")
            return
        table = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
        decay = table.get("decay")
        values = cast("dict[str, Any]", decay) if isinstance(decay, dict) else {}
        for key, ours in _DECAY.items():
            if isinstance(values.get(key), int):
                contents.notes.append(f"its decay.{key} is {values[key]}; here that is {ours}")
    if (place / "transcripts").is_dir():
        contents.notes.append("its transcripts can be learned from: reverie learn --logs FOLDER")
