-- What was taken of the answer to a piece, so that nobody is asked the same twice.

ALTER TABLE work ADD COLUMN answer {text};
