-- What was handed to whom: one row per recall, one per entry it held.

CREATE TABLE recalls (
    seq        {serial},
    id         {text} NOT NULL UNIQUE,
    at         {text} NOT NULL,
    surface    {text} NOT NULL,
    project    {text} NOT NULL,
    session    {text} NOT NULL,
    query      {text} NOT NULL,
    strategy   {text} NOT NULL,
    budget     {int} NOT NULL,
    characters {int} NOT NULL,
    tokens     {int} NOT NULL
);
CREATE INDEX recalls_by_time ON recalls (at);

CREATE TABLE recall_entries (
    recall_id  {text} NOT NULL REFERENCES recalls (id),
    place      {int} NOT NULL,
    part       {text} NOT NULL,
    entry      {text} NOT NULL,
    evidence   {text} NOT NULL,
    characters {int} NOT NULL,
    PRIMARY KEY (recall_id, place)
);
CREATE INDEX recall_entries_by_entry ON recall_entries (entry);

-- A project's own store and `global` are attached to it once; what the user changes later stays.
CREATE TABLE introductions (
    project  {text} NOT NULL,
    store_id {text} NOT NULL,
    PRIMARY KEY (project, store_id)
);
