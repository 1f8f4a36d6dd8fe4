"""One child process as the host holds it: its two pipes, its end, and what differs between systems."""

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable

if sys.platform == "win32":
    import _winapi
    import msvcrt

    def _readable(descriptor: int, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while True:
            try:
                # `select` takes sockets only here.
                if _winapi.PeekNamedPipe(msvcrt.get_osfhandle(descriptor), 0)[0]:
                    return True
            except BrokenPipeError:
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.002)

else:

    def _readable(descriptor: int, seconds: float) -> bool:
        # Not select(): descriptors of a large host may be above its limit of 1024.
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))


class Process:
    """A process and the host's ends of its pipes. The watchdog may kill it from another thread."""

    def __init__(self, pid: int, reader: int, writer: int, wait: Callable[[], int]) -> None:
        """Takes over a fresh process.

        Args:
            pid: its number, which stays its own until `wait` returns.
            reader: descriptor with its answers.
            writer: descriptor for questions.
            wait: buries the dead process and returns its exit code, negative for a signal. Raises `DisturbedError`
                where nobody knows.
        """
        self.pid = pid
        self.reader = reader
        self.writer = writer
        self._bury = wait
        self._exit_code: int | None = None
        self._lock = threading.Lock()

    def readable(self, seconds: float) -> bool:
        """Returns True once there is something to read, or the other end is closed; False after that time."""
        return _readable(self.reader, seconds)

    def has_said_something(self) -> bool:
        """Returns True where something lies in the channel unread, or the channel has ended."""
        with self._lock:
            return self._exit_code is None and self.readable(0)

    def ask_for_traceback(self) -> None:
        """Makes the process write where it is to its channel, where the system has signals for that."""
        if sys.platform != "win32":
            self._signal(signal.SIGUSR1, os.kill)

    def kill(self) -> None:
        """Ends the process, and what it may have started, at once. Idempotent."""
        if sys.platform == "win32":
            self._signal(signal.SIGTERM, os.kill)  # There it is TerminateProcess.
        else:
            self._signal(signal.SIGKILL, os.killpg)

    def wait(self) -> int:
        """Returns the exit code of the killed process, negative for a signal. Raises `DisturbedError`."""
        with self._lock:
            if self._exit_code is None:
                self._exit_code = self._bury()
            return self._exit_code

    def close(self) -> None:
        """Closes the channel, after `wait`. Idempotent."""
        with self._lock:
            if self._exit_code is None:
                self._exit_code = -1
            for descriptor in (self.reader, self.writer):
                if descriptor >= 0:
                    os.close(descriptor)
            self.reader = self.writer = -1

    def _signal(self, number: signal.Signals, send: Callable[[int, int], None]) -> None:
        with self._lock:
            if self._exit_code is None:
                try:
                    send(self.pid, number)
                except ProcessLookupError:
                    # The zygote has died, and init has buried its children.
                    return
