-- Version 7: what a run's dice come from cannot be computed any more. This file never changes.

-- The run's secret, hex: stretched from its seed once, by the process that works on it. '' where nobody has yet, or where
-- it follows from the seed alone (runs of before). It is never exported.
ALTER TABLE runs ADD COLUMN secret TEXT NOT NULL DEFAULT '';

-- Their dice came from a constant.
DELETE FROM crossplay;

-- A seed is a text: a number of up to 128 bits, or letters.
CREATE TABLE experiment_runs_7 (
    experiment TEXT NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    variant TEXT NOT NULL,
    seed TEXT NOT NULL,
    run TEXT NOT NULL,
    state TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (experiment, variant, seed)
);
INSERT INTO experiment_runs_7 (experiment, variant, seed, run, state, message)
    SELECT experiment, variant, CAST(seed AS TEXT), run, state, message FROM experiment_runs ORDER BY rowid;
DROP TABLE experiment_runs;
ALTER TABLE experiment_runs_7 RENAME TO experiment_runs;
