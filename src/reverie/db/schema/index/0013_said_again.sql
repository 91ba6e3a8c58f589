-- Which correction says again what an earlier one of another session said: looked up once for each.

CREATE TABLE said_again (
  id {text} PRIMARY KEY,
  session {text} NOT NULL,
  project {text} NOT NULL,
  agent {text} NOT NULL,
  day {text} NOT NULL,
  first {text} NOT NULL
) {strict_keyed};

CREATE INDEX said_again_session ON said_again (session);

CREATE INDEX said_again_counted ON said_again (project, agent, day) WHERE first <> '';

-- What is counted by day is counted in these alone.
CREATE INDEX sessions_counted ON sessions (project, agent, started, human_turns) WHERE subagent = 0;

CREATE INDEX corrections_counted ON corrections (project, agent, at) WHERE label <> 'none';
