"""The rows of the benchmark as text: a table for terminals and the tables of the README."""

from collections.abc import Sequence

from csro_core.bench.rows import Row
from csro_core.bench.suite import BARE, ONE_AT_A_TIME, OPENSPIEL

_MATCH_COLUMNS = (BARE, OPENSPIEL, ONE_AT_A_TIME)
_MATCH_UNIT = "µs an act"


def verdict(row: Row) -> str:
    """Returns the target of a row and whether it is met, "" where it has none."""
    if row.target is None or row.met is None:
        return ""
    unit = "×" if row.target_of == "ratio" else f" {row.unit}"
    return f"≤ {row.target:g}{unit}: {'met' if row.met else 'NOT met'}"


def cells(row: Row) -> list[str]:
    """Returns a row in seven words: name, ours, against, baseline, ratio, from – to, target."""
    return [
        row.name,
        _figure(row.ours, row.unit),
        row.against,
        _figure(row.baseline, row.unit),
        "n/a" if row.ratio is None else f"{_short(row.ratio)}×",
        "" if row.low is None or row.high is None or row.low == row.high else f"{_short(row.low)} – {_short(row.high)}",
        verdict(row),
    ]


HEADERS = ("what", "ours", "against", "that", "ratio", "lowest – highest", "target")


def markdown(rows: Sequence[Row], caption: str) -> str:
    """Returns the tables of the README.

    Args:
        rows: all rows of a benchmark.
        caption: one line about the machine.
    """
    matches = [row for row in rows if _is_match(row)]
    names = list(dict.fromkeys(row.name for row in matches))
    lines = [caption, "", "| ours against | " + " | ".join(_MATCH_COLUMNS) + " | µs an act: ours, bare loop |"]
    lines.append("|---" * (len(_MATCH_COLUMNS) + 2) + "|")
    for name in names:
        found = {row.against: row for row in matches if row.name == name}
        ratios = [_ratio_cell(found.get(column)) for column in _MATCH_COLUMNS]
        bare = found[BARE]
        lines.append(f"| {name} | {' | '.join(ratios)} | {_short(bare.ours)}, {_short(bare.baseline)} |")
    lines += ["", "| " + " | ".join(HEADERS) + " |", "|---" * len(HEADERS) + "|"]
    lines += [f"| {' | '.join(cells(row))} |" for row in rows if not _is_match(row)]
    return "\n".join(lines)


def _is_match(row: Row) -> bool:
    return row.unit == _MATCH_UNIT and not row.name.startswith("lockstep")


def _ratio_cell(row: Row | None) -> str:
    if row is None or row.ratio is None:
        return "n/a"
    text = f"{_short(row.ratio)}× ({_short(row.low)} – {_short(row.high)})"
    return f"**{text}**, {verdict(row)}" if row.target is not None else text


def _figure(value: float | None, unit: str) -> str:
    return "n/a" if value is None else f"{_short(value)} {unit}"


def _short(value: float | None) -> str:
    """Returns a figure with as many digits as mean something."""
    if value is None:
        return "n/a"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
