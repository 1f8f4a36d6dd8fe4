"""The client of OpenAI-compatible servers, over a loopback server."""

import threading
import time
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import fake_openai as fake
import pytest
from fake_openai import FakeOpenAi

from csro_core.errors import ModelError, UsageError
from csro_core.models import openai_compatible
from csro_core.models.chat import Prompt, PromptPart, Usage
from csro_core.models.openai_compatible import OpenAiClient, OpenAiSettings
from csro_core.models.openai_outcomes import retry_after
from csro_core.models.retry import Retry

PROMPT = Prompt("You write Python.", (PromptPart("rules", "Rock."), PromptPart("task", "Write.")), "1")
WORDS = "A long answer, in pieces."


@pytest.fixture(scope="module")
def running():
    with FakeOpenAi() as server:
        yield server


@pytest.fixture
def server(running):
    running.calls.clear()
    running.queue.clear()
    running.answer = lambda request: f"{fake.system_of(request)}|{fake.prompt_of(request)}"
    return running


def client(server, waits=None, key=fake.KEY, **settings):
    waits = [] if waits is None else waits
    retry = Retry(attempts=4, deadline=1000.0, longest_try=5.0, sleep=waits.append)
    return OpenAiClient("fake-coder", server.url, key, OpenAiSettings(**settings), retry=retry)


def failure(server, *replies, on_text=None, **named):
    server.play(*replies)
    with pytest.raises(ModelError) as caught:
        client(server, **named).chat(PROMPT, 1, on_text)
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + str(vars(caught.value))
    assert fake.KEY not in shown
    assert str(caught.value).endswith((".", "s.)"))
    return caught.value


def test_a_plain_answer(server):
    answer = client(server).chat(PROMPT, 2**40 + 5)
    assert answer.text == "You write Python.|Rock.\n\nWrite."
    assert (answer.usage, answer.model, answer.tries) == (Usage(11, 0, 7, 0), "fake-coder-001", 1)
    call = server.calls[0]
    assert (call.method, call.path) == ("POST", "/v1/chat/completions")
    assert call.headers["authorization"] == f"Bearer {fake.KEY}"
    assert call.body == {
        "model": "fake-coder", "max_tokens": 16_384, "seed": 5,
        "messages": [
            {"role": "system", "content": "You write Python."}, {"role": "user", "content": "Rock.\n\nWrite."},
        ],
    }  # fmt: skip


def test_a_stream_is_heard_as_it_grows(server):
    heard = []
    server.play(fake.events(
        fake.chunk("", role="assistant"), fake.chunk(reasoning_content="Hm."), fake.chunk("A "), fake.chunk("long "),
        fake.chunk("answer", finish="stop"), fake.count_chunk(fake.usage(20, 5, 3, 8)), pause=0.08,
    ))  # fmt: skip
    answer = client(server).chat(PROMPT, 1, heard.append)
    assert answer.text == "A long answer"
    assert answer.usage == Usage(20, 8, 5, 3)
    assert heard[-1] == answer.text
    assert len(set(heard)) >= 2
    assert all(answer.text.startswith(text) for text in heard)
    assert server.calls[0].body["stream"] is True
    assert server.calls[0].body["stream_options"] == {"include_usage": True}


def test_a_server_that_does_not_stream_is_heard_at_the_end(server):
    heard = []
    server.play(fake.document(fake.answer_document(WORDS)))
    assert client(server).chat(PROMPT, 1, heard.append).text == WORDS
    assert heard == [WORDS]


def test_settings_are_sent_and_told(server):
    one = client(server, max_tokens=99, temperature=0.5)
    one.chat(PROMPT, 1)
    assert one.parameters == {"max_tokens": 99, "temperature": 0.5}
    assert server.calls[0].body.items() >= one.parameters.items()
    hosted = OpenAiClient("m", "https://api.openai.com/v1/", "k")
    assert hosted.parameters == {"max_completion_tokens": 16_384}
    assert hosted.name == "openai:m@https://api.openai.com/v1"
    assert "api.openai.com" in hosted.title


