"""No serious fault of accessibility on any page: axe-core in a real browser; and the keys that work everywhere."""

import pytest

from csro_core.store import open_store
from tests.e2e.axe_checks import COLOURS, EVERYTHING, faults
from tests.e2e.harness import run_id, settle

pytestmark = pytest.mark.e2e

PAGES = (
    "", "policies", "policies?tab=Diff", "policies?tab=Edit", "policies?tab=Lineage", "policies?tab=Prompt",
    "metagame", "metagame?source=own", "matches", "compare", "benchmark", "calls", "runs", "?tour=1",
)  # fmt: skip

def address(path: str, run: str) -> str:
    """Returns the address of a page about a run."""
    return f"/{path}{'&' if '?' in path else '?'}run={run}"


@pytest.mark.parametrize(("dark", "rules"), [(False, EVERYTHING), (True, COLOURS)], ids=["light", "dark"])
def test_no_page_has_a_serious_fault(demo, open_page, axe, dark, rules):
    page = open_page(dark).page
    found = []
    for path in PAGES:
        page.goto(demo.url + address(path, run_id(demo, "demo rps")))
        settle(page)
        found += faults(page, axe, path, rules)
    page.goto(demo.url + address("policies?tab=Exploitability", run_id(demo, "demo matrix")))
    settle(page)
    found += faults(page, axe, "exploitability", rules)
    assert found == [], "\n".join(found)


@pytest.mark.parametrize(("dark", "rules"), [(False, EVERYTHING), (True, COLOURS)], ids=["light", "dark"])
def test_no_dialog_or_popover_has_a_serious_fault(demo, open_page, axe, dark, rules):
    page = open_page(dark).page
    found = []
    page.goto(demo.url + address("", run_id(demo, "demo rps")))
    settle(page)
    for opener, inside in (
        (".st-key-help_button button", "[role=dialog] .csro-keys"),
        (".st-key-new_run_button button", "[role=dialog] .st-key-create"),
        (".st-key-glossary button", ".st-key-glossary_search"),
        (".st-key-copy_link button", "[data-testid=stPopoverBody] [data-testid=stCode]"),
    ):
        page.locator(opener).first.click()
        page.locator(inside).first.wait_for()
        settle(page)
        found += faults(page, axe, opener, rules)
        page.keyboard.press("Escape")
        page.locator(inside).first.wait_for(state="hidden")
        settle(page)
    assert found == [], "\n".join(found)


def test_axe_sees_a_fault_where_there_is_one(demo, open_page, axe):
    page = open_page().page
    page.goto(demo.url + address("", run_id(demo, "demo rps")))
    settle(page)
    page.locator(".csro-head .title").first.wait_for()
    page.evaluate(
        """() => document.querySelector('.csro-head .title').insertAdjacentHTML('beforeend',
          '<span style="color: #bbb; background: #fff">pale</span><button></button>')"""
    )
    rules = {line.split(" at ")[0] for line in faults(page, axe, "here")}
    assert {"here: color-contrast", "here: button-name"} <= rules


def test_the_question_mark_opens_the_help_but_not_while_typing(demo, open_page):
    page = open_page().page
    store, run = open_store(demo.store), run_id(demo, "demo rps")
    before = len(store.requests(run))
    page.goto(demo.url + address("policies?tab=Edit", run))
    settle(page)
    editor = page.get_by_label("source code of the policy")
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# S? s?")
    page.get_by_text("# S? s?").wait_for()
    settle(page)
    assert page.get_by_role("dialog").count() == 0
    target = page.locator(".st-key-run_to").locator("xpath=preceding::input[@type='number'][1]")
    target.click()
    page.keyboard.type("?s")
    assert page.get_by_role("dialog").count() == 0
    assert len(store.requests(run)) == before, "a letter that was typed made a step"
    page.locator(".csro-head .title").first.click()
    settle(page)
    page.keyboard.press("Shift+?")
    page.get_by_role("dialog").get_by_text("What each page is for").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.get_by_role("button", name="Start over").click()
    settle(page)


def test_tab_leaves_the_editor_after_escape(demo, open_page):
    page = open_page().page
    page.goto(demo.url + address("policies?tab=Edit", run_id(demo, "demo rps")))
    settle(page)
    page.get_by_label("source code of the policy").click()
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Tab")
    page.wait_for_function(
        """() => {
          let one = document.activeElement
          while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
          return one && !one.isContentEditable && one !== document.body
        }"""
    )


def test_the_tour_leads_through_the_pages_by_keyboard_and_outlives_a_reload(fresh, open_page):
    page = open_page().page
    page.goto(fresh.url)
    settle(page)
    page.get_by_role("button", name="Take the tour").focus()
    page.keyboard.press("Enter")
    page.get_by_text("step 1 of 5").wait_for()
    for path, number in (("policies", 2), ("metagame", 3), ("matches", 4), ("compare", 5)):
        settle(page)
        page.get_by_role("button", name="Next").focus()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{path}?*tour={number}*")
        page.get_by_text(f"step {number} of 5").wait_for()
        settle(page)
    page.reload()
    settle(page)
    page.get_by_text("step 5 of 5").wait_for()
    page.get_by_role("button", name="End the tour").click()
    page.wait_for_url("**tour=off*")
    settle(page)
    page.reload()
    settle(page)
    assert page.locator(".st-key-tour").count() == 0
