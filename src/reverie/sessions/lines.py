"""Records out of a file of JSON lines, whatever happened to the file.

Agents die in the middle of a write, file systems fill gaps with NULs, two processes append to one
log. So this reader works on bytes, never stops at a bad line, looks for the next record inside a
damaged one, and counts what it could not read. It never holds more than one line.
"""

import io
import json
import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar, cast

import msgspec

from reverie.errors import Unavailable
from reverie.sessions.model import Damage

# A line above this is skipped and counted. Real ones hold a few base64 images at most.
MAX_LINE = 32 * 1024 * 1024
# How many `{"` of one damaged line are tried as the start of a record.
MAX_STARTS = 20_000

BUFFER = 1024 * 1024
_BLANK = b" \t\r\n\0"
_BOM = b"\xef\xbb\xbf"

R = TypeVar("R")

# bytes of one line → record, None when nothing in it matters; raises one of _BROKEN on damage
Decode = Callable[[bytes], R | None]
_BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
# a value found inside a damaged line → record, or None when it does not look like a whole one
Adopt = Callable[[dict[str, Any]], R | None]


class DamageCount:
    """Counts bad parts while a file is read."""

    def __init__(self, damage: Damage | None = None) -> None:
        self.lines = damage.bad_lines if damage else 0
        self.bytes = damage.bad_bytes if damage else 0
        self.reasons: dict[str, int] = dict(damage.reasons) if damage else {}

    def add(self, reason: str, size: int) -> None:
        self.lines += 1
        self.bytes += size
        self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def value(self) -> Damage:
        return Damage(self.lines, self.bytes, dict(sorted(self.reasons.items())))


@contextmanager
def open_log(path: Path) -> Generator[BinaryIO, None, None]:
    """A log opened read-only; `.zst` is decompressed on the way.

    Raises:
        Unavailable: not a regular file (a FIFO would hang the reader), or it cannot be opened.
    """
    try:
        # O_NONBLOCK: between a check and the open the file could become a FIFO.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise Unavailable(f"cannot read {path}: {error.strerror}") from error
    with open(descriptor, "rb", buffering=BUFFER) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unavailable(f"{path} is not a regular file")
        if path.suffix != ".zst":
            yield file
            return
        import zstandard

        with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as stream:
            yield io.BufferedReader(_Decompressed(stream), BUFFER)


class _Decompressed(io.RawIOBase):
    """A zstd stream as raw input; a broken frame ends it, as a cut file would end."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        import zstandard

        try:
            data: bytes = self._stream.read(len(buffer))
        except zstandard.ZstdError:
            return 0
        buffer[: len(data)] = data
        return len(data)


class RecordReader(Generic[R]):
    """Iterates `(line, offset, record)` of one stream; `damage` and `offset` grow on the way.

    `offset` and `line` name the first line that was not read to its end: where to go on later.
    """

    def __init__(
        self,
        stream: BinaryIO,
        decode: Decode[R],
        adopt: Adopt[R],
        *,
        offset: int = 0,
        line: int = 0,
        damage: Damage | None = None,
    ) -> None:
        self._stream = stream
        self._decode = decode
        self._adopt = adopt
        self.offset = offset
        self.line = line
        self.damage = DamageCount(damage)
        self.waiting = 0  # bytes of a last line that is not finished

    def __iter__(self) -> Iterator[tuple[int, int, R]]:
        decode = self._decode
        readline = self._stream.readline
        while data := readline(MAX_LINE):
            offset, line = self.offset, self.line
            size = len(data)
            if data[-1] != 10:
                if size == MAX_LINE:
                    self._skip_rest(size)
                    continue
                self.waiting = size
                yield from self._last(line, offset, data)
                return
            self.offset = offset + size
            self.line = line + 1
            try:
                record = decode(data)
            except _BROKEN:
                yield from self._damaged(line, offset, data)
                continue
            if record is not None:
                yield line, offset, record

    def _last(self, line: int, offset: int, data: bytes) -> Iterator[tuple[int, int, R]]:
        """A line without its end: whole records in it count, the rest waits for more."""
        try:
            record = self._decode(data)
        except _BROKEN:
            seen = DamageCount(self.damage.value())
            yield from self._damaged(line, offset, data)
            self.damage = seen
            return
        if record is not None:
            yield line, offset, record

    def _skip_rest(self, size: int) -> None:
        start = self.offset
        while chunk := self._stream.readline(BUFFER):
            size += len(chunk)
            if chunk[-1] == 10:
                self.line += 1
                break
        self.offset = start + size
        self.damage.add("too long", size)

    def _damaged(self, line: int, offset: int, data: bytes) -> Iterator[tuple[int, int, R]]:
        body = data.strip(_BLANK).removeprefix(_BOM)
        if not body:
            if b"\0" in data:
                self.damage.add("NUL bytes", data.count(b"\0"))
            return
        kept = 0
        for start, size, value in salvage(data):
            record = self._adopt(value)
            if record is not None:
                kept += size
                yield line, offset + start, record
        lost = len(data.strip(b"\r\n")) - kept
        if lost > 0 or kept == 0:
            self.damage.add(reason_of(data), lost)
        else:
            self.damage.add("glued records", 0)


def reason_of(data: bytes) -> str:
    """Why a line could not be read as it is, in two words."""
    if b"\0" in data:
        return "NUL bytes"
    try:
        data.decode()
    except UnicodeDecodeError:
        return "not UTF-8"
    try:
        json.loads(data)
    except RecursionError:
        return "nested too deep"
    except ValueError:
        return "not JSON"
    return "not a record"


def salvage(data: bytes) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The objects in a damaged line that reach to its end or to the next object.

    An object nested in a broken record is followed by the rest of that record, so it is not taken
    for one. Yields `(start, size, value)` with start and size in bytes.
    """
    decoder = json.JSONDecoder()
    start = data.find(b'{"')
    tries = 0
    while start >= 0 and tries < MAX_STARTS:
        tries += 1
        chain, deep = _chain(decoder, data, start)
        if chain:
            yield from chain
            return
        if deep:
            return
        start = data.find(b'{"', start + 1)


def _chain(
    decoder: json.JSONDecoder, data: bytes, start: int
) -> tuple[list[tuple[int, int, dict[str, Any]]], bool]:
    """Objects one after the other from `start` to the end of the line, else nothing."""
    # A replaced byte is one or more characters away from its place, so sizes are measured in the
    # encoded form of the same replaced text, and only starts that precede damage are exact.
    text = data[start:].decode("utf-8", "replace").replace("\0", " ")
    found: list[tuple[int, int, dict[str, Any]]] = []
    position = 0
    end = len(text)
    while position < end:
        try:
            value, stop = decoder.raw_decode(text, position)
        except RecursionError:
            return [], True
        except ValueError:
            return [], False
        if not isinstance(value, dict):
            return [], False
        at = len(text[:position].encode())
        size = len(text[position:stop].encode())
        found.append((start + at, size, clean(cast("dict[str, Any]", value))))
        position = stop
        while position < end and text[position] in " \t\r\n":
            position += 1
    return found, False


def clean(value: Any) -> Any:
    """The same value with lone surrogates replaced: they cannot be stored or printed."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [clean(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in cast("dict[Any, Any]", value).items()}
    return value
