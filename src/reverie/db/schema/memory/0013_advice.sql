-- What a model would do with an entry of the queue; a person decides.

ALTER TABLE reviews ADD COLUMN advice {text};
