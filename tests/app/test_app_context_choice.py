"""The form's choice of what the model sees of the opponents."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_pages import SHELL


def new_run(opponents="support"):
    test = AppTest.from_file(SHELL, default_timeout=30)
    test.session_state["new_run_wanted"] = True
    test.session_state["new_opponents"] = opponents
    return test.run()


def test_it_is_kept_with_the_run(store):
    before = {run.id for run in store.runs()}
    test = new_run()
    test.selectbox(key="new_context").set_value("summary").run()
    test.selectbox(key="new_opponents").set_value("top5").run()
    test.button(key="create").click().run()
    assert not test.exception
    settings = next(run.settings for run in store.runs() if run.id not in before)
    assert (settings.context, settings.opponents) == ("summary", "top5")


@pytest.mark.parametrize("typed", ["0", "many"])
def test_what_is_neither_a_word_nor_a_number_is_one_sentence(store, typed):
    test = new_run(typed)
    assert not test.exception
    assert "a number from 1 to 100" in test.error[0].value
    assert test.button(key="create_disabled").disabled
