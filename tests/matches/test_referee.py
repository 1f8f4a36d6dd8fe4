import zlib
from dataclasses import replace

import numpy as np
import pytest
from toy_games import NIM, make_toy_game

from csro_core.games.base import GameSpec, LockstepStage
from csro_core.games.stage import step_rewards
from csro_core.matches.jobs import Limits, MatchJob
from csro_core.matches.lockstep import StageLog, stage_moves, stage_returns
from csro_core.matches.referee import play_match
from csro_core.matches.sides import Spawn
from csro_core.matches.widths import Widths
from csro_core.sandbox.player import DisturbedError

RPS = GameSpec("repeated_rps", {"num_throws": 30})
LIMITS = Limits(load_seconds=0.5, act_seconds=0.5)


def acting(*lines, head=""):
    return f"{head}class Policy:\n    def act(self, obs):\n" + "".join(f"        {line}\n" for line in lines)


ROCK, PAPER, SCISSORS = acting("return 0"), acting("return 1"), acting("return 2")
RANDOM = acting("return random.randrange(3)", head="import random\n")
BEAT_LAST = acting("h = obs['opponent_history']", "return (h[-1] + 1) % 3 if h else 0")
COPY_OWN = acting(
    "h = obs['my_history']", "assert len(h) == obs['throw']", "return (h[-1] + 1) % 3 if h else obs['player']"
)
FAIL_AT_5 = acting("assert obs['throw'] < 5, 'enough'", "return 0")
# Fails in some episodes only: its own generator decides.
FAIL_SOMETIMES = acting("if random.random() < 0.05: return 7", "return random.randrange(3)", head="import random\n")
FAIL_IN_INIT_SOMETIMES = (
    "import random\nclass Policy:\n    def __init__(self):\n        if random.random() < 0.5: raise ValueError('no')\n"
    "    def act(self, obs):\n        return 0\n"
)


def _names(*texts):
    return [name for name, value in globals().items() if isinstance(value, str) and value in texts]


def job_of(first, second, episodes=4, game=RPS, **more):
    seats = tuple(episode % 2 for episode in range(episodes))
    return MatchJob(game, (first, second), seats, tuple(range(100, 100 + episodes)), LIMITS, **more)


def both_ways(pool, job):
    """Plays a stage game by the compact and by the general protocol."""
    results = []
    for compact in (True, False):
        players = []

        def spawn(memory_bytes, cpu_seconds, players=players):
            players.append(pool.host.spawn(memory_bytes, cpu_seconds))
            return players[-1]

        results.append(play_match(make_toy_game(job.game), job, Spawn(spawn, Widths()), compact=compact))
        for player in players:
            pool.host.release(player)
    return results


def test_known_match(pool):
    # Paper wins every throw, in either seat.
    result = pool.submit([job_of(PAPER, ROCK)])[0]
    assert result.returns.tolist() == [[30.0, -30.0]] * 4
    assert result.failures == ()
    assert not result.forfeits.any()
    assert result.moves == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (RANDOM, BEAT_LAST),
        (COPY_OWN, RANDOM),
        (RANDOM, FAIL_AT_5),
        (FAIL_SOMETIMES, RANDOM),
        (FAIL_SOMETIMES, FAIL_SOMETIMES),
    ],
)
def test_compact_and_general_protocol_agree(pool, first, second):
    fast, general = both_ways(pool, job_of(first, second, episodes=8, keep_moves=True))
    assert np.array_equal(fast.returns, general.returns)
    assert np.array_equal(fast.forfeits, general.forfeits)
    assert fast.failures == general.failures
    assert fast.moves == general.moves
    assert fast.forfeits.any() == any("FAIL" in name for name in _names(first, second))


