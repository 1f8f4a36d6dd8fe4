"""The form for a new experiment: variants as a grid, seeds, an equal budget, a forecast, and a start at the end."""

from dataclasses import replace
from typing import get_args

import streamlit as st

from app import experiments, services
from app.formats import plain, short
from app.panels import model_choice
from app.panels.benchmark import missing
from app.panels.new_run import GAME_NOTES, PRESETS, choose_game
from app.panels.seed_field import read_seed
from csro_core.errors import CsroError, UsageError
from csro_core.evaluation.benchmark import benchmark_for
from csro_core.experiments.document import COSTS
from csro_core.experiments.forecast import outlook
from csro_core.experiments.plan import Plan, Resource, Variant
from csro_core.experiments.planning import BASELINE, Grid, baseline_of, checked
from csro_core.games import make_game
from csro_core.games.base import Game
from csro_core.meta_solvers import META_SOLVERS
from csro_core.models.prices import gemini_models
from csro_core.oracles import ORACLES
from csro_core.oracles.context import CONTEXTS, checked_context
from csro_core.oracles.exact import Exact
from csro_core.seeds import Seed, drawn_seed, is_number, numbered_seeds
from csro_core.store.defaults import default_episodes, general_sum_solvers, meta_solver_for
from csro_core.store.records import RunSettings

_DRAWN = "experiment_drawn"
_OPEN = "new_experiment_wanted"
_ORACLES = ("zero-shot", "linear-refinement", "alpha-evolve")
_USUAL: dict[Resource, float] = {"calls": 120.0, "episodes": 20_000.0, "usd": 1.0}
_MOST_SHOWN = 12


def button(primary: bool = False) -> None:
    """Draws the button that opens the form.

    Args:
        primary: True: it is what an empty page wants.
    """
    st.button(
        "New experiment", type="primary" if primary else "secondary", icon=":material/science:",
        key="first_experiment" if primary else "new_experiment_button", on_click=_want,
        help="Variants over seeds at equal cost.",
    )  # fmt: skip


def dialog_where_wanted() -> None:
    """Opens the form where somebody asked for it; a page can hold one dialog at a time."""
    if st.session_state.get(_OPEN) and not st.session_state.get("new_run_wanted"):
        _dialog()


def _want() -> None:
    st.session_state[_OPEN] = True


def _close() -> None:
    st.session_state[_OPEN] = False


@st.dialog("New experiment", width="large", on_dismiss=_close, icon=":material/science:")
def _dialog() -> None:
    form()


def form() -> None:
    """Draws the form; creates the experiment, starts it where that is wanted, and shows it."""
    try:
        plan = checked(_gather())
    except UsageError as error:
        st.error(plain(str(error)), icon=":material/error:")
        st.button("Create and start", type="primary", disabled=True, key="create_experiment_disabled")
        return
    st.caption(plain(_sentence(outlook(services.store(), plan, [], experiments.at_a_time(plan)))))
    create, start, _ = st.columns([0.2, 0.3, 0.5])
    started = start.button("Create and start", type="primary", key="start_experiment", width="stretch")
    if not (create.button("Create", key="create_experiment", width="stretch") or started):
        return
    try:
        experiment = experiments.create(plan)
        if started:
            experiments.resume(experiment)
    except CsroError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    _close()
    st.session_state.pop(_DRAWN, None)
    experiments.show(experiment)
    st.rerun()


def _gather() -> Plan:
    name = st.text_input(
        "Name", key="experiment_name", placeholder="made from the game if empty", max_chars=80,
    )  # fmt: skip
    left, right = st.columns(2, gap="medium")
    with left:
        spec = choose_game()
        game = make_game(spec)
        st.caption(GAME_NOTES.get(spec.name, plain(f"{game.title}, in {game.unit}.")))
        preset = st.radio("Preset", list(PRESETS), key="experiment_preset", horizontal=True)
        st.caption(PRESETS[preset][1])
    with right:
        grid = _grid(game)
    variants = grid.variants()
    _told(grid, variants)
    plan = _budget(Plan(name.strip() or _free_name(game), spec, variants, (0,), "calls", 1.0, baseline_of(variants)))
    return replace(_details(plan, game), target_mix=PRESETS[preset][0])


