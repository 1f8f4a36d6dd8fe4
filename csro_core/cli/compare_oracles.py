"""`compare-oracles`: oracles at equal model calls and at equal episodes, over seeds, paired with best-of-n.

Every oracle gets the same settings and seed. A run is cut where its model calls reach the budget, and once more where
its episodes reach what the costliest of the searching oracles had used by then; the mixtures at the cuts meet each
other and policies that nobody trained against.
"""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from csro_core.cli.arguments import chosen_store, whole
from csro_core.cli.named_runs import finish, named_run
from csro_core.cli.output import emit, note, rounded, table
from csro_core.cli.run import PRESETS
from csro_core.cli.targets import read_game
from csro_core.cli.work import match_pool
from csro_core.errors import UsageError
from csro_core.evaluation.crossplay import OverSeeds, Team, cross_payoff, over_seeds
from csro_core.games import make_game
from csro_core.matches.jobs import MatchExecutor
from csro_core.metagame.population import Entry
from csro_core.oracles import ORACLES
from csro_core.policies.library import default_initial, reference_names, reference_text
from csro_core.policies.source import sha256
from csro_core.runner import Runner
from csro_core.seeds import Seed, numbered_seeds, run_secret
from csro_core.store import Store
from csro_core.store.defaults import default_episodes
from csro_core.store.records import RunSettings

NAME = "compare-oracles"
HELP = "compare oracles at equal model calls and at equal episodes over seeds (goes on where it was interrupted)"

BASELINE = "best-of-n"
COMPARED = ("best-of-n", "linear-refinement", "alpha-evolve", "zero-shot")
CUTS = {"calls": "equal model calls", "episodes": "equal episodes"}


@dataclass(frozen=True)
class Budget:
    """What a run may spend until it is cut; never more iterations than calls, since some iterations play nothing.

    Attributes:
        calls: model calls.
        episodes: episodes, which then count instead of calls; or None.
    """

    calls: int
    episodes: int | None

    def holds(self, calls: int, episodes: int) -> bool:
        """Returns True where so much is within it."""
        return calls <= self.calls if self.episodes is None else episodes <= self.episodes


@dataclass(frozen=True)
class Entrant:
    """A run at one of its iterations."""

    oracle: str
    iterations: int
    calls: int
    episodes: int
    team: Team


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds what is compared and at which cost."""
    add = parser.add_argument
    add("--game", metavar="G", default="repeated_rps", help="a symmetric game (default: %(default)s)")
    add("--model", metavar="M", default="synthesiser", help="who writes the policies (default: %(default)s)")
    add("--oracles", metavar="A,B", default=",".join(COMPARED), help=f"{BASELINE} among them (default: %(default)s)")
    add("--preset", choices=PRESETS, default="robust", help="the training target (default: %(default)s)")
    add("--calls", metavar="N", type=whole(1, 10_000), default=48, help="model calls a run (default: %(default)s)")
    add(
        "--candidates", metavar="K", type=whole(1, 1_000), default=16,
        help="calls an iteration; zero-shot always makes one (default: %(default)s)",
    )  # fmt: skip
    add("--seeds", metavar="N", type=whole(1, 1_000), default=10, help="how many seeds (default: %(default)s)")
    add("--first-seed", metavar="S", type=whole(0, 10**9), default=1_000, help="the first seed (default: %(default)s)")
    add("--play", metavar="E", type=whole(2, 10_000), default=16, help="episodes of a comparison (%(default)s)")


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints the paired differences.

    Raises:
        UsageError: an oracle or a setting is not possible.
        CsroError: a run failed.
    """
    oracles = _oracles(args)
    game = make_game(read_game(args.game))
    if not (game.symmetric and game.zero_sum):
        raise UsageError(f"mixtures are compared in a symmetric zero-sum game, which {game.title} is not")
    store = chosen_store(args, create=True)
    rows: list[dict[str, Any]] = []
    try:
        with match_pool() as pool:
            for seed in numbered_seeds(args.first_seed, args.seeds):
                rows += _seed_rows(args, oracles, store, pool, seed)
    finally:
        store.close()
    document = {
        "game": game.spec.to_json(), "unit": game.unit, "model": args.model, "preset": args.preset,
        "calls": args.calls, "candidates": args.candidates, "seeds": args.seeds, "first_seed": args.first_seed,
        "rows": rows, "summary": [_summary(rows, oracle, cut) for cut in CUTS for oracle in oracles],
    }  # fmt: skip
    emit(args, document, _words(document))
    return 0


