"""Memory where the kernel does not limit it: the watchdog ends who grows, blames it alone, and all others play on."""

import os
import sys
from pathlib import Path

import pytest

from csro_core.games.base import GameSpec
from csro_core.matches.jobs import MatchJob
from csro_core.policies.library import reference_text
from csro_core.sandbox import usage

ATTACKS = Path(__file__).resolve().parents[1] / "attacks"
IN_INIT = """
class Policy:
    def __init__(self):
        kept = []
        while True:
            kept.append(bytearray(1_000_000))

    def act(self, obs):
        return 0
"""
A_LITTLE_EACH_TIME = """
class Policy:
    kept = []

    def act(self, obs):
        self.kept.append(bytearray(4_000_000))
        return 0
"""
GAME = GameSpec("repeated_rps", {"num_throws": 300})


def attack(name):
    return (ATTACKS / f"attack_{name}.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    "text",
    [attack("grow_memory"), attack("grow_memory_swallow"), attack("huge_list"), IN_INIT, A_LITTLE_EACH_TIME],
    ids=["grows", "grows and swallows errors", "one huge list", "grows in __init__", "grows a little each time"],
)
def test_who_grows_is_ended_and_nobody_else(reduced_pool, text, seat):
    rock = reference_text("rock")
    bad = MatchJob(GAME, (text, rock), seats=(seat, seat), seeds=(1, 2))
    good = MatchJob(GAME, (rock, reference_text("rotate")), seats=(0, 1), seeds=(1, 2))
    spoilt, *others = reduced_pool.submit([bad, good, good])
    assert {failure.policy for failure in spoilt.failures} == {0}
    assert spoilt.failures[0].status == "memory"
    assert "at most 256 MB" in spoilt.failures[0].message
    assert spoilt.forfeits[:, 0].all()
    assert not spoilt.forfeits[:, 1].any()
    for other in others:
        assert not other.failures
        assert not other.forfeits.any()


def test_the_own_process_can_be_measured():

    before = usage.resident_bytes(os.getpid())
    kept = bytearray(b"x") * (64 << 20)
    after = usage.resident_bytes(os.getpid())
    assert before is not None
    assert after is not None
    assert after - before > 48 << 20
    assert usage.cpu_seconds(os.getpid()) > 0.0
    del kept


@pytest.mark.skipif(sys.platform != "linux", reason="psutil says the same elsewhere")
def test_nobody_can_be_measured_who_is_not_there():
    assert usage.resident_bytes(2**22 + 1) is None  # above the highest number of a process, proc(5) pid_max
    assert usage.cpu_seconds(2**22 + 1) is None
