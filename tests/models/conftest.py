"""A Gemini client over a server on loopback, for every test that wants one."""

import pytest

from csro_core.models.gemini import GeminiClient
from tests.models import fake_gemini as fake
from tests.models.fake_gemini import KEY, FakeGemini
from tests.models.gemini_calls import MODEL, Waits


@pytest.fixture(scope="module")
def running():
    with FakeGemini(lambda request: f"seen: {fake.prompt_of(request)}") as server:
        yield server


@pytest.fixture
def server(running):
    running.play()
    return running


@pytest.fixture
def waits():
    return Waits()


@pytest.fixture
def client(server, waits):
    return GeminiClient(MODEL, KEY, base_url=server.url, retry=waits.retry())
