"""What is compared: an experiment or runs, and how; all of it is in the address, so that a link shows the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import address, experiments, services
from app.formats import plain, short
from app.panels import imported, new_experiment
from app.panels.link import copy_link
from app.panels.metagame_choices import choice
from csro_core.errors import UsageError
from csro_core.experiments.document import COSTS, Cost
from csro_core.experiments.requests import ComparisonRequest, for_experiment, grouped
from csro_core.games import make_game
from csro_core.meta_solvers import META_SOLVERS
from csro_core.seeds import short_seed
from csro_core.store.defaults import meta_solver_for
from csro_core.store.experiments import ExperimentRecord
from csro_core.store.records import RunRecord, RunSettings

WANTED = "comparison_wanted"
"""In the session: True where a comparison is begun without a further click."""

WITHOUT = "without"
_KINDS = {"experiment": "an experiment", "runs": "runs"}
_LEAST_PLAY, _DEFAULT_PLAY, _MOST_PLAY = 4, 8, 1000
_LONGEST = 60
_HUMAN_HELP = "Leaves out what people added to these runs and what descends from it, as far as mixtures go."


@dataclass(frozen=True)
class Picked:
    """What somebody has picked.

    Attributes:
        experiment: the experiment that is shown, None where runs are.
        request: what is compared; None where that is not possible yet.
        trouble: why it is not possible, "" where nothing was picked or all is well.
    """

    experiment: experiments.Opened | None = None
    request: ComparisonRequest | None = None
    trouble: str = ""

    @property
    def nothing(self) -> bool:
        """True where the page is empty."""
        return self.experiment is None and self.request is None and not self.trouble


def pick() -> Picked:
    """Draws the choice of what is compared, and returns it."""
    with st.container(key="compare_pick"):
        row = st.container(horizontal=True, gap="small", vertical_alignment="center")
        with row:
            chosen = choice("Compare", _KINDS, "compared", "runs" if address.get("runs") else "experiment")
            what = st.container(width="stretch")
            new_experiment.button()
            place = st.container(width="content")
        picked = _of_experiment(what) if chosen == "experiment" else _of_runs(what)
    if not picked.nothing:
        shown = {"experiment": picked.experiment.record.id} if picked.experiment else {}
        with place:
            copy_link(address.OF_COMPARISON, shown)
    return picked


def show_runs(runs: Sequence[str]) -> None:
    """Makes the page show runs."""
    address.put(
        runs=".".join(runs) or None, compared="runs", experiment=None, baseline=None, budget=None, edits=None
    )


def _of_experiment(place: DeltaGenerator) -> Picked:
    records = {record.id: record for record in experiments.table().all()}
    named = address.get("experiment")
    if named and named not in records:
        shown = "; the newest one is shown" if records else ""
        st.warning(f"{_missing(named)}{shown}.")
    if not records:
        place.caption("There is no experiment yet.")
        return Picked()
    chosen = named if named in records else next(iter(records))
    st.session_state["experiment_picker"] = chosen
    place.selectbox(
        "Experiment", list(records), key="experiment_picker", label_visibility="collapsed",
        format_func=lambda one: short(records[one].name, _LONGEST) if one in records else one,
        on_change=lambda: experiments.show(st.session_state["experiment_picker"]),
    )  # fmt: skip
    return _picked(records[chosen])


def _missing(named: str) -> str:
    binned = next((one for one in experiments.labels().bin() if one.id == named), None)
    if binned is not None:
        return f"The experiment “{plain(short(binned.name, 40))}” is in the bin, from where it can be taken back below"
    return f"There is no experiment “{plain(short(named, 40))}” in this store"


def _picked(record: ExperimentRecord) -> Picked:
    try:
        shown = experiments.opened(record)
    except UsageError as error:
        return Picked(trouble=str(error))
    try:
        request = for_experiment(services.store(), record)
    except UsageError as error:
        return Picked(shown, trouble=str(error))
    if not request.groups:
        return Picked(shown)
    names = [name for name, _ in request.groups]
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        baseline, without = _baseline(names, request.baseline), _without_human()
    return Picked(shown, replace(request, baseline=baseline, without_human=without))


def _of_runs(place: DeltaGenerator) -> Picked:
    known = {run.id: run for run in services.store().runs()}
    named = [run for run in address.get("runs").split(".") if run in known]
    st.session_state["runs_picker"] = named
    place.multiselect(
        "Runs", list(known), key="runs_picker", label_visibility="collapsed",
        placeholder="Choose two or more runs of one game; runs that differ by their seed alone are one variant",
        format_func=lambda run: _run_title(known, run),
        on_change=lambda: show_runs(st.session_state["runs_picker"]), wrap=True,
    )  # fmt: skip
    chosen = [known[run] for run in named]
    if len(chosen) < 2:
        return Picked(trouble="Choose one more run to compare it with." if chosen else "")
    games = {run.settings.game.key for run in chosen}
    if len(games) > 1:
        titles = sorted({run.settings.game.name for run in chosen})
        words = ", ".join(titles) if len(titles) > 1 else f"{titles[0]} with other parameters"
        return Picked(trouble=f"Runs that are compared must play one game with equal parameters; these play {words}.")
    return Picked(request=_request(grouped(services.store(), named), chosen[0]))


def _run_title(known: Mapping[str, RunRecord], run: str) -> str:
    if run not in known:
        return run
    settings = known[run].settings
    words = f"{settings.game.name} · {settings.oracle} · seed {short_seed(settings.seed)}{imported.words(known[run])}"
    return f"{short(known[run].name, 28)} · {words}"


def _request(groups: tuple[tuple[str, tuple[str, ...]], ...], first: RunRecord) -> ComparisonRequest:
    names = [name for name, _ in groups]
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        usual = next((name for name in names if name.startswith("best-of-n")), names[0])
        baseline, without = _baseline(names, usual), _without_human()
        with st.popover("Equal cost and solver", icon=":material/tune:", type="tertiary"):
            cost, budget = _cost()
            solver, play = _solver(first.settings)
    return ComparisonRequest(groups, baseline, cost, budget, solver, play, without)


def _baseline(names: Sequence[str], usual: str) -> str:
    named = address.get("baseline")
    st.session_state["baseline_picker"] = named if named in names else usual if usual in names else names[0]
    with st.container(horizontal=True, gap="small", vertical_alignment="center", width="content"):
        st.caption("baseline", width="content")
        return str(
            st.selectbox(
                "Baseline", list(names), key="baseline_picker", label_visibility="collapsed", width=240,
                on_change=lambda: _other(baseline=st.session_state["baseline_picker"]),
                format_func=lambda name: short(str(name), 34),
                help="The variant that every other one is compared with, seed by seed.",
            )
        )  # fmt: skip


def _without_human() -> bool:
    st.session_state["without_human"] = address.get("edits") == WITHOUT
    return st.toggle(
        "without human edits", key="without_human", help=_HUMAN_HELP,
        on_change=lambda: _other(edits=WITHOUT if st.session_state["without_human"] else None),
    )  # fmt: skip


def _other(**values: str | None) -> None:
    """Asks for another comparison of the same runs; their matches are known, so it is begun at once."""
    address.put(**values)
    st.session_state[WANTED] = True


def _cost() -> tuple[Cost, float | None]:
    named = address.get("cost")
    st.session_state["cost_picker"] = named if named in COSTS else "calls"
    cost: Cost = st.selectbox(
        "At equal amounts of", list(get_args(Cost)), key="cost_picker", format_func=lambda one: COSTS.get(one, one),
        on_change=lambda: address.put(cost=st.session_state["cost_picker"], budget=None),
    )  # fmt: skip
    st.session_state["budget_picker"] = amount_of(address.get("budget"))
    budget = st.number_input(
        f"How many {COSTS[cost]}", min_value=0.0, key="budget_picker", placeholder="all that the runs have",
        on_change=lambda: put_budget(st.session_state["budget_picker"]),
        help="Of every run the last mixture within this amount is compared.",
    )  # fmt: skip
    return cost, None if not budget else float(budget)


def put_budget(budget: float | None) -> None:
    """Writes a budget into the address."""
    address.put(budget=f"{budget:.12g}" if budget else None)


def amount_of(text: str) -> float | None:
    """Returns the amount > 0 that the address names, None where it names none."""
    try:
        amount = float(text[:30])
    except ValueError:
        return None
    return amount if isfinite(amount) and amount > 0 else None


def _solver(settings: RunSettings) -> tuple[str, int]:
    game = make_game(settings.game)
    named = address.get("evaluator")
    usual = meta_solver_for(game, RunSettings.meta_solver)
    fits = [name for name in META_SOLVERS if meta_solver_for(game, name) == name]
    st.session_state["evaluator_picker"] = named if named in fits else usual
    solver = st.selectbox(
        "Mixtures by", fits, key="evaluator_picker",
        on_change=lambda: address.put(evaluator=st.session_state["evaluator_picker"]),
        help="One meta-solver makes the mixture of every run, so that the comparison is one of populations.",
    )  # fmt: skip
    named_play = address.number("play") or _DEFAULT_PLAY
    st.session_state["play_picker"] = min(max(_LEAST_PLAY, named_play + named_play % 2), _MOST_PLAY)
    play = st.number_input(
        "Episodes a pair", _LEAST_PLAY, _MOST_PLAY, step=2, key="play_picker",
        on_change=lambda: address.put(play=int(st.session_state["play_picker"])),
        help="Of every two policies that meet in the comparison; an even number, so that seats are fair.",
    )  # fmt: skip
    return str(solver), int(play) + int(play) % 2
