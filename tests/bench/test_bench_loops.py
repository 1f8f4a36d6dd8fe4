"""A benchmark must not be able to lie: every way to play gives the same scores, or there is no figure."""

from dataclasses import replace

import pytest

from csro_core.bench import workloads
from csro_core.bench.contestants import Contestant, recorded
from csro_core.bench.players import leduc_reader, rps_counter, rps_echo, rps_markov
from csro_core.bench.timing import Contender, ratio_of, take_turns
from csro_core.bench.workloads import LEDUC, RPS, bench_game, in_one_process, jailed, one_at_a_time, workload
from csro_core.errors import CsroError
from csro_core.matches.jobs import MatchJob
from csro_core.matches.local_pool import LocalPool

pytest.importorskip("pyspiel", reason="no OpenSpiel on this platform")

ARENAS = pytest.mark.parametrize(("arena", "steps"), [(RPS, 120), (LEDUC, 15)], ids=["rps", "leduc"])


@pytest.fixture(scope="module")
def pool():
    opened = LocalPool(bench_game, workers=1)
    yield opened
    opened.close()


@ARENAS
@pytest.mark.parametrize("seconds", [None, 2e-6, 6e-6])
def test_bare_loop_openspiel_and_jailed_matches_give_equal_scores(arena, steps, seconds, pool):
    load = workload(arena, steps, 6, seconds)
    bare = load.scores(arena.bare)
    assert bare == load.scores(arena.openspiel)
    assert bare == jailed(load, pool).play()
    assert bare == one_at_a_time(load, pool).play()
    assert len(bare) == 6
    assert any(bare), "a match without a winner compares nothing"


def test_leduc_scores_differ_between_seeds(pool):
    assert len(set(workload(LEDUC, 15, 8, 2e-6).scores(LEDUC.bare))) > 3


@ARENAS
def test_acts_are_counted_by_playing(arena, steps):
    load = workload(arena, steps, 3, 6e-6)
    assert load.acts() == len(seen_in(load, arena.bare))


@ARENAS
def test_what_openspiel_loops_show_is_what_bare_loops_show(arena, steps):
    """A policy must have the same to read on every side, down to the last key."""
    load = workload(arena, steps, 2, 2e-6)
    assert seen_in(load, arena.bare) == seen_in(load, arena.openspiel)


def seen_in(load, loop):
    """Everything that the policies of a workload are shown."""
    seen = []
    load.scores(lambda acts, steps, seed: loop(tuple(recorded(act, seen) for act in acts), steps, seed))
    return seen


class TestContestants:
    def test_text_and_class_have_the_same_work(self):
        contestant = Contestant(rps_counter, 17)
        assert contestant.text.count("    WORK = 17\n") == 1
        assert contestant.new_act().__self__.WORK == 17
        assert rps_counter.Policy.WORK == 0

    def test_work_makes_an_act_dearer_and_changes_no_move(self):
        loads = [workload(RPS, 60, 2, seconds) for seconds in (5e-6, 50e-6)]
        for cheap, dear in zip(loads[0].pair, loads[1].pair, strict=True):
            assert cheap.work < dear.work
        assert loads[0].scores(RPS.bare) == loads[1].scores(RPS.bare)

    def test_a_policy_dearer_than_wanted_has_no_work(self):
        assert [one.work for one in workload(LEDUC, 10, 2, 1e-9).pair] == [0, 0]

    def test_a_file_without_the_line_is_refused(self, tmp_path):
        path = tmp_path / "nothing.py"
        path.write_text("class Policy: ...\n", encoding="utf-8")
        module = type(rps_echo)("nothing")
        module.__file__ = str(path)
        with pytest.raises(ValueError, match="WORK = 0"):
            _ = Contestant(module).text

    @pytest.mark.parametrize("module", [rps_counter, rps_markov, leduc_reader])
    def test_the_jail_accepts_the_texts(self, module, pool):
        inspection = pool.inspect(Contestant(module, 3).text)
        assert inspection.ok, inspection.problems


class TestNoFigureWithoutTheGame:
    def test_unequal_scores_are_refused(self):
        honest = Contender("honest", lambda: [1.0, 2.0], 10)
        with pytest.raises(CsroError, match=r"equal scores from honest and liar; got \[1.0, 2.0\] and \[1.0, 3.0\]"):
            take_turns([honest, Contender("liar", lambda: [1.0, 3.0], 10)], 1)
        with pytest.raises(CsroError, match="equal scores"):
            take_turns([honest, Contender("idler", list, 10)], 1)

    def test_a_contender_may_stop_after_some_episodes(self):
        calls = []
        whole = Contender("whole", lambda: calls.append("whole") or [1.0, 2.0], 10)
        part = Contender("part", lambda: calls.append("part") or [1.0], 5)
        times = take_turns([whole, part], 3)
        assert calls == ["whole", "part"] * 4
        assert [len(own) for own in times] == [3, 3]
        assert all(seconds > 0 for own in times for seconds in own)

    def test_a_policy_that_fails_is_refused(self, pool):
        load = workload(LEDUC, 5, 2, None)
        # A policy of the other game: it does not find its observations.
        broken = replace(load, pair=(Contestant(rps_echo), load.pair[1]))
        with pytest.raises(CsroError, match="must not fail, got exception"):
            workloads._played(pool, [broken.job])

    def test_a_pair_that_is_not_played_out_is_refused(self, pool):
        """The referee recognises deterministic pairs and plays them only a few times: that would be no measurement."""
        text = "class Policy:\n    def act(self, obs):\n        return obs['throw'] % 3\n"
        job = MatchJob(RPS.game(20), (text, text), (0, 1) * 8, tuple(range(16)))
        with pytest.raises(CsroError, match="play every episode"):
            workloads._played(pool, [job])


def test_a_ratio_is_the_median_of_neighbours():
    # The medians alone would give 2.0; the neighbours say 3.
    found = ratio_of([2.0, 6.0, 3.0], [1.0, 2.0, 1.0])
    assert (found.ours, found.baseline) == (3.0, 1.0)
    assert (found.low, found.ratio, found.high) == (2.0, 3.0, 3.0)


def test_loops_refuse_illegal_actions():
    illegal = (lambda obs: 3, lambda obs: 0)
    for loop in (RPS.bare, RPS.openspiel):
        with pytest.raises(ValueError, match="a throw is an int from 0 to 2, got 3"):
            loop(illegal, 5, 1)
    for loop in (LEDUC.bare, LEDUC.openspiel):
        with pytest.raises(ValueError, match=r"an action is one of \[1, 2\], got 0"):
            loop((lambda obs: 0, lambda obs: 0), 5, 1)
        with pytest.raises(ValueError, match="got True"):
            loop((lambda obs: True, lambda obs: 1), 5, 1)


def test_one_process_contenders_count_their_acts():
    load = workload(RPS, 20, 4, None)
    contender = in_one_process(load, "bare", RPS.bare)
    assert contender.acts == 160
    assert contender.play() == load.scores(RPS.bare)
