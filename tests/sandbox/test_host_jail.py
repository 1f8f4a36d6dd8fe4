"""What a jailed process looks like from outside, and that no end of anybody else leaves one behind."""

import os
import re
import signal
import struct
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from csro_core.sandbox import jail
from csro_core.sandbox.host import PolicyHost
from csro_core.sandbox.player import DisturbedError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

ROOT = Path(__file__).resolve().parents[2]
ROCK = "class Policy:\n    def act(self, obs):\n        return 0\n"
LOOP = "class Policy:\n    def act(self, obs):\n        while True:\n            pass\n"
OBS = {"legal_actions": [0, 1, 2]}
MEBIBYTE = 1 << 20


@pytest.fixture(scope="module")
def host():
    opened = PolicyHost()
    if opened.level != "full":
        opened.close()
        pytest.skip("this system gives no full isolation")
    yield opened
    opened.close()


@pytest.fixture
def player(host):
    given = host.spawn()
    yield given
    host.release(given)


def start(player, text):
    player.ask_load(text)
    assert player.loaded()[0] == ()
    player.ask_start([OBS, OBS], [0], [1], 1.0)
    assert player.started() is None
    player.ask_act([(0, {}, {})], 1000.0)


def status(pid):
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return {name: value.split() for name, _, value in (line.partition(":") for line in lines)}


