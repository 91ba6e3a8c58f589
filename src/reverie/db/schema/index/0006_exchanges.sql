-- Where people spoke: the bounds of exchanges, asked for by every recall with a question.

CREATE INDEX IF NOT EXISTS turns_by_person ON turns (session, line) WHERE role = 'human';
