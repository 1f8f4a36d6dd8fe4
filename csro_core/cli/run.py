"""`run`: makes a run and works on it until its iterations are finished."""

import argparse
from dataclasses import dataclass, replace

from csro_core.cli import initial
from csro_core.cli.arguments import (
    add_caps,
    add_cluster,
    add_key,
    add_seed,
    caps_from,
    chosen_store,
    credentials_from,
    number,
    whole,
)
from csro_core.cli.output import note
from csro_core.cli.targets import read_game
from csro_core.cli.work import match_pool, work_on
from csro_core.errors import UsageError
from csro_core.evaluation.benchmark import BENCHMARKS, benchmark_named, checked_benchmark
from csro_core.evaluation.exact_play import require_exact_game
from csro_core.games import make_game
from csro_core.meta_solvers import META_SOLVERS, make_meta_solver
from csro_core.metagame.rounds import LEAST_STDERR, MOST_STDERR
from csro_core.models import known_models, make_model
from csro_core.oracles import ORACLES, make_oracle
from csro_core.oracles.context import CONTEXTS, SHOWN_CHOICES, checked_context, checked_shown
from csro_core.oracles.exact import Exact
from csro_core.runner import Runner
from csro_core.runner.forecast import checked_for, outlook
from csro_core.runner.writer import full_name
from csro_core.seeds import drawn_seed
from csro_core.store.defaults import default_episodes, meta_solver_for, meta_solver_note
from csro_core.store.records import Caps, RunSettings

NAME = "run"
HELP = "start a run and work on it here"

MAX_ITERATIONS = 1_000
MAX_CANDIDATES = 1_000


@dataclass(frozen=True)
class Preset:
    """A named choice of the training target."""

    target_mix: float
    explanation: str


