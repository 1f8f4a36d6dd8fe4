"""What another process uses: CPU time and resident memory, as far as the system tells."""

import sys
import time

if sys.platform == "linux":
    import os

    _PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
else:
    import psutil


def cpu_seconds(pid: int) -> float | None:
    """Returns the CPU time of a process so far; None where the system does not tell."""
    if sys.platform == "linux":
        try:
            # The CPU clock of a process: clock_getcpuclockid(3) in one expression.
            return time.clock_gettime((~pid << 3) | 2)
        except OSError:
            return None
    elif sys.platform == "darwin":
        # psutil asks the kernel, whose unit is another one under Rosetta (psutil issue 2411): the wall is safer.
        return None
    else:
        try:
            times = psutil.Process(pid).cpu_times()
            return float(times.user + times.system)
        except psutil.Error:
            return None


def resident_bytes(pid: int) -> int | None:
    """Returns the resident memory of a process; None where the system does not tell."""
    if sys.platform == "linux":
        try:
            with open(f"/proc/{pid}/statm", "rb") as sizes:
                return int(sizes.read().split()[1]) * _PAGE_BYTES  # proc(5): the second is the resident size
        except (OSError, IndexError):
            return None
    else:
        try:
            return int(psutil.Process(pid).memory_info().rss)
        except psutil.Error:
            return None
