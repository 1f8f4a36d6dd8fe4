"""The seccomp filter: which system calls a jailed process may make, as a BPF program.

Sources: Linux `seccomp(2)`, `include/uapi/linux/seccomp.h`, `include/uapi/linux/bpf_common.h`; numbers of system calls
from `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h` (aarch64).
"""

import struct

AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""AUDIT_ARCH_* of the machines that the filter knows, by `os.uname().machine`."""

# Allowed: memory, signals of its own, clocks, randomness, the end.
_ALLOWED = {
    "x86_64": {
        "brk": 12, "clock_gettime": 228, "exit": 60, "exit_group": 231, "futex": 202, "getpid": 39, "getrandom": 318,
        "gettid": 186, "madvise": 28, "mremap": 25, "munmap": 11, "restart_syscall": 219, "rt_sigaction": 13,
        "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24, "sigaltstack": 131,
    },
    "aarch64": {
        "brk": 214, "clock_gettime": 113, "exit": 93, "exit_group": 94, "futex": 98, "getpid": 172, "getrandom": 278,
        "gettid": 178, "madvise": 233, "mremap": 216, "munmap": 215, "restart_syscall": 128, "rt_sigaction": 134,
        "rt_sigprocmask": 135, "rt_sigreturn": 139, "sched_yield": 124, "sigaltstack": 132,
    },
}  # fmt: skip

# Answered with EPERM, so that a stray open or import inside the interpreter fails as an ordinary exception.
_REFUSED_POLITELY = {
    "x86_64": {
        "access": 21, "clock_getres": 229, "clock_nanosleep": 230, "close": 3, "dup": 32, "faccessat": 269,
        "faccessat2": 439, "fcntl": 72, "fstat": 5, "getcwd": 79, "getdents64": 217, "geteuid": 107, "getrusage": 98,
        "getuid": 102, "ioctl": 16, "lseek": 8, "lstat": 6, "newfstatat": 262, "open": 2, "openat": 257, "openat2": 437,
        "poll": 7, "prlimit64": 302, "readlink": 89, "readlinkat": 267, "rseq": 334, "stat": 4, "statx": 332,
        "sysinfo": 99, "tgkill": 234, "uname": 63, "writev": 20,
    },
    "aarch64": {
        "clock_getres": 114, "clock_nanosleep": 115, "close": 57, "dup": 23, "faccessat": 48, "faccessat2": 439,
        "fcntl": 25, "fstat": 80, "getcwd": 17, "getdents64": 61, "geteuid": 175, "getrusage": 165, "getuid": 174,
        "ioctl": 29, "lseek": 62, "newfstatat": 79, "openat": 56, "openat2": 437, "prlimit64": 261, "readlinkat": 78,
        "rseq": 293, "statx": 291, "sysinfo": 179, "tgkill": 131, "uname": 160, "writev": 66,
    },
}  # fmt: skip

_READ_WRITE = {"x86_64": (0, 1), "aarch64": (63, 64)}
_MMAP_MPROTECT = {"x86_64": (9, 10), "aarch64": (222, 226)}

_LOAD_WORD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _EPERM, _KILL_PROCESS = 0x7FFF0000, 0x00050001, 0x80000000
_X32_FIRST = 0x40000000
_PROT_EXEC, _MAP_ANONYMOUS = 0x4, 0x20
_OFFSET_NUMBER, _OFFSET_ARCHITECTURE, _OFFSET_ARGUMENTS = 0, 4, 16


def seccomp_program(machine: str, fd_in: int, fd_out: int) -> bytes:
    """Returns the filter as an array of `struct sock_filter`, 8 bytes an instruction.

    Reading from `fd_in`, writing to `fd_out`, and memory that is anonymous and never executable are allowed; file
    calls fail with EPERM; anything else kills the process.

    Args:
        machine: "x86_64" or "aarch64".
        fd_in: the only descriptor that may be read.
        fd_out: the only descriptor that may be written.

    Raises:
        KeyError: the machine is unknown.
    """
    program = [
        _load(_OFFSET_ARCHITECTURE),
        _instruction(_JUMP_EQUAL, 1, 0, AUDIT_ARCHITECTURES[machine]),
        _return(_KILL_PROCESS),
        _load(_OFFSET_NUMBER),
    ]
    if machine == "x86_64":
        program += [_instruction(_JUMP_GREATER_EQUAL, 0, 1, _X32_FIRST), _return(_KILL_PROCESS)]
    read, write = _READ_WRITE[machine]
    mmap, mprotect = _MMAP_MPROTECT[machine]
    never_executable = [_load(_argument(2)), _instruction(_JUMP_SET, 0, 1, _PROT_EXEC), _return(_EPERM)]
    anonymous = [_load(_argument(3)), _instruction(_JUMP_SET, 1, 0, _MAP_ANONYMOUS), _return(_EPERM)]
    program += _when(read, _only_descriptor(fd_in))
    program += _when(write, _only_descriptor(fd_out))
    program += _when(mmap, [*never_executable, *anonymous, _return(_ALLOW)])
    program += _when(mprotect, [*never_executable, _return(_ALLOW)])
    for number in _ALLOWED[machine].values():
        program += _when(number, [_return(_ALLOW)])
    for number in _REFUSED_POLITELY[machine].values():
        program += _when(number, [_return(_EPERM)])
    return b"".join([*program, _return(_KILL_PROCESS)])


def _instruction(code: int, if_true: int, if_false: int, operand: int) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, operand)


def _load(offset: int) -> bytes:
    return _instruction(_LOAD_WORD, 0, 0, offset)


def _return(value: int) -> bytes:
    return _instruction(_RETURN, 0, 0, value)


def _argument(index: int) -> int:
    """Returns the offset of the low 32 bits of an argument (both machines are little-endian)."""
    return _OFFSET_ARGUMENTS + 8 * index


def _only_descriptor(descriptor: int) -> list[bytes]:
    test = _instruction(_JUMP_EQUAL, 0, 1, descriptor)
    return [_load(_argument(0)), test, _return(_ALLOW), _return(_EPERM)]


def _when(number: int, body: list[bytes]) -> list[bytes]:
    """Returns code that runs `body`, which ends in a return, for one system call and jumps over it otherwise."""
    return [_instruction(_JUMP_EQUAL, 0, len(body), number), *body]
