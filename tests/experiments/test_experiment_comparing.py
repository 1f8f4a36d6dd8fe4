from dataclasses import replace

import numpy as np
import orjson
import pytest

from csro_core.errors import Cancelled, NotFoundError, UsageError
from csro_core.experiments.bands import bands
from csro_core.experiments.common_pool import held_out
from csro_core.experiments.comparing import compare
from csro_core.experiments.comparison_checks import read_comparison
from csro_core.experiments.courses import descendants_of, spending
from csro_core.experiments.document import HELD_OUT, SHARED, Comparison
from csro_core.experiments.requests import ComparisonRequest, checked_request, grouped, request_key
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.policies.source import sha256
from csro_core.runner import Runner
from csro_core.store import open_store
from csro_core.store.codec import dumps, from_json, to_json
from csro_core.store.crossplay import CrossPlayCells
from csro_core.store.records import CallRecord, Member, PolicyText
from tests.experiments import archived_experiment
from tests.experiments.tiny_runs import BIASED, made_runs, settings

ORACLES = ("best-of-n", "zero-shot")


def silent(_done, _total):
    pass


@pytest.fixture(scope="module")
def pool():
    lent = LocalPool(make_game)
    yield lent
    lent.close()


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A store with two seeds of two oracles, and the request that compares them."""
    store = open_store(tmp_path_factory.mktemp("comparing") / "store.sqlite")
    runs = made_runs(store, ORACLES, (0, 1))
    yield store, ComparisonRequest(tuple(runs.items()), "best-of-n", "iterations")
    store.close()


@pytest.fixture(scope="module")
def comparison(shop, pool):
    store, request = shop
    return compare(store, request, pool, silent)


def test_the_document_survives_json(comparison):
    assert from_json(Comparison, to_json(comparison)) == comparison
    dumps(to_json(comparison))


def test_every_run_has_a_point_an_iteration(comparison):
    assert [(line.variant, line.seed) for line in comparison.courses] == [
        ("best-of-n", "0"), ("best-of-n", "1"), ("zero-shot", "0"), ("zero-shot", "1"),
    ]  # fmt: skip
    for line in comparison.courses:
        assert [point.iteration for point in line.points] == [0, 1, 2]
        calls = [point.calls for point in line.points]
        assert calls[0] == 0
        assert calls == sorted(calls)
        assert line.final == 2


def test_a_gap_is_the_exploitability_where_the_pool_has_every_action(comparison):
    # Biased rock-paper-scissors has three actions. The pool of these runs plays all of them, and a best response to
    # any mixture is one of them, so that the gap to the pool is the exploitability that the game's matrix gives.
    points = [point for line in comparison.courses for point in line.points]
    assert any(point.exploitability for point in points)
    for point in points:
        if point.exploitability is not None:
            assert point.gap == pytest.approx(point.exploitability, abs=3 * point.gap_stderr + 1e-9)


def test_cross_play_is_antisymmetric_and_versus_agrees_with_it(comparison):
    mean = np.array(comparison.cross_play.mean)
    assert np.allclose(mean, -mean.T)
    assert np.allclose(mean.diagonal(), 0.0)
    (versus,) = [one for one in comparison.differences if one.measure == "versus"]
    assert versus.mean == pytest.approx(mean[1][0])
    assert comparison.cross_play.seeds == ((2, 2), (2, 2))


def test_the_joint_equilibrium_belongs_to_somebody(comparison):
    assert sum(comparison.joint.shares.values()) == pytest.approx(1.0)
    assert set(comparison.joint.shares) <= {*ORACLES, SHARED, HELD_OUT}
    assert sum(one.share for one in comparison.joint.policies) == pytest.approx(1.0)


def test_twice_is_the_same_and_nothing_is_played_again(shop, pool, comparison):
    store, request = shop

    def never(_done, _total):
        raise AssertionError("a match was played again")

    again = compare(store, request, pool, never)
    assert replace(again, created=comparison.created) == comparison


def test_stopped_in_the_middle_it_goes_on_where_it_was(shop, pool, comparison, tmp_path):
    store, request = shop
    other = open_store(tmp_path / "other.sqlite")
    runs = made_runs(other, ORACLES, (0, 1))
    request = replace(request, groups=tuple(runs.items()))
    seen = []

    def stop(done, total):
        seen.append(done)
        if done == total // 2:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        compare(other, request, pool, stop)
    left = []
    after = compare(other, request, pool, lambda done, total: left.append(total))
    assert max(left) < max(seen) + max(left)
    assert after.summaries == comparison.summaries
    assert after.differences == comparison.differences
    assert after.cross_play == comparison.cross_play


def test_a_budget_cuts_every_run_at_its_last_iteration_within(shop, pool):
    store, request = shop
    by_calls = compare(store, replace(request, cost="calls", budget=2.0), pool, silent)
    for line in by_calls.courses:
        spent = spending(store, line.run)
        final = line.points[line.final]
        assert final.calls <= 2
        assert spent[final.iteration].calls == final.calls
        later = spent.get(final.iteration + 1)
        assert later is None or later.calls > 2
    assert {line.points[line.final].iteration for line in by_calls.courses if line.variant == "best-of-n"} == {1}
    assert {line.points[line.final].iteration for line in by_calls.courses if line.variant == "zero-shot"} == {2}


def test_another_solver_values_the_same_policies(shop, pool):
    store, request = shop
    uniform = compare(store, replace(request, eval_solver="uniform"), pool, silent)
    for line in uniform.courses:
        assert line.points[-1].exploitability is None  # not of the mixture that the run knows it of


def test_what_people_added_is_counted_and_can_be_left_out(shop, pool, tmp_path):
    store = open_store(tmp_path / "human.sqlite")
    runs = made_runs(store, ORACLES, (0,))
    run = runs["zero-shot"][0]
    text = "class Policy:\n    def act(self, obs):\n        return 1  # by hand\n"
    lease = store.acquire(run, "test")
    hand = PolicyText(sha256(text), "e" * 64, text, "", 3)
    members = store.members(run)
    lease.put_policy(hand)
    lease.add_member(Member(0, len(members), hand, "by hand", "human", members[0].policy.hash, 2))
    lease.release("done")
    request = ComparisonRequest(tuple(runs.items()), "best-of-n", "iterations")
    whole = compare(store, request, pool, silent)
    without = compare(store, replace(request, without_human=True), pool, silent)
    assert [line.human_edits for line in whole.variants] == [0, 1] == [line.human_edits for line in without.variants]
    assert whole.pool[0] == without.pool[0] + 1
    assert any("People added 1" in note for note in without.notes)
    assert request_key(store, request) != request_key(store, replace(request, without_human=True))


def test_descendants_are_found_over_generations():
    def member(index, hash_, parent):
        return Member(0, index, PolicyText(hash_, hash_, "", "", 1), hash_, "oracle", parent, 0)

    line = [member(0, "a", ""), member(1, "b", "a"), member(2, "c", "b"), member(3, "d", "x"), member(4, "e", "e")]
    assert descendants_of({"a"}, line) == {"b", "c"}
    assert descendants_of(set(), line) == set()


def test_players_with_populations_of_their_own(pool, tmp_path):
    store = open_store(tmp_path / "kuhn.sqlite")
    runs = made_runs(store, ("best-of-n",), (0, 1), iterations=2, game=GameSpec("kuhn_poker", {}), episodes=32)
    request = ComparisonRequest(tuple(runs.items()), "best-of-n", "iterations", play=32)
    found = compare(store, request, pool, silent)
    assert len(found.pool) == 2
    assert found.joint.shares["best-of-n"] + found.joint.shares.get(HELD_OUT, 0.0) == pytest.approx(1.0)
    assert any("plays first" in note for note in found.notes)
    assert all(point.gap is not None for line in found.courses for point in line.points)


def test_held_out_responders_begin_no_run():
    names = [name for name, _ in held_out(make_game(GameSpec("repeated_rps", {})))]
    assert len(names) >= 3
    assert not {"rock", "uniform"} & set(names)


def test_impossible_requests_are_refused(shop):
    store, request = shop
    (first, runs), other = request.groups[0], request.groups[1]
    for wrong in (
        {"groups": ()}, {"groups": ((first, ()),)}, {"groups": ((first, runs), (first, other[1]))},
        {"groups": ((first, runs), ("twin", runs))}, {"baseline": "nobody"}, {"cost": "beer"}, {"budget": 0.0},
        {"budget": float("nan")}, {"play": 3}, {"play": 2}, {"play": 10_000}, {"eval_solver": "no-such"},
        {"groups": ((HELD_OUT, runs),), "baseline": HELD_OUT},
    ):  # fmt: skip
        with pytest.raises(UsageError):
            checked_request(store, replace(request, **wrong))
    with pytest.raises(NotFoundError):
        checked_request(store, replace(request, groups=((first, ("nobody",)),)))


def test_runs_are_grouped_by_equal_settings(shop):
    store, request = shop
    runs = [run for _, ids in request.groups for run in ids]
    assert grouped(store, runs) == request.groups
    assert grouped(store, runs[:1]) == (("best-of-n", (runs[0],)),)


def test_episodes_that_another_comparison_has_played_beyond_change_nothing(pool, tmp_path):
    store = open_store(tmp_path / "deep.sqlite")
    runs = made_runs(store, ORACLES, (0,), iterations=1)
    request = ComparisonRequest(tuple(runs.items()), "best-of-n", "iterations")
    before = compare(store, request, pool, silent)
    cells = CrossPlayCells(store.connections, make_game(BIASED).spec.key)
    with store.connections.reading() as connection:
        keys = [tuple(row) for row in connection.execute('SELECT "row", "column" FROM crossplay')]
    deeper = np.full((4, 2), [90.0, -90.0])
    cells.put_all([
        replace(cell, returns=np.vstack([cell.returns, deeper]), forfeits=np.vstack([cell.forfeits, deeper > 99]))
        for cell in cells.many(keys).values()
    ])  # fmt: skip
    assert replace(compare(store, request, pool, silent), created=before.created) == before


def test_runs_of_one_seed_count_as_one_by_their_mean(pool, tmp_path):
    store = open_store(tmp_path / "twins.sqlite")
    runs = list(made_runs(store, ("zero-shot",), (0, 1), iterations=1)["zero-shot"])
    twin = store.create_run("twin", settings("zero-shot", 0), 1)
    Runner(store, twin, pool).run_to(1)
    runs.append(twin)
    rival = made_runs(store, ("best-of-n",), (0, 1), iterations=1)["best-of-n"]
    request = ComparisonRequest((("zero-shot", tuple(runs)), ("best-of-n", rival)), "best-of-n", "iterations")
    found = compare(store, request, pool, silent)
    assert read_comparison(orjson.loads(dumps(found))) == found
    alone = compare(store, replace(request, groups=(("zero-shot", tuple(runs[:2])), request.groups[1])), pool, silent)
    assert found.summaries == alone.summaries
    assert found.cross_play == alone.cross_play
    assert {int(band.seeds[0]) for band in bands(found, "gap", "iterations")} == {2}
    assert any("several runs of one seed" in note for note in found.notes)


def test_large_settings_can_be_compared_and_read(pool, tmp_path):
    rows = np.random.default_rng(0).normal(size=(45, 45))
    large = GameSpec("matrix", {"payoffs": (rows - rows.T).tolist()})
    store = open_store(tmp_path / "large.sqlite")
    runs = made_runs(store, ("best-of-n",), (0,), iterations=0, game=large)
    found = compare(store, ComparisonRequest(tuple(runs.items()), "best-of-n", "iterations"), pool, silent)
    assert len(dumps(found)) > 35_000
    read_comparison(orjson.loads(dumps(found)))


def test_a_run_of_unknown_price_is_not_compared_at_equal_money(pool, tmp_path):
    store = open_store(tmp_path / "unpriced.sqlite")
    runs = made_runs(store, ("zero-shot",), (0,), iterations=1)
    lease = store.acquire(runs["zero-shot"][0], "test")
    lease.put_call(CallRecord("k", 1, 0, "m", "answered", "p", "a", 60, 40, None, 1.0))
    lease.release("done")
    request = ComparisonRequest(tuple(runs.items()), "zero-shot", "usd", 1.0)
    with pytest.raises(UsageError, match="a price for every call"):
        compare(store, request, pool, silent)
    assert compare(store, replace(request, budget=None), pool, silent).courses[0].final == 1


def test_runs_that_have_not_used_up_the_budget_are_told(shop, pool):
    store, request = shop
    less = compare(store, replace(request, cost="calls", budget=3.0), pool, silent)
    assert any(note.startswith("2 of the runs have not used up the budget") for note in less.notes)  # zero-shot: 2
    enough = compare(store, replace(request, cost="calls", budget=2.0), pool, silent)
    assert not any("not used up" in note for note in enough.notes)


def test_a_mixture_that_fails_is_no_safe_one(pool, tmp_path, monkeypatch):
    def broken(number, extra=""):
        source = f"class Policy:\n    def act(self, obs):\n        return {number} if {extra!r} == 'fine' else 'x'\n"
        return PolicyText(sha256(source), sha256(f"{number} {extra}"), source, "", 3)

    monkeypatch.setattr(archived_experiment, "policy", broken)
    store = open_store(tmp_path / "broken.sqlite")
    game = GameSpec("repeated_rps", {"num_throws": 10})
    runs = {
        extra: archived_experiment.add_run(store, extra, settings(oracle, 0, game), extra)
        for extra, oracle in (("fine", "best-of-n"), ("bad", "zero-shot"))
    }
    request = ComparisonRequest(tuple((name, (run,)) for name, run in runs.items()), "fine", "iterations")
    found = compare(store, request, pool, silent)
    gap = {one.variant: one.mean for one in found.summaries if one.measure == "gap"}
    assert gap["bad"] == pytest.approx(10.0)  # all throws of a match
    assert gap["fine"] < gap["bad"]
    (note,) = [one for one in found.notes if "forfeited" in one]
    assert "of bad have" in note
