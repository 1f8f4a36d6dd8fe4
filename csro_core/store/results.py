"""What came of every run at last, for lists: one query for all of them."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from csro_core.estimates import Estimate
from csro_core.store.codec import from_json
from csro_core.store.connection import Connections


@dataclass(frozen=True)
class LastResult:
    """What a run came to.

    Attributes:
        gain: of the last iteration, None where it had no finalist.
        exploitability: of the last sigma in the game itself, None where it was not computed.
    """

    gain: Estimate | None = None
    exploitability: float | None = None


# SQLite takes the other columns from the row of the largest: https://www.sqlite.org/lang_select.html#bareagg
_GAINS = "SELECT run, gain, MAX(iteration) FROM iterations GROUP BY run"
_SOLUTIONS = "SELECT run, exploitability, MAX(number) FROM solutions GROUP BY run"


def last_results(connections: Connections) -> Mapping[str, LastResult]:
    """Returns run → what it came to, for all runs that have solved anything.

    Raises:
        StoreError: the file cannot be read.
    """
    with connections.reading() as connection:
        gains = {row["run"]: row["gain"] for row in connection.execute(_GAINS)}
        solved = {row["run"]: row["exploitability"] for row in connection.execute(_SOLUTIONS)}
    return {
        run: LastResult(_estimate(gains.get(run)), float(value) if isinstance(value, int | float) else None)
        for run, value in solved.items()
    }


def _estimate(text: str | None) -> Estimate | None:
    """Returns an estimate; None where there is none, or none that can be read: the run itself says what is wrong."""
    try:
        return None if text is None else from_json(Estimate, orjson.loads(text))
    except (ValueError, TypeError):
        return None
