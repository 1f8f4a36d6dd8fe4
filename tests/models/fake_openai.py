"""A loopback server that speaks OpenAI's chat API, for tests of the real client without a key of anybody.

    with FakeOpenAi(lambda request: "```python\\nclass Policy: ...```") as server:
        client = OpenAiClient("fake-coder", server.url, server.key)

The function gets the JSON body of a request. `server.play(...)` queues scripted replies (`text`, `document`, `error`,
`drop`, …) that are used up before the function is asked again. Every call is kept in `server.calls`.
"""

import json
import threading
from collections import deque
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "sk-fake-key-of-the-tests-0123456789"
MODELS = ("fake-coder", "fake-chat")


def prompt_of(request):
    return "\n".join(message["content"] for message in request["messages"] if message["role"] == "user")


def system_of(request):
    return "\n".join(message["content"] for message in request["messages"] if message["role"] == "system")


def usage(prompt=11, output=7, thinking=0, cached=0):
    return {
        "prompt_tokens": prompt, "completion_tokens": output + thinking, "total_tokens": prompt + output + thinking,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": thinking},
    }  # fmt: skip


def answer_document(content="ok", finish="stop", counts=None, **message):
    body = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    return {"id": "1", "object": "chat.completion", "model": "fake-coder-001", "choices": [body],
            "usage": usage() if counts is None else counts}  # fmt: skip


def chunk(content=None, finish=None, **delta):
    """One chunk of a stream."""
    if content is not None:
        delta["content"] = content
    return {"model": "fake-coder-001", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def count_chunk(counts=None):
    """The last chunk of a stream: tokens and no choice."""
    return {"model": "fake-coder-001", "choices": [], "usage": counts or usage()}


def text(content, **named):
    """A normal answer, streamed in pieces where it is asked for."""

    def reply(handler, request, stream):
        if stream:
            cuts = range(0, len(content), 7)
            pieces = [chunk(content[place : place + 7]) for place in cuts]
            end = chunk(finish=named.get("finish", "stop"))
            handler.send_events([chunk("", role="assistant"), *pieces, end, count_chunk()])
        else:
            handler.send_json(200, answer_document(content, **named))

    return reply


def document(body, status=200, headers=()):
    """A body as it stands, streamed or not."""
    return lambda handler, request, stream: handler.send_json(status, body, headers)


def error(status, message="no", headers=(), **more):
    return document({"error": {"message": message, "type": "error", **more}}, status, headers)


def raw(status, data, content_type="application/json", headers=()):
    return lambda handler, request, stream: handler.send_bytes(status, data, content_type, headers)


def events(*bodies, done=True, cut=False, pause=0.0):
    """A stream; `cut` drops the connection in the middle of it, `pause` seconds pass before each chunk."""
    return lambda handler, request, stream: handler.send_events(bodies, done, cut, pause)


def hang(seconds=30.0):
    """Nothing for so long, or until the server ends."""
    return lambda handler, request, stream: handler.server.ended.wait(seconds) and None


def drop():
    """The connection is closed without an answer."""
    return lambda handler, request, stream: handler.drop()


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    headers: dict
    body: dict | None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._answer(None)

    def do_POST(self):
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, body):
        server = self.server
        server.calls.append(Call(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        if server.queue:
            server.queue.popleft()(self, body, bool(body and body.get("stream")))
        elif server.key and self.headers.get("Authorization") != f"Bearer {server.key}":
            said = f"Incorrect API key provided: {self.headers.get('Authorization', '')}."
            self.send_json(401, {"error": {"message": said, "code": "invalid_api_key"}})
        elif self.path == "/v1/models":
            self.send_json(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in MODELS]})
        elif self.path != "/v1/chat/completions":
            self.send_bytes(404, b"404 page not found", "text/plain")
        elif body["model"] not in MODELS:
            self.send_json(404, {"error": {"message": f"model '{body['model']}' not found"}})
        else:
            text(server.answer(body))(self, body, bool(body.get("stream")))

    def send_json(self, status, body, headers=()):
        self.send_bytes(status, json.dumps(body).encode(), "application/json", headers)

    def send_bytes(self, status, data, content_type, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def send_events(self, bodies, done=True, cut=False, pause=0.0):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        lines = [f"data: {json.dumps(body)}\n\n" for body in bodies] + ["data: [DONE]\n\n"] * done
        for line in (": a comment\n\n", *lines):
            if pause and self.server.ended.wait(pause):
                break
            data = line.encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
        if cut:
            self.drop()
        else:
            self.wfile.write(b"0\r\n\r\n")

    def drop(self):
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(2)


class FakeOpenAi(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, answer=lambda request: "ok", key=KEY):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.key = answer, key
        self.calls, self.queue, self.ended = [], deque(), threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def play(self, *replies):
        self.queue.extend(replies)
        return self

    def handle_error(self, request, client_address):
        pass  # the client gives up on purpose

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.shutdown()
        self.server_close()
