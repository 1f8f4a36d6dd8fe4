"""The table of a comparison as text: Markdown for people, LaTeX for papers, CSV for programs."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from csro_core.experiments.document import COSTS, MEASURES, Comparison, Difference, MeasureName, Summary
from csro_core.experiments.numbers import decimals

CSV_COLUMNS = (
    "variant", "measure", "better", "mean", "half_width_95", "seeds", "baseline", "difference",
    "difference_half_width_95", "pairs", "seeds_ahead", "verdict",
)  # fmt: skip
RUN_COLUMNS = (
    "variant", "seed", "run", "iterations", "calls", "episodes", "usd", "gap", "gap_stderr", "exploitability",
    "agg_score", "pop_return", "pop_expl",
)  # fmt: skip

_LATEX: Mapping[str, str] = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "·": r"$\cdot$", "±": r"$\pm$", "−": "$-$",
}  # fmt: skip
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def csv_table(comparison: Comparison) -> str:
    """Returns a line a variant and measure: mean and paired difference to the baseline, with 95 % half widths."""
    apart = {(one.variant, one.measure): one for one in comparison.differences}
    lines = []
    for one in comparison.summaries:
        other = apart.get((one.variant, one.measure))
        against = ("", "", "", "", "", "") if other is None else (
            comparison.baseline, other.mean, other.half_width, other.seeds, other.ahead, other.verdict
        )  # fmt: skip
        better = MEASURES[one.measure].better
        lines.append((one.variant, one.measure, better, one.mean, one.half_width, one.seeds, *against))
    return _csv(CSV_COLUMNS, lines)


def csv_runs(comparison: Comparison) -> str:
    """Returns a line a run: what it had cost and come to when it was compared."""
    lines = []
    for course in comparison.courses:
        point = course.points[course.final]
        lines.append((
            course.variant, course.seed, course.run, point.iteration, point.calls, point.episodes, point.usd, point.gap,
            point.gap_stderr, point.exploitability, point.agg_score, point.pop_return, point.pop_expl,
        ))  # fmt: skip
    return _csv(RUN_COLUMNS, lines)


def _csv(columns: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[_safe(value) for value in line] for line in lines])
    return text.getvalue()


def _safe(value: object) -> object:
    # A name that begins like a formula would be one in a spreadsheet.
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value


def markdown_table(comparison: Comparison) -> str:
    """Returns the table in Markdown, with what it says below."""
    heads, rows = _cells(comparison)
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    table = "\n".join(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines)
    return f"{table}\n\n{_caption(comparison)}\n"


def _escaped(text: str) -> str:
    found = " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")
    return found.replace("<", "&lt;").replace("`", "\\`").replace("[", "\\[")


def latex_table(comparison: Comparison) -> str:
    """Returns the table for LaTeX, in the style of the package booktabs."""
    heads, rows = _cells(comparison)
    lines = [
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        r"\toprule",
        " & ".join(_tex(cell) for cell in heads) + r" \\",
        r"\midrule",
        *(" & ".join(_tex(cell) for cell in row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(f"% {line}" for line in _caption(comparison).splitlines()),
    ]
    return "\n".join(lines) + "\n"


def _tex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in " ".join(text.split()))


def _caption(comparison: Comparison) -> str:
    level = f"at equal {COSTS[comparison.cost]}, {comparison.budget:g} a run" if comparison.budget is not None else (
        "with all that each run has used"
    )
    human = " Without human edits." if comparison.without_human else ""
    return (
        f"{comparison.title}, in {comparison.unit}; {level}. ± is a 95 % interval over seeds (Student's t); "
        f"differences are variant minus {comparison.baseline}, paired by seed. Mixtures by {comparison.eval_solver}."
        f"{human}"
    )


def _cells(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Returns headers and rows: variant, seeds, cost, then each measure and its difference to the baseline."""
    measures = [name for name in MEASURES if any(one.measure == name for one in comparison.summaries)]
    told = {(one.variant, one.measure): one for one in comparison.summaries}
    apart = {(one.variant, one.measure): one for one in comparison.differences}
    heads = ["variant", "seeds", "iterations", "calls", "episodes"]
    for measure in measures:
        heads.append(MEASURES[measure].title)
        if measure != "versus":
            heads.append("difference")
    rows = []
    for variant in comparison.variants:
        row = [variant.name, str(len(set(variant.seeds)))]
        finals = [one.points[one.final] for one in comparison.courses if one.variant == variant.name]
        row += [f"{median(getattr(point, cost) for point in finals):g}" for cost in ("iteration", "calls", "episodes")]
        for measure in measures:
            row += _measured(measure, told.get((variant.name, measure)), apart.get((variant.name, measure)))
        rows.append(row)
    return heads, rows


def _measured(measure: MeasureName, one: Summary | None, other: Difference | None) -> list[str]:
    own = "–" if one is None else within(one.mean, one.half_width)
    against = "–" if other is None else within(other.mean, other.half_width, signed=True)
    if measure == "versus":
        return [against]
    return [own, against]


def within(mean: float, half_width: float | None, signed: bool = False) -> str:
    """Returns a mean with its interval, with as many digits as the interval leaves it.

    Args:
        mean: of seeds.
        half_width: half of the interval, None where there is none.
        signed: True: with a sign, of a difference.
    """
    sign = "+" if signed else ""
    if half_width is None or half_width <= 0:
        return f"{mean:{sign}.3g}"
    digits = decimals(half_width)
    return f"{mean:{sign}.{digits}f} ± {half_width:.{digits}f}"


TABLES: Mapping[str, Callable[[Comparison], str]] = {
    "comparison.csv": csv_table,
    "runs.csv": csv_runs,
    "comparison.md": markdown_table,
    "comparison.tex": latex_table,
}
"""File name → what is written to it."""
