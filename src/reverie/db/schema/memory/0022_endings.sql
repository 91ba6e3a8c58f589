-- Every command asks what has expired; nearly nothing ever does.

CREATE INDEX memories_by_end ON memories (valid_to) WHERE valid_to IS NOT NULL;
