"""`evaluate`: PopReturn, PopExpl and AggScore of a policy or of a run's final mixture over an evaluation population."""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from csro_core.cli.arguments import MAX_SEED, chosen_store, whole
from csro_core.cli.output import emit, interval, table
from csro_core.cli.targets import read_policy
from csro_core.errors import CsroError, NotFoundError, UsageError
from csro_core.evaluation.benchmark import BenchmarkResult, Mixture, evaluate_mixtures
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.seeds import derive
from csro_core.store import Store

NAME = "evaluate"
HELP = "score a policy or a run's final mixture against a fixed evaluation population"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the target, the population and how much is played."""
    parser.add_argument("target", metavar="TARGET", help="a run, a path, reference:NAME or policy:HASH")
    bots = "rrps: the 43 RoShamBo bots of OpenSpiel"
    parser.add_argument("--benchmark", choices=("rrps",), default="rrps", help=bots)
    parser.add_argument("--episodes", metavar="N", type=whole(1, 1000), default=10, help="a bot (default: %(default)s)")
    parser.add_argument("--champion", action="store_true", help="of a run: its champion instead of its mixture")
    parser.add_argument("--seed", metavar="S", type=whole(0, MAX_SEED), default=0, help="default: %(default)s")


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints the scores, and what went wrong in the matches.

    Raises:
        UsageError: there is no such target, or it plays another game.
        CsroError: a policy is refused: it has no score.
    """
    store = chosen_store(args, create=False)
    try:
        entrant = entrant_of(store, args.target, args.champion)
    finally:
        store.close()
    pool = LocalPool(make_game)
    try:
        (result,) = scores([entrant], args.episodes, args.seed, pool)
    finally:
        pool.close()
    refused = next((failure for failure in result.failures if failure.status == "refused"), None)
    if refused is not None:
        raise CsroError(f"a policy must pass the check before it is scored; {refused.message}")
    document = scores_document(result, entrant)
    rows = [(row["opponent"], row["mean"], 1.96 * row["stderr"]) for row in document["per_opponent"]]
    words = (
        f"PopReturn {interval(result.pop_return)}, PopExpl {interval(result.pop_expl)} ({result.nemesis}), "
        f"AggScore {interval(result.agg_score)}; {args.episodes} episodes a bot, net throws per 1,000-throw match"
    )
    failures = [f"forfeited: {failure['status']}: {failure['message']}" for failure in document["failures"]]
    emit(args, document, "\n".join([table(("bot", "mean", "± (95 %)"), rows), "", words, *failures]))
    return 0


def scores(entrants: Sequence[Mixture], episodes: int, seed: int, pool: LocalPool) -> list[BenchmarkResult]:
    """Returns how each entrant does against the 43 RoShamBo bots, on episodes that the seed alone decides.

    Raises:
        UsageError: there are no bots on this system.
    """
    return evaluate_mixtures(entrants, episodes, derive(seed, "benchmark"), pool)


def entrant_of(store: Store, target: str, champion: bool) -> Mixture:
    """Returns what a user wants scored.

    Args:
        store: where runs and hashes are looked up.
        target: a run, a path, `reference:NAME` or `policy:HASH`.
        champion: of a run, its champion instead of its final mixture.

    Raises:
        UsageError: there is no such target, or the run plays another game or has no solution yet.
    """
    try:
        run = store.run(target)
    except NotFoundError:
        return Mixture((read_policy(target, store),), (1.0,))
    if run.settings.game.key != "repeated_rps":
        played = run.settings.game.key
        raise UsageError(f"the benchmark rrps needs a run of repeated_rps with 1,000 throws, got {played}")
    members, solutions = store.members(run.id), store.solutions(run.id)
    if not solutions:
        raise UsageError(f"the run must have a solution before it is scored; run {run.id} has none yet")
    best = solutions[-1].extra.get("champion")
    if champion:
        if not best or "index" not in best:
            raise UsageError(f"run {run.id} has no champion yet: play at least 2 episodes a cell")
        return Mixture((members[int(best["index"])].policy.source,), (1.0,))
    return Mixture.without_negligible([member.policy.source for member in members], solutions[-1].sigma[0])


def scores_document(result: BenchmarkResult, entrant: Mixture) -> dict[str, Any]:
    """Returns scores as JSON data."""
    episodes = result.returns.shape[1]
    means = result.returns.mean(axis=1)
    spread = result.returns.std(axis=1, ddof=1) if episodes > 1 else np.full(means.shape, np.nan)
    return {
        "pop_return": result.pop_return.mean,
        "pop_return_stderr": result.pop_return.stderr,
        "pop_expl": result.pop_expl.mean,
        "pop_expl_split": result.pop_expl_split.mean,
        "agg_score": result.agg_score.mean,
        "agg_score_stderr": result.agg_score.stderr,
        "agg_score_split": result.agg_score_split.mean,
        "nemesis": result.nemesis,
        "episodes": episodes,
        "policies": len(entrant.sources),
        "left_out": entrant.left_out,
        "failures": [
            {"status": failure.status, "line": failure.line, "message": failure.message} for failure in result.failures
        ],
        "per_opponent": [
            {"opponent": bot, "mean": float(means[i]), "stderr": float(spread[i] / episodes**0.5)}
            for i, bot in enumerate(result.bots)
        ],
    }
