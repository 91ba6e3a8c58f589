"""The tables of `index.db`. All of it is derived: another version is dropped and built anew."""

import sqlite3

from reverie.errors import Busy, ReadOnly, ReverieError, StoreDamaged, Unavailable

# Raise it with every change of the tables or of what is put into them.
VERSION = 7

# The text of a searchable turn is stored once, in `turns`; the full text only points to it.
SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    relative TEXT NOT NULL,
    inode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    head TEXT NOT NULL,          -- hash of the first bytes
    tail TEXT NOT NULL,          -- hash of the last bytes before `offset`
    offset INTEGER NOT NULL,     -- where the next read goes on
    resume TEXT NOT NULL,        -- state of the reader at `offset`, JSON; '' when it cannot resume
    session TEXT NOT NULL,       -- key; '' when the file holds none
    state TEXT NOT NULL,         -- read, copy, ignored or empty
    visited INTEGER NOT NULL,    -- whether a visitor has seen what was read
    bad_lines INTEGER NOT NULL,
    bad_bytes INTEGER NOT NULL,
    reasons TEXT NOT NULL        -- JSON: reason -> count
) WITHOUT ROWID;
CREATE INDEX files_by_session ON files (session);
CREATE INDEX files_by_head ON files (head);
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    session_id TEXT NOT NULL,
    path TEXT NOT NULL,
    project TEXT NOT NULL,
    cwd TEXT NOT NULL,
    branch TEXT NOT NULL,
    remote TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT NOT NULL,
    title TEXT NOT NULL,
    version TEXT NOT NULL,
    parent TEXT NOT NULL,
    subagent INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    human_turns INTEGER NOT NULL
);
CREATE INDEX sessions_by_project ON sessions (project, started);
CREATE INDEX sessions_by_start ON sessions (started);
CREATE TABLE turns (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,    -- sessions.id
    seq INTEGER NOT NULL,        -- place among the stored turns of its session
    said INTEGER,                -- place among what human and agent said; NULL for the rest
    line INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    role TEXT NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,            -- UTC, milliseconds; '' when the log has no valid time
    text TEXT NOT NULL,
    tool TEXT NOT NULL,
    typed TEXT NOT NULL,
    undone INTEGER NOT NULL,
    copied INTEGER NOT NULL,     -- another session, or an earlier line, holds the same event
    searchable INTEGER NOT NULL,
    event INTEGER                -- hash of (time or id, kind, text)
);
CREATE INDEX turns_by_session ON turns (session, seq);
CREATE INDEX turns_by_event ON turns (event) WHERE event IS NOT NULL;
CREATE VIRTUAL TABLE turns_fts USING fts5 (
    text, content = 'turns', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
"""


def connect(path: str, *, busy_timeout_ms: int = 10_000) -> sqlite3.Connection:
    """Open the index and make its tables if they are missing or of another version.

    Raises:
        Busy: another process holds the database for too long.
        ReadOnly, Unavailable: the file cannot be opened or written.
        StoreDamaged: the file is not a database or fails its own checks.
    """
    connection = sqlite3.connect(path, isolation_level=None, timeout=busy_timeout_ms / 1000)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            _rebuild(connection)
    except sqlite3.Error as error:
        connection.close()
        raise readable(error, path) from error
    return connection


def readable(error: sqlite3.Error, path: str) -> ReverieError:
    """What a database error means to the user. A lock is never taken for damage."""
    said = str(error)
    if said.startswith("Could not decode"):
        said = "a text is not UTF-8"  # the rest of the message is the text itself
    if isinstance(error, sqlite3.OperationalError):
        if "locked" in said or "busy" in said:
            return Busy(f"{path} is in use by another process", hint="try again when it is done")
        if "readonly" in said:
            return ReadOnly(f"{path} cannot be written")
        if "full" in said or "unable to open" in said or "I/O" in said:
            return Unavailable(f"{path}: {said}")
    return StoreDamaged(
        f"{path}: {said}", hint="it is derived: `reverie reindex` sets it aside and builds it anew"
    )


def _rebuild(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have done it while this one waited for the lock.
    if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        drop_all(connection)
        for statement in SCHEMA.split(";\n"):
            if statement.strip():
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def drop_all(connection: sqlite3.Connection) -> None:
    """Remove every table, also those other packages keep here; full-text tables first."""
    listed = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        " ORDER BY sql NOT LIKE 'CREATE VIRTUAL%', name"
    ).fetchall()
    for (name,) in listed:
        connection.execute(f'DROP TABLE IF EXISTS "{name}"')
