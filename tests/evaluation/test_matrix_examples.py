import numpy as np
import pytest

from csro_core.errors import UsageError
from csro_core.evaluation.matrix_examples import EXAMPLES, matrix_example
from csro_core.evaluation.published import published_cross_table


def test_the_published_table_made_antisymmetric():
    example = matrix_example("rrps")
    game = example.game()
    means = np.array(published_cross_table().means)
    assert game.antisymmetric
    assert game.sizes == (43, 43)
    assert game.names[0] == game.names[1] == published_cross_table().bots
    assert np.allclose(game.payoffs[0], (means - means.T) / 2)
    # Both sides of a pair were estimated by 1,000 matches: they agree within a few throws.
    assert np.abs(game.payoffs[0] - means).max() < 20
    assert "(P - P^T) / 2" in example.note
    assert example.game() is game


def test_unknown_examples():
    assert list(EXAMPLES) == ["rrps"]
    with pytest.raises(UsageError, match="one of rrps, got 'x'"):
        matrix_example("x")
