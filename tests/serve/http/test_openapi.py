"""The OpenAPI document says what the server does, and the server does nothing else."""

import json
import subprocess
import sys

import pytest
from tests.serve.http.served import Served

from reverie.serve.http.app import ROUTES

# The document does not have every rule of paths and texts: what it allows may be refused.
NOT_TOLD = "positive_data_acceptance,negative_data_rejection"


def test_every_route_is_in_the_document(hasty: Served) -> None:
    told = hasty.client.get("/openapi.json").json
    assert told["openapi"] == "3.1.0"
    paths = {
        (method.upper(), path) for path, methods in told["paths"].items() for method in methods
    }
    assert paths == {(route.method, route.path) for route in ROUTES if route.described}
    for methods in told["paths"].values():
        for operation in methods.values():
            assert operation["summary"].endswith(".")
            names = [one["name"] for one in operation["parameters"] if one["in"] == "path"]
            assert all(f"{{{name}}}" in json.dumps(told["paths"]) for name in names)
    operations = [o["operationId"] for methods in told["paths"].values() for o in methods.values()]
    assert len(operations) == len(set(operations))


@pytest.mark.hostile("H5")
@pytest.mark.needs("schemathesis")
def test_no_generated_request_is_answered_with_a_fault(served: Served) -> None:
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{served.url}/openapi.json"),
            # In both headers, or what is generated for the other one would be a second key.
            *("--header", f"Authorization: Bearer {served.text}"),
            *("--header", f"x-api-key: {served.text}"),
            *("--phases", "examples,coverage,fuzzing,stateful", "--max-examples", "10"),
            *("--exclude-checks", NOT_TOLD, "--seed", "1", "--generation-database", "none"),
        ],
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
        cwd=served.memory.config.home,
    )
    assert ran.returncode == 0, ran.stdout[-6_000:] + ran.stderr
    assert "Stateful" in ran.stdout
    assert served.memory.store.verify() == []
