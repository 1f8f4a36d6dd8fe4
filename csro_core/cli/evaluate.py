"""`evaluate`: PopReturn, PopExpl and AggScore of a policy, a bot or a run's final mixture over a fixed population."""

import argparse
from collections.abc import Sequence

from csro_core.cli.arguments import add_seed, chosen_store, whole
from csro_core.cli.dice import dice_of
from csro_core.cli.output import emit, interval, table
from csro_core.cli.targets import bot_name, read_policy
from csro_core.errors import NotFoundError, UsageError
from csro_core.evaluation.benchmark import (
    BENCHMARKS,
    Benchmark,
    Mixture,
    benchmark_named,
    evaluate_bot,
    evaluate_mixtures,
)
from csro_core.evaluation.benchmark_scores import BenchmarkResult
from csro_core.evaluation.documents import benchmark_document
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.matches.tasks import TaskPool
from csro_core.runner.notes import benchmark_note
from csro_core.seeds import Seed, run_secret
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
    parser.add_argument(
        "--each-iteration", action="store_true", help="of a run: the mixture after every iteration, each policy once"
    )
    add_seed(parser)


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints the scores, and what went wrong in the matches.

    Raises:
        UsageError: there is no such target, or it plays another game.
        CsroError: a policy is refused: it has no score.
    """
    benchmark = benchmark_named(args.benchmark)
    episodes = args.episodes or benchmark.episodes
    if args.each_iteration:
        return _course(args, benchmark, episodes)
    entrant, result, note, seed = _scored(args, benchmark, episodes)
    document = benchmark_document(benchmark, result, entrant, episodes, note) | {"seed": seed}
    rows = [(row["opponent"], row["mean"], 1.96 * row["stderr"]) for row in document["per_opponent"]]
    words = (
        f"PopReturn {interval(result.pop_return)}, PopExpl {interval(result.pop_expl)} ({result.nemesis}), "
        f"AggScore {interval(result.agg_score)}; {episodes} episodes an opponent, {benchmark.unit}, "
        f"seed {seed}"
    )
    halves = (
        f"nemesis chosen on one half and valued on the other: PopExpl {interval(result.pop_expl_split)}, "
        f"AggScore {interval(result.agg_score_split)}"
    )
    failures = [f"forfeited: {failure['status']}: {failure['message']}" for failure in document["failures"]]
    told = [f"forfeits: {result.forfeits.words}"] if not result.forfeits.clean else []
    notes = [*told, *([note] if note else [])]
    lines = [table(("opponent", "mean", "± (95 %)"), rows), "", words, halves, *failures, *notes]
    emit(args, document, "\n".join(lines))
    return 0


def _course(args: argparse.Namespace, benchmark: Benchmark, episodes: int) -> int:
    """Returns 0; prints what sigma scored after every iteration of a run.

    Raises:
        UsageError: the target is no run, or plays another game.
    """
    if args.champion:
        raise UsageError("--each-iteration scores mixtures: leave out --champion")
    store = chosen_store(args, create=False)
    try:
        try:
            run = store.run(args.target)
        except NotFoundError:
            raise UsageError(f"--each-iteration is for a run, which {args.target!r} is not: leave it out") from None
        last = entrant_of(store, run.id, False, benchmark)
        texts = [member.policy.source for member in store.members(run.id)]
        # Of the solutions after one iteration the last counts: edits and further episodes come before it.
        by_iteration = {solution.iteration: solution.reported_sigma[0] for solution in store.solutions(run.id)}
        note = benchmark_note(store, last.sources)
        seed, secret = dice_of(args, store)
    finally:
        store.close()
    mixtures = [Mixture.without_negligible(texts[: len(sigma)], sigma) for sigma in by_iteration.values()]
    pool = LocalPool(make_game)
    try:
        results = evaluate_mixtures(benchmark, mixtures, episodes, secret.scores, pool)
    finally:
        pool.close()
    course = [
        {"iteration": iteration, **benchmark_document(benchmark, result, mixture, episodes, "")}
        for iteration, mixture, result in zip(by_iteration, mixtures, results, strict=True)
    ]
    rows = [
        (
            iteration, interval(result.pop_return), interval(result.pop_expl), interval(result.agg_score),
            result.nemesis, result.forfeits.count,
        )
        for iteration, result in zip(by_iteration, results, strict=True)
    ]  # fmt: skip
    words = table(("iteration", "PopReturn", "PopExpl", "AggScore", "nemesis", "forfeited"), rows)
    about = f"± 95 %; {episodes} episodes an opponent, {benchmark.unit}"
    document = {"run": run.id, "benchmark": benchmark.name, "unit": benchmark.unit, "seed": seed, "iterations": course,
                "note": note}  # fmt: skip
    emit(args, document, "\n".join([words, "", about, *([note] if note else [])]))
    return 0


def _scored(
    args: argparse.Namespace, benchmark: Benchmark, episodes: int
) -> tuple[Mixture, BenchmarkResult, str, Seed]:
    """Returns what is scored, how it does, what has to stand beside it, and the seed.

    Raises:
        UsageError: there is no such target, or it plays another game.
    """
    bot = bot_name(args.target)
    if bot is not None:
        if benchmark.name != "rrps":
            raise UsageError(f"{args.target!r} plays repeated_rps only: evaluate it with --benchmark rrps")
        seed, secret = dice_of(args, None)
        pool = LocalPool(make_game)
        try:
            return Mixture(("",), (1.0,)), evaluate_bot(bot, episodes, secret.scores, pool), "", seed
        finally:
            pool.close()
    store = chosen_store(args, create=False)
    try:
        entrant = entrant_of(store, args.target, args.champion, benchmark)
        note = benchmark_note(store, entrant.sources)
        seed, secret = dice_of(args, store)
    finally:
        store.close()
    pool = LocalPool(make_game)
    try:
        (result,) = evaluate_mixtures(benchmark, [entrant], episodes, secret.scores, pool)
    finally:
        pool.close()
    return entrant, result, note, seed


def scores(
    benchmark: Benchmark, entrants: Sequence[Mixture], episodes: int, seed: Seed, pool: TaskPool
) -> list[BenchmarkResult]:
    """Returns how each entrant does against the evaluation population, on episodes that the seed alone decides.

    Raises:
        UsageError: this system lacks the population.
    """
    return evaluate_mixtures(benchmark, entrants, episodes, run_secret(seed).scores, pool)


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
        if champion:
            raise UsageError(f"--champion is for a run, which {target!r} is not: leave it out") from None
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
    return Mixture.without_negligible([member.policy.source for member in members], solutions[-1].reported_sigma[0])
