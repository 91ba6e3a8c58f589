"""Encryption: packs that whoever keeps the remote cannot read, by `age` (the package `pyrage`).

The identity of a person follows from their key, so there is one secret to carry to another machine.
Everybody of a team has their own, and gives away only what others encrypt for.
"""

from pathlib import Path
from typing import Protocol, cast

from reverie.errors import InvalidInput, Unavailable
from reverie.sync.keys import Signer, signer_of
from reverie.sync.links import Link
from reverie.sync.pack import Damaged

SELF = "self"  # among recipients: the person's own machines
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_SECRET = "age-secret-key-"  # noqa: S105 - how age begins every secret key


class _Identity(Protocol):
    """A secret key of age."""

    def to_public(self) -> object: ...


class _Identities(Protocol):
    def from_str(self, text: str) -> _Identity: ...


class _Recipients(Protocol):
    def from_str(self, text: str) -> object: ...


class _Keys(Protocol):
    Identity: _Identities
    Recipient: _Recipients


class _Age(Protocol):
    """What is used of the package, which brings no types."""

    x25519: _Keys
    DecryptError: type[Exception]
    RecipientError: type[Exception]

    def encrypt(self, data: bytes, recipients: list[object]) -> bytes: ...

    def decrypt(self, data: bytes, identities: list[_Identity]) -> bytes: ...


class AgeCipher:
    """Encrypts for some recipients, and opens what is for this person."""

    def __init__(self, identity: _Identity, recipients: list[object]) -> None:
        self._identity = identity
        self._recipients = recipients

    def closed(self, data: bytes) -> bytes:
        return _age().encrypt(data, self._recipients)

    def opened(self, data: bytes) -> bytes:
        """The pack inside.

        Raises:
            Damaged: it is for others, or was changed.
        """
        age = _age()
        try:
            return age.decrypt(data, [self._identity])
        except age.DecryptError:
            raise Damaged("it is encrypted, and not for this key") from None


def cipher_for(home: Path, link: Link) -> AgeCipher:
    """What closes and opens the packs of a link.

    Raises:
        Unavailable: the package is not installed.
    """
    identity = _identity(signer_of(home))
    others = [_recipient(recipient) for recipient in link.recipients if recipient != SELF]
    return AgeCipher(identity, [identity.to_public(), *others])


def recipients_for(home: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """For whom a link is encrypted: the person, and whoever else is named.

    Raises:
        InvalidInput: a name is no age recipient.
        Unavailable: the package is not installed.
    """
    own_recipient(home)
    return (SELF, *(str(_recipient(name)) for name in names))


def own_recipient(home: Path) -> str:
    """What others encrypt for, so that this person can read it."""
    return str(_identity(signer_of(home)).to_public())


def _identity(signer: Signer) -> _Identity:
    text = _bech32(_SECRET, signer.derived("age identity")).upper()
    return _age().x25519.Identity.from_str(text)


def _recipient(text: str) -> object:
    age = _age()
    try:
        return age.x25519.Recipient.from_str(text.strip())
    except age.RecipientError:
        raise InvalidInput(
            f"{text[:80]!r} is no age recipient", hint="it begins with age1"
        ) from None


def _age() -> _Age:
    """The package, which is loaded only where something is encrypted.

    Raises:
        Unavailable: it is not installed.
    """
    from importlib import import_module

    try:
        return cast("_Age", import_module("pyrage"))
    except ImportError:
        raise Unavailable(
            "encryption needs the package pyrage", hint="pip install 'reverie[sync]'"
        ) from None


def _bech32(name: str, secret: bytes) -> str:
    """The form in which age writes its keys (BIP 173); an encoding, which hides nothing."""
    number, bits, digits = 0, 0, list[int]()
    for byte in secret:
        number, bits = (number << 8) | byte, bits + 8
        while bits >= 5:
            bits -= 5
            digits.append((number >> bits) & 31)
    if bits:
        digits.append((number << (5 - bits)) & 31)
    spread = [ord(char) >> 5 for char in name] + [0] + [ord(char) & 31 for char in name]
    check = _polymod([*spread, *digits, 0, 0, 0, 0, 0, 0]) ^ 1
    digits += [(check >> 5 * (5 - place)) & 31 for place in range(6)]
    return f"{name}1{''.join(_BECH32[digit] for digit in digits)}"


def _polymod(values: list[int]) -> int:
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for place, part in enumerate(_GENERATOR):
            check ^= part if (top >> place) & 1 else 0
    return check
