"""The form for a new run: one sentence of explanation per choice, an estimate, and a run at the end."""

from dataclasses import dataclass, replace
from statistics import median

import streamlit as st

from app import address, own_matrix, services
from app.formats import duration, plain
from app.panels import budget, model_choice, new_run_start, precision
from app.panels.benchmark import missing
from app.panels.new_run_start import Start
from app.panels.seed_field import read_seed
from csro_core.errors import CsroError, UsageError
from csro_core.evaluation.benchmark import benchmark_for
from csro_core.games import catalogue, list_games, make_game, parse_game
from csro_core.games.base import Game, GameSpec
from csro_core.games.matrix import PRESETS as MATRICES
from csro_core.games.matrix import spec_from_csv_text
from csro_core.matches.cluster import checked_address
from csro_core.meta_solvers import META_SOLVERS, make_meta_solver
from csro_core.oracles import ORACLES
from csro_core.oracles.context import CONTEXTS, SHOWN_CHOICES, ContextKind, checked_context, checked_shown
from csro_core.policies.library import UNIFORM_NOTE, default_initial, reference_names
from csro_core.runner.forecast import checked_for, outlook
from csro_core.store.defaults import default_episodes, general_sum_solvers
from csro_core.store.records import RunSettings

PASTED = "another matrix (paste or upload)"
PSRO, ROBUST = "PSRO", "Robust exploiter"
PRESETS = {
    PSRO: (0.0, "Train against sigma alone (m = 0): plain PSRO, the algorithm of the paper."),
    ROBUST: (
        0.5,
        "Train against 50 % sigma + 50 % uniform over behaviour clusters: not plain PSRO. Wins more against strangers.",
    ),
}
"""Preset → m and its explanation."""

GAME_NOTES = {
    "repeated_rps": "Two programs throw again and again and see each other's throws: throws won minus throws lost.",
    "matrix": "The classroom: one choice each, the answer is known, and the exploitability on the chart is exact.",
    "repeated_leduc": "A hundred hands of the smallest poker with a board card against the same opponent.",
    "leduc_poker": "One hand of the smallest poker with a board card: chips won, with exact answers to compare with.",
    "kuhn_poker": "Three cards and one bet: the smallest poker, where bluffing can be worked out on paper.",
    "liars_dice": "One die each, bids that may be lies, and a challenge that ends it.",
}
"""One sentence for each game that this page knows."""

SAME_SOLVER = "the same meta-solver"
_SOLVER_HELP = "Turns payoffs into sigma, the mixture that the next program has to beat."
_EVALUATOR_HELP = "Makes the mixture that is scored and compared: runs are compared fairly by one solver."

SAME_GAME = "same game"
"""The choice of the game of the run that the form began with, whatever its parameters are."""

_OPEN = "new_run_wanted"
_LIKE = "new_run_like"
_DEFAULT_THROWS, _MOST_THROWS = 1000, 10_000
_DEFAULT_HANDS, _MOST_HANDS = 100, 1_000


@dataclass(frozen=True)
class Wish:
    """What the form has gathered."""

    name: str
    settings: RunSettings
    iterations: int


def want_like(run: str) -> None:
    """Asks for the form, filled in with the settings of a run."""
    st.session_state[_OPEN] = True
    st.session_state[_LIKE] = run


def dialog_where_wanted() -> None:
    """Opens the form where somebody asked for it."""
    if st.session_state.get(_OPEN):
        _dialog()


def _close() -> None:
    st.session_state[_OPEN] = False
    st.session_state.pop(_LIKE, None)


@st.dialog("New run", width="large", on_dismiss=_close, icon=":material/add:")
def _dialog() -> None:
    form()


def form() -> None:
    """Draws the form; creates the run and shows it."""
    start = new_run_start.of_run(st.session_state.get(_LIKE, ""))
    if start.said:
        st.caption(start.said)
    try:
        wish = _gather(start)
        make_game(wish.settings.game)
    except UsageError as error:
        st.error(plain(str(error)), icon=":material/error:")
        st.button("Create", type="primary", disabled=True, key="create_disabled")
        return
    st.caption(estimate(wish))
    create, create_and_run, _ = st.columns([0.2, 0.35, 0.45])
    at_once = create_and_run.button(
        f"Create and run {wish.iterations} iterations", type="primary", key="create_and_run", width="stretch"
    )
    if not (create.button("Create", key="create", width="stretch") or at_once):
        return
    try:
        texts = new_run_start.texts(wish.settings.initial, start)
        run = services.store().create_run(wish.name, wish.settings, wish.iterations, texts)
    except CsroError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    address.open_run(run)
    _close()
    if at_once:
        services.ask(run, "run", {"iterations": wish.iterations})
    st.rerun()


