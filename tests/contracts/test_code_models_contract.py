import pytest
from code_model_contract import CodeModelContract

from csro_core.errors import ModelError
from csro_core.models.language import LanguageModel
from csro_core.models.prices import FREE, Price
from csro_core.models.recorded import RecordedModel
from csro_core.models.synthesiser import Synthesiser
from tests.models.chat_doubles import ANSWER, CannedClient, DictBook, render
from tests.models.model_requests import request


@pytest.fixture
def asked():
    return request(5)


class TestSynthesiser(CodeModelContract):
    @pytest.fixture
    def model(self):
        return Synthesiser()


class TestRecordedModel(CodeModelContract):
    @pytest.fixture
    def model(self, asked):
        return RecordedModel("recorded:abc", "answers recorded in run abc", DictBook().record(asked, ANSWER))


class OtherSamplesFail(CannedClient):
    def chat(self, prompt, sample, on_text=None):
        if sample != 5:
            raise ModelError("quota", "Only one answer is paid for.")
        return super().chat(prompt, sample, on_text)


@pytest.mark.parametrize("price", [None, FREE, Price(1.0, 0.1, 10.0)], ids=["unpriced", "free", "paid"])
class TestLanguageModel(CodeModelContract):
    @pytest.fixture
    def model(self, price):
        return LanguageModel(OtherSamplesFail(), render, price, "7")
