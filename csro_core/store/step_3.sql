-- Version 3: what an iteration cost in episodes, so that runs can be compared at equal cost. The table of
-- fingerprints was never filled. This file never changes.

ALTER TABLE iterations ADD COLUMN episodes INTEGER;
DROP TABLE fingerprints;