@pytest.mark.parametrize(("document", "text"), [
    (fake.answer_document([{"type": "text", "text": "two "}, {"type": "text", "text": "parts"}]), "two parts"),
    (fake.answer_document([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "said"}]), "said"),
    (fake.answer_document("said", reasoning_content="I think."), "said"),
    (fake.answer_document("said", reasoning="I think."), "said"),
    (fake.answer_document("<think>I think.</think>\nsaid"), "\nsaid"),
    (fake.answer_document("half \ud800"), "half \ufffd"),
    (fake.answer_document("no reason", finish=None), "no reason"),
    (fake.answer_document("other reason", finish="eos"), "other reason"),
    ({"choices": [{"message": {"content": "bare"}}]}, "bare"),
    ({"choices": [{"text": "old form", "finish_reason": "stop"}], "usage": None}, "old form"),
    ({"choices": [{"message": {"content": "odd"}}], "usage": {"prompt_tokens": "x", "completion_tokens": -1}}, "odd"),
])
def test_forms_of_an_answer(server, document, text):
    server.play(fake.document(document))
    assert client(server).chat(PROMPT, 1).text == text


def test_thoughts_are_counted_apart(server):
    server.play(fake.document(fake.answer_document(counts=fake.usage(10, 5, 30, 4))))
    assert client(server).chat(PROMPT, 1).usage == Usage(10, 4, 5, 30)


@pytest.mark.parametrize(("reply", "reason", "says", "calls"), [
    (fake.error(401, f"Incorrect API key: {fake.KEY}"), "wrong-key", "check it", 1),
    (fake.error(403), "wrong-key", "check it", 1),
    (fake.error(402, "Insufficient credits"), "quota", "Insufficient credits", 1),
    (fake.error(404, "model 'fake-coder' not found"), "no-model", "'fake-coder' not found", 1),
    (fake.raw(404, b"404 page not found"), "no-model", "base URL", 1),
    (fake.error(400, "max_tokens is too large"), "bad-request", "too large", 1),
    # llama.cpp's words
    (
        fake.error(400, "request (3030 tokens) exceeds the available context size (2048 tokens)"), "bad-request",
        "show fewer opponents", 1,
    ),
    (fake.document({"detail": [{"msg": "field required"}]}, 422), "bad-request", "field required", 1),
    (fake.raw(301, b"", headers=[("Location", "http://127.0.0.1:9/")]), "bad-request", "301", 1),
    (fake.error(429, "slow down"), "rate", "slow down", 4),
    (fake.error(429, "You exceeded your current quota", code="insufficient_quota"), "quota", "exceeded", 1),
    (fake.error(500, "oops"), "server", "oops", 4),
    (fake.document({"error": "Loading model"}, 503), "server", "Loading model", 4),
    (fake.raw(502, b"<html>\n<h1>Bad Gateway</h1>", "text/html"), "server", "<h1>Bad Gateway", 4),
    (fake.drop(), "network", "broke", 4),
    (fake.raw(200, b"{broken"), "bad-response", "{broken", 3),
    (fake.raw(200, b"<html>Log in</html>", "text/html"), "bad-response", "Log in", 3),
    (fake.raw(200, b""), "bad-response", "nothing", 3),
    (fake.raw(200, b"\xff\xfe" * 20), "bad-response", "", 3),
    (fake.raw(200, b"[]"), "bad-response", "[]", 3),
    (fake.raw(200, b"[" * 100_000), "bad-response", "", 3),
    (fake.document({"choices": []}), "bad-response", "choices", 3),
    (fake.document({"choices": [None], "model": 3}), "bad-response", "choices", 3),
    (fake.document({"error": {"message": "provider down", "code": 502}}), "server", "provider down", 3),
    (fake.document({"error": {"message": "busy", "code": 429}}), "rate", "busy", 4),
    (fake.document(fake.answer_document("")), "empty", "without any text", 3),
    (fake.document(fake.answer_document(None)), "empty", "without any text", 3),
    (fake.document(fake.answer_document("<think>only</think>")), "empty", "without any text", 3),
    (fake.document(fake.answer_document("class Pol", finish="length")), "truncated", "16384", 1),
    (fake.document(fake.answer_document("", finish="length", counts=fake.usage(9, 0, 50))), "truncated", "50 tok", 1),
    (fake.document(fake.answer_document("", finish="content_filter")), "blocked", "content_filter", 1),
    (fake.document(fake.answer_document(None, refusal="I will not.")), "blocked", "I will not.", 1),
])
@pytest.mark.parametrize("streamed", [False, True])
def test_each_failure_has_its_name(server, reply, reason, says, calls, streamed):
    error = failure(server, *[reply] * 4, on_text=(lambda _: None) if streamed else None)
    assert error.reason == reason
    assert says in str(error)
    assert len(str(error)) < 700
    assert len(server.calls) == calls


