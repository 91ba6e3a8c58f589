"""The shape of the tree: imports point one way, modules stay readable, no private paths."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from scripts import private

from reverie.db import migrations

SOURCE = Path(__file__).parent.parent / "src" / "reverie"

# The lower number may not import the higher one; packages of one level only as listed.
LEVEL = {
    "errors": 0, "sealing": 0, "files": 0, "handover": 0, "inert": 0, "plural": 0, "settings": 0,
    "trust": 0, "data": 0,
    "clock": 1, "config": 1, "privacy": 1, "language": 1, "guard": 1,
    "db": 2, "documents": 2, "engines": 2,
    "store": 3, "sessions": 3,
    "mounts": 4, "asker": 4,
    "learn": 5, "forget": 5, "recall": 5, "dream": 5, "sync": 5, "distant": 5,
    "home": 6, "imports": 6,
    "operations": 7,
    "memory": 8, "measure": 8, "forms": 8, "hosting": 8,
    "connect": 9, "serve": 9, "cli": 9, "sample": 10,
}  # fmt: skip
SAME_LEVEL = {
    ("files", "errors"), ("files", "inert"), ("handover", "sealing"),
    ("clock", "config"), ("privacy", "config"), ("dream", "learn"), ("forget", "learn"),
    ("forget", "recall"),
    ("cli", "connect"), ("cli", "serve"), ("forms", "measure"),
}  # fmt: skip
LONGEST_MODULE = 600
MOST_MODULES = 40  # side by side in one folder
SURFACES = ("cli", "serve", "connect")

STATEMENT = re.compile(
    r"\s*(?:SELECT|INSERT INTO|INSERT OR|UPDATE \w+ SET|DELETE FROM|CREATE|DROP|ALTER|PRAGMA|WITH"
    r"|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|VACUUM|ATTACH)\b"
)
# Where a process says where it is and what surrounds it. Below the surfaces these are the places:
# reading the configuration, opening a home, the clock.
ASKS_THE_PROCESS = {
    "clock.py", "config.py", "home.py",
    # A point at which a test kills the process; unset, it is never asked for again.
    "db/points.py",
    # Programs of their own, started by a client with its call on standard input, or for a demo.
    "guard/guard.py", "sample/demo.py",
    # What git gets to see is taken out of what this process sees.
    "forget/history.py",
}  # fmt: skip


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Every module by its path below the package."""
    for file in sorted(SOURCE.rglob("*.py")):
        yield file.relative_to(SOURCE).as_posix(), parsed(file)


def strings(tree: ast.AST) -> Iterator[str]:
    """Every string of a module that is not a docstring, and the beginnings of f-strings."""
    said = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


# Who may name a table in a statement: one module, or the modules of one package.
OWNERS = {
    "store/": (
        "stores", "memories", "versions", "checkpoints", "attachments", "memory_words",
        "memory_pairs", "heads",
        "introductions", "api_keys", "guest_names",
    ),
    "mounts/": ("mounts", "mounted_files"),
    "sync/": (
        "sync_links", "sync_packs", "sync_marks", "sync_told", "sync_redactions", "sync_deeds",
    ),
    "distant/": ("distant_stores", "distant_memories"),
    "db/leases.py": ("leases",),
    "db/migrations.py": ("migrations", "index_migrations"),
    "learn/memories/quotes.py": ("evidence",),
    "learn/memories/queue.py": ("reviews",),
    "learn/memories/tombstones.py": ("tombstones",),
    "learn/work/assignments.py": ("work",),
    "dream/": ("dreams", "proposals", "proposal_changes"),
    "hosting/": ("hosted_sessions", "hosted_stores", "hosted_events", "dream_jobs"),
    "recall/ledger.py": ("recalls", "recall_entries"),
    "recall/memories.py": ("memory_facts", "memory_facts_head"),
    "forget/stale.py": ("stale_memories",),
    "forget/archive.py": ("notices",),
    "sessions/": (
        "facts", "files", "sessions", "turns", "turns_fts", "turns_pairs", "index_writes",
        "awaiting_learning", "corrections", "corrections_fts", "corrections_pairs", "statements",
        "traces", "diaries", "fixes", "labels", "forgotten", "set_aside", "growing", "said_again",
    ),
}  # fmt: skip
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
    for relative, tree in modules():
        part = relative.partition("/")[0].removesuffix(".py")
        if part in {"__init__", "__main__"}:
            continue
        for other in imported(tree) - {"__version__"}:
            allowed = (
                other == part
                or LEVEL[other] < LEVEL[part]
                or (LEVEL[other] == LEVEL[part] and (part, other) in SAME_LEVEL)
            )
            if not allowed:
                wrong.append(f"{relative} imports reverie.{other}")
    assert wrong == []


