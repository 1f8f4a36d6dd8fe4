"""The rows of the Benchmark page: what others have published, and what was measured of the run shown."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from app.panels.assessment import counted, numbered, target_of
from app.snapshot import ORIGINS, Snapshot
from csro_core.estimates import Estimate
from csro_core.evaluation.benchmark import INFORMED_NOTE, TUNED_NOTE, Benchmark, benchmark_for
from csro_core.evaluation.forfeits import ToldForfeits, told
from csro_core.evaluation.published import PublishedRow, published_bots, published_rows
from csro_core.store.records import RequestRecord

MARK = "†"
"""Stands beside every score of the synthesiser; the footnote says what it means."""

FOOTNOTE = INFORMED_NOTE
_TUNED = "tuned on the benchmark"
_UNKNOWN = float("nan")


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes:
        name: of what was scored.
        what: what it is, in a few words.
        pop_return: mean return over the opponents; the error is NaN where nobody has told.
        pop_expl: the largest mean loss.
        agg_score: the difference.
        nemesis: the opponent that wins most, "" where nobody has told.
        source: where the numbers stand.
        secondary: True where they were read in a summary of the paper.
        own: True for what was measured here.
        note: what has to stand beside it, "" for nothing.
        key: what the address calls it, "" for published rows.
        per_opponent: (opponent, what it got), empty for published rows.
        episodes: against each opponent, 0 where nobody has told.
        remarks: what else there is to say.
        forfeits: episodes that were forfeited, by whom and why; None where nobody has told.
    """

    name: str
    what: str
    pop_return: Estimate
    pop_expl: Estimate
    agg_score: Estimate
    nemesis: str = ""
    source: str = ""
    secondary: bool = False
    own: bool = False
    note: str = ""
    key: str = ""
    per_opponent: tuple[tuple[str, Estimate], ...] = ()
    episodes: int = 0
    remarks: tuple[str, ...] = ()
    forfeits: ToldForfeits | None = None

    @property
    def informed(self) -> bool:
        """True for what the synthesiser wrote."""
        return INFORMED_NOTE in self.note


def benchmark_of(snapshot: Snapshot) -> Benchmark | None:
    """Returns the benchmark of the run's game; None where it has none."""
    return benchmark_for(snapshot.game)


def published(benchmark: str, bots: bool) -> list[Row]:
    """Returns the rows of others, the best first.

    Args:
        benchmark: its name.
        bots: True: all bots of the population, too.
    """
    rows = [_published(row, "published") for row in published_rows(benchmark)]
    if bots and benchmark == "rrps":
        known = {row.name for row in rows}
        rows += [_published(row, "bot of the population") for row in published_bots() if row.method not in known]
    return by_score(rows)


def _published(row: PublishedRow, what: str) -> Row:
    return Row(
        row.method, what, _told(row.pop_return), _told(row.pop_expl), _told(row.agg_score), source=row.source,
        secondary=row.secondary,
    )  # fmt: skip


def _told(value: float) -> Estimate:
    return Estimate(value, _UNKNOWN, 0)


def measured(snapshot: Snapshot, benchmark: str, answered: Sequence[RequestRecord]) -> list[Row]:
    """Returns what was measured of the run, the latest first; of equal targets the latest.

    Args:
        snapshot: the run.
        benchmark: its benchmark's name.
        answered: requests with their answers, newest first.
    """
    rows: dict[str, Row] = {}
    for record in answered:
        row = _measured(snapshot, record) if record.payload.get("benchmark") == benchmark else None
        if row is not None:
            rows.setdefault(row.key, row)
    return list(rows.values())


def _measured(snapshot: Snapshot, record: RequestRecord) -> Row | None:
    """Returns the row of an answer; None where it has not the form of one."""
    result, target = record.result, target_of(record)
    lines = result.get("per_opponent")
    if not isinstance(lines, list) or not lines or not all(isinstance(line, dict) for line in lines):
        return None
    episodes = counted(result.get("episodes"))
    said = str(result.get("note") or "")
    note = " ".join(known for known in (INFORMED_NOTE, TUNED_NOTE) if known in said)
    digits = str(result.get("hash") or "")
    name, what = _titles(snapshot, target, digits, note, result.get("iteration"))
    key = f"{target}:{digits[:12]}" if target == "champion" else target
    if target == "mixture":
        key = f"mixture:{result.get('iteration')}"
    return Row(
        name, what, *(estimate_of(result, field) for field in ("pop_return", "pop_expl", "agg_score")),
        nemesis=str(result.get("nemesis") or ""), source="measured here", own=True, note=note, key=key,
        per_opponent=tuple(
            (str(line.get("opponent")), Estimate(numbered(line.get("mean")), numbered(line.get("stderr")), episodes))
            for line in lines
        ),
        episodes=episodes, remarks=_remarks(result), forfeits=told(result),
    )  # fmt: skip