@pytest.mark.parametrize(("reply", "reason"), [
    (fake.events(fake.chunk("half"), done=False), "bad-response"),
    (fake.events(fake.chunk("half"), done=False, cut=True), "network"),
    (fake.events(fake.chunk("half"), {"error": {"message": "out of memory"}}, done=False), "server"),
    (fake.events(fake.chunk("half", finish="length"), fake.count_chunk()), "truncated"),
    (fake.events(fake.chunk("half", finish="error")), "server"),
    (fake.events(), "empty"),
])
def test_a_stream_that_breaks(server, reply, reason):
    error = failure(server, *[reply] * 4, on_text=lambda _: None)
    assert error.reason == reason
    assert error.answer == ("" if reason == "empty" else "half")


def test_halves_of_a_character_are_joined(server):
    server.play(fake.events(fake.chunk("a \ud83d"), fake.chunk("\ude00"), fake.chunk(finish="stop")))
    assert client(server).chat(PROMPT, 1, lambda _: None).text == "a \U0001f600"


def test_a_stream_without_a_reason_is_complete_when_it_says_so(server):
    server.play(fake.events(fake.chunk("all of it")))
    assert client(server).chat(PROMPT, 1, lambda _: None).text == "all of it"


def test_failed_tries_are_repeated_and_counted(server):
    waits = []
    busy = fake.error(429, headers=[("Retry-After", "7")])
    empty = fake.document(fake.answer_document("", counts=fake.usage(10, 0, 5)))
    server.play(busy, empty, fake.drop(), fake.text(WORDS))
    answer = client(server, waits).chat(PROMPT, 1)
    assert (answer.text, answer.tries) == (WORDS, 4)
    assert answer.usage == Usage(21, 0, 7, 5)
    assert waits[0] >= 7.0


def test_tokens_of_failures_are_billed(server):
    empty = fake.document(fake.answer_document("", counts=fake.usage(10, 1, 5)))
    error = failure(server, *[empty] * 3)
    assert (error.tokens_in, error.tokens_out) == (30, 18)
    cut = failure(server, fake.document(fake.answer_document("class", finish="length", counts=fake.usage(10, 4))))
    assert (cut.tokens_in, cut.tokens_out, cut.answer) == (10, 4, "class")


@pytest.mark.parametrize("reply", [fake.hang(), fake.events(*[fake.chunk("word ")] * 300, pause=0.1)])
def test_a_server_that_hangs_or_trickles_is_left(server, reply):
    server.play(reply, reply)
    heard = []
    one = OpenAiClient("fake-coder", server.url, fake.KEY, retry=Retry(longest_try=0.6, sleep=lambda _: None))
    began = time.monotonic()
    with pytest.raises(ModelError) as caught:
        one.chat(PROMPT, 1, heard.append)
    assert caught.value.reason == "timeout"
    assert time.monotonic() - began < 15.0
    assert len(server.calls) == 2


def test_nobody_listens_on_the_port():
    with FakeOpenAi() as server:
        url = server.url
    with pytest.raises(ModelError, match="start the server") as caught:
        OpenAiClient("m", url, retry=Retry(sleep=lambda _: None)).chat(PROMPT, 1)
    assert caught.value.reason == "network"


def test_a_seed_that_is_refused_is_left_out(server):
    server.play(fake.error(400, "Unrecognized request argument: seed"), fake.text("one"), fake.text("two"))
    one = client(server)
    assert one.chat(PROMPT, 1).text == "one"
    assert one.chat(PROMPT, 1).text == "two"
    assert ["seed" in call.body for call in server.calls] == [True, False, False]


