"""What goes wrong on the way, with the real SDK against a loopback server: the reason, and how often it is asked."""

import traceback
import warnings

import pytest

from csro_core.errors import ModelError
from csro_core.models.chat import Usage
from csro_core.models.gemini import GeminiClient
from tests.models import fake_gemini as fake
from tests.models.fake_gemini import KEY, FakeGemini
from tests.models.gemini_calls import MODEL, PROMPT, STREAMED, failure, hears

# Failures that are worth another try.


@STREAMED
@pytest.mark.parametrize(
    "reply",
    [
        fake.error(500, "INTERNAL", "An internal error has occurred."),
        fake.error(503, "UNAVAILABLE", "The model is overloaded."),
        fake.error(504, "DEADLINE_EXCEEDED", "Deadline expired."),
        fake.raw(502, b"<html><h1>Bad gateway</h1></html>", "text/html"),
        fake.raw(200, b'{"candidates": [{"con'),
        fake.raw(200, b"<html>hotel login</html>", "text/html"),
        fake.raw(200, b""),
        fake.raw(200, b"[]"),
        fake.raw(200, b'"x"'),
        fake.raw(200, b'{"candidates": 5}'),
        fake.drop(),
        fake.short_body(),
        fake.document(fake.answer_document()),
        fake.document(fake.answer_document("")),
        fake.document(fake.answer_document("\n ")),
        fake.document(fake.answer_document("half", finish=None)),
        fake.document({"usageMetadata": fake.usage()}),
        fake.text("cut", finish="OTHER"),
        fake.text("cut", finish="MALFORMED_RESPONSE"),
    ],
    ids=[
        "500", "503", "504", "html-502", "broken-json", "html", "empty-body", "list", "string", "wrong-type",
        "dropped", "cut-body", "no-parts", "empty-text", "blank-text",
        "no-finish", "no-candidate", "other", "malformed",
    ],
)
def test_a_failure_that_passes_is_followed_by_the_answer(server, client, waits, reply, named):
    server.play(reply, fake.text("fine"))
    answer = client.chat(PROMPT, 1, **named)
    assert (answer.text, answer.tries) == ("fine", 2)
    assert waits == [1.0]


def test_a_stream_that_is_cut_starts_again_and_its_tokens_are_counted(server, client):
    server.play(
        fake.events(fake.answer_document("half ", finish=None, counts=fake.usage(11, 3, 20)), cut=True),
        fake.events(fake.answer_document("whole", counts=fake.usage(11, 7, 5))),
    )
    texts = []
    answer = client.chat(PROMPT, 1, **hears(texts))
    assert texts == ["half ", "whole"]
    assert answer.text == "whole"
    assert answer.usage == Usage(prompt=22, output=10, thinking=25)


def test_an_error_in_the_middle_of_a_stream(server, client):
    overloaded = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}
    server.play(fake.events(fake.answer_document("half ", finish=None), overloaded))
    assert client.chat(PROMPT, 1, **hears([])).tries == 2


def test_the_servers_delay_is_waited_for(server, client, waits):
    server.play(fake.over_quota("Minute", "17.5s"), fake.over_quota("Minute", "0s"))
    assert client.chat(PROMPT, 1).tries == 3
    assert waits == [17.5, 2.0]  # the second is the backoff


@pytest.mark.parametrize(
    "reply",
    [
        fake.error(429, "RESOURCE_EXHAUSTED", "Please retry in 7.5s."),
        fake.error(503, "UNAVAILABLE", "busy", retry_delay="7.5s"),
        fake.raw(503, b"busy", "text/plain", {"Retry-After": "7"}),
    ],
    ids=["words", "503", "header"],
)
def test_other_forms_of_the_delay(server, client, waits, reply):
    server.play(reply)
    assert client.chat(PROMPT, 1).tries == 2
    assert [int(wait) for wait in waits] == [7]


@pytest.mark.parametrize(
    ("reply", "reason", "tries"),
    [
        (fake.error(503, "UNAVAILABLE", "The model is overloaded."), "server", 6),
        (fake.over_quota("Minute", "2s"), "rate", 6),
        (fake.drop(), "network", 6),
        (fake.raw(200, b"[]"), "bad-response", 3),
        (fake.raw(200, b"{"), "bad-response", 3),
        (fake.document(fake.answer_document()), "empty", 3),
    ],
    ids=["503", "rate", "dropped", "list", "broken-json", "no-parts"],
)
def test_a_failure_that_stays_ends_with_its_reason(server, client, waits, reply, reason, tries):
    server.play(*[reply] * 10)
    error = failure(client)
    assert error.reason == reason
    assert f"Given up after {tries} tries" in str(error)
    assert (len(server.requests), len(waits)) == (tries, tries - 1)


