"""`experiment`: compares variants over seeds at equal cost: made from a file, worked on, resumed, reported."""

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from csro_core.cli.arguments import add_cluster, add_key, chosen_store, credentials_from, user_path, whole
from csro_core.cli.experiment_crew import ProcessCrew
from csro_core.cli.files import output_folder, write_whole
from csro_core.cli.output import emit, note
from csro_core.cli.targets import read_text_file
from csro_core.cli.work import match_pool
from csro_core.errors import CsroError, UsageError
from csro_core.experiments.comparing import compare
from csro_core.experiments.document import Comparison
from csro_core.experiments.forecast import outlook
from csro_core.experiments.kept import computed_here
from csro_core.experiments.plan import Plan
from csro_core.experiments.planning import checked, same_but_for_work, with_jobs, with_seeds
from csro_core.experiments.requests import KIND, for_experiment, plan_of, request_key
from csro_core.experiments.scheduler import Desk, at_a_time, try_again, work_on
from csro_core.experiments.spec_file import FORMATS, LONGEST, plan_from_text
from csro_core.experiments.tables import TABLES, markdown_table
from csro_core.matches.cluster import checked_address
from csro_core.runner.keys import for_models
from csro_core.runner.pictures import Progress, compute
from csro_core.seeds import Seed
from csro_core.store import Store
from csro_core.store.codec import dumps, from_json, to_json
from csro_core.store.experiments import ExperimentRecord, ExperimentTable, status_of
from csro_core.store.pictures import PictureTable, PictureTask

NAME = "experiment"
HELP = "compare variants over seeds at equal cost (goes on where it was interrupted)"

