"""The report of `reproduce`: rows of scores as CSV, and as Markdown beside the numbers of the papers."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import nan, sqrt
from statistics import fmean, stdev
from typing import Any

from scipy.stats import t as student

from csro_core.evaluation.benchmark import INFORMED_NOTE, Benchmark
from csro_core.evaluation.published import published_bots, published_rows
from csro_core.seeds import Seed


@dataclass(frozen=True)
class Row:
    """How the outcome of one run does.

    Attributes:
        oracle: of the run; of a fixed policy "".
        model: of the run.
        preset: "psro" or "robust".
        seed: of the run and of the episodes.
        entrant: "mixture" or "champion"; or the name of a fixed policy.
        run: id of the run.
        iterations: of the run.
        episodes: against each opponent.
        pop_return: as in `benchmark_scores`, with its standard error over episodes beside it; so are the others.
        pop_expl: the nemesis chosen and valued on the same episodes, as the papers do.
        pop_expl_split: the nemesis chosen on one half of the episodes and valued on the other.
        nemesis: the opponent of `pop_expl`.
        left_out: share of the policies that were too rare to be played.
        failures: matches that the policies forfeited.
        seconds: median wall time of an iteration.
    """

    oracle: str
    model: str
    preset: str
    seed: Seed
    entrant: str
    run: str
    iterations: int
    episodes: int
    pop_return: float
    pop_return_stderr: float
    pop_expl: float
    pop_expl_stderr: float
    pop_expl_split: float
    agg_score: float
    agg_score_stderr: float
    agg_score_split: float
    nemesis: str
    left_out: float
    failures: int
    seconds: float


@dataclass(frozen=True)
class Summary:
    """The mean of some rows over seeds, with the half width of its 95 % interval (Student's t; NaN for one seed)."""

    oracle: str
    model: str
    preset: str
    entrant: str
    seeds: int
    pop_return: float
    pop_return_half_width: float
    pop_expl: float
    pop_expl_half_width: float
    agg_score: float
    agg_score_half_width: float
    agg_score_split: float
    agg_score_min: float


COLUMNS = tuple(field.name for field in fields(Row))
_NUMBERS: Mapping[str, Callable[[str], Any]] = {"seed": Seed, "iterations": int, "episodes": int, "failures": int} | {
    field.name: float for field in fields(Row) if field.type is float
}


def rows_to_csv(rows: Sequence[Row], note: str) -> str:
    """Returns rows as CSV; the column `note` says what has to stand beside each row of the synthesiser."""
    text = io.StringIO()
    writer = csv.DictWriter(text, (*COLUMNS, "note"), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({**asdict(row), "note": note if is_informed(row) else ""})
    return text.getvalue()


def rows_from_csv(text: str) -> list[Row]:
    """Returns the rows that `rows_to_csv` wrote.

    Raises:
        ValueError: they are not from there.
    """
    reader = csv.DictReader(io.StringIO(text))
    if tuple(reader.fieldnames or ()) != (*COLUMNS, "note"):
        raise ValueError(f"the columns must be {', '.join(COLUMNS)}, note; got {reader.fieldnames}")
    return [_row(record) for record in reader]


def _row(record: Mapping[str, str]) -> Row:
    values: dict[str, Any] = {name: _NUMBERS.get(name, str)(record[name]) for name in COLUMNS}
    return Row(**values)


def is_informed(row: Row) -> bool:
    """Returns whether the policies of a row come from the synthesiser."""
    return row.model.partition(":")[0] == "synthesiser"


def summaries(rows: Sequence[Row]) -> list[Summary]:
    """Returns the means over seeds, in the order in which the rows come."""
    groups: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.oracle, row.model, row.preset, row.entrant), []).append(row)
    found = []
    for (oracle, model, preset, entrant), members in groups.items():
        pop_return, pop_return_half = _interval([row.pop_return for row in members])
        pop_expl, pop_expl_half = _interval([row.pop_expl for row in members])
        agg_score, agg_score_half = _interval([row.agg_score for row in members])
        found.append(
            Summary(
                oracle, model, preset, entrant, len(members), pop_return, pop_return_half, pop_expl, pop_expl_half,
                agg_score, agg_score_half, fmean(row.agg_score_split for row in members),
                min(row.agg_score for row in members),
            )
        )  # fmt: skip
    return found


