"""The Model Context Protocol over stdio, spoken directly.

The official SDK costs 50 times the start of Python and 64 MB; a server that is started with every
session of an agent cannot afford that. Two eras share this loop: the `initialize` handshake
(2024-11-05 … 2025-11-25) and the stateless envelope (2026-07-28, `server/discover`).

One message per line, answered in order. Nothing but JSON-RPC ever reaches the client: `own_stdout`
moves file descriptor 1 away before anything else is imported, so that a stray print of a
dependency lands in stderr.
"""

import json
import os
import sys
from collections import deque
from collections.abc import Callable
from typing import Any, BinaryIO, Protocol, TextIO, cast

from reverie import __version__
from reverie.errors import ReverieError
from reverie.privacy import passing_redactor
from reverie.serve.asking import METHOD, InputRequired, agreed, brought, can_ask, form
from reverie.serve.desk import Confirm, nobody

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
ENVELOPE_VERSIONS = ("2026-07-28",)

# Longer lines are skipped unread and answered with an error: memory stays flat.
MAX_MESSAGE_BYTES = 4 * 1024 * 1024

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR, UNSUPPORTED_VERSION = -32602, -32603, -32022

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
_CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
_SERVER_KEY = "io.modelcontextprotocol/serverInfo"
_SERVER = {"name": "reverie", "version": __version__}
_CAPABILITIES: dict[str, Any] = {"tools": {}}


class Toolbox(Protocol):
    """What the server offers; the protocol knows nothing of memory."""

    @property
    def instructions(self) -> str:
        """Said once, when a client connects."""
        ...

    def listed(self) -> list[dict[str, Any]]:
        """The tools as `tools/list` shows them; the same at every call."""
        ...

    def meet(self, client: str) -> None:
        """Who calls from now on: NAME/VERSION as the client says it."""
        ...

    def call(self, name: str, arguments: dict[str, Any], confirm: Confirm) -> str:
        """Run one tool. `ReverieError` is the tool's own failure, `KeyError` an unknown name.

        `confirm` asks the person behind the client.
        """
        ...


