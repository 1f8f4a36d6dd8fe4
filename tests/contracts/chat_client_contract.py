"""What every `ChatClient` must hold. `test_chat_clients_contract.py` runs it over every one, with its loopback server.

A provider is described by an object with
    server(answer): a context manager that serves `answer`, a function of the prompt's user text
    client(server, key=None, model=None): a client of it, with another key or another model where one is given
    fail(server, name): makes the server's next answers all fail: "busy", "drop", "garbage", "nothing"
    key: the right one
"""

import pytest

from csro_core.errors import ModelError
from csro_core.models.chat import Prompt, PromptPart

PROMPT = Prompt("You write Python.", (PromptPart("rules", "Rock."), PromptPart("task", "Write.")), "1")


class ChatClientContract:
    """Inherit, and give a fixture `provider`."""

    @pytest.fixture
    def server(self, provider):
        with provider.server(lambda words: f"heard: {words}") as opened:
            yield opened

    @pytest.fixture
    def client(self, provider, server):
        return provider.client(server)

    def test_it_answers(self, client):
        answer = client.chat(PROMPT, 3)
        assert answer.text == "heard: Rock.\n\nWrite."
        assert answer.tries == 1
        assert answer.seconds >= 0
        assert answer.usage.prompt > 0
        assert answer.usage.output > 0
        assert answer.usage.cached <= answer.usage.prompt

    def test_a_listener_changes_nothing(self, client):
        heard = []
        answer = client.chat(PROMPT, 3, heard.append)
        assert answer.text == client.chat(PROMPT, 3).text
        assert heard
        assert heard[-1] == answer.text
        assert all(answer.text.startswith(text) for text in heard)

    def test_a_listeners_error_ends_the_call(self, client):
        def stop(_):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            client.chat(PROMPT, 3, stop)

    def test_big_samples_are_taken(self, client):
        assert client.chat(PROMPT, 2**64 - 1).text

    def test_it_has_a_name_a_title_and_parameters(self, client):
        assert client.name.partition(":")[0] in {"gemini", "openai"}
        assert client.title
        assert dict(client.parameters) == dict(client.parameters)

    def test_it_lists_models(self, provider, client, server):
        offered = client.offered()
        assert offered
        assert client.name.partition(":")[2].partition("@")[0] in offered

    @pytest.mark.parametrize(("how", "reason"), [
        ("busy", "server"), ("drop", "network"), ("garbage", "bad-response"), ("nothing", "empty"),
    ])
    def test_failures_have_the_same_names_everywhere(self, provider, server, client, how, reason):
        provider.fail(server, how)
        with pytest.raises(ModelError) as caught:
            client.chat(PROMPT, 3)
        assert caught.value.reason == reason
        assert str(caught.value)

    def test_a_wrong_key_is_named_and_not_shown(self, provider, server):
        wrong = provider.key[::-1]
        with pytest.raises(ModelError) as caught:
            provider.client(server, key=wrong).chat(PROMPT, 3)
        assert caught.value.reason == "wrong-key"
        assert wrong not in f"{caught.value!r} {caught.value}"

    def test_a_missing_key_is_named(self, provider, server):
        with pytest.raises(ModelError) as caught:
            provider.client(server, key="").chat(PROMPT, 3)
        assert caught.value.reason == "needs-key"

    def test_a_model_that_is_not_there_is_named(self, provider, server):
        with pytest.raises(ModelError) as caught:
            provider.client(server, model="no-such-model").chat(PROMPT, 3)
        assert caught.value.reason == "no-model"
