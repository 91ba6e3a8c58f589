-- Sessions that clients of the server bring or hold there, and dreams as jobs over them.

CREATE TABLE hosted_sessions (
    id             {text} NOT NULL PRIMARY KEY,
    owner          {text} NOT NULL,  -- the key that brought it; '' for the person at this home
    source         {text} NOT NULL,  -- of an imported one: `agent:id`, as its log names it; else ''
    title          {text},
    agent          {text} NOT NULL,  -- JSON, as the client gave it
    environment_id {text} NOT NULL,
    metadata       {text} NOT NULL,
    resources      {text} NOT NULL,
    events         {int} NOT NULL,   -- how many it ever had
    created_at     {text} NOT NULL,
    updated_at     {text} NOT NULL,
    archived_at    {text}
);
CREATE INDEX hosted_sessions_by_time ON hosted_sessions (created_at, id);
CREATE INDEX hosted_sessions_by_source ON hosted_sessions (owner, source);

CREATE TABLE hosted_stores (
    session {text} NOT NULL REFERENCES hosted_sessions (id),
    store   {text} NOT NULL,
    PRIMARY KEY (session, store)
);
CREATE INDEX hosted_stores_by_store ON hosted_stores (store, session);

CREATE TABLE hosted_events (
    session {text} NOT NULL REFERENCES hosted_sessions (id),
    seq     {int} NOT NULL,
    type    {text} NOT NULL,
    at      {text} NOT NULL,
    body    {text} NOT NULL,         -- JSON without secrets
    PRIMARY KEY (session, seq)
);

CREATE TABLE dream_jobs (
    id            {text} NOT NULL PRIMARY KEY,
    owner         {text} NOT NULL,
    status        {text} NOT NULL,   -- pending, running, completed, failed, canceled
    store         {text} NOT NULL,
    sessions      {text} NOT NULL,   -- JSON, sorted
    in_place      {int} NOT NULL,
    model         {text} NOT NULL,
    instructions  {text},
    session       {text},            -- that tells of the run
    output        {text},            -- the store with the result
    error         {text},
    message       {text},
    usage         {text} NOT NULL,   -- JSON: tokens
    created_at    {text} NOT NULL,
    ended_at      {text},
    archived_at   {text}
);
CREATE INDEX dream_jobs_by_time ON dream_jobs (created_at, id);
CREATE INDEX dream_jobs_by_status ON dream_jobs (status, created_at);