def _gather(start: Start) -> Wish:
    like = start.settings
    left, right = st.columns(2, gap="medium")
    with left:
        spec = choose_game(start.game)
        game = make_game(spec)
        st.caption(GAME_NOTES.get(spec.name, plain(f"{game.title}, in {game.unit}.")))
        mix = _target_mix(like.target_mix)
        initial = _initial(game, start)
    with right:
        oracles = list(ORACLES)
        oracle = st.selectbox("Oracle", oracles, index=_place(oracles, like.oracle), key="new_oracle")
        st.caption(_as_sentence(ORACLES[oracle].explanation))
        model = model_choice.choose(spec.name, like.model)
        solver, evaluator = _solvers(game, like)
    first, second, third, fourth = st.columns(4)
    iterations = first.number_input(
        "Iterations", 1, 1000, start.iterations, key="new_iterations", help="How often the loop runs."
    )
    attempts = second.number_input(
        "Attempts", 1, 200, start.attempts(oracle, ORACLES[oracle].default_attempts), key=f"new_attempts-{oracle}",
        help="The most programs that the oracle may ask for in one iteration.",
    )  # fmt: skip
    episodes = third.number_input(
        "Episodes a cell", 2, 1000, start.episodes(spec, default_episodes(game)), step=2,
        key=f"new_episodes-{spec.key}", help="Matches behind each payoff; an even number, so that seats are fair.",
    )  # fmt: skip
    seed = fourth.text_input(
        "Seed", like.seed, key="new_seed", max_chars=60, placeholder="drawn",
        help="A number or 26 letters. Equal seeds and settings give equal runs; empty: drawn at random, and shown.",
    )  # fmt: skip
    context, shown = _exposure(like)
    with st.expander("How well payoffs are known"):
        allocation, payoff_stderr = precision.fields(game, like)
    benchmark = _benchmark(game, bool(like.benchmark))
    name = st.text_input("Name", key="new_name", placeholder="made from game and oracle if empty", max_chars=100)
    with st.expander("Budget"):
        caps = budget.fields("new", like.caps)
    with st.expander("More than one machine"):
        cluster = st.text_input(
            "Cluster (optional)", like.cluster, key="new_cluster", max_chars=300,
            placeholder="tcp://host:port or tls://host:port",
            help="Address of a Dask scheduler whose workers play the matches; empty: this machine. "
            "Results are the same. The README says how to start one.",
        )  # fmt: skip
    settings = replace(
        like,
        game=game.spec,
        oracle=oracle,
        model=model,
        meta_solver=solver,
        eval_solver=evaluator,
        seed=read_seed(seed),
        target_mix=mix,
        refine_all=like.refine_all and oracle == like.oracle,
        attempts=0 if attempts == ORACLES[oracle].default_attempts else int(attempts),
        initial=initial,
        episodes=int(episodes),
        cluster=checked_address(cluster) if cluster.strip() else "",
        caps=checked_for(model, caps),
        context=context,
        opponents=shown,
        allocation=allocation,
        payoff_stderr=payoff_stderr,
        benchmark=benchmark,
    )
    return Wish(name, settings, int(iterations))


def _target_mix(like: float) -> float:
    """Returns the chosen m; that of the run that the form began with can be chosen where no preset has it."""
    presets = dict(PRESETS)
    if all(like != mix for mix, _ in PRESETS.values()):
        presets[f"m = {like:g}"] = (like, "Train against a mixture of sigma and uniform, as the run it began with.")
    place = [mix for mix, _ in presets.values()].index(like)
    preset = st.radio("Preset", list(presets), index=place, key="new_preset", horizontal=True)
    mix, words = presets[preset or PSRO]
    st.caption(words)
    return mix


