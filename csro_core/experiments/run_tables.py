"""Tables of a run as CSV: payoffs, sigma, and its course."""

import csv
import io
from collections.abc import Iterable, Sequence
from math import isfinite

from csro_core.experiments.run_facts import RunFacts


def run_tables(facts: RunFacts) -> dict[str, str]:
    """Returns every table of a run: name of the file without its ending → text of the CSV file."""
    return {"payoffs": _payoffs(facts), "sigma": _sigma(facts), "course": _course(facts)}


def csv_text(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Returns a CSV file; a name that a spreadsheet would take for a formula gets an apostrophe.

    Args:
        heads: of the columns.
        rows: as many values each; None and what is not finite are left empty.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, str):
        return f"'{value}" if value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value
    return "" if value is None or (isinstance(value, float) and not isfinite(value)) else value


def _payoffs(facts: RunFacts) -> str:
    heads = ("row", "column", "payoff_to_row", "stderr", "episodes", "unit")
    table = facts.table
    if table is None:
        return csv_text(heads, [])
    return csv_text(
        heads,
        [
            (
                own.name, other.name, float(table.played[0][row, column]), float(table.played_stderr[0][row, column]),
                int(table.episodes[row, column]), facts.game.unit,
            )
            for row, own in enumerate(facts.population(0))
            for column, other in enumerate(facts.population(1))
            if table.known[row, column]
        ],
    )  # fmt: skip


def _sigma(facts: RunFacts) -> str:
    rows = []
    for player in range(1 if facts.game.symmetric else 2):
        members = facts.population(player)
        for at, weights in zip(facts.solutions, facts.weights(player), strict=True):
            rows += [
                (at, player, m.index, m.name, m.policy.hash, float(w))
                for m, w in zip(members, weights, strict=True)
                if w > 0
            ]
    return csv_text(("iterations_finished", "player", "index", "name", "hash", "weight"), rows)


def _course(facts: RunFacts) -> str:
    by_number = {record.iteration: record for record in facts.iterations}
    rows = []
    for at in sorted({*facts.solutions, *by_number}):
        record, solution, gap = by_number.get(at), facts.solutions.get(at), facts.gaps.get(at)
        gain = record.gain if record else None
        rows.append(
            (
                at, record.player if record else None, gain.mean if gain else None, gain.stderr if gain else None,
                record.verdict if record else "", record.attempts if record else None,
                record.episodes if record else None, record.seconds if record else None, gap.value if gap else None,
                gap.stderr if gap else None, solution.exploitability if solution else None,
            )
        )  # fmt: skip
    heads = (
        "iteration", "player", "gain", "gain_stderr", "verdict", "attempts", "episodes", "seconds",
        "gap_with_hindsight_after", "gap_stderr", "exploitability_after",
    )  # fmt: skip
    return csv_text(heads, rows)
