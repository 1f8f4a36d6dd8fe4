"""What the tests of the Gemini client share: a prompt, waits that take no time, and the look for a key in an error."""

import traceback

import pytest

from csro_core.errors import ModelError
from csro_core.models.chat import Prompt, PromptPart
from csro_core.models.retry import Retry
from tests.models.fake_gemini import KEY

MODEL = "gemini-3.8-flash"
PROMPT = Prompt("You write policies.", (PromptPart("rules", "The rules."), PromptPart("task", "Write one.")), "1")


class Waits(list):
    """The waits of a client, none of which takes time."""

    def retry(self, **settings):
        return Retry(sleep=self.append, jitter=lambda: 0.0, **settings)


def failure(client, **named):
    """Returns the error of a call, after looking for the key in everything that could be printed of it."""
    with pytest.raises(ModelError) as caught:
        client.chat(PROMPT, 1, **named)
    error = caught.value
    shown = "".join(traceback.format_exception(error)) + repr(error) + str(vars(error)) + repr(client)
    assert KEY not in shown
    assert len(str(error)) < 700
    return error


def hears(texts):
    return {"on_text": texts.append}


STREAMED = pytest.mark.parametrize("named", [{}, {"on_text": lambda text: None}], ids=["whole", "streamed"])
