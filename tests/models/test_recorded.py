from dataclasses import replace

import pytest
from chat_doubles import ANSWER, SOURCE, CannedClient, DictBook, render
from model_requests import request

from csro_core.errors import ModelError
from csro_core.models.language import LanguageModel
from csro_core.models.prices import Price
from csro_core.models.recorded import RecordedModel
from csro_core.models.synthesiser import Synthesiser


def recorded(book):
    return RecordedModel("recorded:abc", "answers recorded in run abc", book)


def test_a_recorded_answer_is_read_anew():
    completion = recorded(DictBook().record(request(5), ANSWER)).write(request(5))
    assert (completion.source, completion.idea, completion.answer) == (SOURCE, "Plays rock for ever.", ANSWER)
    assert completion.cached
    assert completion.usd == 0.0


@pytest.mark.parametrize("model", [Synthesiser(), LanguageModel(CannedClient(), render, Price(1, 1, 1))])
def test_every_models_answers_can_be_recorded(model):
    book, asked = DictBook(), [request(sample) for sample in range(5)]
    given = [model.write(one) for one in asked]
    for one, completion in zip(asked, given, strict=True):
        book.record(one, completion.answer)
    again = [recorded(book).write(one) for one in asked]
    assert [completion.source for completion in again] == [completion.source for completion in given]


@pytest.mark.parametrize("other", [
    request(6), replace(request(5), task="refine"), replace(request(5), rules="Other."), replace(request(5), player=1),
])
def test_any_other_request_is_a_miss_with_a_name(other):
    with pytest.raises(ModelError, match="recorded:abc holds no answer") as caught:
        recorded(DictBook().record(request(5), ANSWER)).write(other)
    assert caught.value.reason == "not-recorded"


def test_a_recorded_summary_is_prose():
    told = replace(request(5), task="summarise")
    completion = recorded(DictBook().record(told, "It plays rock.")).write(told)
    assert (completion.answer, completion.source, completion.problem) == ("It plays rock.", "", "")
