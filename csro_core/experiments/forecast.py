"""How long an experiment takes and what it costs: before its start by earlier runs, then by its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean

from csro_core.experiments.courses import Spent, spending
from csro_core.experiments.plan import Plan
from csro_core.experiments.planning import settings_of
from csro_core.progress import time_left
from csro_core.runner.forecast import outlook as outlook_of_a_run
from csro_core.store import Store
from csro_core.store.experiments import ExperimentRun
from csro_core.store.records import RunRecord

_EARLIER = 60
"""Most earlier runs of the store that are looked at."""


@dataclass(frozen=True)
class Forecast:
    """What is still to come.

    Attributes:
        runs: runs of the plan.
        done: those that are done.
        failed: those that failed.
        seconds: wall seconds still to come, None where nothing tells it yet.
        usd: money that the runs still to come cost at most; 0.0 where it is free, None where nobody knows.
        basis: "runs of this experiment", "earlier runs", or "".
    """

    runs: int
    done: int
    failed: int
    seconds: float | None
    usd: float | None
    basis: str

    @property
    def sentence(self) -> str:
        """The forecast in words."""
        words = f"{self.done} of {self.runs} runs done"
        words += f", {self.failed} failed" if self.failed else ""
        if self.done + self.failed < self.runs:
            words += "; how long the rest takes is not known before the first run is done"
            if self.seconds is not None:
                words = words.partition(";")[0] + f"; {time_left(self.seconds)}, by {self.basis}"
        money = "free of charge"
        if self.usd is None:
            money = "what it costs is not known"
        elif self.usd > 0:
            money = f"at most about {self.usd:,.2f} US dollars more"
        return f"{words}; {money}."


def forecast(store: Store, plan: Plan, runs: Sequence[ExperimentRun], at_a_time: int) -> Forecast:
    """Returns what is still to come of an experiment.

    Args:
        store: where its runs are, and earlier ones.
        plan: of the experiment.
        runs: of it, as far as there are any.
        at_a_time: runs that are worked on at a time.
    """
    states = {(one.variant, one.seed): one for one in runs}
    records = {record.id: record for record in store.runs()}
    known = {variant.name: _seconds_a_run(store, plan, variant.name, runs, records) for variant in plan.variants}
    everybody = [found for found in known.values() if found is not None]
    left, money = 0.0, 0.0
    unpriced = False
    basis = ""
    for variant in plan.variants:
        price = _usd(store, plan, variant.name)
        for seed in plan.seeds:
            one = states.get((variant.name, seed))
            if one is not None and one.state in {"done", "failed"}:
                continue
            unpriced = unpriced or price is None
            money += price or 0.0
            if everybody:
                seconds, told = known[variant.name] or (fmean(found[0] for found in everybody), everybody[0][1])
                basis = basis or told
                left += seconds * (1.0 - _share(store, plan, one))
    done = sum(one.state == "done" for one in runs)
    failed = sum(one.state == "failed" for one in runs)
    total = len(plan.variants) * len(plan.seeds)
    seconds_left = left / max(1, at_a_time) if everybody else None
    return Forecast(total, done, failed, seconds_left, None if unpriced else money, basis)


def outlook(store: Store, plan: Plan, runs: Sequence[ExperimentRun], at_a_time: int = 1) -> str:
    """Returns the forecast as a sentence (see `forecast`)."""
    return forecast(store, plan, runs, at_a_time).sentence


def _seconds_a_run(
    store: Store, plan: Plan, variant: str, runs: Sequence[ExperimentRun], records: dict[str, RunRecord]
) -> tuple[float, str] | None:
    """Returns (wall seconds of a run of a variant, by what that is known)."""
    own = [records[one.run].seconds for one in runs if one.variant == variant and one.state == "done"
           and one.run in records]  # fmt: skip
    if own:
        return fmean(own), "runs of this experiment"
    wanted = settings_of(store, plan, plan.variant(variant), plan.seeds[0])
    alike = [
        record
        for record in records.values()
        if record.settings.game == wanted.game and record.settings.oracle == wanted.oracle
        and record.settings.model == wanted.model and record.iteration
    ][:_EARLIER]  # fmt: skip
    rates = []
    for record in alike:
        spent = spending(store, record.id).get(record.iteration, Spent())  # it may be deleted by now
        amount = spent.of(plan.resource, record.iteration)
        if amount > 0 and spent.seconds > 0:
            rates.append(spent.seconds / amount)
    return (fmean(rates) * plan.budget, "earlier runs of the same oracle, model and game") if rates else None


def _share(store: Store, plan: Plan, one: ExperimentRun | None) -> float:
    """Returns how much of a run's budget is used, from 0 to 1."""
    if one is None:
        return 0.0
    spent = spending(store, one.run)
    amount = spent.get(max(spent), Spent()).of(plan.resource, max(spent))
    return min(1.0, amount / plan.budget) if amount == amount else 0.0


def _usd(store: Store, plan: Plan, variant: str) -> float | None:
    """Returns what a run of a variant costs at most, None where nobody knows."""
    settings = settings_of(store, plan, plan.variant(variant), plan.seeds[0])
    whole = outlook_of_a_run(store, settings, 1)
    if whole.usd == 0.0 or plan.resource == "usd":
        return 0.0 if whole.usd == 0.0 else plan.budget
    if whole.usd is None or plan.resource != "calls":
        return None
    return whole.usd / max(1, whole.calls) * ceil(plan.budget)
