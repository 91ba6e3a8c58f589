-- Whose session it is: '' for the person of this home, else the key that brought it to a server.

ALTER TABLE sessions ADD COLUMN owner {text} NOT NULL DEFAULT '';
