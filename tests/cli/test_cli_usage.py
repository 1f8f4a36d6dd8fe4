"""Mistakes of users: one clear line, exit 2, never a traceback."""

import array
import contextlib
import fcntl
import os
import signal
import sqlite3
import subprocess
import sys
import termios
import time
from dataclasses import replace
from pathlib import Path

import pytest

from csro_core.games.base import GameSpec
from csro_core.store import default_path, open_store
from csro_core.store.connection import Connections
from csro_core.store.records import RunSettings
from tests.store.conftest import true_policy


def test_help_lists_every_command(csro):
    answer = csro("--help")
    assert answer.code == 0
    for name in ("games", "check", "play", "solve", "runs", "show", "export", "import"):
        assert name in answer.out
        assert csro(name, "--help").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "COMMAND"),
        (("dance",), "invalid choice: 'dance'"),
        (("games", "--fast"), "unrecognized arguments: --fast"),
        (("play", "reference:rock"), "required: B, --game"),
        (("play", "reference:rock", "reference:rock", "--game", "chezz"), "unknown game 'chezz'"),
        (("play", "reference:rock", "reference:rock", "--game", "repeated_rps(num_throws=-1)"), "num_throws"),
        (("play", "reference:rock", "reference:nobody", "--game", "repeated_rps"), "unknown reference policy 'nobody'"),
        (("play", "reference:rock", "bot:nobody", "--game", "repeated_rps"), "unknown bots nobody"),
        (("play", "reference:rock", "policy:abcd", "--game", "repeated_rps"), "no such file"),
        (("play", "nowhere.py", "reference:rock", "--game", "repeated_rps"), "nowhere.py: there is no such file"),
        (("play", "/", "reference:rock", "--game", "repeated_rps"), "cannot be read"),
        (("play", "a\0b", "reference:rock", "--game", "repeated_rps"), "cannot be read"),
        (("check", "nowhere.py"), "nowhere.py: there is no such file"),
        (("check", "nowhere.py", "--game", "chezz"), "unknown game 'chezz'"),
        (("check", "nowhere.py", "--game", "matrix:nowhere.csv"), "nowhere.csv: there is no such file"),
        (("solve", "nowhere.csv", "--meta-solver", "nash"), "nowhere.csv: there is no such file"),
        (("solve", "nowhere.csv", "--meta-solver", "guess"), "max-entropy-nash, nash, uniform"),
        (("show", "abcd"), "got 'abcd'"),
        (("export", "abcd", "x.zip"), "got 'abcd'"),
        (("import", "nowhere.zip"), "nowhere.zip"),
        (("runs", "--store", "nowhere.sqlite"), "nowhere.sqlite: there is no such file"),
        (("runs", "--store", "/proc/nowhere/csro.sqlite"), "no such file"),
        (("import", "x.zip", "--store", "/proc/nowhere/csro.sqlite"), "folder cannot be made"),
    ],
)
def test_mistakes_are_one_line(csro, arguments, words):
    csro("runs")  # makes the default store
    if "policy:abcd" in arguments:
        arguments = (*arguments, "--store", "nowhere.sqlite")
    csro(*arguments).refused(words)
    if arguments:
        csro(*arguments, "--json").refused(words)


@pytest.mark.parametrize("value", ["-1", "0", "1.5", "many", "1e9", "99999999999999999999", "", "NaN"])
def test_absurd_numbers_of_episodes(csro, value):
    answer = csro("play", "reference:rock", "reference:rock", "--game", "repeated_rps", "--episodes", value)
    answer.refused("it must be a whole number from 1 to 100000")


@pytest.mark.parametrize("value", ["-1", str(2**128), "x", "0x7", "7.0", "a" * 25])
def test_absurd_seeds(csro, value):
    answer = csro("play", "reference:rock", "reference:rock", "--game", "repeated_rps", "--seed", value)
    answer.refused("a seed must be a number from 0 to 2^128 - 1, or 26 letters")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2\n3\n", "line 2 has 1"),
        ("1,nan\n0,1\n", "line 1, column 2"),
        ("1,inf\n0,1\n", "line 1, column 2"),
        ("rock,1\n0,1\n", "'rock' is not a number"),
        ("", "empty"),
        ("\n\n", "empty"),
        ("1,,2\n", "a number is missing"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"\x00\x01\x02", "not a number"),
    ],
)
def test_bad_matrices(csro, tmp_path, text, words):
    path = tmp_path / "m.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    csro("solve", path, "--meta-solver", "nash").refused(words)
    csro("check", path, "--game", f"matrix:{path}").refused(words)


