"""A loopback server that speaks the Gemini REST API, for tests with the real SDK and without a key of anybody.

It answers the paths that google-genai 3.x calls (any API version):

    POST /{version}/models/{model}:generateContent
    POST /{version}/models/{model}:streamGenerateContent?alt=sse
    GET  /{version}/models

A whole run is served by a function of the request:

    with FakeGemini(lambda request: "```python\\nclass Policy: ...```") as server:
        client = GeminiClient("gemini-3.8-flash", server.key, base_url=server.url)

where the request is the JSON body; `prompt_of(request)` and `system_of(request)` are its texts. `server.play(...)`
queues scripted replies (`text`, `document`, `error`, `drop`, …) that are used up before the function is asked again.
Every call is kept in `server.calls`.
"""

import json
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODELS = ("gemini-3.8-flash", "gemini-3.5-flash-lite", "gemini-2.5-flash")
KEY = "AIza-fake-key-of-the-tests-0123456789"

Answer = Callable[[dict], str]
Reply = Callable[["Handler", dict, bool], None]
"""Writes a reply to a request: (handler, JSON body, whether it is to be streamed)."""

PATH = re.compile(r"/(?P<version>v\d\w*)/models(?:/(?P<model>[^:?/]+):(?P<verb>\w+))?(?:\?.*)?")


def prompt_of(request):
    """Returns the user's text of a request body."""
    return "\n".join(part.get("text", "") for content in request["contents"] for part in content["parts"])


def system_of(request):
    """Returns the system prompt of a request body."""
    return "\n".join(part.get("text", "") for part in request.get("systemInstruction", {}).get("parts", ()))


# What the API answers.


def usage(prompt=11, output=7, thinking=0, cached=0):
    """Like the API, leaves counts of zero out."""
    counts = {"candidatesTokenCount": output, "thoughtsTokenCount": thinking, "cachedContentTokenCount": cached}
    return {
        "promptTokenCount": prompt,
        "totalTokenCount": prompt + output + thinking,
        **{name: count for name, count in counts.items() if count},
    }


def answer_document(*parts, finish="STOP", counts=None):
    """Returns a response body; a part is a text or a dict such as {"text": …, "thought": True}."""
    content = {"role": "model"}
    if parts:
        content["parts"] = [{"text": part} if isinstance(part, str) else part for part in parts]
    candidate = {"index": 0, "content": content}
    if finish is not None:
        candidate["finishReason"] = finish
    return {
        "candidates": [candidate],
        "usageMetadata": usage() if counts is None else counts,
        "modelVersion": "gemini-fake-001",
        "responseId": "fake",
    }


# Replies.


def text(answer, **named):
    """A normal answer."""
    return document(answer_document(answer, **named))


def document(body):
    """A response body as it stands."""

    def reply(handler, request, stream):
        if stream:
            handler.send_events([body])
        else:
            handler.send_json(200, body)

    return reply


def events(*bodies, cut=False, pause=0.0):
    """A stream of response bodies, `pause` seconds before each; `cut` drops the connection instead of ending it."""

    def reply(handler, request, stream):
        handler.send_events(bodies, cut, pause)

    return reply


def error(code, status, message, *, retry_delay=None, details=()):
    """An error as Google's APIs write it."""
    details = list(details)
    if retry_delay is not None:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": retry_delay})
    body = {"error": {"code": code, "message": message, "status": status}}
    if details:
        body["error"]["details"] = details

    def reply(handler, request, stream):
        handler.send_json(code, body)

    return reply


def over_quota(per="Minute", retry_delay="2s"):
    """The 429 of a quota "per Minute" or "per Day"."""
    violation = {
        "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
        "quotaId": f"GenerateRequestsPer{per}PerProjectPerModel-FreeTier",
        "quotaDimensions": {"location": "global", "model": "gemini-3.8-flash"},
        "quotaValue": "20",
    }
    message = f"You exceeded your current quota, please check your plan. Please retry in {retry_delay}."
    failure = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}
    return error(429, "RESOURCE_EXHAUSTED", message, retry_delay=retry_delay, details=[failure])


def raw(status, data, content_type="application/json", headers=()):
    """Any bytes."""

    def reply(handler, request, stream):
        handler.send_bytes(status, data, content_type, headers)

    return reply


def redirect(url):
    """Elsewhere."""

    def reply(handler, request, stream):
        handler.send_response(307)
        handler.send_header("Location", url)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return reply


def hang(seconds):
    """Nothing for so long (or until the server ends), then a normal answer."""

    def reply(handler, request, stream):
        handler.server.ended.wait(seconds)
        text("late")(handler, request, stream)

    return reply


