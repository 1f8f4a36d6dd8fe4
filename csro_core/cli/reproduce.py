"""`reproduce`: the table of the README, from nothing: both presets over several seeds, each scored by the 43 bots."""

import argparse
from statistics import mean, median, stdev
from typing import Any

from csro_core.cli.arguments import chosen_store, whole
from csro_core.cli.evaluate import entrant_of, scores, scores_document
from csro_core.cli.output import emit, note, table
from csro_core.cli.run import PRESETS
from csro_core.errors import CsroError, NotFoundError, UsageError
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.runner import Runner
from csro_core.store import Store
from csro_core.store.records import RunSettings

NAME = "reproduce"
HELP = "run both presets over several seeds and score them against the 43 bots (half an hour on two cores)"

ENTRANTS = ("mixture", "champion")


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds what is reproduced and how much of it."""
    parser.add_argument("table", choices=("rrps",), help="rrps: repeated rock-paper-scissors")
    parser.add_argument("--seeds", metavar="N", type=whole(1, 100), default=5, help="seeds 0 to N - 1 (%(default)s)")
    parser.add_argument("--iterations", metavar="N", type=whole(1, 100), default=8, help="default: %(default)s")
    parser.add_argument("--episodes", metavar="N", type=whole(2, 1000), default=20, help="a bot (default: %(default)s)")
    parser.add_argument("--oracle", metavar="O", default=RunSettings(GameSpec("repeated_rps")).oracle)


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints the table.

    Raises:
        CsroError: a run failed.
    """
    store = chosen_store(args, create=True)
    rows = []
    try:
        for preset in PRESETS:
            for seed in range(args.seeds):
                rows += _rows(args, store, preset, seed)
                note("  ".join(str(value) for value in rows[-2].values()))
    finally:
        store.close()
    document = {"rows": rows, "summary": [_summary(rows, preset, who) for preset in PRESETS for who in ENTRANTS]}
    emit(args, document, _words(document))
    return 0


def _rows(args: argparse.Namespace, store: Store, preset: str, seed: int) -> list[dict[str, Any]]:
    run = _run(args, store, preset, seed)
    pool = LocalPool(make_game)
    try:
        entrants = [entrant_of(store, run, champion=who == "champion") for who in ENTRANTS]
        results = scores(entrants, args.episodes, seed, pool)
    finally:
        pool.close()
    rows = []
    seconds = median(iteration.seconds for iteration in store.iterations(run))
    for who, entrant, result in zip(ENTRANTS, entrants, results, strict=True):
        document = scores_document(result, entrant)
        document.pop("per_opponent")
        document["failures"] = len(document["failures"])
        rows.append({"preset": preset, "seed": seed, "entrant": who, "seconds": seconds, "run": run, **document})
    return rows


def _run(args: argparse.Namespace, store: Store, preset: str, seed: int) -> str:
    """Returns the id of the finished run; one of the same name and settings is not run again.

    Raises:
        UsageError: a run of that name has other settings.
        CsroError: the run did not come to its end.
    """
    name = f"{preset}-{args.oracle}-seed-{seed}"
    settings = RunSettings(
        GameSpec("repeated_rps"), oracle=args.oracle, seed=seed, target_mix=PRESETS[preset].target_mix
    )
    try:
        known = store.run(name)
    except NotFoundError:
        run = store.create_run(name, settings, args.iterations)
    else:
        run = known.id
        if known.settings != settings or known.iteration > args.iterations:
            raise UsageError(f"run {name} of the store must be one of `reproduce` with these options: choose another")
    pool = LocalPool(make_game)
    try:
        if store.run(run).iteration < args.iterations:
            Runner(store, run, pool).run_to(args.iterations)
    finally:
        pool.close()
    record = store.run(run)
    if record.iteration < args.iterations:
        raise CsroError(f"run {name} must finish {args.iterations} iterations; it is {record.status}: {record.message}")
    return run


def _summary(rows: list[dict[str, Any]], preset: str, who: str) -> dict[str, Any]:
    scores = [row for row in rows if row["preset"] == preset and row["entrant"] == who]
    values = [row["agg_score"] for row in scores]
    return {
        "preset": preset,
        "entrant": who,
        "seeds": len(values),
        "pop_return": mean(row["pop_return"] for row in scores),
        "pop_expl": mean(row["pop_expl"] for row in scores),
        "agg_score": mean(values),
        "agg_score_sd": stdev(values) if len(values) > 1 else 0.0,
        "agg_score_min": min(values),
    }


def _words(document: dict[str, Any]) -> str:
    keys = ("preset", "entrant", "seed", "pop_return", "pop_expl", "agg_score", "nemesis", "seconds")
    whole_table = table(keys, [[row[key] for key in keys] for row in document["rows"]])
    sums = document["summary"]
    return whole_table + "\n\n" + table(tuple(sums[0]), [list(row.values()) for row in sums])
