"""kill -9 at any moment: what was committed is whole, what was not is absent."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from csro_core.store import open_store

ROOT = Path(__file__).parents[2]

# Commits iterations as fast as it can; member, solution and iteration n belong together.
WRITER = """
import sys
sys.path[:0] = sys.argv[3:]
from pathlib import Path
from conftest import Make
from csro_core.store import open_store
store = open_store(Path(sys.argv[1]))
lease = store.acquire(sys.argv[2], "writer")
number = len(store.iterations(sys.argv[2]))
print("ready", flush=True)
while True:
    number += 1
    lease.put_attempt(Make.attempt(number, 0))
    lease.commit_iteration(Make.iteration(number), [Make.member(number)], Make.solution(number))
"""


def test_kill_in_the_middle_of_commits_leaves_whole_iterations(store, run, make):
    lease = store.acquire(run, "writer")
    lease.add_member(make.member(0))
    lease.add_solution(make.solution(0))
    paths = [str(ROOT), str(Path(__file__).parent)]
    last = 0
    for kill in range(8):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(store.path), run, *paths], stdout=subprocess.PIPE)
        with process:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(0.003 + 0.0113 * kill)
            os.kill(process.pid, signal.SIGKILL)
        reader = open_store(store.path)
        iterations = reader.iterations(run)
        assert [record.iteration for record in iterations] == list(range(1, len(iterations) + 1))
        assert [member.index for member in reader.members(run)] == list(range(len(iterations) + 1))
        assert [solution.number for solution in reader.solutions(run)] == list(range(len(iterations) + 1))
        assert len(reader.attempts(run)) in {len(iterations), len(iterations) + 1}
        with reader.connections.reading() as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        resumed = reader.acquire(run, "writer")
        resumed.discard_unfinished()
        assert len(reader.attempts(run)) == len(iterations)
        assert len(iterations) >= last
        last = len(iterations)
        reader.close()
    assert last > 0
