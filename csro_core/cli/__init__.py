"""The command line: the headless twin of the dashboard, over the same store."""
