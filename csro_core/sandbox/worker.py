"""The jailed side, and the only file that executes a policy's source. One process, one policy, many episodes.

Every episode has a fresh namespace and a fresh `Policy()`. The process answers questions until it is killed; see
`protocol` for the words. A policy that fails in an episode is not asked again there.

Order of sets: strings hash alike in every process (the zygote fixes the hash seed). What else could differ from process
to process counts as chance (`policies.chance`).
"""

import base64
import faulthandler
import json
import marshal
import os
import signal
import struct
import sys
import types
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any, NoReturn, TypeAlias

from csro_core.policies.chance import has_chance
from csro_core.policies.source import describe_tree
from csro_core.sandbox import jail, protocol
from csro_core.sandbox.guard import POLICY_FILE, check, compile_policy
from csro_core.sandbox.guard_rename import written_name
from csro_core.sandbox.namespace import new_namespace

FD_IN, FD_OUT = 0, 1
MAX_DOCSTRING = 4_000
MAX_PROBLEMS = 100
_UNSHOWN = "(its message cannot be shown)"

Playing: TypeAlias = tuple[int, Callable[[dict[str, Any]], Any], dict[str, Any], int]
"""An episode within a stage: number, act, obs, number of actions."""


class Slot:
    """One episode of the policy.

    Attributes:
        number: index of the episode in the batch.
        act: the policy's bound method.
        obs: the policy's own dict, the same object all episode.
        lists: the lists of `obs` as they were made; the policy may put something else into `obs`, to its own harm.
        legal: actions that it may return now.
    """

    __slots__ = ("act", "legal", "lists", "number", "obs")

    def __init__(self, number: int, act: Callable[[dict[str, Any]], Any], obs: dict[str, Any]) -> None:
        """Takes over a policy that is ready to act."""
        self.number = number
        self.act = act
        self.obs = obs
        self.lists = {key: value for key, value in obs.items() if type(value) is list}
        self.legal: tuple[int, ...] = tuple(obs.get("legal_actions", ()))


