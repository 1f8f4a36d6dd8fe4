-- Version 2: what the pages and the budget need to know of a call. A call that was lost or failed keeps its row when
-- the same thing is asked again, so a key is no longer unique in a run. Attempts name a second parent and an island.
-- This file never changes.

ALTER TABLE attempts ADD COLUMN mate INTEGER;
ALTER TABLE attempts ADD COLUMN island INTEGER;

ALTER TABLE calls RENAME TO calls_1;

CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    run TEXT NOT NULL REFERENCES runs (id),
    key TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    model TEXT NOT NULL,
    status TEXT NOT NULL,
    prompt TEXT NOT NULL,
    answer TEXT NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    usd REAL,
    seconds REAL,
    tokens_cached INTEGER NOT NULL DEFAULT 0,
    tokens_thinking INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '',
    message TEXT NOT NULL DEFAULT '',
    identity TEXT NOT NULL DEFAULT '',
    request_key TEXT NOT NULL DEFAULT '',
    task TEXT NOT NULL DEFAULT '',
    cached INTEGER NOT NULL DEFAULT 0,
    reused INTEGER NOT NULL DEFAULT 0
);

INSERT INTO calls (id, run, key, iteration, attempt, model, status, prompt, answer, tokens_in, tokens_out, usd, seconds,
    message)
SELECT id, run, key, iteration, attempt, model, status, prompt, CASE status WHEN 'failed' THEN '' ELSE answer END,
    tokens_in, tokens_out, usd, seconds, CASE status WHEN 'failed' THEN answer ELSE '' END
FROM calls_1;

DROP TABLE calls_1;

CREATE INDEX calls_by_key ON calls (run, key);
CREATE INDEX calls_by_request ON calls (run, request_key);
