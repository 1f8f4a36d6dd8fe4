"""Hostile policies (`tests/attacks`), one by one, against an honest opponent.

Each must end within its limit, be blamed alone (or do nothing at all), and leave the host as it was: no file, no
secret, no packet. An attack that reads the secret plays scissors and would win its match.
"""

import os
import socket
import time
from pathlib import Path

import numpy as np
import pytest

from csro_core.games.base import GameSpec
from csro_core.matches.jobs import Limits, MatchJob

ATTACKS = Path(__file__).parent.parent / "attacks"
GAME = GameSpec("repeated_rps", {"num_throws": 60})
LIMITS = Limits(load_seconds=0.3, act_seconds=0.01, message_seconds=0.3)
# Throws paper always, and never fails.
HONEST = "class Policy:\n    def act(self, obs):\n        return 1\n"

REFUSED = """
attrgetter big_source ctypes_write_opponent deep_attr deep_unary del_method dunder_import enum_convert env_secret
eval_string format_map gc_patch_opponent gen_frame getattr_str_subclass kill_parent_sig0 loop_cancel_alarm
main_module_score match_attr np_ctypes_system np_f2py_os np_memmap np_poke_memory open_file os_system posix_spawn
proc_ppid_environ regex_backtrack return_np_int str_format subclasses subprocess sys_exit thread_bomb traceback_frame
udp_send write_file
""".split()
EXCEPTION = """
deep_recursion huge_exception patch_random raise_kbdint raise_systemexit random_private_os typing_forwardref
""".split()
ILLEGAL = "evil_int_eq return_big return_float return_none return_str return_true".split()
TIMEOUT = "c_loop_sum evil_str_exc loop_act loop_import loop_swallow".split()
MEMORY = "grow_memory huge_list".split()
# These try something that has no effect outside their own process; they play on.
HARMLESS = "cross_match_memory mutate_obs nested_parens patch_counter replay_opponent_seed".split()

EXPECTED = {
    **dict.fromkeys(REFUSED, {"refused"}),
    **dict.fromkeys(EXCEPTION, {"exception"}),
    **dict.fromkeys(ILLEGAL, {"illegal-action"}),
    **dict.fromkeys(TIMEOUT, {"timeout"}),
    **dict.fromkeys(MEMORY, {"memory"}),
    **dict.fromkeys(HARMLESS, {None}),
    # How far it comes depends on the allocator and on the speed of the machine.
    "grow_memory_swallow": {None, "memory", "crashed", "timeout"},
    "segfault_itertools": {"crashed", "timeout"},
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder with a secret that anybody may write to, a listening port, and a secret in the environment."""
    canary = tmp_path_factory.mktemp("canary")
    canary.chmod(0o777)
    (canary / "secret").write_text("4711")
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.1", 0))
    listener.setblocking(False)
    os.environ["FAKE_API_KEY"] = "4711"
    yield canary, listener
    del os.environ["FAKE_API_KEY"]
    listener.close()


def attack_text(name, canary, listener):
    if name == "big_source":
        return HONEST + "x = [" + "1," * 400_000 + "]\n"
    text = (ATTACKS / f"attack_{name}.py").read_text(encoding="utf-8")
    text = text.replace("@CANARY@", str(canary)).replace("@PORT@", str(listener.getsockname()[1]))
    return text.replace("@TMP@", str(canary))


def play(pool, text):
    began = time.monotonic()
    result = pool.submit([MatchJob(GAME, (text, HONEST), (0, 1), (1, 2), LIMITS)])[0]
    return result, time.monotonic() - began


def check_unhurt(canary, listener):
    assert [path.name for path in canary.iterdir()] == ["secret"]
    assert (canary / "secret").read_text() == "4711"
    with pytest.raises(BlockingIOError):
        listener.recv(1)


def check_blame(result, statuses):
    found = {failure.status for failure in result.failures if failure.policy == 0}
    assert [failure for failure in result.failures if failure.policy == 1] == []
    assert not result.forfeits[:, 1].any()
    if not found:
        assert None in statuses
        assert not result.forfeits.any()
        return
    assert found <= statuses
    assert result.forfeits[:, 0].any()
    forfeited = result.forfeits[:, 0]
    assert (result.returns[forfeited, 0] < 0).all()
    for failure in result.failures:
        assert len(failure.message) < 700
        assert "\n" not in failure.message


def test_every_attack_has_an_expectation():
    files = {path.stem.removeprefix("attack_") for path in ATTACKS.glob("attack_*.py")}
    assert files | {"big_source"} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_attack(name, pool, world):
    canary, listener = world
    result, seconds = play(pool, attack_text(name, canary, listener))
    check_blame(result, EXPECTED[name])
    check_unhurt(canary, listener)
    # CPU limits; the wall clock only says that nothing hangs, even on a busy machine.
    assert seconds < 60.0


SOFT = [name for name in EXPECTED if name not in {*TIMEOUT, *MEMORY, "grow_memory_swallow", "segfault_itertools"}]


@pytest.mark.parametrize("name", SOFT)
def test_attack_without_the_kernel_jail(name, reduced_pool, world):
    """The guard, the process boundary and the protocol alone stop these too."""
    canary, listener = world
    result, _ = play(reduced_pool, attack_text(name, canary, listener))
    check_blame(result, EXPECTED[name])
    check_unhurt(canary, listener)


def test_an_attack_that_does_nothing_wins_nothing(pool, world):
    """Marks left in the library and seeds replayed from a source give no advantage."""
    canary, listener = world
    remembering, _ = play(pool, attack_text("cross_match_memory", canary, listener))
    # Paper against paper in both episodes: the second one knows nothing of the first.
    assert np.array_equal(remembering.returns, np.zeros((2, 2)))
    victim = "import random\nclass Policy:\n    def __init__(self):\n        self.r = random.Random(0)\n"
    victim += "    def act(self, obs):\n        return self.r.choice([0, 1, 2])\n"
    replaying = attack_text("replay_opponent_seed", canary, listener)
    seeds = tuple(range(20))
    result = pool.submit([MatchJob(GAME, (replaying, victim), (0,) * 20, seeds, LIMITS)])[0]
    # 20 episodes of 60 throws: 5 standard errors of independent play; a replay would give 60 in every episode.
    assert abs(result.returns[:, 0].mean()) < 5 * (60 * 2 / 3 / 20) ** 0.5


def test_opponents_are_processes_apart(pool):
    """Two policies of one match cannot meet in a shared object."""
    left = "import collections\ncollections.Counter.mark = 1\n" + HONEST
    right = "import collections\nclass Policy:\n    def act(self, obs):\n"
    right += "        return getattr(collections.Counter, 'mark', 0)\n"
    result = pool.submit([MatchJob(GAME, (left, right), (0,), (1,), LIMITS)])[0]
    assert result.returns[0, 0] == 60