def test_no_surface_speaks_sql() -> None:
    found = {
        name
        for name, tree in modules()
        if name.startswith(SURFACES) and any(STATEMENT.match(text) for text in strings(tree))
    }
    assert found == set()


def test_nothing_below_the_command_line_names_a_module_of_it() -> None:
    found = {
        name
        for name, tree in modules()
        if not name.startswith("cli/") and any("reverie.cli" in text for text in strings(tree))
    }
    assert found - {"__main__.py", "sample/demo.py"} == set()


def test_below_the_surfaces_nobody_asks_the_process() -> None:
    asked = {("os", "environ"), ("os", "getenv"), ("os", "getcwd"), ("Path", "cwd")}
    asked |= {("Path", "home"), ("os", "environb"), ("os", "getcwdb")}
    found: set[str] = set()
    for name, tree in modules():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or name.startswith(SURFACES):
                continue
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if (owner, node.attr) in asked or node.attr == "expanduser":
                found.add(name)
    assert found == ASKS_THE_PROCESS


def imports_of(name: str, tree: ast.AST, known: set[str]) -> set[str]:
    """The modules a module imports: at its top, late, and for type checkers alone."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        found |= known.intersection(names)
    # `reverie` itself offers what is in it.
    return found - {name, "reverie"}


def test_no_module_imports_what_imports_it() -> None:
    by_name = {
        "reverie." + name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): tree
        for name, tree in modules()
        if name != "__init__.py"
    }
    known = set(by_name)
    graph = {name: imports_of(name, tree, known) for name, tree in by_name.items()}
    assert cycles(graph) == []


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The cycles of a graph, each as it is met; one that was met is cut to find the next."""
    cut = {name: set(others) for name, others in graph.items()}
    found: list[list[str]] = []
    while True:
        try:
            TopologicalSorter(cut).prepare()
        except CycleError as error:
            met: list[str] = error.args[1]
            found.append(met)
            # What `met` lists imports, in turn, what stands before it.
            cut[met[1]].discard(met[0])
        else:
            return found


def test_no_folder_is_a_crowd() -> None:
    sizes = {
        folder.relative_to(SOURCE).as_posix(): len(list(folder.glob("*.py")))
        for folder in [SOURCE, *SOURCE.rglob("*/")]
        if folder.is_dir()
    }
    assert {name for name, size in sizes.items() if size > MOST_MODULES} == set()


def test_no_module_is_longer_than_a_reader_can_hold() -> None:
    lengths = {
        file.relative_to(SOURCE).as_posix(): len(file.read_text(encoding="utf-8").splitlines())
        for file in SOURCE.rglob("*.py")
    }
    assert {name: n for name, n in lengths.items() if n > LONGEST_MODULE} == {}


def test_relative_imports_are_not_used() -> None:
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(parsed(file)):
            assert not (isinstance(node, ast.ImportFrom) and node.level), file


def test_no_placeholder_has_a_number() -> None:
    """SQLite has them, but Python up to 3.12.3 warns of values that are given in a sequence."""
    numbered = re.compile(r"(?:\bLIKE|[=<>(,]) ?\?\d")
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(parsed(file)):
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


def joined_strings(tree: ast.AST) -> list[str]:
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
                made -= set(re.findall(r"DROP TABLE (\w+)", text))
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
        for text in joined_strings(parsed(file)):
            for table in _NAMES_A_TABLE.findall(text):
                if table in owner_of and not name.startswith(owner_of[table]):
                    strays.setdefault(name, set()).add(table)
    assert strays == {}


def test_only_drivers_and_readers_of_others_speak_to_sqlite() -> None:
    for file in SOURCE.rglob("*.py"):
        name = file.relative_to(SOURCE).as_posix()
        uses = re.search(r"^\s*import sqlite3", file.read_text(encoding="utf-8"), re.M)
        assert not uses or name == "db/sqlite.py" or name.startswith("sessions/readers/"), name