def estimate_of(result: Mapping[str, Any], field: str, episodes: int = 0) -> Estimate:
    """Returns a score of an answer, NaN where it is not a number; `episodes` is its count, 0 where nobody tells it."""
    return Estimate(numbered(result.get(field)), numbered(result.get(f"{field}_stderr")), episodes)


def _titles(snapshot: Snapshot, target: str, digits: str, note: str, iteration: object) -> tuple[str, str]:
    """Returns what a row is called, and what it is."""
    informed = INFORMED_NOTE in note
    if target == "mixture":
        tuned = f", in part {_TUNED}" if TUNED_NOTE in note else ""
        return f"mixture after iteration {iteration}", f"mixture{_author(snapshot, informed)}{tuned}"
    member = snapshot.find(digits)
    name = member.name if member else f"text {digits[:8]}"
    if member is None:
        what = "text of this run that joined no population"
    elif member.origin == "oracle":
        what = f"policy{_author(snapshot, informed)}"
    elif member.origin == "human":
        what = f"{ORIGINS['human']}{f' of the synthesiser {MARK}' if informed else ', hand-written'}"
    else:
        what = ORIGINS[member.origin]
    if TUNED_NOTE in note:
        what += f", {_TUNED}"
    return f"champion: {name}" if target == "champion" else name, what


def _author(snapshot: Snapshot, informed: bool) -> str:
    if informed:
        return f", by the synthesiser {MARK}"
    model = snapshot.run.settings.model
    return "" if model.partition(":")[0] == "synthesiser" else f", by {model}"


def _remarks(result: Mapping[str, Any]) -> tuple[str, ...]:
    found = []
    left_out = numbered(result.get("left_out") or 0)
    if left_out > 0:
        found.append(f"policies below 1 % of sigma, {100 * left_out:.1f} % in all, are left out")
    failures = result.get("failures")
    for failure in failures if isinstance(failures, list) else []:
        if not isinstance(failure, dict):
            continue
        place = f"line {failure['line']}: " if failure.get("line") else ""
        found.append(f"forfeited: {failure.get('status', 'failed')}: {place}{failure.get('message', '')}")
    return tuple(found)


def by_score(rows: Sequence[Row]) -> list[Row]:
    """Returns rows, the largest AggScore first."""
    return sorted(rows, key=lambda row: -row.agg_score.mean)


def table_csv(rows: Sequence[Row], unit: str) -> str:
    """Returns the table as CSV, with the footnote in every row that it belongs to."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([
        "name", "what", "pop_return", "pop_return_stderr", "pop_expl", "pop_expl_stderr", "agg_score",
        "agg_score_stderr", "nemesis", "episodes", "unit", "source", "secondary_source", "note", "forfeited",
    ])  # fmt: skip
    for row in rows:
        scores = (row.pop_return, row.pop_expl, row.agg_score)
        numbers = [part for score in scores for part in (score.mean, _blank(score.stderr))]
        writer.writerow([
            cell(row.name), cell(row.what), *numbers, cell(row.nemesis), row.episodes or "", unit, cell(row.source),
            "yes" if row.secondary else "", row.note, "" if row.forfeits is None else row.forfeits.forfeited,
        ])  # fmt: skip
    return text.getvalue()


def opponents_csv(row: Row, unit: str) -> str:
    """Returns what a row got against each opponent as CSV."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["name", "opponent", "mean", "stderr", "episodes", "unit", "nemesis", "note"])
    for opponent, got in row.per_opponent:
        writer.writerow([
            cell(row.name), cell(opponent), got.mean, _blank(got.stderr), got.episodes, unit,
            "yes" if opponent == row.nemesis else "", row.note,
        ])  # fmt: skip
    return text.getvalue()


def _blank(stderr: float) -> float | str:
    return "" if isnan(stderr) else stderr


def cell(text: str) -> str:
    """Keeps a spreadsheet from taking a text for a formula."""
    return f"'{text}" if text[:1] in {"=", "+", "-", "@"} else text
