-- A seal proves with the key of a home that the end of a chain and an attachment were written there.

ALTER TABLE stores ADD COLUMN seal {text};
ALTER TABLE attachments ADD COLUMN seal {text};
