"""The cluster with real processes on loopback: a scheduler and two workers, shared by the tests of this file."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

from csro_core.cli.main import main  # noqa: E402
from csro_core.errors import Cancelled, CsroError, IsolationError, UsageError  # noqa: E402
from csro_core.games import make_game  # noqa: E402
from csro_core.games.base import GameSpec  # noqa: E402
from csro_core.matches import cluster as cluster_module  # noqa: E402
from csro_core.matches.cluster import ClusterPool  # noqa: E402
from csro_core.matches.jobs import MatchJob  # noqa: E402
from csro_core.matches.local_pool import LocalPool  # noqa: E402
from csro_core.sandbox.host import ISOLATION_VARIABLE  # noqa: E402
from tests.matches.cluster_machines import ROOT, control, cpu_seconds, descendants, machines, wait_for  # noqa: E402

RPS = GameSpec("repeated_rps", {"num_throws": 30})
LONG = GameSpec("repeated_rps", {"num_throws": 100_000})
ROCK = "class Policy:\n    def act(self, obs):\n        return 0\n"
RANDOM = "import random\nclass Policy:\n    def act(self, obs):\n        return random.randrange(3)\n"
RAISES = "class Policy:\n    def act(self, obs):\n        return 1 if obs['throw'] < 9 else 1 / 0\n"
REFUSED = "import os\n" + ROCK
DIES = "class Policy:\n    def act(self, obs):\n        return 2 if obs['throw'] < 5 else [0] * 10**9\n"
SLOW = "class Policy:\n    def act(self, obs):\n        for _ in range(6_000): pass\n        return obs['throw'] % 3\n"
BUSY = "class Policy:\n    def act(self, obs):\n        for _ in range(10**6): pass\n        return 0\n"

REDUCED = """
import functools
from csro_core.sandbox.host import PolicyHost
PolicyHost.__init__ = functools.partialmethod(PolicyHost.__init__, kernel_jail=False)
"""
OTHER_CODE = """
from csro_core.matches import cluster_messages, cluster_worker
cluster_messages.code_identity = cluster_worker.code_identity = lambda: "Python 3.99, code 0123456789ab"
"""

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked at through /proc")

WITHOUT_PROJECT = "import sys; sys.modules['csro_core'] = None"


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    with machines(tmp_path_factory.mktemp("cluster"), workers=2) as own:
        with control(own) as client:
            client.wait_for_workers(2, timeout=60)
        yield own


@pytest.fixture(scope="module")
def local():
    opened = LocalPool(make_game, workers=2)
    yield opened
    opened.close()


@pytest.fixture
def pool(two):
    opened = ClusterPool(two.address)
    yield opened
    opened.close()


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 1.0)


def job(first, second, episodes=4, game=RPS):
    seats = tuple(episode % 2 for episode in range(episodes))
    return MatchJob(game, (first, second), seats, tuple(range(100, 100 + episodes)), keep_moves=True)


def assert_equal(results, expected):
    assert len(results) == len(expected)
    for one, other in zip(results, expected, strict=True):
        assert np.array_equal(one.returns, other.returns)
        assert one.returns.dtype == other.returns.dtype
        assert np.array_equal(one.forfeits, other.forfeits)
        assert (one.failures, one.moves) == (other.failures, other.moves)


def settled(found, wanted, seconds=8.0):
    return wait_for(lambda: found() == wanted, seconds=seconds)


def test_results_are_those_of_the_local_pool_bit_for_bit(pool, local):
    texts = (ROCK, RANDOM, RAISES, REFUSED, DIES)
    jobs = [job(first, second) for first in texts for second in texts]
    jobs.append(job(RANDOM, RAISES, episodes=150))  # three parts
    seen = []
    results = pool.submit(jobs, lambda index, _: seen.append((index, threading.get_ident())))
    assert_equal(results, local.submit(jobs))
    assert sorted(seen) == [(index, threading.get_ident()) for index in range(len(jobs))]
    assert pool.inspect(RANDOM) == local.inspect(RANDOM)
    assert pool.inspect(REFUSED) == local.inspect(REFUSED)
    assert pool.isolation.level == local.isolation.level
    assert pool.place.startswith("2 workers at tcp://127.0.0.1:")


@needs_proc
def test_a_worker_that_is_killed_in_the_middle_loses_nothing(two, pool, local):
    jobs = [job(SLOW, RANDOM), *[job(RANDOM, SLOW, episodes=4)] * 30]
    victim = two.start_worker("--name", "victim")
    with control(two) as client:
        client.wait_for_workers(3, timeout=60)
        address = next(a for a, told in client.scheduler_info()["workers"].items() if told["name"] == "victim")
        killed, arrived = [], []

        def kill(index, _):
            arrived.append(index)
            # Here, so that the worker has something under way and much is still to do.
            if not killed and client.processing()[address] and len(descendants(victim.pid)) >= 3:
                killed.extend(descendants(victim.pid))
                victim.kill()
                victim.wait()

        results = pool.submit(jobs, kill)
        client_sees = client.scheduler_info()["workers"]
    assert killed, "the worker had nothing to do at any time"
    assert len(arrived) == len(jobs)
    assert address not in client_sees
    assert_equal(results, local.submit(jobs))
    settled(lambda: [pid for pid in killed if os.path.exists(f"/proc/{pid}")], [])  # no process of it is left


@needs_proc
def test_cancel_ends_the_matches_on_the_workers(two, pool):
    stamps = []

    def cancel():
        wait_for(lambda: policies(two) == 4, seconds=20)
        stamps.append(time.monotonic())
        pool.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(Cancelled):
        pool.submit([job(BUSY, BUSY, game=LONG)] * 20)
    ended = time.monotonic()
    thread.join()
    assert ended - stamps[0] < 1.0
    settled(lambda: policies(two), 0, seconds=3.0)
    assert len(pool.submit([job(ROCK, RANDOM)])) == 1
    pool.cancel()  # nothing is under way
    assert len(pool.submit([job(ROCK, RANDOM)])) == 1


def policies(own):
    """Processes that play `BUSY`: the workers' grandchildren, through their zygotes, that have worked."""
    workers = [process.pid for process in own.processes[1:] if process.poll() is None]
    grandchildren = [set(descendants(pid)) - set(descendants(pid, depth=1)) for pid in workers]
    return sum(cpu_seconds(pid) >= 0.1 for pid in set().union(*grandchildren))


