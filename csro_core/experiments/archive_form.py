"""The form of an exported experiment: which files its zip holds, and their JSON as dataclasses.

`manifest.json` names format and version, `experiment.json` is an `ArchivedExperiment`, `comparison.json` (where there
is one) a `Comparison` whose runs are named by their labels, `runs/LABEL/run.json` and `runs/LABEL/cells.json` are those
of the archive of a run, and `policies/HASH.py` the texts of all runs. `report.html`, `tables/` and `figures/` are for
people; imports ignore them.
"""

import re
from dataclasses import dataclass, replace

from csro_core.experiments.document import Comparison
from csro_core.experiments.plan import Plan
from csro_core.seeds import Seed
from csro_core.store.archive_zip import Limits
from csro_core.store.experiments import RunState

FORMAT = "csro-experiment"
VERSION = 1

EXPERIMENT = "experiment.json"
COMPARISON = "comparison.json"

LABEL = re.compile(r"[0-9]{1,4}-(?:[0-9]{1,39}|[a-z2-7]{26})")
"""Place of the variant in the plan, and the seed: the same experiment gives the same file in every store."""

RUN_FILE = re.compile(rf"runs/({LABEL.pattern})/(run|cells)\.json")

LIMITS = Limits(files=100_000, total=500_000_000)

RUN_BYTES = 200_000_000
"""Most bytes of the rows, or of the cells, of one run."""


@dataclass(frozen=True)
class RunOfExperiment:
    """A run of the experiment.

    Attributes:
        label: names its folder in the archive.
        variant: name in the plan.
        seed: of the run.
        state: "done", or why it is not.
        message: why it failed, "" otherwise.
    """

    label: str
    variant: str
    seed: Seed
    state: RunState
    message: str


@dataclass(frozen=True)
class ArchivedExperiment:
    """An experiment without what its runs hold.

    Attributes:
        name: a name for people.
        plan: see `Plan`; played on this machine.
        runs: in the order in which they were planned.
    """

    name: str
    plan: Plan
    runs: tuple[RunOfExperiment, ...]


def run_file(label: str, what: str) -> str:
    """Returns the name of a file of a run, `what` being "run" or "cells"."""
    return f"runs/{label}/{what}.json"


def renamed(comparison: Comparison, names: dict[str, str]) -> Comparison | None:
    """Returns the document with other ids of runs.

    Args:
        comparison: the document.
        names: id → the other one.

    Returns:
        The document; None where it speaks of a run that has no other id.
    """
    spoken = {run for line in comparison.variants for run in line.runs} | {one.run for one in comparison.courses}
    if not spoken <= names.keys() or any(one.run and one.run not in names for one in comparison.joint.policies):
        return None
    return replace(
        comparison,
        variants=tuple(replace(line, runs=tuple(names[run] for run in line.runs)) for line in comparison.variants),
        courses=tuple(replace(one, run=names[one.run]) for one in comparison.courses),
        joint=replace(
            comparison.joint,
            policies=tuple(replace(one, run=names.get(one.run, "")) for one in comparison.joint.policies),
        ),
    )
