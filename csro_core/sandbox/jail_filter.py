"""The seccomp filter: which system calls a jailed process may make, as a BPF program.

Sources: Linux `seccomp(2)`, `include/uapi/linux/seccomp.h`, `include/uapi/linux/bpf_common.h`; numbers of system calls
from `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h` (aarch64).
"""

import struct

AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""AUDIT_ARCH_* of the machines that the filter knows, by `os.uname().machine`."""

# Allowed: memory, signals of its own, clocks, randomness, the end. The three calls for the time are system calls only
# where the kernel cannot offer its clock in user space.
_ALLOWED = {
    "x86_64": {
        "brk": 12, "clock_gettime": 228, "exit": 60, "exit_group": 231, "futex": 202, "getpid": 39, "getrandom": 318,
        "gettid": 186, "gettimeofday": 96, "madvise": 28, "mremap": 25, "munmap": 11, "restart_syscall": 219,
        "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24, "sigaltstack": 131,
        "time": 201,
    },
    "aarch64": {
        "brk": 214, "clock_gettime": 113, "exit": 93, "exit_group": 94, "futex": 98, "getpid": 172, "getrandom": 278,
        "gettid": 178, "gettimeofday": 169, "madvise": 233, "mremap": 216, "munmap": 215, "restart_syscall": 128,
        "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "sched_yield": 124, "sigaltstack": 132,
    },
}  # fmt: skip

# Answered with EPERM, so that a stray open or import inside the interpreter fails as an ordinary exception. With what
# newer interpreters and other C libraries may ask for by themselves: none of it is needed, and none is worth a death.
_REFUSED_POLITELY = {
    "x86_64": {
        "access": 21, "clock_getres": 229, "clock_nanosleep": 230, "close": 3, "close_range": 436, "dup": 32,
        "faccessat": 269, "faccessat2": 439, "fcntl": 72, "fstat": 5, "getcpu": 309, "getcwd": 79, "getdents64": 217,
        "getegid": 108, "geteuid": 107, "getgid": 104, "getppid": 110, "getrlimit": 97, "getrusage": 98, "getuid": 102,
        "ioctl": 16, "lseek": 8, "lstat": 6, "membarrier": 324, "mincore": 27, "nanosleep": 35, "newfstatat": 262,
        "open": 2, "openat": 257, "openat2": 437, "poll": 7, "ppoll": 271, "pread64": 17, "prlimit64": 302,
        "pselect6": 270, "readlink": 89, "readlinkat": 267, "readv": 19, "rseq": 334, "sched_getaffinity": 204,
        "select": 23, "set_robust_list": 273, "set_tid_address": 218, "stat": 4, "statx": 332, "sysinfo": 99,
        "tgkill": 234, "tkill": 200, "uname": 63, "writev": 20,
    },
    "aarch64": {
        "clock_getres": 114, "clock_nanosleep": 115, "close": 57, "close_range": 436, "dup": 23, "faccessat": 48,
        "faccessat2": 439, "fcntl": 25, "fstat": 80, "getcpu": 168, "getcwd": 17, "getdents64": 61, "getegid": 177,
        "geteuid": 175, "getgid": 176, "getppid": 173, "getrlimit": 163, "getrusage": 165, "getuid": 174, "ioctl": 29,
        "lseek": 62, "membarrier": 283, "mincore": 232, "nanosleep": 101, "newfstatat": 79, "openat": 56,
        "openat2": 437, "ppoll": 73, "pread64": 67, "prlimit64": 261, "pselect6": 72, "readlinkat": 78, "readv": 65,
        "rseq": 293, "sched_getaffinity": 123, "set_robust_list": 99, "set_tid_address": 96, "statx": 291,
        "sysinfo": 179, "tgkill": 131, "tkill": 130, "uname": 160, "writev": 66,
    },
}  # fmt: skip

_READ_WRITE = {"x86_64": (0, 1), "aarch64": (63, 64)}
_MMAP_MPROTECT = {"x86_64": (9, 10), "aarch64": (222, 226)}
_PRCTL = {"x86_64": 157, "aarch64": 167}

_LOAD_WORD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _EPERM, _KILL_PROCESS = 0x7FFF0000, 0x00050001, 0x80000000
_X32_FIRST = 0x40000000
_PROT_EXEC, _MAP_ANONYMOUS = 0x4, 0x20
_PR_SET_VMA = 0x53564D41
"""Names a piece of memory. Some interpreters and C libraries do that whenever they take some."""
_OFFSET_NUMBER, _OFFSET_ARCHITECTURE, _OFFSET_ARGUMENTS = 0, 4, 16


def seccomp_program(machine: str, fd_in: int, fd_out: int) -> bytes:
    """Returns the filter as an array of `struct sock_filter`, 8 bytes an instruction.

    Reading from `fd_in`, writing to `fd_out`, and memory that is anonymous and never executable are allowed; file
    calls fail with EPERM; anything else kills the process.

    The numbers are found by halving: the kernel runs a new filter once for every system call that there is (its
    cache of calls that are always allowed), which with a plain list takes longer than all the rest of the jail.

    Args:
        machine: "x86_64" or "aarch64".
        fd_in: the only descriptor that may be read.
        fd_out: the only descriptor that may be written.

    Raises:
        KeyError: the machine is unknown.
    """
    read, write = _READ_WRITE[machine]
    mmap, mprotect = _MMAP_MPROTECT[machine]
    never_executable = [_load(_argument(2)), _instruction(_JUMP_SET, 0, 1, _PROT_EXEC), _return(_EPERM)]
    anonymous = [_load(_argument(3)), _instruction(_JUMP_SET, 1, 0, _MAP_ANONYMOUS), _return(_EPERM)]
    naming = [_load(_argument(0)), _instruction(_JUMP_EQUAL, 0, 1, _PR_SET_VMA), _return(_EPERM)]
    answers = dict.fromkeys(_ALLOWED[machine].values(), [_return(_ALLOW)])
    answers |= dict.fromkeys(_REFUSED_POLITELY[machine].values(), [_return(_EPERM)])
    answers |= {
        read: _only_descriptor(fd_in),
        write: _only_descriptor(fd_out),
        mmap: [*never_executable, *anonymous, _return(_ALLOW)],
        mprotect: [*never_executable, _return(_ALLOW)],
        _PRCTL[machine]: [*naming, _return(_KILL_PROCESS)],
    }
    program = [
        _load(_OFFSET_ARCHITECTURE),
        _instruction(_JUMP_EQUAL, 1, 0, AUDIT_ARCHITECTURES[machine]),
        _return(_KILL_PROCESS),
        _load(_OFFSET_NUMBER),
    ]
    if machine == "x86_64":
        program += [_instruction(_JUMP_GREATER_EQUAL, 0, 1, _X32_FIRST), _return(_KILL_PROCESS)]
    return b"".join([*program, *_search(sorted(answers.items()))])


def _search(answers: list[tuple[int, list[bytes]]]) -> list[bytes]:
    """Returns code that runs the body for one system call, each of which ends in a return, and kills for all others."""
    if len(answers) == 1:
        number, body = answers[0]
        return [_instruction(_JUMP_EQUAL, 0, len(body), number), *body, _return(_KILL_PROCESS)]
    middle = len(answers) // 2
    low, high = _search(answers[:middle]), _search(answers[middle:])
    return [_instruction(_JUMP_GREATER_EQUAL, len(low), 0, answers[middle][0]), *low, *high]


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
