import numpy as np
from hypothesis import given, settings

from csro_core.analysis.equilibria import equilibrium
from csro_core.analysis.tiers import tiers
from csro_core.meta_solvers.max_entropy_nash import MaxEntropyNashSolver
from tests.analysis.matrices import RPS, TRANSITIVE, antisymmetric


def test_known_tiers():
    assert [tier.tolist() for tier in tiers(TRANSITIVE)] == [[2], [1], [0]]
    assert [tier.tolist() for tier in tiers(RPS)] == [[0, 1, 2]]
    above = np.block([[RPS, -np.ones((3, 3))], [np.ones((3, 3)), RPS]])
    assert [tier.tolist() for tier in tiers(above)] == [[3, 4, 5], [0, 1, 2]]
    tie = above.copy()
    tie[0, 3] = tie[3, 0] = 0  # one who is not beaten by one of the others holds them together
    assert [tier.tolist() for tier in tiers(tie)] == [[0, 1, 2, 3, 4, 5]]
    assert [tier.tolist() for tier in tiers(np.zeros((1, 1)))] == [[0]]


@given(antisymmetric())
@settings(deadline=None)
def test_each_beats_all_later_ones_and_holds_together(matrix):
    found = tiers(matrix)
    assert sorted(np.concatenate(found).tolist()) == list(range(len(matrix)))
    for place, tier in enumerate(found):
        later = np.concatenate([*found[place + 1 :], np.array([], dtype=int)]).astype(int)
        assert (matrix[np.ix_(tier, later)] > 0).all()
        for cut in tier[:-1]:
            if tier.size > 1:  # no part of a tier beats all the rest of it
                part, rest = tier[tier <= cut], tier[tier > cut]
                assert not (matrix[np.ix_(part, rest)] > 0).all()


@given(antisymmetric(most=6))
@settings(deadline=None, max_examples=40)
def test_the_equilibrium_of_the_first_tier_is_that_of_the_whole(matrix):
    whole = MaxEntropyNashSolver().solve(np.stack([matrix, matrix.T]), None, True).sigma[0]
    assert np.allclose(equilibrium(matrix), whole, atol=1e-3)
