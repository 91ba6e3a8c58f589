-- Dreams: one lease per store, what each run did, and what it proposed.

CREATE TABLE leases (
    name       {text} PRIMARY KEY,
    holder     {text} NOT NULL, -- empty when free
    token      {int} NOT NULL,  -- grows with every holder: who has an older one is too late
    expires_at {text} NOT NULL
);

CREATE TABLE dreams (
    id          {text} PRIMARY KEY,
    scope       {text} NOT NULL,
    status      {text} NOT NULL, -- running, done, nothing
    token       {int} NOT NULL,
    inputs      {text} NOT NULL, -- hash of all that was read
    asked       {text} NOT NULL,
    steps       {text} NOT NULL,
    proposal    {text},
    started_at  {text} NOT NULL,
    finished_at {text}
);
CREATE INDEX dreams_by_time ON dreams (started_at, id);

CREATE TABLE proposals (
    id         {text} PRIMARY KEY,
    dream      {text} NOT NULL,
    created_at {text} NOT NULL
);

CREATE TABLE proposal_changes (
    proposal    {text} NOT NULL REFERENCES proposals (id),
    id          {text} NOT NULL,
    place       {int} NOT NULL,
    status      {text} NOT NULL, -- pending, accepted, edited, rejected, undone, replaced
    pattern     {text} NOT NULL,
    title       {text} NOT NULL,
    sessions    {int} NOT NULL,
    change      {text} NOT NULL,
    note        {text} NOT NULL,
    applied     {text} NOT NULL, -- what undoing needs
    decided_at  {text},
    PRIMARY KEY (proposal, id)
);
CREATE INDEX proposal_changes_by_status ON proposal_changes (status, proposal, place);
