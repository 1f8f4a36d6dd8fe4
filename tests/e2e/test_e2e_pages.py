"""Finished runs in a real browser: every page in both themes, clicks, links, and what goes over the network."""

import pytest

from csro_core.store import open_store
from tests.e2e.harness import run_id, settle

pytestmark = pytest.mark.e2e

CELLS = ".st-key-payoff_chart .heatmaplayer"


@pytest.mark.parametrize(("dark", "size"), [(False, (1280, 900)), (True, (1920, 1080))])
def test_every_page_draws_in_both_themes(demo, open_page, dark, size):
    page = open_page(dark, size).page
    for name in ("demo rps", "demo matrix"):
        page.goto(f"{demo.url}/?run={run_id(demo, name)}")
        settle(page)
        page.wait_for_selector(CELLS, state="attached")
        assert page.get_by_text("payoff to the row policy").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        for title in ("Policies", "Meta-game", "Matches", "Benchmark", "Model calls"):
            page.get_by_role("link", name=title).click()
            settle(page)
        assert f"run={run_id(demo, name)}" in page.url


def test_a_click_on_a_cell_opens_the_match_and_back_returns(demo, open_page):
    page = open_page().page
    page.goto(f"{demo.url}/?run={run_id(demo, 'demo rps')}")
    settle(page)
    page.wait_for_selector(".st-key-payoff_chart .js-plotly-plot[data-clicks=on]", state="attached")
    plot = page.locator(".st-key-payoff_chart .nsewdrag").first.bounding_box()
    # Row 12 of 12 against column 1 of 12: r4 against rock.
    page.mouse.click(plot["x"] + plot["width"] / 24, plot["y"] + plot["height"] * 23 / 24)
    page.wait_for_url("**/matches*")
    settle(page)
    assert page.get_by_text("r4 against rock").is_visible()
    assert "row=" in page.url
    assert "column=" in page.url
    page.get_by_role("button", name="swap").click()
    settle(page)
    page.get_by_text("rock against r4").wait_for()


def test_a_link_opens_the_same_policy_in_another_tab(demo, open_page):
    first = open_page().page
    first.goto(f"{demo.url}/policies?run={run_id(demo, 'demo rps')}")
    settle(first)
    first.get_by_role("navigation", name="policies").get_by_role("button").filter(has_text="beat_last").click()
    first.wait_for_url("**policy=*")
    settle(first)
    second = open_page().page
    second.goto(first.url)
    settle(second)
    assert second.locator(".csro-head .title").first.inner_text() == "beat_last"


def test_the_theme_switch_recolours_code_without_a_reload(demo, open_page):
    page = open_page().page
    page.goto(f"{demo.url}/policies?run={run_id(demo, 'demo rps')}")
    settle(page)
    keyword = page.locator(".csro-code .k").first
    before = keyword.evaluate("element => getComputedStyle(element).color")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "before => getComputedStyle(document.querySelector('.csro-code .k')).color !== before", arg=before
    )


def test_typing_is_kept_over_reruns_tabs_and_a_refresh(demo, open_page):
    page = open_page().page
    page.goto(f"{demo.url}/policies?run={run_id(demo, 'demo rps')}&tab=Edit")
    settle(page)
    editor = page.get_by_label("source code of the policy")
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# typed by a person", delay=15)
    page.get_by_text("Changed; kept as a draft.").wait_for()
    page.reload()
    settle(page)
    page.get_by_text("# typed by a person").wait_for()
    page.get_by_role("button", name="Start over").click()
    settle(page)
    page.get_by_text("# typed by a person").wait_for(state="hidden")


def test_hostile_names_and_docstrings_stay_letters(demo, open_page):
    page = open_page().page
    evil = next(run.id for run in open_store(demo.store).runs() if "<script>" in run.name)
    elsewhere = "[...document.links].filter(link => link.host !== location.host).map(link => link.href)"
    for path in ("", "policies", "policies?tab=Edit", "policies?tab=Diff", "matches"):
        page.goto(f"{demo.url}/{path}{'&' if '?' in path else '?'}run={evil}")
        settle(page)
        page.get_by_text("window.evil").first.wait_for(state="attached")
        assert page.evaluate("window.evil") is None, path
        # The name holds an address, which stays text too.
        assert page.evaluate(elsewhere) == [], path


def test_sixty_policies_are_shown(demo, open_page):
    page = open_page().page
    for path in ("", "policies"):
        page.goto(f"{demo.url}/{path}?run={run_id(demo, 'sixty')}")
        settle(page)
        page.get_by_text("p59").first.wait_for(state="attached")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path


def test_garbage_in_the_address_is_one_sentence(demo, open_page):
    page = open_page().page
    page.goto(f"{demo.url}/?run=../../x&iteration=1e9&policy=zzz&tab=%3Cb%3E")
    settle(page)
    page.get_by_text("There is no run").wait_for()
