"""Packs: the files that machines exchange. One is written once, signed, and never changed.

    reverie-pack 1 PERSON SIGNATURE\n
    zstd of one JSON object

The name holds the hash of all bytes, so a file that is half copied is seen. Nothing of a pack is
believed before its types and sizes were checked.
"""

import hashlib
import re
from functools import cache
from typing import Literal, NamedTuple

import msgspec
import zstandard

from reverie.errors import InvalidInput
from reverie.store.arrivals import Change
from reverie.store.model import ACTOR_KINDS
from reverie.sync.keys import Signer
from reverie.trust import TRUSTS

MAX_PACK_BYTES = 32 * 1024 * 1024
MAX_BODY_BYTES = 96 * 1024 * 1024
MAX_CHANGES = 5_000
_MAX_NAME = 512
_HEAD = re.compile(rb"reverie-pack 1 ([0-9a-f]{16}) ([0-9a-f]{64})\n")
_FILE = re.compile(r"(\d{6})-(\d{8})-([0-9a-f]{32})\.pack(?:\.age)?")
_PERSON = re.compile(r"[0-9a-f]{16}|")
_ID = re.compile(r"[a-z]+_[0-9A-Za-z]{1,64}")

Whose = Literal["mine", "theirs"]


class Damaged(InvalidInput):
    """A pack that cannot be believed: refused as a whole."""


class Redaction(NamedTuple):
    """A version that was emptied, and by whom."""

    version: str
    at: str
    kind: str
    who: str


class Forgetting(NamedTuple):
    """One `forget` of a person: (kind, value) of what it took, and until when words were old."""

    deed: str
    everywhere: bool
    until: str
    rows: tuple[tuple[str, str], ...]


class Described(NamedTuple):
    """What a person said about a store, and when."""

    words: str
    at: str


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a pack says."""

    home: str
    store: str  # what the store is called between machines
    name: str  # how its home calls it
    author: str
    previous: str  # the pack before it in its journal; "" for the first
    changes: tuple[Change, ...] = ()
    redactions: tuple[Redaction, ...] = ()
    forgotten: tuple[Forgetting, ...] = ()
    lifted: tuple[str, ...] = ()
    described: Described | None = None


class Pack(NamedTuple):
    """A pack that was read, and whose it is."""

    body: Body
    person: str
    whose: Whose


def encoded(body: Body, signer: Signer) -> bytes:
    """The bytes of a pack."""
    packed = zstandard.ZstdCompressor(level=6).compress(msgspec.json.encode(body))
    return f"reverie-pack 1 {signer.person} {signer.sign(packed)}\n".encode() + packed


def file_name(epoch: int, number: int, data: bytes, ending: str = "") -> str:
    return f"{epoch:06}-{number:08}-{hashlib.sha256(data).hexdigest()[:32]}.pack{ending}"


class Place(NamedTuple):
    """Where a pack lies in a remote: `journals/HOME/STORE/FILE`."""

    home: str
    store: str
    epoch: int
    number: int
    digest: str
    path: str

    def fits(self, data: bytes) -> bool:
        """Whether the file is whole."""
        return hashlib.sha256(data).hexdigest()[:32] == self.digest


def place_of(path: str) -> Place | None:
    """The place a path of a remote is; None if it is no pack's."""
    parts = path.split("/")
    if len(parts) != 4 or parts[0] != "journals":
        return None
    match = _FILE.fullmatch(parts[3])
    if not match or not all(re.fullmatch(r"[0-9a-f]{16}", part) for part in parts[1:3]):
        return None
    return Place(parts[1], parts[2], int(match[1]), int(match[2]), match[3], path)


def decoded(data: bytes, signer: Signer) -> Pack:
    """What a pack says, if it is one.

    Raises:
        Damaged: it is none, is too large, or pretends to be this person's.
    """
    head = _HEAD.match(data)
    if head is None or len(data) > MAX_PACK_BYTES:
        raise Damaged("it is no pack that this version of Reverie can read")
    person, packed = head[1].decode(), data[head.end() :]
    if person == signer.person and not signer.signed(packed, head[2].decode()):
        raise Damaged("it claims to be yours and is not signed with your key")
    body = _body(packed)
    _check(body)
    return Pack(body, person, "mine" if person == signer.person else "theirs")


def _body(packed: bytes) -> Body:
    try:
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(packed)
        text = reader.read(MAX_BODY_BYTES + 1)
    except (zstandard.ZstdError, MemoryError):
        raise Damaged("its bytes are damaged") from None
    if len(text) > MAX_BODY_BYTES:
        raise Damaged("it is too large")
    try:
        return _decoder().decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise Damaged(f"its fields are not those of a pack ({str(error)[:80]})") from None


@cache
def _decoder() -> msgspec.json.Decoder[Body]:
    return msgspec.json.Decoder(Body)


def _check(body: Body) -> None:
    names = (body.home, body.store, body.name, body.author, body.previous)
    if any(len(name) > _MAX_NAME or "\0" in name for name in names) or not body.store:
        raise Damaged("a name in it is none")
    if len(body.changes) > MAX_CHANGES or len(body.redactions) > MAX_CHANGES * 4:
        raise Damaged("it holds more than a pack may")
    for change in body.changes:
        ids = (change.id, change.memory, *change.parents)
        if not all(_ID.fullmatch(identity) for identity in ids) or len(change.parents) > 256:
            raise Damaged("a version in it has no proper id")
        known = change.actor[0] in ACTOR_KINDS and change.trust in TRUSTS
        if not known or not _PERSON.fullmatch(change.person):
            raise Damaged(f"the version {change.id} is by nobody who writes versions")
        empty = change.operation == "deleted" or change.redacted
        if empty != (change.content is None) or (change.path is None) != change.redacted:
            raise Damaged(f"the version {change.id} is neither a text nor a deletion")
        times = (change.created_at, change.valid_from or "", change.valid_to or "")
        if any(len(time) > 40 or "\0" in time for time in times):
            raise Damaged(f"the version {change.id} has no proper time")
