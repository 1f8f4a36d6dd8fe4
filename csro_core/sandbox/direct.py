"""The start of a jailed process that no zygote forks: it imports everything itself, then shuts itself in."""

import os
import sys
import warnings
from typing import NoReturn

from csro_core.sandbox import worker
from csro_core.sandbox.namespace_modules import library

if sys.platform == "win32":
    import msvcrt

NICENESS = 5
RECURSION_LIMIT = 1_000


def load_everything() -> None:
    """Imports what a policy or the check of its text may need; afterwards no file can be opened."""
    # The parser imports this one for names that are not ASCII.
    __import__("unicodedata")
    library()
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(RECURSION_LIMIT)


def main(memory_bytes: int, cpu_seconds: int, kernel_jail: int) -> NoReturn:
    """Serves on standard input and output until the host is gone or kills it."""
    load_everything()
    if sys.platform == "win32":
        msvcrt.setmode(worker.FD_IN, os.O_BINARY)
        msvcrt.setmode(worker.FD_OUT, os.O_BINARY)
    else:
        os.nice(NICENESS)
    os.close(2)
    worker.run(memory_bytes, cpu_seconds, bool(kernel_jail))