def test_matrices_of_two_shapes(csro, tmp_path):
    row, column = tmp_path / "row.csv", tmp_path / "column.csv"
    row.write_text("1,2\n3,4\n")
    column.write_text("1,2\n")
    csro("solve", row, "--column", column, "--meta-solver", "uniform").refused("one shape, got (2, 2) and (1, 2)")


def test_stores_that_cannot_be_used(csro, tmp_path):
    newer = tmp_path / "newer.sqlite"
    open_store(newer).close()
    with contextlib.closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 77")
    foreign = tmp_path / "notes.txt"
    foreign.write_text("some words, " * 200)
    for path, words in ((newer, "newer CSRO"), (foreign, "not a CSRO store"), (tmp_path, "cannot be opened")):
        for command in (("runs",), ("show", "abcd"), ("export", "abcd", "x.zip"), ("import", "x.zip")):
            csro(*command, "--store", path).refused(words)


def test_a_full_disk_is_one_line(csro, monkeypatch, tmp_path):
    store = open_store(default_path())
    run = store.create_run("big", RunSettings(GameSpec("matrix")), 1)
    text = "#" * 300_000
    store.acquire(run, "test").put_policy(replace(true_policy(text), tree_hash=""))  # too long to be parsed
    store.close()
    archive = tmp_path / "x.zip"
    assert csro("export", run, archive).code == 0
    lend = Connections._take

    def limited(self: Connections) -> sqlite3.Connection:
        connection = lend(self)
        connection.execute("PRAGMA max_page_count = 1")  # no further growth: SQLite raises it to the current size
        return connection

    monkeypatch.setattr(Connections, "_take", limited)
    csro("import", archive, "--store", tmp_path / "full.sqlite").refused("disk is full")
    monkeypatch.undo()
    assert [found["name"] for found in csro("runs", "--json", "--store", tmp_path / "full.sqlite").json] == []


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "csro_core", *arguments]


def test_a_reader_that_goes_away_is_no_traceback(tmp_path):
    environment = {**os.environ, "CSRO_STORE": str(tmp_path / "s.sqlite")}
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen(command("games"), stdout=writing, stderr=subprocess.PIPE, env=environment) as process:
        os.close(writing)
        assert process.stderr.read() == b""
        assert process.wait(timeout=30) == 1


def test_an_ascii_terminal_is_no_traceback():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        command("play", "reference:rock", "reference:rotate", "--game", "repeated_rps", "--episodes", "2"),
        capture_output=True, env=environment, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"?" in done.stdout  # the sign for plus or minus


def open_when_read(path: Path) -> int:
    """Opens a named pipe for writing as soon as somebody reads it."""
    for _ in range(600):
        with contextlib.suppress(OSError):
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.05)
    raise AssertionError("nobody reads the pipe")


def wait_until_read(writer: int) -> None:
    """Returns when the reader took what was written and waits for more.

    A signal that arrives between Python's last look at its flag and the system call is seen only after
    that call; no program in Python can close that gap, so the test stays out of it.
    """
    os.write(writer, b"0")
    waiting = array.array("i", [1])
    for _ in range(600):
        fcntl.ioctl(writer, termios.FIONREAD, waiting)
        if not waiting[0]:
            break
        time.sleep(0.05)
    assert not waiting[0], "nobody reads the pipe"
    time.sleep(0.5)


def test_ctrl_c_is_one_line(tmp_path):
    slow = tmp_path / "slow.csv"
    os.mkfifo(slow)
    arguments = command("solve", str(slow), "--meta-solver", "nash")
    # A shell starts what it puts in the background with SIGINT ignored, and so would start this test and its child.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        signal.signal(signal.SIGINT, before)
        try:
            writer = open_when_read(slow)  # and as long as it is open the command waits for more
            wait_until_read(writer)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
            os.close(writer)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (130, b"", b"interrupted\n")
