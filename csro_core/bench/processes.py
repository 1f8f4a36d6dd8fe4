"""What a policy's process costs: its start, its memory, and a message to it; each beside a bare process."""

import re
import subprocess  # noqa: TID251 - bare interpreters to compare with
import sys
import time
from pathlib import Path

from csro_core.bench.workloads import Workload, bench_game
from csro_core.matches.referee import play_match
from csro_core.matches.sides import Spawn
from csro_core.matches.widths import Widths
from csro_core.sandbox.host import PolicyHost
from csro_core.sandbox.player import Player

_BARE = (sys.executable, "-S", "-c")
_SHOW_MEMORY = "print(open('/proc/self/smaps_rollup').read())"
_ECHO = "import os\nwhile data := os.read(0, 1):\n    os.write(1, data)"


def start_seconds(host: PolicyHost) -> float:
    """Returns the time until a new jailed process answers, from a host that is ready."""
    began = time.perf_counter()
    player = host.spawn()
    seconds = time.perf_counter() - began
    host.release(player)
    return seconds


def cold_start_seconds() -> float:
    """Returns the time until the first jailed process of a new host has answered and ended."""
    began = time.perf_counter()
    host = PolicyHost()
    seconds = time.perf_counter() - began
    host.close()
    return seconds


def bare_start_seconds() -> float:
    """Returns the time to start and end a Python interpreter that does nothing, without site packages."""
    began = time.perf_counter()
    subprocess.run([*_BARE, "pass"], check=True)
    return time.perf_counter() - began


def policy_memory(host: PolicyHost, load: Workload) -> dict[str, float] | None:
    """Returns the memory of the first policy's process at the end of a match.

    Args:
        host: gives out the processes.
        load: what is played.

    Returns:
        MB by kind: "Rss" is resident, "Pss" counts what is shared with other processes in proportion. None where the
        system does not tell.
    """
    players: list[Player] = []

    def spawn(memory_bytes: int, cpu_seconds: int) -> Player:
        players.append(host.spawn(memory_bytes, cpu_seconds))
        return players[-1]

    job = load.job
    try:
        play_match(bench_game(job.game), job, Spawn(spawn, Widths()))
        return _memory(players[0].pid)
    finally:
        for player in players:
            host.release(player)


def bare_memory() -> dict[str, float] | None:
    """Returns the memory of a Python interpreter that does nothing, as `policy_memory` does."""
    if sys.platform != "linux":
        return None
    shown = subprocess.run([*_BARE, _SHOW_MEMORY], check=False, capture_output=True, text=True).stdout
    return _megabytes(shown)


def pipe_seconds(round_trips: int) -> float:
    """Returns the time of a round trip of one byte to an unprotected process, through two pipes.

    Args:
        round_trips: over how many the mean is taken, >= 1.
    """
    with subprocess.Popen([*_BARE, _ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"x")
        process.stdout.read(1)
        began = time.perf_counter()
        for _ in range(round_trips):
            process.stdin.write(b"x")
            process.stdout.read(1)
        seconds = time.perf_counter() - began
        process.stdin.close()
    return seconds / round_trips


def _memory(pid: int) -> dict[str, float] | None:
    """Returns what the kernel tells of a process: to root everything, to others the resident part only."""
    folder = Path("/proc") / str(pid)
    try:
        return _megabytes((folder / "smaps_rollup").read_text(encoding="ascii"))
    except OSError:
        pass
    try:
        found = re.search(r"VmRSS:\s+(\d+) kB", (folder / "status").read_text(encoding="utf-8"))
    except OSError:
        return None
    return {"Rss": int(found[1]) / 1024} if found else None


def _megabytes(shown: str) -> dict[str, float] | None:
    found = re.findall(r"^(Rss|Pss):\s+(\d+) kB$", shown, re.MULTILINE)
    return {kind: int(kilobytes) / 1024 for kind, kilobytes in found} or None