def test_scores_come_from_the_log(pool):
    game = make_toy_game(RPS)
    job = job_of(RANDOM, FAIL_SOMETIMES, episodes=6, keep_moves=True)
    result = pool.submit([job])[0]
    for episode, seat in enumerate(job.seats):
        log = np.frombuffer(zlib.decompress(result.moves[episode]), dtype=np.uint8).reshape(-1, 2)
        forfeits = result.forfeits[episode]
        by_seat = log[:, ::-1] if seat else log
        seated = tuple(bool(one) for one in (forfeits[::-1] if seat else forfeits))
        expected = step_rewards(game.lockstep, by_seat.tobytes(), seated).sum(axis=0)
        assert result.returns[episode].tolist() == (expected[::-1] if seat else expected).tolist()


def test_asymmetric_stage_by_hand():
    """Two policies, a 2x3 game, seats swapped in the second episode; player 1 forfeits the third at step 1."""
    payoffs = np.array([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[-1.0, 0.0, 7.0], [2.0, 2.0, 9.0]]])
    stage = LockstepStage(2, payoffs, np.array([[-10.0, 1.0], [0.5, -20.0]]))
    actions = np.array([[[0, 2, 1], [1, 0, 0]], [[2, 1, 0], [0, 1, 255]]], dtype=np.uint8)
    log = StageLog(actions, np.array([2, 2, 1]), np.array([[False, False], [False, False], [False, True]]))
    found = stage_returns(stage, log, np.array([0, 1, 0]))
    assert found.tolist() == [[3.0 + 4.0, 7.0 + 2.0], [9.0 + 2.0, 6.0 + 4.0], [4.0 + 0.5, 2.0 - 20.0]]
    assert stage_moves(log) == [bytes([0, 2, 1, 0]), bytes([2, 1, 0, 1]), bytes([1, 0, 0, 255])]


BAD = {
    "syntax error": ("class Policy:\n    def act(self obs):\n        return 1\n", "refused", 2, "syntax error"),
    "random bytes": ("\x8f\x00\x1b\xff\u00fe", "refused", 1, "null byte"),
    "import os": ("import os\n" + ROCK, "refused", 1, "import os is not allowed"),
    "no class": ("x = 1\n", "refused", None, "top-level class named Policy"),
    "loops": (acting("while True: pass"), "timeout", 3, "more than 0.5 s of CPU time"),
    "loops in C": (acting("return sum(range(10**12))"), "timeout", 3, "more than 0.5 s of CPU time"),
    "loops in __init__": (
        "class Policy:\n    def __init__(self):\n        while True: pass\n    def act(self, obs): return 0\n",
        "timeout",
        3,
        "the module and __init__ used more than 0.5 s",
    ),
    "10 GB": (acting("x = [0] * 10**10", "return 0"), "memory", 3, "at most 256 MB"),
    "returns 7": (acting("return 7"), "illegal-action", 2, "here 0, 1, 2; it returned 7"),
    "returns True": (acting("return True"), "illegal-action", 2, "it returned True (bool)"),
    "returns None": (acting("pass"), "illegal-action", 2, "it returned None"),
    "returns 1.0": (acting("return 1.0"), "illegal-action", 2, "it returned 1.0 (float)"),
    "returns -1": (acting("return -1"), "illegal-action", 2, "it returned -1"),
    "prints 100 MB": (
        acting("for _ in range(100):", "    print('x' * 10**6)", "return 0"),
        "exception",
        4,
        "print at most",
    ),
    "raises": (acting("raise KeyError('x')"), "exception", 3, "KeyError: 'x'"),
    "sys.exit": (acting("sys.exit()", head="import sys\n"), "refused", 1, "import sys is not allowed"),
    "SystemExit": (acting("raise SystemExit"), "exception", 3, "SystemExit"),
    "module raises": ("x = 1 / 0\n" + ROCK, "exception", 1, "ZeroDivisionError"),
    "__init__ raises": (
        "class Policy:\n    def __init__(self):\n        self.x = {}['k']\n    def act(self, obs): return 0\n",
        "exception",
        3,
        "KeyError: 'k'",
    ),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("seat", [0, 1])
def test_bad_input_is_blamed_in_one_sentence(pool, name, seat):
    text, status, line, rule = BAD[name]
    sources = (text, RANDOM) if seat == 0 else (RANDOM, text)
    result = pool.submit([job_of(*sources, episodes=2)])[0]
    assert {failure.policy for failure in result.failures} == {seat}
    first = result.failures[0]
    assert (first.status, first.line) == (status, line)
    assert rule in first.message
    assert "\n" not in first.message
    if line:
        assert first.message.startswith(f"line {line}: ")
    assert result.forfeits[:, seat].all()
    assert not result.forfeits[:, 1 - seat].any()
    # It fails at its first throw: all 30 are lost.
    assert result.returns[:, seat].tolist() == [-30.0, -30.0]
    assert result.returns[:, 1 - seat].tolist() == [30.0, 30.0]


def test_failure_carries_episode_and_step_and_rest_is_lost(pool):
    result = pool.submit([job_of(ROCK, FAIL_AT_5, episodes=3, keep_moves=True)])[0]
    # Ties for 5 throws, then 25 lost.
    assert result.returns.tolist() == [[25.0, -25.0]] * 3
    assert [(one.policy, one.line, one.episode, one.step) for one in result.failures] == [
        (1, 3, 0, 5),
        (1, 3, 1, 5),
        (1, 3, 2, 5),
    ]
    assert result.failures[0].message == "line 3: AssertionError: enough (episode 0, step 5)"
    assert zlib.decompress(result.moves[0]) == bytes([0, 0] * 5 + [0, 255])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("import os\n" + ROCK, "x = 1\n"),
        (acting("raise ValueError"), acting("return 7")),
        (acting("while True: pass"), acting("while True: pass")),
        ("import os\n" + ROCK, "x = 1 / 0\n" + ROCK),
        ("x = 1 / 0\n" + ROCK, "while True: pass\n" + ROCK),
    ],
)
def test_both_are_blamed_where_both_fail(pool, first, second):
    result = pool.submit([job_of(first, second, episodes=2)])[0]
    assert {failure.policy for failure in result.failures} == {0, 1}
    assert result.forfeits.all()
    assert result.returns.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_a_policy_may_fail_in_some_episodes_only(pool):
    result = pool.submit([job_of(FAIL_IN_INIT_SOMETIMES, PAPER, episodes=16)])[0]
    failed = result.forfeits[:, 0]
    assert 0 < failed.sum() < 16
    assert not result.forfeits[:, 1].any()
    assert result.returns[:, 0].tolist() == [-30.0] * 16
    assert {failure.episode for failure in result.failures} == set(np.flatnonzero(failed).tolist())


