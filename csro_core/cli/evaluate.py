"""`evaluate`: PopReturn, PopExpl and AggScore of a policy, a bot or a run's final mixture over a fixed population."""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from csro_core.cli.arguments import MAX_SEED, chosen_store, whole
from csro_core.cli.output import emit, interval, table
from csro_core.cli.targets import bot_name, read_policy
from csro_core.errors import CsroError, NotFoundError, UsageError
from csro_core.evaluation.benchmark import (
    BENCHMARKS,
    INFORMED_NOTE,
    Benchmark,
    Mixture,
    benchmark_named,
    evaluate_bot,
    evaluate_mixtures,
)
from csro_core.evaluation.benchmark_scores import BenchmarkResult
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.seeds import derive
from csro_core.store import Store

NAME = "evaluate"
HELP = "score a policy, a bot or a run's final mixture against a fixed evaluation population"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the target, the population and how much is played."""
    targets = "a run, a path, reference:NAME, policy:HASH, bot:NAME, cfr:ITERATIONS or vad-cfr:ITERATIONS"
    parser.add_argument("target", metavar="TARGET", help=targets)
    populations = "; ".join(f"{one.name}: {one.title}" for one in BENCHMARKS.values())
    parser.add_argument("--benchmark", choices=tuple(BENCHMARKS), default="rrps", help=f"{populations} (%(default)s)")
    usual = ", ".join(f"{one.episodes} for {one.name}" for one in BENCHMARKS.values())
    parser.add_argument("--episodes", metavar="N", type=whole(1, 10_000), help=f"an opponent (default: {usual})")
    parser.add_argument("--champion", action="store_true", help="of a run: its champion instead of its mixture")
    parser.add_argument("--seed", metavar="S", type=whole(0, MAX_SEED), default=0, help="default: %(default)s")


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints the scores, and what went wrong in the matches.

    Raises:
        UsageError: there is no such target, or it plays another game.
        CsroError: a policy is refused: it has no score.
    """
    benchmark = benchmark_named(args.benchmark)
    episodes = args.episodes or benchmark.episodes
    entrant, result, note = _scored(args, benchmark, episodes)
    refused = next((failure for failure in result.failures if failure.status == "refused"), None)
    if refused is not None:
        raise CsroError(f"a policy must pass the check before it is scored; {refused.message}")
    document = {"benchmark": benchmark.name, "unit": benchmark.unit, **scores_document(result, entrant)}
    document |= {"episodes": episodes, "note": note}
    rows = [(row["opponent"], row["mean"], 1.96 * row["stderr"]) for row in document["per_opponent"]]
    words = (
        f"PopReturn {interval(result.pop_return)}, PopExpl {interval(result.pop_expl)} ({result.nemesis}), "
        f"AggScore {interval(result.agg_score)}; {episodes} episodes an opponent, {benchmark.unit}"
    )
    halves = (
        f"nemesis chosen on one half and valued on the other: PopExpl {interval(result.pop_expl_split)}, "
        f"AggScore {interval(result.agg_score_split)}"
    )
    failures = [f"forfeited: {failure['status']}: {failure['message']}" for failure in document["failures"]]
    notes = [note] if note else []
    lines = [table(("opponent", "mean", "± (95 %)"), rows), "", words, halves, *failures, *notes]
    emit(args, document, "\n".join(lines))
    return 0


def _scored(args: argparse.Namespace, benchmark: Benchmark, episodes: int) -> tuple[Mixture, BenchmarkResult, str]:
    """Returns what is scored, how it does, and what has to stand beside it.

    Raises:
        UsageError: there is no such target, or it plays another game.
    """
    bot = bot_name(args.target)
    if bot is not None:
        if benchmark.name != "rrps":
            raise UsageError(f"{args.target!r} plays repeated_rps only: evaluate it with --benchmark rrps")
        pool = LocalPool(make_game)
        try:
            return Mixture(("",), (1.0,)), evaluate_bot(bot, episodes, derive(args.seed, "benchmark"), pool), ""
        finally:
            pool.close()
    store = chosen_store(args, create=False)
    try:
        entrant = entrant_of(store, args.target, args.champion, benchmark)
        note = INFORMED_NOTE if is_informed(store, args.target) else ""
    finally:
        store.close()
    pool = LocalPool(make_game)
    try:
        (result,) = scores(benchmark, [entrant], episodes, args.seed, pool)
    finally:
        pool.close()
    return entrant, result, note


