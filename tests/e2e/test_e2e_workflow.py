"""The main job in a real browser, from an empty store: make a run, step it, edit a policy, score it, add it, reload."""

import os
import re
import signal
import time

import pytest

from csro_core.games.base import GameSpec
from csro_core.store import open_store
from csro_core.store.records import RunSettings
from tests.e2e.harness import server, settle

pytestmark = pytest.mark.e2e

STOP_SECONDS = 2.0
"""Within this time Stop acts on an idle machine; the tests allow five times as much for a busy one."""

EDIT = '''class Policy:
    """Throws what would have beaten the opponent's throw before last. Written by hand."""

    def act(self, obs):
        history = obs["opponent_history"]
        return (history[-2] + 1) % 3 if len(history) > 1 else 0
'''

SLOW = '''class Policy:
    """Thinks for a while."""

    def act(self, obs):
        return sum(1 for _ in range(400000)) % 3
'''


def make_run(running, name: str, **settings):
    """Returns the id of a new run of a short game with three seeds, and the store."""
    store = open_store(running.store)
    given = {
        "game": GameSpec("repeated_rps", {"num_throws": 100}),
        "initial": ("reference:rock", "reference:rotate", "reference:beat_last"),
        "attempts": 1,
        "episodes": 2,
    } | settings
    return store.create_run(name, RunSettings(**given), 9), store


def visit(page, url: str) -> None:
    page.goto(url)
    settle(page)


SENDING = 700
"""Milliseconds that a busy browser may take until the server hears of a text; before that nothing seems to run."""


def write(page, text: str) -> None:
    """Replaces what is in the editor, and waits until the page knows; again where a page drawn anew has lost it."""
    settle(page)
    editor = page.get_by_label("source code of the policy")
    for _ in range(3):
        editor.click()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(text)
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(SENDING)
        settle(page)
        if "".join(editor.inner_text().split()) == "".join(text.split()):
            return


def fill_number(page, label: str, value: int) -> None:
    box = page.get_by_role("spinbutton", name=label)
    box.fill(str(value))
    box.press("Tab")
    settle(page)


def chip(page, word: str):
    return page.locator(".csro-head .csro-chip").get_by_text(word, exact=True)


