-- Sessions that may still grow: what is needed to go on with them without reading them again. And
-- from which line on a session that was read waits to be learned from.

CREATE TABLE growing (
    session {text} PRIMARY KEY,
    project {text} NOT NULL,
    ended {text} NOT NULL,      -- when something last happened in it
    unanswered {int},           -- the line of its last words, while the agent still works on them
    tail {text} NOT NULL        -- JSON, redacted
) {strict_keyed};
ALTER TABLE awaiting_learning ADD COLUMN line {int} NOT NULL DEFAULT 0;
