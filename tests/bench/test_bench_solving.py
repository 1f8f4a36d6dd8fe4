import numpy as np
import pytest

from csro_core.bench import solving
from csro_core.bench.solving import solving_rows
from csro_core.errors import CsroError


def test_a_row_has_both_times_and_a_target_where_there_is_one(monkeypatch):
    monkeypatch.setattr(solving, "LIMITS", {12: 60.0})
    first, second = solving_rows((8, 12), 2)
    assert (first.target, first.met) == (None, None)
    assert (second.target, second.target_of, second.met) == (60.0, "ours", True)
    assert first.ours > 0
    assert first.ratio == pytest.approx(first.ours / first.baseline, rel=1.0)
    assert "12 × 12" in second.name


def test_a_solver_that_gives_no_equilibrium_is_not_timed(monkeypatch):
    monkeypatch.setattr(solving, "_by_scipy", lambda matrix: np.eye(len(matrix))[0])
    with pytest.raises(CsroError, match="needs equilibria from both"):
        list(solving_rows((8,), 1))
