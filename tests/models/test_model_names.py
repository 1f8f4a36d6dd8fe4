"""Names of models: taken apart without a network or a key."""

import pytest

from csro_core.errors import UsageError
from csro_core.models.names import ModelName, is_loopback, parse_name, usual_url

LOCAL = "http://127.0.0.1:11434/v1"


def parse(name):
    return parse_name(name, "gemini-default")


@pytest.mark.parametrize(("name", "parsed"), [
    ("synthesiser", ModelName("synthesiser")),
    ("synthesiser:equilibrium", ModelName("synthesiser", "equilibrium")),
    ("gemini", ModelName("gemini", "gemini-default")),
    ("gemini:gemini-3.8-flash", ModelName("gemini", "gemini-3.8-flash")),
    ("gemini:models/gemini-3.8-flash", ModelName("gemini", "gemini-3.8-flash")),
    (f"openai:qwen2.5-coder:1.5b@{LOCAL}", ModelName("openai", "qwen2.5-coder:1.5b", LOCAL)),
    ("openai:meta-llama/llama-4:free@https://openrouter.ai/api/v1/",
     ModelName("openai", "meta-llama/llama-4:free", "https://openrouter.ai/api/v1")),
    ("openai:@cf/llama@https://API.example.com/v1", ModelName("openai", "@cf/llama", "https://api.example.com/v1")),
    ("openai:m@http://localhost:1", ModelName("openai", "m", "http://localhost:1/v1")),
    ("recorded:3f2a", ModelName("recorded", "3f2a")),
    ("recorded:my first run", ModelName("recorded", "my first run")),
])
def test_good_names(name, parsed):
    assert parse(name) == parsed
    assert parse(str(parsed)) == parsed


@pytest.mark.parametrize("name", ["gpt", "", "Synthesiser", "synthesiser:x", "Gemini:x", "claude:x", ":", "openai"])
def test_an_unknown_name_lists_the_known_ones(name):
    known = r"unknown model .*known models: synthesiser, .*gemini:MODEL, openai:MODEL@BASE"
    with pytest.raises(UsageError, match=known):
        parse(name)


@pytest.mark.parametrize(("name", "says"), [
    ("gemini:", "gemini:MODEL needs"), ("gemini:a b", "gemini:MODEL needs"), ("gemini:../x", "gemini:MODEL needs"),
    ("openai:", "openai:MODEL@BASE_URL needs"), ("openai:m", "openai:MODEL@BASE_URL needs"),
    ("openai:@http://x", "openai:MODEL@BASE_URL needs"), ("openai:m@localhost:1", "openai:MODEL@BASE_URL needs"),
    ("openai:m@http://", "must be http"), ("openai:m@http://x:99999", "must be http"),
    ("openai:m@http://x/a b", "must be http"), ("openai:m@http://x\n", "needs"), ("recorded:", "recorded:RUN needs"),
    ("recorded: ", "recorded:RUN needs"), ("recorded:a\nb", "recorded:RUN needs"),
])
def test_a_bad_parameter_is_said(name, says):
    with pytest.raises(UsageError, match=says):
        parse(name)


@pytest.mark.parametrize("url", [
    "https://user:sk-secret-1@example.com/v1", "https://sk-secret-1@example.com", "https://example.com?key=sk-secret-1",
    "https://example.com/v1#sk-secret-1", "https://a:sk-secret-1@[bad/v1",
    "https://a:sk-secret-1@https://example.com/v1", "https://a@sk-secret-1@http://example.com/v1",
])
def test_a_secret_in_a_url_is_refused_and_not_repeated(url):
    with pytest.raises(UsageError) as caught:
        parse(f"openai:m@{url}")
    assert "sk-secret-1" not in str(caught.value)


@pytest.mark.parametrize(("url", "usual"), [
    ("http://localhost:11434", "http://localhost:11434/v1"), ("http://localhost:11434/", "http://localhost:11434/v1"),
    ("http://LocalHost:11434/v1/chat/completions", "http://localhost:11434/v1"),
    ("https://openrouter.ai/api/v1/", "https://openrouter.ai/api/v1"), ("http://[::1]:8080", "http://[::1]:8080/v1"),
])
def test_urls_as_people_paste_them(url, usual):
    assert usual_url(url) == usual
    assert usual_url(usual) == usual


@pytest.mark.parametrize(("url", "local"), [
    (LOCAL, True), ("http://localhost/v1", True), ("http://[::1]/v1", True), ("http://127.9.9.9:1", True),
    ("http://localhost.:1/v1", True), ("http://llm.localhost/v1", True), ("https://localhost.example.com/v1", False),
    ("http://127.0.0.1.example.com", False), ("http://10.0.0.1/v1", False), ("http://0.0.0.0/v1", False),
])
def test_loopback(url, local):
    assert is_loopback(url) is local
