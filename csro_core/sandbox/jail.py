"""The kernel jail: what a process does to itself after its last import and before it sees a policy.

Linux: limits, a user without rights (from root), no new privileges, not dumpable, Landlock deny-all where the kernel
has it, and the seccomp filter. Elsewhere: limits only, and the report says so. Pure ctypes, no dependency.

Sources: man pages prctl(2), seccomp(2), landlock(7), setrlimit(2).
"""

import ctypes
import os
import resource
import signal
import struct
import sys
from dataclasses import dataclass

from csro_core.sandbox.jail_filter import AUDIT_ARCHITECTURES, seccomp_program

NOBODY = 65534
"""User and group of policies when the host runs as root."""
OPEN_FILES = 16
STACK_BYTES = 8 << 20

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER = 2
_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446


class _FilterProgram(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


@dataclass(frozen=True)
class Report:
    """Which walls stand.

    Attributes:
        missing: in words, what full isolation needs and this process has not; empty for full isolation.
        landlock: version of Landlock in force, 0 where the kernel has none (not needed for full isolation).
    """

    missing: tuple[str, ...]
    landlock: int


def die_with_parent(parent: int) -> None:
    """Asks the kernel to kill this process when its parent dies; leaves at once where that has already happened.

    The kernel means the parent's *thread*: whoever forks jailed processes does so from a thread that lives on.
    """
    if sys.platform == "linux":
        _prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(0)


def enter(fd_in: int, fd_out: int, memory_bytes: int, cpu_seconds: int) -> Report:
    """Shuts the calling process in, for good.

    Args:
        fd_in: the only descriptor that it may read from here on.
        fd_out: the only descriptor that it may write.
        memory_bytes: its address space.
        cpu_seconds: the kernel's own limit on its CPU time, a backstop behind the host's deadlines.

    Returns:
        What holds. The caller passes it on to the host, which decides whether that is enough.
    """
    missing = _limits(memory_bytes, cpu_seconds)
    if sys.platform != "linux":
        return Report((*missing, f"no kernel jail on {sys.platform}"), 0)
    parent = os.getppid()
    if os.geteuid() == 0:
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
        except OSError:
            missing.append("policies run as root (the user could not be changed)")
        die_with_parent(parent)  # A change of the user clears the request.
    _prctl(_PR_SET_DUMPABLE, 0)
    if not _prctl(_PR_SET_NO_NEW_PRIVS, 1):
        missing.append("no_new_privs was refused")
    landlock = _landlock()
    if not _seccomp(fd_in, fd_out):
        missing.append(f"seccomp filters do not work here ({os.uname().machine})")
    return Report(tuple(missing), landlock)


def _limits(memory_bytes: int, cpu_seconds: int) -> list[str]:
    """Returns the limits that were refused, after setting all others."""
    limits = {
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_NPROC": 0,
        "RLIMIT_NOFILE": OPEN_FILES,
        "RLIMIT_CPU": cpu_seconds,
        "RLIMIT_STACK": STACK_BYTES,
        "RLIMIT_AS": memory_bytes,
    }
    refused = []
    for name, value in limits.items():
        try:
            # One more second between SIGXCPU, which tells what happened, and the kernel's SIGKILL.
            hard = value + 1 if name == "RLIMIT_CPU" else value
            resource.setrlimit(getattr(resource, name), (value, hard))
        except (AttributeError, ValueError, OSError):
            refused.append(f"{name} was refused")
    return refused


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int, address: int = 0) -> bool:
    # prctl takes unsigned longs: a bare Python int would be passed as an int.
    rest = ctypes.c_ulong(address), ctypes.c_ulong(0), ctypes.c_ulong(0)
    return bool(_libc().prctl(ctypes.c_int(option), ctypes.c_ulong(value), *rest) == 0)


def _landlock() -> int:
    """Returns the version of Landlock that now denies files and, where it can, the network; 0 where there is none."""
    libc = _libc()
    call = libc.syscall
    call.restype = ctypes.c_long
    # Probed by the call itself: /sys/kernel/security need not be mounted.
    version = int(call(ctypes.c_long(_LANDLOCK_CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint(1)))
    if version < 1:
        return 0
    files = (1 << 13) - 1
    for since, right in ((2, 13), (3, 14), (5, 15)):
        files |= (version >= since) << right
    network = 0b11 if version >= 4 else 0
    scopes = 0b11 if version >= 6 else 0
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = struct.pack("QQQ", files, network, scopes)
    ruleset = int(call(ctypes.c_long(_LANDLOCK_CREATE_RULESET), rules, ctypes.c_size_t(size), ctypes.c_uint(0)))
    if ruleset < 0:
        return 0
    done = int(call(ctypes.c_long(_LANDLOCK_RESTRICT_SELF), ctypes.c_int(ruleset), ctypes.c_uint(0)))
    os.close(ruleset)
    return version if done == 0 else 0


def _seccomp(fd_in: int, fd_out: int) -> bool:
    machine = os.uname().machine
    if machine not in AUDIT_ARCHITECTURES or sys.maxsize < 2**32:
        return False
    program = seccomp_program(machine, fd_in, fd_out)
    held = ctypes.create_string_buffer(program, len(program))
    header = _FilterProgram(len(program) // 8, ctypes.cast(held, ctypes.c_void_p))
    return _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(header))
