"""Keys: what shows that a pack was written by one of a person's own machines.

One key for all homes of a person. It lies in the home, is shown only when a person asks for it, and
never travels with what it signs.
"""

import hashlib
import hmac
from pathlib import Path
from typing import NamedTuple

from reverie.errors import InvalidInput
from reverie.files import replace_file
from reverie.privacy.key import KeyFile

FILE = "person.key"
_PREFIX = "reverie-key-"


class Signer(NamedTuple):
    """A person's key."""

    key: bytes

    @property
    def person(self) -> str:
        """The name of the key, which gives nothing of it away."""
        return hashlib.sha256(b"reverie person " + self.key).hexdigest()[:16]

    @property
    def shown(self) -> str:
        """The key as it is typed on another machine; its end guards against slips of the pen."""
        return f"{_PREFIX}{self.key.hex()}-{_check(self.key)}"

    def sign(self, data: bytes) -> str:
        return hmac.digest(self.key, b"reverie pack " + data, "sha256").hex()

    def signed(self, data: bytes, signature: str) -> bool:
        return hmac.compare_digest(self.sign(data), signature)

    def derived(self, purpose: str) -> bytes:
        """32 bytes for another purpose, of which this key cannot be found."""
        return hmac.digest(self.key, b"reverie " + purpose.encode(), "sha256")


def has_key(home: Path) -> bool:
    return (home / FILE).exists()


def signer_of(home: Path) -> Signer:
    """The key of the person whose home this is, made if there is none yet.

    Raises:
        ConfigError: the file holds no key.
    """
    lost = "other machines will count what this one writes as somebody else's"
    return Signer(KeyFile(home / FILE, lost).read())


def join(home: Path, text: str) -> bool:
    """Take the key of the person's other machines; whether it is another than before.

    Raises:
        InvalidInput: that is no key.
    """
    signer = parsed(text)
    if has_key(home) and signer_of(home) == signer:
        return False
    replace_file(home / FILE, signer.key.hex())
    return True


def parsed(text: str) -> Signer:
    """The key that was typed.

    Raises:
        InvalidInput: that is no key.
    """
    body, _, check = text.strip().removeprefix(_PREFIX).partition("-")
    try:
        key = bytes.fromhex(body)
    except ValueError:
        key = b""
    if len(key) != 32 or check != _check(key):
        raise InvalidInput(
            "that is no key", hint="`reverie sync --show-key` on the other machine prints it"
        )
    return Signer(key)


def home_id(seal_key_id: str) -> str:
    """The name of this home in journals: of its seal, of which it tells nothing."""
    return hashlib.sha256(f"reverie journal {seal_key_id}".encode()).hexdigest()[:16]


def _check(key: bytes) -> str:
    return hashlib.sha256(b"reverie check " + key).hexdigest()[:6]
