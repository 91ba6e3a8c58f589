"""Sealing: by a keyed hash a home knows what it wrote itself, wherever that lies.

A seal is `KEY:HASH`, where KEY names the key, because homes may share a database. The key lies in
the home and never in a database. Every hook loads this, so it imports next to nothing: BLAKE2 takes
a key of its own, and comes without OpenSSL.
"""

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter that is built otherwise
    from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    Verdict = Literal["valid", "foreign", "missing", "wrong"]
    Field = str | int | None

KEY_FILE = "seal.key"
KEY_BYTES = 32
_OLD_NAME = 16  # characters, of the keys in seals that were made with HMAC


class Sealer:
    """Seals with one key, which is read when it is first needed: who only reads does without.

    Where homes share a database, as on a server, `shared` says that the seals of others are as good
    as ours.
    """

    def __init__(self, read_key: "Callable[[], bytes]", *, shared: bool = False) -> None:
        self._read_key = read_key
        self._known: tuple[bytes, str] | None = None
        self.shared = shared

    @property
    def key_id(self) -> str:
        """Which key it is, which says nothing of the key."""
        return self._key_and_name()[1]

    def seal(self, *fields: "Field") -> str:
        """The seal of a thing: what kind it is, what names it, and what it says."""
        key, name = self._key_and_name()
        return f"{name}:{_hash(key, fields)}"

    def judge(self, seal: str | None, *fields: "Field") -> "Verdict":
        """What a seal that was found says of a thing."""
        if not seal:
            return "missing"
        name = seal.partition(":")[0]
        if len(name) == _OLD_NAME:
            return self._judge_old(seal, fields)
        if name != self.key_id:
            return "foreign"
        return "valid" if seal == self.seal(*fields) else "wrong"

    def vouches(self, seal: str | None, *fields: "Field") -> bool:
        """Whether a thing is as this home, or one it shares a database with, wrote it."""
        verdict = self.judge(seal, *fields)
        return verdict == "valid" or (verdict == "foreign" and self.shared)

    def _key_and_name(self) -> tuple[bytes, str]:
        if self._known is None:
            key = self._read_key()
            self._known = key, _hash(key, ("name",))[:12]
        return self._known

    def _judge_old(self, seal: str, fields: "tuple[Field, ...]") -> "Verdict":
        """The seals of stores, attachments and exports until 0.2 were HMACs."""
        import hmac
        import json
        from hashlib import sha256

        key, _ = self._key_and_name()
        name = sha256(b"reverie seal " + key).hexdigest()[:_OLD_NAME]
        if not seal.startswith(f"{name}:"):
            return "foreign"
        # Attachments without instructions were sealed as before there were any.
        held = fields[:-1] if fields[0] == "attachment" and not fields[-1] else fields
        text = json.dumps(held, ensure_ascii=True, separators=(",", ":")).encode()
        expected = f"{name}:{hmac.digest(key, text, 'sha256').hex()}"
        return "valid" if seal == expected else "wrong"


def key_of(home: str) -> bytes:
    """The key of a home that has one; "" for one that has none that could be used."""
    try:
        with open(f"{home}/{KEY_FILE}", encoding="ascii") as file:
            return bytes.fromhex(file.read())
    except (OSError, ValueError):
        return b""


def _hash(key: bytes, fields: "tuple[Field, ...]") -> str:
    texts = [None if field is None else str(field) for field in fields]
    data = "".join(["-" if text is None else f"{len(text)}:{text}" for text in texts]).encode(
        "utf-8", "surrogatepass"
    )
    return blake2b(data, key=key[:64], digest_size=20).hexdigest()
