"""The policies of the benchmark. Both sides play these files: bare loops import the class, jailed matches get the text.

They are written in the contract of a policy. `WORK` is a number of turns of a busy loop, set by the calibration.
Those for rock-paper-scissors import `random` and never come to use it: their play can be compared throw by throw, but
the referee cannot know this, and plays every episode instead of recognising a deterministic pair.
"""