def test_failures_are_capped_and_keep_the_first_of_each(pool):
    result = pool.submit([job_of(acting("raise ValueError"), acting("return 7"), episodes=40)])[0]
    assert len(result.failures) == 20
    assert {failure.policy for failure in result.failures} == {0, 1}
    assert result.forfeits.all()


def test_a_crash_keeps_what_was_over_before(pool):
    """Policy 0 fails in episode 0 at throw 3; policy 1 dies at throw 6, which concerns the other episodes only."""
    first = acting("if obs['player'] == 0 and obs['throw'] == 3: raise ValueError('mine')", "return 0")
    second = acting("if obs['throw'] == 6:", "    while True: pass", "return 0")
    result = pool.submit([MatchJob(RPS, (first, second), (0, 1), (1, 2), LIMITS)])[0]
    assert result.forfeits.tolist() == [[True, False], [False, True]]
    assert result.returns.tolist() == [[-27.0, 27.0], [24.0, -24.0]]
    assert [(one.policy, one.status, one.episode, one.step) for one in result.failures] == [
        (0, "exception", 0, 3),
        (1, "timeout", 1, 6),
    ]


TAKE_ONE = acting("return 1")
PERFECT = acting("assert sum(obs['taken']) + obs['stones'] in (7, 8)", "r = obs['stones'] % 3", "return r or 1")


