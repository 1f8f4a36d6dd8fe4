"""The connections of a call, so that they can be cut while a library still reads from them.

A library bounds each read and not their sum, and closing its client from another thread wakes no read that is under
way. Shutting the connection down does. It is done through a copy of the socket's descriptor, because TLS takes the
socket itself away before its handshake is over.
"""

import socket
import threading
from contextvars import ContextVar
from typing import Any


class Lines:
    """The open connections of one call. Safe to use from several threads."""

    def __init__(self) -> None:
        """Starts without any."""
        self._lock = threading.Lock()
        self._copies: list[socket.socket] = []
        self._cut = False

    def take(self, opened: socket.socket) -> None:
        """Remembers a connection; where the call was cut meanwhile it is shut down at once."""
        with self._lock:
            self._copies.append(opened.dup())
            if self._cut:
                self._shut()

    def cut(self) -> None:
        """Ends every read and write on the connections, those to come too."""
        with self._lock:
            self._cut = True
            self._shut()

    def close(self) -> None:
        """Lets the copies go; the connections stay as they are. Idempotent."""
        with self._lock:
            copies, self._copies = self._copies, []
        for copy in copies:
            copy.close()

    def _shut(self) -> None:
        for copy in self._copies:
            try:
                copy.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # the other side has closed it


LINES: ContextVar[Lines | None] = ContextVar("LINES", default=None)
"""Set in the thread of a call: where its connections are remembered."""


def watch(event: str, info: dict[str, Any]) -> None:
    """Remembers the connection that a request opens: the `trace` extension of a request of httpx2 (see its manual).

    Args:
        event: what has happened.
        info: of the event.
    """
    lines = LINES.get()
    if lines is not None and event.endswith("connect_tcp.complete"):
        opened = info["return_value"].get_extra_info("socket")
        if isinstance(opened, socket.socket):
            lines.take(opened)
