-- Sessions that were read and not yet learned from. And how often the index was written: who read
-- before it wrote sees by it that nobody came in between.

ALTER TABLE unlearned RENAME TO awaiting_learning;
CREATE TABLE index_writes (times {int} NOT NULL);
INSERT INTO index_writes VALUES (0);
