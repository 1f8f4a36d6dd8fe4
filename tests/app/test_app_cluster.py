"""The cluster in the dashboard: asked for in the form, given to the process that owns the run, shown on its page."""

import pytest
from app_pages import SHELL, app, html
from streamlit.testing.v1 import AppTest

from app import services
from csro_core.games.base import GameSpec
from csro_core.store.records import RunSettings
from csro_core.store.store import Store

ADDRESS = "tls://10.0.0.7:8786"
KEEP_SERVED = services.keep_served


def test_the_form_checks_the_address_before_a_run_is_made(store: Store):
    before = {run.id for run in store.runs()}
    test = AppTest.from_file(SHELL, default_timeout=60)
    test.session_state["new_run_wanted"] = True
    test.run()
    test.text_input(key="new_cluster").set_value("10.0.0.7").run()
    assert "a cluster must be given as" in test.error[0].value
    assert test.button(key="create_disabled").disabled
    test.text_input(key="new_cluster").set_value(f" {ADDRESS} ").run()
    assert not test.error
    test.button(key="create").click().run()
    assert not test.exception
    (created,) = [run for run in store.runs() if run.id not in before]
    assert created.settings.cluster == ADDRESS
    assert f"on {ADDRESS}" in html(test)


@pytest.mark.parametrize("cluster", ["", ADDRESS])
def test_the_process_that_owns_the_run_is_told(store: Store, monkeypatch: pytest.MonkeyPatch, cluster: str):
    commands: list[list[str]] = []
    monkeypatch.setattr(services, "_spawned", {})
    monkeypatch.setattr(services.subprocess, "Popen", lambda command, **_: commands.append(command))
    run = store.create_run("", RunSettings(GameSpec("repeated_rps"), cluster=cluster), 1)
    KEEP_SERVED(run)
    (command,) = commands
    assert command[-2:] == (["--cluster", ADDRESS] if cluster else ["--store", str(store.path)])


def test_a_local_run_shows_no_cluster(store: Store):
    assert "Dask" not in html(app())
