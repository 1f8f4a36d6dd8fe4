"""The seccomp filters of both machines, run by a small interpreter of classic BPF over every system call."""

import struct

import pytest

from csro_core.sandbox import jail_filter
from csro_core.sandbox.jail_filter import AUDIT_ARCHITECTURES, seccomp_program

FD_IN, FD_OUT = 4, 7
# include/uapi/linux/seccomp.h; EPERM is 1.
ALLOW, EPERM, KILL = 0x7FFF0000, 0x00050001, 0x80000000
MACHINES = ["x86_64", "aarch64"]
# AUDIT_ARCH_I386, _ARM, _RISCV64, _PPC64LE and none, include/uapi/linux/audit.h
WRONG = [0x40000003, 0x40000028, 0xC00000F3, 0xC0000015, 0]

# Numbers from arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h, typed again for the test.
READ, WRITE, MMAP, MPROTECT, PRCTL = (
    {"x86_64": x86, "aarch64": arm} for x86, arm in ((0, 63), (1, 64), (9, 222), (10, 226), (157, 167))
)
FILES = {
    "x86_64": {"open": 2, "stat": 4, "fstat": 5, "lstat": 6, "access": 21, "getdents64": 217, "openat": 257,
               "newfstatat": 262, "readlinkat": 267, "readlink": 89, "faccessat": 269, "statx": 332, "openat2": 437},
    "aarch64": {"faccessat": 48, "openat": 56, "getdents64": 61, "readlinkat": 78, "newfstatat": 79, "fstat": 80,
                "statx": 291, "openat2": 437},
}  # fmt: skip
NEEDED = {
    "x86_64": {"munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "mremap": 25,
               "madvise": 28, "exit": 60, "futex": 202, "clock_gettime": 228, "exit_group": 231, "getrandom": 318},
    "aarch64": {"munmap": 215, "brk": 214, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139,
                "mremap": 216, "madvise": 233, "exit": 93, "futex": 98, "clock_gettime": 113, "exit_group": 94,
                "getrandom": 278},
}  # fmt: skip
DEADLY = {
    "x86_64": {"socket": 41, "connect": 42, "sendto": 44, "sendmsg": 46, "clone": 56, "fork": 57, "vfork": 58,
               "execve": 59, "kill": 62, "unlink": 87, "ptrace": 101, "mount": 165, "io_setup": 206, "unshare": 272,
               "setns": 308, "process_vm_readv": 310, "seccomp": 317, "memfd_create": 319, "bpf": 321,
               "execveat": 322, "userfaultfd": 323, "pkey_mprotect": 329, "pidfd_send_signal": 424,
               "io_uring_setup": 425, "pidfd_open": 434, "clone3": 435, "pidfd_getfd": 438, "landlock": 444},
    "aarch64": {"io_setup": 0, "unlinkat": 35, "mount": 40, "unshare": 97, "ptrace": 117, "kill": 129, "socket": 198,
                "connect": 203, "sendto": 206, "sendmsg": 211, "clone": 220, "execve": 221, "setns": 268,
                "process_vm_readv": 270, "seccomp": 277, "memfd_create": 279, "bpf": 280, "execveat": 281,
                "userfaultfd": 282, "pkey_mprotect": 288, "pidfd_send_signal": 424, "io_uring_setup": 425,
                "pidfd_open": 434, "clone3": 435, "pidfd_getfd": 438, "landlock": 444},
}  # fmt: skip


