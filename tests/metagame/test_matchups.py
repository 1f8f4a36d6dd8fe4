import numpy as np
import pytest

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.metagame.matchups import Meeting, play_against, play_many, seats_of
from csro_core.seeds import Secret
from tests.metagame.fake_executor import BEAT_LAST, BROKEN, RANDOM, FakeExecutor, MemoryCells, always, entry

RPS = make_game(GameSpec("repeated_rps", {"num_throws": 10}))
SEEDS = (5, 6, 7, 8)


def meeting(game=RPS):
    return Meeting(game, FakeExecutor(), MemoryCells(), secret=Secret.of_key(b"1"))


def test_one_text_against_many_on_shared_seeds_in_one_submission():
    there = meeting()
    matchup = play_against(there, BEAT_LAST, [entry(always(0)), entry(BROKEN), entry(RANDOM)], 0, SEEDS)
    assert matchup.returns.shape == (3, 4)
    assert matchup.returns[0].tolist() == [9, 9, 9, 9]
    assert len(set(matchup.returns[2])) > 1
    assert len(there.executor.batches) == 1
    assert {job.seeds for job in there.executor.jobs} == {SEEDS}
    assert {job.seats for job in there.executor.jobs} == {(0, 1, 0, 1)}
    assert there.cells.history == []


def test_a_broken_opponent_gives_nothing_clean():
    matchup = play_against(meeting(), always(2), [entry(BROKEN), entry(always(1))], 0, SEEDS)
    assert matchup.returns[0].tolist() == [10] * 4
    assert np.isnan(matchup.clean[0]).all()
    assert matchup.clean[1].tolist() == [10] * 4
    assert not matchup.forfeited.any()
    assert matchup.own_failure is None
    assert matchup.failures[0][0].policy == 1


def test_a_broken_text_is_found_out():
    matchup = play_against(meeting(), BROKEN, [entry(always(1))], 0, SEEDS)
    assert matchup.forfeited.all()
    assert matchup.clean[0].tolist() == [-10] * 4
    assert "broken" in matchup.own_failure.message


def test_many_texts_share_one_submission_and_equal_texts_one_match():
    there = meeting()
    steps = []
    texts = [always(0), BEAT_LAST, always(0)]
    matchups = play_many(there, texts, [entry(always(2)), entry(RANDOM)], 0, SEEDS, lambda *step: steps.append(step))
    assert len(there.executor.batches) == 1
    assert len(there.executor.jobs) == 4
    assert matchups[0] is matchups[2]
    assert matchups[0].returns[0].tolist() == [10] * 4
    assert steps == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    # The random opponent draws by seed and seat, whoever it meets.
    alone = play_against(meeting(), BEAT_LAST, [entry(RANDOM)], 0, SEEDS)
    assert (alone.returns[0] == matchups[1].returns[1]).all()


def test_the_player_keeps_its_seat_where_seats_differ():
    game = make_game(GameSpec("matrix", {"payoffs": [[3.0, -1.0], [-1.0, 1.0]]}))
    there = meeting(game)
    matchup = play_against(there, always(0), [entry(always(0)), entry(always(1))], 1, SEEDS)
    assert {job.seats for job in there.executor.jobs} == {(1, 1, 1, 1)}
    assert matchup.returns[:, 0].tolist() == [-3, 1]


def test_no_opponent_is_refused():
    with pytest.raises(ValueError, match="at least 1 opponent"):
        play_against(meeting(), always(0), [], 0, SEEDS)


def test_seats_go_on_where_the_episodes_go_on():
    assert seats_of(True, 0, 3, first=3) == (1, 0, 1)
    assert seats_of(False, 1, 2, first=3) == (1, 1)


def test_episodes_that_follow_are_one_matchup_with_their_failures_in_place():
    opponents = [entry(BROKEN), entry(RANDOM)]
    whole = play_against(meeting(), BEAT_LAST, opponents, 0, SEEDS)
    joined = play_against(meeting(), BEAT_LAST, opponents, 0, SEEDS[:2]).followed_by(
        play_against(meeting(), BEAT_LAST, opponents, 0, SEEDS[2:])
    )
    assert (joined.returns == whole.returns).all()
    assert (np.isnan(joined.clean) == np.isnan(whole.clean)).all()
    assert (joined.forfeited == whole.forfeited).all()
    assert joined.moves == whole.moves
    assert {failure.episode for failure in joined.failures[0]} == {failure.episode for failure in whole.failures[0]}
    with pytest.raises(ValueError, match="same opponents"):
        joined.followed_by(play_against(meeting(), BEAT_LAST, opponents[:1], 0, SEEDS))