class Worker:
    """Serves the questions of the host."""

    def __init__(self, memory_bytes: int) -> None:
        """Starts without a policy."""
        self._memory_bytes = memory_bytes
        self._code: types.CodeType | None = None
        self._act_line = 0
        self._slots: dict[int, Slot] = {}
        self._details: list[dict[str, Any]] = []
        self._described = 0
        self._lines: dict[int, int] = {}

    def serve(self) -> NoReturn:
        """Answers until the host closes the channel."""
        operations: dict[str, Callable[..., None]] = {
            "inspect": self._inspect,
            "load": self._load,
            "reload": self._reload,
            "start": self._start,
            "stage": self._stage,
            "act": self._act,
            "act_traced": self._act_traced,
        }
        while True:
            name, arguments = _read_message()
            operations[name](*arguments)

    def _inspect(self, text: str) -> None:
        """Says everything about a text without running it."""
        verdict = check(text)
        # Before the description, which changes the tree.
        chance = verdict.tree is None or bool(verdict.problems) or has_chance(verdict.tree)
        tree_hash, docstring = describe_tree(verdict.tree) if verdict.tree is not None else ("", "")
        problems = [[one.line, one.message] for one in verdict.problems[:MAX_PROBLEMS]]
        told = {"problems": problems, "tree_hash": tree_hash, "docstring": docstring[:MAX_DOCSTRING], "chance": chance}
        _write_text(told)

    def _load(self, text: str) -> None:
        """Checks a text and compiles it; answers with what is wrong with it, or with what it was compiled to."""
        verdict = check(text)
        problems = [[one.line, one.message] for one in verdict.problems[:MAX_PROBLEMS]]
        if verdict.tree is None or problems:
            _write_text({"problems": problems})
            return
        random = has_chance(verdict.tree)
        try:
            self._take(compile_policy(verdict.tree), verdict.act_line)
        except (SyntaxError, ValueError) as error:
            _write_text({"problems": [[getattr(error, "lineno", 0) or 0, f"the text cannot be compiled: {error}"]]})
            return
        code = base64.b64encode(marshal.dumps(self._code)).decode("ascii")
        kept = code if len(code) < protocol.MAX_TEXT // 2 else ""
        _write_text({"problems": [], "random": random, "act_line": verdict.act_line, "code": kept})

    def _reload(self, code: bytes, act_line: int) -> None:
        """Takes what another process has compiled the same text to."""
        self._take(marshal.loads(code), act_line)

    def _take(self, code: types.CodeType, act_line: int) -> None:
        self._code = code
        self._act_line = act_line

    def _start(self, templates: list[dict[str, Any]], seats: list[int], seeds: list[int]) -> None:
        """Makes the policies of a batch, and answers after each, so that the host's deadline is one policy's."""
        code = self._code
        if code is None:
            os._exit(protocol.EXIT_BROKEN)
        for number, (seat, seed) in enumerate(zip(seats, seeds, strict=True)):
            # A copy by marshal: no two episodes share a list.
            obs = marshal.loads(marshal.dumps(templates[seat]))
            try:
                namespace = new_namespace(seed)
                exec(code, namespace)
                self._slots[number] = Slot(number, namespace["Policy"]().act, obs)
            except BaseException as error:
                self._fail(number, error)
                _write(protocol.READY_ONE + bytes([protocol.FAILED]))
                self._write_details()
            else:
                _write(protocol.READY_ONE + bytes([protocol.OK]))

    def _stage(
        self, num_steps: int, episodes: int, counts: list[int], keys: tuple[str | None, str | None, str | None]
    ) -> None:
        """Plays a game of simultaneous steps by one byte per episode and step.

        Args:
            num_steps: steps of an episode.
            episodes: size of the batch.
            counts: number of actions of this policy in each episode; 0 where the episode is over already.
            keys: of `obs`: the counter of steps, the list of own actions, the list of the opponent's.
        """
        step_key, own_key, opponent_key = keys
        self._slots = {number: slot for number, slot in self._slots.items() if counts[number]}
        playing: list[Playing] = [
            (slot.number, slot.act, slot.obs, counts[slot.number]) for slot in self._slots.values()
        ]
        own, theirs = self._growing(own_key), self._growing(opponent_key)
        reply = bytearray(protocol.ANSWER_STAGE + bytes([protocol.NOT_ASKED]) * episodes)
        for step in range(num_steps):
            failed = self._step(playing, reply)
            _write(reply)
            if failed:
                self._write_details()
            if step + 1 == num_steps:
                break
            news = _read(episodes)
            if failed or news.count(protocol.NOT_ASKED) != episodes - len(playing):
                self._drop(news, reply)
                playing = [one for one in playing if one[0] in self._slots]
                own = [one for one in own if one[0] in self._slots]
                theirs = [one for one in theirs if one[0] in self._slots]
                if not playing:
                    break
            for number, grow in own:
                grow(reply[number + 1])
            for number, grow in theirs:
                grow(news[number])
            if step_key is not None:
                for one in playing:
                    one[2][step_key] = step + 1

    def _step(self, playing: list[Playing], reply: bytearray) -> bool:
        """Returns True where somebody failed; the actions of one step are in `reply`."""
        failed = False
        for number, act, obs, count in playing:
            try:
                action = act(obs)
            except BaseException as error:
                self._fail(number, error)
                reply[number + 1] = protocol.FAILED
                failed = True
                continue
            # Exactly int: True is an int to isinstance, and a subclass may claim to be equal to anything.
            if type(action) is int and 0 <= action < count:
                reply[number + 1] = action
            else:
                self._fail_action(number, action, range(count))
                reply[number + 1] = protocol.FAILED
                failed = True
        return failed

    def _growing(self, key: str | None) -> list[tuple[int, Callable[[int], None]]]:
        if key is None:
            return []
        return [(slot.number, slot.lists[key].append) for slot in self._slots.values()]

    def _drop(self, news: bytes, reply: bytearray) -> None:
        """Ends the episodes in which somebody has failed."""
        for number in range(len(news)):
            if news[number] == protocol.NOT_ASKED or reply[number + 1] == protocol.FAILED:
                self._slots.pop(number, None)
                reply[number + 1] = protocol.NOT_ASKED

    def _act(self, questions: list[tuple[int, dict[str, Any], dict[str, list[Any]]]]) -> None:
        """Answers one question in each of some episodes; a question carries what has changed in `obs`."""
        reply = []
        failed = False
        for number, assign, append in questions:
            slot = self._slots.get(number)
            answer = protocol.FAILED_WIDE
            if slot is not None:
                try:
                    _update(slot, assign, append)
                    action = slot.act(slot.obs)
                except BaseException as error:
                    self._fail(number, error)
                else:
                    # Exactly int, as in a stage.
                    if type(action) is int and action in slot.legal:
                        answer = action
                    else:
                        self._fail_action(number, action, slot.legal)
            failed |= answer == protocol.FAILED_WIDE
            reply.append(answer)
        _write(protocol.ANSWER_ACT + struct.pack(f"<{len(reply)}H", *reply))
        if failed:
            self._write_details()

    def _act_traced(self, questions: list[tuple[int, dict[str, Any], dict[str, list[Any]]]]) -> None:
        """Answers as `_act` does, and then says in which line each act returned; slow, for tables."""
        for number, _, _ in questions:
            slot = self._slots.get(number)
            if slot is not None and number not in self._lines:
                slot.act = self._traced(slot.act, number)
                self._lines[number] = 0
        self._act(questions)
        lines = [self._lines.get(number, 0) for number, _, _ in questions]
        _write(protocol.ANSWER_LINES + struct.pack(f"<{len(lines)}H", *lines))

    def _traced(self, act: Callable[[dict[str, Any]], Any], number: int) -> Callable[[dict[str, Any]], Any]:
        """Returns the same method, which also notes the line where it returned."""

        def watch(frame: types.FrameType, event: str, _: object) -> None:
            # The outermost frame of the policy returns last: that is `act` itself.
            if event == "return" and frame.f_code.co_filename == POLICY_FILE:
                self._lines[number] = min(frame.f_lineno, protocol.MAX_LINE)

        def traced(obs: dict[str, Any]) -> Any:
            sys.setprofile(watch)
            try:
                return act(obs)
            finally:
                sys.setprofile(None)

        return traced

    def _fail(self, number: int, error: BaseException) -> None:
        """Notes an exception of a policy and lets go of the policy."""
        status, message, line = _describe(error, self._memory_bytes)
        self._note(number, status, message, line)

    def _fail_action(self, number: int, action: object, legal: Iterable[int]) -> None:
        """Notes an action that is not legal."""
        shown = ", ".join(str(one) for one in list(legal)[:8]) + (", ..." if len(list(legal)) > 8 else "")
        rule = f"act() must return an int of obs['legal_actions'], here {shown}"
        self._note(number, "illegal-action", f"{rule}; it returned {_shown(action)}", self._act_line)

    def _note(self, number: int, status: str, message: str, line: int) -> None:
        self._slots.pop(number, None)
        self._described += 1
        if self._described <= protocol.MAX_DETAILS:
            self._details.append({"episode": number, "status": status, "message": message, "line": line})

    def _write_details(self) -> None:
        _write_text(self._details)
        self._details = []


