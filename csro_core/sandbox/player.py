"""The host's side of one jailed process: questions, answers, and why it died."""

import json
import marshal
import os
import re
import signal
import struct
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from csro_core.errors import CsroError
from csro_core.policies.source import Inspection, Problem, sha256
from csro_core.sandbox import protocol, usage
from csro_core.sandbox.answers import SlotFailure, line_number, one_line, problems_of, slot_failure, some_bytes
from csro_core.sandbox.codes import Compiled, KnownCodes
from csro_core.sandbox.process import Process
from csro_core.sandbox.spawner import DisturbedError

Question: TypeAlias = tuple[int, dict[str, Any], dict[str, list[Any]]]
"""An act is due: episode, new values in `obs`, items that its lists grow by."""

CHECK_SECONDS = 5.0
"""CPU seconds to parse and check a text."""
MAX_DUMP = 65_536
"""Bytes of a traceback that are looked at."""
DYING_SECONDS = 2.0
"""How long a process that says something else than an answer may take to die."""
_HELLO_SECONDS = 10.0
_POLICY_LINE = re.compile(rb'File "<policy>", line (\d{1,6})')
_FORBIDDEN = "tried a system call that is forbidden to policies and was stopped"
# By number: Windows has no names for them.
_SIGXCPU, _SIGSYS = 24, 31
_FROM_OUTSIDE = frozenset({1, 2, 3, 9, 15})
"""SIGHUP, SIGINT, SIGQUIT, SIGKILL and SIGTERM: a policy has no way to send a signal, to itself neither."""


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


