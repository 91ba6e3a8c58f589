-- Every call of an agent is in the ledger: by which tool, by whom, and why it was refused.

ALTER TABLE recalls ADD COLUMN tool {text} NOT NULL DEFAULT 'recall';
ALTER TABLE recalls ADD COLUMN agent {text} NOT NULL DEFAULT '';
ALTER TABLE recalls ADD COLUMN client {text} NOT NULL DEFAULT '';
ALTER TABLE recalls ADD COLUMN refused {text} NOT NULL DEFAULT '';
CREATE INDEX recalls_by_session ON recalls (session);
