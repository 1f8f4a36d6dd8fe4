"""Hostile policies (`tests/attacks`) against honest ones, all in one batch of matches played side by side.

Each must be blamed alone (or do nothing at all) and leave everybody else as they were: no file, no secret, no packet,
no process, and the same scores for the honest pairs beside them. One that reads the secret plays scissors and would
win its match.
"""

import os
import socket
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from csro_core.games.base import GameSpec
from csro_core.matches.jobs import Limits, MatchJob
from csro_core.policies.library import reference_text
from tests.sandbox.attack_cases import ATTACKS, EXPECTED, HARMLESS, HONEST, SOFT, attack_text

THROWS = 60
GAME = GameSpec("repeated_rps", {"num_throws": THROWS})
LIMITS = Limits(load_seconds=0.15, act_seconds=0.15)
PAIR = (reference_text("uniform"), reference_text("markov1"))
EVERY = 12
"""An honest pair plays beside every so many attacks."""


class World:
    """A folder with a secret that anybody may write to, a port with TCP and UDP listeners, a secret in the environment.

    Attributes:
        folder: with the one file `secret`.
        port: of both listeners.
    """

    def __init__(self, folder):
        self.folder = folder
        folder.chmod(0o777)
        (folder / "secret").write_text("4711")
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.tcp.setblocking(False)
        self.udp.setblocking(False)

    def check_unhurt(self):
        assert [path.name for path in self.folder.iterdir()] == ["secret"]
        assert (self.folder / "secret").read_text() == "4711"
        with pytest.raises(BlockingIOError):
            self.udp.recv(1)
        with pytest.raises(BlockingIOError):
            self.tcp.accept()

    def close(self):
        self.tcp.close()
        self.udp.close()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    opened = World(tmp_path_factory.mktemp("canary"))
    os.environ["FAKE_API_KEY"] = "4711"
    yield opened
    del os.environ["FAKE_API_KEY"]
    opened.close()


def job(sources, seeds=(1, 2)):
    return MatchJob(GAME, sources, (0, 1)[: len(seeds)], seeds, LIMITS)


def play_all(pool, names, world):
    """Returns the results of every attack and of the honest pairs in between.

    Those that do not use up time or memory play in both seats, also as the second policy of a job.
    """
    jobs, keys = [], []
    for number, name in enumerate(names):
        text = attack_text(name, world.folder, world.port)
        jobs.append(job((text, HONEST), (1, 2) if name in SOFT else (1,)))
        keys.append((name, 0))
        if name in SOFT:
            jobs.append(job((HONEST, text)))
            keys.append((name, 1))
        if number % EVERY == 0:
            jobs.append(job(PAIR))
            keys.append(("honest pair", number))
    return dict(zip(keys, pool.submit(jobs), strict=True))


@pytest.fixture(scope="module")
def played(pool, world):
    return play_all(pool, list(EXPECTED), world)


@pytest.fixture(scope="module")
def played_reduced(reduced_pool, world):
    return play_all(reduced_pool, SOFT, world)


def check_blame(name, result, attacker):
    """Checks that the attacker alone is blamed, with a usable message, and pays for it."""
    statuses = EXPECTED[name]
    found = {failure.status for failure in result.failures if failure.policy == attacker}
    assert [failure for failure in result.failures if failure.policy != attacker] == []
    assert not result.forfeits[:, 1 - attacker].any()
    # Zero-sum, whoever forfeits.
    assert np.array_equal(result.returns[:, 0], -result.returns[:, 1])
    if not found:
        assert None in statuses
        assert not result.forfeits.any()
        if name in HARMLESS:
            # Paper against paper: all that it tried changed nothing.
            assert not result.returns.any()
        return
    assert found <= statuses
    forfeited = result.forfeits[:, attacker]
    assert forfeited.any()
    assert (result.returns[forfeited, attacker] < 0).all()
    for failure in result.failures:
        assert len(failure.message) < 700
        assert failure.message.isprintable()


def test_every_attack_has_an_expectation():
    files = {path.stem.removeprefix("attack_") for path in ATTACKS.glob("attack_*.py")}
    assert files | {"big_source"} == set(EXPECTED)


ALL = [(name, attacker) for name in EXPECTED for attacker in ((0, 1) if name in SOFT else (0,))]


@pytest.mark.parametrize(("name", "attacker"), ALL)
def test_attack(name, attacker, played):
    check_blame(name, played[name, attacker], attacker)


@pytest.mark.parametrize("attacker", [0, 1])
@pytest.mark.parametrize("name", SOFT)
def test_attack_without_the_kernel_jail(name, attacker, played_reduced):
    """The guard, the process boundary and the protocol alone stop these too."""
    check_blame(name, played_reduced[name, attacker], attacker)


@pytest.mark.parametrize("batch", ["played", "played_reduced"])
def test_nothing_was_read_written_or_sent(batch, request, world):
    request.getfixturevalue(batch)
    world.check_unhurt()


def test_honest_pairs_beside_attacks_score_as_they_do_alone(played, pool):
    alone = pool.submit([job(PAIR)])[0]
    assert alone.failures == ()
    assert alone.returns.any()
    beside = [result for (name, _), result in played.items() if name == "honest pair"]
    assert len(beside) > 10
    for result in beside:
        assert result.failures == ()
        assert np.array_equal(result.returns, alone.returns)


def of_session(leader):
    """Returns {pid: (parent, CPU ticks)} of all processes in a session, the dead and unburied ones included."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == leader and int(entry.name) != leader:
                found[int(entry.name)] = (int(fields[1]), int(fields[11]) + int(fields[12]))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_stray_process_is_left(played, pool):
    """What is left are children of the zygote that wait for work: none of them uses the processor."""
    leader = pool.host.zygote_pid
    before = of_session(leader)
    time.sleep(0.5)
    after = of_session(leader)
    assert len(after) <= 4 * (pool.workers + 1)
    assert {parent for parent, _ in after.values()} <= {leader}
    for pid in before.keys() & after.keys():
        assert after[pid][1] - before[pid][1] < 10


def test_seeds_replayed_from_a_source_win_nothing(pool, world):
    victim = "import random\nclass Policy:\n    def __init__(self):\n        self.r = random.Random(0)\n"
    victim += "    def act(self, obs):\n        return self.r.choice([0, 1, 2])\n"
    replaying = attack_text("replay_opponent_seed", world.folder, world.port)
    seeds = tuple(range(20))
    result = pool.submit([MatchJob(GAME, (replaying, victim), (0,) * 20, seeds, LIMITS)])[0]
    # 20 episodes of 60 throws: 5 standard errors of independent play; a replay would give 60 in every episode.
    assert abs(result.returns[:, 0].mean()) < 5 * (THROWS * 2 / 3 / 20) ** 0.5


def test_opponents_are_processes_apart(pool):
    """Two policies of one match cannot meet in a shared object."""
    left = "import collections\ncollections.Counter.mark = 1\n" + HONEST
    right = "import collections\nclass Policy:\n    def act(self, obs):\n"
    right += "        return getattr(collections.Counter, 'mark', 0)\n"
    result = pool.submit([MatchJob(GAME, (left, right), (0,), (1,), LIMITS)])[0]
    assert result.returns[0, 0] == THROWS