def _grid(game: Game) -> Grid:
    """Draws the choices whose product the variants are."""
    kind = "zero-sum" if game.zero_sum else "general"
    solvers = list(META_SOLVERS) if game.zero_sum else general_sum_solvers()
    oracles = st.multiselect(
        "Oracles", list(ORACLES), default=list(_ORACLES), key="experiment_oracles", wrap=True,
        help=f"{BASELINE} always takes part: as many programs of the same model, without any search.",
    )  # fmt: skip
    models = st.multiselect(
        "Models", ["synthesiser", *(f"gemini:{model}" for model in gemini_models())], default=["synthesiser"],
        key="experiment_models", accept_new_options=True, wrap=True,
        help="Choose or type, as on the command line: gemini:MODEL, openai:MODEL@BASE_URL.",
    )  # fmt: skip
    first, second = st.columns(2)
    contexts = first.multiselect(
        "Context", list(CONTEXTS), default=["code"], key="experiment_contexts", wrap=True,
        help=plain("; ".join(f"{name}: {words}" for name, words in CONTEXTS.items())),
    )  # fmt: skip
    chosen = second.multiselect(
        "Meta-solvers", solvers, default=[meta_solver_for(game, RunSettings.meta_solver)], wrap=True,
        key=f"experiment_solvers-{kind}", help="Turn payoffs into sigma, the mixture that the next program must beat.",
    )  # fmt: skip
    for words, several in (("oracle", oracles), ("model", models), ("context", contexts), ("meta-solver", chosen)):
        if not several:
            raise UsageError(f"the variants need at least one {words}: choose one")
    model_choice.key_fields((str(model).strip() for model in models), "new_experiment")
    return Grid(
        tuple(oracles), tuple(str(model).strip() for model in models), tuple(map(checked_context, contexts)),
        tuple(chosen),
    )  # fmt: skip


def _told(grid: Grid, variants: tuple[Variant, ...]) -> None:
    sizes = [len(grid.oracles) + (BASELINE not in grid.oracles), len(grid.models), len(grid.contexts),
             len(grid.meta_solvers)]  # fmt: skip
    words = ("oracle", "model", "context", "meta-solver")
    parts = [f"{size} {word}{'s' if size > 1 else ''}" for size, word in zip(sizes, words, strict=True)]
    added = f" {BASELINE} was added: a comparison needs it." if BASELINE not in grid.oracles else ""
    names = ", ".join(plain(short(variant.name, 40)) for variant in variants[:_MOST_SHOWN])
    more = f" and {len(variants) - _MOST_SHOWN} more" if len(variants) > _MOST_SHOWN else ""
    st.caption(f"{' × '.join(parts)} = **{len(variants)} variants**: {names}{more}.{added}")
    if Exact.name in grid.oracles:
        st.caption("The oracle exact makes no model calls: at equal calls it goes on to its last iteration.")


