-- What was made of each session: all of it is made again when the session is learned anew.

CREATE TABLE IF NOT EXISTS corrections (
    row {serial},
    id {text} NOT NULL UNIQUE,
    session {text} NOT NULL,
    agent {text} NOT NULL,
    line {int} NOT NULL,
    at {text} NOT NULL,
    project {text} NOT NULL,
    text {text} NOT NULL,
    span {text} NOT NULL,
    premise {text} NOT NULL,
    premise_line {int},
    context {text} NOT NULL,
    label {text} NOT NULL,
    score {real} NOT NULL,
    durable {text} NOT NULL,
    durable_score {real} NOT NULL,
    type {text} NOT NULL,
    kind {text} NOT NULL,
    lesson {text} NOT NULL,
    standing {int} NOT NULL,
    sure {int} NOT NULL,
    trust {text} NOT NULL,
    tier {text} NOT NULL,
    position {real} NOT NULL,
    density {real} NOT NULL,
    signals {text} NOT NULL
--: postgresql
    , words TSVECTOR GENERATED ALWAYS AS (
        setweight({words:text}, 'A') || setweight({words:lesson}, 'B')
        || setweight({words:premise}, 'C') || setweight({words:context}, 'D')
    ) STORED
--: both
) {strict};
CREATE INDEX IF NOT EXISTS corrections_by_session ON corrections (session, line);
CREATE INDEX IF NOT EXISTS corrections_by_project ON corrections (project, at);
--: sqlite
CREATE VIRTUAL TABLE IF NOT EXISTS corrections_fts USING fts5 (
    text, lesson, premise, context,
    content = 'corrections', content_rowid = 'row', tokenize = 'porter unicode61'
);
CREATE TRIGGER IF NOT EXISTS corrections_added AFTER INSERT ON corrections BEGIN
    INSERT INTO corrections_fts (rowid, text, lesson, premise, context)
    VALUES (new.row, new.text, new.lesson, new.premise, new.context); END;
CREATE TRIGGER IF NOT EXISTS corrections_removed AFTER DELETE ON corrections BEGIN
    INSERT INTO corrections_fts (corrections_fts, rowid, text, lesson, premise, context)
    VALUES ('delete', old.row, old.text, old.lesson, old.premise, old.context); END;
--: postgresql
CREATE INDEX corrections_by_words ON corrections USING GIN (words);
--: both

CREATE TABLE IF NOT EXISTS remarks (
    session {text} NOT NULL,
    line {int} NOT NULL,
    place {int} NOT NULL,
    agent {text} NOT NULL,
    project {text} NOT NULL,
    at {text} NOT NULL,
    text {text} NOT NULL,
    quote {text} NOT NULL,
    lasting {real} NOT NULL,
    standing {int} NOT NULL,
    shared {int} NOT NULL,
    passing {int} NOT NULL,
    kind {text} NOT NULL,
    type {text} NOT NULL,
    trust {text} NOT NULL,
    PRIMARY KEY (session, line, place)
) {strict_keyed};

CREATE TABLE IF NOT EXISTS traces (
    session {text} NOT NULL,
    line {int} NOT NULL,
    place {int} NOT NULL,
    project {text} NOT NULL,
    at {text} NOT NULL,
    what {text} NOT NULL,
    key {text} NOT NULL,
    times {int} NOT NULL,
    failed {int} NOT NULL,
    seconds {real} NOT NULL,
    tokens {int} NOT NULL,
    data {text} NOT NULL,
    PRIMARY KEY (session, place)
) {strict_keyed};
CREATE INDEX IF NOT EXISTS traces_by_what ON traces (what, at, session, place);
CREATE INDEX IF NOT EXISTS traces_by_key ON traces (what, key, session);

CREATE TABLE IF NOT EXISTS diaries (
    session {text} NOT NULL,
    number {int} NOT NULL,
    project {text} NOT NULL,
    path {text} NOT NULL,
    day {text} NOT NULL,
    started {text} NOT NULL,
    title {text} NOT NULL,
    outcome {text} NOT NULL,
    human_turns {int} NOT NULL,
    failures {int} NOT NULL,
    broken {text} NOT NULL,
    data {text} NOT NULL,
    PRIMARY KEY (session, number)
) {strict_keyed};
CREATE INDEX IF NOT EXISTS diaries_by_day ON diaries (day, started);
CREATE INDEX IF NOT EXISTS diaries_by_path ON diaries (project, path);

CREATE TABLE IF NOT EXISTS fixes (
    id {text} PRIMARY KEY,
    session {text} NOT NULL,
    project {text} NOT NULL,
    line {int} NOT NULL,
    fixed_line {int} NOT NULL,
    at {text} NOT NULL,
    kind {text} NOT NULL,
    failed {text} NOT NULL,
    fix {text} NOT NULL,
    signature {text} NOT NULL,
    message {text} NOT NULL,
    trouble {text} NOT NULL,
    tries {int} NOT NULL,
    seconds {real} NOT NULL,
    tokens {int} NOT NULL,
    form {text} NOT NULL,
    lesson {text} NOT NULL
) {strict};
CREATE INDEX IF NOT EXISTS fixes_by_session ON fixes (session, line);
CREATE INDEX IF NOT EXISTS fixes_by_form ON fixes (project, form);

CREATE TABLE IF NOT EXISTS standing_rules (
    session {text} NOT NULL,
    line {int} NOT NULL,
    place {int} NOT NULL,
    at {text} NOT NULL,
    project {text} NOT NULL,
    lesson {text} NOT NULL,
    quote {text} NOT NULL,
    shared {int} NOT NULL,
    trust {text} NOT NULL,
    sure {int} NOT NULL,
    PRIMARY KEY (session, line, place)
) {strict};

CREATE TABLE IF NOT EXISTS unlearned (session {text} PRIMARY KEY, project {text} NOT NULL) {strict};
