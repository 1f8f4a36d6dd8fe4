"""A host that was itself started with tight limits: `ulimit` in the shell, or a service's settings."""

import os
import subprocess
import sys
from contextlib import closing

import pytest

from csro_core.sandbox import spawner
from csro_core.sandbox.host import PolicyHost
from csro_core.sandbox.player import DisturbedError

PROGRAM = """
import resource, sys
for name, value in zip(sys.argv[1::2], sys.argv[2::2]):
    resource.setrlimit(getattr(resource, name), (int(value), int(value)))
from csro_core.sandbox.host import PolicyHost
host = PolicyHost()
player = host.spawn()
print(host.level, host.missing, player.inspect('class Policy:\\n    def act(self, obs): return 0').ok)
host.release(player)
host.close()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel jail is Linux's")
@pytest.mark.parametrize(
    "limits",
    [
        ("RLIMIT_NOFILE", 32),
        ("RLIMIT_STACK", 4 << 20),
        ("RLIMIT_CPU", 600),
        ("RLIMIT_CORE", 0, "RLIMIT_FSIZE", 0, "RLIMIT_MEMLOCK", 0),
    ],
)
def test_tighter_limits_of_the_host_are_kept(limits):
    with closing(PolicyHost(warm=0)) as host:
        expected = host.level
    command = [sys.executable, "-c", PROGRAM, *map(str, limits)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith(expected)
    assert said.stdout.split()[-1] == "True"


@pytest.mark.parametrize("works", [0, 1])
def test_no_descriptors_left_is_said_and_nothing_leaks(monkeypatch, works):
    pipe = os.pipe
    calls = []

    def full():
        calls.append(1)
        if len(calls) > works:
            raise OSError(24, "Too many open files")
        return pipe()

    with closing(PolicyHost(warm=0)) as host:
        before = sorted(os.listdir("/proc/self/fd")) if sys.platform == "linux" else []
        monkeypatch.setattr(spawner.os, "pipe", full)
        with pytest.raises(DisturbedError, match="file descriptors"):
            host.spawn()
        monkeypatch.undo()
        after = sorted(os.listdir("/proc/self/fd")) if sys.platform == "linux" else []
        assert set(after) <= set(before)  # what earlier tests left behind may be closed meanwhile
        host.release(host.spawn())
