-- Reviews that say the same are one entry: the others are joined to the first.

ALTER TABLE reviews ADD COLUMN joined_to {text};
CREATE INDEX reviews_by_entry ON reviews (joined_to);
