import json
from dataclasses import replace

import pytest
from chat_doubles import ANSWER, SOURCE, CannedClient, render
from model_requests import request

from csro_core.errors import ModelError
from csro_core.models.chat import Prompt
from csro_core.models.gemini import GeminiClient
from csro_core.models.language import LanguageModel
from csro_core.models.openai_compatible import OpenAiClient
from csro_core.models.prices import FREE, Price
from tests.models import fake_gemini, fake_openai

PRICE = Price(1.0, 0.1, 10.0)


def test_a_request_goes_out_in_words_and_comes_back_as_a_program():
    client = CannedClient()
    completion = LanguageModel(client, render, PRICE).write(request(5))
    assert client.asked == [(render(request(5)), 5)]
    assert (completion.source, completion.idea, completion.problem) == (SOURCE, "Plays rock for ever.", "")
    assert completion.answer == ANSWER
    assert Prompt.from_text(completion.prompt) == render(request(5))
    assert (completion.tokens_in, completion.tokens_out) == (100, 50)
    assert (completion.tokens_cached, completion.tokens_thinking) == (40, 30)
    # 60 * 1 + 40 * 0.1 + 50 * 10 = 564 millionths
    assert completion.usd == pytest.approx(0.000564, abs=1e-12)
    assert not completion.cached


def test_an_answer_without_a_program_costs_all_the_same():
    completion = LanguageModel(CannedClient("I cannot."), render, PRICE).write(request(5))
    assert completion.source == ""
    assert "no Python program" in completion.problem
    assert completion.answer == "I cannot."
    assert completion.usd > 0


def test_a_summary_is_prose_and_misses_no_program():
    told = replace(request(5), task="summarise")
    completion = LanguageModel(CannedClient("It plays rock."), render, PRICE).write(told)
    assert (completion.answer, completion.source, completion.problem) == ("It plays rock.", "", "")


@pytest.mark.parametrize(("price", "usd", "free"), [(None, None, False), (FREE, 0.0, True)])
def test_unknown_prices_are_not_free(price, usd, free):
    model = LanguageModel(CannedClient(), render, price)
    assert model.write(request(5)).usd == usd
    assert model.free is free
    assert not LanguageModel(CannedClient(), render, PRICE).free


def test_failures_of_the_client_pass():
    error = ModelError("quota", "Nothing left.", 3, 4)
    with pytest.raises(ModelError) as caught:
        LanguageModel(CannedClient(error), render, PRICE).write(request(5))
    assert caught.value is error


def test_an_answer_that_was_cut_off_after_its_program_gives_it():
    error = ModelError("truncated", "Cut off.", 100, 50, f"{ANSWER}And so", 30)
    completion = LanguageModel(CannedClient(error), render, PRICE).write(request(5))
    assert (completion.source, completion.cut_off, completion.problem) == (SOURCE, True, "")
    assert completion.answer == f"{ANSWER}And so"
    assert (completion.tokens_in, completion.tokens_out, completion.tokens_thinking) == (100, 50, 30)
    # 100 * 1 + 50 * 10 millionths
    assert completion.usd == pytest.approx(0.0006, abs=1e-12)


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("cut", [f"{ANSWER}And so", ANSWER[:-20]])
@pytest.mark.parametrize("provider", ["gemini", "openai"])
def test_real_clients_bring_what_there_is_of_a_cut_answer(provider, cut, streamed):
    fake = fake_gemini if provider == "gemini" else fake_openai
    with fake_gemini.FakeGemini() if provider == "gemini" else fake_openai.FakeOpenAi() as server:
        server.play(fake.text(cut, finish="MAX_TOKENS" if provider == "gemini" else "length"))
        if provider == "gemini":
            client = GeminiClient("gemini-3.8-flash", fake.KEY, base_url=server.url)
        else:
            client = OpenAiClient("fake-coder", server.url, fake.KEY)
        model = LanguageModel(client, render, PRICE)
        on_text = (lambda text: None) if streamed else None
        if cut.startswith(ANSWER):
            completion = model.write(request(5), on_text)
            assert (completion.source, completion.cut_off, completion.tokens_out) == (SOURCE, True, 7)
        else:
            with pytest.raises(ModelError, match="cut off"):
                model.write(request(5), on_text)
        assert len(server.calls) == 1


@pytest.mark.parametrize(("reason", "answer", "task"), [
    ("truncated", "```python\nclass Policy:\n    def act(self, obs):\n        ret", "propose"),
    ("truncated", f"{ANSWER}And so", "summarise"),
    ("blocked", f"{ANSWER}And so", "propose"),
])
def test_other_failures_stay_what_they_are(reason, answer, task):
    error = ModelError(reason, "Cut off.", 100, 50, answer)
    with pytest.raises(ModelError) as caught:
        LanguageModel(CannedClient(error), render, PRICE).write(replace(request(5), task=task))
    assert caught.value is error


def test_the_identity_is_all_that_decides_an_answer():
    client = CannedClient()
    model = LanguageModel(client, render, PRICE, "abc")
    expected = {"model": client.name, "parameters": {"max_tokens": 100}, "prompt": "abc"}
    assert json.loads(model.identity) == expected
    other = CannedClient()
    other.parameters = {"max_tokens": 101}
    assert LanguageModel(other, render, PRICE, "abc").identity != model.identity
    assert LanguageModel(client, render, PRICE, "abd").identity != model.identity
    assert LanguageModel(client, render, None, "abc").identity == model.identity
