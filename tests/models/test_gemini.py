"""The real SDK against a loopback server."""

import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from csro_core.errors import Cancelled, UsageError
from csro_core.models.chat import Prompt, PromptPart, Usage
from csro_core.models.gemini import GeminiClient, GeminiSettings, split_version
from tests.models import fake_gemini as fake
from tests.models.fake_gemini import KEY, FakeGemini
from tests.models.gemini_calls import MODEL, PROMPT, STREAMED, failure, hears

# Normal answers.


def test_a_whole_answer(server, client):
    answer = client.chat(PROMPT, 5)
    assert answer.text == "seen: The rules.\n\nWrite one."
    assert answer.usage == Usage(prompt=11, output=7)
    assert (answer.model, answer.tries) == ("gemini-fake-001", 1)
    (call,) = server.calls
    assert call.path == f"/v1/models/{MODEL}:generateContent"
    assert call.headers["x-goog-api-key"] == KEY
    assert fake.system_of(call.body) == "You write policies."
    assert call.body["generationConfig"] == {"maxOutputTokens": 32768, "seed": 5}


def test_tokens_are_counted_by_kind(server, client):
    server.play(fake.text("x", counts=fake.usage(prompt=900, output=50, thinking=300, cached=800)))
    assert client.chat(PROMPT, 1).usage == Usage(prompt=900, cached=800, output=50, thinking=300)


def test_a_streamed_answer_is_heard_as_it_grows_without_its_thoughts(server, client):
    thought = {"text": "secret thought", "thought": True}
    server.play(
        fake.events(
            fake.answer_document(thought, finish=None),
            fake.answer_document("one ", finish=None, counts=fake.usage(output=1)),
            fake.answer_document(thought, "two ", finish=None),
            fake.answer_document("three", counts=fake.usage(output=9, thinking=4)),
        )
    )
    texts = []
    answer = client.chat(PROMPT, 1, **hears(texts))
    assert texts == ["one ", "one two ", "one two three"]
    assert answer.text == "one two three"
    assert answer.usage == Usage(prompt=11, output=9, thinking=4)
    assert server.calls[0].path.endswith(":streamGenerateContent?alt=sse")


def test_a_listener_can_end_the_call(server, client):
    def stop(text):
        raise Cancelled

    server.play(fake.events(*[fake.answer_document("more ", finish=None)] * 100, pause=0.01))
    with pytest.raises(Cancelled):
        client.chat(PROMPT, 1, stop)
    assert len(server.requests) == 1


def test_a_seed_is_of_31_bits_and_the_same_sample_sends_the_same(server, client):
    for sample in (2**63 - 1, 2**63 - 1, 12345):
        client.chat(PROMPT, sample)
    assert [request["generationConfig"]["seed"] for request in server.requests] == [2**31 - 1, 2**31 - 1, 12345]


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        # Thinking levels and no temperature from Gemini 3 on, budgets for 2.5, neither before.
        ("gemini-4-argon", {"thinkingConfig": {"thinking_level": "LOW"}}),
        ("gemini-3.8-flash", {"thinkingConfig": {"thinking_level": "LOW"}}),
        ("models/gemini-3.5-flash-lite", {"thinkingConfig": {"thinking_level": "LOW"}}),
        ("gemini-2.5-flash", {"thinkingConfig": {"thinking_budget": 1024}, "temperature": 0.5}),
        ("gemini-2.0-flash", {"temperature": 0.5}),
    ],
)
def test_parameters_by_generation(model, sent):
    settings = GeminiSettings(thinking="low", max_output_tokens=500, temperature=0.5)
    with FakeGemini(models=(model.removeprefix("models/"),)) as server:
        GeminiClient(model, KEY, settings, base_url=server.url).chat(PROMPT, 3)
    assert server.requests[0]["generationConfig"] == sent | {"maxOutputTokens": 500, "seed": 3}


def test_a_model_of_no_known_generation_gets_neither_seed_nor_thinking():
    with FakeGemini(models=("gemma-4-31b-it",)) as server:
        GeminiClient("gemma-4-31b-it", KEY, GeminiSettings("high"), base_url=server.url).chat(PROMPT, 3)
    assert server.requests[0]["generationConfig"] == {"maxOutputTokens": 32768}


