"""What Claude Code knows to be pasted: its history keeps a paste apart from the words around it.

The log has both as one text. Where the history names a paste, it is put between tags there, so that
whatever listens to a person passes over it, and a search still finds it.
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct, field

from reverie.errors import Unavailable
from reverie.sessions.logs.lines import open_log

LEAST = 8  # characters; less is a word, wherever it came from
LONGEST = 1_000_000

_MARK = re.compile(r"\[(?:Pasted text|\.\.\.Truncated text) #(\d+)[^\]\n]*\]")
_HASH = re.compile(r"[0-9A-Za-z_-]{8,128}")
_FIELD = b'"pastedContents"'


class _Paste(Struct):
    type: str | None = None
    content: str | None = None
    contentHash: str | None = None  # of a long one, which lies in a file of its own


class _Entry(Struct):
    display: str = ""
    sessionId: str = ""
    pastedContents: dict[str, _Paste] = field(default_factory=dict[str, _Paste])


_decode = msgspec.json.Decoder(_Entry).decode


class Pastes(NamedTuple):
    """The pastes of a history, by session, and by the whole prompt that they were part of.

    A copy of a session has another id, and the same prompts.
    """

    by_session: dict[str, list[str]]
    by_prompt: dict[str, list[str]]

    def apart(self, session: str, text: str) -> str:
        """A prompt with its pastes between tags of their own."""
        if len(text) < LEAST or not self.by_session:
            return text
        of_prompt = self.by_prompt.get(_folded(text), [])
        for number, paste in enumerate(of_prompt or self.by_session.get(session, ()), 1):
            if paste in text:
                text = text.replace(paste, f"\n{_tagged(paste, number)}\n", 1).strip()
            elif of_prompt:  # with other blanks: no telling what is whose
                return _tagged(text, number)
        return text


def pastes_beside(log: Path) -> Pastes:
    """What was pasted by the history of the agent whose log this is."""
    for root in (folder.parent for folder in log.parents if folder.name == "projects"):
        file = root / "history.jsonl"
        try:
            status = file.stat()
        except OSError:
            continue
        return _read(file, status.st_size, status.st_mtime_ns)
    return Pastes({}, {})


@lru_cache(maxsize=2)
def _read(file: Path, size: int, mtime_ns: int) -> Pastes:
    pastes = Pastes({}, {})
    try:
        with open_log(file) as stream:
            for line in stream:
                if _FIELD in line:
                    _take(line, file.parent / "paste-cache", pastes)
    except (OSError, Unavailable):
        return pastes  # what cannot be read names nothing; the log itself is still there
    return pastes


def _take(line: bytes, folder: Path, pastes: Pastes) -> None:
    try:
        entry = _decode(line)
    except (msgspec.DecodeError, UnicodeError):
        return
    texts = {
        name: text for name, paste in entry.pastedContents.items() if (text := _text(paste, folder))
    }
    if not texts:
        return
    whole = _MARK.sub(lambda mark: texts.get(mark[1], mark[0]), entry.display)
    pastes.by_session.setdefault(entry.sessionId, []).extend(texts.values())
    pastes.by_prompt[_folded(whole)] = list(texts.values())


def _text(paste: _Paste, folder: Path) -> str:
    if paste.type not in (None, "text"):
        return ""
    text = paste.content or ""
    if not text and paste.contentHash and _HASH.fullmatch(paste.contentHash):
        file = folder / f"{paste.contentHash}.txt"
        try:
            if file.stat().st_size <= LONGEST:
                text = file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    return text if len(text) >= LEAST else ""


def _folded(text: str) -> str:
    return " ".join(text.split())


def _tagged(paste: str, number: int) -> str:
    return f"<pasted-{number}>\n{paste}\n</pasted-{number}>"
