-- Pairs of signs of what is written without spaces, which a full text takes for one word. Only units
-- that have any are here; those of earlier versions are filled in by the program.

--: sqlite
CREATE VIRTUAL TABLE turns_pairs USING fts5 (words);
CREATE TRIGGER turns_paired AFTER DELETE ON turns BEGIN
    DELETE FROM turns_pairs WHERE rowid = old.id; END;
CREATE VIRTUAL TABLE corrections_pairs USING fts5 (words);
CREATE TRIGGER corrections_paired AFTER DELETE ON corrections BEGIN
    DELETE FROM corrections_pairs WHERE rowid = old.row; END;
--: postgresql
CREATE TABLE turns_pairs (
    id BIGINT PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE, words TSVECTOR NOT NULL
);
CREATE INDEX turns_by_pairs ON turns_pairs USING GIN (words);
CREATE TABLE corrections_pairs (
    row BIGINT PRIMARY KEY REFERENCES corrections (row) ON DELETE CASCADE, words TSVECTOR NOT NULL
);
CREATE INDEX corrections_by_pairs ON corrections_pairs USING GIN (words);