def is_running(pid):
    try:
        return status(pid)["State"][0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def all_end(pids, seconds=10.0):
    deadline = time.monotonic() + seconds
    while any(is_running(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(is_running(pid) for pid in pids)


def test_it_has_no_rights(player):
    now = status(player.pid)
    assert now["NoNewPrivs"] == ["1"]
    assert now["Seccomp"] == ["2"]  # SECCOMP_MODE_FILTER, linux/seccomp.h
    assert now["Threads"] == ["1"]
    for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        assert int(now[kind][0], 16) == 0, kind
    if os.geteuid() == 0:
        assert now["Uid"] == now["Gid"] == ["65534"] * 4
        assert now["Groups"] == []


def test_its_limits_are_hard(player):
    limits = Path(f"/proc/{player.pid}/limits").read_text(encoding="ascii")
    assert player.room_bytes == 256 * MEBIBYTE
    assert 8 * MEBIBYTE < player.base_bytes < 64 * MEBIBYTE
    hard = {
        "Max address space": player.base_bytes + 256 * MEBIBYTE,
        "Max file size": 0,
        "Max processes": 0,
        "Max open files": 16,
        "Max core file size": 0,
        "Max locked memory": 0,
    }
    for name, value in hard.items():
        assert re.search(rf"^{name} +{value} +{value} ", limits, re.MULTILINE), limits
    # 3,600 s, rounded up to a power of two, and a second more for the hard one.
    assert re.search(r"^Max cpu time +4096 +4097 ", limits, re.MULTILINE), limits


def test_it_has_two_descriptors_and_an_empty_environment(player):
    if os.geteuid() != 0:
        pytest.skip("what is not dumpable shows its descriptors to root only")
    folder = Path(f"/proc/{player.pid}/fd")
    assert {one.name: os.readlink(one).partition(":")[0] for one in folder.iterdir()} == {"0": "pipe", "1": "pipe"}
    assert Path(f"/proc/{player.pid}/environ").read_bytes() == b"PYTHONHASHSEED=0\0"
    assert os.readlink(f"/proc/{player.pid}/cwd") == "/"


def test_it_is_not_dumpable(player):
    # proc(5): what is not dumpable belongs to root, whoever runs it.
    assert os.stat(f"/proc/{player.pid}/mem").st_uid == 0


def test_it_is_small(player):
    start(player, ROCK)
    assert list(player.actions(1)) == [0]
    assert (player.resident_bytes() or 0) <= 25 * MEBIBYTE


def test_it_is_ready_soon(host):
    """The best of some, since other work may keep the machine busy."""
    seconds = []
    for _ in range(15):
        began = time.perf_counter()
        given = host.spawn()
        seconds.append(time.perf_counter() - began)
        host.release(given)
    assert min(seconds) <= 0.01


def test_the_walls_are_named(host):
    for word in ("memory", "no capabilities", "no new privileges", "seccomp"):
        assert word in ", ".join(host.walls)


def test_a_descriptor_with_a_high_number_is_not_inherited():
    high = [os.open("/dev/null", os.O_RDONLY) for _ in range(80)]
    for one in high:
        os.set_inheritable(one, True)
    host = PolicyHost(warm=0)
    player = host.spawn()
    if os.geteuid() == 0 and host.level == "full":
        assert len(os.listdir(f"/proc/{player.pid}/fd")) == 2
        # The zygote's own: nothing, nothing, its complaints, the channel.
        assert len(os.listdir(f"/proc/{host.zygote_pid}/fd")) == 4
    host.close()
    for one in high:
        os.close(one)


def spawn_again_and_again(host):
    for _ in range(100):
        host.release(host.spawn())
        time.sleep(0.02)


def test_a_killed_zygote_takes_all_with_it():
    host = PolicyHost()
    players = [host.spawn() for _ in range(3)]
    start(players[0], LOOP)
    os.kill(host.zygote_pid, signal.SIGKILL)
    assert all_end([player.pid for player in players])
    with pytest.raises(DisturbedError):
        players[0].actions(1)
    # Those that were kept ready are dead too, or about to be; soon none is given out, and no new one can be made.
    with pytest.raises(DisturbedError):
        spawn_again_and_again(host)
    host.close()


def test_players_of_a_dead_zygote_do_not_trouble_the_new_one():
    host = PolicyHost(warm=0)
    old = [host.spawn() for _ in range(3)]
    os.kill(host.zygote_pid, signal.SIGKILL)
    with pytest.raises(DisturbedError):
        host.spawn()
    host.restart()
    fresh = host.spawn()
    for player in old:
        host.release(player)
    start(fresh, ROCK)
    assert list(fresh.actions(1)) == [0]
    host.release(host.spawn())
    host.close()


def test_the_death_of_the_host_is_seen_even_where_a_copy_of_its_channel_lives_on():
    """A child that the host has forked holds the channel open; the zygote looks at its parent too."""
    script = f"""
        import os, sys, time
        sys.path.insert(0, {str(ROOT)!r})
        from csro_core.sandbox.host import PolicyHost
        host = PolicyHost()
        player = host.spawn()
        player.ask_load({LOOP!r})
        player.loaded()
        player.ask_start([{OBS!r}] * 2, [0], [1], 1.0)
        player.started()
        player.ask_act([(0, {{}}, {{}})], 1000.0)
        copy = os.fork()
        if copy == 0:
            os.close(1)
            time.sleep(60)
            os._exit(0)
        print(copy, host.zygote_pid, player.pid, flush=True)
        time.sleep(60)
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    copy, *pids = [int(pid) for pid in parent.stdout.readline().split()]
    try:
        assert all(is_running(pid) for pid in pids)
        parent.kill()
        parent.communicate()
        assert all_end(pids)
        assert is_running(copy)
    finally:
        os.kill(copy, signal.SIGKILL)


def test_players_outlive_the_thread_that_asked_for_them(host):
    given = []
    thread = threading.Thread(target=lambda: given.append(host.spawn()))
    thread.start()
    thread.join()
    time.sleep(0.05)
    start(given[0], ROCK)
    assert list(given[0].actions(1)) == [0]
    host.release(given[0])


def test_warm_processes_are_used_once_and_die_with_the_host():
    host = PolicyHost(warm=2)
    first = host.spawn()
    deadline = time.monotonic() + 10.0
    while not host.ready and time.monotonic() < deadline:
        time.sleep(0.005)
    second = host.spawn()
    assert second.pid != first.pid
    for player in (first, second):
        start(player, ROCK)
        assert list(player.actions(1)) == [0]
        host.release(player)
    while not host.ready and time.monotonic() < deadline:
        time.sleep(0.005)
    zygote = host.zygote_pid
    children = Path(f"/proc/{zygote}/task/{zygote}/children").read_text(encoding="ascii").split()
    assert children
    host.close()
    assert all_end([zygote, *map(int, children)])


# Size of struct landlock_ruleset_attr and its rights by version: landlock(7), linux/landlock.h. The last is invented.
@pytest.mark.parametrize(
    ("version", "size", "rights", "network", "scopes"),
    [(1, 8, 13, 0, 0), (2, 8, 14, 0, 0), (3, 8, 15, 0, 0), (4, 16, 15, 3, 0), (5, 16, 16, 3, 0), (6, 24, 16, 3, 3),
     (7, 24, 16, 3, 3), (8, 24, 16, 3, 3), (9, 24, 17, 3, 3), (10, 24, 19, 15, 7)],
)  # fmt: skip
def test_landlock_denies_all_that_the_kernels_version_knows(monkeypatch, version, size, rights, network, scopes):
    def create(libc, ruleset, flags):
        if ruleset is None:
            assert flags == 1  # LANDLOCK_CREATE_RULESET_VERSION
            return version
        wanted = struct.unpack("QQQ", ruleset.ljust(24, b"\0"))
        known = ((1 << rights) - 1, network, scopes)
        refused = any(one & ~may for one, may in zip(wanted, known, strict=True))
        return -1 if refused else os.open("/dev/null", os.O_RDONLY)

    monkeypatch.setattr(jail, "_landlock_create", create)
    found, ruleset = jail._landlock_ruleset(None)
    assert found == version
    assert len(ruleset) == size
    files, ports, scoped = struct.unpack("QQQ", ruleset.ljust(24, b"\0"))
    assert files == (1 << rights) - 1
    assert (ports, scoped) == (network, scopes)


def test_without_landlock_nothing_is_asked_of_it(monkeypatch):
    monkeypatch.setattr(jail, "_landlock_create", lambda libc, ruleset, flags: -1)
    assert jail._landlock_ruleset(None) == (0, b"")