def test_empty_answers_are_billed(server, client):
    server.play(*[fake.document(fake.answer_document(counts=fake.usage(100, 0, 40)))] * 3)
    error = failure(client)
    assert (error.tokens_in, error.tokens_out) == (300, 120)


def test_nobody_listens(waits):
    with FakeGemini() as server:
        pass
    client = GeminiClient(MODEL, KEY, base_url=server.url, retry=waits.retry())
    error = failure(client)
    assert error.reason == "network"
    assert server.url in str(error)


# Failures that asking again cannot mend.


def limit_zero():
    return fake.error(429, "RESOURCE_EXHAUSTED", "Quota exceeded for metric: free_tier_requests, limit: 0, model: x")


def finished(reason):
    return fake.text("part of a policy", finish=reason)


@STREAMED
@pytest.mark.parametrize(
    ("reply", "reason", "words"),
    [
        (fake.over_quota("Day"), "quota", "midnight Pacific"),
        (limit_zero(), "quota", MODEL),
        (fake.wrong_key(), "wrong-key", "API key not valid"),
        (fake.error(403, "PERMISSION_DENIED", "API not enabled"), "wrong-key", "API not enabled"),
        (fake.no_model(MODEL), "no-model", "list the models"),
        (fake.error(400, "INVALID_ARGUMENT", "Thinking level is not supported"), "bad-request", "Thinking level"),
        (fake.raw(400, b'["x"]'), "bad-request", "400"),
        (fake.document({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}), "blocked", "PROHIBITED_CONTENT"),
        (finished("SAFETY"), "blocked", "SAFETY"),
        (finished("RECITATION"), "blocked", "RECITATION"),
        (finished("A_REASON_OF_2031"), "bad-response", "A_REASON_OF_2031"),
    ],
    ids=[
        "per-day", "limit-0", "wrong-key", "403", "no-model", "400", "400-list", "prompt-blocked",
        "safety", "recitation", "unknown-reason",
    ],
)
def test_a_failure_for_good_is_asked_once(server, client, waits, reply, reason, words, named):
    server.play(*[reply] * 2)
    with warnings.catch_warnings(record=True) as warned:
        # The filters of the client stay in force; whatever passes them is kept.
        error = failure(client, **named)
    assert error.reason == reason
    assert words in str(error)
    assert (len(server.requests), waits, warned) == (1, [], [])


@STREAMED
def test_all_tokens_in_thinking(server, client, named):
    server.play(fake.document(fake.answer_document(finish="MAX_TOKENS", counts=fake.usage(50, 0, 32768))))
    error = failure(client, **named)
    assert error.reason == "truncated"
    assert "32768 of thinking and 0 of text" in str(error)
    assert (error.tokens_in, error.tokens_out, error.answer) == (50, 32768, "")
    assert len(server.requests) == 1


def test_a_truncated_answer_keeps_what_there_is(server, client):
    server.play(fake.text("class Pol", finish="MAX_TOKENS", counts=fake.usage(50, 8, 4)))
    error = failure(client)
    assert (error.reason, error.answer, error.tokens_out) == ("truncated", "class Pol", 12)


@pytest.mark.parametrize("key", [None, "", "  "])
def test_without_a_key(server, key):
    client = GeminiClient(MODEL, key, base_url=server.url)
    for ask in (lambda: client.chat(PROMPT, 1), client.offered):
        with pytest.raises(ModelError, match="needs an API key") as caught:
            ask()
        assert caught.value.reason == "needs-key"
    assert server.calls == []


@pytest.mark.parametrize("key", ["two\nlines-of-a-key", "schlüssel-mit-umlaut", "two words", "auth_tokens/ephemeral"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(server, key):
    with pytest.raises(ModelError, match="copy it again") as caught:
        GeminiClient(MODEL, key, base_url=server.url).chat(PROMPT, 1)
    assert caught.value.reason == "wrong-key"
    assert key not in "".join(traceback.format_exception(caught.value))
    assert server.calls == []


def test_another_key_than_the_servers(server):
    error = failure(GeminiClient(MODEL, "some-other-key", base_url=server.url))
    assert error.reason == "wrong-key"
    with pytest.raises(ModelError) as caught:
        GeminiClient(MODEL, "some-other-key", base_url=server.url).offered()
    assert caught.value.reason == "wrong-key"


def test_a_server_that_lists_no_models_does_not_blame_the_model(waits):
    with FakeGemini(lists_models=False) as server, pytest.raises(ModelError, match="404") as caught:
        GeminiClient(MODEL, KEY, base_url=server.url, retry=waits.retry()).offered()
    assert caught.value.reason == "bad-request"


def test_the_key_does_not_follow_a_redirect(server, client):
    with FakeGemini() as elsewhere:
        server.play(fake.redirect(elsewhere.url + f"/v1/models/{MODEL}:generateContent"))
        error = failure(client)
    assert (error.reason, elsewhere.calls) == ("bad-request", [])
    assert "307" in str(error)