@needs_proc
def test_the_matches_of_a_run_that_was_killed_end_too(two):
    script = (
        "from tests.matches.test_cluster import BUSY, LONG, ClusterPool, job\n"
        f"ClusterPool({two.address!r}).submit([job(BUSY, BUSY, game=LONG)] * 4)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    try:
        wait_for(lambda: policies(two) == 4, process, seconds=30)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    settled(lambda: policies(two), 0)


def test_full_isolation_is_enforced_on_every_worker(two, tmp_path, monkeypatch):
    monkeypatch.setenv(ISOLATION_VARIABLE, "require")
    early = ClusterPool(two.address)
    with joined_by(two, tmp_path, REDUCED) as address:
        with pytest.raises(IsolationError, match=f"worker {address} cannot: .*stop it, or allow"):
            ClusterPool(two.address)
        with pytest.raises(IsolationError, match=f"worker {address} cannot"):
            early.submit([job(SLOW, RANDOM)] * 30)  # it has joined later
        monkeypatch.setenv(ISOLATION_VARIABLE, "auto")
        told = ClusterPool(two.address)
        assert told.isolation.level == "reduced"
        assert "on some workers" in told.isolation.reason
        told.close()
        monkeypatch.setenv(ISOLATION_VARIABLE, "maybe")
        with pytest.raises(UsageError, match="must be 'require' or 'auto'"):
            ClusterPool(two.address)
    early.close()


def test_a_worker_with_other_code_is_refused(two, pool, tmp_path):
    with joined_by(two, tmp_path, OTHER_CODE) as address:
        with pytest.raises(CsroError, match=f"worker {address} has Python 3.99, code 0123456789ab"):
            ClusterPool(two.address)
        with pytest.raises(CsroError, match=f"worker {address} has Python 3.99, code 0123456789ab"):
            pool.submit([job(SLOW, RANDOM)] * 30)


def test_a_worker_without_the_project_is_refused_or_harmless(two, pool, tmp_path):
    with joined_by(two, tmp_path, WITHOUT_PROJECT) as address:
        with pytest.raises(CsroError, match=f"worker {address} must be able to run this project"):
            ClusterPool(two.address)
        assert len(pool.submit([job(SLOW, RANDOM)] * 30)) == 30  # it joined later, and dies of its first task


class joined_by:
    """A third worker that runs a script first; it is gone afterwards."""

    def __init__(self, own, folder, script):
        self.own = own
        self.script = folder / "preload.py"
        self.script.write_text(script)

    def __enter__(self):
        with control(self.own) as client:
            before = set(client.scheduler_info()["workers"])
            self.process = self.own.start_worker("--preload", str(self.script))
            client.wait_for_workers(len(before) + 1, timeout=60)
            (address,) = set(client.scheduler_info()["workers"]) - before
        return address

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        with control(self.own) as client:
            settled(lambda: len(client.scheduler_info()["workers"]), 2)


def command(*arguments, environment=None):
    """Runs the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "csro_core", *map(str, arguments)],
        cwd=ROOT, env={**os.environ, **(environment or {})}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def test_a_run_on_the_cluster_equals_the_local_one(two, tmp_path, capsys):
    def here(*arguments):
        assert main([str(argument) for argument in arguments]) == 0
        return capsys.readouterr()

    game = ("--game", "repeated_rps(num_throws=60)", "--initial", "reference:rock,reference:beat_last")
    asked = (*game, "--episodes", 4, "--iterations", 1, "--candidates", 1, "--seed", 0, "--json")
    there = ("--store", tmp_path / "there.sqlite")
    remote = command("run", *asked, "--cluster", two.address, *there)
    assert remote.returncode == 0, remote.stderr
    assert f"2 workers at {two.address}; isolation: " in remote.stderr
    assert not any(word in remote.stderr for word in ("Traceback", "distributed", "tornado", "Warning"))
    document = json.loads(remote.stdout)
    out, _ = here("run", *asked, "--store", tmp_path / "here.sqlite")
    assert timeless(document) == timeless(json.loads(out))
    # The run remembers its cluster; `local` overrides it.
    _, err = here("resume", document["run"], *there)
    assert f"at {two.address}" in err
    _, err = here("resume", document["run"], "--cluster", "local", *there)
    assert two.address not in err


def timeless(document):
    iterations = [{**iteration, "seconds": 0} for iteration in document["iterations"]]
    calls = [{**totals, "seconds": 0} for totals in document["calls"]]
    return {**document, "run": "", "iterations": iterations, "calls": calls}


def test_an_address_without_a_scheduler_is_one_line(quick, capsys):
    for address, words in (("tcp://127.0.0.1:1", "there must be a Dask scheduler"), ("localhost", "must be given as")):
        code = main(["play", "reference:rock", "reference:rock", "--game", "repeated_rps", "--cluster", address])
        out, err = capsys.readouterr()
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert words in err


def test_nobody_there_is_said_after_a_while(tmp_path, quick):
    with machines(tmp_path, workers=0) as own:
        with pytest.raises(CsroError, match="no worker is connected to tcp"):
            ClusterPool(own.address, patience=0.5)
        worker = own.start_worker()
        pool = ClusterPool(own.address, patience=60.0)
        pool._patience = 0.5

        def kill(process):
            process.kill()
            process.wait()

        with pytest.raises(CsroError, match="no worker is connected to tcp"):
            pool.submit([job(ROCK, RANDOM), job(BUSY, BUSY, game=LONG)], lambda *_: kill(worker))
        pool._patience = 60.0
        timer = threading.Timer(0.5, kill, [own.processes[0]])
        timer.start()
        with pytest.raises(CsroError, match="the connection to it is lost"):
            pool.submit([job(ROCK, RANDOM)])
        timer.join()
        pool.close()
        pool.close()


def test_a_thread_with_a_running_loop_can_connect_too(two):
    """As in a notebook, or after another library has started a loop in this thread."""

    async def connect():
        opened = ClusterPool(two.address)
        try:
            return opened.isolation.level
        finally:
            opened.close()

    # In a thread of its own: the browser tests leave a loop running in the one that they share with this test.
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(asyncio.run, connect()).result() in {"full", "reduced"}


def test_tls(tmp_path, quick, capsys):
    certificate(tmp_path)
    files = {"CA_FILE": "cert.pem"} | {
        f"{who}__{what}": f"{what.lower()}.pem"
        for who in ("SCHEDULER", "WORKER", "CLIENT") for what in ("CERT", "KEY")
    }  # fmt: skip
    settings = {f"DASK_DISTRIBUTED__COMM__TLS__{name}": str(tmp_path / file) for name, file in files.items()}
    with machines(tmp_path, workers=1, environment=settings, protocol="tls") as own:
        assert own.address.startswith("tls://")
        pair = ("reference:rock", "reference:uniform")
        play = ("play", *pair, "--game", "repeated_rps(num_throws=9)", "--seed", "0", "--json")
        answer = command(*play, "--cluster", own.address, environment=settings)
        assert answer.returncode == 0, answer.stderr
        assert main(play) == 0
        here = json.loads(capsys.readouterr().out)
        assert {**json.loads(answer.stdout), "seconds": 0} == {**here, "seconds": 0}
        with pytest.raises(UsageError, match="for tls:// set the files"):
            ClusterPool(own.address)


def certificate(folder: Path):
    command = [
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key.pem", "-out", folder / "cert.pem",
    ]  # fmt: skip
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no openssl command to make a certificate with")
