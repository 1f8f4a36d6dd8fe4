"""The trusted side: gets jailed processes, keeps some ready, and knows how well they are shut in."""

import os
import threading
from typing import Literal

from csro_core.errors import IsolationError, UsageError
from csro_core.sandbox.codes import KnownCodes
from csro_core.sandbox.player import Player, PlayerDiedError
from csro_core.sandbox.spawner import DirectSpawner, Spawner, new_spawner
from csro_core.sandbox.warm import Limits, WarmPool
from csro_core.sandbox.watchdog import Watchdog

ISOLATION_VARIABLE = "CSRO_ISOLATION"
"""`require` refuses to run policies without the kernel jail; `auto` (or unset) runs them anyway and says so."""
MEMORY_BYTES = 256 << 20
"""Address space of a process beyond what it begins with, where nobody says otherwise."""
CPU_SECONDS = 3_600
"""The kernel's backstop behind the watchdog, for processes without a budget of their own."""
WARM_PER_CORE = 2


class PolicyHost:
    """Gives out jailed processes. Safe to use from several threads, and made in any."""

    def __init__(self, kernel_jail: bool = True, warm: int | None = None, direct: bool = False) -> None:
        """Starts one process to see which walls stand.

        Args:
            kernel_jail: False leaves the kernel's part out, for tests of the reduced mode.
            warm: processes to keep ready while somebody asks for them; None: two for each core.
            direct: True starts an interpreter for each process even where the system can fork, for tests.

        Raises:
            IsolationError: full isolation is required and cannot be had, or no process can be started.
            UsageError: `CSRO_ISOLATION` is neither "require" nor "auto".
        """
        demand = os.environ.get(ISOLATION_VARIABLE, "") or "auto"
        if demand not in {"auto", "require"}:
            raise UsageError(f"{ISOLATION_VARIABLE} must be 'require' or 'auto', got {demand!r}")
        self._kernel_jail = kernel_jail
        self._direct = direct
        self._lock = threading.Lock()
        self._players: set[Player] = set()
        self._closed = False
        self._codes = KnownCodes()
        self._missing: tuple[str, ...] | None = None
        self._walls: tuple[str, ...] = ()
        self._spawner = self._new_spawner()
        self._watchdog = Watchdog()
        most = WARM_PER_CORE * (os.cpu_count() or 1) if warm is None else warm
        self._warm = WarmPool(self._fresh, self.release, most)
        try:
            # Not by `spawn`: nobody has asked for a process yet, so none is kept ready.
            self.release(self._fresh((MEMORY_BYTES, CPU_SECONDS)))
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
    def walls(self) -> tuple[str, ...]:
        """What the kernel holds around a process, in words, such as "a seccomp allow-list"."""
        return self._walls

    @property
    def zygote_pid(self) -> int:
        """Process of the zygote."""
        return self._spawner.pid

    @property
    def ready(self) -> int:
        """Processes that are kept ready now."""
        return self._warm.ready

    def spawn(self, memory_bytes: int = MEMORY_BYTES, cpu_seconds: int = CPU_SECONDS) -> Player:
        """Returns a jailed process that no policy has been in; the caller closes it.

        Args:
            memory_bytes: address space that it may take beyond what it begins with.
            cpu_seconds: the kernel's limit on its CPU time, behind the watchdog's; rounded up to a power of two, so
                that what was made ready for one match serves another.

        Raises:
            DisturbedError: the zygote is gone (`restart` helps), or the process was killed from outside.
            IsolationError: the process is worse shut in than the first one was.
        """
        limits = memory_bytes, 1 << max(cpu_seconds - 1, 0).bit_length()
        return self._warm.take(limits) or self._fresh(limits)

    def release(self, player: Player) -> None:
        """Ends a player and forgets it. Idempotent."""
        player.close()
        self._watchdog.remove(player)
        with self._lock:
            self._players.discard(player)

    def restart(self) -> None:
        """Starts a new zygote where the old one is gone; processes of the old one stay dead.

        Raises:
            IsolationError: it could not start.
        """
        with self._lock:
            if self._closed or self._spawner.is_alive():
                return
            self._spawner.close()
            self._spawner = self._new_spawner()
        self._warm.drop()

    def close(self) -> None:
        """Ends every process. Idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._warm.close()
        with self._lock:
            players = list(self._players)
        for player in players:
            player.stop()
        self._watchdog.close()
        self._spawner.close()

    def _new_spawner(self) -> Spawner:
        return DirectSpawner(self._kernel_jail) if self._direct else new_spawner(self._kernel_jail)

    def _fresh(self, limits: Limits) -> Player:
        """Returns a new, greeted process. Raises as `spawn`."""
        memory_bytes, cpu_seconds = limits
        player = Player(self._spawner.spawn(memory_bytes, cpu_seconds), memory_bytes, self._codes)
        with self._lock:
            self._players.add(player)
            if self._closed:
                player.stop()
        self._watchdog.add(player)
        try:
            self._welcome(player)
        except BaseException:
            self.release(player)
            raise
        return player

    def _welcome(self, player: Player) -> None:
        try:
            report = player.hello()
        except PlayerDiedError as error:
            # No policy has run in it yet, so none is to blame.
            raise IsolationError(f"a process for a policy could not be shut in: {error}") from error
        missing = tuple(str(one) for one in report.get("missing", ["no report"]))
        if self._missing is None:
            self._walls = tuple(str(one) for one in report.get("walls", []))
            self._missing = missing
        elif set(missing) - set(self._missing):
            raise IsolationError(f"a process for a policy is worse shut in than others: {'; '.join(missing)}")
        limited = report.get("memory_limited") is True
        player.base_bytes, player.room_bytes = (
            (int(report.get("base_bytes", 0)), int(report.get("room_bytes", 0))) if limited else (0, 0)
        )
        player.watch_memory = not limited