def _benchmark(game: Game, like: bool) -> str:
    """Returns the benchmark that sigma is scored by after every iteration, "" for none; asks where the game has one."""
    fitting = benchmark_for(game)
    if fitting is None or missing(fitting):
        return ""
    wanted = st.checkbox(
        "Score sigma by the benchmark after every iteration", like, key="new_benchmark",
        help=f"Against {fitting.title}; nobody trains against them. It takes some seconds an iteration.",
    )  # fmt: skip
    return fitting.name if wanted else ""


def _exposure(like: RunSettings) -> tuple[ContextKind, str]:
    """Returns how opponents are shown to the model, and which of them."""
    with st.expander("What the model sees of the opponents"):
        left, right = st.columns(2)
        contexts = "; ".join(f"{name}: {words}" for name, words in CONTEXTS.items())
        kinds = list(CONTEXTS)
        context = left.selectbox(
            "Shown as", kinds, index=_place(kinds, like.context), key="new_context", help=_as_sentence(contexts)
        )
        choices = list(dict.fromkeys([*SHOWN_CHOICES, like.opponents]))
        words = "; ".join(f"{name}: {words}" for name, words in SHOWN_CHOICES.items())
        shown = right.selectbox(
            "Which opponents", choices, index=choices.index(like.opponents), key="new_opponents",
            accept_new_options=True,
            help=_as_sentence(f"{words}; or type a number. Who is played stays the same"),
        )  # fmt: skip
    return checked_context(context), checked_shown(str(shown).strip())


def _as_sentence(text: str) -> str:
    return plain(f"{text[:1].upper()}{text[1:].rstrip('.')}.")


def _place(names: list[str], wanted: str) -> int:
    return names.index(wanted) if wanted in names else 0


def _solvers(game: Game, like: RunSettings) -> tuple[str, str]:
    """Returns the chosen meta-solver and the evaluation solver, "" for the same one; only those that fit the game."""
    fit = list(META_SOLVERS) if game.zero_sum else general_sum_solvers()
    kind = "zero-sum" if game.zero_sum else "general"
    left, right = st.columns(2)
    first = _place(fit, like.meta_solver)
    solver = str(left.selectbox("Meta-solver", fit, index=first, key=f"new_solver-{kind}", help=_SOLVER_HELP))
    others = [SAME_SOLVER, *fit]
    evaluator = str(
        right.selectbox(
            "Evaluated by", others, index=_place(others, like.eval_solver), key=f"new_eval_solver-{kind}",
            help=_EVALUATOR_HELP,
        )
    )  # fmt: skip
    st.caption(_as_sentence(make_meta_solver(solver).explanation))
    if not game.zero_sum:
        left_out = ", ".join(name for name in META_SOLVERS if name not in fit)
        st.info(f"This game is not constant-sum: {left_out} are for zero-sum games only.", icon=":material/info:")
    return solver, "" if evaluator in {SAME_SOLVER, solver} else evaluator


def choose_game(like: GameSpec | None = None) -> GameSpec:
    """Draws the choice of a game with its parameters.

    Args:
        like: a game that can be chosen as it is, and comes first.

    Returns:
        The game.

    Raises:
        UsageError: what is filled in makes no game.
    """
    games = {game.spec.name: game for game in list_games()}
    others = {entry.name: entry for entry in catalogue()}
    titles = {name: game.title for name, game in games.items()}
    for entry in others.values():
        titles[entry.name] = f"{entry.title} ({entry.name})" + (f": no, {entry.reason}" if entry.reason else "")
    fit = [name for name, entry in others.items() if not entry.reason]
    same = [] if like is None else [SAME_GAME]
    if like is not None:
        titles[SAME_GAME] = f"the same: {make_game(like).title}"
    chosen = st.selectbox(
        "Game", [*same, *games, *fit, *(name for name in others if name not in fit)], key="new_game",
        format_func=lambda name: titles.get(str(name), str(name)),
        help=f"Type to search: these {len(games)} first, then {len(others)} more of OpenSpiel; those that cannot be "
        "played come last, with the reason.",
    )  # fmt: skip
    if chosen == SAME_GAME and like is not None:
        return like
    if chosen in others or chosen in {"leduc_poker", "kuhn_poker", "liars_dice"}:
        return _openspiel(chosen)
    if chosen == "repeated_leduc":
        hands = st.number_input("Hands an episode", 1, _MOST_HANDS, _DEFAULT_HANDS, key="new_hands")
        reveal = st.checkbox(
            "Show both cards after every hand", key="new_reveal",
            help="Off: a card is shown at a showdown only, as at a table. On: as in the game of the paper.",
        )  # fmt: skip
        return make_game(GameSpec(chosen, {"num_hands": int(hands), "reveal": reveal})).spec
    if chosen == "repeated_rps":
        throws = st.number_input(
            "Throws a match", 1, _MOST_THROWS, _DEFAULT_THROWS, key="new_throws", help="1,000 is the game of the paper."
        )
        return make_game(GameSpec(chosen, {"num_throws": int(throws)})).spec
    return _matrix() if chosen == "matrix" else games[chosen].spec


