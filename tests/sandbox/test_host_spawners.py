"""One contract, every way in which jailed processes come to be: the zygote's forks and interpreters of their own."""

import os
import signal
import subprocess
import sys
import time

import pytest

from csro_core.sandbox.host import PolicyHost
from csro_core.sandbox.player import DisturbedError, PlayerDiedError
from csro_core.sandbox.process import Process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ends processes by signals")

ROCK = "class Policy:\n    def act(self, obs):\n        return 0\n"
LOOP = "class Policy:\n    def act(self, obs):\n        while True:\n            pass\n"
GROWING = """
class Policy:
    def act(self, obs):
        kept = []
        while True:
            kept.append("x" * 1_000_000)
"""
OBS = {"legal_actions": [0, 1, 2]}


@pytest.fixture(scope="module", params=["zygote", "direct", "zygote reduced", "direct reduced"])
def host(request):
    way, _, level = request.param.partition(" ")
    opened = PolicyHost(kernel_jail=not level, direct=way == "direct")
    yield opened
    opened.close()


def start(player, text):
    player.ask_load(text)
    assert player.loaded()[0] == ()
    player.ask_start([OBS, OBS], [0], [1], 1.0)
    assert player.started() is None


def ask(player, text, allowance=0.3):
    start(player, text)
    player.ask_act([(0, {}, {})], allowance)
    return list(player.actions(1))


def blamed(player):
    """Under the kernel's limit the policy gets a MemoryError, and its process lives on."""
    try:
        assert list(player.actions(1)) == [0xFFFE]
    except PlayerDiedError as error:
        return error.status, error.message, error.line
    (failure,) = player.failures()
    return failure.status, failure.message, failure.line


def ends(pid, seconds=5.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
        if not found or found.startswith("Z"):
            return True
        time.sleep(0.02)
    return False


def test_it_plays_and_is_gone_afterwards(host):
    player = host.spawn()
    assert ask(player, ROCK) == [0]
    host.release(player)
    host.release(player)
    assert ends(player.pid)


def test_a_loop_is_a_timeout_with_its_line(host):
    player = host.spawn()
    with pytest.raises(PlayerDiedError) as caught:
        ask(player, LOOP)
    host.release(player)
    assert caught.value.status == "timeout"
    assert caught.value.line in {3, 4}


def test_growing_memory_is_blamed_on_who_grows_and_hurts_nobody_else(host):
    honest, greedy = host.spawn(memory_bytes=96 << 20), host.spawn(memory_bytes=96 << 20)
    start(honest, ROCK)
    start(greedy, GROWING)
    greedy.ask_act([(0, {}, {})], 20.0)
    # The host reads the honest player's answer first; the greedy one must end all the same.
    honest.ask_act([(0, {}, {})], 20.0)
    assert list(honest.actions(1)) == [0]
    status, message, line = blamed(greedy)
    assert status == "memory"
    assert "at most 96 MB" in message
    # Where the watchdog ends it, it may be gone before it could say where it was.
    assert line in ({5, 6, 7} if host.level == "full" else {None, 5, 6, 7})
    honest.ask_act([(0, {}, {})], 20.0)
    assert list(honest.actions(1)) == [0]
    host.release(honest)
    host.release(greedy)


def test_memory_beyond_the_limit_is_never_reached_by_much(host):
    player = host.spawn(memory_bytes=96 << 20)
    start(player, GROWING)
    player.ask_act([(0, {}, {})], 20.0)
    highest, deadline = 0, time.monotonic() + 10.0
    while not player.has_answered() and time.monotonic() < deadline:
        highest = max(highest, player.resident_bytes() or 0)
        time.sleep(0.002)
    host.release(player)
    assert highest < 1 << 30


def test_a_crash_is_the_policys(host):
    player = host.spawn()
    start(player, LOOP)
    player.ask_act([(0, {}, {})], 20.0)
    os.kill(player.pid, signal.SIGTRAP)  # one that faulthandler leaves alone
    with pytest.raises(PlayerDiedError) as caught:
        player.actions(1)
    host.release(player)
    assert caught.value.status == "crashed"


def test_a_killed_process_is_nobodys_fault(host):
    player = host.spawn()
    start(player, ROCK)
    os.kill(player.pid, signal.SIGKILL)
    with pytest.raises(DisturbedError):
        ask(player, ROCK)
    host.release(player)


def test_every_process_leads_a_group_of_its_own(host):
    player = host.spawn()
    assert os.getpgid(player.pid) == player.pid
    host.release(player)


def test_the_end_of_the_host_is_the_end_of_all():
    for direct in (False, True):
        host = PolicyHost(direct=direct)
        players = [host.spawn() for _ in range(3)]
        host.close()
        for player in players:
            with pytest.raises(DisturbedError):
                ask(player, ROCK)
            host.release(player)
            assert ends(player.pid)
        with pytest.raises(DisturbedError):
            host.spawn()


def test_the_last_word_is_that_of_the_group(tmp_path):
    """What a process has started, where nothing stops it from doing so, ends with it."""
    reader, writer = os.pipe()
    child = subprocess.Popen(["sh", "-c", "sleep 60 & echo $!; wait"], stdout=subprocess.PIPE, process_group=0)
    grandchild = int(child.stdout.readline())
    process = Process(child.pid, reader, writer, child.wait)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    process.close()
    process.close()
    child.stdout.close()
    assert ends(grandchild)
