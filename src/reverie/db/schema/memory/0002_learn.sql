-- What learning keeps as truth: the words a memory rests on, what waits for a person, what a person
-- said about it, and which sessions must never be learned from again.

CREATE TABLE evidence (
    id {text} PRIMARY KEY,
    session {text} NOT NULL,
    line {int} NOT NULL,
    at {text} NOT NULL,
    quote {text} NOT NULL,
    premise {text} NOT NULL,
    trust {text} NOT NULL
);
CREATE INDEX evidence_by_session ON evidence (session);

CREATE TABLE reviews (
    id {text} PRIMARY KEY,
    session {text} NOT NULL,
    status {text} NOT NULL,
    score {real} NOT NULL,
    why {text} NOT NULL,
    candidate {text} NOT NULL,
    created_at {text} NOT NULL,
    decided_at {text},
    memory_id {text}
);
CREATE INDEX reviews_by_status ON reviews (status, score);
CREATE INDEX reviews_by_session ON reviews (session);

CREATE TABLE labels (
    evidence {text} PRIMARY KEY,
    session {text} NOT NULL,
    correction {text} NOT NULL,
    durable {text} NOT NULL,
    labelled_at {text} NOT NULL
);

CREATE TABLE tombstones (
    session {text} PRIMARY KEY,
    reason {text} NOT NULL,
    buried_at {text} NOT NULL
);
