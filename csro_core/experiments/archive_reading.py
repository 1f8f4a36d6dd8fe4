"""Reads the archive of an experiment as hostile input; nothing is written, and nothing in it is run.

Every check raises `ValueError` or `UsageError` with what must hold; `archive.import_archive` names the file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from csro_core.experiments import archive_form as form
from csro_core.experiments.archive_form import ArchivedExperiment
from csro_core.experiments.comparison_checks import MOST_BYTES, read_comparison
from csro_core.experiments.document import Comparison
from csro_core.experiments.plan import MOST_RUNS, Plan
from csro_core.experiments.planning import checked
from csro_core.games import make_game
from csro_core.models.names import parse_name
from csro_core.models.prices import default_gemini
from csro_core.store import archive_format as run_form
from csro_core.store.archive_checks import check_manifest, parse_run, read_texts
from csro_core.store.archive_facts import bounds_of, within
from csro_core.store.archive_format import Archive
from csro_core.store.archive_zip import ZipFiles
from csro_core.store.codec import Json, from_json, with_defaults
from csro_core.store.runs import checked_name

_ONE_EACH = {run_form.MANIFEST, form.EXPERIMENT, form.COMPARISON}
_MOST_MESSAGE = 2_000


@dataclass(frozen=True)
class ExperimentArchive:
    """An archive that was read and found sound.

    Attributes:
        experiment: see `ArchivedExperiment`.
        runs: label → run, in the order of the experiment.
        comparison: with labels in the place of ids, None where there is none.
    """

    experiment: ArchivedExperiment
    runs: Mapping[str, Archive]
    comparison: Comparison | None


def read_experiment(files: ZipFiles) -> ExperimentArchive:
    """Returns the contents of an archive after all checks.

    Args:
        files: of the archive; its directory was checked.

    Raises:
        ValueError: it is no sound archive of an experiment.
        UsageError: its game, a model or a solver is unknown here.
    """
    check_manifest(files, form.FORMAT, form.VERSION)
    experiment = from_json(ArchivedExperiment, _today(files.json(form.EXPERIMENT)))
    experiment = replace(experiment, plan=_checked_plan(experiment.plan))
    _check_runs(experiment)
    _check_names(files, experiment)
    comparison = None
    if form.COMPARISON in files.names:
        if files.size(form.COMPARISON) > MOST_BYTES:
            raise ValueError(f"{form.COMPARISON} must have at most {MOST_BYTES:,} bytes")
        comparison = read_comparison(files.json(form.COMPARISON))
        _check_spoken(comparison, experiment)
        _check_range(comparison, experiment)
    texts = read_texts(files, files.names)
    runs = {one.label: _run(files, one.label, texts) for one in experiment.runs}
    for one in experiment.runs:
        settings = runs[one.label].run.settings
        if settings.game.key != experiment.plan.game.key or settings.seed != one.seed:
            raise ValueError(f"run {one.label} must be of the game of the experiment and of its seed")
    listed = {policy.hash for run in runs.values() for policy in run.run.policies}
    if listed != texts.keys():
        raise ValueError("its runs must list all of its policy files")
    return ExperimentArchive(experiment, runs, comparison)


def _today(data: Json) -> Json:
    """Returns the data of an experiment in today's form, played here."""
    if not isinstance(data, dict):
        return data
    plan = with_defaults(Plan, data.get("plan"))
    return {**data, "plan": {**plan, "cluster": ""} if isinstance(plan, dict) else plan}


def _checked_plan(plan: Plan) -> Plan:
    for variant in plan.variants[:MOST_RUNS]:
        # A name of a model with a password in it is refused here too.
        parse_name(variant.model, default_gemini())
    return checked(plan)