def drop():
    """The connection is closed without an answer."""

    def reply(handler, request, stream):
        handler.cut()

    return reply


def short_body(announced=500, sent=b'{"candidates": ['):
    """The connection is closed in the middle of the body."""

    def reply(handler, request, stream):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(announced))
        handler.end_headers()
        handler.wfile.write(sent)
        handler.wfile.flush()
        handler.cut()

    return reply


def no_model(model):
    """The 404 of an unknown or retired model."""
    message = (
        f"models/{model} is not found for API version v1, or is not supported for generateContent. "
        "Call ListModels to see the list of available models and their supported methods."
    )
    return error(404, "NOT_FOUND", message)


def wrong_key():
    """The API answers a wrong key with 400, not with 401."""
    info = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "API_KEY_INVALID",
        "domain": "googleapis.com",
    }
    return error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", details=[info])


# The server.


@dataclass(frozen=True)
class Call:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict
    body: dict


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Unbuffered writes meet Nagle's algorithm and delayed acknowledgements: 40 ms a call.
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def send_bytes(self, status, data, content_type="application/json", headers=()):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def send_json(self, status, body):
        self.send_bytes(status, json.dumps(body).encode(), "application/json; charset=UTF-8")

    def send_events(self, bodies, cut=False, pause=0.0):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for body in bodies:
            self.server.ended.wait(pause)
            data = b"data: " + json.dumps(body).encode() + b"\r\n\r\n"
            self.wfile.write(f"{len(data):X}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
        if cut:
            self.cut()
        else:
            self.wfile.write(b"0\r\n\r\n")

    def cut(self):
        self.close_connection = True
        self.connection.shutdown(2)

    def do_GET(self):
        self.serve("GET")

    def do_POST(self):
        self.serve("POST")

    def serve(self, method):
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(data) if data else {}
        server = self.server
        with server.lock:
            server.calls.append(Call(method, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        place = PATH.fullmatch(self.path)
        stream = place is not None and place["verb"] == "streamGenerateContent"
        server.reply_to(method, place, self.headers.get("x-goog-api-key"), self.path)(self, body, stream)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128  # the default of 5 resets connections when many are opened at once

    def __init__(self, answer, models, key, lists_models):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.models = models
        self.key = key
        self.lists_models = lists_models
        self.calls = []
        self.script = deque()
        self.lock = threading.Lock()
        self.ended = threading.Event()

    def reply_to(self, method, place, key, path):
        if place is None:
            return error(404, "NOT_FOUND", f"no such path: {path}")
        if key != self.key:
            return wrong_key()
        if method == "GET":
            return self.list_models if self.lists_models else error(404, "NOT_FOUND", "Not found.")
        if place["model"] not in self.models:
            return no_model(place["model"])
        with self.lock:
            return self.script.popleft() if self.script else self.ask

    def ask(self, handler, request, stream):
        text(self.answer(request))(handler, request, stream)

    def list_models(self, handler, request, stream):
        methods = dict.fromkeys(self.models, ["generateContent", "countTokens"]) | {"embedding-001": ["embedContent"]}
        models = [{"name": f"models/{name}", "supportedGenerationMethods": verbs} for name, verbs in methods.items()]
        handler.send_json(200, {"models": models})

    def handle_error(self, request, client_address):
        pass  # a client that gave up is part of the script


class FakeGemini:
    """A server for as long as its `with` block runs.

    Args:
        answer: gives the text of an answer for a request body; called in the server's threads.
        models: that it knows.
        key: that it wants.
        lists_models: whether it tells which they are; some proxies do not.
    """

    def __init__(self, answer: Answer = lambda request: "fine", *, models=MODELS, key=KEY, lists_models=True):
        self.key = key
        self._server = Server(answer, models, key, lists_models)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def calls(self) -> list[Call]:
        """Every request so far."""
        with self._server.lock:
            return list(self._server.calls)

    @property
    def requests(self) -> list[dict]:
        """The bodies of the requests for an answer, in order of arrival."""
        return [call.body for call in self.calls if call.method == "POST"]

    def play(self, *replies: Reply) -> None:
        """Queues replies that come before the function's answers; forgets earlier ones and the calls so far."""
        with self._server.lock:
            self._server.script = deque(replies)
            self._server.calls.clear()

    def __enter__(self) -> "FakeGemini":
        self._thread.start()
        return self

    def __exit__(self, *exception) -> None:
        self._server.ended.set()
        self._server.shutdown()
        self._server.server_close()
