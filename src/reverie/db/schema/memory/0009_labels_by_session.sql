-- Unlearning takes out the labels of one session. And: version 0.1.0 knows eight migrations and
-- refuses a database with more, so it keeps away from a home whose index it would not understand.

CREATE INDEX labels_by_session ON labels (session);