def _check_runs(experiment: ArchivedExperiment) -> None:
    checked_name(experiment.name)
    runs = experiment.runs
    if not 1 <= len(runs) <= MOST_RUNS:
        raise ValueError(f"an experiment must have 1 to {MOST_RUNS:,} runs, got {len(runs):,}")
    if len({one.label for one in runs}) != len(runs) or len({(one.variant, one.seed) for one in runs}) != len(runs):
        raise ValueError("each run of an experiment must have a label, a variant and a seed of its own")
    names = {variant.name for variant in experiment.plan.variants}
    for one in runs:
        if form.LABEL.fullmatch(one.label) is None or one.variant not in names:
            raise ValueError("a run of an experiment must have a label, and be of a variant of the plan")
        if one.state not in {"done", "failed"}:
            raise ValueError(f"a run of an archive must be done or failed, got {one.state}")
        if len(one.message) > _MOST_MESSAGE or not " ".join(one.message.split()).isprintable():
            raise ValueError(f"the message of a run must have at most {_MOST_MESSAGE:,} printable characters")


def _check_names(files: ZipFiles, experiment: ArchivedExperiment) -> None:
    labels = {one.label for one in experiment.runs}
    for name in files.names:
        run = form.RUN_FILE.fullmatch(name)
        known = name in _ONE_EACH or run_form.POLICY_FILE.fullmatch(name) or run_form.PEOPLE_FILE.fullmatch(name)
        if not known and (run is None or run[1] not in labels):
            raise ValueError(f"a file in it has a name that does not belong there: {name[:80]!r}")


def _check_spoken(comparison: Comparison, experiment: ArchivedExperiment) -> None:
    """Checks that a comparison speaks of the runs, the variants and the game of its experiment.

    Raises:
        ValueError: it does not.
    """
    own = {(one.label, one.variant, one.seed) for one in experiment.runs}
    spoken = {
        (run, line.name, seed) for line in comparison.variants for run, seed in zip(line.runs, line.seeds, strict=True)
    }
    if not spoken <= own:
        raise ValueError("a comparison must be of runs of its experiment, by their variants and seeds")
    if comparison.game.get("name") != experiment.plan.game.name:
        raise ValueError("a comparison must be of the game of its experiment")


def _check_range(comparison: Comparison, experiment: ArchivedExperiment) -> None:
    """Checks what a comparison says of payoffs against what the game can give.

    Raises:
        ValueError: a number is beyond it.
    """
    bounds = bounds_of(make_game(experiment.plan.game))
    span, played = bounds.span, comparison.cross_play
    within((value for row in played.mean for value in row), bounds.worst, bounds.best, "the payoffs of cross-play")
    points = [point for course in comparison.courses for point in course.points]
    measured = [value for one in points for value in (one.gap, one.agg_score, one.pop_return, one.pop_expl)]
    gains = [value for one in points for value in (one.exploitability, one.oracle_gain)]
    within([*measured, *gains], -2 * span, 2 * span, "the numbers of a course")
    within((one.gap_stderr for one in points), 0.0, 2 * span, "the errors of a course")
    within((one.mean for one in comparison.summaries), -2 * span, 2 * span, "the means of a comparison")
    within((one.mean for one in comparison.differences), -4 * span, 4 * span, "the differences of a comparison")


def _run(files: ZipFiles, label: str, texts: Mapping[str, str]) -> Archive:
    for what in ("run", "cells"):
        if form.run_file(label, what) in files.names and files.size(form.run_file(label, what)) > form.RUN_BYTES:
            raise ValueError(f"{what}.json of a run must have at most {form.RUN_BYTES:,} bytes")
    data = files.json(form.run_file(label, "run"))
    own = {key: texts[key] for key in _listed(data) if key in texts}
    try:
        return parse_run(data, files.json(form.run_file(label, "cells")), own)
    except ValueError as error:
        raise ValueError(f"run {label}: {error}") from error


def _listed(data: Json) -> list[str]:
    """Returns the hashes of the policies that the data of a run list, as far as they have the form of a list."""
    policies = data.get("policies") if isinstance(data, dict) else None
    found = [one.get("hash") for one in policies if isinstance(one, dict)] if isinstance(policies, list) else []
    return [policy for policy in found if isinstance(policy, str)]
