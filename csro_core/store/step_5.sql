-- Version 5: what people say of runs, experiments, and matches between policies of different runs. This file never
-- changes.

ALTER TABLE runs ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
-- When it was put into the bin, seconds since the epoch; NULL where it was not.
ALTER TABLE runs ADD COLUMN deleted REAL;

-- What a list of runs sums up; without it the sums would read past every prompt and answer.
CREATE INDEX calls_by_price ON calls (run, usd, status, tokens_in, tokens_out);

CREATE TABLE experiments (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL,
    created REAL NOT NULL,
    -- What a person wants of it: "run" or "pause".
    wanted TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    -- Key of its latest comparison in the table of pictures, '' for none.
    comparison TEXT NOT NULL DEFAULT '',
    -- Who works on it, and when that process was last heard of.
    owner TEXT NOT NULL DEFAULT '',
    heartbeat REAL NOT NULL DEFAULT 0
);

CREATE TABLE experiment_runs (
    experiment TEXT NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    variant TEXT NOT NULL,
    seed INTEGER NOT NULL,
    run TEXT NOT NULL,
    state TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (experiment, variant, seed)
);

-- Matches between policies of different runs, by the hashes of their texts; they belong to no run, and all have the
-- same episodes.
CREATE TABLE crossplay (
    game TEXT NOT NULL,
    contract INTEGER NOT NULL,
    "row" TEXT NOT NULL,
    "column" TEXT NOT NULL,
    episodes INTEGER NOT NULL,
    "returns" BLOB NOT NULL,   -- [E, 2] float64, little-endian
    forfeits BLOB NOT NULL,    -- [E, 2] one byte each
    PRIMARY KEY (game, contract, "row", "column")
);
