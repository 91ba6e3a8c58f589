"""`/mcp`: the Model Context Protocol over HTTP (streamable), for whoever comes with a key.

The same loop and the same tools as over stdio, one message for each request: there are no sessions,
no streams and nothing to resume, which both eras of the protocol allow. What a key may see and
write is decided by its home (`ServerHome.seen_by`), as everywhere.
"""

import base64
import io
import json
from collections.abc import Mapping
from typing import Any, cast

from starlette.datastructures import Headers

from reverie.serve.http.errors import Failed
from reverie.serve.http.guarding import LOG
from reverie.serve.http.routing import Call, Reply, Route
from reverie.serve.mcp import (
    ENVELOPE_VERSIONS,
    HANDSHAKE_VERSIONS,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Server,
    failure,
)
from reverie.serve.schema import TOOLS_FOR_GUESTS
from reverie.serve.tools import Tools

PATH = "/mcp"
HEADER_MISMATCH = -32020
_STATUS = {
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
_VERSION, _METHOD, _NAME = "mcp-protocol-version", "mcp-method", "mcp-name"
_KINDS = ({"application/json", "application/*", "*/*"}, {"text/event-stream", "text/*", "*/*"})


def check_accept(headers: Headers) -> None:
    """The protocol wants clients to take both forms of an answer.

    Raises:
        Failed: 406.
    """
    named = headers.get("accept", "").split(",")
    taken = {media.partition(";")[0].strip().lower() for media in named}
    if not all(taken & kinds for kinds in _KINDS):
        raise Failed(406, "a client accepts application/json and text/event-stream")


def message(call: Call, body: dict[str, Any]) -> Reply:
    """Answer one message with the rights of a key."""
    check_accept(call.headers)
    if "id" in body and (wrong := _mismatch(call.headers, body)):
        return _told(failure(None, HEADER_MISMATCH, wrong))
    read_only = "memory:write" not in call.key.scopes
    tools = Tools(call.view, read_only=read_only, offered=TOOLS_FOR_GUESTS)
    log = io.StringIO()
    answer = Server(tools, io.BytesIO(), io.BytesIO(), log).answer(body)
    if fault := log.getvalue():
        LOG.error("%s", fault.partition("(")[0])  # its type, not its words
    return Reply(b"", 202) if answer is None else _told(answer)


def _told(answer: Mapping[str, Any]) -> Reply:
    code = answer.get("error", {}).get("code")
    return Reply(json.dumps(answer, separators=(",", ":")).encode(), _STATUS.get(code, 200))


def _mismatch(headers: Headers, request: dict[str, Any]) -> str:
    """What a header says differently than the message; whoever routes by headers believes them."""
    raw: Any = request.get("params")
    params: dict[str, Any] = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
    version = headers.get(_VERSION)
    if version is not None and version not in (*HANDSHAKE_VERSIONS, *ENVELOPE_VERSIONS):
        return "the protocol version of the header is not known"
    for name, meant in ((_METHOD, request.get("method")), (_NAME, params.get("name"))):
        sent = headers.get(name)
        if sent is not None and _decoded(sent) != meant:
            return f"the header {name} is not what the message says"
    return ""


def _decoded(value: str) -> str:
    """A header as it is meant: what no header can hold is sent in base64."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except ValueError:
        return value


# Whoever writes through a tool stands in line for the database like any reader who does.
ROUTES = (Route("POST", PATH, "memory:read", message, reads=True, described=False),)
