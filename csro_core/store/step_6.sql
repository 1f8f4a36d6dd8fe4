-- Version 6: experiments have a bin. This file never changes.

-- When it was put into the bin, seconds since the epoch; NULL where it was not. Its runs stay where they are.
ALTER TABLE experiments ADD COLUMN deleted REAL;
