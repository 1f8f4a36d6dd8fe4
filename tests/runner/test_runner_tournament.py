"""A tournament that is stopped or killed in the middle goes on where it was: equal rows, and no cell played twice."""

import os
import signal
import subprocess
import sys
import time

import pytest
from running import new_run, rows, settings

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.policies.library import reference_names
from csro_core.policies.source import sha256
from csro_core.runner import Runner
from csro_core.store import open_store

POLICIES = reference_names("repeated_rps")[:12]
CELLS = 66
MIDDLE = 30

# The process ends itself, so that it is in the middle on a machine of any speed.
KILLED = """
import os, signal, sys
from pathlib import Path
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.metagame import sampling
from csro_core.runner import Runner
from csro_core.store import open_store

class Dies(LocalPool):
    played = 0
    def submit(self, jobs, on_result=None):
        def arrived(index, result):
            on_result(index, result)
            self.played += 1
            if self.played == int(sys.argv[3]):
                os.kill(os.getpid(), signal.SIGKILL)
        return super().submit(jobs, arrived)

sampling.KEEP_SECONDS = 0.0
Runner(open_store(Path(sys.argv[1])), sys.argv[2], Dies(make_game)).run_to(0)
"""


class Counting:
    """A pool that lists the pairs it plays, and tells somebody when it has played so many.

    It waits then for two looks of the runner's heart, else a fast machine would have played the rest before the stop.
    """

    def __init__(self, pool, told=None, at=0):
        self.pool = pool
        self.isolation, self.inspect = pool.isolation, pool.inspect
        self.cancel, self.close = pool.cancel, pool.close
        self.pairs = []
        self.told, self.at = told, at

    def submit(self, jobs, on_result=None):
        def arrived(index, result):
            # First, because telling the result may raise: the run was stopped.
            self.pairs.append(frozenset(sha256(source) for source in jobs[index].sources))
            on_result(index, result)
            if self.told is not None and len(self.pairs) == self.at:
                self.told()
                time.sleep(0.6)

        return self.pool.submit(jobs, arrived)


@pytest.fixture(scope="module")
def pool():
    made = LocalPool(make_game)
    yield made
    made.close()


def made():
    initial = tuple(f"reference:{name}" for name in POLICIES)
    return settings(GameSpec("repeated_rps", {"num_throws": 20}), initial=initial)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, pool):
    store, run = new_run(tmp_path_factory.mktemp("undisturbed") / "s.sqlite", made(), 0)
    counting = Counting(pool)
    Runner(store, run, counting).run_to(0)
    assert len(counting.pairs) == len(set(counting.pairs)) == CELLS
    return rows(store, run)


def stored_pairs(store, run):
    """The pairs of texts whose cells are kept."""
    texts = {policy.tree_hash: policy.hash for policy in store.policies(run)}
    return {frozenset((texts[cell.row], texts[cell.column])) for cell in store.cells(run).all()}


def resume(store, run, pool, undisturbed):
    """Goes on, and checks that exactly the cells are played that were not kept."""
    kept = stored_pairs(store, run)
    assert 0 < len(kept) < CELLS
    counting = Counting(pool)
    Runner(store, run, counting).run_to(0)
    assert len(counting.pairs) == CELLS - len(kept)
    assert kept.isdisjoint(counting.pairs)
    assert rows(store, run) == undisturbed


def test_stop_and_resume(tmp_path, pool, undisturbed):
    store, run = new_run(tmp_path / "s.sqlite", made(), 0)
    counting = Counting(pool, lambda: store.add_request(run, "stop", {}), MIDDLE)
    Runner(store, run, counting).run_to(0)
    assert store.run(run).status == "stopped"
    assert set(counting.pairs) == stored_pairs(store, run)
    resume(store, run, pool, undisturbed)


def test_end_and_resume(tmp_path, pool, undisturbed):
    """What Ctrl-C does."""
    store, run = new_run(tmp_path / "s.sqlite", made(), 0)
    counting = Counting(pool, lambda: runner.end(), MIDDLE)
    runner = Runner(store, run, counting)
    runner.run_to(0)
    assert store.run(run).status == "stopped"
    assert set(counting.pairs) == stored_pairs(store, run)
    resume(store, run, pool, undisturbed)


def test_kill_and_resume(tmp_path, pool, undisturbed):
    path = tmp_path / "s.sqlite"
    store, run = new_run(path, made(), 0)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, path, run, str(MIDDLE)], env=dict(os.environ), capture_output=True, text=True
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(stored_pairs(store, run)) == MIDDLE
    # By a clock that goes six seconds ahead the dead process's lease has expired.
    later = open_store(path, clock=lambda: time.time() + 6)
    assert later.run(run).status == "interrupted"
    resume(later, run, pool, undisturbed)
