"""Errors as the clients know them: one envelope, one type each.

{"type": "error", "error": {"type": …, "message": …}, "request_id": "req_…"}
"""

import msgspec
from starlette.exceptions import HTTPException

from reverie.errors import (
    Busy,
    Conflict,
    InvalidInput,
    NotFound,
    PathTaken,
    PreconditionFailed,
    Refused,
    ReverieError,
    Unavailable,
)

# The nearest class of an error decides; its status is the error's own.
_TYPES: dict[type[ReverieError], str] = {
    InvalidInput: "invalid_request_error",
    NotFound: "not_found_error",
    PreconditionFailed: "memory_precondition_failed_error",
    PathTaken: "memory_path_conflict_error",
    Conflict: "conflict_error",
    Refused: "permission_error",
    Busy: "overloaded_error",
    Unavailable: "api_error",
}
_BY_STATUS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    406: "invalid_request_error",
    408: "timeout_error",
    413: "invalid_request_error",
    415: "invalid_request_error",
    421: "invalid_request_error",
    429: "rate_limit_error",
    431: "invalid_request_error",
    529: "overloaded_error",
}
UNFORESEEN = "something went wrong here; the request id finds it in the server's log"


class Failed(Exception):
    """A request that cannot be answered for a reason of HTTP itself."""

    def __init__(
        self,
        status: int,
        message: str,
        headers: dict[str, str] | None = None,
        *,
        last: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers or {}
        self.last = last  # what follows on the connection cannot be understood


class ErrorDetail(msgspec.Struct, omit_defaults=True):
    """What went wrong; the last two only where a path is taken."""

    type: str
    message: str
    conflicting_memory_id: str | None = None
    conflicting_path: str | None = None


class ErrorBody(msgspec.Struct, tag_field="type", tag="error"):
    """The envelope of every error."""

    error: ErrorDetail
    request_id: str


class Failure:
    """An error on its way out: status, headers and envelope."""

    def __init__(self, status: int, detail: ErrorDetail, headers: dict[str, str]) -> None:
        self.status = status
        self.detail = detail
        self.headers = headers

    def body(self, request_id: str) -> bytes:
        return msgspec.json.encode(ErrorBody(self.detail, request_id))


def failure_of(error: Exception) -> Failure:
    """How an error is told; what nobody foresaw is told without its words."""
    if isinstance(error, Failed):
        detail = ErrorDetail(_BY_STATUS[error.status], error.message)
        headers = error.headers | ({"connection": "close"} if error.last else {})
        return Failure(error.status, detail, headers)
    if isinstance(error, HTTPException):  # of the router
        words = "there is no such path" if error.status_code == 404 else "not by that method"
        detail = ErrorDetail(_BY_STATUS[error.status_code], words)
        return Failure(error.status_code, detail, dict(error.headers or {}))
    if isinstance(error, msgspec.DecodeError):  # and its kind, ValidationError
        return Failure(400, ErrorDetail("invalid_request_error", str(error)), {})
    if isinstance(error, RecursionError):
        return Failure(400, ErrorDetail("invalid_request_error", "the JSON is too deep"), {})
    if isinstance(error, ReverieError):
        return _told(error)
    return Failure(500, ErrorDetail("api_error", UNFORESEEN), {})


def _told(error: ReverieError) -> Failure:
    status = error.http_status
    kind = next((_TYPES[cls] for cls in type(error).__mro__ if cls in _TYPES), "api_error")
    if status == 400:
        kind = "invalid_request_error"
    if status >= 500 and not isinstance(error, Busy):
        return Failure(status, ErrorDetail(kind, UNFORESEEN), {})
    headers: dict[str, str] = {}
    if status == 409:
        # Else a client tries the same thing twice more, and waits in between.
        headers["x-should-retry"] = "false"
    if isinstance(error, Busy):
        headers["retry-after"] = "1"
    detail = ErrorDetail(kind, error.message)
    if isinstance(error, PreconditionFailed):
        detail.message = "the content is no longer what the precondition says"
    if isinstance(error, PathTaken):
        detail.conflicting_memory_id = error.conflicting_memory_id
        detail.conflicting_path = error.conflicting_path
    return Failure(status, detail, headers)
