"""The form asks how well payoffs shall be known."""

from app_pages import SHELL
from streamlit.testing.v1 import AppTest

from csro_core.metagame.rounds import LEAST_STDERR, MOST_STDERR
from csro_core.store.store import Store


def test_the_form_asks_for_an_allocation_and_an_error(store: Store):
    before = {run.id for run in store.runs()}
    test = AppTest.from_file(SHELL, default_timeout=60)
    test.session_state["new_run_wanted"] = True
    test.run()
    assert test.number_input(key="new_payoff_stderr").disabled
    test.selectbox(key="new_allocation").set_value("adaptive").run()
    test.number_input(key="new_payoff_stderr").set_value(2.5).run()
    test.button(key="create").click().run()
    assert not test.exception
    (created,) = [run for run in store.runs() if run.id not in before]
    assert (created.settings.allocation, created.settings.payoff_stderr) == ("adaptive", 2.5)


def test_an_error_whose_square_is_no_number_cannot_be_wanted(store: Store):
    test = AppTest.from_file(SHELL, default_timeout=60)
    test.session_state["new_run_wanted"] = True
    test.run()
    test.selectbox(key="new_allocation").set_value("adaptive").run()
    field = test.number_input(key="new_payoff_stderr")
    assert (field.min, field.max) == (LEAST_STDERR, MOST_STDERR)
