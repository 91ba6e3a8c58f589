"""A route: a plain function, and what HTTP has to know of it, read from its signature.

    def retrieve(call: Call, memory_store_id: str, query: Shown) -> MemoryStore: …

    ROUTES = (Route("GET", "/v1/memory_stores/{memory_store_id}", "memory:read", retrieve),)

`query` and `body` are structs, decoded and checked before the function is called; every other
parameter is a part of the path. The function runs in a thread, calls the engine, and returns a
struct, a form (`reverie.forms`) or a text; errors are exceptions of `reverie.errors`. The OpenAPI
document is made of the same types.
"""

import inspect
import io
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import IO, Any, NamedTuple, get_origin, get_type_hints

import msgspec
from starlette.datastructures import Headers

from reverie.home import Home
from reverie.hosting.home import ServerHome
from reverie.memory import Memory
from reverie.operations.serving import acting
from reverie.serve.http.metrics import Counters
from reverie.store.keys import Key, Scope
from reverie.store.model import Author
from reverie.store.store import Store

Upload = IO[bytes]
JSON = "application/json"

_NAMED = re.compile(r"\{(\w+)\}")


class ServerMemory(ServerHome, Memory):
    """The home of a server, with what tools need of a memory."""


class Reply(NamedTuple):
    """What is sent back."""

    body: bytes
    status: int = 200


class Call(NamedTuple):
    """Who asks, and what they may work with."""

    home: Home
    key: Key
    hosted: ServerMemory  # what the server has of its own: an index of guests' sessions
    counters: Counters
    headers: Headers

    @property
    def view(self) -> ServerMemory:
        """The server's home as the key sees it: for operations that go beyond a store."""
        return self.hosted.seen_by(self.key)

    @property
    def store(self) -> Store:
        """The stores as the key sees them."""
        return acting.store_for(self.home, self.key)

    def author(self, reason: str) -> Author:
        return acting.author_of(self.key, reason)


class Nothing(msgspec.Struct):
    """No parameters; unknown ones are left alone."""


class Route:
    """One method of one path; wrong signatures are refused when it is made."""

    def __init__(
        self,
        method: str,
        path: str,
        scope: Scope,
        function: Callable[..., msgspec.Struct | dict[str, Any] | str | Reply],
        *,
        reads: bool = False,
        together: bool = False,
        media: str = JSON,
        described: bool = True,
    ) -> None:
        """`reads` says of a method other than GET that it need not wait for those that write,
        `together` that all it does is one short transaction, which may be a part of a larger one.

        One that is not `described` speaks a protocol that an OpenAPI document cannot tell.
        """
        hints = get_type_hints(function)
        named = inspect.signature(function).parameters
        parts = _NAMED.findall(path)
        wrong = set(named) - {"call", "query", "body", *parts} | set(parts) - set(named)
        if wrong or "return" not in hints:
            raise TypeError(f"{method} {path} does not fit {function.__qualname__}: {wrong}")
        self.method = method
        self.path = path
        self.scope: Scope = scope
        self.function = function
        self.reads = reads or method == "GET"
        self.together = together
        self.media = media
        self.described = described
        self.parts = tuple(parts)
        self.query: type[msgspec.Struct] = hints.get("query", Nothing)
        self.body: Any = hints.get("body")
        self.returns: Any = hints["return"]
        self.takes_query = "query" in named

    @property
    def is_upload(self) -> bool:
        """Whether the body is a file of any kind, too large to be held at once."""
        return self.body is Upload

    @cached_property
    def _lists(self) -> frozenset[str]:
        fields = msgspec.structs.fields(self.query)
        return frozenset(f.encode_name for f in fields if _is_list(f.type))

    def answer(
        self,
        call: Call,
        parts: Mapping[str, str],
        query: Sequence[tuple[str, str]],
        body: bytes | Upload,
    ) -> Reply:
        """Decode, call, encode.

        Raises:
            DecodeError: what was sent is not what the signature says.
            ReverieError: the function's own.
        """
        arguments: dict[str, Any] = dict(parts)
        if self.takes_query:
            arguments["query"] = msgspec.convert(self._gathered(query), self.query, strict=False)
        if self.is_upload:
            arguments["body"] = io.BytesIO(body) if isinstance(body, bytes) else body
        elif self.body is not None:
            arguments["body"] = msgspec.json.decode(body, type=self.body)  # type: ignore[arg-type]
        answer = self.function(call, **arguments)
        if isinstance(answer, Reply):
            return answer
        return Reply(answer.encode() if isinstance(answer, str) else msgspec.json.encode(answer))

    def _gathered(self, query: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Parameters by name: `key[]=a&key[]=b`, repeated keys and `key=a,b` are one list."""
        parameters: dict[str, Any] = {}
        for name, value in query:
            name = name.removesuffix("[]")
            if name in self._lists:
                parameters.setdefault(name, []).extend(value.split(","))
            else:
                parameters[name] = value
        return parameters


def _is_list(kind: Any) -> bool:
    return get_origin(kind) in (list, tuple)
