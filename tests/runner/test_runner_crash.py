"""kill -9 at any moment, then resume: the same rows as an unbroken run."""

import os
import signal
import time

import pytest
from running import SHORT_RPS, new_run, rows, run_here, settings, start_command

from csro_core.store import open_store


def made():
    return settings(SHORT_RPS, attempts=3, initial=("reference:rock", "reference:beat_last", "reference:rotate"))


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    store, run = new_run(tmp_path_factory.mktemp("unbroken") / "s.sqlite", made(), 3)
    run_here(store, run, 3)
    return rows(store, run)


@pytest.mark.parametrize("delay", [0.4, 1.6])
def test_kill_and_resume(tmp_path, unbroken, delay):
    path = tmp_path / "s.sqlite"
    store, run = new_run(path, made(), 3)
    process = start_command(path, "resume", run, "--iterations", "3")
    time.sleep(delay)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    if store.run(run).status != "done":
        assert store.run(run).iteration < 3
        # By a clock that goes six seconds ahead the lease of the dead process has expired.
        later = open_store(path, clock=lambda: time.time() + 6)
        assert not later.is_held(run)
        run_here(later, run, 3)
    assert rows(store, run) == unbroken
