-- Since when a lease is held, to be told to whoever finds it taken.

ALTER TABLE leases ADD COLUMN taken_at {text} NOT NULL DEFAULT '';
