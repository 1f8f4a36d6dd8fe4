"""A `ChatClient` and an `AnswerBook` with canned answers, for tests of what stands above them."""

from collections import deque

from csro_core.errors import ModelError
from csro_core.models.base import request_key
from csro_core.models.chat import ChatAnswer, Prompt, PromptPart, Usage

ANSWER = "Plays rock for ever.\n\n```python\nclass Policy:\n    def act(self, obs):\n        return 0\n```\n"
SOURCE = "class Policy:\n    def act(self, obs):\n        return 0\n"

USAGE = Usage(100, 40, 20, 30)


def render(request):
    """A prompt that tells requests apart."""
    parts = (PromptPart("rules", request.rules), PromptPart("task", f"{request.task} {request.sample}"))
    return Prompt(request.contract, parts, "7")


class CannedClient:
    """Answers from a queue, else with `answer`; keeps what it was asked."""

    name = "openai:canned@http://localhost:1/v1"
    title = "canned at localhost:1"

    def __init__(self, *queue, answer=ANSWER, usage=USAGE):
        self.queue, self.answer, self.usage = deque(queue), answer, usage
        self.parameters = {"max_tokens": 100}
        self.asked = []

    def chat(self, prompt, sample, on_text=None):
        self.asked.append((prompt, sample))
        said = self.queue.popleft() if self.queue else self.answer
        if isinstance(said, ModelError):
            raise said
        if on_text is not None:
            on_text(said[:5])
            on_text(said)
        return ChatAnswer(said, self.usage, "canned-001")

    def offered(self):
        return ("canned",)


class DictBook(dict):
    """Recorded answers by request."""

    def record(self, request, answer):
        self[request_key(request)] = answer
        return self

    def find(self, key):
        return self.get(key)