def scores(
    benchmark: Benchmark, entrants: Sequence[Mixture], episodes: int, seed: int, pool: LocalPool
) -> list[BenchmarkResult]:
    """Returns how each entrant does against the evaluation population, on episodes that the seed alone decides.

    Raises:
        UsageError: this system lacks the population.
    """
    return evaluate_mixtures(benchmark, entrants, episodes, derive(seed, "benchmark"), pool)


def entrant_of(store: Store, target: str, champion: bool, benchmark: Benchmark) -> Mixture:
    """Returns what a user wants scored.

    Args:
        store: where runs and hashes are looked up.
        target: a run, a path, `reference:NAME`, `policy:HASH`, or a solver with its iterations.
        champion: of a run, its champion instead of its final mixture.
        benchmark: what it is scored by.

    Raises:
        UsageError: there is no such target, or the run plays another game or has no solution yet.
    """
    try:
        run = store.run(target)
    except NotFoundError:
        return Mixture((read_policy(target, store, benchmark.game),), (1.0,))
    if run.settings.game.key != benchmark.game.key:
        played, wanted = (make_game(spec).title for spec in (run.settings.game, benchmark.game))
        raise UsageError(f"the benchmark {benchmark.name} needs a run of {wanted}, got {played}")
    members, solutions = store.members(run.id), store.solutions(run.id)
    if not solutions:
        raise UsageError(f"the run must have a solution before it is scored; run {run.id} has none yet")
    best = solutions[-1].extra.get("champion")
    if champion:
        if not best or "index" not in best:
            raise UsageError(f"run {run.id} has no champion yet: play at least 2 episodes a cell")
        return Mixture((members[int(best["index"])].policy.source,), (1.0,))
    return Mixture.without_negligible([member.policy.source for member in members], solutions[-1].sigma[0])


def is_informed(store: Store, target: str) -> bool:
    """Returns whether a run's policies come from the synthesiser, so that `INFORMED_NOTE` has to stand beside them."""
    try:
        return store.run(target).settings.model.partition(":")[0] == "synthesiser"
    except NotFoundError:
        return False


def scores_document(result: BenchmarkResult, entrant: Mixture) -> dict[str, Any]:
    """Returns scores as JSON data."""
    samples = result.returns.shape[1]
    means = result.returns.mean(axis=1)
    spread = result.returns.std(axis=1, ddof=1) if samples > 1 else np.full(means.shape, np.nan)
    return {
        "pop_return": result.pop_return.mean,
        "pop_return_stderr": result.pop_return.stderr,
        "pop_expl": result.pop_expl.mean,
        "pop_expl_stderr": result.pop_expl.stderr,
        "pop_expl_split": result.pop_expl_split.mean,
        "pop_expl_split_stderr": result.pop_expl_split.stderr,
        "agg_score": result.agg_score.mean,
        "agg_score_stderr": result.agg_score.stderr,
        "agg_score_split": result.agg_score_split.mean,
        "agg_score_split_stderr": result.agg_score_split.stderr,
        "nemesis": result.nemesis,
        "policies": len(entrant.sources),
        "left_out": entrant.left_out,
        "failures": [
            {"status": failure.status, "line": failure.line, "message": failure.message} for failure in result.failures
        ],
        "per_opponent": [
            {"opponent": opponent, "mean": float(means[i]), "stderr": float(spread[i] / samples**0.5)}
            for i, opponent in enumerate(result.opponents)
        ],
    }
