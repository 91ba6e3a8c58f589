"""A memory store of another server, as its contract speaks: listed, read, written by comparing."""

import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from reverie.engines.http import Endpoint, checked
from reverie.errors import (
    CallFailed,
    Conflict,
    InvalidInput,
    NotFound,
    PreconditionFailed,
    Refused,
    RemoteAway,
)

SECONDS = 10.0  # of one request
QUICKLY = 2.0  # where somebody waits for something else
VARIABLE, FILE = "variable", "file"
KEY_VARIABLE = "REVERIE_REMOTE_KEY"
_STORES = "/v1/memory_stores"
_PAGE = 100


class Address(NamedTuple):
    """Where a store is: the server, and the store's name or id, "" if it was not named."""

    server: str
    store: str


class There(NamedTuple):
    """A memory of the server, without its text."""

    id: str
    path: str
    sha256: str


def address(text: str) -> Address:
    """`https://host`, `https://host/NAME` or `https://host/v1/memory_stores/ID` (or a base path).

    Raises:
        ConfigError: no address that a key may be sent to.
    """
    parts = urlsplit(checked(text, "the address"))
    path = parts.path.strip("/")
    base, _, last = path.rpartition("/")
    before = base.removesuffix(_STORES.strip("/")).rstrip("/") if last else ""
    server = f"{parts.scheme}://{parts.netloc}" + (f"/{before}" if before else "")
    return Address(server, last)


def key_from(source: str, environ: Mapping[str, str]) -> str:
    """The key that a variable or a file holds.

    Raises:
        RemoteAway: the variable is not set, or the file cannot be read.
        Refused: others on this machine can read the file.
    """
    kind, _, name = source.partition(" ")
    if kind == VARIABLE:
        if not environ.get(name):
            raise RemoteAway(f"the variable {name} holds no key")
        return environ[name].strip()
    path = Path(name)
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise Refused(f"others can read {name}", hint=f"chmod 600 {name}")
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise RemoteAway(f"the key in {name} cannot be read") from None


class DistantStore:
    """One store of one server, with a key."""

    def __init__(
        self, url: str, store_id: str, key: str, environ: Mapping[str, str], seconds: float
    ) -> None:
        if not key.isascii() or not key.isprintable():
            raise InvalidInput("that is no key")
        self._server = Endpoint("the server", url, {"authorization": f"Bearer {key}"}, environ)
        self._seconds = seconds
        self.id = store_id

    def stores(self) -> Iterator[dict[str, Any]]:
        """All stores that the key sees."""
        yield from self._pages(f"{_STORES}?limit={_PAGE}")

    def listed(self) -> Iterator[There]:
        """Every memory; a list that breaks off is an error, so what is missing is gone."""
        for row in self._pages(f"{_STORES}/{quote(self.id)}/memories?limit={_PAGE}"):
            yield There(row["id"], row["path"], row["content_sha256"])

    def content(self, memory_id: str) -> tuple[There, str]:
        """A memory with its text.

        Raises:
            NotFound: it is gone.
        """
        answer = self._ask("GET", f"{self._memories()}/{quote(memory_id)}?view=full")
        return There(answer["id"], answer["path"], answer["content_sha256"]), str(answer["content"])

    def create(self, path: str, text: str) -> There:
        """A new memory.

        Raises:
            Conflict: something is at that path, or in its way.
            Refused, InvalidInput: the server does not take it.
        """
        return _there(self._ask("POST", self._memories(), {"path": path, "content": text}))

    def update(self, seen: There, path: str, text: str | None) -> There:
        """Another path or text, if the memory is still what was seen.

        Raises:
            PreconditionFailed: it is not.
            NotFound, Conflict, Refused, InvalidInput: as for `create`.
        """
        body: dict[str, Any] = {
            "precondition": {"type": "content_sha256", "content_sha256": seen.sha256}
        }
        if path != seen.path:
            body["path"] = path
        if text is not None:
            body["content"] = text
        return _there(self._ask("POST", f"{self._memories()}/{quote(seen.id)}", body))

    def delete(self, seen: There) -> None:
        """Delete a memory, if it is still what was seen; one that is gone stays so.

        Raises:
            PreconditionFailed: it is not.
            Refused: the server does not let go of it.
        """
        query = urlencode({"expected_content_sha256": seen.sha256})
        try:
            self._ask("DELETE", f"{self._memories()}/{quote(seen.id)}?{query}")
        except NotFound:
            return

    def _memories(self) -> str:
        return f"{_STORES}/{quote(self.id)}/memories"

    def _pages(self, path: str) -> Iterator[dict[str, Any]]:
        page: str | None = ""
        while page is not None:
            answer = self._ask("GET", path + (f"&page={quote(page)}" if page else ""))
            yield from answer["data"]
            page = answer.get("next_page")

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        data = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
        try:
            return self._server.send(method, path, data, self._seconds)
        except CallFailed as failed:
            raise _meant(failed) from None


def _meant(failed: CallFailed) -> Exception:
    """What an answer of the server means here."""
    match failed.status:
        case 400 | 413:
            return InvalidInput(failed.message)
        case 401:
            return RemoteAway(f"{failed.message}: the key does not count any more")
        case 403:
            return Refused(failed.message)
        case 404:
            return NotFound(failed.message)
        case 409 if "precondition" in failed.message:
            return PreconditionFailed(failed.message)
        case 409:
            return Conflict(failed.message)
        case _:
            return RemoteAway(failed.message)


def _there(row: Mapping[str, Any]) -> There:
    return There(row["id"], row["path"], row["content_sha256"])
