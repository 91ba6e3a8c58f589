-- What a person had forgotten: words (as a hash), the turns they were said in, and what left with
-- them. One `forget` is one deed, so that `restore` brings back all of it.

CREATE TABLE forgotten (
    deed    {text} NOT NULL,
    kind    {text} NOT NULL, -- words, place, memory, review
    value   {text} NOT NULL,
    project {text} NOT NULL, -- where it holds; empty for everywhere
    until   {text} NOT NULL, -- the same words said later are new
    PRIMARY KEY (deed, kind, value)
);

-- What a person is told once about their home.
CREATE TABLE notices (
    name    {text} PRIMARY KEY,
    told_at {text} NOT NULL
);