def test_turn_based_game(pool):
    result = pool.submit([job_of(PERFECT, TAKE_ONE, episodes=20, game=NIM, keep_moves=True)])[0]
    assert result.failures == ()
    # Known: the player to move wins iff the number of stones is no multiple of 3, and 7 and 8 are none.
    seats = np.arange(20) % 2
    first_moves = result.returns[seats == 0, 0]
    assert (first_moves == 1.0).all()
    assert result.returns.sum() == 0.0
    assert all(len(zlib.decompress(log)) % 2 == 0 for log in result.moves)
    log = zlib.decompress(result.moves[1])
    assert log[0] == 255
    assert log[1] == 1


def test_turn_based_game_goes_on_after_a_forfeit(pool):
    failing = acting("if len(obs['taken']) >= 2: raise ValueError('later')", "return 1")
    result = pool.submit([job_of(PERFECT, failing, episodes=6, game=NIM)])[0]
    assert result.forfeits[:, 1].all()
    assert not result.forfeits[:, 0].any()
    assert {failure.step for failure in result.failures} == {1}
    illegal = acting("return 2")
    result = pool.submit([job_of(TAKE_ONE, illegal, episodes=8, game=NIM)])[0]
    assert all("here 1; it returned 2" in failure.message for failure in result.failures)


def test_turn_based_game_with_a_dead_process(pool):
    dying = acting("while len(obs['taken']) >= 2: pass", "return 1")
    result = pool.submit([job_of(PERFECT, dying, episodes=4, game=NIM)])[0]
    assert [(failure.status, failure.episode) for failure in result.failures] == [("timeout", e) for e in range(4)]
    assert result.forfeits[:, 1].all()
    assert not result.forfeits[:, 0].any()


def test_refused_texts_forfeit_turn_based_games_too(pool):
    result = pool.submit([job_of("x = 1\n", PERFECT, episodes=2, game=NIM)])[0]
    assert [failure.status for failure in result.failures] == ["refused"]
    assert result.forfeits.tolist() == [[True, False]] * 2


def test_obs_belongs_to_the_policy_and_stays_the_same(pool):
    text = (
        "class Policy:\n    def __init__(self):\n        self.obs = None\n    def act(self, obs):\n"
        "        assert self.obs is None or self.obs is obs\n        self.obs = obs\n"
        "        assert obs['num_throws'] == 30 and obs['legal_actions'] == [0, 1, 2]\n"
        "        assert len(obs['my_history']) == len(obs['opponent_history']) == obs['throw']\n"
        "        assert obs['my_history'] == [1] * obs['throw']\n        obs['junk'] = 1\n        return 1\n"
    )
    result = pool.submit([job_of(text, RANDOM)])[0]
    assert result.failures == ()
    # Spoiling it hurts nobody else.
    spoiling = acting("obs['opponent_history'] = None", "obs['my_history'] = 5", "obs['throw'] = 'x'", "return 1")
    assert pool.submit([job_of(spoiling, text)])[0].failures == ()


def test_unexplained_death_is_an_error_of_the_host(pool):
    players = []

    def spawn(memory_bytes, cpu_seconds):
        players.append(pool.host.spawn(memory_bytes, cpu_seconds))
        players[-1].kill()
        return players[-1]

    with pytest.raises(DisturbedError):
        play_match(make_toy_game(RPS), job_of(ROCK, PAPER), Spawn(spawn, Widths()))
    for player in players:
        pool.host.release(player)


def test_an_episode_looks_alike_alone_and_among_others(pool):
    """A policy that could not be made leaves one empty step, also where no other episode was played."""
    whole = pool.submit([job_of(FAIL_IN_INIT_SOMETIMES, RANDOM, episodes=8, keep_moves=True)])[0]
    assert 0 < whole.forfeits.sum() < 8
    game = job_of(FAIL_IN_INIT_SOMETIMES, RANDOM, episodes=8, keep_moves=True)
    for episode in range(8):
        alone = replace(game, seats=game.seats[episode : episode + 1], seeds=game.seeds[episode : episode + 1])
        result = pool.submit([alone])[0]
        assert result.moves[0] == whole.moves[episode]
        assert np.array_equal(result.returns[0], whole.returns[episode])
