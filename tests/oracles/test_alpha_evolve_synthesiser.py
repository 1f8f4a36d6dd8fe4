"""The synthesiser under alpha-evolve: it writes whole programs, so an edit is a refinement, and it knows crossover."""

import numpy as np
import pytest

from csro_core.estimates import Estimate
from csro_core.games.base import GameSpec
from csro_core.models.base import Feedback, ParentView, Request
from csro_core.models.synthesiser import Synthesiser
from csro_core.models.synthesiser.genome import MAX_SIGNALS
from csro_core.models.synthesiser.grammar import random_genome
from csro_core.models.synthesiser.rps_text import read_genome
from csro_core.models.synthesiser.variation import crossed
from csro_core.oracles.alpha_evolve import AlphaEvolve
from csro_core.oracles.base import Evaluation, OracleContext
from csro_core.seeds import derive, generator

EMPTY = Request(GameSpec("repeated_rps"), "rules", "observation", "contract", 0, (), (), (), "propose", 0)


def proposal(sample):
    return Synthesiser().write(Request(**{**vars(EMPTY), "sample": sample})).source


def written(task, parents=(), sample=3):
    scored = Feedback(proposal(1), "scored", "", Estimate(5.0, 1.0, 4))
    request = Request(**{**vars(EMPTY), "task": task, "parents": parents, "feedback": (scored,), "sample": sample})
    return Synthesiser().write(request).source


def test_an_edit_is_a_refinement_to_who_writes_whole_programs():
    assert written("edit") == written("refine") != proposal(3)


def test_crossovers_mix_the_signals_of_two_parents_and_some_are_varied_as_well():
    mate = ParentView("attempt 3", "", proposal(2), None)
    first, second = read_genome(proposal(1)), read_genome(mate.source)
    children = [read_genome(written("crossover", (mate,), sample)) for sample in range(20)]
    new = [set(child.signals) - {*first.signals, *second.signals} for child in children]
    assert 3 <= sum(not signals for signals in new) < 20
    assert all(set(child.signals) & set(first.signals) for child in children)
    assert all(set(child.signals) & set(second.signals) for child in children)


def test_a_crossover_of_a_program_with_itself_is_another_program():
    twin = ParentView("attempt 3", "", proposal(1), None)
    children = [read_genome(written("crossover", (twin,), sample)) for sample in range(8)]
    assert read_genome(proposal(1)) not in children


@pytest.mark.parametrize("seed", range(20))
def test_a_child_keeps_what_both_parents_have_and_stays_within_the_grammar(seed):
    rng = np.random.default_rng(seed)
    one = random_genome(rng, 10)
    other = random_genome(rng, 16, one.signals[:4])
    child = crossed(one, other, "attempt 2", rng).genome
    assert set(one.signals) & set(other.signals) <= set(child.signals)
    assert len(child.signals) <= MAX_SIGNALS
    assert child.memories in (one.memories, other.memories)


def test_the_synthesiser_evolves_what_the_payoffs_ask_for():
    # A payoff that no opponent decides: how many signals a policy has. Selection must raise it above any first draft.
    def play(text, stage):
        size = float(len(read_genome(text).signals)) + generator("noise", text, stage).normal(0.0, 0.2)
        score = Estimate(size, 0.2, 4)
        return Evaluation("scored", "", None, score, score)

    context = OracleContext(
        EMPTY, Synthesiser().write, play, lambda index: derive(7, index), lambda attempt: None, 40, True
    )
    result = AlphaEvolve().respond(context)
    sizes = [len(read_genome(attempt.source).signals) for attempt in result.attempts]
    assert len(read_genome(result.finalist.source).signals) > max(sizes[:10]) + 3
    assert len(set(attempt.source for attempt in result.attempts)) == 40
