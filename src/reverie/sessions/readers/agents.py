"""Every agent whose logs can be read: one line of registration each."""

from pathlib import Path

from reverie.errors import InvalidInput, Unavailable
from reverie.sessions.logs.lines import open_log
from reverie.sessions.readers.aider import Aider
from reverie.sessions.readers.atif import Atif
from reverie.sessions.readers.base import HEAD_BYTES, Reader
from reverie.sessions.readers.chat import Chat
from reverie.sessions.readers.claude_code import ClaudeCode
from reverie.sessions.readers.codex import Codex
from reverie.sessions.readers.copilot import Copilot
from reverie.sessions.readers.cursor import Cursor
from reverie.sessions.readers.gemini import Gemini
from reverie.sessions.readers.managed import Managed
from reverie.sessions.readers.opencode import OpenCode
from reverie.sessions.readers.pi import Pi

READERS: tuple[Reader, ...] = (
    ClaudeCode(),
    Codex(),
    Copilot(),
    Gemini(),
    Pi(),
    OpenCode(),
    Aider(),
    Managed(),
    Atif(),
    Cursor(),
    # The loosest comes last: any list of messages is a chat.
    Chat(),
)


def reader_for(path: Path) -> Reader | None:
    """The reader that recognises a file by its content, None when no one does.

    Raises:
        Unavailable: the file cannot be read.
    """
    try:
        with open_log(path, HEAD_BYTES) as stream:
            head = stream.read(HEAD_BYTES)
            if not head.strip(b"\0"):
                # What a crash left at the start can be longer than the part looked at.
                head = stream.read(16 * HEAD_BYTES).lstrip(b"\0")
    except OSError as error:
        raise Unavailable(f"cannot read {path}: {error.strerror}") from error
    for reader in READERS:
        if reader.recognises(path, head):
            return reader
    return None


def by_agent(name: str) -> Reader:
    """The reader of an agent.

    Raises:
        InvalidInput: no such agent.
    """
    for reader in READERS:
        if reader.agent == name:
            return reader
    known = ", ".join(dict.fromkeys(reader.agent for reader in READERS))
    raise InvalidInput(f"no agent named {name!r}", hint=f"known agents: {known}")
