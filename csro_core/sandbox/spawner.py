"""Where jailed processes come from: forked by a zygote (POSIX), or started one by one (Windows)."""

import os
import signal
import socket
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Protocol

from csro_core.errors import CsroError, IsolationError
from csro_core.sandbox.process import Process
from csro_core.sandbox.protocol import ANSWER, READY, REQUEST

_PACKAGE_ROOT = Path(__file__).resolve().parents[2]
# The root comes last: nothing in it may shadow the standard library.
_BOOT = (
    "import sys; sys.path.append(sys.argv[1]); from csro_core.sandbox.{0} import main; main(*map(int, sys.argv[2:]))"
)
# No site packages, no user site, no current folder. Not -I or -E: they would ignore the hash seed below.
_PYTHON_FLAGS = ("-s", "-S", "-P", "-B", "-X", "utf8")
# Nothing else: no key, no path. The seed makes sets of strings iterate alike in every process.
_ENVIRONMENT = {"PYTHONHASHSEED": "0"}
_ENDING_SECONDS = 2.0


class DisturbedError(CsroError):
    """A jailed process died through no fault of the policy: the zygote is gone, or somebody killed it."""


class Spawner(Protocol):
    """Starts processes that shut themselves in. Safe to use from several threads."""

    @property
    def pid(self) -> int:
        """Process whose children they are."""
        ...

    def spawn(self, memory_bytes: int, cpu_seconds: int) -> Process:
        """Returns a fresh process, which first says how well it is shut in.

        Raises:
            DisturbedError: none can be started any more; a new spawner helps.
        """
        ...

    def is_alive(self) -> bool:
        """Returns False where no process can be started any more."""
        ...

    def close(self) -> None:
        """Ends the spawner. Processes that still live are ended with it where they are its children."""
        ...


def new_spawner(kernel_jail: bool) -> Spawner:
    """Returns the best spawner for this system. Raises `IsolationError` where it cannot start."""
    return ZygoteSpawner(kernel_jail) if hasattr(os, "fork") else DirectSpawner(kernel_jail)


