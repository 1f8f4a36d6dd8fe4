"""What another process uses: CPU time and memory, as far as the system tells, and whether it runs."""

import os
import re
import sys
import time

if sys.platform == "linux":
    _PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

    def _statm(pid: int, column: int) -> int | None:
        """Returns a size of a process in bytes; proc(5): the first is the address space, the second is resident."""
        try:
            with open(f"/proc/{pid}/statm", "rb") as sizes:
                return int(sizes.read().split()[column]) * _PAGE_BYTES
        except (OSError, IndexError):
            return None

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


def is_resting(pid: int) -> bool:
    """Returns True where a process waits for something of its own accord: neither stopped, nor for a processor.

    Where the system tells less, True for all that are not stopped.
    """
    if sys.platform == "linux":
        try:
            with open(f"/proc/{pid}/stat", "rb") as line:
                return line.read().rpartition(b")")[2].split()[0] == b"S"  # proc(5): the state follows the name
        except (OSError, IndexError):
            return False
    else:
        try:
            return bool(psutil.Process(pid).status() != psutil.STATUS_STOPPED)
        except psutil.Error:
            return False


def address_bytes(pid: int) -> int | None:
    """Returns the address space of a process, the scale of RLIMIT_AS; None where the system does not tell."""
    return _statm(pid, 0) if sys.platform == "linux" else None


def peak_address_bytes(pid: int) -> int | None:
    """Returns the largest address space that a living process ever had; None where the system does not tell."""
    try:
        with open(f"/proc/{pid}/status", "rb") as lines:
            found = re.search(rb"^VmPeak:\s+(\d+) kB$", lines.read(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) << 10 if found else None


def machine_bytes() -> int:
    """Returns the memory of this machine, or of the container where that has less; 0 where the system tells neither."""
    if sys.platform == "win32":
        return int(psutil.virtual_memory().total)
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as most:
            return min(total, int(most.read()))
    except (OSError, ValueError):
        return total  # no group, or one without a limit: "max"


def resident_bytes(pid: int) -> int | None:
    """Returns the resident memory of a process; None where the system does not tell."""
    if sys.platform == "linux":
        return _statm(pid, 1)
    else:
        try:
            return int(psutil.Process(pid).memory_info().rss)
        except psutil.Error:
            return None
