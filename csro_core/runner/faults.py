"""Exceptions that nobody expected, in words for the record of a run."""

import traceback
from pathlib import Path

from csro_core.errors import CsroError


class UnexpectedError(CsroError):
    """Something went wrong that nobody had thought of: a fault of the program, not of a user or a policy."""

    def __init__(self, error: Exception) -> None:
        """Says what happened and where; the file by its name alone, since runs are exported.

        Args:
            error: what was raised, with its traceback.
        """
        frames = traceback.extract_tb(error.__traceback__)
        place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
        words = " ".join(str(error).split())[:500] or "no message"
        super().__init__(f"a fault of the program, not of a policy: {type(error).__name__}{place}: {words}")
