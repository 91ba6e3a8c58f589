-- What is known of memories without reading them: their frontmatter, and what of them is stale.

CREATE TABLE IF NOT EXISTS memory_facts (
    seq {int} PRIMARY KEY,
    id {text} NOT NULL UNIQUE,
    store {text} NOT NULL,
    type {text} NOT NULL,
    at {text} NOT NULL,
    valid_from {text} NOT NULL,
    valid_to {text} NOT NULL,
    state {text} NOT NULL,
    worth {real} NOT NULL
) {strict};
CREATE INDEX IF NOT EXISTS memory_facts_by_worth
    ON memory_facts (store, state, worth DESC, at DESC, id);
CREATE TABLE IF NOT EXISTS memory_facts_head (
    store {text} PRIMARY KEY, sequence {int} NOT NULL, commitment {text} NOT NULL
) {strict_keyed};

CREATE TABLE IF NOT EXISTS stale_memories (
    memory {text} NOT NULL,
    version {text} NOT NULL,
    store {text} NOT NULL,
    name {text} NOT NULL,
    place {int} NOT NULL,
    reference {text} NOT NULL,
    state {text} NOT NULL,
    what {text} NOT NULL,
    PRIMARY KEY (memory, place)
) {strict_keyed};
