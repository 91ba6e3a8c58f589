-- What was said beside a turn that a question found; without it every session is read whole.

CREATE INDEX IF NOT EXISTS turns_by_place ON turns (session, said) WHERE said IS NOT NULL;
