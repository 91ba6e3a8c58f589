"""The OpenAPI document, made of the routes' own types."""

from collections.abc import Sequence
from typing import Any

import msgspec

from reverie import __version__
from reverie.serve.http.errors import ErrorBody
from reverie.serve.http.routing import Route

_STATUSES = {
    "400": "not acceptable",
    "401": "no valid key",
    "403": "not allowed",
    "404": "not there, or not for this key",
    "408": "the request came too slowly",
    "409": "somebody else was first",
    "413": "too large",
    "415": "not application/json",
    "421": "not under that name",
    "429": "too many requests",
    "431": "too many headers",
    "500": "a fault of the server",
    "503": "the database does not answer",
    "529": "too many requests at once",
}

# What an answer names: parameters of other routes, and the fields that hold them.
_NAMES: dict[str, dict[str, str]] = {
    "MemoryStore": {"memory_store_id": "id"},
    "Memory": {
        "memory_store_id": "memory_store_id",
        "memory_id": "id",
        "memory_version_id": "memory_version_id",
    },
    "MemoryVersion": {
        "memory_store_id": "memory_store_id",
        "memory_id": "memory_id",
        "memory_version_id": "id",
    },
}


def document(routes: Sequence[Route]) -> bytes:
    """OpenAPI 3.1 as JSON."""
    routes = [route for route in routes if route.described]
    kinds: list[Any] = [ErrorBody]
    for route in routes:
        kinds += [route.returns, route.query]
        if route.body is not None and not route.is_upload:
            kinds.append(route.body)
    schemas, components = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    schema_of = dict(zip(map(repr, kinds), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        operation = _operation(route, schema_of, components)
        operation["responses"]["200"]["links"] = _links(route, routes)
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    openapi: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "Reverie",
            "version": __version__,
            "description": "Memory stores for agents. Errors have one form, and a request id.",
        },
        "security": [{"bearer": []}, {"key": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
            },
        },
    }
    return msgspec.json.encode(openapi)


def _operation(
    route: Route, schema_of: dict[str, dict[str, Any]], components: dict[str, Any]
) -> dict[str, Any]:
    failed = {"application/json": {"schema": schema_of[repr(ErrorBody)]}}
    operation: dict[str, Any] = {
        "operationId": _name(route),
        "tags": [_name(route).partition(".")[0]],
        "summary": (route.function.__doc__ or "").strip().partition("\n")[0],
        "description": f"Needs a key with the scope `{route.scope}`.",
        "parameters": [
            {"name": part, "in": "path", "required": True, "schema": {"type": "string"}}
            for part in route.parts
        ]
        + _query(route, schema_of, components),
        "responses": {
            "200": {
                "description": "done",
                "content": {
                    route.media.partition(";")[0]: {"schema": schema_of[repr(route.returns)]}
                },
            },
            **{
                status: {"description": words, "content": failed}
                for status, words in _STATUSES.items()
            },
        },
    }
    if route.is_upload:
        schema: dict[str, Any] = {"type": "string", "format": "binary"}
        operation["requestBody"] = {"required": True, "content": {"*/*": {"schema": schema}}}
    elif route.body is not None:
        content = {"application/json": {"schema": schema_of[repr(route.body)]}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _links(route: Route, routes: Sequence[Route]) -> dict[str, Any]:
    """The routes that can be asked about what this one answers."""
    names = _NAMES.get(getattr(route.returns, "__name__", ""), {})
    return {
        _name(other): {
            "operationId": _name(other),
            "parameters": {part: f"$response.body#/{names[part]}" for part in other.parts},
        }
        for other in routes
        if other.parts and set(other.parts) <= set(names)
    }


def _name(route: Route) -> str:
    noun = route.function.__module__.rpartition(".")[2]
    return f"{noun}.{route.function.__name__.rstrip('_')}"


def _query(
    route: Route, schema_of: dict[str, dict[str, Any]], components: dict[str, Any]
) -> list[dict[str, Any]]:
    reference = schema_of[repr(route.query)].get("$ref", "")
    properties = components[reference.rpartition("/")[2]].get("properties", {})
    lists = {name for name, schema in properties.items() if schema.get("type") == "array"}
    return [
        {
            "name": f"{name}[]" if name in lists else name,
            "in": "query",
            "required": False,
            "schema": schema,
        }
        for name, schema in properties.items()
    ]