def _oracles(args: argparse.Namespace) -> tuple[str, ...]:
    """Returns the oracles, the baseline first.

    Raises:
        UsageError: one is unknown, or the budget holds no iteration.
    """
    named = tuple(dict.fromkeys(name.strip() for name in args.oracles.split(",")))
    unknown = [name for name in named if name not in ORACLES]
    if unknown or BASELINE not in named:
        raise UsageError(f"--oracles takes {BASELINE} and any of {', '.join(ORACLES)}, got {args.oracles!r}")
    if args.calls < args.candidates:
        raise UsageError(f"--calls must be at least --candidates, got {args.calls} and {args.candidates}")
    return (BASELINE, *(name for name in named if name != BASELINE))


def _seed_rows(
    args: argparse.Namespace, oracles: tuple[str, ...], store: Store, pool: MatchExecutor, seed: Seed
) -> list[dict[str, Any]]:
    """Returns one row an oracle and cut."""
    settings = _settings(args, seed)
    within = Budget(args.calls, None)
    by_calls = {oracle: _until(store, pool, _named(args, oracle, settings), within) for oracle in oracles}
    most = max(one.episodes for oracle, one in by_calls.items() if oracle != "zero-shot")
    within = Budget(args.calls, most)
    by_episodes = {oracle: _until(store, pool, _named(args, oracle, settings), within) for oracle in oracles}
    game = make_game(settings.game)
    seeds = run_secret(seed).episode_seeds("cross-play", 0, args.play)
    rows = []

    @cache
    def payoff(own: Team, other: Team) -> float:
        return cross_payoff(game, pool, own, other, seeds).mean

    for cut, entrants in (("calls", by_calls), ("episodes", by_episodes)):
        for oracle, entrant in entrants.items():
            base = entrants[BASELINE].team
            held = [payoff(entrant.team, rival) for rival in _held_out(settings)]
            rows.append({
                "seed": seed, "cut": cut, "oracle": oracle, "iterations": entrant.iterations, "calls": entrant.calls,
                "episodes": entrant.episodes,
                "versus_baseline": 0.0 if oracle == BASELINE else payoff(entrant.team, base),
                "held_out_mean": float(np.mean(held)), "held_out_worst": min(held),
            })  # fmt: skip
            note("  ".join(rounded(value) for value in rows[-1].values()))
    return rows


def _settings(args: argparse.Namespace, seed: Seed) -> RunSettings:
    spec = read_game(args.game)
    return RunSettings(
        spec, model=args.model, seed=seed, target_mix=PRESETS[args.preset].target_mix, attempts=args.candidates,
        refine_all=True, episodes=default_episodes(make_game(spec)),
    )  # fmt: skip


def _named(args: argparse.Namespace, oracle: str, settings: RunSettings) -> tuple[str, RunSettings]:
    name = f"compare-{settings.game.key}-{args.preset}-{args.candidates}-{oracle}-seed-{settings.seed}"
    return name, replace(settings, oracle=oracle)


