"""Make the homes in `tests/homes`: what a version leaves behind, for every later one to open.

    python -m scripts.make_home --python VENV_OF_THAT_VERSION/bin/python --out tests/homes/0.1.0

Two homes are made with the commands of that version itself, one with its stores in SQLite and one
in PostgreSQL, from the bundled sample and the sentences in `tests/homes/story.py`. Place and clock
are fixed and what is random comes from a counted stream: the same version makes the same bytes.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.homes.facts import FACTS
from tests.homes.story import FATES, tell
from tests.homes.unpack import (
    INDEX_COLUMNS,
    MACHINE,
    PLACE,
    TRUTH_COLUMNS,
    Execute,
    move_machine,
    rows_of,
)

START = datetime(2026, 3, 14, 7, tzinfo=UTC)
# Where the interpreter lies according to the agents' settings: gone, as after an upgrade.
INTERPRETER = "/opt/reverie/bin"

# Read by the interpreter before anything else: what is random is the same in every run.
COUNTED = """
import hashlib, os
_seed, _count = os.environ["COMMAND_NUMBER"], 0
def _urandom(size):
    global _count
    found = b""
    while len(found) < size:
        _count += 1
        found += hashlib.sha256(f"{_seed}:{_count}".encode()).digest()
    return found[:size]
os.urandom = _urandom
"""
TABLES = """
import json
from reverie.store import migrations
found = [s for m in migrations.known() for s in m.statements("postgresql")]
print(json.dumps([migrations._RECORD, *found]))
"""
SAMPLE = "import os, reverie.sample; print(os.path.dirname(reverie.sample.__file__))"


@dataclass(slots=True)
class Making:
    """One home while it is made."""

    interpreter: Path
    aside: Path  # for what is not part of the home
    database_url: str | None = None
    now: datetime = START
    sample: Path = field(default_factory=Path)
    _commands: int = 0

    def __post_init__(self) -> None:
        self.user.mkdir()
        (self.aside / "sitecustomize.py").write_text(COUNTED, encoding="utf-8")
        self.sample = Path(self.python(SAMPLE).strip())

    @property
    def user(self) -> Path:
        return Path(PLACE) / "user"

    def reverie(self, *words: str, given: str = "", editor: str = "") -> str:
        return self._run("-m", "reverie", *words, given=given, more={"EDITOR": editor})

    def python(self, code: str, *words: str, given: str = "") -> str:
        return self._run("-c", code, *words, given=given)

    def worker(self, project: str) -> None:
        """What the worker of a project does that a hook starts."""
        (spool,) = (self.user / ".reverie/spool").glob(f"{project}-*")
        self._run("-m", "reverie.cli.extract", spool.name, more={"REVERIE_INSIDE": "1"})

    def until(self, moment: str) -> None:
        self.now = datetime.fromisoformat(moment).replace(tzinfo=UTC)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        if self.database_url is None:
            with rows_of(self.user / ".reverie/memory.db") as execute:
                return list(execute(query, ()))
        import psycopg

        with psycopg.connect(self.database_url) as connection:
            return connection.execute(query.encode()).fetchall()

    def facts(self) -> dict[str, Any]:
        """What the version that made it says of the home."""

        def ask(*words: str) -> Any:
            return json.loads(self.reverie(*words, "--json"))

        found = {name: fact(ask, self.rows, self.user) for name, fact in FACTS.items()}
        return {"now": self.now.isoformat(), **found}

    def _run(self, *words: str, given: str = "", more: dict[str, str] | None = None) -> str:
        self.now += timedelta(minutes=1)
        self._commands += 1
        environment = {
            "PATH": os.defpath,
            "HOME": str(self.user),
            "REVERIE_NOW": self.now.isoformat(),
            "PYTHONIOENCODING": "utf-8",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": str(self.aside),
            "COMMAND_NUMBER": str(self._commands),
            **({"REVERIE_DATABASE_URL": self.database_url} if self.database_url else {}),
            **(more or {}),
        }
        done = subprocess.run(
            [str(self.interpreter), *words],
            cwd=self.user,
            env=environment,
            input=given,
            capture_output=True,
            encoding="utf-8",
            check=False,
            umask=0o077,
        )
        if done.returncode:
            raise SystemExit(f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", type=Path, required=True, help="of the version's environment")
    parser.add_argument("--out", type=Path, required=True, help="where the packed homes go")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    interpreter = asked.python.absolute()
    with _place() as aside:
        making = Making(interpreter, aside)
        expected = _made(making)
        _pack(making, asked.out / "sqlite.tar.gz")
    with _place() as aside, _server() as url:
        making = Making(interpreter, aside, url)
        if _made(making) != expected:
            raise SystemExit("the two homes are not alike")
        _dump(making, url, asked.out / "postgres.sql.gz")
        _pack(making, asked.out / "postgres-home.tar.gz")
    text = json.dumps(expected, indent=1, ensure_ascii=False, sort_keys=True)
    (asked.out / "expected.json").write_text(_compact(text) + "\n", encoding="utf-8")


@contextmanager
def _place() -> Generator[Path]:
    """`PLACE`, empty, for as long as a home is made there; and a folder for all else."""
    place = Path(PLACE)
    if os.path.realpath(place) != PLACE:
        raise SystemExit(f"{PLACE} must be a folder without links above it")
    place.mkdir(mode=0o700)
    try:
        with tempfile.TemporaryDirectory(prefix="reverie-home-") as aside:
            yield Path(aside)
    finally:
        shutil.rmtree(place)


@contextmanager
def _server() -> Generator[str]:
    from bench.postgres import serving

    with (
        tempfile.TemporaryDirectory(prefix="reverie-pg-") as folder,
        serving(Path(folder) / "data") as url,
    ):
        yield url


def _made(making: Making) -> dict[str, Any]:
    tell(making)
    return json.loads(json.dumps({**making.facts(), "fates": FATES}))


def _pack(making: Making, archive: Path) -> None:
    """The home, with nothing in it that differs from run to run."""
    place = Path(PLACE)
    home = place / "user/.reverie"
    _name_interpreter(making.interpreter, place, home)
    _settle_spool(home)
    if (home / "memory.db").exists():
        with rows_of(home / "memory.db") as execute:
            _settle_truth(execute)
        _closed(home / "memory.db", TRUTH_COLUMNS)
    with rows_of(home / "index.db") as execute:
        execute("UPDATE files SET inode = 0", ())
    _closed(home / "index.db", INDEX_COLUMNS)
    _write_archive(place, archive, int(making.now.timestamp()))


def _settle_truth(execute: Execute) -> None:
    """Marks of this machine's files are made anew when the home is unpacked."""
    move_machine(execute, socket.gethostname(), MACHINE)
    execute("UPDATE mounted_files SET inode = 0, mtime_ns = 0, ctime_ns = 0", ())
    execute("UPDATE leases SET holder = ''", ())


