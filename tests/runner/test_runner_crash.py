"""kill -9 at any moment, then resume: the same rows as an unbroken run."""

import os
import signal
import time

import pytest
from running import SHORT_RPS, new_run, rows, run_here, settings, start_command


def made():
    return settings(SHORT_RPS, attempts=3, initial=("reference:rock", "reference:beat_last", "reference:rotate"))


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    store, run = new_run(tmp_path_factory.mktemp("unbroken") / "s.sqlite", made(), 3)
    run_here(store, run, 3)
    return rows(store, run)


@pytest.mark.parametrize("delay", [0.3, 0.9, 1.4, 2.0])
def test_kill_and_resume(tmp_path, unbroken, delay):
    path = tmp_path / "s.sqlite"
    store, run = new_run(path, made(), 3)
    process = start_command(path, "resume", run, "--iterations", "3")
    time.sleep(delay)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    if store.run(run).status != "done":
        assert store.run(run).iteration < 3
        _wait_for_the_lease_to_expire(store, run)
        run_here(store, run, 3)
    assert rows(store, run) == unbroken


def _wait_for_the_lease_to_expire(store, run):
    end = time.monotonic() + 10
    while (holder := store.lease_holder(run)) is not None and holder[1] < 5 and time.monotonic() < end:
        time.sleep(0.1)
