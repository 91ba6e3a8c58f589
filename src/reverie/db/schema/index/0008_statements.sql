-- One table of what people said, in place of remarks and standing rules.

CREATE TABLE IF NOT EXISTS statements (
    session {text} NOT NULL,
    line {int} NOT NULL,
    place {int} NOT NULL,
    agent {text} NOT NULL,
    project {text} NOT NULL,
    at {text} NOT NULL,
    rule {text} NOT NULL,
    quote {text} NOT NULL,
    why {text} NOT NULL,
    premise {text} NOT NULL,
    act {text} NOT NULL,
    worth {real} NOT NULL,
    lasting {real} NOT NULL,
    lasts {int} NOT NULL,
    sure {int} NOT NULL,
    standing {int} NOT NULL,
    shared {int} NOT NULL,
    passing {int} NOT NULL,
    kind {text} NOT NULL,
    type {text} NOT NULL,
    trust {text} NOT NULL,
    PRIMARY KEY (session, line, place)
) {strict_keyed};

-- What earlier versions made of sessions; their memories are written already.
INSERT INTO statements
SELECT session, line, place, agent, project, at, text, quote, '', '', 'remark', lasting, lasting,
    0, 0, standing, shared, passing, kind, type, trust
FROM remarks;
DROP TABLE remarks;
DROP TABLE standing_rules;
