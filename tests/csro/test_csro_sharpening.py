"""Sigma that rests on noise: what it rests on is played for longer, and solved again."""

from dataclasses import replace

import numpy as np

from csro_core.csro import CORE_SHARE, DEEPEST, core, deeper, settle, sharpened
from csro_core.evaluation.bench import Bench
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.meta_solvers import make_meta_solver
from csro_core.metagame.population import Populations
from csro_core.progress import Silent
from csro_core.seeds import Secret
from tests.metagame.fake_executor import CannedExecutor, MemoryCells, entry

SECRET = Secret((1).to_bytes(8, "big"), b"", 1)

RPS = make_game(GameSpec("repeated_rps"))
MEANS = {("a", "b"): 2.0, ("a", "c"): -2.0, ("b", "c"): 2.0}  # rock, scissors, paper, buried in noise
NAMES = ("a", "b", "c", "weak")


def metagame_of(noise, episodes=8):
    means = {**MEANS, **{(name, "weak"): 900.0 for name in "abc"}}
    bench = Bench(RPS, CannedExecutor(means, noise), MemoryCells(), SECRET, episodes, Silent(), make_game)
    solver = make_meta_solver("max-entropy-nash")
    return bench, solver, settle(bench, solver, Populations(True, (tuple(map(entry, NAMES)),)))


def test_the_core_is_who_has_weight_and_who_does_best_against_sigma():
    _, _, metagame = metagame_of(noise=0.0)
    assert [[one.source for one in entries] for entries in core(metagame)] == [["a", "b", "c"]] * 2
    pure = replace(metagame.solution, sigma=(np.array([0.0, 0.0, 1 - CORE_SHARE / 2, CORE_SHARE / 2]),) * 2)
    assert [one.source for one in core(replace(metagame, solution=pure))[0]] == ["b", "c"]


def test_cells_of_the_core_get_twice_the_episodes_up_to_a_limit_and_no_others_do():
    bench, solver, metagame = metagame_of(noise=30.0)
    seen = []
    while (wanted := deeper(bench, metagame)) and len(seen) < 10:
        seen.append(wanted)
        metagame = sharpened(bench, solver, metagame, wanted)
    assert seen[:2] == [16, 32]
    assert seen[-1] == DEEPEST * 8
    assert len(seen) == 3 or len(set(seen)) < len(seen)  # who is in the core may change on the way
    assert metagame.table.episodes[0, 1] == DEEPEST * 8
    assert metagame.table.episodes[0, 3] == 8
    assert deeper(bench, metagame) == 0


def test_sigma_comes_closer_to_the_equilibrium_with_more_episodes():
    bench, solver, metagame = metagame_of(noise=30.0)
    known = sharpened(bench, solver, metagame, 4_000)
    assert known.solution.epsilon < 0.6 * metagame.solution.epsilon
    assert np.abs(metagame.solution.sigma[0][:3] - 1 / 3).max() > 0.03
    assert np.abs(known.solution.sigma[0][:3] - 1 / 3).max() < 0.01


def test_where_seats_differ_the_core_of_each_player_is_deepened():
    game = make_game(GameSpec("matrix", {"preset": "matching_pennies"}))
    means = {(row, column): 1.0 if row[-1] == column[-1] else -1.0 for row in ("r0", "r1") for column in ("c0", "c1")}
    bench = Bench(game, CannedExecutor(means, 0.5), MemoryCells(), SECRET, 4, Silent(), make_game)
    solver = make_meta_solver("nash")
    lists = tuple(tuple(entry(f"{seat}{number}") for number in (0, 1)) for seat in "rc")
    metagame = settle(bench, solver, Populations(False, lists))
    after = sharpened(bench, solver, metagame, deeper(bench, metagame))
    assert (after.table.episodes == 8).all()
