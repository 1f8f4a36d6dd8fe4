"""A call that is out of time leaves no thread behind, whatever part of its answer the server drips."""

import contextlib
import socket
import threading
import time

import pytest

from csro_core.errors import ModelError
from csro_core.models.chat import Prompt, PromptPart
from csro_core.models.gemini import GeminiClient
from csro_core.models.openai_compatible import OpenAiClient
from csro_core.models.retry import Retry

PROMPT = Prompt("system", (PromptPart("task", "write"),), "1")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n"
DRIPS = {
    "status line": (b"", b"H"),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"x"),
    "chunk size": (HEAD % b"application/json", b"0"),
    "body": (HEAD % b"application/json", b"1\r\n \r\n"),
    "event without end": (HEAD % b"text/event-stream", b"1\r\nd\r\n"),
    "empty events": (HEAD % b"text/event-stream", b"2\r\n\n\n\r\n"),
    "nothing at all": (b"", b""),
}


class Dripping:
    """A server that begins an answer and then sends a piece of it now and then, for ever."""

    def __init__(self, start: bytes, piece: bytes) -> None:
        self._start, self._piece = start, piece
        self._ended = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                channel, _ = self._listening.accept()
                threading.Thread(target=self._drip, args=(channel,), daemon=True).start()

    def _drip(self, channel: socket.socket) -> None:
        with channel, contextlib.suppress(OSError):
            channel.recv(65_536)
            channel.sendall(self._start)
            while not self._ended.wait(0.02):
                channel.sendall(self._piece)

    def close(self) -> None:
        self._ended.set()
        self._listening.close()


def calls() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "model call"]


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("drip", DRIPS)
@pytest.mark.parametrize("client", [OpenAiClient, GeminiClient])
def test_no_thread_is_left(client, drip, streamed):
    server = Dripping(*DRIPS[drip])
    retry = Retry(attempts=1, deadline=0.3)
    try:
        # A read alone may take 10 s at Gemini, and 0.3 s here: neither is waited for.
        one = (
            OpenAiClient("m", f"{server.url}/v1", retry=retry)
            if client is OpenAiClient
            else GeminiClient("gemini-2.5-flash", "key", base_url=server.url, retry=retry)
        )
        with pytest.raises(ModelError) as error:
            one.chat(PROMPT, 1, (lambda text: None) if streamed else None)
        assert error.value.reason in {"timeout", "network"}
        end = time.monotonic() + 5.0
        while calls() and time.monotonic() < end:
            time.sleep(0.01)
        assert calls() == []
    finally:
        server.close()


def test_no_descriptor_is_left_either():
    """Copies of sockets are closed with the call, also those of calls that went well."""
    import os

    server = Dripping(HEAD % b"application/json", b"2\r\n{}\r\n0\r\n\r\n")
    one = OpenAiClient("m", f"{server.url}/v1", retry=Retry(attempts=1, deadline=5.0))
    try:
        counts = []
        for _ in range(3):
            with pytest.raises(ModelError):
                one.chat(PROMPT, 1)
            counts.append(len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0)
        assert counts[2] <= counts[0] + 1
    finally:
        server.close()
