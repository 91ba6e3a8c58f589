-- What a turn says in one line. Rows of earlier versions have none until they are learned anew.

ALTER TABLE corrections ADD COLUMN gist {text} NOT NULL DEFAULT '';
