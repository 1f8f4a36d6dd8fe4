"""The Model calls page in a browser: a click on a row opens its call, texts stay letters, links lead on."""

import pytest

from tests.app import app_pages
from tests.app.fake_calls import MARKDOWN, SCRIPT, add_calls, fake_call, outcomes
from tests.app.fake_run import demo_store
from tests.e2e.harness import run_id, server, settle

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def booked(tmp_path_factory):
    """A dashboard over a run with two thousand calls, the first of them of every outcome."""
    path = tmp_path_factory.mktemp("calls") / "calls.sqlite"
    store = demo_store(path)
    many = [fake_call(number, iteration=1 + number % 4) for number in range(100, 2090)]
    add_calls(store, app_pages.run_id(store, "demo rps"), outcomes() + many)
    store.close()
    with server(path) as running:
        yield running


def test_a_click_on_a_row_opens_the_call_and_its_program(booked, open_page):
    page = open_page(size=(1280, 1400)).page
    page.goto(f"{booked.url}/?run={run_id(booked, 'demo rps')}")
    settle(page)
    page.get_by_role("link", name="Model calls").click()
    page.wait_for_url("**/calls*")
    settle(page)
    page.locator("[data-testid=stDataFrame]").wait_for()
    grid = page.locator("[data-testid=stDataFrame]").bounding_box()
    # The box at the left end of the first row, below the titles.
    page.mouse.click(grid["x"] + 15, grid["y"] + 35 * 1.5)
    page.wait_for_url("**call=*")
    settle(page)
    codes = page.locator("[data-testid=stCode]")
    codes.first.wait_for(state="attached")
    shown = "\n".join(codes.all_inner_texts())
    assert SCRIPT in shown
    assert MARKDOWN in shown
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="Open its program").click()
    page.wait_for_url("**/policies*")
    settle(page)
    page.get_by_role("radio", name="Prompt").click()
    settle(page)
    page.get_by_role("button", name="Open this call").click()
    page.wait_for_url("**/calls*")
    settle(page)
    assert "call=" in page.url


def test_a_link_to_one_call_opens_it(booked, open_page):
    watched = open_page(size=(1280, 1400))
    page = watched.page
    run = run_id(booked, "demo rps")
    page.goto(f"{booked.url}/calls?run={run}&call=3")
    settle(page)
    page.get_by_text("call 3: no program in it").wait_for()
    assert "call=3" in page.url
    page.get_by_role("button", name="later").click()
    page.wait_for_url("**call=4*")
    settle(page)
    page.get_by_text("call 4: rate").wait_for()
    # The link of a call that is gone leads to the table.
    page.goto(f"{booked.url}/calls?run={run}&call=999999")
    settle(page)
    page.get_by_text("This run has no call of that number.").wait_for()
