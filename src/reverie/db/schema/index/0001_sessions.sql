-- Sessions and their turns. Version 0.1.0 made these tables without a record of it: those that are
-- there are taken over as they are, which is why they are made only where they are missing.
-- It drops an index whose user_version is not 7, so that number stays.

--: sqlite
PRAGMA user_version = 7;
--: both

CREATE TABLE IF NOT EXISTS facts (name {text} PRIMARY KEY, value {text} NOT NULL) {keyed};

CREATE TABLE IF NOT EXISTS files (
    path {text} PRIMARY KEY,
    agent {text} NOT NULL,
    relative {text} NOT NULL,
    inode {int} NOT NULL,
    size {int} NOT NULL,
    mtime_ns {int} NOT NULL,
    head {text} NOT NULL,        -- hash of the first bytes
    tail {text} NOT NULL,        -- hash of the last bytes before `offset`
    "offset" {int} NOT NULL,     -- where the next read goes on
    resume {text} NOT NULL,      -- state of the reader at `offset`, JSON; '' when it cannot resume
    session {text} NOT NULL,     -- key; '' when the file holds none
    state {text} NOT NULL,       -- read, copy, ignored or empty
    visited {int} NOT NULL,      -- whether a visitor has seen what was read
    bad_lines {int} NOT NULL,
    bad_bytes {int} NOT NULL,
    reasons {text} NOT NULL      -- JSON: reason -> count
) {keyed};
CREATE INDEX IF NOT EXISTS files_by_session ON files (session);
CREATE INDEX IF NOT EXISTS files_by_head ON files (head);

CREATE TABLE IF NOT EXISTS sessions (
    id {serial},
    key {text} NOT NULL UNIQUE,
    agent {text} NOT NULL,
    session_id {text} NOT NULL,
    path {text} NOT NULL,
    project {text} NOT NULL,
    cwd {text} NOT NULL,
    branch {text} NOT NULL,
    remote {text} NOT NULL,
    started {text} NOT NULL,
    ended {text} NOT NULL,
    title {text} NOT NULL,
    version {text} NOT NULL,
    parent {text} NOT NULL,
    subagent {int} NOT NULL,
    turns {int} NOT NULL,
    human_turns {int} NOT NULL
);
CREATE INDEX IF NOT EXISTS sessions_by_project ON sessions (project, started);
CREATE INDEX IF NOT EXISTS sessions_by_start ON sessions (started);

-- The text of a searchable turn is stored once, here; the full text only points to it.
CREATE TABLE IF NOT EXISTS turns (
    id {serial},
    session {int} NOT NULL,      -- sessions.id
    seq {int} NOT NULL,          -- place among the stored turns of its session
    said {int},                  -- place among what human and agent said; NULL for the rest
    line {int} NOT NULL,
    "offset" {int} NOT NULL,
    role {text} NOT NULL,
    kind {text} NOT NULL,
    at {text} NOT NULL,          -- UTC, milliseconds; '' when the log has no valid time
    text {text} NOT NULL,
    tool {text} NOT NULL,
    typed {text} NOT NULL,
    undone {int} NOT NULL,
    copied {int} NOT NULL,       -- another session, or an earlier line, holds the same event
    searchable {int} NOT NULL,
    event {int}                  -- hash of (time or id, kind, text)
--: postgresql
    , words TSVECTOR GENERATED ALWAYS AS (
        CASE WHEN searchable = 1 AND copied = 0 THEN {words:text} END
    ) STORED
--: both
);
CREATE INDEX IF NOT EXISTS turns_by_session ON turns (session, seq);
CREATE INDEX IF NOT EXISTS turns_by_event ON turns (event) WHERE event IS NOT NULL;
--: sqlite
CREATE VIRTUAL TABLE IF NOT EXISTS turns_fts USING fts5 (
    text, content = 'turns', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
--: postgresql
CREATE INDEX turns_by_words ON turns USING GIN (words);
