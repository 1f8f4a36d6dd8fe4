"""Small runs for the tests of comparisons: biased rock-paper-scissors, where a gap can be worked out on paper."""

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.runner import Runner
from csro_core.seeds import Seed
from csro_core.store.records import RunSettings

BIASED = GameSpec("matrix", {"preset": "biased_rps"})


def settings(oracle, seed, game=BIASED, **changes):
    usual = {"game": game, "oracle": oracle, "seed": Seed(str(seed)), "episodes": 4, "attempts": 2}
    return RunSettings(**(usual | changes))


def made_runs(store, oracles, seeds, iterations=2, **changes):
    """Returns variant → ids of its finished runs."""
    pool = LocalPool(make_game)
    found = {}
    try:
        for oracle in oracles:
            for seed in seeds:
                run = store.create_run(f"{oracle} {seed}", settings(oracle, seed, **changes), iterations)
                Runner(store, run, pool).run_to(iterations)
                found.setdefault(oracle, []).append(run)
    finally:
        pool.close()
    return {oracle: tuple(runs) for oracle, runs in found.items()}
