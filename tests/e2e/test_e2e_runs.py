"""The Runs page in a browser: a row is selected by a click; rename, delete, undo, resume, and the form filled in."""

import pytest

from csro_core.store import open_store
from csro_core.store.labels import RunLabels
from tests.app import app_pages
from tests.app.fake_run import demo_store
from tests.e2e.harness import server, settle

pytestmark = pytest.mark.e2e

EVIL = '<img src="http://evil.example/x"> [x](http://evil.example) **b**'


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """A dashboard over two runs, one of them stopped."""
    path = tmp_path_factory.mktemp("runs") / "runs.sqlite"
    store = demo_store(path)
    store.acquire(app_pages.run_id(store, "demo rps"), "test").release("stopped", "somebody asked for it")
    store.close()
    with server(path) as running:
        yield running


def select_row(page, row):
    table = page.locator("[data-testid=stDataFrame]").first
    table.locator("canvas").first.wait_for(state="attached")
    grid = table.bounding_box()
    page.mouse.click(grid["x"] + 15, grid["y"] + 35 * (row + 1.5))


def test_a_run_is_selected_renamed_deleted_and_taken_back(listed, open_page):
    store = open_store(listed.store)
    page = open_page(size=(1280, 1400)).page
    page.goto(listed.url)
    settle(page)
    page.get_by_role("link", name="Runs", exact=True).click()
    page.wait_for_url("**/runs*")
    settle(page)
    place = [run.name for run in store.runs()].index("demo rps")
    select_row(page, place)
    page.wait_for_url("**picked=*")
    settle(page)
    page.get_by_role("button", name="Resume").wait_for()  # it was stopped
    page.get_by_label("Name", exact=True).fill(EVIL)
    page.get_by_label("Note", exact=True).fill("a note")
    page.get_by_role("button", name="Save").click()
    page.locator(".csro-head .title", has_text="evil.example").first.wait_for()
    settle(page)
    assert {run.name for run in store.runs()} == {EVIL, "demo matrix"}
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Undo").wait_for()
    settle(page)
    assert [run.name for run in store.runs()] == ["demo matrix"]
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").wait_for(state="detached")
    settle(page)
    assert {run.name for run in store.runs()} == {EVIL, "demo matrix"}
    page.get_by_role("button", name="Same but with").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Filled in with the settings of").wait_for()
    settle(page)
    dialog.get_by_role("button", name="Create", exact=True).click()
    dialog.wait_for(state="detached")
    settle(page)
    assert len(store.runs()) == 3
    assert store.runs()[0].settings == store.run(EVIL).settings


def test_a_link_opens_the_same_list(listed, open_page):
    store = open_store(listed.store)
    matrix = store.run("demo matrix").id
    RunLabels(store.connections).archive(matrix)
    page = open_page().page
    page.goto(f"{listed.url}/runs?find=pennies+matrix&archived=1&picked={matrix}")
    settle(page)
    page.get_by_text("None of").or_(page.get_by_role("button", name="Take out of the archive")).first.wait_for()
    page.goto(f"{listed.url}/runs?find=matrix&archived=1&picked={matrix}")
    settle(page)
    page.get_by_role("button", name="Take out of the archive").wait_for()
    page.get_by_text("1 of", exact=False).first.wait_for()
    page.get_by_role("button", name="Take out of the archive").click()
    page.get_by_role("button", name="Archive", exact=True).wait_for()
    assert not store.run(matrix).archived
