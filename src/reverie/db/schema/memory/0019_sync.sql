-- Several homes that exchange their versions. A version without `parents` follows the one before it
-- of the same memory; others name theirs, as a JSON list. `origin` is empty for what this home
-- wrote, `merged` for what it merged from several, else the link it came by.

ALTER TABLE versions ADD COLUMN parents {text};
ALTER TABLE versions ADD COLUMN origin {text};

CREATE TABLE sync_links (
    id        {text} PRIMARY KEY,
    remote    {text} NOT NULL UNIQUE,
    kind      {text} NOT NULL, -- folder, git
    team      {int} NOT NULL,
    stores    {text} NOT NULL, -- JSON: names; empty for all
    author    {text} NOT NULL, -- the name others see
    recipients {text} NOT NULL, -- JSON: for whom packs are encrypted; empty for plain ones
    epoch     {int} NOT NULL,  -- of the journal of this home
    synced_at {text} NOT NULL,
    trouble   {text} NOT NULL
);

-- Packs of a remote that are written into this home, or were written by it.
CREATE TABLE sync_packs (
    link  {text} NOT NULL REFERENCES sync_links (id),
    place {text} NOT NULL,
    PRIMARY KEY (link, place)
);

-- Up to which version a store is in this home's journal.
CREATE TABLE sync_marks (
    link     {text} NOT NULL REFERENCES sync_links (id),
    store_id {text} NOT NULL REFERENCES stores (id),
    sequence {int} NOT NULL,
    PRIMARY KEY (link, store_id)
);

-- What else is in it, or came from there: redactions (their version), deeds of forgetting, and
-- those that were taken back.
CREATE TABLE sync_told (
    link  {text} NOT NULL REFERENCES sync_links (id),
    kind  {text} NOT NULL, -- redaction, deed, lifted
    value {text} NOT NULL,
    PRIMARY KEY (link, kind, value)
);

-- Redactions of versions that may come later.
CREATE TABLE sync_redactions (
    version_id {text} PRIMARY KEY,
    at         {text} NOT NULL,
    kind       {text} NOT NULL,
    who        {text} NOT NULL
);

CREATE TABLE sync_deeds (
    deed   {text} PRIMARY KEY,
    lifted {int} NOT NULL
);
