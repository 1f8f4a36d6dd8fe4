"""The Model calls page in a browser: a click on a row opens its call, and texts stay letters."""

import pytest

from csro_core.store import open_store
from tests.app.app_pages import run_id
from tests.app.fake_calls import MARKDOWN, SCRIPT, add_calls, fake_call, outcomes
from tests.app.fake_run import demo_store
from tests.e2e.harness import server, settle


@pytest.fixture(scope="module")
def with_calls(tmp_path_factory):
    """A dashboard over a run with two thousand calls, the first of them of every outcome."""
    path = tmp_path_factory.mktemp("calls") / "calls.sqlite"
    store = demo_store(path)
    many = [fake_call(number, iteration=1 + number % 4) for number in range(100, 2090)]
    add_calls(store, run_id(store, "demo rps"), outcomes() + many)
    store.close()
    with server(path) as running:
        yield running


def test_a_click_on_a_row_opens_the_call(with_calls, open_page, tmp_path):
    store = open_store(with_calls.store_path) if hasattr(with_calls, "store_path") else None
    assert store is None or store
    page = open_page(size=(1280, 1400)).page
    page.goto(f"{with_calls.url}/calls")
    settle(page)
    page.get_by_role("link", name="Model calls").click()
    settle(page)
    grid = page.locator("[data-testid=stDataFrame]").bounding_box()
    page.mouse.click(grid["x"] + 15, grid["y"] + 38 + 35 * 1.5)
    page.wait_for_url("**call=*")
    settle(page)
    page.screenshot(path="/tmp/v_shots/call.png", full_page=True)
    assert page.get_by_text(SCRIPT).first.is_visible()
    assert page.get_by_text(MARKDOWN).first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