def _budget(plan: Plan) -> Plan:
    first, second, third, fourth, fifth = st.columns([0.14, 0.14, 0.22, 0.22, 0.28])
    count = first.number_input("Seeds", 1, 100, 5, key="experiment_seeds", help="Runs of each variant.")
    start = second.text_input(
        "First seed", key="experiment_first_seed", max_chars=40, placeholder="drawn",
        help="A number: the seeds from there on. Empty: every seed is drawn at random.",
    )  # fmt: skip
    resource: Resource = third.selectbox(
        "Equal", list(get_args(Resource)), key="experiment_resource", format_func=lambda one: COSTS.get(one, one),
        help="What all runs may use equally much of.",
    )  # fmt: skip
    whole = resource != "usd"
    usual = _USUAL[resource]
    budget = fourth.number_input(
        f"{COSTS[resource][:1].upper()}{COSTS[resource][1:]} a run", value=int(usual) if whole else usual,
        min_value=1 if whole else 0.01, step=10 if whole else 0.5, key=f"experiment_budget-{resource}",
    )  # fmt: skip
    names = [variant.name for variant in plan.variants]
    if st.session_state.get("experiment_baseline") not in names:
        st.session_state["experiment_baseline"] = plan.baseline
    baseline = fifth.selectbox(
        "Baseline", names, key="experiment_baseline", help="The variant that the others are compared with."
    )
    seeds = _seeds(start, int(count))
    return replace(plan, seeds=seeds, resource=resource, budget=float(budget), baseline=str(baseline))


def _seeds(start: str, count: int) -> tuple[Seed, ...]:
    """Returns the numbers from `start` on, or as many drawn ones, the same at every draw of the form.

    Raises:
        UsageError: it is no number.
    """
    if not start.strip():
        drawn: list[Seed] = st.session_state.setdefault(_DRAWN, [])
        drawn += [drawn_seed() for _ in range(count - len(drawn))]
        return tuple(drawn[:count])
    first = read_seed(start)
    if not is_number(first):
        raise UsageError(f"the first seed must be a number, got {first}: leave it empty to have all of them drawn")
    try:
        return numbered_seeds(int(first), count)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _details(plan: Plan, game: Game) -> Plan:
    usual = meta_solver_for(game, RunSettings.meta_solver)
    fits = list(META_SOLVERS) if game.zero_sum else general_sum_solvers()
    with st.expander("How runs play and how they are compared"):
        first, second = st.columns(2, gap="medium")
        attempts = first.number_input(
            "Attempts an iteration", 0, 200, 0, key="experiment_attempts", help="0: the default of each oracle.",
        )  # fmt: skip
        episodes = second.number_input(
            "Episodes a cell", 2, 1000, default_episodes(game), step=2, key=f"experiment_episodes-{game.spec.key}",
            help="Of the payoffs of each run; an even number, so that seats are fair.",
        )  # fmt: skip
        solver = first.selectbox(
            "Mixtures by", fits, index=fits.index(usual) if usual in fits else 0, key=f"experiment_solver-{len(fits)}",
            help="One meta-solver makes every mixture that is compared, whatever a run trains with.",
        )  # fmt: skip
        play = second.number_input(
            "Episodes a pair", 4, 1000, 8, step=2, key="experiment_play",
            help="Of every two policies that meet in the comparison; an even number.",
        )  # fmt: skip
        iterations = first.number_input(
            "Most iterations", 1, 1000, 200, key="experiment_iterations", help="A run ends there with budget left."
        )
        jobs = second.number_input(
            "Runs at a time", 0, 64, 0, key="experiment_jobs", help="0: as many as this machine has cores."
        )
        benchmark = _benchmark(game)
    return replace(
        plan, attempts=int(attempts), episodes=int(episodes), eval_solver=str(solver), play=int(play),
        benchmark=benchmark, most_iterations=int(iterations), jobs=int(jobs),
    )  # fmt: skip


def _benchmark(game: Game) -> str:
    fitting = benchmark_for(game)
    if fitting is None or missing(fitting):
        return ""
    wanted = st.checkbox(
        "PopReturn, PopExpl and AggScore as well", key="experiment_benchmark",
        help=f"Scores every mixture against {fitting.title}; some seconds an iteration.",
    )  # fmt: skip
    return fitting.name if wanted else ""


def _free_name(game: Game) -> str:
    taken = experiments.table().names()
    stem = f"oracles on {game.title}"[:70]
    return next(name for name in (stem, *(f"{stem} {i}" for i in range(2, 10**6))) if name not in taken)


def _sentence(text: str) -> str:
    return f"{text.rstrip('.')}."
