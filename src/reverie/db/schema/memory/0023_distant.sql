-- Stores of servers elsewhere, of which a store here is the copy, and what both last agreed on.

CREATE TABLE distant_stores (
    store_id   {text} NOT NULL PRIMARY KEY REFERENCES stores (id),
    url        {text} NOT NULL,  -- of the server
    remote_id  {text} NOT NULL,  -- of the store there
    access     {text} NOT NULL,  -- read_only, read_write
    key_source {text} NOT NULL,  -- `variable NAME` or `file PATH`: where the key is, never the key
    looked_at  {text} NOT NULL,  -- when both were last brought together; '' for never
    tried_at   {text} NOT NULL,
    trouble    {text} NOT NULL   -- why the last try failed; '' if it did not
);

CREATE TABLE distant_memories (
    store_id   {text} NOT NULL REFERENCES distant_stores (store_id),
    remote_id  {text} NOT NULL,
    memory_id  {text} NOT NULL,
    path_there {text} NOT NULL,
    sha_there  {text} NOT NULL,  -- '' once it was deleted there and stays here
    path_here  {text} NOT NULL,
    sha_here   {text} NOT NULL,
    PRIMARY KEY (store_id, remote_id)
);