def test_parameters_are_what_is_sent():
    assert GeminiClient(MODEL, KEY).parameters == {"max_output_tokens": 32768}
    settings = GeminiSettings("medium", 9, 0.1)
    assert GeminiClient(MODEL, KEY, settings).parameters == {"max_output_tokens": 9, "thinking_level": "medium"}
    assert GeminiClient("gemini-2.5-flash", KEY, settings).parameters == {
        "max_output_tokens": 9, "thinking_budget": 8192, "temperature": 0.1,
    }


def test_a_seed_that_a_model_refuses_is_left_out(server, client):
    server.play(fake.error(400, "INVALID_ARGUMENT", "Parameter seed is not supported for this model."))
    assert client.chat(PROMPT, 4).tries == 2
    client.chat(PROMPT, 4)
    assert ["seed" in request["generationConfig"] for request in server.requests] == [True, False, False]


def test_a_seed_that_is_refused_to_many_at_once_costs_each_of_them_a_try(server, client):
    together = threading.Barrier(8, timeout=5.0)

    def refuse(handler, request, stream):
        if "seed" in request["generationConfig"]:
            together.wait()  # all of them have sent one
            fake.error(400, "INVALID_ARGUMENT", "seed is not supported")(handler, request, stream)
        else:
            fake.text("fine")(handler, request, stream)

    server.play(*[refuse] * 16)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: client.chat(PROMPT, number), range(8)))
    assert [(answer.text, answer.tries) for answer in answers] == [("fine", 2)] * 8


def test_names():
    client = GeminiClient("models/gemini-3.8-flash", KEY)
    assert (client.name, client.title) == ("gemini:gemini-3.8-flash", "gemini-3.8-flash (Gemini API)")


def test_offered_lists_what_writes_text(server, client):
    assert client.offered() == fake.MODELS


# Deadlines.


@STREAMED
def test_a_server_that_hangs_is_left_on_time(server, waits, named):
    server.play(fake.hang(20.0), fake.hang(20.0))
    client = GeminiClient(MODEL, KEY, base_url=server.url, retry=waits.retry(deadline=0.4))
    start = time.monotonic()
    error = failure(client, **named)
    assert time.monotonic() - start < 15.0
    assert error.reason == "timeout"


def test_a_server_that_drips_is_left_on_time_and_billed(server, waits):
    """Each read of this stream is quick; only their sum is late."""
    word = fake.answer_document("word ", finish=None, counts=fake.usage(11, 2, 3))
    server.play(fake.events(*[word] * 600, pause=0.05))
    client = GeminiClient(MODEL, KEY, base_url=server.url, retry=waits.retry(deadline=0.4))
    start = time.monotonic()
    error = failure(client, **hears([]))
    assert time.monotonic() - start < 15.0
    assert error.reason == "timeout"
    assert error.answer.startswith("word ")
    assert (error.tokens_in, error.tokens_out) == (11, 5)


def test_a_try_that_hangs_is_followed_by_another(server, waits):
    server.play(fake.hang(20.0))
    client = GeminiClient(MODEL, KEY, base_url=server.url, retry=waits.retry(longest_try=0.3))
    assert client.chat(PROMPT, 1).tries == 2


def test_the_timeout_that_the_server_is_told_is_never_below_its_least(server, waits):
    GeminiClient(MODEL, KEY, base_url=server.url, retry=waits.retry(deadline=3.0)).chat(PROMPT, 1)
    GeminiClient(MODEL, KEY, base_url=server.url, retry=waits.retry(longest_try=120.0)).chat(PROMPT, 1)
    assert [call.headers["x-server-timeout"] for call in server.calls] == ["10", "120"]


# Surroundings.


