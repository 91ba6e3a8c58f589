"""Reading the body of a request: no larger and no slower than allowed, and nothing but JSON."""

import asyncio
import tempfile
from contextlib import suppress
from typing import IO

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Receive

from reverie.serve.http.errors import Failed

_KEPT_IN_MEMORY = 1_048_576
_DRAIN_SECONDS = 0.5


class Gone(Exception):
    """The client went away: nobody is left to be answered."""


def check_kind(headers: Headers, *, upload: bool) -> None:
    """Refuse what is encoded, and what a form of a web page could have sent.

    Raises:
        Failed: 415.
    """
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise Failed(415, "bodies are not taken compressed", last=True)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if not upload and kind not in {"", "application/json"}:
        raise Failed(415, "a body is application/json", last=True)
    # Browsers send these across origins without asking first.
    if upload and kind in {"application/x-www-form-urlencoded", "multipart/form-data"}:
        raise Failed(415, "a transcript is sent as it is, not in a form", last=True)


def declared(headers: Headers, most: int) -> int | None:
    """The length that the client says the body has, if it says so.

    Raises:
        Failed: 413, more than allowed.
    """
    length = headers.get("content-length")
    if length is None:
        return None if "transfer-encoding" in headers else 0
    # The parser let it through: digits alone.
    if int(length) > most:
        raise _too_large(most)
    return int(length)


async def read(receive: Receive, most: int, seconds: float) -> bytes:
    """The whole body.

    Raises:
        Failed: 413, more than allowed, whatever was declared; 408, the next part took too long.
        Gone: the client did not wait.
    """
    parts: list[bytes] = []
    size = 0
    more = True
    while more:
        part, more = await _part(receive, seconds)
        size += len(part)
        if size > most:
            raise _too_large(most)
        parts.append(part)
    return b"".join(parts)


async def spool(receive: Receive, most: int, seconds: float) -> IO[bytes]:
    """The body as a file at its beginning, on disk if it is large; whoever gets it closes it."""
    file = tempfile.SpooledTemporaryFile(max_size=_KEPT_IN_MEMORY)  # noqa: SIM115
    try:
        size, more = 0, True
        while more:
            part, more = await _part(receive, seconds)
            size += len(part)
            if size > most:
                raise _too_large(most)
            await asyncio.to_thread(file.write, part)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


async def drain(request: Request, most: int) -> None:
    """Read a small body that nobody wants: whoever still sends it would not see the answer."""
    length = request.headers.get("content-length", "0")
    if int(length) > most:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            while (message := await request.receive())["type"] == "http.request":
                if not message.get("more_body", False):
                    return


async def _part(receive: Receive, seconds: float) -> tuple[bytes, bool]:
    try:
        message = await asyncio.wait_for(receive(), seconds or None)
    except TimeoutError:
        raise Failed(408, "the body did not come in time", last=True) from None
    if message["type"] == "http.disconnect":
        raise Gone
    return message.get("body", b""), message.get("more_body", False)


def _too_large(most: int) -> Failed:
    return Failed(413, f"the body has more than {most} bytes", last=True)
