-- Pairs of signs of what is written without spaces, which a full text takes for one word. Only
-- memories that have any are here; those of earlier versions are filled in by the program.

--: sqlite
CREATE VIRTUAL TABLE memory_pairs USING fts5 (words);
--: postgresql
CREATE TABLE memory_pairs (seq BIGINT PRIMARY KEY, words TSVECTOR NOT NULL);
CREATE INDEX memory_by_pairs ON memory_pairs USING GIN (words);
