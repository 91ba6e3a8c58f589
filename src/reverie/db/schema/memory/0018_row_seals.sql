-- What is told to sessions carries a seal of its own, row by row; the program fills in what is there.

ALTER TABLE stores ADD COLUMN description_seal {text};
ALTER TABLE memories ADD COLUMN seal {text};
ALTER TABLE reviews ADD COLUMN seal {text};
ALTER TABLE evidence ADD COLUMN seal {text};