class ZygoteSpawner:
    """Forks each process from one that has everything imported (`zygote`).

    It may be made in any thread: the zygote watches the channel and its parent, not the thread that started it.
    """

    def __init__(self, kernel_jail: bool) -> None:
        """Starts the zygote.

        Args:
            kernel_jail: False leaves the kernel's part out, for tests of the reduced mode.

        Raises:
            IsolationError: it could not start.
        """
        self._kernel_jail = kernel_jail
        self._lock = threading.Lock()
        self._broken = False
        self._channel, theirs = socket.socketpair()
        with theirs:
            self._zygote = subprocess.Popen(
                _command("zygote", theirs.fileno()),
                env=_ENVIRONMENT,
                cwd="/",
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                # Its own session: Ctrl-C in a terminal is for the host, which then ends the zygote in good order.
                start_new_session=True,
            )
        if self._receive() != READY:
            said = self._zygote.communicate()[1].decode("utf-8", "replace").strip().splitlines()
            self.close()
            raise IsolationError(f"the zygote could not start: {said[-1] if said else 'it said nothing'}")

    @property
    def pid(self) -> int:
        """Process of the zygote."""
        return self._zygote.pid

    def is_alive(self) -> bool:
        """Returns False where the zygote has ended or does not answer any more."""
        return not self._broken and self._zygote.poll() is None

    def spawn(self, memory_bytes: int, cpu_seconds: int) -> Process:
        """Returns a fresh fork.

        Raises:
            DisturbedError: the zygote is gone, or the system gives no descriptors.
        """
        read_questions, write_questions, read_answers, write_answers = _two_pipes()
        request = REQUEST.pack(b"S", memory_bytes, cpu_seconds, self._kernel_jail)
        try:
            pid = self._ask(request, [read_questions, write_answers])
        except DisturbedError:
            os.close(write_questions)
            os.close(read_answers)
            raise
        finally:
            os.close(read_questions)
            os.close(write_answers)
        return Process(pid, read_answers, write_questions, partial(self._reap, pid))

    def close(self) -> None:
        """Ends the zygote and its children. Idempotent."""
        with self._lock:
            self._broken = True
            self._channel.close()
            # It leaves by itself when the channel closes; the kill is for one that hangs.
            try:
                self._zygote.wait(timeout=_ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                self._zygote.send_signal(signal.SIGKILL)
                self._zygote.wait()
            if self._zygote.stderr is not None:
                self._zygote.stderr.close()

    def _reap(self, pid: int) -> int:
        return os.waitstatus_to_exitcode(self._ask(REQUEST.pack(b"R", pid, 0, 0), []))

    def _ask(self, request: bytes, descriptors: list[int]) -> int:
        """Returns the answer to one request.

        Raises:
            DisturbedError: the zygote is gone.
        """
        with self._lock:
            answer = -1
            if not self._broken:
                try:
                    socket.send_fds(self._channel, [request], descriptors)
                    answer = self._receive()
                except OSError:
                    answer = -1
            if answer < 0:
                self._broken = True
                raise DisturbedError("the zygote is gone")
            return answer

    def _receive(self) -> int:
        data = b""
        while len(data) < ANSWER.size:
            try:
                more = self._channel.recv(ANSWER.size - len(data))
            except OSError:
                return -1
            if not more:
                return -1
            data += more
        value: int = ANSWER.unpack(data)[0]
        return value


class DirectSpawner:
    """Starts a new interpreter for each process: ten times slower, and possible where there is no fork."""

    def __init__(self, kernel_jail: bool) -> None:
        """Starts nothing yet.

        Args:
            kernel_jail: False leaves the kernel's part out, for tests of the reduced mode.
        """
        self._kernel_jail = kernel_jail
        self._lock = threading.Lock()
        self._closed = False

    @property
    def pid(self) -> int:
        """The host itself."""
        return os.getpid()

    def is_alive(self) -> bool:
        """Returns True until it is closed."""
        return not self._closed

    def spawn(self, memory_bytes: int, cpu_seconds: int) -> Process:
        """Returns a fresh process.

        Raises:
            DisturbedError: the system starts no process, or the spawner is closed.
        """
        if self._closed:
            raise DisturbedError("the host is closed")
        # Pipes of our own: Popen would make file objects, which close their descriptors when they like.
        read_questions, write_questions, read_answers, write_answers = _two_pipes()
        try:
            # One at a time: on Windows two at once could inherit each other's pipes.
            with self._lock:
                child = _start(
                    _command("direct", memory_bytes, cpu_seconds, self._kernel_jail), read_questions, write_answers
                )
        except OSError as error:
            os.close(write_questions)
            os.close(read_answers)
            raise DisturbedError(f"a process could not be started: {error}") from error
        finally:
            os.close(read_questions)
            os.close(write_answers)
        return Process(child.pid, read_answers, write_questions, child.wait)

    def close(self) -> None:
        """Starts no more processes; whoever has them ends them. Idempotent."""
        self._closed = True


def _two_pipes() -> tuple[int, int, int, int]:
    """Returns the ends of two pipes: read and write of the first, read and write of the second.

    Raises:
        DisturbedError: the system gives no more descriptors.
    """
    opened: tuple[int, ...] = ()
    try:
        opened = os.pipe()
        first, second = opened
        return first, second, *os.pipe()
    except OSError as error:
        for descriptor in opened:
            os.close(descriptor)
        raise DisturbedError(
            f"a policy needs four file descriptors, and the system gives none ({error}): allow more open files "
            f"(`ulimit -n`) or play fewer matches at a time"
        ) from error


def _command(module: str, *arguments: int) -> list[str]:
    numbers = [str(int(number)) for number in arguments]
    return [sys.executable, *_PYTHON_FLAGS, "-c", _BOOT.format(module), str(_PACKAGE_ROOT), *numbers]


def _start(command: list[str], stdin: int, stdout: int) -> "subprocess.Popen[bytes]":
    nothing = subprocess.DEVNULL
    if sys.platform == "win32":
        # Without its own folder Windows starts no interpreter.
        environment = _ENVIRONMENT | {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
        priority = subprocess.BELOW_NORMAL_PRIORITY_CLASS
        return subprocess.Popen(
            command, stdin=stdin, stdout=stdout, stderr=nothing, env=environment, creationflags=priority
        )
    return subprocess.Popen(
        command, stdin=stdin, stdout=stdout, stderr=nothing, env=_ENVIRONMENT, cwd="/", process_group=0
    )
