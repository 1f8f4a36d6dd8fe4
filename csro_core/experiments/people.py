"""What an archive holds for people beside the data: a report, tables and figures. Imports ignore all of it."""

from collections.abc import Iterator, Sequence

from csro_core.experiments.document import Comparison
from csro_core.experiments.experiment_report import Told, experiment_report
from csro_core.experiments.figures import comparison_figures
from csro_core.experiments.run_facts import facts_of
from csro_core.experiments.run_figures import run_figures
from csro_core.experiments.run_report import run_report
from csro_core.experiments.run_tables import run_tables
from csro_core.experiments.tables import csv_runs, csv_table, latex_table, markdown_table
from csro_core.store import Store
from csro_core.store.experiments import ExperimentRecord, ExperimentRun

_REPORT = "report.html"


def run_people_files(store: Store, run: str) -> dict[str, bytes]:
    """Returns report, tables and figures of a run: name → contents.

    Args:
        store: where it is.
        run: its id.

    Raises:
        NotFoundError: there is no such run.
    """
    facts = facts_of(store, run)
    figures = run_figures(facts)
    files = {_REPORT: run_report(facts, figures, store.attempts(run), store.clock())}
    files |= {f"tables/{name}.csv": text for name, text in run_tables(facts).items()}
    files |= {f"figures/{name}.svg": text for name, text in figures.items()}
    return {name: text.encode("utf-8", "replace") for name, text in files.items()}


def experiment_files(
    store: Store, record: ExperimentRecord, runs: Sequence[ExperimentRun], comparison: Comparison | None
) -> Iterator[tuple[str, bytes]]:
    """Yields report, tables and figures of an experiment: (name, contents).

    Args:
        store: where it is.
        record: of the experiment.
        runs: those of it that are there.
        comparison: of them, None where there is none.
    """
    figures = {} if comparison is None else comparison_figures(comparison)
    files = {_REPORT: experiment_report(store, Told(record, runs, comparison, figures), store.clock())}
    if comparison is not None:
        files["tables/comparison.csv"] = csv_table(comparison)
        files["tables/comparison.md"] = markdown_table(comparison)
        files["tables/comparison.tex"] = latex_table(comparison)
        files["tables/runs.csv"] = csv_runs(comparison)
    files |= {f"figures/{name}.svg": text for name, text in figures.items()}
    for name, text in files.items():
        yield name, text.encode("utf-8", "replace")
