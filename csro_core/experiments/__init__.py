"""Experiments: variants of the loop over seeds at equal cost, and what the comparison of their runs says."""
