-- What whoever uses a store through an attachment is told about it.

ALTER TABLE attachments ADD COLUMN instructions {text} NOT NULL DEFAULT '';