def report(benchmark: Benchmark, rows: Sequence[Row], settings: Sequence[tuple[str, str]], missing: int) -> str:
    """Returns the report as Markdown.

    Args:
        benchmark: what was scored by.
        rows: the scores.
        settings: names and values of everything that decides the rows, and versions.
        missing: runs that are still to come.
    """
    lines = [f"# {benchmark.title}: what this program reaches, beside the published numbers", ""]
    if missing:
        lines += [f"**Unfinished: {missing} runs are still to come; the same command goes on.**", ""]
    lines += [
        f"In {benchmark.unit}. PopReturn: mean return against the population; PopExpl: largest mean loss to one of it; "
        "AggScore: their difference. ± is a 95 % interval over seeds (Student's t), where there are two or more. "
        "PopExpl is a maximum of noisy means and so a little too large; in the last column the nemesis is chosen on "
        "one half of the episodes and valued on the other.",
        "",
        *_table(
            ("oracle", "model", "preset", "entrant", "seeds", "PopReturn", "PopExpl", "AggScore", "AggScore (halves)"),
            [_summary_cells(one) for one in summaries(rows)],
        ),
        "",
        *([f"¹ {INFORMED_NOTE}", ""] if any(is_informed(row) for row in rows) else []),
        "## Published",
        "",
        *_table(("method", "PopReturn", "PopExpl", "AggScore", "source"), _published_cells(benchmark.name)),
        "",
        "A source that says \"secondary\" is a summary of the paper, not the paper.",
        "",
        "## Every run",
        "",
        *_table(
            ("oracle", "preset", "seed", "entrant", "PopReturn", "PopExpl", "nemesis", "AggScore", "run", "s/step"),
            [_row_cells(row) for row in rows],
        ),
        "",
        "Here ± is a 95 % interval over episodes; s/step is the median wall time of an iteration.",
        "",
        "## Settings and versions",
        "",
        *_table(("what", "value"), settings),
        "",
    ]  # fmt: skip
    return "\n".join(lines)


def _interval(values: Sequence[float]) -> tuple[float, float]:
    if len(values) < 2:
        return values[0], nan
    return fmean(values), float(student.ppf(0.975, len(values) - 1)) * stdev(values) / sqrt(len(values))


def _summary_cells(one: Summary) -> tuple[str, ...]:
    mark = "¹" if one.model.partition(":")[0] == "synthesiser" else ""
    return (
        one.oracle or "-", (one.model or "-") + mark, one.preset or "-", one.entrant, str(one.seeds),
        _within(one.pop_return, one.pop_return_half_width), _within(one.pop_expl, one.pop_expl_half_width),
        _within(one.agg_score, one.agg_score_half_width), f"{one.agg_score_split:.1f}",
    )  # fmt: skip


def _row_cells(row: Row) -> tuple[str, ...]:
    return (
        row.oracle or "-", row.preset or "-", str(row.seed), row.entrant,
        _within(row.pop_return, 1.96 * row.pop_return_stderr), _within(row.pop_expl, 1.96 * row.pop_expl_stderr),
        row.nemesis, _within(row.agg_score, 1.96 * row.agg_score_stderr), row.run or "-", f"{row.seconds:.1f}",
    )  # fmt: skip


def _published_cells(benchmark: str) -> list[tuple[str, ...]]:
    rows = [*published_rows(benchmark)]
    if benchmark == "rrps":
        named = {row.method for row in rows}
        rows += [row for row in published_bots()[:5] if row.method not in named]
    return [
        (row.method, f"{row.pop_return:.1f}", f"{row.pop_expl:.1f}", f"{row.agg_score:.1f}", row.source)
        for row in sorted(rows, key=lambda row: -row.agg_score)
    ]


def _within(mean: float, half_width: float) -> str:
    return f"{mean:.1f}" if half_width != half_width else f"{mean:.1f} ± {half_width:.1f}"


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [list(headers), ["---"] * len(headers), *([_cell(value) for value in row] for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def _cell(value: str) -> str:
    return " ".join(value.replace("|", "\\|").split())
