-- A piece of work may hold parts of several sessions; each part is a row, known by its piece.

ALTER TABLE work ADD COLUMN piece {text} NOT NULL DEFAULT '';
UPDATE work SET piece = id;
UPDATE work SET kind = 'session' WHERE kind = 'learn';
