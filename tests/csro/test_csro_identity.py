"""A program that simulates a member acts like it on fixed histories, and is a better response to it."""

from pathlib import Path

import pytest

from csro_core.csro import Loop, LoopSettings, settle
from csro_core.evaluation.bench import Bench
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.meta_solvers import make_meta_solver
from csro_core.metagame.population import Populations
from csro_core.models.base import Completion
from csro_core.oracles.zero_shot import ZeroShot
from csro_core.progress import Silent
from csro_core.seeds import Seed, run_secret
from tests.metagame.fake_executor import MemoryCells, entry

R1, R2, R3 = (
    Path(__file__).parents[1].joinpath("honest", f"llm_r{number}.py").read_text(encoding="utf-8")
    for number in (1, 2, 3)
)
GAME = GameSpec("repeated_rps", {"num_throws": 80})


@pytest.fixture(scope="module")
def pool():
    opened = LocalPool(make_game, workers=1)
    yield opened
    opened.close()


def respond(pool, text):
    """One iteration against what language models wrote first; returns its only attempt, and the outcome."""
    recorded = []
    bench = Bench(make_game(GAME), pool, MemoryCells(), run_secret(Seed("0"), 1), 4, Silent(), make_game)
    loop = Loop(
        bench, make_meta_solver("nash"), ZeroShot(), lambda _: Completion(text, "", text), recorded.append,
        LoopSettings(0),
    )  # fmt: skip
    members = (entry(R1, "r1"), entry(R2, "r2"))
    outcome = loop.step(1, settle(bench, loop.solver, Populations(True, (members,))))
    return recorded[0], outcome


def test_who_simulates_a_member_is_played_and_admitted(pool):
    attempt, outcome = respond(pool, R3)
    assert attempt.screen.status == "scored"
    told = "like r2 on the probe histories, differs from it first in act 2 of a match against r2"
    assert attempt.screen.message == told
    assert attempt.screen.score.mean > 20
    assert outcome.admission.verdict == "improves"
    assert [member.name for member in outcome.metagame.populations.lists[0]] == ["r1", "r2", "r1-2"]


def test_the_same_program_in_other_words_is_a_duplicate_with_its_dice(pool):
    attempt, outcome = respond(pool, R2.replace("forward", "ahead").replace("mirror", "back"))
    assert attempt.screen.status == "duplicate"
    told = "the same moves as r2 on the probe histories and in matches against r2 and itself"
    assert attempt.screen.message == told
    assert outcome.entry is None
