"""The loop on fakes: no process, no model; double oracle on known games."""

import numpy as np
import pytest

from csro_core.csro import Loop, LoopSettings, settle
from csro_core.evaluation.bench import Bench
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.meta_solvers import make_meta_solver
from csro_core.metagame.population import Populations
from csro_core.models.base import Completion
from csro_core.oracles.zero_shot import ZeroShot
from csro_core.progress import Silent
from csro_core.seeds import Seed, run_secret
from tests.metagame.fake_executor import FakeExecutor, MemoryCells, always, entry

BIASED = GameSpec("matrix", {"preset": "biased_rps"})
PENNIES = GameSpec("matrix", {"preset": "matching_pennies"})


class Stages(Silent):
    def __init__(self):
        self.seen = []

    def stage(self, name, detail=""):
        self.seen.append(name)


def exact_model(payoffs):
    """Writes the pure best response to the weighted opponents, which are all of the form `always(action)`."""

    def write(request):
        weights = np.zeros(payoffs.shape[2 - request.player])
        for opponent in request.opponents:
            weights[int(opponent.source.split("return ")[1])] += opponent.weight
        own = payoffs[0] @ weights if request.player == 0 else payoffs[1].T @ weights
        text = always(int(own.argmax()))
        return Completion(text, "the best pure action", text)

    return write


def make_loop(spec, monitor=None, **settings):
    game = make_game(spec)
    bench = Bench(game, FakeExecutor(), MemoryCells(), run_secret(Seed("0"), 1), 4, monitor or Silent(), make_game)
    recorded = []
    loop = Loop(
        bench, make_meta_solver("nash"), ZeroShot(), exact_model(game.lockstep.payoffs), recorded.append,
        LoopSettings(0, **settings),
    )  # fmt: skip
    lists = ((entry(always(0), "rock"),),) * (1 if game.symmetric else 2)
    return loop, settle(bench, loop.solver, Populations(game.symmetric, lists)), recorded


def run(loop, metagame, iterations):
    states, outcomes = [metagame], []
    for iteration in range(1, iterations + 1):
        outcomes.append(loop.step(iteration, states[-1]))
        states.append(outcomes[-1].metagame)
    return states, outcomes


@pytest.mark.parametrize(
    ("spec", "equilibrium"),
    [(GameSpec("matrix"), (1 / 3, 1 / 3, 1 / 3)), (BIASED, (1 / 16, 10 / 16, 5 / 16))],  # Bosansky 2016, section 6.2
    ids=["rps", "biased-rps"],
)
def test_double_oracle_finds_the_equilibrium_and_then_nothing(spec, equilibrium):
    loop, metagame, _ = make_loop(spec)
    states, outcomes = run(loop, metagame, 3)
    assert [state.populations.sizes for state in states] == [(1,), (2,), (3,), (3,)]
    final = states[-1]
    pairs = zip(final.populations.lists[0], final.solution.sigma[0], strict=True)
    by_action = {member.source.strip()[-1]: share for member, share in pairs}
    assert [by_action[str(action)] for action in range(3)] == pytest.approx(equilibrium, abs=1e-6)
    assert [outcome.admission.verdict for outcome in outcomes[:2]] == ["improves", "improves"]
    assert not outcomes[2].admission.admitted


def test_players_take_turns_where_the_game_is_not_symmetric():
    loop, metagame, _ = make_loop(PENNIES)
    states, outcomes = run(loop, metagame, 4)
    assert [outcome.player for outcome in outcomes] == [0, 1, 0, 1]
    assert states[-1].populations.sizes == (2, 2)
    for sigma in states[-1].solution.sigma:
        assert sigma == pytest.approx([0.5, 0.5], abs=1e-6)


def test_a_duplicate_is_named_and_never_played():
    loop, metagame, recorded = make_loop(GameSpec("matrix", {"payoffs": [[0.0]]}))
    outcome = loop.step(1, metagame)
    assert outcome.finalist is None
    assert outcome.admission.verdict == "failed"
    assert recorded[0].screen.status == "duplicate"
    assert "rock" in recorded[0].screen.message


def test_the_stages_come_in_the_order_of_the_algorithm():
    monitor = Stages()
    loop, metagame, _ = make_loop(GameSpec("matrix"), monitor)
    loop.step(1, metagame)
    assert monitor.seen == ["solve", "check", "play", "decide", "decide"]  # "ask" belongs to whoever books the call


def test_the_same_seed_gives_the_same_outcome():
    first, second = (run(*make_loop(BIASED)[:2], 3)[1] for _ in range(2))
    assert [(o.admission, o.attempts) for o in first] == [(o.admission, o.attempts) for o in second]