def run(memory_bytes: int, cpu_seconds: int, kernel_jail: bool) -> NoReturn:
    """Shuts this process in and serves. Called in a fresh fork of the zygote, with the channel on fds 0 and 1."""
    try:
        sys.stdin = sys.stdout = sys.stderr = None
        # Python's own answer to SIGINT is an exception, which would be the policy's.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # The dump goes to the host, which reads the policy's line from it; it works inside loops of C code too.
        faulthandler.enable(file=FD_OUT, all_threads=False)
        if sys.platform != "win32":
            faulthandler.register(signal.SIGUSR1, file=FD_OUT, all_threads=False)
        report = jail.enter(FD_IN, FD_OUT, memory_bytes, cpu_seconds) if kernel_jail else jail.NOTHING
        _write_text(asdict(report))
        Worker(memory_bytes).serve()
    except MemoryError:
        os._exit(protocol.EXIT_MEMORY)
    except BaseException:
        os._exit(protocol.EXIT_BROKEN)


def _update(slot: Slot, assign: dict[str, Any], append: dict[str, list[Any]]) -> None:
    """Brings the news of a question into `obs`."""
    slot.obs.update(assign)
    for key, value in assign.items():
        if type(value) is list:
            slot.lists[key] = value
    if "legal_actions" in assign:
        slot.legal = tuple(assign["legal_actions"])
    for key, items in append.items():
        if key not in slot.lists:
            slot.obs[key] = slot.lists[key] = []
        slot.lists[key].extend(items)


def _describe(error: BaseException, memory_bytes: int) -> tuple[str, str, int]:
    """Returns status, message and line of an exception. At worst this runs the policy's own `__str__`."""
    line = 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == POLICY_FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, MemoryError):
        return "memory", protocol.too_much_memory(memory_bytes), line
    try:
        text = str(error)
    except BaseException:
        text = _UNSHOWN
    # A subclass could lie about itself whenever it is looked at.
    shown = written_name(text[: protocol.MAX_MESSAGE]) if type(text) is str else _UNSHOWN
    name = written_name(type(error).__name__[:80])
    return "exception", f"{name}: {shown}" if shown else name, line


def _shown(action: Any) -> str:
    """Returns a short text for an action; only plain values are shown, since anything else could lie or loop."""
    kind = type(action)
    if kind is int and abs(action) > 10**20:
        return "a very large int"
    if action is None:
        return "None"
    if kind is int:
        return repr(action)
    if kind in {bool, float}:
        return f"{action!r} ({kind.__name__})"
    if kind is str:
        return f"the string {action[:40]!r}"
    return f"a value of type {written_name(kind.__name__[:80])}"


def _read(count: int) -> bytes:
    data = os.read(FD_IN, count)
    while len(data) < count:
        more = os.read(FD_IN, count - len(data))
        if not more:
            os._exit(0)
        data += more
    return data


def _read_message() -> tuple[str, tuple[Any, ...]]:
    length = int.from_bytes(_read(4), "little")
    message: tuple[str, tuple[Any, ...]] = marshal.loads(_read(length))
    return message


def _write(data: bytes | bytearray) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(FD_OUT, view) :]


def _write_text(value: object) -> None:
    text = json.dumps(value).encode("ascii")
    if len(text) > protocol.MAX_TEXT:
        text = b'{"problems": [[0, "too much is wrong with this text to list it"]], "tree_hash": "", "docstring": ""}'
    _write(protocol.TEXT + len(text).to_bytes(4, "little") + text)