def wait_until(condition, seconds: float = 120.0) -> float:
    """Waits for something outside of the browser; returns how long it took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, condition
        time.sleep(0.05)
    return time.monotonic() - began


def paused_after(store, run: str) -> int:
    """Returns how many stages of the iteration under way have ended, 0 while the run is not paused."""
    if store.run(run).status != "paused":
        return 0
    return sum(stage["state"] in {"done", "failed"} for stage in store.progress(run).get("stages", []))


def wait_idle(store, run: str) -> None:
    wait_until(lambda: store.run(run).status not in {"new", "running"})


def test_the_main_job_end_to_end(fresh, open_page):
    page = open_page().page
    visit(page, fresh.url)
    page.get_by_role("button", name="New run").click()
    dialog = page.get_by_role("dialog")
    fill_number(page, "Throws a match", 100)
    fill_number(page, "Attempts", 1)
    fill_number(page, "Episodes a cell", 2)
    dialog.get_by_label("Name").fill("workflow")
    dialog.get_by_role("button", name="Create", exact=True).click()
    page.locator(".csro-head .title").get_by_text("workflow").wait_for()

    page.get_by_test_id("stSidebar").get_by_role("button", name="Step", exact=False).first.click()
    page.locator(".csro-stages").wait_for()
    chip(page, "done").wait_for()
    page.wait_for_selector(".st-key-payoff_chart .heatmaplayer", state="attached")
    page.get_by_role("table", name="attempts of iteration 1").get_by_role("button").first.click()
    page.wait_for_url("**/policies*")

    page.get_by_role("navigation", name="policies").get_by_role("button").first.click()
    page.get_by_text("Edit", exact=True).click()
    write(page, EDIT.replace("return (", "return return ("))
    page.get_by_role("button", name="Check").click()
    page.get_by_text("line 6:").wait_for()
    page.locator(".cm-lintRange-error").first.wait_for()
    write(page, EDIT)
    page.get_by_role("button", name="Check").click()
    page.get_by_text("It passes the check").wait_for()

    page.get_by_role("button", name="Score against the population").click()
    page.locator(".csro-verdict").get_by_text("edit − parent against sigma").wait_for()
    page.get_by_text("if added, sigma gives it").wait_for()
    store = open_store(fresh.store)
    run = next(run for run in store.runs() if run.name == "workflow")
    before = len(store.members(run.id))

    page.get_by_role("button", name="Add to the population").click()
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("navigation", name="policies").get_by_text("human edit").wait_for()
    assert len(store.members(run.id)) == before + 1
    # The list knows it from the store, the page as soon as the answer to its request has been collected.
    page.locator(".csro-head .title").get_by_text("-edit").wait_for()
    page.reload()
    settle(page)
    page.get_by_role("navigation", name="policies").get_by_text("human edit").wait_for()
    assert page.locator(".csro-head .title").first.inner_text().endswith("-edit")


def test_two_tabs_step_one_run_see_the_same_and_stop_acts(workshop, open_page):
    run, store = make_run(workshop, "long", attempts=10, oracle="best-of-n", episodes=8)
    tabs = [open_page().page, open_page().page]
    for page in tabs:
        visit(page, f"{workshop.url}/?run={run}")
    for page in tabs:
        # The second one may find the button disabled already: then there is nothing left to press.
        button = page.get_by_test_id("stSidebar").get_by_role("button", name="Run", exact=True)
        if button.is_enabled():
            button.click()
    for page in tabs:
        page.locator(".csro-stages").wait_for()
    tabs[1].reload()
    tabs[1].locator(".csro-stages").wait_for()
    tabs[0].get_by_test_id("stSidebar").get_by_role("button", name="Stop").click()
    assert wait_until(lambda: store.run(run).status == "stopped") < 5 * STOP_SECONDS
    for page in tabs:
        chip(page, "stopped").wait_for()
        page.get_by_text("Nothing is under way").wait_for()


def test_stop_acts_in_every_stage(workshop, open_page):
    run, store = make_run(workshop, "stages")
    page = open_page().page
    visit(page, f"{workshop.url}/?run={run}")
    # The population is played once and for all; then one more stage each time before Stop is pressed.
    for stages in range(1, 5):
        for done in range(stages):
            page.get_by_role("button", name="Smaller steps").click()
            page.get_by_text("one stage", exact=True).click()
            wait_until(lambda wanted=done + 1: paused_after(store, run) >= wanted)
            page.get_by_text("paused after one stage").wait_for()
        page.get_by_test_id("stSidebar").get_by_role("button", name="Stop").click()
        assert wait_until(lambda: store.run(run).status == "stopped") < 5 * STOP_SECONDS
        chip(page, "stopped").wait_for()
        settle(page)
    assert store.run(run).iteration == 0


def test_the_server_may_die_and_come_back_during_a_run(empty_store, open_page):
    watched = open_page()
    page = watched.page
    with server(empty_store) as first:
        run, store = make_run(first, "outlives", attempts=10, oracle="best-of-n", episodes=8)
        visit(page, f"{first.url}/?run={run}")
        page.get_by_test_id("stSidebar").get_by_role("button", name="Run", exact=True).click()
        page.locator(".csro-stages").wait_for()
        watched.may_lose_server = True
        first.process.kill()
        first.process.wait()
        port = int(first.url.rpartition(":")[2])
    assert store.run(run).status == "running"
    with server(empty_store, port) as second:
        visit(page, f"{second.url}/?run={run}")
        page.locator(".csro-stages").wait_for()
        watched.may_lose_server = False
        page.get_by_test_id("stSidebar").get_by_role("button", name="Stop").click()
        wait_until(lambda: store.run(run).status == "stopped")
        chip(page, "stopped").wait_for()


def test_a_killed_worker_is_said_and_scoring_again_works(workshop, open_page):
    run, store = make_run(workshop, "killed")
    page = open_page().page
    visit(page, f"{workshop.url}/?run={run}")
    page.get_by_test_id("stMain").get_by_role("button", name="Step").click()
    wait_idle(store, run)
    visit(page, f"{workshop.url}/policies?run={run}&tab=Edit")
    write(page, SLOW)
    page.get_by_role("button", name="Score against the population").click()
    page.get_by_text("Scoring an edit:").first.wait_for()
    wait_until(lambda: any(request.state == "working" for request in store.requests(run, "score")))
    page.reload()
    settle(page)
    page.get_by_text("Scoring an edit:").first.wait_for()
    os.kill(int(store.lease_holder(run)[0].partition("-")[0]), signal.SIGKILL)
    page.get_by_text("the process that worked on this has died").wait_for()
    assert page.get_by_text("scoring an edit …").count() == 0
    write(page, EDIT)
    page.get_by_role("button", name="Score against the population").click()
    page.get_by_text("if added, sigma gives it").wait_for()


def test_a_score_that_takes_long_can_be_stopped(workshop, open_page):
    run, store = make_run(workshop, "slow")
    page = open_page().page
    visit(page, f"{workshop.url}/?run={run}")
    page.get_by_test_id("stMain").get_by_role("button", name="Step").click()
    wait_idle(store, run)
    visit(page, f"{workshop.url}/policies?run={run}&tab=Edit")
    write(page, SLOW)
    page.get_by_role("button", name="Score against the population").click()
    wait_until(lambda: any(request.state == "working" for request in store.requests(run, "score")))
    page.get_by_test_id("stSidebar").get_by_role("button", name="Stop").click()
    wait_until(lambda: store.requests(run, "score")[0].state == "failed")
    page.get_by_text(re.compile("the run was stopped before this was done")).wait_for()


def test_two_tabs_score_at_once_and_both_get_an_answer(workshop, open_page):
    run, store = make_run(workshop, "both", game=GameSpec("matrix", {}), initial=())
    tabs = [open_page().page, open_page().page]
    visit(tabs[0], f"{workshop.url}/?run={run}")
    tabs[0].get_by_test_id("stMain").get_by_role("button", name="Step").click()
    wait_idle(store, run)
    for page in tabs:
        visit(page, f"{workshop.url}/policies?run={run}&tab=Edit")
    for page in tabs:
        page.get_by_role("button", name="Score against the population").click()
    for page in tabs:
        page.get_by_text("if added, sigma gives it").wait_for()