PRESETS = {
    "psro": Preset(0.0, "plain PSRO: the target is sigma (m = 0)"),
    "robust": Preset(0.5, "Robust exploiter: half sigma, half uniform over behaviour clusters; not plain PSRO"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds what decides a run."""
    defaults = RunSettings(read_game("repeated_rps"))
    add = parser.add_argument
    add("--game", metavar="G", default="repeated_rps", help="see `games` (default: %(default)s)")
    add("--oracle", metavar="O", default=defaults.oracle, help=f"{', '.join(ORACLES)} (default: %(default)s)")
    add("--model", metavar="M", default=defaults.model, help=f"{', '.join(known_models())} (default: %(default)s)")
    add(
        "--meta-solver", metavar="S", default=defaults.meta_solver,
        help=f"{', '.join(META_SOLVERS)} (default: %(default)s)",
    )  # fmt: skip
    add(
        "--eval-solver", metavar="S", default=defaults.eval_solver,
        help="meta-solver of the mixture that is reported and scored (default: the same as --meta-solver)",
    )  # fmt: skip
    add("--iterations", metavar="N", type=whole(0, MAX_ITERATIONS), default=8, help="default: %(default)s")
    add_seed(parser)
    add("--target-mix", metavar="M", type=number(0, 1), default=None, help="m in tau = (1 - m) sigma + m uniform")
    presets = "; ".join(f"{name}: {preset.explanation}" for name, preset in PRESETS.items())
    add("--preset", choices=PRESETS, default="psro", help=presets)
    add("--admit", choices=("improving", "always"), default=defaults.admit, help="default: %(default)s")
    add("--candidates", metavar="K", type=whole(1, MAX_CANDIDATES), help="attempts an iteration (oracle's default)")
    add("--refine-all", action="store_true", help="linear-refinement spends all attempts")
    contexts = "; ".join(f"{name}: {words}" for name, words in CONTEXTS.items())
    add("--context", choices=CONTEXTS, default=defaults.context, help=f"{contexts} (default: %(default)s)")
    shown = "; ".join(f"{name}: {words}" for name, words in SHOWN_CHOICES.items())
    add("--opponents", metavar="WHICH", default=defaults.opponents, help=f"{shown}; or a number (default: %(default)s)")
    add("--initial", metavar="A,B", nargs="+", default=[], help=initial.HELP)
    add("--episodes", metavar="N", type=whole(2, 10_000), help="episodes of a payoff cell, even (default: the game's)")
    add(
        "--allocation", choices=("uniform", "adaptive"), default=defaults.allocation,
        help="uniform: every payoff cell has --episodes; adaptive: then more where they move sigma, up to 8 times as "
        "many (default: %(default)s)",
    )  # fmt: skip
    add(
        "--payoff-stderr", metavar="X", type=number(LEAST_STDERR, MOST_STDERR),
        help="with --allocation adaptive: the standard error that each policy's payoff against sigma shall have, in "
        "the unit of the game",
    )  # fmt: skip
    names = ", ".join(BENCHMARKS)
    add("--benchmark", metavar="B", default="", help=f"score sigma after every iteration: {names} (default: do not)")
    add("--name", metavar="TEXT", default="", help="a name for people")
    add_caps(parser)
    add_key(parser)
    add_cluster(parser)


def execute(args: argparse.Namespace) -> int:
    """Returns 0 where the run is done or was stopped; prints it.

    Raises:
        UsageError: a setting is not possible.
        CsroError: the run failed.
    """
    settings = settings_from(args)
    for wanted in dict.fromkeys((args.meta_solver, args.eval_solver or args.meta_solver)):
        about_solver = meta_solver_note(make_game(settings.game), wanted)
        if about_solver:
            note(about_solver)
    credentials = credentials_from(args)
    store = chosen_store(args, create=True)
    try:
        settings = replace(settings, model=full_name(store, settings.model))
        # Everything that can be wrong is looked at before there is a run.
        with match_pool(args.cluster) as pool:
            start = initial.read_start(args.initial, store, pool)
            settings = replace(settings, initial=start.names)
            run = store.create_run(args.name, settings, args.iterations, start.texts)
            note(outlook(store, settings, args.iterations).sentence)
            return work_on(args, store, run, args.iterations, Runner(store, run, pool, credentials))
    finally:
        store.close()


def settings_from(args: argparse.Namespace) -> RunSettings:
    """Returns the settings that the arguments ask for, without the initial policies.

    Raises:
        UsageError: a name is unknown, or a number does not fit.
    """
    spec = read_game(args.game)
    make_oracle(args.oracle)
    make_model(args.model)
    make_meta_solver(args.meta_solver)
    make_meta_solver(args.eval_solver or args.meta_solver)
    game = make_game(spec)
    if args.oracle == Exact.name:
        require_exact_game(game.spec)
    episodes = args.episodes or default_episodes(game)
    if args.benchmark:
        benchmark_named(args.benchmark).opponents()  # where this system lacks them, say so before there is a run
    if episodes % 2:
        raise UsageError(f"--episodes must be even, so that both seats count alike, got {episodes}")
    if args.payoff_stderr is not None and args.allocation != "adaptive":
        raise UsageError("--payoff-stderr needs --allocation adaptive: with uniform, --episodes decides")
    return RunSettings(
        game=spec,
        oracle=args.oracle,
        model=args.model,
        meta_solver=meta_solver_for(game, args.meta_solver),
        eval_solver=meta_solver_for(game, args.eval_solver) if args.eval_solver else "",
        seed=args.seed or drawn_seed(),
        target_mix=PRESETS[args.preset].target_mix if args.target_mix is None else args.target_mix,
        admit=args.admit,
        attempts=args.candidates or 0,
        refine_all=args.refine_all,
        episodes=episodes,
        cluster=args.cluster,
        context=checked_context(args.context),
        opponents=checked_shown(args.opponents),
        allocation=args.allocation,
        payoff_stderr=args.payoff_stderr,
        benchmark=checked_benchmark(args.benchmark, game),
        caps=checked_for(args.model, caps_from(args, Caps())),
    )
