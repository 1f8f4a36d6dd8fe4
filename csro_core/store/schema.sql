-- Version 1 of the store. Columns carry the names of the fields of store/records.py; values that are not a number
-- or a text are JSON. NaN is NULL. This file never changes: later versions are steps in migrations.py.

CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL,
    game_key TEXT NOT NULL,
    status TEXT NOT NULL,
    message TEXT NOT NULL,
    target INTEGER NOT NULL,
    created REAL NOT NULL,
    imported INTEGER NOT NULL DEFAULT 0,
    progress TEXT NOT NULL DEFAULT '{}',
    -- Counters for caches: `changed` grows with every write, `rows_changed` only when results changed.
    changed INTEGER NOT NULL DEFAULT 0,
    rows_changed INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE leases (
    run TEXT PRIMARY KEY REFERENCES runs (id),
    owner TEXT NOT NULL,
    token TEXT NOT NULL,
    heartbeat REAL NOT NULL
);

CREATE TABLE texts (
    hash TEXT PRIMARY KEY,
    source TEXT NOT NULL
);

-- What an inspection said of a text is kept per run: an imported run may lie about it, and the identity of a syntax
-- tree differs between versions of Python.
CREATE TABLE policies (
    run TEXT NOT NULL REFERENCES runs (id),
    hash TEXT NOT NULL REFERENCES texts (hash),
    tree_hash TEXT NOT NULL,
    docstring TEXT NOT NULL,
    lines INTEGER NOT NULL,
    PRIMARY KEY (run, hash)
);
CREATE INDEX policies_by_hash ON policies (hash);

CREATE TABLE members (
    run TEXT NOT NULL,
    player INTEGER NOT NULL,
    "index" INTEGER NOT NULL,
    policy TEXT NOT NULL,
    name TEXT NOT NULL,
    origin TEXT NOT NULL,
    parent TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    PRIMARY KEY (run, player, "index"),
    FOREIGN KEY (run, policy) REFERENCES policies (run, hash)
);

CREATE TABLE cells (
    id INTEGER PRIMARY KEY,
    run TEXT NOT NULL REFERENCES runs (id),
    game TEXT NOT NULL,
    contract INTEGER NOT NULL,
    "row" TEXT NOT NULL,
    "column" TEXT NOT NULL,
    episodes INTEGER NOT NULL,
    "returns" BLOB NOT NULL,   -- [E, 2] float64, little-endian
    forfeits BLOB NOT NULL,    -- [E, 2] one byte each
    failures TEXT NOT NULL,
    row_forfeits INTEGER NOT NULL,
    column_forfeits INTEGER NOT NULL,
    UNIQUE (run, game, contract, "row", "column")
);

-- Apart from the cells, because the whole table of cells is read often and the moves are not.
CREATE TABLE moves (
    cell INTEGER PRIMARY KEY REFERENCES cells (id) ON DELETE CASCADE,
    logs BLOB NOT NULL
);

CREATE TABLE solutions (
    run TEXT NOT NULL REFERENCES runs (id),
    number INTEGER NOT NULL,
    iteration INTEGER NOT NULL,
    cause TEXT NOT NULL,
    sizes TEXT NOT NULL,
    sigma TEXT NOT NULL,
    value REAL,
    nash_conv REAL,
    epsilon REAL,
    note TEXT NOT NULL,
    exploitability REAL,
    exploitability_exact INTEGER NOT NULL,
    extra TEXT NOT NULL,
    PRIMARY KEY (run, number)
);

CREATE TABLE iterations (
    run TEXT NOT NULL REFERENCES runs (id),
    iteration INTEGER NOT NULL,
    player INTEGER NOT NULL,
    solution INTEGER NOT NULL,
    sigma TEXT NOT NULL,
    tau TEXT NOT NULL,
    gain TEXT,
    lift TEXT,
    verdict TEXT NOT NULL,
    message TEXT NOT NULL,
    finalist TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    seconds REAL,
    PRIMARY KEY (run, iteration)
);

CREATE TABLE attempts (
    run TEXT NOT NULL REFERENCES runs (id),
    iteration INTEGER NOT NULL,
    "index" INTEGER NOT NULL,
    policy TEXT NOT NULL,
    operator TEXT NOT NULL,
    idea TEXT NOT NULL,
    parent INTEGER,
    status TEXT NOT NULL,
    message TEXT NOT NULL,
    line INTEGER,
    screen TEXT,
    final TEXT,
    per_opponent TEXT NOT NULL,
    lines INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    PRIMARY KEY (run, iteration, "index")
);

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
    UNIQUE (run, key)
);

CREATE TABLE fingerprints (
    run TEXT NOT NULL REFERENCES runs (id),
    tree_hash TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (run, tree_hash)
);

CREATE TABLE requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL REFERENCES runs (id),
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL,
    result TEXT NOT NULL,
    created REAL NOT NULL
);
CREATE INDEX requests_by_state ON requests (run, state);

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL REFERENCES runs (id),
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    created REAL NOT NULL
);
CREATE INDEX events_by_run ON events (run);

CREATE TABLE drafts (
    run TEXT NOT NULL REFERENCES runs (id),
    policy TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, policy)
);
