"""Three iterations on OpenSpiel games that nobody wrote an adapter for, and every oracle on small ones, offline."""

import pytest

from csro_core.csro import Loop, LoopSettings, settle
from csro_core.evaluation.bench import Bench
from csro_core.games import make_game, parse_game
from csro_core.matches.local_pool import LocalPool
from csro_core.meta_solvers import make_meta_solver
from csro_core.metagame.population import Populations
from csro_core.models.synthesiser import Synthesiser
from csro_core.oracles import ORACLES, make_oracle
from csro_core.policies.library import default_initial, reference_text
from csro_core.progress import Silent
from csro_core.sandbox.guard import check
from csro_core.seeds import Seed, run_secret
from csro_core.store.defaults import meta_solver_for
from tests.metagame.fake_executor import FakeExecutor, MemoryCells, entry

OFFLINE = [name for name in ORACLES if name != "exact"]
"""Oracles that ask a model."""

GAMES = [
    "repeated_game(stage_game=matrix_mp(),num_repetitions=3)", "tic_tac_toe", "connect_four", "goofspiel(num_cards=4)",
    "liars_dice", "hex(board_size=4)", "kuhn_poker", "first_sealed_auction", "phantom_ttt", "tiny_hanabi",
]  # fmt: skip


SECRET = run_secret(Seed("0"), 1)
EPISODES = 4


def run(written, oracle, iterations, executor=None):
    """Returns the outcomes of a few iterations from the game's default start, few episodes a cell."""
    game = make_game(parse_game(written))
    bench = Bench(game, executor or FakeExecutor(), MemoryCells(), SECRET, EPISODES, Silent(), make_game)
    solver = make_meta_solver(meta_solver_for(game, "nash"))
    attempts = []
    settings = LoopSettings(0, attempts=1 if oracle == "zero-shot" else 3, always_admit=True)
    loop = Loop(bench, solver, make_oracle(oracle), Synthesiser().write, attempts.append, settings)
    starters = tuple(entry(reference_text(name), name) for name in default_initial(game.spec.name))
    metagame = settle(bench, solver, Populations(game.symmetric, (starters,) * (1 if game.symmetric else 2)))
    outcomes = []
    for iteration in range(1, iterations + 1):
        outcomes.append(loop.step(iteration, metagame))
        metagame = outcomes[-1].metagame
    return outcomes, attempts, metagame


@pytest.mark.parametrize(("place", "written"), list(enumerate(GAMES)), ids=lambda value: str(value).split("(")[0])
def test_three_iterations_without_an_adapter(place, written):
    outcomes, attempts, metagame = run(written, OFFLINE[place % 2], 3)
    assert len(outcomes) == 3
    assert {attempt.screen.status for attempt in attempts} <= {"scored", "duplicate"}
    texts = {member.source for player in (0, 1) for member in metagame.populations.of(player)}
    assert len(texts) >= 3
    assert all(check(text).problems == () for text in texts)
    assert all(abs(sum(sigma) - 1) < 1e-9 for sigma in metagame.solution.sigma)


@pytest.mark.parametrize("oracle", OFFLINE)
@pytest.mark.parametrize("written", ["kuhn_poker", "goofspiel(num_cards=4)"])
def test_every_oracle_runs_offline(written, oracle):
    outcomes, attempts, _ = run(written, oracle, 2)
    assert any(outcome.finalist is not None for outcome in outcomes)
    assert any(attempt.screen.status == "scored" for attempt in attempts)


def test_the_jail_takes_what_is_written():
    pool = LocalPool(make_game, 2)
    try:
        outcomes, attempts, _ = run("kuhn_poker", "zero-shot", 2, pool)
    finally:
        pool.close()
    assert [attempt.screen.status for attempt in attempts] == ["scored", "scored"]
    assert all(outcome.entry is not None for outcome in outcomes)
