-- Stores, memories, versions, attachments. See migrations.py for what the braces stand for.

CREATE TABLE stores (
    id          {text} PRIMARY KEY,
    name        {text} NOT NULL,
    description {text} NOT NULL,
    metadata    {text} NOT NULL,
    created_at  {text} NOT NULL,
    updated_at  {text} NOT NULL,
    archived_at {text},
    memories    {int} NOT NULL,
    sequence    {int} NOT NULL,
    commitment  {text} NOT NULL
);
CREATE INDEX stores_by_name ON stores (name);

CREATE TABLE memories (
    seq            {serial},
    id             {text} NOT NULL UNIQUE,
    store_id       {text} NOT NULL REFERENCES stores (id),
    path           {text} NOT NULL,
    version_id     {text} NOT NULL,
    version        {int} NOT NULL,
    content_sha256 {text} NOT NULL,
    size_bytes     {int} NOT NULL,
    trust          {text} NOT NULL,
    valid_from     {text},
    valid_to       {text},
    created_at     {text} NOT NULL,
    updated_at     {text} NOT NULL,
    UNIQUE (store_id, path)
);

CREATE TABLE versions (
    id              {text} NOT NULL PRIMARY KEY,
    store_id        {text} NOT NULL REFERENCES stores (id),
    sequence        {int} NOT NULL,
    memory_id       {text} NOT NULL,
    number          {int} NOT NULL,
    operation       {text} NOT NULL,
    path            {text},
    content         {text},
    content_sha256  {text},
    size_bytes      {int},
    actor_kind      {text} NOT NULL,
    actor_id        {text} NOT NULL,
    reason          {text} NOT NULL,
    trust           {text} NOT NULL,
    valid_from      {text},
    valid_to        {text},
    created_at      {text} NOT NULL,
    redacted_at     {text},
    redacted_kind   {text},
    redacted_id     {text},
    salt            {text},
    body            {text} NOT NULL,
    previous        {text} NOT NULL,
    commitment      {text} NOT NULL,
    UNIQUE (store_id, sequence),
    UNIQUE (memory_id, number)
);

CREATE TABLE checkpoints (
    store_id   {text} NOT NULL REFERENCES stores (id),
    sequence   {int} NOT NULL,
    commitment {text} NOT NULL,
    pruned     {int} NOT NULL,
    created_at {text} NOT NULL,
    reason     {text} NOT NULL,
    PRIMARY KEY (store_id, sequence)
);

CREATE TABLE attachments (
    store_id   {text} NOT NULL REFERENCES stores (id),
    kind       {text} NOT NULL,
    principal  {text} NOT NULL,
    access     {text} NOT NULL,
    created_at {text} NOT NULL,
    PRIMARY KEY (store_id, kind, principal)
);
CREATE INDEX attachments_by_principal ON attachments (kind, principal);

CREATE VIEW heads AS
    SELECT m.seq, m.id, m.store_id, m.path, v.content
    FROM memories m JOIN versions v ON v.id = m.version_id;

--: sqlite
CREATE VIRTUAL TABLE memory_words USING fts5 (
    path, content, content = 'heads', content_rowid = 'seq',
    tokenize = "porter unicode61 remove_diacritics 2"
);

--: postgresql
CREATE TABLE memory_words (
    seq   BIGINT PRIMARY KEY,
    words TSVECTOR NOT NULL
);
CREATE INDEX memory_words_gin ON memory_words USING GIN (words);