@pytest.mark.parametrize(
    "variables",
    [
        {name: "http://127.0.0.1:9" for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY")},
        {"ALL_PROXY": "socks5://127.0.0.1:9", "all_proxy": "socks5://127.0.0.1:9"},
        {"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "l"},
        {"GOOGLE_GENAI_USE_ENTERPRISE": "true"},
        {"GOOGLE_API_KEY": "another-key", "GEMINI_API_KEY": "a-third-key"},
        {"GOOGLE_GENAI_API_VERSION": "beta", "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9"},
        {"GOOGLE_GENAI_CLIENT_MODE": "replay", "GOOGLE_GENAI_REPLAYS_DIRECTORY": "nowhere"},
        {"GOOGLE_GENAI_HTTP_CLIENT": "httpx2"},
    ],
    ids=["proxy", "socks", "vertex", "enterprise", "keys", "version-and-url", "replay", "http-client"],
)
def test_the_environment_does_no_harm(server, client, monkeypatch, caplog, variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert client.chat(PROMPT, 1).tries == 1
    assert client.offered() == fake.MODELS
    assert server.calls[0].path == f"/v1/models/{MODEL}:generateContent"
    assert server.calls[0].headers["x-goog-api-key"] == KEY
    assert caplog.text == ""


def test_no_key_of_the_environment_is_used(server, monkeypatch):
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    assert failure(GeminiClient(MODEL, None, base_url=server.url)).reason == "needs-key"


def test_a_proxy_that_cannot_be_used_is_named(monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    error = failure(GeminiClient(MODEL, KEY, base_url="http://gemini.invalid"))
    assert error.reason == "network"
    assert "proxy" in str(error)


@pytest.mark.parametrize(
    ("given", "address", "version"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", None),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080", None),
        ("http://127.0.0.1:8080/v1beta", "http://127.0.0.1:8080", "v1beta"),
        ("https://proxy.example/gemini/v1/", "https://proxy.example/gemini", "v1"),
        ("https://v1.example/vault", "https://v1.example/vault", None),
    ],
)
def test_a_version_at_the_end_of_a_base_url(given, address, version):
    assert split_version(given) == (address, version)


def test_the_version_is_taken_from_the_base_url_unless_given(server):
    GeminiClient(MODEL, KEY, base_url=server.url + "/v1beta").chat(PROMPT, 1)
    GeminiClient(MODEL, KEY, base_url=server.url + "/v1beta", api_version="v1alpha").chat(PROMPT, 1)
    assert [call.path.split("/")[1] for call in server.calls] == ["v1beta", "v1alpha"]


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://host", "http://", "file:///etc/passwd"])
def test_a_base_url_of_another_kind_is_refused(url):
    with pytest.raises(UsageError, match="must begin with http"):
        GeminiClient(MODEL, KEY, base_url=url)


def test_a_model_without_a_name_is_refused():
    with pytest.raises(UsageError, match="needs a name"):
        GeminiClient("", KEY)


def test_many_calls_at_once_share_a_client(server, client):
    prompts = [Prompt("", (PromptPart("task", f"number {number}"),), "1") for number in range(40)]
    with ThreadPoolExecutor(20) as pool:
        whole = [pool.submit(client.chat, prompt, number) for number, prompt in enumerate(prompts)]
        streamed = [pool.submit(client.chat, prompt, 0, lambda text: None) for prompt in prompts]
        answers = [call.result().text for call in whole + streamed]
    assert answers == [f"seen: number {number}" for number in range(40)] * 2


def test_a_client_outlives_the_collection_of_garbage(server, client):
    client.chat(PROMPT, 1)
    gc.collect()
    assert client.chat(PROMPT, 1).tries == 1


def test_a_server_that_repeats_the_key_is_not_believed(server, client):
    """In an error, an answer, the stream of one, and the name of the model."""
    server.play(fake.error(400, "INVALID_ARGUMENT", f"Bad header: {KEY}"))
    assert "[key]" in str(failure(client))
    echo = fake.answer_document(f"your key is {KEY}") | {"modelVersion": KEY}
    server.play(fake.document(echo), fake.document(echo))
    texts = []
    for answer in (client.chat(PROMPT, 1), client.chat(PROMPT, 1, **hears(texts))):
        assert answer.text == "your key is [key]"
        assert KEY not in repr(answer)
    assert texts == ["your key is [key]"]
    server.play(fake.text(f"your key is {KEY}", finish="MAX_TOKENS"))
    assert failure(client).answer == "your key is [key]"
