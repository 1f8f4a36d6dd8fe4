import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from csro_core.errors import IsolationError, UsageError
from csro_core.sandbox.host import PolicyHost
from csro_core.sandbox.player import DisturbedError, PlayerDiedError

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROCK = "class Policy:\n    def act(self, obs):\n        return 0\n"
LOOP = "class Policy:\n    def act(self, obs):\n        while True:\n            pass\n"
OBS = {"legal_actions": [0, 1, 2]}


@pytest.fixture(scope="module")
def host():
    opened = PolicyHost()
    yield opened
    opened.close()


def ask(player, text):
    player.ask_load(text)
    assert player.loaded() == ((), False)
    player.ask_start([OBS, OBS], [0], [1], 1.0)
    assert player.started() is None
    player.ask_act([(0, {}, {})], 0.3)
    return list(player.actions(1))


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_player_answers(host):
    player = host.spawn()
    assert ask(player, ROCK) == [0]
    host.release(player)
    host.release(player)
    assert not is_running(player.pid)


def test_a_loop_is_stopped_and_its_line_named(host):
    player = host.spawn()
    with pytest.raises(PlayerDiedError) as caught:
        ask(player, LOOP)
    host.release(player)
    assert caught.value.status == "timeout"
    assert caught.value.line in {3, 4}


def test_a_killed_player_is_nobodys_fault(host):
    player = host.spawn()
    os.kill(player.pid, signal.SIGKILL)
    with pytest.raises(DisturbedError):
        ask(player, ROCK)
    host.release(player)


def test_the_host_recovers_from_a_dead_zygote():
    host = PolicyHost()
    player = host.spawn()
    os.kill(host.zygote_pid, signal.SIGKILL)
    end = time.monotonic() + 10
    while is_running(player.pid) and time.monotonic() < end:  # the kernel ends it soon, not at once
        time.sleep(0.01)
    with pytest.raises(DisturbedError):
        ask(player, ROCK)
    host.release(player)
    host.restart()
    again = host.spawn()
    assert ask(again, ROCK) == [0]
    host.release(again)
    host.close()
    host.close()


def test_a_host_made_in_a_short_lived_thread_lives_on():
    made = []
    thread = threading.Thread(target=lambda: made.append(PolicyHost()))
    thread.start()
    thread.join()
    player = made[0].spawn()
    assert ask(player, ROCK) == [0]
    made[0].close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_key_reaches_the_zygote(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "4711")
    fresh = PolicyHost()
    with open(f"/proc/{fresh.zygote_pid}/environ", "rb") as environment:
        assert environment.read() == b"PYTHONHASHSEED=0\0"
    fresh.close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_players_die_with_a_killed_parent():
    script = f"""
        import sys
        sys.path.insert(0, {ROOT!r})
        from csro_core.sandbox.host import PolicyHost
        host = PolicyHost()
        player = host.spawn()
        player.ask_load({LOOP!r})
        player.loaded()
        player.ask_start([{OBS!r}] * 2, [0], [1], 1.0)
        player.started()
        player.ask_act([(0, {{}}, {{}})], 1000.0)
        print(host.zygote_pid, player.pid, flush=True)
        player.actions(1)
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert all(is_running(pid) for pid in pids)
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 10.0
    while any(is_running(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(is_running(pid) for pid in pids)


def test_reduced_isolation_is_said_and_refused_where_full_is_required(monkeypatch):
    reduced = PolicyHost(kernel_jail=False)
    assert reduced.level == "reduced"
    assert reduced.missing
    player = reduced.spawn()
    assert ask(player, ROCK) == [0]
    reduced.close()
    monkeypatch.setenv("CSRO_ISOLATION", "require")
    with pytest.raises(IsolationError, match="CSRO_ISOLATION=require"):
        PolicyHost(kernel_jail=False)
    monkeypatch.setenv("CSRO_ISOLATION", "perhaps")
    with pytest.raises(UsageError, match="'require' or 'auto'"):
        PolicyHost()


def test_what_a_worker_imports_is_light():
    """The zygote holds these modules; numpy alone would cost a fresh process 80 ms and megabytes."""
    script = f"""
        import sys
        sys.path.append({ROOT!r})
        import csro_core.sandbox.zygote
        heavy = {{"numpy", "scipy", "orjson", "streamlit", "csro_core.seeds", "csro_core.matches"}}
        print(sorted(heavy & set(sys.modules)))
    """
    found = subprocess.run([sys.executable, "-S", "-c", textwrap.dedent(script)], capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_that_end_a_player_are_nobodys_fault(host, number):
    """Somebody stops everything that is called Python: no policy can have sent that."""
    player = host.spawn()
    os.kill(player.pid, number)
    with pytest.raises(DisturbedError, match="from outside"):
        ask(player, LOOP)
    host.release(player)
