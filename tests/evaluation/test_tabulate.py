"""Tables of policies: what they do is found by asking instances, and what is no function of what it saw is refused."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from csro_core.evaluation.exploitability import ExactTables, all_leaks, score
from csro_core.evaluation.sequence_form import behaviour, sequence_form
from csro_core.evaluation.tabulate import FIRST_PASSES, INSTANCES, NoTableError, Table, _believable, tabulate
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.games.exact_paths import plans_of
from csro_core.games.exact_tree import exact_tree
from csro_core.matches.local_pool import LocalPool
from csro_core.policies.source import sha256
from csro_core.seeds import Secret
from tests.evaluation.path_executor import CALL, FIRST, KNOWN, LAST, ONCE, UNIFORM, PathExecutor

SECRET = Secret.of_key(b"tables")
KUHN, LEDUC = GameSpec("kuhn_poker"), GameSpec("leduc_poker")


def tables_of(spec, policies=KNOWN, instances=2_048):
    return ExactTables(PathExecutor(policies), spec, SECRET, instances)


def both(tables, text):
    return tables.mixture([text], [1.0], 0), tables.mixture([text], [1.0], 1)


@pytest.mark.parametrize(
    ("spec", "text", "nash_conv"),
    [(KUHN, FIRST, 2.0), (KUHN, LAST, 2 / 3), (LEDUC, CALL, 44 / 15)],
    ids=["kuhn-pass", "kuhn-bet", "leduc-call"],
)
def test_a_policy_without_dice_is_known_exactly(spec, text, nash_conv):
    tables = tables_of(spec)
    found = score(tables.form, both(tables, text))
    assert found.nash_conv == pytest.approx(nash_conv, abs=1e-12)
    assert (found.stderr, found.exact) == (0.0, True)


@pytest.mark.parametrize(("spec", "exploitability"), [(KUHN, 11 / 24), (LEDUC, 4.747222222222222 / 2)], ids=str)
def test_a_policy_with_dice_is_estimated_with_its_error(spec, exploitability):
    tables = tables_of(spec, instances=4_000)
    found = score(tables.form, both(tables, UNIFORM))
    assert not found.exact
    assert 0 < found.stderr < 0.15
    assert abs(found.exploitability - exploitability) < 3 * found.stderr


def test_a_policy_that_rolls_its_dice_once_has_the_frequencies_of_its_own_history():
    """It passes always or bets always: after a pass it never calls, so what it earns is the mean of the two."""
    tables = tables_of(KUHN, instances=6_000)
    table = tables.of([ONCE], 0)[0]
    side = tables.form.sides[0]
    shares = behaviour(side, table.plan(side))
    state = {state.key: state for state in tables.form.tree.states[0]}
    assert shares[state["0"].first] == pytest.approx(0.5, abs=0.03)
    assert shares[state["0pb"].first] == 1.0
    mixed = tables.mixture([FIRST, LAST], [0.5, 0.5], 0).plan(tables.form)
    assert table.plan(side) == pytest.approx(mixed, abs=0.03)


def test_a_policy_that_fails_is_named_with_its_line_and_information_state():
    policies = {"bad": lambda dice: lambda obs: 7 if obs["information_state"] == "2pb" else 0}
    (found,) = tabulate(PathExecutor(policies), KUHN, 0, ["bad"], INSTANCES, SECRET)
    assert isinstance(found, NoTableError)
    assert str(found) == (
        "a policy must play everywhere to have exact values; illegal-action at information state '2pb' of player 0: "
        "line 3: it returned 7"
    )
    with pytest.raises(NoTableError, match="line 3"):
        tables_of(KUHN, policies).mixture(["bad"], [1.0], 0)


@pytest.mark.parametrize("text", ["no dice in it", "import random"])
def test_what_is_no_function_of_what_it_saw_is_an_error_in_one_line(text):
    counter = itertools.count()
    policies = {text: lambda dice: lambda obs: next(counter) // 7 % 2}
    (found,) = tabulate(PathExecutor(policies), KUHN, 1, [text], INSTANCES, SECRET)
    assert isinstance(found, NoTableError)
    assert "must be a function of what it saw" in str(found)
    assert "\n" not in str(found)


def test_instances_are_fresh_so_that_a_policy_may_keep_what_it_did():
    def remembering(dice):
        own = []

        def act(obs):
            own.append(obs["move_number"])
            return 1 if len(own) == 1 else 0

        return act

    (table,) = tabulate(PathExecutor({"keeps": remembering}), LEDUC, 0, ["keeps"], INSTANCES, SECRET)
    assert isinstance(table, NoTableError)  # folding is not always legal after its first move
    (table,) = tabulate(PathExecutor({"keeps": remembering}), KUHN, 0, ["keeps"], INSTANCES, SECRET)
    assert isinstance(table, Table)
    assert not table.random


def test_each_text_is_asked_once():
    tables = tables_of(KUHN)
    tables.of([FIRST, FIRST, UNIFORM], 0)
    played = tables.executor.instances
    count = plans_of(tables.form.tree, 0).count
    assert played == 2 * count + (FIRST_PASSES + 1) * count + (-(-2_048 // count) - FIRST_PASSES) * count
    tables.of([UNIFORM, FIRST], 0)
    assert tables.executor.instances == played


def test_policies_without_weight_are_not_asked():
    tables = tables_of(KUHN, {**KNOWN, "fails": lambda dice: lambda obs: 9})
    mixture = tables.mixture([FIRST, "fails"], [1.0, 0.0], 0)
    assert len(mixture.tables) == 1


def test_a_mixture_is_one_strategy_by_own_reach():
    tables = tables_of(KUHN)
    side = tables.form.sides[0]
    plan = tables.mixture([FIRST, LAST], [0.25, 0.75], 0).plan(tables.form)
    state = {state.key: state for state in tables.form.tree.states[0]}
    shares = behaviour(side, plan)
    assert shares[state["0"].first] == pytest.approx(0.25)
    # Whoever has passed is the one that always passes.
    assert shares[state["0pb"].first] == pytest.approx(1.0)


def test_the_worst_leak_comes_first():
    tables = tables_of(LEDUC)
    found = all_leaks(tables.form, both(tables, LAST))
    worths = [leak.worth for leak in found]
    assert worths == sorted(worths, reverse=True)
    assert {leak.player for leak in found} == {0, 1}


@pytest.mark.parametrize(
    ("shares", "place"),
    [((0.0, 0.6, 0.4), ("last", 7)), ((0.0, 0.4, 0.6), ("other", 8)), ((0.0, 0.5, 0.5), None),
     ((0.7, 0.2, 0.1), ("last", 7))],
)  # fmt: skip
def test_a_leak_of_a_mixture_has_a_line_where_one_policy_acts_so_more_than_all_others(shares, place):
    lines = {"first": 6, "last": 7, "other": 8}
    tables = tables_of(KUHN, {"first": KNOWN[FIRST], "last": KNOWN[LAST], "other": KNOWN[LAST]})
    texts = [text for text, share in zip(lines, shares, strict=True) if share]
    mixtures = [tables.mixture(texts, [share for share in shares if share], player) for player in (0, 1)]
    pairs = zip(mixtures[0].tables, texts, strict=True)
    told = tuple(replace(table, lines=dict.fromkeys(range(99), lines[text])) for table, text in pairs)
    found = all_leaks(tables.form, (replace(mixtures[0], tables=told), mixtures[1]))
    (betting,) = [leak for leak in found if leak.player == 0 and leak.situation == "first to act with Q"]
    assert (betting.policy, betting.line) == ((sha256(place[0]), place[1]) if place else ("", None))


def test_a_line_beyond_the_text_is_not_believed():
    text = "class Policy:\n    pass\n"
    assert _believable((b"\x02\x00", b""), text) == (b"\x02\x00", b"")
    assert _believable((b"\x02\x00", b"\xff\xff"), text) == ()


def test_texts_are_asked_in_the_jail():
    text = "class Policy:\n    def act(self, obs):\n        return 1 if obs['information_state'][0] == '2' else 0\n"
    broken = "class Policy:\n    def act(self, obs):\n        return 1 // obs['move_number']\n"
    pool = LocalPool(make_game)
    try:
        found, failed = tabulate(pool, KUHN, 1, [text, broken], INSTANCES, SECRET)
    finally:
        pool.close()
    side = sequence_form(exact_tree(KUHN)).sides[1]
    state = {state.key: state for state in exact_tree(KUHN).states[1]}
    bets = {key: found.plan(side)[state[key].first + 1] for key in ("0p", "1b", "2p", "2b")}
    assert bets == {"0p": 0, "1b": 0, "2p": 1, "2b": 1}
    assert "line 3" in str(failed)
    assert set(found.lines.values()) == {3}
    assert found.lines[state["2p"].first + 1] == 3
    assert np.asarray(found.visits.sum()) == 6