class TestKeys:
    def test_a_local_server_needs_none(self):
        with FakeOpenAi(key=None) as server:
            assert OpenAiClient("fake-coder", server.url).chat(PROMPT, 1).text == "ok"
            assert "authorization" not in server.calls[0].headers

    def test_a_local_server_may_want_one(self, server):
        assert failure(server, key=None).reason == "needs-key"

    @pytest.mark.parametrize("ask", [lambda one: one.chat(PROMPT, 1), lambda one: one.offered()])
    def test_one_elsewhere_is_not_even_asked_without(self, ask):
        with pytest.raises(ModelError) as caught:
            ask(OpenAiClient("m", "https://models.invalid/v1"))
        assert caught.value.reason == "needs-key"

    @pytest.mark.parametrize("key", ["sk-12\n3456", "sk-123456 7", "schl\u00fcssel"])
    def test_one_that_cannot_be_sent_is_not_quoted(self, server, key):
        error = failure(server, key=key)
        assert error.reason == "wrong-key"
        assert key not in str(error)
        assert server.calls == []

    def test_space_around_one_is_not_part_of_it(self, server):
        assert client(server, key=f" {fake.KEY}\n").chat(PROMPT, 1).text

    def test_one_is_never_shown(self, server):
        server.play(fake.text(f"your key is {fake.KEY}"))
        heard = []
        answer = client(server).chat(PROMPT, 1, heard.append)
        assert answer.text == "your key is [key]"
        assert not any(fake.KEY in text for text in heard)
        assert fake.KEY not in repr(client(server)) + str(client(server).parameters) + client(server).name


def test_proxies_of_the_environment_do_not_get_local_calls(server, monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "socks5://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert client(server).chat(PROMPT, 1).text


def test_a_proxy_that_cannot_be_used_is_told_as_such(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    with pytest.raises(ModelError, match="proxy") as caught:
        OpenAiClient("m", "https://models.invalid/v1", "sk-123456789", retry=Retry(attempts=1)).chat(PROMPT, 1)
    assert caught.value.reason == "network"


@pytest.mark.parametrize("on_text", [None, lambda _: None])
def test_an_answer_without_an_end_is_left(server, monkeypatch, on_text):
    monkeypatch.setattr(openai_compatible, "MAX_BODY", 3000)
    server.play(*[fake.text("word " * 1000)] * 4)
    with pytest.raises(ModelError) as caught:
        client(server).chat(PROMPT, 1, on_text)
    assert caught.value.reason == "bad-response"


def test_models_are_listed(server):
    assert client(server).offered() == ("fake-chat", "fake-coder")
    assert server.calls[0].method == "GET"
    server.play(fake.document([{"id": "b"}, {"id": "a"}, {"name": "c"}, 3]))
    assert client(server).offered() == ("a", "b")


@pytest.mark.parametrize(("reply", "reason"), [
    (fake.error(401), "wrong-key"), (fake.raw(404, b"no"), "no-model"), (fake.document({"data": 3}), "bad-response"),
    (fake.raw(200, b"<html>"), "bad-response"), (fake.drop(), "network"),
])
def test_a_list_of_models_may_be_missing(server, reply, reason):
    server.play(*[reply] * 4)
    with pytest.raises(ModelError) as caught:
        client(server).offered()
    assert caught.value.reason == reason


def test_threads_share_a_client(server):
    one, answers = client(server), []
    threads = [threading.Thread(target=lambda: answers.append(one.chat(PROMPT, 1).text)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == ["You write Python.|Rock.\n\nWrite."] * 8


def test_texts_that_are_no_unicode_are_sent(server):
    answer = client(server).chat(Prompt("", (PromptPart("a", "half \ud800"),), "1"), 1)
    assert answer.text == "|half ?"
    assert [message["role"] for message in server.calls[0].body["messages"]] == ["user"]


def test_a_url_must_be_one():
    with pytest.raises(UsageError, match="http"):
        OpenAiClient("m", "localhost:11434")


@pytest.mark.parametrize(("value", "seconds"), [
    ("3", 3.0), ("1.5", 1.5), ("", None), ("soon", None), ("-1", None), ("999999999", 86_400.0),
    ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
])
def test_retry_after(value, seconds):
    assert retry_after({"retry-after": value}) == seconds


def test_retry_after_a_date():
    soon = datetime.now(UTC) + timedelta(seconds=60)
    assert 55 < retry_after({"retry-after": format_datetime(soon, usegmt=True)}) <= 60