_LOOK_SECONDS = 0.5


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the experiment, and how it is worked on."""
    add = parser.add_argument
    add("experiment", metavar="FILE|EXPERIMENT", help=f"a file ({', '.join(FORMATS)}), or the id or name of one")
    add("--jobs", metavar="N", type=whole(1, 256), default=0, help="runs at a time (default: as many as cores)")
    add("--add-seeds", metavar="N", type=whole(1, 1_000), default=0, help="as many further seeds of each variant")
    add("--retry", action="store_true", help="try the runs again that failed")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--forecast", action="store_true", help="only make it, and say what is still to come")
    what.add_argument("--pause", action="store_true", help="only ask whoever works on it to pause")
    what.add_argument("--report", action="store_true", help="only compare what there is by now")
    add("--out", metavar="FOLDER", help=f"gets {', '.join(TABLES)} and comparison.json")
    add_key(parser, several=True)
    add_cluster(parser, remembered=True)


def execute(args: argparse.Namespace) -> int:
    """Returns 0 where every run is done, 1 where one has failed or it was paused; prints the table.

    Raises:
        UsageError: the file or an option is not possible.
        LeaseError: another process works on it.
        CsroError: the comparison failed.
    """
    credentials = credentials_from(args)
    folder = output_folder(args.out) if args.out else None
    store = chosen_store(args, create=True)
    try:
        table = ExperimentTable(store.connections, store.clock)
        record = _record(args, table)
        plan = plan_of(record)
        models = {variant.name: variant.model for variant in plan.variants}
        credentials = for_models(credentials, models.values())
        if args.pause:
            table.change(record.id, "wanted", "pause")
            emit(args, {"experiment": record.id, "wanted": "pause"}, f"experiment {record.name}: it will pause")
            return 0
        if args.retry:
            note(f"{try_again(table, record.id)} runs are tried again")
        finished = args.forecast or args.report
        if not args.report:
            note(f"experiment {record.id} ({record.name}): {_forecast(store, table, record.id, plan)}")
        if not finished:
            workers = max(2, (os.cpu_count() or 1) // at_a_time(plan) + 1)
            crew = ProcessCrew(record.id, str(store.path), workers, credentials, models)

            def told(words: str) -> None:
                note(f"{words}; {_forecast(store, table, record.id, plan)}")

            finished = work_on(Desk(store, crew, told), record.id)
        return _answer(args, store, record.id, finished, folder)
    finally:
        store.close()


def _record(args: argparse.Namespace, table: ExperimentTable) -> ExperimentRecord:
    """Returns the experiment that is meant, with what the options change; made where it comes from a new file.

    Raises:
        UsageError: one of this name has another plan.
    """
    path = Path(args.experiment)
    if path.suffix.lower() not in FORMATS:
        record = table.find(args.experiment)
        plan = plan_of(record)
    else:
        plan = _read(args.experiment, path.suffix)
        try:
            record = next(one for one in table.all() if one.name == plan.name)
        except StopIteration:
            record = table.find(table.create(plan.name, to_json(plan)))
        known = plan_of(record)
        plan = _read(args.experiment, path.suffix, known.seeds)
        if not same_but_for_work(plan, known):
            raise UsageError(
                f"experiment {plan.name} of the store must have the plan of this file; it has another one: give the "
                "file another name, or choose another --store"
            )
        plan = _joined(plan, known)
    if args.add_seeds:
        plan = with_seeds(plan, args.add_seeds)
    plan = checked(with_jobs(plan, args.jobs, checked_address(args.cluster) if args.cluster else ""))
    if to_json(plan) != record.plan:
        table.change(record.id, "plan", to_json(plan))
    return table.find(record.id)


def _read(path: str, ending: str, known: Sequence[Seed] = ()) -> Plan:
    """Returns the plan in a file, with the seeds that its experiment has already.

    Raises:
        UsageError: there is no such file, or it holds no possible plan.
    """
    try:
        return plan_from_text(read_text_file(str(user_path(path)), LONGEST), ending, known)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def _joined(plan: Plan, known: Plan) -> Plan:
    """Returns the plan of a file with the seeds that were added to it since."""
    added = tuple(seed for seed in known.seeds if seed not in plan.seeds)
    return replace(plan, seeds=(*plan.seeds, *added))


def _forecast(store: Store, table: ExperimentTable, experiment: str, plan: Plan) -> str:
    return outlook(store, plan, table.runs(experiment), at_a_time(plan))


def _answer(args: argparse.Namespace, store: Store, experiment: str, finished: bool, folder: Path | None) -> int:
    table = ExperimentTable(store.connections, store.clock)
    record = table.find(experiment)
    runs = table.runs(experiment)
    document: dict[str, Any] = {
        "experiment": record.id, "name": record.name, "status": status_of(record, runs), "plan": record.plan,
        "runs": [to_json(run) for run in runs],
    }  # fmt: skip
    words = [f"experiment {record.id}  {record.name}  {document['status']}"]
    words += [f"{run.variant}, seed {run.seed}: {run.message}" for run in runs if run.state == "failed"]
    if finished and not args.forecast:
        comparison = compared(store, record)
        document["comparison"] = to_json(comparison)
        words += ["", *(one.sentence for one in comparison.differences), "", markdown_table(comparison)]
        words += [f"- {note}" for note in comparison.notes]
        if folder is not None:
            _write(folder, comparison)
            words.append(f"written to {folder}")
    emit(args, document, "\n".join(words))
    return 0 if finished and not any(run.state == "failed" for run in runs) else 1


def compared(store: Store, record: ExperimentRecord) -> Comparison:
    """Returns the comparison of an experiment as it stands, computed where it is not kept yet.

    Args:
        store: where it is.
        record: the experiment.

    Raises:
        UsageError: there is nothing to compare.
        CsroError: the comparison has failed.
    """
    request = for_experiment(store, record)
    key = request_key(store, request)
    table = PictureTable(store.connections, store.clock)
    if (kept := table.row(key)) is not None and kept.state == "done" and not computed_here(kept.document):
        table.drop(key)
    table.ask(key, KIND, to_json(request), lambda: None)

    def work(_task: PictureTask, progress: Progress) -> Any:
        note("comparing: everybody's policies meet")
        with match_pool() as pool:
            return to_json(compare(store, request, pool, progress))

    compute(table, key, work)
    while (row := table.row(key)) is not None and row.state == "working":
        # Another process works on the same; where that one dies, this one goes on.
        time.sleep(_LOOK_SECONDS)
        compute(table, key, work)
    if row is None or row.state != "done":
        why = "it was dropped" if row is None else row.message or f"it was {row.state}: ask for it again"
        raise CsroError(f"the comparison has failed: {why}")
    ExperimentTable(store.connections, store.clock).change(record.id, "comparison", key)
    return from_json(Comparison, orjson.loads(row.document))


def _write(folder: Path, comparison: Comparison) -> None:
    for name, table in TABLES.items():
        write_whole(folder / name, table(comparison), "the tables")
    write_whole(folder / "comparison.json", dumps(to_json(comparison)).decode(), "the tables")
