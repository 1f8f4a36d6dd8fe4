"""The kernel jail: what a process does to itself after its last import and before it sees a policy.

Linux: limits, a user without rights (from root), no capabilities, no new privileges, not dumpable, Landlock deny-all
where the kernel has it, and the seccomp filter. Other POSIX systems: limits only. Elsewhere: nothing. The report says
which walls stand. Pure ctypes, no dependency.

Sources: man pages prctl(2), seccomp(2), capset(2), landlock(7), setrlimit(2); `include/uapi/linux/landlock.h`.
"""

import ctypes
import os
import signal
import struct
import sys
from dataclasses import dataclass
from functools import cache

from csro_core.sandbox.jail_filter import AUDIT_ARCHITECTURES, seccomp_program

if sys.platform != "win32":
    import resource

NOBODY = 65534
"""User and group of policies when the host runs as root."""
OPEN_FILES = 16
STACK_BYTES = 8 << 20

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446
_LANDLOCK_CREATE_RULESET_VERSION = 1
# Rights over files, as landlock(7) adds them: 13 at first, then one more in each of these versions.
_LANDLOCK_FIRST_FILE_RIGHTS = 13
_LANDLOCK_MORE_FILE_RIGHTS = (2, 3, 5, 9)
_LANDLOCK_KNOWN_VERSION = 9
_LANDLOCK_MOST_RIGHTS = 64


