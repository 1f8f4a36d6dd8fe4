import pytest
from chat_client_contract import ChatClientContract

from csro_core.models.gemini import GeminiClient
from csro_core.models.openai_compatible import OpenAiClient
from csro_core.models.retry import Retry
from tests.models import fake_gemini, fake_openai

RETRY = Retry(attempts=2, sleep=lambda _: None)


class OpenAi:
    key = fake_openai.KEY

    def server(self, answer):
        return fake_openai.FakeOpenAi(lambda body: answer(fake_openai.prompt_of(body)))

    def client(self, server, key=None, model=None):
        return OpenAiClient(model or "fake-coder", server.url, self.key if key is None else key, retry=RETRY)

    def fail(self, server, how):
        replies = {
            "busy": fake_openai.error(503), "drop": fake_openai.drop(), "garbage": fake_openai.raw(200, b"<html>"),
            "nothing": fake_openai.document(fake_openai.answer_document("")),
        }  # fmt: skip
        server.play(*[replies[how]] * RETRY.attempts)


class Gemini:
    key = fake_gemini.KEY

    def server(self, answer):
        return fake_gemini.FakeGemini(lambda body: answer(fake_gemini.prompt_of(body)))

    def client(self, server, key=None, model=None):
        key = self.key if key is None else key
        return GeminiClient(model or "gemini-3.8-flash", key, base_url=server.url, retry=RETRY)

    def fail(self, server, how):
        empty = fake_gemini.answer_document("")
        replies = {
            "busy": fake_gemini.error(503, "UNAVAILABLE", "busy"), "drop": fake_gemini.drop(),
            "garbage": fake_gemini.raw(200, b"<html>"), "nothing": fake_gemini.document(empty),
        }  # fmt: skip
        server.play(*[replies[how]] * RETRY.attempts)


@pytest.mark.parametrize("provider", [OpenAi(), Gemini()], ids=["openai", "gemini"])
class TestChatClients(ChatClientContract):
    pass
