-- The API token that did it, when no person did.
ALTER TABLE access_event ADD COLUMN token_id TEXT;
