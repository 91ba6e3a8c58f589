"""Records out of a file of JSON lines, whatever happened to the file.

Agents die in the middle of a write, file systems fill gaps with NULs, two processes append to one
log. So this reader works on bytes, never stops at a bad line, looks for the next record inside a
damaged one, and counts what it could not read. It never holds more than one line.
"""

import io
import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import msgspec

from reverie.errors import Unavailable
from reverie.sessions.logs.salvage import Adopt, goes_on, reason_of, salvage, size_of
from reverie.sessions.model import Damage

# A line above this is skipped and counted. Real ones hold a few base64 images at most.
MAX_LINE = 32 * 1024 * 1024
BUFFER = 1024 * 1024
# A FIFO without a writer would hold up a plain open for ever.
_QUICK = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_BLANK = b" \t\r\n\0"
_BLANK_TEXT = " \t\r\n\ufeff"
_BOM = b"\xef\xbb\xbf"

R = TypeVar("R")

# bytes of one line → record, None when nothing in it matters; raises one of _BROKEN on damage
Decode = Callable[[bytes], R | None]
_BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class DamageCount:
    """Counts bad parts while a file is read."""

    def __init__(self, damage: Damage | None = None) -> None:
        self.lines = damage.bad_lines if damage else 0
        self.bytes = damage.bad_bytes if damage else 0
        self.reasons: dict[str, int] = dict(damage.reasons) if damage else {}
        self.torn = False  # whether records are looked for inside broken ones

    def add(self, reason: str, size: int) -> None:
        self.lines += 1
        self.bytes += size
        self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def value(self) -> Damage:
        return Damage(self.lines, self.bytes, dict(sorted(self.reasons.items())))


@contextmanager
def open_log(path: Path, buffer: int = BUFFER) -> Generator[BinaryIO, None, None]:
    """A log opened read-only; `.zst` is decompressed on the way.

    Raises:
        Unavailable: not a regular file (a FIFO would hang the reader), or it cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _QUICK)
    except OSError as error:
        raise Unavailable(f"cannot read {path}: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Unavailable(f"{path} is not a regular file")
    with open(descriptor, "rb", buffering=buffer) as file:
        if path.suffix != ".zst":
            yield file
            return
        import zstandard

        with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as stream:
            yield io.BufferedReader(_Decompressed(stream), buffer)


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


def text_lines(path: Path, damage: DamageCount) -> Iterator[tuple[int, int, str]]:
    """`(number, size, text)` of the lines of a log in plain text; those that are not UTF-8 are
    counted and left out.

    Raises:
        Unavailable: the file cannot be read.
    """
    with open_log(path) as stream:
        for number, data in enumerate(iter(lambda: stream.readline(MAX_LINE), b"")):
            try:
                text = data.decode()
            except UnicodeDecodeError:
                damage.add("not UTF-8", len(data))
                continue
            yield number, len(data), text.rstrip("\r\n")


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
        self.torn = False  # whether the record just given may have been nested in a broken one

    def __iter__(self) -> Iterator[tuple[int, int, R]]:
        decode = self._whole
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

    def _whole(self, data: bytes) -> R | None:
        """Decode a line that is text from end to end.

        The decoder passes over keys it does not know without a look: a mark of the harness with a
        damaged name would go unseen, and its words would be taken for a person's.
        """
        if not data.isascii():
            data.decode()
        return self._decode(data)

    def _last(self, line: int, offset: int, data: bytes) -> Iterator[tuple[int, int, R]]:
        """A line without its end: whole records in it count, the rest waits for more."""
        try:
            record = self._whole(data)
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
        zeros = data.count(b"\0")
        if not body:
            if zeros:
                self.damage.add("NUL bytes", zeros)
            return
        try:
            record = self._whole(body)
        except _BROKEN:
            yield from self._salvaged(line, offset, data)
            return
        start = data.index(body)
        if zeros:
            self.damage.add("NUL bytes", zeros)
        if record is not None:
            # What the zeros stand for may have been the start of a record around this one.
            self.torn = b"\0" in data[:start]
            yield line, offset + start, record
            self.torn = False

    def _salvaged(self, line: int, offset: int, data: bytes) -> Iterator[tuple[int, int, R]]:
        text = data.decode("utf-8", "surrogateescape").rstrip(" \t\r\n")
        count = whole = 0
        rest = len(text)
        for start, stop, record in salvage(text, self._adopt):
            count += 1
            rest -= stop - start
            # Sure are only records that follow one another from the start of the line, and of which
            # the last is not followed by the rest of something that lost its beginning.
            self.torn = bool(text[whole:start].strip(_BLANK_TEXT)) or goes_on(text, stop)
            whole = whole if self.torn else stop
            yield line, offset + size_of(text[:start]), record
        self.torn = False
        if count > 1 and rest == 0:
            self.damage.add("glued records", 0)
        else:
            self.damage.add(reason_of(data), rest)