class Player:
    """One policy in one jailed process. Used by one thread; the watchdog and `stop` may end it from another.

    Attributes:
        question: number of questions so far; the watchdog's clock starts with each.
        waiting: True while an answer is due.
        allowance: CPU seconds for the answer.
        allowance_text: what is said of a player that takes longer.
        cpu_budget: CPU seconds for everything.
        wall_deadline: when everything has to be over, by `time.monotonic`.
        memory_bytes: the most memory that one episode of it may use.
        room_bytes: what the kernel lets the whole process take, 0 where it limits nothing.
        watch_memory: True where the watchdog ends the process that uses more than `memory_bytes`: the kernel does not
            limit it, or several episodes share a larger room.
    """

    def __init__(self, process: Process, memory_bytes: int, codes: KnownCodes) -> None:
        """Takes over a fresh process that may use so much memory; shares what texts were compiled to."""
        self.pid = process.pid
        self.question = 0
        self.waiting = False
        self.allowance = _HELLO_SECONDS
        self.allowance_text = "did not start"
        self.cpu_budget = self.wall_deadline = float("inf")
        self.stopped = False
        self.memory_bytes = memory_bytes
        self.base_bytes = self.room_bytes = 0
        self.watch_memory = False
        self._process = process
        self._verdict: tuple[str, str] | None = None
        self._codes = codes
        self._known: Compiled | None = None
        self._text_sent = ""

    # What the watchdog needs.

    def cpu_seconds(self) -> float | None:
        """Returns the CPU time of the process; None where the system does not tell."""
        return usage.cpu_seconds(self.pid)

    def resident_bytes(self) -> int | None:
        """Returns the resident memory of the process; None where the system does not tell."""
        return usage.resident_bytes(self.pid)

    def memory_used(self) -> int | None:
        """Returns what counts against `memory_bytes` now; None where the system does not tell.

        That is address space beyond what the process began with where the kernel limits it, else what is resident.
        """
        if not self.room_bytes:
            return usage.resident_bytes(self.pid)
        used = usage.address_bytes(self.pid)
        return None if used is None else used - self.base_bytes

    def peak_bytes(self) -> int | None:
        """Returns the most that `memory_used` ever was where the kernel limits it; None where nobody tells."""
        peak = usage.peak_address_bytes(self.pid) if self.room_bytes else None
        return None if peak is None else peak - self.base_bytes

    def is_resting(self) -> bool:
        """Returns True where the process waits for something, and neither for a processor nor to be continued."""
        return usage.is_resting(self.pid)

    def has_answered(self) -> bool:
        """Returns True where an answer lies in the channel unread."""
        return self._process.has_said_something()

    def is_over(self) -> bool:
        """Returns True where a process that nobody has asked anything is of no use any more."""
        return self.stopped or self._process.has_said_something()

    def interrupt(self, status: str, message: str) -> None:
        """Notes "timeout" or "memory", and asks for a traceback; the watchdog kills soon after."""
        self._verdict = status, message
        self._process.ask_for_traceback()

    def kill(self) -> None:
        """Ends the process at once. Idempotent."""
        self._process.kill()

    def stop(self) -> None:
        """Ends the process on request of the host; whoever waits for an answer gets `DisturbedError`."""
        self.stopped = True
        self.kill()

    # Questions.

    def hello(self) -> dict[str, Any]:
        """Returns the report of the process once it is shut in: see `jail.Report`."""
        self._arm(_HELLO_SECONDS, "did not start")
        return self._object()

    def inspect(self, text: str) -> Inspection:
        """Returns what the jailed process says of a text. Raises `PlayerDiedError`, `DisturbedError`."""
        self._ask("inspect", (text,), CHECK_SECONDS, f"takes more than {CHECK_SECONDS:g} s to parse")
        answer = self._object()
        problems = problems_of(answer.get("problems"))
        return Inspection(
            ok=not problems,
            hash=sha256(text),
            tree_hash=one_line(answer.get("tree_hash"), 64),
            problems=problems,
            docstring=str(answer.get("docstring", "")),
            lines=count_lines(text),
            chance=answer.get("chance") is not False,
        )

    def ask_load(self, text: str) -> None:
        """Sends a text to be checked and compiled, or what it was compiled to before."""
        self._text_sent = text
        self._known = self._codes.get(text)
        if self._known is None:
            self._ask("load", (text,), CHECK_SECONDS, f"takes more than {CHECK_SECONDS:g} s to parse")
        else:
            self._send("reload", (self._known.code, self._known.act_line))

    def loaded(self) -> tuple[tuple[Problem, ...], bool]:
        """Returns what is wrong with the text that `ask_load` sent, and whether chance may decide what it does."""
        if self._known is not None:
            return (), self._known.random
        answer = self._object()
        problems = problems_of(answer.get("problems"))
        random = answer.get("random") is not False
        code = some_bytes(answer.get("code"))
        if code and not problems:
            self._codes.put(self._text_sent, Compiled(code, line_number(answer.get("act_line")) or 0, random))
        return problems, random

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

    def ask_act(self, questions: list[Question], allowance: float, traced: bool = False) -> None:
        """Asks for actions in some episodes; where `traced`, `lines` has to follow `actions` and `failures`."""
        self._ask("act_traced" if traced else "act", (questions,), allowance, _late(allowance))

    def actions(self, count: int) -> tuple[int, ...]:
        """Returns the answers to `ask_act`: an action each, or FAILED_WIDE."""
        data = self._fixed(protocol.ANSWER_ACT, 2 * count)
        self.waiting = False
        return struct.unpack(f"<{count}H", data)

    def lines(self, count: int) -> tuple[int, ...]:
        """Returns where the policy says that each act returned; a number up to 65,535, which may be a lie."""
        self._again()
        data = self._fixed(protocol.ANSWER_LINES, 2 * count)
        self.waiting = False
        return struct.unpack(f"<{count}H", data)

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
        self.waiting = self.watch_memory = False
        self.kill()
        with suppress(DisturbedError):
            self._process.wait()
        self._process.close()

    # The channel.

    def _arm(self, allowance: float, late: str) -> None:
        self.allowance, self.allowance_text = allowance, late
        self._again()

    def _again(self) -> None:
        self.question += 1
        self.waiting = True

    def _ask(self, operation: str, arguments: tuple[Any, ...], allowance: float, late: str) -> None:
        self._arm(allowance, late)
        self._send(operation, arguments)

    def _send(self, operation: str, arguments: tuple[Any, ...]) -> None:
        message = marshal.dumps((operation, arguments))
        self._write(len(message).to_bytes(4, "little") + message)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._process.writer, view) :]
            except BrokenPipeError:
                # What it said last, such as a traceback, still lies in the other pipe.
                raise self._death(b"") from None

    def _read(self, count: int) -> bytes:
        data = os.read(self._process.reader, count)
        while len(data) < count:
            more = os.read(self._process.reader, count - len(data))
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
        found = [slot_failure(one) for one in listed[: protocol.MAX_DETAILS] if isinstance(one, dict)]
        # The process knows its own room only, which may be that of many episodes.
        said = protocol.too_much_memory(self.memory_bytes)
        return [replace(one, message=said) if one.status == "memory" else one for one in found]

    def _death(self, said: bytes) -> CsroError:
        """Returns why the channel ended or holds something else than an answer."""
        said, ended = self._rest(said)
        self.waiting = False
        self.kill()
        status = self._process.wait()
        found = _POLICY_LINE.search(said)
        line = int(found[1]) if found else None
        if self.stopped:
            return DisturbedError("the process was stopped")
        if self._verdict is not None:
            return PlayerDiedError(*self._verdict, line)
        if not ended:
            return PlayerDiedError("protocol", "answered something else than an action and was stopped")
        if status == protocol.EXIT_MEMORY:
            return PlayerDiedError("memory", protocol.too_much_memory(self.memory_bytes), line)
        if status == -_SIGXCPU:
            return PlayerDiedError("timeout", "used too much CPU time", line)
        if status == -_SIGSYS:
            return PlayerDiedError("forbidden", _FORBIDDEN, line)
        if -status in _FROM_OUTSIDE:
            return DisturbedError(f"process {self.pid} of a policy was killed from outside (is memory short?)")
        if status < 0:
            return PlayerDiedError("crashed", f"crashed the interpreter ({signal.Signals(-status).name})", line)
        return PlayerDiedError("crashed", f"ended its process (exit code {status})", line)

    def _rest(self, said: bytes) -> tuple[bytes, bool]:
        """Returns what a dying process has said in all, and whether its channel has ended."""
        deadline = time.monotonic() + DYING_SECONDS
        while len(said) < MAX_DUMP and time.monotonic() < deadline:
            if self._verdict is not None and _POLICY_LINE.search(said):
                # The traceback that the watchdog has asked for; the innermost line comes first.
                self.kill()
            if self._process.readable(0.1):
                more = os.read(self._process.reader, 4096)
                if not more:
                    return said, True
                said += more
        return said, False


def count_lines(text: str) -> int:
    """Returns the number of lines of a text."""
    return len(text.splitlines())


def _late(allowance: float) -> str:
    return f"act() used more than {allowance:g} s of CPU time in one answer"
