"""The oracle's texts: read back by the jail they earn exactly what a best response earns."""

import numpy as np
import pytest

from csro_core.errors import CsroError, UsageError
from csro_core.evaluation.best_response import best_response
from csro_core.evaluation.exact_response import exact_response
from csro_core.evaluation.exploitability import ExactTables
from csro_core.games import make_game, parse_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.policies.library import reference_text
from csro_core.seeds import Secret
from tests.evaluation.path_executor import KNOWN, UNIFORM, PathExecutor

SECRET = Secret.of_key(b"exact")


@pytest.fixture(scope="module")
def pool():
    executor = LocalPool(make_game)
    yield executor
    executor.close()


@pytest.mark.parametrize(
    ("text", "opponents"),
    [
        ("kuhn_poker", ("first_action", "always_call")),
        ("leduc_poker", ("always_call", "always_raise")),
        ("leduc_poker(suit_isomorphism=true)", ("always_call",)),
        ("goofspiel(num_cards=3)", ("first_action",)),
        ("goofspiel(num_cards=4)", ("first_action",)),
        ("liars_dice(dice_sides=2)", ("first_action",)),
        ("matrix", ("rock",)),
    ],
)
@pytest.mark.parametrize("player", [0, 1])
def test_the_text_earns_the_value_of_the_best_response(pool, text, opponents, player):
    tables = ExactTables(pool, parse_game(text), SECRET)
    sources = [reference_text(name) for name in opponents]
    weights = np.full(len(sources), 1 / len(sources))
    written = exact_response(tables, sources, weights, player)
    assert pool.inspect(written).ok
    plan = tables.mixture(sources, weights, 1 - player).plan(tables.form)
    own = tables.mixture([written], [1.0], player).plan(tables.form)
    earned = float(own @ tables.form.against(player, plan))
    assert earned == pytest.approx(best_response(tables.form, player, plan).value, abs=1e-9)


def test_the_text_is_short_and_readable(pool):
    tables = ExactTables(pool, GameSpec("leduc_poker"), SECRET)
    text = exact_response(tables, [reference_text("always_call")], np.ones(1), 0)
    assert '    if card == "J" and not pair:\n        return CALL\n' in text
    assert len(text.splitlines()) < 40


def test_what_cannot_be_computed_is_one_clear_line():
    executor = PathExecutor({**KNOWN, "fails": lambda dice: lambda obs: 9})
    with pytest.raises(UsageError, match="zero-sum"):
        exact_response(ExactTables(executor, GameSpec("tiny_hanabi"), SECRET), [UNIFORM], np.ones(1), 0)
    with pytest.raises(UsageError, match="at most"):
        exact_response(ExactTables(executor, parse_game("connect_four"), SECRET), [UNIFORM], np.ones(1), 0)
    with pytest.raises(CsroError, match="oracle exact needs opponents that can be tabulated"):
        exact_response(ExactTables(executor, GameSpec("kuhn_poker"), SECRET), ["fails"], np.ones(1), 0)
