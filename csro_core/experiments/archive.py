"""Export of an experiment to a zip file, and import of one: runs, plan and comparison; reading it runs nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from csro_core.errors import NotFoundError, UsageError
from csro_core.experiments import archive_form as form
from csro_core.experiments.archive_form import ArchivedExperiment, RunOfExperiment
from csro_core.experiments.archive_reading import ExperimentArchive, read_experiment
from csro_core.experiments.document import Comparison
from csro_core.experiments.kept import keep_comparison, kept_comparison
from csro_core.experiments.people import experiment_files, run_people_files
from csro_core.experiments.planning import is_there
from csro_core.experiments.requests import plan_of
from csro_core.store import Store
from csro_core.store import archive_format as run_form
from csro_core.store.archive import export_run, import_run, run_files, write_run
from csro_core.store.archive_texts import check_told, jailed
from csro_core.store.archive_zip import opened, write_zip
from csro_core.store.codec import dumps
from csro_core.store.experiments import ExperimentRecord, ExperimentRun, ExperimentTable, insert_experiment
from csro_core.store.rows import DamagedError


@dataclass(frozen=True)
class Shared:
    """What was exported or imported.

    Attributes:
        kind: which of the two.
        id: of it.
        name: of it.
        runs: ids of its runs; its own of a run.
        note: what a person should know, "" for nothing.
    """

    kind: Literal["run", "experiment"]
    id: str
    name: str
    runs: tuple[str, ...]
    note: str = ""


def export_target(store: Store, wanted: str, path: Path) -> Shared:
    """Writes a run or an experiment to a zip file.

    Args:
        store: where it is.
        wanted: id or name; where both a run and an experiment fit, the run is meant.
        path: the file; an existing one is replaced, at once and only when all is written.

    Returns:
        What was written.

    Raises:
        NotFoundError: there is neither.
        UsageError: the file cannot be written.
        StoreError: a run is written to so busily that no consistent picture of it was had.
        DamagedError: the rows of a run do not fit together.
    """
    experiment = _experiment(store, wanted)
    try:
        run = store.run(wanted)
    except NotFoundError as error:
        if experiment is None:
            raise NotFoundError(f"{error}; nor does an experiment have that id or name") from error
        runs = export_experiment(store, experiment.id, path)
        return Shared("experiment", experiment.id, experiment.name, runs)
    try:
        export_run(store, run.id, path, run_people_files(store, run.id))
    except (ValueError, TypeError, ArithmeticError, LookupError) as error:
        # Each row may be sound and all of them not fit together, which tables, figures and JSON find out.
        raise DamagedError(f"run {run.id}", error) from error
    tie = f"an experiment has that name too: its id is {experiment.id}" if experiment else ""
    return Shared("run", run.id, run.name, (run.id,), tie)


def export_experiment(store: Store, experiment: str, path: Path) -> tuple[str, ...]:
    """Writes an experiment with all its runs to a zip file; runs that somebody has deleted are left out.

    Args:
        store: where it is.
        experiment: its id.
        path: the file; an existing one is replaced, at once and only when all is written.

    Returns:
        The ids of the runs in it.

    Raises:
        NotFoundError: there is no such experiment.
        UsageError: the file cannot be written, or the experiment has no run.
        StoreError: a run is written to so busily that no consistent picture of it was had.
    """
    table = ExperimentTable(store.connections, store.clock)
    record = table.find(experiment)
    runs = [one for one in table.runs(record.id) if is_there(store, one.run)]
    if not runs:
        raise UsageError(f"experiment {record.name} has no run yet: start it, then export it")
    write_zip(path, _files(store, record, runs))
    return tuple(one.run for one in runs)


def import_archive(store: Store, path: Path) -> Shared:
    """Reads an exported run or experiment into the store. The file is not trusted, and nothing in it is ever run here.

    Args:
        store: where it goes.
        path: the file.

    Returns:
        What is new in the store.

    Raises:
        UsageError: the file is missing or no sound archive; nothing was written.
        IsolationError: full isolation is required and cannot be had, so that no text can be looked at.
    """
    if not _is_experiment(path):
        run = import_run(store, path)
        return Shared("run", run, store.run(run).name, (run,))
    try:
        with path.open("rb") as file:
            archive = read_experiment(opened(file, path.stat().st_size, form.LIMITS))
        with jailed() as inspect:
            check_told(archive.runs.values(), inspect)
        return _write(store, archive)
    except OSError as error:
        raise UsageError(f"{path} must be a file that can be read: {error.strerror}") from error
    except (ValueError, UsageError) as error:
        raise UsageError(f"{path} cannot be imported: {' '.join(str(error).split())}") from error


def _experiment(store: Store, wanted: str) -> ExperimentRecord | None:
    try:
        return ExperimentTable(store.connections, store.clock).find(wanted)
    except NotFoundError:
        return None


def _files(store: Store, record: ExperimentRecord, runs: list[ExperimentRun]) -> Iterator[tuple[str, bytes]]:
    """Yields every file of the archive, one after the other, so that only one run is held at a time."""
    # The address of somebody's machine is nobody else's business.
    plan = replace(plan_of(record), cluster="")
    places = {variant.name: place for place, variant in enumerate(plan.variants)}
    labels = {one.run: f"{places[one.variant]}-{one.seed}" for one in runs if one.variant in places}
    told = [
        RunOfExperiment(labels[one.run], one.variant, one.seed, *_settled(one)) for one in runs if one.run in labels
    ]
    comparison = kept_comparison(store, record)
    yield run_form.MANIFEST, dumps(run_form.Manifest(form.FORMAT, form.VERSION))
    yield form.EXPERIMENT, dumps(ArchivedExperiment(record.name, plan, tuple(told)))
    shared = None if comparison is None else form.renamed(comparison, labels)
    if shared is not None:
        yield form.COMPARISON, dumps(shared)
    texts: set[str] = set()
    for run, label in labels.items():
        for name, data in run_files(store, run).items():
            if run_form.POLICY_FILE.fullmatch(name) is None:
                yield f"runs/{label}/{name}", data
            elif name not in texts:
                texts.add(name)
                yield name, data
    yield from experiment_files(store, record, runs, comparison)


def _settled(run: ExperimentRun) -> tuple[Literal["done", "failed"], str]:
    """Returns state and message of a run that nobody works on in an archive."""
    if run.state in {"waiting", "running"}:
        return "done", run.message or "it had not used up its budget when it was exported"
    return ("failed" if run.state == "failed" else "done"), run.message


def _is_experiment(path: Path) -> bool:
    """Returns whether a zip file has the file of an experiment; whatever is wrong with it is told by its reader."""
    try:
        with path.open("rb") as file:
            return form.EXPERIMENT in opened(file, path.stat().st_size, form.LIMITS).names
    except (OSError, ValueError):
        return False


def _write(store: Store, archive: ExperimentArchive) -> Shared:
    content = archive.experiment
    # The comparison is kept by tables that write for themselves.
    with store.connections.together() as connection:
        now = store.clock()
        ids = {label: write_run(connection, run, now) for label, run in archive.runs.items()}
        rows = [ExperimentRun(one.variant, one.seed, ids[one.label], one.state, one.message) for one in content.runs]
        new, name = insert_experiment(connection, content.name, content.plan, now, rows)
        if archive.comparison is not None:
            _keep(store, new, archive.comparison, ids)
    return Shared("experiment", new, name, tuple(ids.values()))


def _keep(store: Store, experiment: str, comparison: Comparison, ids: dict[str, str]) -> None:
    document = form.renamed(comparison, ids)
    if document is not None:
        keep_comparison(store, experiment, document)