class ProtocolError(Exception):
    """A message that cannot be answered with a result."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.error: dict[str, Any] = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


def own_stdout() -> BinaryIO:
    """Take file descriptor 1 for the protocol and let everybody else print to stderr."""
    sys.stdout.flush()
    private = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(private, "wb", buffering=0)


class Server:
    """Reads requests from `source`, writes answers to `sink`, until the client hangs up."""

    def __init__(self, tools: Toolbox, source: BinaryIO, sink: BinaryIO, log: TextIO) -> None:
        self._tools = tools
        self._source = source
        self._sink = sink
        self._log = log
        self._waiting: deque[bytes] = deque()  # what a client said while its person was asked
        self._can_ask = False
        self._questions = 0
        self._current: str | int | None = None  # the request that is being answered
        self._methods: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "ping": lambda params: {},
            "tools/list": self._list,
            "tools/call": self._call,
        }

    def run(self) -> None:
        """Serve until end of input."""
        while line := self._next_line():
            if len(line) > MAX_MESSAGE_BYTES:
                self._skip(line)
                answer = failure(None, INVALID_REQUEST, "message is over 4 MiB")
            elif not line.strip():
                continue
            else:
                answer = self._answer_line(line)
            if answer is None:
                continue
            try:
                self._write(answer)
            except BrokenPipeError:
                return

    def _next_line(self) -> bytes:
        if self._waiting:
            return self._waiting.popleft()
        return self._source.readline(MAX_MESSAGE_BYTES + 1)

    def _write(self, message: object) -> None:
        self._sink.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def _skip(self, line: bytes) -> None:
        while line and not line.endswith(b"\n"):
            line = self._source.readline(MAX_MESSAGE_BYTES)

    def _answer_line(self, line: bytes) -> dict[str, Any] | list[dict[str, Any]] | None:
        try:
            message: Any = json.loads(line)
        except (ValueError, RecursionError):
            return failure(None, PARSE_ERROR, "not a JSON document")
        if not isinstance(message, list):
            return self.answer(message)
        batch = cast("list[Any]", message)
        if not batch:
            return failure(None, INVALID_REQUEST, "an empty batch")
        answers = [answer for entry in batch if (answer := self.answer(entry)) is not None]
        return answers or None

    def answer(self, message: Any) -> dict[str, Any] | None:
        """The answer to one message; None where none is due."""
        if not isinstance(message, dict):
            return failure(None, INVALID_REQUEST, "not a JSON-RPC message")
        request = cast("dict[str, Any]", message)
        number, method = request.get("id"), request.get("method")
        if not isinstance(number, (str, int)) or isinstance(number, bool):
            number = None
        if "id" not in request or (method is None and ("result" in request or "error" in request)):
            return None  # a notification, or an answer to a question we never ask
        if number is None or not isinstance(method, str) or request.get("jsonrpc") != "2.0":
            return failure(number, INVALID_REQUEST, "not a JSON-RPC 2.0 request")
        self._current = number
        try:
            return {"jsonrpc": "2.0", "id": number, "result": self._result(method, request)}
        except ProtocolError as refusal:
            return {"jsonrpc": "2.0", "id": number, "error": refusal.error}
        except Exception as error:  # noqa: BLE001  outermost: always an answer
            print(f"reverie mcp: {method}: {error!r}", file=self._log)
            return failure(number, INTERNAL_ERROR, "internal error")

    def _result(self, method: str, request: dict[str, Any]) -> dict[str, Any]:
        params: Any = request.get("params", {})
        if not isinstance(params, dict):
            raise ProtocolError(INVALID_PARAMS, "params must be an object")
        fields = cast("dict[str, Any]", params)
        modern = _is_modern(fields) and method != "initialize"
        handler = self._methods.get(method)
        if handler is None or (modern and method == "ping"):
            raise ProtocolError(METHOD_NOT_FOUND, "no such method")
        result = handler(fields)
        if modern:
            result = {"resultType": "complete", **result, "_meta": _stamped(result)}
            if method != "tools/call":
                # Instructions may hold what one user taught.
                scope = "private" if method == "server/discover" else "public"
                result |= {"ttlMs": 3_600_000, "cacheScope": scope}
        return result

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        asked = params.get("protocolVersion")
        if not isinstance(asked, str):
            raise ProtocolError(INVALID_PARAMS, "protocolVersion is missing")
        self._can_ask = can_ask(params.get("capabilities"))
        self._tools.meet(_client(params.get("clientInfo")))
        return {
            "protocolVersion": asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
            "capabilities": _CAPABILITIES,
            "serverInfo": _SERVER,
            "instructions": self._tools.instructions,
        }

    def _discover(self, params: dict[str, Any]) -> dict[str, Any]:
        if not _is_modern(params):
            raise ProtocolError(METHOD_NOT_FOUND, "no such method")
        return {
            "supportedVersions": list(ENVELOPE_VERSIONS),
            "capabilities": _CAPABILITIES,
            "instructions": self._tools.instructions,
        }

    def _list(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"tools": self._tools.listed()}

    def _call(self, params: dict[str, Any]) -> dict[str, Any]:
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "a call needs a name and an object of arguments")
        try:
            text = self._tools.call(name, cast("dict[str, Any]", arguments), self._confirm(params))
        except KeyError:
            raise ProtocolError(INVALID_PARAMS, "no such tool") from None
        except InputRequired as needed:
            return needed.result
        except ReverieError as error:
            return _tool_failure(error)
        return {"content": [{"type": "text", "text": text}], "isError": False}

    def _confirm(self, params: dict[str, Any]) -> Confirm:
        """How the person behind the client is asked, if it can ask at all."""
        if not _is_modern(params):
            return self._ask if self._can_ask else nobody
        envelope = cast("dict[str, Any]", params["_meta"])
        self._tools.meet(_client(envelope.get(_CLIENT_KEY)))
        if not can_ask(envelope[_CAPABILITIES_KEY]):
            return nobody

        def confirm(question: str, characters: int) -> bool:
            answer = brought(params, characters)
            if answer is None:
                raise InputRequired(question, characters)
            return answer

        return confirm

    def _ask(self, question: str, characters: int) -> bool | None:
        """Have the client ask its person, and wait; what it says meanwhile is answered later."""
        self._questions += 1
        number = f"reverie-{self._questions}"
        asked = {"jsonrpc": "2.0", "id": number, "method": METHOD, "params": form(question)}
        self._write(asked)
        while line := self._source.readline(MAX_MESSAGE_BYTES + 1):
            if len(line) > MAX_MESSAGE_BYTES:
                self._skip(line)
                self._waiting.append(line + b"\n")
                continue
            message = _object(line)
            if message.get("id") == number and "method" not in message:
                return agreed(message["result"]) if "result" in message else None
            if message.get("method") == "ping":
                self._write(self.answer(message))
            elif message.get("method") == "notifications/cancelled":
                if message.get("params", {}).get("requestId") == self._current:
                    return False
            else:
                self._waiting.append(line)
        return False


def _object(line: bytes) -> dict[str, Any]:
    """A message, as far as it is one."""
    try:
        message: Any = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", message) if isinstance(message, dict) else {}


def _client(info: Any) -> str:
    """NAME/VERSION of a client, short and printable: it is shown and kept."""
    if not isinstance(info, dict):
        return ""
    texts = (str(cast("dict[str, Any]", info).get(key, "")) for key in ("name", "version"))
    name, version = ("".join(c for c in text if c.isprintable())[:60].strip() for text in texts)
    return f"{name}/{version.replace('/', '-')}" if name else ""


def _is_modern(params: dict[str, Any]) -> bool:
    meta: Any = params.get("_meta")
    if not isinstance(meta, dict) or _VERSION_KEY not in meta:
        return False
    envelope = cast("dict[str, Any]", meta)
    asked = envelope[_VERSION_KEY]
    if not isinstance(asked, str) or _CAPABILITIES_KEY not in envelope:
        raise ProtocolError(INVALID_PARAMS, "the request's _meta envelope is incomplete")
    if asked not in ENVELOPE_VERSIONS:
        served = {"supported": list(ENVELOPE_VERSIONS), "requested": asked}
        raise ProtocolError(UNSUPPORTED_VERSION, "protocol version is not supported", served)
    return True


def _stamped(result: dict[str, Any]) -> dict[str, Any]:
    return {**result.get("_meta", {}), _SERVER_KEY: _SERVER}


def failure(number: str | int | None, code: int, message: str) -> dict[str, Any]:
    """An error as a message."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def _tool_failure(error: ReverieError) -> dict[str, Any]:
    """The model reads the sentence and can try again; programs read the type."""
    hint = f"\nhint: {error.hint}" if error.hint else ""
    text = passing_redactor()(f"error: {error.message}{hint}")
    return {
        "content": [{"type": "text", "text": text}],
        "isError": True,
        "_meta": {"reverie/error": {"type": type(error).__name__, "code": error.mcp_code}},
    }
