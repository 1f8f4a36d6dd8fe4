"""The trust boundary: guard, kernel jail, zygote, worker and host. Imports nothing by itself.

The zygote imports this package before it forks jailed processes, so nothing here may import numpy or other heavy
packages (`tests/sandbox/test_sandbox_imports.py`).
"""