class _FilterProgram(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


@dataclass(frozen=True)
class Report:
    """Which walls stand.

    Attributes:
        missing: in words, what full isolation needs and this process has not; empty for full isolation.
        walls: in words, what is in force.
        memory_limited: True where the kernel limits the memory; else the host must watch it.
        base_bytes: address space that the process had before it saw a policy, 0 where unknown.
        room_bytes: address space that it may take beyond that, 0 where nothing limits it.
    """

    missing: tuple[str, ...]
    walls: tuple[str, ...]
    memory_limited: bool
    base_bytes: int = 0
    room_bytes: int = 0


WATCHED = "memory is watched, not limited: what a policy takes and never touches does not count"
"""What is said where the kernel limits no memory."""
NOTHING = Report(("the kernel's part is switched off", WATCHED), (), False)
"""The report of a process that has not entered the jail."""


@dataclass(frozen=True)
class _Plan:
    """What `enter` needs and can be made once, before the processes are forked.

    Attributes:
        libc: the C library, with its own errno.
        landlock: version of Landlock that the kernel has, 0 for none.
        ruleset: the `struct landlock_ruleset_attr` that handles every right of that version.
        filter: the seccomp program; None where the machine is unknown.
        kept: the memory that `filter` points to.
    """

    libc: ctypes.CDLL
    landlock: int
    ruleset: bytes
    filter: _FilterProgram | None
    kept: object


def prepare(fd_in: int, fd_out: int) -> None:
    """Makes what every jailed process needs; a fork inherits it and starts sooner. Optional."""
    if sys.platform == "linux":
        _plan(fd_in, fd_out)


def die_with_parent(parent: int) -> None:
    """Asks the kernel to kill this process when its parent dies; leaves at once where that has already happened.

    The kernel means the parent's *thread*: whoever forks jailed processes does so from a thread that lives on.
    """
    if sys.platform == "linux":
        _prctl(_libc(), _PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(0)


def enter(fd_in: int, fd_out: int, memory_bytes: int, cpu_seconds: int) -> Report:
    """Shuts the calling process in, for good. It must have one thread.

    Args:
        fd_in: the only descriptor that it may read from here on.
        fd_out: the only descriptor that it may write.
        memory_bytes: address space that it may take beyond what it has now.
        cpu_seconds: the kernel's own limit on its CPU time, a backstop behind the host's deadlines.

    Returns:
        What holds. The caller passes it on to the host, which decides whether that is enough.
    """
    if sys.platform == "win32":
        return Report(("no kernel jail on Windows", WATCHED), (), False)
    base = _address_space()
    set_, refused = _limits(base + memory_bytes, cpu_seconds)
    # Elsewhere the call succeeds and limits nothing.
    memory_limited = sys.platform == "linux" and "memory" in set_
    walls = [f"limits on {', '.join(set_)}"]
    if sys.platform != "linux":
        return Report((*refused, f"no kernel jail on {sys.platform}", WATCHED), tuple(walls), memory_limited)
    if not memory_limited:
        refused.append(WATCHED)
    # Read back, while that can be asked: whoever started the host may have set a tighter one.
    room = max(resource.getrlimit(resource.RLIMIT_AS)[0] - base, 0) if memory_limited else 0
    plan = _plan(fd_in, fd_out)
    missing = [*refused, *_drop_rights(plan.libc, walls)]
    _prctl(plan.libc, _PR_SET_DUMPABLE, 0)
    if _prctl(plan.libc, _PR_SET_NO_NEW_PRIVS, 1):
        walls.append("no new privileges")
    else:
        missing.append("no_new_privs was refused")
    if _landlock(plan):
        walls.append(f"Landlock {plan.landlock}")
    if plan.filter is not None and _prctl(
        plan.libc, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(plan.filter)
    ):
        walls.append("a seccomp allow-list")
    else:
        missing.append(f"seccomp filters do not work here ({os.uname().machine})")
    return Report(tuple(missing), tuple(walls), memory_limited, base, room)


def _address_space() -> int:
    """Returns the bytes of address space that this process has, 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as sizes:
            return int(sizes.read().split()[0]) * resource.getpagesize()  # proc(5): the first is the whole size
    except (OSError, ValueError, IndexError):
        return 0


def _limits(memory_bytes: int, cpu_seconds: int) -> tuple[list[str], list[str]]:
    """Returns what is limited now, and which limits were refused."""
    limits = {
        "memory": ("RLIMIT_AS", memory_bytes),
        "CPU time": ("RLIMIT_CPU", cpu_seconds),
        "files": ("RLIMIT_FSIZE", 0),
        "open files": ("RLIMIT_NOFILE", OPEN_FILES),
        "processes": ("RLIMIT_NPROC", 0),
        "core dumps": ("RLIMIT_CORE", 0),
        "locked memory": ("RLIMIT_MEMLOCK", 0),
        "stack": ("RLIMIT_STACK", STACK_BYTES),
    }
    done, refused = [], []
    for what, (name, value) in limits.items():
        try:
            number = getattr(resource, name)
            # One more second between SIGXCPU, which tells what happened, and the kernel's SIGKILL.
            hard = value + 1 if name == "RLIMIT_CPU" else value
            _, allowed = resource.getrlimit(number)
            if allowed != resource.RLIM_INFINITY:
                # Whoever started the host may have set a tighter one (ulimit), which only root can loosen.
                hard = min(hard, allowed)
            resource.setrlimit(number, (min(value, hard), hard))
            done.append(what)
        except (AttributeError, ValueError, OSError):
            refused.append(f"{name} was refused")
    return done, refused


def _drop_rights(libc: ctypes.CDLL, walls: list[str]) -> list[str]:
    """Returns what did not work of becoming nobody, from root, and of giving up every capability."""
    missing = []
    parent = os.getppid()
    if os.geteuid() == 0:
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            walls.append("a user without rights")
        except OSError:
            missing.append("policies run as root (the user could not be changed)")
        die_with_parent(parent)  # A change of the user clears the request.
    # Also where the user was not changed: a container may give capabilities to any user. Effective, permitted and
    # inheritable, in two halves each; the ambient ones follow.
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    if libc.capset(header, bytes(24)) == 0:
        walls.append("no capabilities")
    else:
        missing.append("capabilities could not be given up")
    return missing


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@cache
def _plan(fd_in: int, fd_out: int) -> _Plan:
    libc = _libc()
    version, ruleset = _landlock_ruleset(libc)
    machine = os.uname().machine
    if machine not in AUDIT_ARCHITECTURES or sys.maxsize < 2**32:
        return _Plan(libc, version, ruleset, None, None)
    program = seccomp_program(machine, fd_in, fd_out)
    kept = ctypes.create_string_buffer(program, len(program))
    header = _FilterProgram(len(program) // 8, ctypes.cast(kept, ctypes.c_void_p))
    return _Plan(libc, version, ruleset, header, kept)


def _prctl(libc: ctypes.CDLL, option: int, value: int, address: int = 0) -> bool:
    # prctl takes unsigned longs: a bare Python int would be passed as an int.
    rest = ctypes.c_ulong(address), ctypes.c_ulong(0), ctypes.c_ulong(0)
    return bool(libc.prctl(ctypes.c_int(option), ctypes.c_ulong(value), *rest) == 0)


def _landlock_create(libc: ctypes.CDLL, ruleset: bytes | None, flags: int) -> int:
    """Returns a descriptor of a new ruleset, or the version of Landlock, or -1."""
    size = len(ruleset) if ruleset else 0
    call = ctypes.c_long(_LANDLOCK_CREATE_RULESET)
    return int(libc.syscall(call, ruleset, ctypes.c_size_t(size), ctypes.c_uint(flags)))


def _landlock_ruleset(libc: ctypes.CDLL) -> tuple[int, bytes]:
    """Returns the kernel's version of Landlock, 0 for none, and a ruleset that denies all that it can deny."""
    # Probed by the call itself: /sys/kernel/security need not be mounted.
    version = _landlock_create(libc, None, _LANDLOCK_CREATE_RULESET_VERSION)
    if version < 1:
        return 0, b""
    # Counts of rights over files, over ports of TCP, and of scopes (sockets without a path, signals).
    counts = [
        _LANDLOCK_FIRST_FILE_RIGHTS + sum(version >= since for since in _LANDLOCK_MORE_FILE_RIGHTS),
        2 if version >= 4 else 0,
        2 if version >= 6 else 0,
    ]
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    # What versions newer than this text add is found by trying: the kernel refuses a right that it does not know.
    for kind in range(3 if version > _LANDLOCK_KNOWN_VERSION else 0):
        while counts[kind] < _LANDLOCK_MOST_RIGHTS:
            counts[kind] += 1
            descriptor = _landlock_create(libc, _denying(counts, size), 0)
            if descriptor < 0:
                counts[kind] -= 1
                break
            os.close(descriptor)
    return version, _denying(counts, size)


def _denying(counts: list[int], size: int) -> bytes:
    """Returns a `struct landlock_ruleset_attr` that handles the first so many rights of each kind, and allows none."""
    return struct.pack("QQQ", *((1 << count) - 1 for count in counts))[:size]


def _landlock(plan: _Plan) -> bool:
    """Returns True where Landlock now denies files and, where it can, the network and signals."""
    if not plan.landlock:
        return False
    ruleset = _landlock_create(plan.libc, plan.ruleset, 0)
    if ruleset < 0:
        return False
    done = plan.libc.syscall(ctypes.c_long(_LANDLOCK_RESTRICT_SELF), ctypes.c_int(ruleset), ctypes.c_uint(0))
    os.close(ruleset)
    return bool(done == 0)