def answer(program, number, arguments=(), architecture=None, machine="x86_64"):
    """Returns what the filter says of one system call (Linux, Documentation/networking/filter.rst)."""
    architecture = AUDIT_ARCHITECTURES[machine] if architecture is None else architecture
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, architecture, 0, *(one & (2**64 - 1) for one in padded))
    accumulator, at = 0, 0
    for _ in range(len(program)):
        code, if_true, if_false, operand = struct.unpack_from("<HBBI", program, 8 * at)
        at += 1
        if code == 0x20:
            accumulator = struct.unpack_from("<I", data, operand)[0]
        elif code == 0x06:
            return operand
        elif code == 0x05:
            at += operand
        else:
            met = {
                0x15: accumulator == operand,
                0x25: accumulator > operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[code]
            at += if_true if met else if_false
    raise AssertionError("the filter does not end")


@pytest.fixture(params=MACHINES)
def asked(request):
    machine = request.param
    program = seccomp_program(machine, FD_IN, FD_OUT)
    return machine, lambda number, *arguments, **options: answer(program, number, arguments, machine=machine, **options)


def test_the_interpreter_knows_a_filter_by_hand():
    load, equal, allow, kill = (0x20, 0, 0, 0), (0x15, 0, 1, 5), (0x06, 0, 0, ALLOW), (0x06, 0, 0, KILL)
    program = b"".join(struct.pack("<HBBI", *one) for one in (load, equal, allow, kill))
    assert answer(program, 5) == ALLOW
    assert answer(program, 6) == KILL


def test_needed_calls_are_allowed_file_calls_refused_and_the_rest_is_deadly(asked):
    machine, ask = asked
    for table, wanted in ((NEEDED, ALLOW), (FILES, EPERM), (DEADLY, KILL)):
        for name, number in table[machine].items():
            assert ask(number) == wanted, name


def test_a_sweep_gives_what_the_tables_say_and_nothing_else(asked):
    machine, ask = asked
    allowed = set(jail_filter._ALLOWED[machine].values())
    refused = set(jail_filter._REFUSED_POLITELY[machine].values())
    special = {READ[machine], WRITE[machine], MMAP[machine], MPROTECT[machine], PRCTL[machine]}
    assert not allowed & refused
    assert not special & (allowed | refused)
    high = [601, 1000, 4095, 0x3FFFFFFF, 0x40000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
    for number in [*range(601), *high]:
        if number not in special:
            wanted = ALLOW if number in allowed else EPERM if number in refused else KILL
            assert ask(number) == wanted, number


def test_numbers_of_x32_are_deadly():
    program = seccomp_program("x86_64", FD_IN, FD_OUT)
    assert {answer(program, 0x40000000 + number, (FD_IN,)) for number in range(601)} == {KILL}


def test_another_architecture_is_deadly(asked):
    machine, ask = asked
    others = [code for code in WRONG + list(AUDIT_ARCHITECTURES.values()) if code != AUDIT_ARCHITECTURES[machine]]
    for architecture in others:
        for number in range(601):
            assert ask(number, FD_IN, architecture=architecture) == KILL


def test_only_one_descriptor_may_be_read_and_one_written(asked):
    machine, ask = asked
    for descriptor in [*range(20), 2**31, 2**32 - 1]:
        assert ask(READ[machine], descriptor) == (ALLOW if descriptor == FD_IN else EPERM)
        assert ask(WRITE[machine], descriptor) == (ALLOW if descriptor == FD_OUT else EPERM)


def test_memory_is_anonymous_and_never_executable(asked):
    machine, ask = asked
    # PROT_READ 1, PROT_WRITE 2, PROT_EXEC 4; MAP_SHARED 1, MAP_PRIVATE 2, MAP_FIXED 0x10, MAP_ANONYMOUS 0x20
    for protection in range(8):
        executable = protection & 4
        assert ask(MPROTECT[machine], 0, 4096, protection) == (EPERM if executable else ALLOW)
        for flags in (0x01, 0x02, 0x12, 0x21, 0x22, 0x32, 0x20022):
            fine = not executable and flags & 0x20
            assert ask(MMAP[machine], 0, 4096, protection, flags, 3) == (ALLOW if fine else EPERM)


def test_prctl_never_succeeds(asked):
    machine, ask = asked
    # PR_SET_VMA, include/uapi/linux/prctl.h: interpreters ask for it by themselves.
    assert ask(PRCTL[machine], 0x53564D41) == EPERM
    assert {ask(PRCTL[machine], option) for option in range(100)} == {KILL}
