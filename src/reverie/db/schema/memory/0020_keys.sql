-- Keys of the HTTP server. Only the hash of a key is kept; the stores of a key are attachments.

CREATE TABLE api_keys (
    id           {text} NOT NULL PRIMARY KEY,
    name         {text} NOT NULL,
    hash         {text} NOT NULL,
    scopes       {text} NOT NULL,
    all_stores   {int} NOT NULL,
    human        {int} NOT NULL,
    created_at   {text} NOT NULL,
    expires_at   {text},
    revoked_at   {text},
    last_used_at {text}
);
