import pytest
from model_requests import request

from csro_core.errors import ModelError, UsageError
from csro_core.games.base import GameSpec
from csro_core.models import MODELS, make_model


def test_every_registered_model_has_its_name_and_a_title():
    for name in MODELS:
        assert make_model(name).name == name
        assert make_model(name).title


def test_the_synthesiser_says_what_it_is():
    assert make_model("synthesiser").title == "synthesiser (hand-written grammar, not an LLM)"


@pytest.mark.parametrize("name", ["gpt", "", "Synthesiser", "synthesiser:x"])
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(UsageError, match="unknown model .*known models: synthesiser"):
        make_model(name)


def test_a_game_without_a_grammar_is_refused_by_name():
    with pytest.raises(ModelError, match="'no_such_game'") as caught:
        make_model("synthesiser").write(request(1, game=GameSpec("no_such_game")))
    assert caught.value.reason == "unsupported-game"
