"""Keep tests/requirements.toml and the tests' `proves` marks in step.

A row is a promise (`[[promise]]`, mark `proves`) or a hostile case (`[[hostile]]`, mark
`hostile`): `id`, `text`, `status` (`kept` or `open`), and the tests that prove it. An id is either
a promise or a hostile case, never both, so a mark that confuses them names what does not exist.
An open row may say in `missing` what of its sentence no test proves.
`python -m scripts.requirements` rewrites the `tests` lists from the marks; the test
`tests/test_requirements.py` refuses a file that differs, a kept row without a test, and a mark
whose id is unknown.
"""

import ast
import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FILE = ROOT / "tests" / "requirements.toml"

HEADER = """\
# Every promise of Reverie and every hostile case, with the tests that prove it.
# `status` is written by hand: kept (every part of the sentence has a test that can fail), or open
# (not built, or not proved, as a whole); `missing` says what of an open row is not proved yet.
# `tests` is written by `make docs` from the marks @pytest.mark.proves("ID") and hostile("ID").
# Hostile cases of concurrency are CC…, those of data and operations DO…: no id is a promise, too.
"""


KINDS = {"promise": "pytest.mark.proves", "hostile": "pytest.mark.hostile"}


def marks() -> dict[str, dict[str, list[str]]]:
    """Kind → id → the tests that claim to prove it, from the source alone."""
    found: dict[str, dict[str, list[str]]] = {kind: defaultdict(list) for kind in KINDS}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                where = f"{file.relative_to(ROOT).as_posix()}::{node.name}"
                for kind, row in claimed(node):
                    found[kind][row].append(where)
    return {kind: dict(by_id) for kind, by_id in found.items()}


def claimed(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call):
            for kind, mark in KINDS.items():
                if ast.unparse(decorator.func) == mark:
                    yield from ((kind, ast.literal_eval(a)) for a in decorator.args)


def rows() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def rendered(
    requirements: dict[str, list[dict[str, Any]]], found: dict[str, dict[str, list[str]]]
) -> str:
    """The whole file, with the `tests` lists as the marks have them."""
    parts = [HEADER]
    for kind in KINDS:
        for row in requirements[kind]:
            parts.append(f"[[{kind}]]")
            told = ("id", "text", "status", *(["missing"] if "missing" in row else []))
            parts += [f"{key} = {quoted(row[key])}" for key in told]
            tests = found[kind].get(row["id"], [])
            listed = "".join(f"  {quoted(t)},\n" for t in tests)
            parts.append(f"tests = [\n{listed}]" if tests else "tests = []")
            parts.append("")
    return "\n".join(parts)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main() -> None:
    FILE.write_text(rendered(rows(), marks()), encoding="utf-8")


if __name__ == "__main__":
    main()
