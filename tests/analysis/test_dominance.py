import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from csro_core.analysis.dominance import dominated
from tests.analysis.matrices import RPS, TRANSITIVE


@pytest.mark.parametrize(
    ("payoffs", "strict", "weak"),
    [
        # OpenSpiel lp_solver_test.py: row 0 is undominated; then weakly, not strictly, dominated by half of each of the
        # others.
        ([[1, 1], [2, 0], [0, 2]], [], []),
        ([[1, 1, 1], [2, 0, 1], [0, 2, 2]], [], [0]),
        ([[0.9, 0.9], [2, 0], [0, 2]], [0], []),
        (RPS, [], []),
        (TRANSITIVE, [0], [1]),  # the last earns (1, 1, 0), the middle one (1, 0, -1), the first (0, -1, -1)
        ([[0, 0], [1, 1], [1, 1]], [0], []),  # duplicates do not dominate one another
        ([[1, 2]], [], []),
        ([[3]], [], []),
        ([[3], [3], [2]], [2], []),
        ([[1, 1], [1, 0]], [], [1]),
    ],
)
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
def test_known_games(payoffs, strict, weak, scale):
    found = dominated(np.array(payoffs, dtype=float) * scale)
    assert [one.policy for one in found if one.strict] == strict
    assert [one.policy for one in found if not one.strict] == weak


def test_by_which_mixture():
    (found,) = dominated(np.array([[1.0, 1, 1], [2, 0, 1], [0, 2, 2]]))
    assert dict(found.by) == pytest.approx({1: 0.5, 2: 0.5})


tables = st.tuples(st.integers(1, 6), st.integers(1, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=st.integers(-3, 3).map(float))
)


@given(tables)
@settings(deadline=None, max_examples=80)
def test_a_witness_proves_it_and_somebody_stays(table):
    found = dominated(table)
    out = {one.policy for one in found}
    assert len(out) < len(table)
    for one in found:
        gained = sum(weight * table[other] for other, weight in one.by) - table[one.policy]
        assert sum(weight for _, weight in one.by) == pytest.approx(1)
        assert one.policy not in dict(one.by)
        assert (gained > 0).all() if one.strict else (gained.min() > -1e-5 and gained.max() > 0)


@given(tables)
@settings(deadline=None, max_examples=80)
def test_a_pure_dominator_is_never_overlooked(table):
    out = {one.policy: one.strict for one in dominated(table)}
    for policy, own in enumerate(table):
        ahead = table - own
        if (ahead > 0).all(axis=1).any():
            assert out.get(policy) is True
        elif ((ahead >= 0).all(axis=1) & (ahead > 0).any(axis=1)).any():
            assert policy in out


def test_progress():
    heard = []
    dominated(np.array([[1.0, 1, 1], [2, 0, 1], [0, 2, 2]]), lambda done, total: heard.append((done, total)))
    assert heard[-1] == (3, 3)
