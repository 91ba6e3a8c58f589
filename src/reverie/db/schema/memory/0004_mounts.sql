-- Folders that show a store as files. `host` is empty on SQLite, which never leaves its machine.

CREATE TABLE mounts (
    id         {text} PRIMARY KEY,
    store_id   {text} NOT NULL REFERENCES stores (id),
    host       {text} NOT NULL,
    folder     {text} NOT NULL,
    access     {text} NOT NULL,
    sequence   {int} NOT NULL, -- of the store, when the folder last showed all of it
    created_at {text} NOT NULL,
    UNIQUE (host, folder)
);
CREATE INDEX mounts_by_store ON mounts (store_id);

-- What the folder and the store last agreed on, file by file: the base of every later comparison.
CREATE TABLE mounted_files (
    mount_id       {text} NOT NULL REFERENCES mounts (id),
    file           {text} NOT NULL,
    memory_id      {text} NOT NULL,
    path           {text} NOT NULL,
    version        {int} NOT NULL,
    content_sha256 {text} NOT NULL,
    inode          {int} NOT NULL,
    size           {int} NOT NULL,
    mtime_ns       {int} NOT NULL,
    ctime_ns       {int} NOT NULL,
    missing_at     {text},
    PRIMARY KEY (mount_id, file)
);
