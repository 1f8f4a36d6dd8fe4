"""The link of what is shown: the page's own part of the address, and nothing of other pages."""

import pytest

from app import address, experiments, pictures
from csro_core.seeds import Seed
from tests.app.app_pages import app, run_id
from tests.app.fake_comparison import add_experiment, plan

BASE = "http://127.0.0.1:8501"


@pytest.fixture
def browser(monkeypatch):
    """A browser that says on which page it is, and no processes."""
    monkeypatch.setattr(address, "_page", lambda: BASE)
    monkeypatch.setattr(pictures, "keep_worked_on", lambda key, command="picture", anew=False: None)
    monkeypatch.setattr(experiments, "_start", lambda record: None)


def links(test) -> list[str]:
    return [code.value for code in test.code if code.value.startswith(BASE)]


def test_a_run_with_its_iteration(store, browser):
    run = run_id(store, "demo rps")
    assert links(app(run=run, iteration="1", find="a word", tour="off")) == [f"{BASE}?run={run}&iteration=1"]


def test_an_experiment_also_where_the_address_names_none(store, browser):
    experiment = add_experiment(store, chosen=plan(seeds=(Seed("0"),)))
    assert links(app("views/compare.py", axis="iterations", run=run_id(store, "demo rps"))) == [
        f"{BASE}?experiment={experiment}&axis=iterations"
    ]


def test_there_is_none_where_nothing_is_compared_or_the_browser_tells_no_page(store, browser, monkeypatch):
    assert links(app("views/compare.py")) == []
    monkeypatch.setattr(address, "_page", str)
    assert not [code for code in app().code if "?" in code.value]
