"""The main job in a real browser, from an empty store: make a run, step it, edit a policy, score it, add it, reload."""

import re
import time

import pytest

from csro_core.store import open_store
from tests.e2e.harness import server, settle

pytestmark = pytest.mark.e2e

PATIENCE = 240_000

EDIT = '''class Policy:
    """Throws what would have beaten the opponent's throw before last. Written by hand."""

    def act(self, obs):
        history = obs["opponent_history"]
        return (history[-2] + 1) % 3 if len(history) > 1 else 0
'''


@pytest.fixture
def fresh(empty_store):
    """A dashboard over a store that does not exist yet; ends what it has started."""
    with server(empty_store) as running:
        yield running
        store = open_store(empty_store)
        for run in store.runs():
            store.add_request(run.id, "stop", {})


def write(page, text: str) -> None:
    page.get_by_label("source code of the policy").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def fill_number(page, label: str, value: int) -> None:
    box = page.get_by_role("spinbutton", name=label)
    box.fill(str(value))
    box.press("Tab")
    settle(page)


def test_the_main_job_end_to_end(fresh, open_page):
    page = open_page().page
    page.goto(fresh.url)
    settle(page)
    page.get_by_role("button", name="New run").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("workflow")
    fill_number(page, "Attempts", 2)
    fill_number(page, "Episodes a cell", 4)
    dialog.get_by_role("button", name="Create", exact=True).click()
    page.locator(".csro-head .title").get_by_text("workflow").wait_for()

    page.get_by_test_id("stMainBlockContainer").get_by_role("button", name="Step").click()
    page.locator(".csro-stages").wait_for(timeout=PATIENCE)
    page.get_by_text("iteration 1/").wait_for(timeout=PATIENCE)
    page.locator(".csro-chip").get_by_text("done").wait_for(timeout=PATIENCE)
    page.wait_for_selector(".st-key-payoff_chart .heatmaplayer", state="attached")

    page.get_by_role("link", name="Policies").click()
    settle(page)
    page.get_by_text("Edit", exact=True).click()
    settle(page)
    write(page, "import os\n\n" + EDIT)
    page.get_by_role("button", name="Check").click()
    page.get_by_text("It may not run").wait_for(timeout=PATIENCE)
    page.locator(".cm-lintRange-error").first.wait_for()
    write(page, EDIT)
    page.get_by_role("button", name="Check").click()
    page.get_by_text("It passes the check").wait_for(timeout=PATIENCE)

    page.get_by_role("button", name="Score against the population").click()
    page.get_by_text("edit − parent against sigma").wait_for(timeout=PATIENCE)
    page.get_by_text("if added, sigma gives it").wait_for()
    store = open_store(fresh.store)
    run = next(run for run in store.runs() if run.name == "workflow")
    before = len(store.members(run.id))

    page.get_by_role("button", name="Add to the population").click()
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("navigation", name="policies").get_by_text("human edit").wait_for(timeout=PATIENCE)
    assert len(store.members(run.id)) == before + 1
    page.reload()
    settle(page)
    page.get_by_role("navigation", name="policies").get_by_text("human edit").wait_for()
    assert page.locator(".csro-head .title").first.inner_text().endswith("-edit")


def test_a_second_tab_sees_the_run_and_stop_acts(fresh, open_page):
    first, second = open_page().page, open_page().page
    store = open_store(fresh.store)
    first.goto(fresh.url)
    settle(first)
    first.get_by_role("button", name="New run").click()
    first.get_by_role("dialog").get_by_label("Name").fill("long")
    first.get_by_role("dialog").get_by_role("button", name=re.compile("Create and run")).click()
    first.locator(".csro-stages").wait_for(timeout=PATIENCE)
    run = next(run for run in store.runs() if run.name == "long")
    second.goto(f"{fresh.url}/?run={run.id}")
    second.locator(".csro-stages").wait_for(timeout=PATIENCE)
    began = time.monotonic()
    second.get_by_role("button", name="Stop").click()
    while store.run(run.id).status != "stopped":
        assert time.monotonic() - began < 10, store.run(run.id)
        time.sleep(0.05)
    for page in (first, second):
        page.locator(".csro-chip").get_by_text("stopped").wait_for()
