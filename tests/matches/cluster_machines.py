"""A real Dask scheduler and real workers on loopback, each a process of its own, for tests of the cluster."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import distributed

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60.0


class Machines:
    """Starts and ends processes; each has a log file in the folder."""

    def __init__(self, folder, environment=None, protocol="tcp"):
        self.folder = folder
        self.protocol = protocol
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), "CSRO_ISOLATION": "", **(environment or {})}
        self.processes = []
        self.address = ""

    def start_scheduler(self):
        file = self.folder / "scheduler.json"
        host = ("--host", "127.0.0.1", "--protocol", self.protocol, "--port", "0")
        process = self.run("scheduler", *host, "--scheduler-file", str(file), "--no-show")
        self.address = wait_for(lambda: file.exists() and address_in(file), process)
        return process

    def start_worker(self, *options):
        local = ("--local-directory", str(self.folder / f"local-{len(self.processes)}"))
        # Without a nanny, the process that is killed is the worker, and nobody starts another.
        one = ("--nthreads", "1", "--no-nanny", "--memory-limit", "0")
        return self.run("worker", self.address, *local, *one, *options)

    def run(self, *command):
        log = (self.folder / f"log-{len(self.processes)}.txt").open("wb")
        with log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *command, "--no-dashboard"],
                cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        self.processes.append(process)
        return process

    def logs(self):
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("log-*.txt")))

    def close(self):
        # One after the other: a worker that hears of its scheduler's end and gets a signal may do neither well.
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def address_in(file):
    try:
        return json.loads(file.read_text())["address"]
    except ValueError:  # half written
        return ""


def wait_for(found, process=None, seconds=START_SECONDS):
    """Returns the first true value of a function."""
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, "it took too long"
        assert process is None or process.poll() is None, "the process has ended"
        time.sleep(0.05)
    return value


def descendants(pid, depth=None):
    """Process ids under a process, to so many generations."""
    children = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(entry.name))
    found, generation = [], [pid]
    while generation and depth != 0:
        generation = [child for one in generation for child in children.get(one, [])]
        found += generation
        depth = None if depth is None else depth - 1
    return found


def cpu_seconds(pid):
    """CPU seconds of a process, 0 where it has gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def control(own):
    """A client of the test's own, to look at the cluster with."""
    return distributed.Client(own.address, set_as_default=False, timeout=20)


@contextmanager
def machines(folder, workers=2, environment=None, protocol="tcp"):
    """A scheduler with so many workers, which may still be starting."""
    own = Machines(folder, environment, protocol)
    try:
        own.start_scheduler()
        for _ in range(workers):
            own.start_worker()
        yield own
    finally:
        own.close()
