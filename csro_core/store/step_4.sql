-- Version 4: pictures of meta-games, computed on demand. A cache: no run refers to it, and it may be emptied at any time.
-- This file never changes.

CREATE TABLE pictures (
    -- SHA-256 of the game's content, the kind and the params.
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    params TEXT NOT NULL,
    -- What it is computed from, JSON; emptied when nobody needs it any more.
    game TEXT NOT NULL,
    state TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0,
    total INTEGER NOT NULL DEFAULT 0,
    document TEXT NOT NULL DEFAULT '',
    message TEXT NOT NULL DEFAULT '',
    -- Who computes it, and when it was last heard of; a worker whose token is not here any more has lost the picture.
    worker TEXT NOT NULL DEFAULT '',
    heartbeat REAL NOT NULL DEFAULT 0,
    created REAL NOT NULL,
    -- Characters of game and document, so that the sum over all rows reads no text.
    size INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX pictures_by_age ON pictures (created);
