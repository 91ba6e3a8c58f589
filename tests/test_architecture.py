"""The shape of the tree: imports point one way, modules stay readable, no private paths."""

import ast
import re
from pathlib import Path

from scripts import private

SOURCE = Path(__file__).parent.parent / "src" / "reverie"

# The lower number may not import the higher one; packages of one level only as listed.
LEVEL = {
    "errors": 0, "files": 0, "inert": 0, "plural": 0, "trust": 0, "data": 0,
    "clock": 1, "config": 1, "privacy": 1, "language": 1, "guard": 1,
    "db": 2, "documents": 2, "engines": 2,
    "store": 3, "sessions": 3,
    "mounts": 4, "asker": 4,
    "learn": 5, "forget": 5, "recall": 5, "dream": 5,
    "home": 6, "imports": 6,
    "operations": 7,
    "housekeeping": 8, "memory": 8, "measure": 8, "forms": 8,
    "connect": 9, "serve": 9, "cli": 9, "sample": 10,
}  # fmt: skip
SAME_LEVEL = {
    ("files", "errors"), ("files", "inert"),
    ("clock", "config"), ("privacy", "config"), ("dream", "learn"),
    ("cli", "connect"), ("cli", "serve"), ("memory", "housekeeping"),
    ("forms", "measure"),
}  # fmt: skip
LONGEST_MODULE = 600


def imported(tree: ast.AST) -> set[str]:
    """The top-level parts of `reverie` that a module imports, wherever the import stands."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("reverie.")}
    return found


def test_imports_point_one_way() -> None:
    wrong: list[str] = []
    for file in sorted(SOURCE.rglob("*.py")):
        relative = file.relative_to(SOURCE)
        part = relative.parts[0].removesuffix(".py")
        if part in {"__init__", "__main__"}:
            continue
        for other in imported(ast.parse(file.read_text(encoding="utf-8"))) - {"__version__"}:
            allowed = (
                other == part
                or LEVEL[other] < LEVEL[part]
                or (LEVEL[other] == LEVEL[part] and (part, other) in SAME_LEVEL)
            )
            if not allowed:
                wrong.append(f"{relative} imports reverie.{other}")
    assert wrong == []


def test_no_module_is_longer_than_a_reader_can_hold() -> None:
    lengths = {
        file.relative_to(SOURCE).as_posix(): len(file.read_text(encoding="utf-8").splitlines())
        for file in SOURCE.rglob("*.py")
    }
    assert {name: n for name, n in lengths.items() if n > LONGEST_MODULE} == {}


def test_relative_imports_are_not_used() -> None:
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and node.level), file


def test_no_placeholder_has_a_number() -> None:
    """SQLite has them, but Python up to 3.12.3 warns of values that are given in a sequence."""
    numbered = re.compile(r"(?:\bLIKE|[=<>(,]) ?\?\d")
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            text = node.value if isinstance(node, ast.Constant) else None
            assert not (isinstance(text, str) and numbered.search(text)), file


def test_no_tracked_file_holds_a_home_path_or_a_private_key() -> None:
    assert [line for f in private.tracked() if f.is_file() for line in private.problems(f)] == []


def test_the_check_for_private_things_sees_them(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("see /home/" + "somebody/secret.txt", encoding="utf-8")
    assert private.problems(path)
    path.write_text("-----BEGIN RSA PRIV" + "ATE KEY-----\n" + "A" * 64, encoding="utf-8")
    assert private.problems(path)
