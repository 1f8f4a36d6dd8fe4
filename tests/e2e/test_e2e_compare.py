"""The Compare page in a real browser: what is compared, choices that are in the link, saved files, the form."""

import pytest

from csro_core.experiments.requests import KIND, for_experiment, request_key
from csro_core.store import open_store
from csro_core.store.codec import to_json
from csro_core.store.experiments import ExperimentTable
from csro_core.store.pictures import PictureTable
from tests.app.fake_comparison import add_experiment, comparison
from tests.e2e.axe_checks import COLOURS, EVERYTHING, faults
from tests.e2e.harness import server, settle

pytestmark = pytest.mark.e2e

CURVES = ".st-key-compare_curves_box .js-plotly-plot"


@pytest.fixture(scope="module")
def compared(tmp_path_factory, _browser_there):
    """A dashboard over an experiment that is done and compared, and one of which a part has failed; (server, ids)."""
    path = tmp_path_factory.mktemp("e2e") / "compare.sqlite"
    store = open_store(path)
    done = add_experiment(store)
    request = for_experiment(store, ExperimentTable(store.connections, store.clock).find(done))
    pictures, key = PictureTable(store.connections, store.clock), request_key(store, request)
    pictures.ask(key, KIND, to_json(request), lambda: None)
    pictures.finish(pictures.take(key), to_json(comparison(store, done)))
    part = add_experiment(store, ("done", "waiting", "failed"), name="half way")
    store.close()
    with server(path) as running:
        yield running, done, part


@pytest.mark.parametrize(("dark", "size"), [(False, (1280, 900)), (True, (1920, 1080))])
def test_a_comparison_is_drawn_and_its_link_shows_the_same(compared, open_page, dark, size):
    running, done, _ = compared
    page = open_page(dark, size).page
    page.goto(f"{running.url}/compare?experiment={done}")
    settle(page)
    page.wait_for_selector(CURVES)
    page.get_by_text("linear-refinement is ahead of best-of-n by").first.wait_for()
    page.get_by_text("iterations", exact=True).click()
    page.wait_for_url("**axis=iterations*")
    page.get_by_text("Unequal cost: median 1 / 10 / 10 / 30 calls").wait_for()
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    again = open_page(dark, size).page
    again.goto(page.url)
    settle(again)
    again.get_by_text("Unequal cost: median").wait_for()
    again.wait_for_selector(".st-key-compare_cross_box .heatmaplayer", state="attached")


@pytest.mark.parametrize(("dark", "rules"), [(False, EVERYTHING), (True, COLOURS)], ids=["light", "dark"])
def test_a_comparison_has_no_serious_fault(compared, open_page, axe, dark, rules):
    running, done, part = compared
    page = open_page(dark).page
    found = []
    for experiment in (done, part):
        page.goto(f"{running.url}/compare?experiment={experiment}")
        settle(page)
        found += faults(page, axe, experiment, rules)
    assert found == [], "\n".join(found)


def test_curves_are_saved_in_the_browser(compared, open_page, tmp_path):
    running, done, _ = compared
    page = open_page().page
    page.goto(f"{running.url}/compare?experiment={done}")
    settle(page)
    page.wait_for_selector(f"{CURVES} .scatterlayer .trace", state="attached")
    page.wait_for_selector(f"{CURVES} .modebar-btn", state="attached")
    for button, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as waiting:
            page.locator(".st-key-foot_compare_curves").get_by_role("button", name=button).click()
        waiting.value.save_as(tmp_path / button)
        assert (tmp_path / button).read_bytes().startswith(begins)


def test_the_table_is_saved(compared, open_page, tmp_path):
    running, done, _ = compared
    page = open_page().page
    page.goto(f"{running.url}/compare?experiment={done}")
    settle(page)
    for button, holds in (("CSV", "linear-refinement"), ("LaTeX", r"\toprule"), ("Markdown", "| ")):
        with page.expect_download() as waiting:
            page.locator(".st-key-foot_compare_table").get_by_role("button", name=button, exact=False).first.click()
        waiting.value.save_as(tmp_path / button)
        assert holds in (tmp_path / button).read_text(encoding="utf-8")


def test_the_grid_opens_a_run_and_says_why_another_failed(compared, open_page):
    running, _, part = compared
    page = open_page().page
    page.goto(f"{running.url}/compare?experiment={part}")
    settle(page)
    page.get_by_text("no connection to the model's server").wait_for()
    page.get_by_role("button", name="Retry zero-shot, seed 2").wait_for()
    page.get_by_role("button", name="0 done").first.click()
    page.wait_for_url("**run=*")
    page.get_by_text("half way zero-shot 0").first.wait_for()


def test_the_form_makes_an_experiment(compared, open_page):
    running, _, part = compared
    page = open_page().page
    page.goto(f"{running.url}/compare?experiment={part}")
    settle(page)
    page.get_by_role("button", name="New experiment").click()
    page.get_by_text("best-of-n was added").wait_for()
    page.get_by_label("Name", exact=True).fill("made in a browser")
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_text("not started").wait_for()
    settle(page)
    assert page.get_by_role("button", name="planned").count() == 20
