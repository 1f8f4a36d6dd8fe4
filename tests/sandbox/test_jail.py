"""Layer 1 assumed lost: what native code can do inside the kernel jail. Each attempt runs in a process of its own."""

import os
import signal
import subprocess
import sys

import pytest

from csro_core.sandbox.jail_filter import seccomp_program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel jail is Linux only")

PROLOGUE = """
import ctypes, mmap, os, resource, signal, socket, sys, threading, time
sys.path.append({root!r})
from csro_core.sandbox import jail
libc = ctypes.CDLL(None, use_errno=True)
parent = os.getppid()
read_end, write_end = os.pipe()
os.dup2(write_end, 1)
report = jail.enter(0, 1, 256 << 20, 30)
if report.missing:
    os._exit(77)
"""

# attempt → how the process must end: "refused" (an OSError), "killed" (SIGSYS), or "allowed".
ATTEMPTS = {
    "open a file": ("open({secret!r})", "refused"),
    "write a file": ("open({secret!r} + '2', 'w')", "refused"),
    "list a folder": ("os.listdir('/')", "refused"),
    "read the parent's environment": ("open(f'/proc/{{parent}}/environ')", "refused"),
    "read another descriptor": ("os.read(read_end, 1)", "refused"),
    "write to another descriptor": ("os.write(2, b'x')", "refused"),
    "import a module": ("import sqlite3", "refused"),
    "sleep": ("libc.usleep(1) == -1 and (_ for _ in ()).throw(OSError())", "refused"),
    "executable memory": ("mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)", "refused"),
    "raise a limit": ("resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))", "refused"),
    "fork": ("os.fork()", "killed"),
    "thread": ("threading.Thread(target=print).start()", "killed"),
    "exec": ("os.execv('/bin/true', ['true'])", "killed"),
    "kill the parent": ("os.kill(parent, 0)", "killed"),
    "tcp": ("socket.socket()", "killed"),
    "udp": ("socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", "killed"),
    "unix socket": ("socket.socket(socket.AF_UNIX)", "killed"),
    "ptrace": ("libc.ptrace(16, parent, 0, 0)", "killed"),
    "remove a file": ("os.unlink({secret!r})", "killed"),
    "change the user": ("os.setuid(0)", "killed"),
    "alarm": ("signal.alarm(1)", "killed"),
    "another seccomp filter": ("libc.prctl(22, 2, 0, 0, 0)", "killed"),
    "memory within the limit": ("bytearray(50 << 20)", "allowed"),
    "randomness, clock, answer": ("os.urandom(8), time.monotonic(), os.write(1, b'x')", "allowed"),
}


def run(program):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = [sys.executable, "-c", PROLOGUE.format(root=root) + program]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


@pytest.mark.parametrize("name", ATTEMPTS)
def test_attempt(name, tmp_path):
    attempt, expected = ATTEMPTS[name]
    secret = tmp_path / "secret"
    secret.write_text("4711")
    tmp_path.chmod(0o755)
    body = attempt.format(secret=str(secret))
    ended = run(f"try:\n    {body}\nexcept (OSError, ValueError):\n    os._exit(5)\nos._exit(6)\n")
    if ended.returncode == 77:
        pytest.skip("this system gives no full isolation")
    wanted = {"refused": 5, "killed": -signal.SIGSYS, "allowed": 6}[expected]
    assert ended.returncode == wanted, ended.stderr.decode()
    assert secret.read_text() == "4711"
    assert not (tmp_path / "secret2").exists()


def test_memory_is_limited():
    ended = run("try:\n    bytearray(300 << 20)\nexcept MemoryError:\n    os._exit(5)\nos._exit(6)\n")
    assert ended.returncode in {5, 77}


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_jump_of_the_filter_lands_inside(machine):
    program = seccomp_program(machine, 0, 1)
    count = len(program) // 8
    assert len(program) % 8 == 0
    # BPF_MAXINSNS, include/uapi/linux/bpf_common.h
    assert count <= 4096
    for at in range(count):
        code = int.from_bytes(program[8 * at : 8 * at + 2], "little")
        if code & 0x07 == 0x05:
            assert at + 1 + max(program[8 * at + 2], program[8 * at + 3]) < count
    # The last instruction returns SECCOMP_RET_KILL_PROCESS, include/uapi/linux/seccomp.h
    assert program[-8:-6] == b"\x06\x00"
    assert program[-4:] == (0x80000000).to_bytes(4, "little")
