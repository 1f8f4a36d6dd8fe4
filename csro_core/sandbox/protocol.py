"""The words between the host and a jailed worker. Plain constants; both sides import them.

Host to worker: 4 bytes of length and a marshalled tuple (a trusted direction), or raw action bytes within a stage.
Worker to host: fixed-size bytes, or a capped JSON text; never unpickled or unmarshalled by the host, since a policy may
have written it. (Byte code that a process compiled before anything of its text ran passes through the host unread.)

    TEXT length(4) JSON           a text
    READY_ONE status(1)           one episode is ready: OK, or FAILED and a text follows
    ANSWER_STAGE action(1) each   answer within a stage: an action, NOT_ASKED, or FAILED and a text follows at the end
    ANSWER_ACT action(2) each     answer of the general protocol: an action, or FAILED_WIDE and a text follows
    ANSWER_LINES line(2) each     where asked for, after an ANSWER_ACT and its text: where each act returned

The first byte is never a printable letter, so that a traceback from a dying process cannot be taken for an answer.
"""

import struct

TEXT, READY_ONE, ANSWER_STAGE, ANSWER_ACT, ANSWER_LINES = b"\x01", b"\x02", b"\x03", b"\x04", b"\x05"

REQUEST = struct.Struct("<cqqq")
"""Host to zygote: kind, then memory_bytes beyond its own, cpu_seconds, kernel_jail (``S``), or pid, 0, 0 (``R``)."""
ANSWER = struct.Struct("<q")
"""Zygote to host: a pid, a wait status, or READY."""
READY = 1

OK = 0
FAILED = 254
NOT_ASKED = 255
FAILED_WIDE = 0xFFFE
MAX_ACTIONS = 250
"""Most actions of a player in a stage, where an action is one byte."""

MAX_LINE = 0xFFFF
"""Largest number of a line that is told."""
MAX_TEXT = 262_144
"""Largest JSON text of a worker, in bytes."""
MAX_DETAILS = 64
"""Failures that a worker describes, one for each episode that a process may have."""
MAX_MESSAGE = 300
"""Characters of an exception's message that are kept."""

EXIT_MEMORY = 70
"""Exit code of a worker that ran out of memory outside the policy's own code."""
EXIT_BROKEN = 71
"""Exit code of a worker that failed in its own code."""


def too_much_memory(limit: int) -> str:
    """Returns what is said of a policy that needs more than `limit` bytes."""
    return f"a policy may use at most {limit >> 20} MB of memory"
