-- What could not be learned, and why: named by `doctor` and status, and tried again by the next run.

CREATE TABLE IF NOT EXISTS set_aside (
    session {text} PRIMARY KEY,  -- its key; the name of a log that cannot be read; a day; a project
    project {text} NOT NULL,
    step {text} NOT NULL,        -- reading, judging, writing, daily or relating
    reason {text} NOT NULL
) {strict_keyed};
