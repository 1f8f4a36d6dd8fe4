"""Published scores, each with its source: rows of the papers' tables, and the 43 bots one by one.

The files and where they come from: `csro_core/evaluation/data/README.md`.
"""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_FOLDER = "csro_core.evaluation"
_SECONDARY = "secondary"
_BOTS_SOURCE = "OpenSpiel, paper_data/pbe_rrps (1,000 matches a pair), with arXiv 2303.03196"


@dataclass(frozen=True)
class PublishedRow:
    """What somebody else has reported for an evaluation population.

    Attributes:
        benchmark: "rrps" or "leduc".
        method: what was scored.
        pop_return: mean return.
        pop_expl: largest mean loss.
        agg_score: the difference; where the source rounds, not always the exact one.
        source: where the numbers stand.
        secondary: True where they were read in a summary of the paper, not in the paper.
    """

    benchmark: str
    method: str
    pop_return: float
    pop_expl: float
    agg_score: float
    source: str
    secondary: bool


@dataclass(frozen=True)
class CrossTable:
    """The published table of the 43 bots.

    Attributes:
        bots: `[B]` names, of rows and of columns.
        means: `[B][B]` mean return of the row's bot against the column's.
    """

    bots: tuple[str, ...]
    means: tuple[tuple[float, ...], ...]


@cache
def published_rows(benchmark: str) -> tuple[PublishedRow, ...]:
    """Returns the rows of the papers for a benchmark ("rrps" or "leduc"), in the order of the file; may be empty."""
    rows = []
    for row in _records("csro_tables.csv"):
        name = row["game"].replace("repeated_rps", "rrps").replace("repeated_leduc", "leduc")
        if name == benchmark:
            pop_return, pop_expl, agg_score = (float(row[key]) for key in ("pop_return", "pop_expl", "agg_score"))
            source = row["source"]
            rows.append(
                PublishedRow(name, row["method"], pop_return, pop_expl, agg_score, source, _SECONDARY in source)
            )
    return tuple(rows)


@cache
def published_bots() -> tuple[PublishedRow, ...]:
    """Returns the published scores of the 43 bots against all 43, the best AggScore first."""
    return tuple(
        PublishedRow(
            "rrps", row["bot"], float(row["pop_return"]), float(row["within_pop_expl"]), float(row["agg_score"]),
            _BOTS_SOURCE, False,
        )
        for row in _records("rrps_bots_published.csv")
    )  # fmt: skip


@cache
def published_cross_table() -> CrossTable:
    """Returns the published 43 x 43 table, as it stands: each cell is an estimate of its own."""
    header, *rows = csv.reader(_text("rrps_cross_table_published.csv").splitlines())
    return CrossTable(tuple(header[1:]), tuple(tuple(float(value) for value in row[1:]) for row in rows))


def _records(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(_text(name).splitlines()))


def _text(name: str) -> str:
    return files(_FOLDER).joinpath("data", name).read_text(encoding="utf-8")
