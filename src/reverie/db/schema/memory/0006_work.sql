-- Work handed out to agents: which piece, until when it is theirs, and what became of it.

CREATE TABLE work (
    id           {text} PRIMARY KEY,
    kind         {text} NOT NULL, -- learn, dream
    subject      {text} NOT NULL, -- a session; a project for a dream
    first_line   {int} NOT NULL,  -- of the session's log
    last_line    {int} NOT NULL,
    status       {text} NOT NULL, -- out, done, refused
    refusals     {int} NOT NULL,
    leased_until {text} NOT NULL,
    finished_at  {text}
);
CREATE INDEX work_by_subject ON work (kind, subject, first_line);