def _until(store: Store, pool: MatchExecutor, named: tuple[str, RunSettings], budget: Budget) -> Entrant:
    """Returns a run at its last iteration within a budget; iterates it as far as is needed.

    Raises:
        UsageError: a run of that name has other settings.
        CsroError: the run failed.
    """
    name, settings = named
    run = named_run(store, name, settings, 0, NAME)
    while True:
        spent = _spent(store, run)
        inside = [iterations for iterations, (calls, episodes) in spent.items() if budget.holds(calls, episodes)]
        # An iteration makes a call at least, so a run that has used up its calls need not go on to show it.
        used_up = budget.episodes is None and spent[len(spent) - 1][0] >= budget.calls
        if used_up or len(inside) < len(spent) or len(spent) > budget.calls:
            return _at(store, run, settings, max(inside), spent)
        finish(store, run, len(spent), Runner(store, run, pool))


def _spent(store: Store, run: str) -> Mapping[int, tuple[int, int]]:
    """Returns what a run had spent after each number of iterations: (model calls, episodes)."""
    spent = {0: (0, 0)}
    for record in store.iterations(run):
        calls, episodes = spent[record.iteration - 1]
        spent[record.iteration] = (calls + record.attempts, episodes + (record.episodes or 0))
    return spent


def _at(
    store: Store, run: str, settings: RunSettings, iterations: int, spent: Mapping[int, tuple[int, int]]
) -> Entrant:
    members = [member for member in store.members(run) if member.iteration <= iterations]
    entries = [Entry(m.policy.hash, m.policy.tree_hash, m.policy.source, m.name) for m in members]
    solution = [one for one in store.solutions(run) if one.iteration <= iterations][-1]
    calls, episodes = spent[iterations]
    return Entrant(settings.oracle, iterations, calls, episodes, Team.of(entries, solution.reported_sigma[0]))


def _held_out(settings: RunSettings) -> list[Team]:
    """Returns the reference policies that no run began with, each as a mixture of its own; never uniform random."""
    game = settings.game.name
    names = [name for name in reference_names(game) if name not in (*default_initial(game), "uniform")]
    texts = {name: reference_text(name) for name in names}
    return [Team((Entry(sha256(text), sha256(text), text, name),), (1.0,)) for name, text in texts.items()]


def _summary(rows: list[dict[str, Any]], oracle: str, cut: str) -> dict[str, Any]:
    own = [row for row in rows if row["oracle"] == oracle and row["cut"] == cut]
    base = [row for row in rows if row["oracle"] == BASELINE and row["cut"] == cut]

    def differences(key: str) -> OverSeeds:
        return over_seeds(np.array([row[key] - other[key] for row, other in zip(own, base, strict=True)]))

    return {
        "cut": cut, "oracle": oracle, "seeds": len(own),
        "iterations": float(np.median([row["iterations"] for row in own])),
        "calls": float(np.median([row["calls"] for row in own])),
        "episodes": float(np.median([row["episodes"] for row in own])),
        "held_out_mean": float(np.mean([row["held_out_mean"] for row in own])),
        "versus_baseline": differences("versus_baseline"),
        "held_out_mean_difference": differences("held_out_mean"),
        "held_out_worst_difference": differences("held_out_worst"),
    }  # fmt: skip


def _words(document: dict[str, Any]) -> str:
    heads = (
        "oracle", "iterations", "calls", "episodes", f"against {BASELINE}", "seeds ahead", "held out", "difference",
        "worst held out, difference",
    )  # fmt: skip
    parts = [f"{document['unit']}; ± is a 95 % interval over {document['seeds']} seeds (paired, Student's t)"]
    for cut, title in CUTS.items():
        lines = [
            (one["oracle"], one["iterations"], one["calls"], one["episodes"], str(one["versus_baseline"]),
             f"{one['versus_baseline'].above} of {one['seeds']}", one["held_out_mean"],
             str(one["held_out_mean_difference"]), str(one["held_out_worst_difference"]))
            for one in document["summary"] if one["cut"] == cut
        ]  # fmt: skip
        parts += ["", f"At {title}:", table(heads, lines)]
    return "\n".join(parts)
