"""The trusted side: starts the zygote, gets jailed processes from it, and knows how well they are shut in."""

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Literal

from csro_core.errors import IsolationError, UsageError
from csro_core.sandbox.player import DisturbedError, Player, PlayerDiedError
from csro_core.sandbox.protocol import ANSWER, READY, REQUEST
from csro_core.sandbox.watchdog import Watchdog

ISOLATION_VARIABLE = "CSRO_ISOLATION"
"""`require` refuses to run policies without the kernel jail; `auto` (or unset) runs them anyway and says so."""
MEMORY_BYTES = 256 << 20
CPU_SECONDS = 3_600
"""The kernel's backstop behind the watchdog, for processes without a budget of their own."""

_PACKAGE_ROOT = Path(__file__).resolve().parents[2]
# The root comes last: nothing in it may shadow the standard library.
_BOOT = "import sys; sys.path.append(sys.argv[1]); from csro_core.sandbox.zygote import main; main(int(sys.argv[2]))"
# No site packages, no user site, no current folder. Not -I or -E: they would ignore the hash seed below.
_PYTHON_FLAGS = ("-s", "-S", "-P", "-B", "-X", "utf8")
# Nothing else: no key, no path. The seed makes sets of strings iterate alike in every process.
_ENVIRONMENT = {"PYTHONHASHSEED": "0"}


class PolicyHost:
    """Gives out jailed processes. Safe to use from several threads.

    It may be made in any thread: the zygote watches the channel and its parent, not the thread that started it.
    """

    def __init__(self, kernel_jail: bool = True) -> None:
        """Starts the zygote and one process to see which walls stand.

        Args:
            kernel_jail: False leaves the kernel's part out, for tests of the reduced mode.

        Raises:
            IsolationError: full isolation is required and cannot be had, or the system cannot fork.
            UsageError: `CSRO_ISOLATION` is neither "require" nor "auto".
        """
        demand = os.environ.get(ISOLATION_VARIABLE, "") or "auto"
        if demand not in {"auto", "require"}:
            raise UsageError(f"{ISOLATION_VARIABLE} must be 'require' or 'auto', got {demand!r}")
        if not hasattr(os, "fork"):
            raise IsolationError("policies run on Linux and macOS only: this system cannot fork processes")
        self._kernel_jail = kernel_jail
        self._lock = threading.Lock()
        self._players: set[Player] = set()
        self._closed = False
        self._start_zygote()
        self._watchdog = Watchdog()
        self._missing: tuple[str, ...] | None = None
        try:
            self.release(self.spawn())
            if demand == "require" and self.missing:
                raise IsolationError(
                    f"{ISOLATION_VARIABLE}=require asks for full isolation, but here: {'; '.join(self.missing)}"
                )
        except BaseException:
            self.close()
            raise

    @property
    def level(self) -> Literal["full", "reduced"]:
        """Returns "full" with the kernel jail, "reduced" with process, guard and watchdog only."""
        return "reduced" if self.missing else "full"

    @property
    def missing(self) -> tuple[str, ...]:
        """What full isolation needs and this system has not, in words."""
        return self._missing or ()

    @property
    def zygote_pid(self) -> int:
        """Process of the zygote."""
        return self._zygote.pid

    def spawn(self, memory_bytes: int = MEMORY_BYTES, cpu_seconds: int = CPU_SECONDS) -> Player:
        """Returns a fresh jailed process; the caller closes it.

        Args:
            memory_bytes: its address space.
            cpu_seconds: the kernel's limit on its CPU time, behind the watchdog's.

        Raises:
            DisturbedError: the zygote is gone (`restart` helps), or the process was killed from outside.
            IsolationError: the process is worse shut in than the first one was.
        """
        read_questions, write_questions = os.pipe()
        read_answers, write_answers = os.pipe()
        request = REQUEST.pack(b"S", memory_bytes, cpu_seconds, self._kernel_jail)
        try:
            with self._lock:
                pid = self._request(request, [read_questions, write_answers])
        except DisturbedError:
            os.close(write_questions)
            os.close(read_answers)
            raise
        finally:
            os.close(read_questions)
            os.close(write_answers)
        player = Player(pid, (read_answers, write_questions), memory_bytes, self._reap)
        with self._lock:
            self._players.add(player)
        self._watchdog.add(player)
        try:
            self._welcome(player)
        except BaseException:
            self.release(player)
            raise
        return player

    def release(self, player: Player) -> None:
        """Ends a player and forgets it. Idempotent."""
        player.close()
        self._watchdog.remove(player)
        with self._lock:
            self._players.discard(player)

    def restart(self) -> None:
        """Starts a new zygote where the old one is gone."""
        with self._lock:
            if self._closed or self._zygote.poll() is None and not self._channel_broken:
                return
            self._end_zygote()
            self._start_zygote()

    def close(self) -> None:
        """Ends every process. Idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            players = list(self._players)
        for player in players:
            player.stop()
        self._watchdog.close()
        with self._lock:
            self._end_zygote()

    def _welcome(self, player: Player) -> None:
        try:
            report = player.hello()
        except PlayerDiedError as error:
            # No policy has run in it yet, so none is to blame.
            raise IsolationError(f"a process for a policy could not be shut in: {error}") from error
        missing = tuple(str(one) for one in report.get("missing", ["no report"]))
        if self._missing is None:
            self._missing = missing
        elif set(missing) - set(self._missing):
            raise IsolationError(f"a process for a policy is worse shut in than others: {'; '.join(missing)}")

    def _start_zygote(self) -> None:
        ours, theirs = socket.socketpair()
        command = [sys.executable, *_PYTHON_FLAGS, "-c", _BOOT, str(_PACKAGE_ROOT), str(theirs.fileno())]
        with theirs:
            self._zygote = subprocess.Popen(
                command,
                env=_ENVIRONMENT,
                cwd="/",
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                # Its own session: Ctrl-C in a terminal is for the host, which then ends the zygote in good order.
                start_new_session=True,
            )
        self._channel = ours
        self._channel_broken = False
        if self._receive() != READY:
            said = self._zygote.communicate()[1].decode("utf-8", "replace").strip().splitlines()
            raise IsolationError(f"the zygote could not start: {said[-1] if said else 'it said nothing'}")

    def _end_zygote(self) -> None:
        self._channel.close()
        # It leaves by itself when the channel closes; the kill is for one that hangs.
        try:
            self._zygote.wait(timeout=2.0)
        except subprocess.TimeoutExpired:
            os.kill(self._zygote.pid, signal.SIGKILL)
            self._zygote.wait()
        if self._zygote.stderr is not None:
            self._zygote.stderr.close()

    def _request(self, request: bytes, descriptors: list[int]) -> int:
        """Returns the answer to one request; the caller holds the lock.

        Raises:
            DisturbedError: the zygote is gone.
        """
        try:
            socket.send_fds(self._channel, [request], descriptors)
        except OSError:
            self._channel_broken = True
        answer = -1 if self._channel_broken else self._receive()
        if answer < 0:
            self._channel_broken = True
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

    def _reap(self, pid: int) -> int:
        with self._lock:
            return self._request(REQUEST.pack(b"R", pid, 0, 0), [])
