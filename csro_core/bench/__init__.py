"""The benchmark: what protection costs, as ratios against unprotected loops that ran in the same minute."""