def _matrix() -> GameSpec:
    """Returns the chosen matrix, one of ours or one that is pasted or uploaded."""
    which = st.selectbox(
        "Matrix", [*MATRICES, PASTED], key="new_matrix", format_func=lambda name: str(name).replace("_", " ")
    )
    if which != PASTED:
        return make_game(GameSpec("matrix", {"preset": which})).spec
    upload = st.file_uploader("CSV file", type=["csv", "txt"], key="new_matrix_file", max_upload_size=own_matrix.MAX_MB)
    typed = st.text_area(
        "… or paste it",
        value="0, -1, 1\n1, 0, -1\n-1, 1, 0",
        key="new_matrix_text",
        height=96,
        help="One row a line; each number is the payoff to the row player, zero-sum.",
    )
    if upload is None:
        return spec_from_csv_text(typed)
    try:
        return spec_from_csv_text(upload.getvalue().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError("a matrix must be a text file in UTF-8, one row a line; got something else") from error


def _openspiel(name: str) -> GameSpec:
    """Returns a game of OpenSpiel with the parameters that are typed."""
    typed = st.text_input(
        "Parameters", key=f"new_parameters-{name}", max_chars=500, placeholder="none: num_cards=4, or as OpenSpiel has",
        help="Written name=value, with commas between them. A wrong name is answered with the right ones.",
    )  # fmt: skip
    return parse_game(f"{name}({typed.strip()})" if typed.strip() else name)


def _initial(game: Game, start: Start) -> tuple[str, ...]:
    name = game.spec.name
    given = start.initial(game.spec)
    default = list(default_initial(name)) if given is None else given
    chosen = st.multiselect(
        "Initial population",
        list(dict.fromkeys([*reference_names(name), *default])),
        default=default,
        key=f"new_initial-{name}",
        wrap=True,
        format_func=new_run_start.policy_title,
        help="The policies that the run starts from, in this order.",
    )
    if not chosen:
        raise UsageError("the initial population must have at least 1 policy, got none: choose one")
    if "uniform" in chosen:
        st.warning(UNIFORM_NOTE, icon=":material/info:")
    elif "uniform" in reference_names(name):
        st.caption(f"Not among them by default: {UNIFORM_NOTE}.")
    return () if tuple(chosen) == tuple(default_initial(name)) else tuple(map(_word, chosen))


def _word(policy: str) -> str:
    return policy if new_run_start.is_text(policy) else f"reference:{policy}"


def estimate(wish: Wish) -> str:
    """Returns what the run will take, after the finished runs of this store with the same game and oracle."""
    known = [
        run.seconds / run.iteration
        for run in services.store().runs()
        if run.iteration
        and run.seconds > 0
        and (run.settings.game, run.settings.oracle, run.settings.model, run.settings.attempts)
        == (wish.settings.game, wish.settings.oracle, wish.settings.model, wish.settings.attempts)
    ]
    calls = plain(outlook(services.store(), wish.settings, wish.iterations).sentence)
    calls = f"{calls} Each program is played in its own jailed process."
    if not known:
        return f"{calls} How long that takes is known after the first run with these settings."
    seconds = median(known)
    total = duration(seconds * wish.iterations)
    return f"{calls} About {duration(seconds)} an iteration, {total} in all, as in earlier runs here."
