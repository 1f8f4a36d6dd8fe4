"""The host's side of one jailed process: questions, answers, and why it died."""

import json
import marshal
import os
import re
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from csro_core.errors import CsroError
from csro_core.policies.source import Inspection, Problem, sha256
from csro_core.sandbox import protocol

CHECK_SECONDS = 5.0
"""CPU seconds to parse and check a text."""
MAX_DUMP = 65_536
"""Bytes of a traceback that are looked at."""
DYING_SECONDS = 2.0
"""How long a process that says something else than an answer may take to die."""
_HELLO_SECONDS = 10.0
_POLICY_LINE = re.compile(rb'File "<policy>", line (\d{1,6})')
_FORBIDDEN = "tried a system call that is forbidden to policies and was stopped"
_SIGSYS = 31
"""The signal of a refused system call on Linux."""


class DisturbedError(CsroError):
    """A jailed process died through no fault of the policy: the zygote is gone, or somebody killed it."""


class PlayerDiedError(CsroError):
    """A jailed process died, and the policy is to blame.

    Attributes:
        status: "timeout", "memory", "crashed", "forbidden" or "protocol".
        message: one sentence without the line.
        line: line of the policy that was running, where known.
    """

    def __init__(self, status: str, message: str, line: int | None = None) -> None:
        """Keeps what happened."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.line = line


@dataclass(frozen=True)
class SlotFailure:
    """A policy failed in one episode, and its process lives on.

    Attributes:
        episode: index in the batch.
        status: "exception", "illegal-action" or "memory".
        message: one sentence without line, episode and step.
        line: line of the policy, where known.
    """

    episode: int
    status: str
    message: str
    line: int | None


class Player:
    """One policy in one jailed process. Used by one thread; the watchdog and `stop` may end it from another.

    Attributes:
        question: number of questions so far; the watchdog's clock starts with each.
        waiting: True while an answer is due.
        allowance: CPU seconds for the answer.
        allowance_text: what is said of a player that takes longer.
        cpu_budget: CPU seconds for everything.
    """

    def __init__(self, pid: int, channel: tuple[int, int], memory_bytes: int, reap: Callable[[int], int]) -> None:
        """Takes over a fresh process.

        Args:
            pid: its process, not reaped before `reap(pid)`.
            channel: descriptors to read its answers from and to write questions to.
            memory_bytes: its address space, for messages.
            reap: returns the wait status of the dead process. Raises `DisturbedError` where nobody knows.
        """
        self.pid = pid
        self.question = 0
        self.waiting = False
        self.allowance = _HELLO_SECONDS
        self.allowance_text = "did not start"
        self.cpu_budget = float("inf")
        self.stopped = False
        self._reader, self._writer = channel
        self._memory_bytes = memory_bytes
        self._reap = reap
        self._status: int | None = None
        self._timeout = ""
        self._lock = threading.Lock()

    # What the watchdog needs.

    def cpu_seconds(self) -> float | None:
        """Returns the CPU time of the process; None where the system does not tell."""
        if sys.platform != "linux":
            return None
        try:
            # The CPU clock of a process: clock_getcpuclockid(3) in one expression.
            return time.clock_gettime((~self.pid << 3) | 2)
        except OSError:
            return None

    def has_answered(self) -> bool:
        """Returns True where an answer lies in the channel unread."""
        with self._lock:
            return self._status is None and bool(select.select([self._reader], [], [], 0)[0])

    def interrupt(self, message: str) -> None:
        """Notes that the policy took too long, and asks for a traceback; the watchdog kills soon after."""
        self._timeout = message
        self._signal(signal.SIGUSR1)

    def kill(self) -> None:
        """Ends the process at once. Idempotent."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """Ends the process on request of the host; whoever waits for an answer gets `DisturbedError`."""
        self.stopped = True
        self.kill()

    def _signal(self, number: signal.Signals) -> None:
        with self._lock:
            if self._status is None:
                try:
                    os.kill(self.pid, number)
                except ProcessLookupError:
                    # The zygote has died, and init has buried its children.
                    return

    # Questions.

    def hello(self) -> dict[str, Any]:
        """Returns the report of the process once it is shut in: {"missing": [...], "landlock": version}."""
        self._arm(_HELLO_SECONDS, "did not start")
        return self._object()

    def inspect(self, text: str) -> Inspection:
        """Returns what the jailed process says of a text. Raises `PlayerDiedError`, `DisturbedError`."""
        self._ask("inspect", (text,), CHECK_SECONDS, f"takes more than {CHECK_SECONDS:g} s to parse")
        answer = self._object()
        problems = _problems(answer.get("problems"))
        return Inspection(
            ok=not problems,
            hash=sha256(text),
            tree_hash=_clean(answer.get("tree_hash"), 64),
            problems=problems,
            docstring=str(answer.get("docstring", "")),
            lines=count_lines(text),
        )

    def ask_load(self, text: str) -> None:
        """Sends a text to be checked and compiled."""
        self._ask("load", (text,), CHECK_SECONDS, f"takes more than {CHECK_SECONDS:g} s to parse")

    def loaded(self) -> tuple[tuple[Problem, ...], bool]:
        """Returns what is wrong with the text that `ask_load` sent, and whether it may draw random numbers."""
        answer = self._object()
        return _problems(answer.get("problems")), answer.get("random") is not False

    def ask_start(
        self, templates: Sequence[dict[str, Any]], seats: Sequence[int], seeds: Sequence[int], load_seconds: float
    ) -> None:
        """Asks for a fresh policy in each episode.

        Args:
            templates: first `obs` of player 0 and of player 1.
            seats: `[E]` which of them each episode gets.
            seeds: `[E]` seed of the policy's generator.
            load_seconds: CPU seconds for the module body and `__init__` of one policy.
        """
        late = f"the module and __init__ used more than {load_seconds:g} s of CPU time"
        self._ask("start", (list(templates), list(seats), list(seeds)), load_seconds, late)

    def started(self) -> list[SlotFailure] | None:
        """Returns None when the next episode's policy is ready, or what is known of its failure (maybe nothing)."""
        self._again()
        failed = self._fixed(protocol.READY_ONE, 1)[0] != protocol.OK
        failures = self._failures() if failed else None
        self.waiting = False
        return failures

    def ask_stage(self, arguments: tuple[Any, ...], allowance: float) -> None:
        """Starts a stage (see `worker.Worker._stage`); `answer` and `tell` follow, step by step."""
        self._ask("stage", arguments, allowance, _late(allowance))

    def answer(self, episodes: int) -> bytes:
        """Returns one byte per episode for the current step: an action, FAILED or NOT_ASKED."""
        reply = self._fixed(protocol.ANSWER_STAGE, episodes)
        self.waiting = False
        return reply

    def tell(self, news: bytes) -> None:
        """Sends the opponent's actions of a step, 255 where the episode is over; the next answer becomes due."""
        self._again()
        self._write(news)

    def ask_act(self, questions: list[tuple[int, dict[str, Any], dict[str, list[Any]]]], allowance: float) -> None:
        """Asks for actions in some episodes: (episode, new values in `obs`, items its lists grow by)."""
        self._ask("act", (questions,), allowance, _late(allowance))

    def actions(self, count: int) -> list[int]:
        """Returns the answers to `ask_act`: an action each, or FAILED_WIDE."""
        data = self._fixed(protocol.ANSWER_ACT, 2 * count)
        self.waiting = False
        return [int.from_bytes(data[at : at + 2], "little") for at in range(0, 2 * count, 2)]

    def failures(self) -> list[SlotFailure]:
        """Returns what the process says of the failures in its last answer; may describe fewer than there are."""
        self._again()
        return self._failures()

    def violation(self, message: str) -> PlayerDiedError:
        """Returns the error to raise after ending a process that answers what nobody may answer."""
        self.kill()
        return PlayerDiedError("protocol", message)

    def close(self) -> None:
        """Ends the process and frees everything. Idempotent."""
        self.waiting = False
        self.kill()
        try:
            self._wait()
        except DisturbedError:
            self._status = -1
        if self._reader >= 0:
            with self._lock:
                os.close(self._reader)
                os.close(self._writer)
                self._reader = self._writer = -1

    # The channel.

    def _arm(self, allowance: float, late: str) -> None:
        self.allowance, self.allowance_text = allowance, late
        self._again()

    def _again(self) -> None:
        self.question += 1
        self.waiting = True

    def _ask(self, operation: str, arguments: tuple[Any, ...], allowance: float, late: str) -> None:
        self._arm(allowance, late)
        message = marshal.dumps((operation, arguments))
        self._write(len(message).to_bytes(4, "little") + message)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._writer, view) :]
            except BrokenPipeError:
                # What it said last, such as a traceback, still lies in the other pipe.
                raise self._death(b"") from None

    def _read(self, count: int) -> bytes:
        data = os.read(self._reader, count)
        while len(data) < count:
            more = os.read(self._reader, count - len(data))
            if not more:
                raise self._death(data)
            data += more
        return data

    def _fixed(self, kind: bytes, count: int) -> bytes:
        data = self._read(1 + count)
        if data[:1] != kind:
            raise self._death(data)
        return data[1:]

    def _text(self) -> Any:
        length = int.from_bytes(self._fixed(protocol.TEXT, 4), "little")
        if length > protocol.MAX_TEXT:
            raise self.violation("sent a longer text than any policy may")
        data = self._read(length)
        self.waiting = False
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise self.violation("sent a text that is not JSON") from None

    def _object(self) -> dict[str, Any]:
        value = self._text()
        if not isinstance(value, dict):
            raise self.violation("sent a text of the wrong kind")
        return value

    def _failures(self) -> list[SlotFailure]:
        value = self._text()
        listed = value if isinstance(value, list) else []
        return [_slot_failure(one) for one in listed[: protocol.MAX_DETAILS] if isinstance(one, dict)]

    def _death(self, said: bytes) -> CsroError:
        """Returns why the channel ended or holds something else than an answer."""
        said, ended = self._rest(said)
        self.waiting = False
        self.kill()
        status = os.waitstatus_to_exitcode(self._wait())
        found = _POLICY_LINE.search(said)
        line = int(found[1]) if found else None
        if self.stopped:
            return DisturbedError("the process was stopped")
        if self._timeout:
            return PlayerDiedError("timeout", self._timeout, line)
        if not ended:
            return PlayerDiedError("protocol", "answered something else than an action and was stopped")
        if status == protocol.EXIT_MEMORY:
            return PlayerDiedError("memory", f"a policy may use at most {self._memory_bytes >> 20} MB of memory", line)
        if status == -signal.SIGXCPU:
            return PlayerDiedError("timeout", "used too much CPU time", line)
        if status == -_SIGSYS:
            return PlayerDiedError("forbidden", _FORBIDDEN, line)
        if status == -signal.SIGKILL:
            return DisturbedError(f"process {self.pid} of a policy was killed from outside (is memory short?)")
        if status < 0:
            return PlayerDiedError("crashed", f"crashed the interpreter ({signal.Signals(-status).name})", line)
        return PlayerDiedError("crashed", f"ended its process (exit code {status})", line)

    def _rest(self, said: bytes) -> tuple[bytes, bool]:
        """Returns what a dying process has said in all, and whether its channel has ended."""
        deadline = time.monotonic() + DYING_SECONDS
        while len(said) < MAX_DUMP and time.monotonic() < deadline:
            if self._timeout and _POLICY_LINE.search(said):
                # The traceback that the watchdog has asked for; the innermost line comes first.
                self.kill()
            if select.select([self._reader], [], [], 0.1)[0]:
                more = os.read(self._reader, 4096)
                if not more:
                    return said, True
                said += more
        return said, False

    def _wait(self) -> int:
        with self._lock:
            if self._status is None:
                self._status = self._reap(self.pid)
            return self._status


def count_lines(text: str) -> int:
    """Returns the number of lines of a text."""
    return len(text.splitlines())


def _late(allowance: float) -> str:
    return f"act() used more than {allowance:g} s of CPU time in one answer"


def _clean(value: object, longest: int) -> str:
    """Returns a text of a worker as one harmless line."""
    text = "".join(letter if letter.isprintable() else " " for letter in str(value)[:longest])
    return " ".join(text.split())


def _line(value: object) -> int | None:
    return value if type(value) is int and 0 < value < 1_000_000 else None


def _problems(value: object) -> tuple[Problem, ...]:
    listed = value if isinstance(value, list) else []
    return tuple(
        Problem(_line(one[0]) or 0, _clean(one[1], 1_000)) for one in listed if isinstance(one, list) and len(one) == 2
    )


def _slot_failure(value: dict[str, Any]) -> SlotFailure:
    status = value.get("status")
    episode = value.get("episode")
    return SlotFailure(
        episode=episode if type(episode) is int else -1,
        status=status if status in {"exception", "illegal-action", "memory"} else "exception",
        message=_clean(value.get("message"), 600),
        line=_line(value.get("line")),
    )
