"""What every `CodeModel` must hold. `test_code_models_contract.py` runs it over every one."""

import ast
from dataclasses import replace

import pytest

from csro_core.errors import ModelError
from csro_core.games.base import GameSpec
from csro_core.models.base import Completion


class CodeModelContract:
    """Inherit, and give the fixtures `model` and `asked`, a request that it answers with a policy."""

    def test_it_has_a_name_a_title_and_an_identity(self, model):
        assert model.name
        assert model.title
        assert model.identity
        assert isinstance(model.free, bool)
        assert (model.name, model.title, model.identity) == (model.name, model.title, model.identity)

    def test_it_answers_with_a_program(self, model, asked):
        completion = model.write(asked)
        assert isinstance(completion, Completion)
        assert completion.problem == ""
        classes = [part.name for part in ast.parse(completion.source).body if isinstance(part, ast.ClassDef)]
        assert "Policy" in classes
        assert completion.source.strip() in completion.answer
        assert len(completion.idea) <= 200
        assert "\n" not in completion.idea

    def test_what_an_answer_took_adds_up(self, model, asked):
        completion = model.write(asked)
        assert 0 <= completion.tokens_cached <= completion.tokens_in
        assert 0 <= completion.tokens_thinking <= completion.tokens_out
        assert completion.usd is None or completion.usd >= 0
        assert completion.usd == 0 or not model.free

    def test_equal_requests_get_equal_programs(self, model, asked):
        assert model.write(asked) == model.write(replace(asked))

    def test_what_is_heard_leads_to_the_answer(self, model, asked):
        heard = []
        completion = model.write(asked, heard.append)
        assert all(completion.answer.startswith(text) for text in heard)
        assert heard == sorted(heard, key=len)

    def test_no_answer_has_a_reason(self, model, asked):
        with pytest.raises(ModelError) as caught:
            model.write(replace(asked, game=GameSpec("no_such_game"), sample=asked.sample + 1))
        assert caught.value.reason in {"unsupported-game", "not-recorded", "quota"}
        assert str(caught.value)
