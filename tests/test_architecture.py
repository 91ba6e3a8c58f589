"""The shape of the tree: imports point one way, modules stay readable, no private paths."""

import ast
import re
from pathlib import Path

from scripts import private

from reverie.db import migrations

SOURCE = Path(__file__).parent.parent / "src" / "reverie"

# The lower number may not import the higher one; packages of one level only as listed.
LEVEL = {
    "errors": 0, "files": 0, "inert": 0, "trust": 0, "asker": 1, "data": 0,
    "clock": 1, "config": 1, "privacy": 1, "language": 1, "guard": 1,
    "db": 2, "documents": 2, "engines": 2,
    "store": 3, "sessions": 3,
    "mounts": 4,
    "learn": 5, "forget": 5, "recall": 5, "dream": 5,
    "home": 6,
    "operations": 7,
    "memory": 8, "measure": 8, "forms": 8,
    "connect": 9, "serve": 9, "cli": 9, "sample": 10,
}  # fmt: skip
SAME_LEVEL = {
    ("clock", "config"), ("privacy", "config"), ("dream", "learn"), ("forget", "learn"),
    ("forget", "recall"),
    ("cli", "connect"), ("cli", "serve"),
}  # fmt: skip
LONGEST_MODULE = 600

# Who may name a table in a statement: one module, or the modules of one package.
OWNERS = {
    "store/": (
        "stores", "memories", "versions", "checkpoints", "attachments", "memory_words", "heads",
        "introductions",
    ),
    "mounts/": ("mounts", "mounted_files"),
    "db/leases.py": ("leases",),
    "db/migrations.py": ("migrations", "index_migrations"),
    "learn/memories/quotes.py": ("evidence",),
    "learn/memories/queue.py": ("reviews",),
    "learn/memories/tombstones.py": ("tombstones",),
    "learn/work/assignments.py": ("work",),
    "learn/statements/standing.py": ("standing_rules",),
    "dream/": ("dreams", "proposals", "proposal_changes"),
    "recall/ledger.py": ("recalls", "recall_entries"),
    "recall/memories.py": ("memory_facts", "memory_facts_head"),
    "forget/stale.py": ("stale_memories",),
    "sessions/": (
        "facts", "files", "sessions", "turns", "turns_fts", "index_writes", "awaiting_learning",
        "corrections", "corrections_fts", "remarks", "traces", "diaries", "fixes", "labels",
    ),
}  # fmt: skip
# Statements that have yet to move to their owners; none is added here.
STRAYS = {
    "cli/app.py": {"mounts", "stores"},
    "cli/decay.py": {"corrections", "fixes", "sessions"},
    "cli/doctor.py": {"files"},
    "cli/extract.py": {"sessions"},
    "cli/learn.py": {"memories"},
    "cli/mounting.py": {"stores"},
    "cli/recall.py": {"memories"},
    "cli/status.py": {"memories", "proposal_changes", "reviews", "sessions", "stores"},
    "connect/imports/run.py": {"memories", "versions"},
    "serve/tools.py": {"evidence"},
    "serve/workspace.py": {"attachments", "introductions", "mounts", "sessions", "stores"},
}
_NAMES_A_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+([a-z_]+)")


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


def strings(tree: ast.AST) -> list[str]:
    """Every text of a module; what varies in one is left out."""
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            found.append("".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return found


def made_tables() -> set[str]:
    """Every table, view and full text that a migration makes."""
    made = {"migrations", "index_migrations"}
    for directory in (migrations.MEMORY, migrations.INDEX):
        for migration in migrations.known(directory):
            for dialect in ("sqlite", "postgresql"):
                text = "\n".join(migration.statements(dialect))
                pattern = r"CREATE (?:VIRTUAL )?(?:TABLE|VIEW) (?:IF NOT EXISTS )?(\w+)"
                made |= set(re.findall(pattern, text))
                for old, new in re.findall(r"ALTER TABLE (\w+) RENAME TO (\w+)", text):
                    made = made - {old} | {new}
    return made


def test_every_table_has_one_owner() -> None:
    owned = [table for tables in OWNERS.values() for table in tables]
    assert len(owned) == len(set(owned))
    assert set(owned) == made_tables()
    for owner in OWNERS:
        assert (SOURCE / owner).exists(), owner


def test_a_table_is_named_by_its_owner_only() -> None:
    owner_of = {table: owner for owner, tables in OWNERS.items() for table in tables}
    strays: dict[str, set[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        name = file.relative_to(SOURCE).as_posix()
        for text in strings(ast.parse(file.read_text(encoding="utf-8"))):
            for table in _NAMES_A_TABLE.findall(text):
                if table in owner_of and not name.startswith(owner_of[table]):
                    strays.setdefault(name, set()).add(table)
    assert strays == STRAYS


def test_only_drivers_and_readers_of_others_speak_to_sqlite() -> None:
    for file in SOURCE.rglob("*.py"):
        name = file.relative_to(SOURCE).as_posix()
        uses = re.search(r"^\s*import sqlite3", file.read_text(encoding="utf-8"), re.M)
        assert not uses or name == "db/sqlite.py" or name.startswith("sessions/readers/"), name
