-- Stores whose names a key gave: the owner's projects are never looked for among them.

CREATE TABLE guest_names (
    store_id {text} NOT NULL PRIMARY KEY REFERENCES stores (id)
);
