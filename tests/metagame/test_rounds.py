"""Plans of rounds: what they may cost, and which documents are plans."""

import numpy as np
import pytest

from csro_core.metagame.payoffs import PayoffTable, mean_and_stderr
from csro_core.metagame.rounds import ROUNDS, Precision, RoundPlan, plan_from_document, plan_round


def table_of(returns, counts):
    """A table of a symmetric zero-sum meta-game; `[N, N, E]` returns, `[N, N]` episodes."""
    samples = np.stack([returns, -returns])
    mean, stderr = mean_and_stderr(samples)
    nobody = np.zeros((*counts.shape, 2), dtype=np.int64)
    return PayoffTable(mean, stderr, mean, stderr, counts, samples, samples, counts >= 0, nobody)


@pytest.fixture
def table():
    noise = np.random.default_rng(1).normal(0, 10, (4, 4, 8))
    return table_of(noise - noise.transpose(1, 0, 2), 8 * (1 - np.eye(4, dtype=np.int64)))


SIGMA = (np.full(4, 0.25), np.full(4, 0.25))


def test_without_a_wanted_error_there_is_one_round_for_the_price_of_a_row(table):
    plan = plan_round(table, SIGMA, True, Precision(8, 64), 1)
    assert plan is not None
    assert plan.episodes == 4 * 8
    assert all(cell.row < cell.column and cell.before == 8 for cell in plan.cells)
    assert plan_round(table, SIGMA, True, Precision(8, 64), 2) is None


def test_with_one_there_are_rounds_until_it_is_reached(table):
    wish = Precision(8, 64, 0.5)
    assert plan_round(table, SIGMA, True, wish, ROUNDS) is not None
    assert plan_round(table, SIGMA, True, wish, ROUNDS + 1) is None
    assert plan_round(table, SIGMA, True, Precision(8, 64, 50.0), 1) is None


def test_a_plan_is_read_as_it_was_written(table):
    plan = plan_round(table, SIGMA, True, Precision(8, 64), 1)
    assert plan is not None
    assert plan_from_document(plan.to_document(), (4,), 64) == plan


GOOD = {"round": 1, "cells": [[0, 1, 8, 16]]}


def test_two_populations_have_cells_below_the_diagonal_too():
    below = {"round": 2, "cells": [[2, 0, 8, 16]]}
    assert isinstance(plan_from_document(below, (3, 1), 64), RoundPlan)
    with pytest.raises(ValueError, match="upper half"):
        plan_from_document(below, (3,), 64)


@pytest.mark.parametrize(
    "document",
    [
        None, [], {}, {"round": 1}, GOOD | {"more": 1}, GOOD | {"round": 0}, GOOD | {"round": ROUNDS + 1},
        GOOD | {"round": True}, GOOD | {"cells": []}, GOOD | {"cells": {}}, GOOD | {"cells": [[0, 1, 8]]},
        GOOD | {"cells": [[0, 1, 8, 16.0]]}, GOOD | {"cells": [[0, 1, 8, True]]}, GOOD | {"cells": [[0, 4, 8, 16]]},
        GOOD | {"cells": [[-1, 1, 8, 16]]}, GOOD | {"cells": [[0, 1, 8, 66]]}, GOOD | {"cells": [[0, 1, 8, 15]]},
        GOOD | {"cells": [[0, 1, 16, 16]]}, GOOD | {"cells": [[0, 1, 0, 16]]}, GOOD | {"cells": [[0, 1, 8, 16]] * 2},
        GOOD | {"cells": [[0, 1, 8, 16]] * 17}, GOOD | {"cells": ["0123"]},
    ],
)  # fmt: skip
def test_anything_else_is_refused(document):
    with pytest.raises(ValueError, match="must|may"):
        plan_from_document(document, (4,), 64)
