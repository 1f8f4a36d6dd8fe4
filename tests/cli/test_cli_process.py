"""The command line as a process: closed streams, signals, other folders."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from csro_core.cli.main import main
from csro_core.store import open_store

LONG = ("run", "--game", "repeated_rps(num_throws=100)", "--initial", "reference:rock,reference:beat_last",
        "--oracle", "best-of-n", "--candidates", "200", "--iterations", "3")  # fmt: skip


def start(arguments, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True} | options
    command = [sys.executable, "-m", "csro_core", *map(str, arguments)]
    return subprocess.Popen(command, preexec_fn=interruptible, **options)


def interruptible():
    """Whoever runs the tests may have turned the signal off."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_traceback_and_no_other_exit_code(tmp_path, closed):
    path = tmp_path / "s.sqlite"
    script = f'exec "$0" -m csro_core run --game matrix --iterations 1 --json --store "$1" {closed}'
    command = ["sh", "-c", script, sys.executable, str(path)]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    if ">&-" not in closed or closed == "2>&-":
        assert json.loads(done.stdout)["status"] == "done"  # notes do not get in between
    assert open_store(path).runs()[0].status == "done"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_in_good_order(tmp_path, number):
    path = tmp_path / "s.sqlite"
    process = start([*LONG, "--json", "--store", path])
    store = open_store(path)
    end = time.monotonic() + 30
    while not any(store.attempts(run.id) for run in store.runs()):
        assert time.monotonic() < end
        time.sleep(0.05)
    os.killpg(process.pid, number)
    began = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - began < 20.0
    assert process.returncode == 0
    assert json.loads(out)["status"] == "stopped"
    assert b"Traceback" not in err
    (run,) = store.runs()
    assert (run.status, run.iteration) == ("stopped", 0)
    assert store.lease_holder(run.id) is None


def wait_until_loading(process):
    """Returns when the program imports its libraries; before that a signal meets the interpreter's own start."""
    for _ in range(2_000):
        with open(f"/proc/{process.pid}/maps", encoding="utf-8") as maps:
            if "numpy" in maps.read():
                return
        time.sleep(0.01)
    raise AssertionError("the program does not start")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc to see that the program has begun")
@pytest.mark.parametrize("delay", [0.0, 0.25])
def test_ctrl_c_while_the_program_loads_is_no_traceback(tmp_path, delay):
    process = start([*LONG, "--store", tmp_path / "s.sqlite"])
    wait_until_loading(process)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert out == b"" or b"stopped" in out
    assert b"Traceback" not in err


def test_a_relative_store_is_the_same_file_from_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = open_store((tmp_path / "x.sqlite").relative_to(tmp_path))
    (tmp_path / "deeper").mkdir()
    monkeypatch.chdir(tmp_path / "deeper")
    assert store.path == tmp_path / "x.sqlite"
    assert store.runs() == []


@pytest.mark.parametrize("command", [("check", "~nobody-here/x.py"), ("runs", "--store", "~nobody-here/x.sqlite")])
def test_the_folder_of_an_unknown_user_is_one_line(capsys, command):
    assert main(command) == 2
    err = capsys.readouterr().err
    assert "unknown user" in err
    assert err.count("\n") == 1


def test_a_store_variable_with_an_unknown_user_is_one_line(capsys, monkeypatch):
    monkeypatch.setenv("CSRO_STORE", "~nobody-here/x.sqlite")
    assert main(["runs"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
