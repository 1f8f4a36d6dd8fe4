"""How far a run of an experiment goes: until its share of the budget is used up."""

from collections.abc import Callable

from csro_core.errors import CsroError
from csro_core.experiments.courses import Spent, spending
from csro_core.experiments.plan import Plan
from csro_core.store import Store

OVER_BUDGET = "budget of"
"""What the message of a run says that its caps have stopped."""


def is_used_up(store: Store, plan: Plan, run: str) -> bool:
    """Returns True where a run has used its budget, or is not to go on for another reason.

    A run that has gone beyond is compared as it stood at its last iteration within the budget.

    Args:
        store: where it is.
        plan: of the experiment.
        run: its id.
    """
    record = store.run(run)
    spent = spending(store, run).get(record.iteration, Spent())
    if record.iteration >= plan.most_iterations or (record.status == "stopped" and OVER_BUDGET in record.message):
        return True
    return not spent.of(plan.resource, record.iteration) < plan.budget


def work_until_used_up(store: Store, plan: Plan, run: str, iterate: Callable[[int], None]) -> None:
    """Iterates a run until its budget is used up.

    Args:
        store: where it is.
        plan: of the experiment.
        run: its id.
        iterate: works on it until so many iterations are finished, or it stops for a reason.

    Raises:
        CsroError: the run did not come further; its message says why.
    """
    while not is_used_up(store, plan, run):
        wanted = store.run(run).iteration + 1
        iterate(wanted)
        record = store.run(run)
        if record.iteration < wanted and not is_used_up(store, plan, run):
            raise CsroError(f"it is {record.status}: {record.message or 'it was stopped'}")