def _name_interpreter(interpreter: Path, place: Path, home: Path) -> None:
    """The agents' settings name an interpreter that is on no machine; their hashes follow."""
    folder = str(interpreter.parent)
    for path in [*place.rglob("*.json"), *place.rglob("*.toml"), *place.rglob("*.before")]:
        text = path.read_text(encoding="utf-8")
        if folder in text:
            before = hashlib.sha256(text.encode()).hexdigest()
            path.write_text(text.replace(folder, INTERPRETER), encoding="utf-8")
            after = hashlib.sha256(path.read_bytes()).hexdigest()
            for mark in (home / "connections").glob("*.after"):
                known = mark.read_text(encoding="ascii")
                mark.write_text(known.replace(before, after), encoding="ascii")


def _settle_spool(home: Path) -> None:
    """What hooks leave is named by time and process, and told by the inode of the settings."""
    for folder in sorted((home / "spool").iterdir()):
        for number, staged in enumerate(sorted(folder.glob("*.json")), 1):
            staged.rename(folder / f"{number:020d}-{number}.json")
    seen = json.loads((home / "hooks.json").read_text(encoding="utf-8"))
    seen["stamp"] = [0, 0, 0]
    (home / "hooks.json").write_text(json.dumps(seen), encoding="utf-8")


def _closed(database: Path, moved: tuple[tuple[str, str], ...]) -> None:
    """One file, in the order of its rows; and no column names a place that unpacking forgets."""
    connection = sqlite3.connect(database)
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
        for column in [row[1] for row in connection.execute(f"PRAGMA table_info('{table}')")]:
            if (table, column) not in moved and (table, column) != ("versions", "reason"):
                query = f'SELECT count(*) FROM "{table}" WHERE instr("{column}", ?)'
                if connection.execute(query, (PLACE,)).fetchone()[0]:
                    raise SystemExit(f"{database.name}: {table}.{column} names a place")
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _write_archive(place: Path, archive: Path, now: int) -> None:
    """Logs and their copies keep the time of their last line, all else has that of the end."""

    def settled(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        is_log = entry.name.endswith((".jsonl", ".jsonl.zst")) and "/." in entry.name
        entry.mtime = int(entry.mtime) if is_log and int(entry.mtime) < now else now
        return entry

    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=tarfile.USTAR_FORMAT) as packed:
        packed.add(place / "user", "user", filter=settled)
    archive.write_bytes(gzip.compress(held.getvalue(), mtime=0))


def _dump(making: Making, url: str, file: Path) -> None:
    """The tables as the version makes them, then their rows; no client program is needed for it."""
    import psycopg
    from psycopg import sql

    tables: list[str] = json.loads(making.python(TABLES))
    lines = [f"{statement};" for statement in tables]
    with psycopg.connect(url) as connection:

        def execute(query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
            cursor = connection.execute(query.replace("?", "%s").encode(), values)
            return cursor.fetchall() if cursor.description else []

        _settle_truth(execute)
        for table in _tables(execute):
            columns = [name for (name,) in execute(
                "SELECT column_name FROM information_schema.columns WHERE table_name = ?"
                " AND table_schema = current_schema() ORDER BY ordinal_position", (table,)
            )]  # fmt: skip
            listed = ", ".join(columns)
            as_text = ", ".join(f"{name}::text" if name == "words" else name for name in columns)
            for row in execute(f"SELECT {as_text} FROM {table} ORDER BY {listed}", ()):
                values = ", ".join(sql.Literal(value).as_string(connection) for value in row)
                lines.append(f"INSERT INTO {table} ({listed}) VALUES ({values});")
            if "seq" in columns and table != "memory_words":
                lines.append(
                    f"SELECT setval(pg_get_serial_sequence('{table}', 'seq'),"
                    f" (SELECT coalesce(max(seq), 1) FROM {table}));"
                )
        connection.rollback()
    file.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))


def _tables(execute: Callable[[str, tuple[Any, ...]], list[tuple[Any, ...]]]) -> list[str]:
    """All tables, those that others refer to before the others."""
    found = [name for (name,) in execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1", ()
    )]  # fmt: skip
    first = ("stores", "recalls", "mounts", "proposals")
    return [*first, *(name for name in found if name not in first)]


def _compact(text: str) -> str:
    """Lists of plain values on one line: a change of a fact is a change of a line."""
    import re

    return re.sub(
        r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s*\n\s*", " ", m[1]) + "]", text
    )


if __name__ == "__main__":
    main()
