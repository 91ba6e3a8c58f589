"""The keys of a home: made once, never shown. One marks secrets, one seals what is written."""

import os
from pathlib import Path
from typing import NamedTuple

from reverie.errors import ConfigError
from reverie.privacy.redactor import Redactor
from reverie.sealing import KEY_BYTES
from reverie.sealing import KEY_FILE as SEAL_FILE
from reverie.settings import Privacy

KEY_FILE = "redaction.key"


def redactor_for(home: Path, settings: Privacy) -> Redactor:
    """The redactor of this home; its key file is made with the first mark.

    Raises:
        ConfigError: the key file is there but holds no key.
    """
    lost = "marks made before will not match marks made after"
    key = KeyFile(home / KEY_FILE, lost)
    return Redactor(key.read() if key.file.exists() else key, enabled=settings.redact)


def passing_redactor() -> Redactor:
    """For what is only shown: it needs no home, and its marks match no other."""
    return Redactor(os.urandom(KEY_BYTES))


def seal_key(home: Path) -> bytes:
    """The key by which this home knows its own writing; its file is made on first use.

    Raises:
        ConfigError: the key file is there but holds no key.
    """
    lost = "what was sealed before will count as somebody else's"
    return KeyFile(home / SEAL_FILE, lost).read()


class KeyFile(NamedTuple):
    """Where a key lies, and what is lost with it."""

    file: Path
    lost: str

    def read(self) -> bytes:
        """The key, made if there is none yet.

        Raises:
            ConfigError: the file holds no key.
        """
        if not self.file.exists():
            _create(self.file)
        try:
            key = bytes.fromhex(self.file.read_text(encoding="ascii"))
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise ConfigError(
                f"{self.file} does not hold a key",
                hint=f"delete it to make a new one; {self.lost}",
            )
        return key


def _create(file: Path) -> None:
    """Make the key so that of two processes that start at once one wins and both use it."""
    import secrets  # only here: it brings half of the standard library's mathematics along

    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as out:
            out.write(secrets.token_hex(KEY_BYTES))
            out.flush()
            os.fsync(out.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            return
    finally:
        draft.unlink()
