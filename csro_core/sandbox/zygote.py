"""One clean process that has everything imported, and is forked for every jailed worker (POSIX).

It is started with an empty environment, so that no key is ever in a worker's memory. It ends when the host's end of the
channel closes or the host is gone, and kills what it forked. Requests and answers are fixed-size structures:

    spawn: ``S`` memory_bytes cpu_seconds kernel_jail, with two descriptors attached → pid
    reap:  ``R`` pid → wait status
"""

import gc
import os
import resource
import select
import signal
import socket
from contextlib import suppress
from typing import NoReturn

from csro_core.sandbox import jail, worker
from csro_core.sandbox.direct import NICENESS, load_everything
from csro_core.sandbox.protocol import ANSWER, READY, REQUEST

CHANNEL = 3
OPEN_FILES = 64
"""No descriptor here or in a fresh fork is as high as this; so few are quickly closed on any system."""
_SECONDS_BETWEEN_LOOKS = 1.0


def main(descriptor: int) -> NoReturn:
    """Serves on an inherited socket until the host is gone."""
    host = os.getppid()
    os.dup2(descriptor, CHANNEL)
    os.closerange(CHANNEL + 1, max(CHANNEL, descriptor) + 1)
    _, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = OPEN_FILES if allowed == resource.RLIM_INFINITY else min(OPEN_FILES, allowed)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    channel = socket.socket(fileno=CHANNEL)
    load_everything()
    jail.prepare(worker.FD_IN, worker.FD_OUT)
    gc.collect()
    gc.freeze()
    _lower_priority()
    channel.sendall(ANSWER.pack(READY))
    children: set[int] = set()
    while os.getppid() == host:
        # A look at the parent now and then: a copy of the host's end of the channel may live on in a forked process.
        readable, _, _ = select.select([channel], [], [], _SECONDS_BETWEEN_LOOKS)
        if readable and not _serve_one(channel, children):
            break
    for child in children:
        with suppress(OSError):
            os.killpg(child, signal.SIGKILL)
    os._exit(0)


def _lower_priority() -> None:
    """Lets everything that is forked here run only when nobody else wants to, so that the page stays quick.

    Where Linux groups the processes of a session (sched(7), "The autogroup feature"), niceness counts within a group
    only; so the group gets one too, and the workers stay in it.
    """
    os.nice(NICENESS)
    try:
        with open("/proc/self/autogroup", "w", encoding="ascii") as group:
            group.write(str(NICENESS))
    except OSError:
        # No groups on this system; the niceness above is enough.
        return


def _serve_one(channel: socket.socket, children: set[int]) -> bool:
    """Returns True after serving one request, False where the host has closed the channel."""
    data, descriptors, _, _ = socket.recv_fds(channel, REQUEST.size, 2)
    if len(data) < REQUEST.size:
        return False
    kind, first, second, third = REQUEST.unpack(data)
    if kind == b"S":
        child = _spawn(descriptors, first, second, bool(third))
        children.add(child)
        channel.sendall(ANSWER.pack(child))
    else:
        # The host has seen the end of the channel and has sent SIGKILL besides: this does not block.
        _, status = os.waitpid(first, 0)
        children.discard(first)
        channel.sendall(ANSWER.pack(status))
    return True


def _spawn(descriptors: list[int], memory_bytes: int, cpu_seconds: int, kernel_jail: bool) -> int:
    parent = os.getpid()
    child = os.fork()
    if child:
        # A group of its own, which is killed as one. Here and there, so that it surely exists for whoever is first.
        with suppress(OSError):
            os.setpgid(child, child)
        for descriptor in descriptors:
            os.close(descriptor)
        return child
    try:
        os.setpgid(0, 0)
        jail.die_with_parent(parent)
        os.dup2(descriptors[0], worker.FD_IN)
        os.dup2(descriptors[1], worker.FD_OUT)
        os.closerange(2, OPEN_FILES)
        worker.run(memory_bytes, cpu_seconds, kernel_jail)
    finally:
        os._exit(1)
